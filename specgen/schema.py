"""The JSON Schema of a spec as its author writes it, for editors.

pydantic describes a spec whose variants are merged. To that come the variants, `null` for whatever
may be left out, and what the table of support knows of a key.
"""

from collections.abc import Iterator
from typing import Any

from specgen.spec import Spec
from specgen.support import describe
from specgen.variants import HOW, RESERVED

Schema = dict[str, Any]


def json_schema() -> Schema:
    """The schema, in the dialect 2020-12."""
    schema = Spec.model_json_schema()
    for path, part in _places(schema, dict(schema["$defs"]), ""):
        if support := describe(path):
            part["description"] = " ".join((part.get("description", ""), support)).lstrip()
    for key in HOW:
        for definition in _definitions_below(schema["properties"][key], schema["$defs"]):
            # Only what a variant makes of a section must be complete.
            definition.pop("required", None)
    schema = _as_written(schema)
    schema["properties"]["variants"] = _variants(schema["properties"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A spec of specgen, version 1",
        **schema,
    }


def _places(part: Schema, unseen: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    """All that a key or a list holds, with its path as the table of support spells it.

    `unseen` are the definitions still to be visited: the first place that refers to one takes it.
    """
    definition = unseen.pop(_name(part), {})
    for same in (definition, *part.get("anyOf", ()), *part.get("oneOf", ())):
        if same:
            yield from _places(same, unseen, path)
    for key, held in part.get("properties", {}).items():
        if _is_named(part):
            yield from _places(held, unseen, path)
        else:
            below = f"{path}.{key}" if path else key
            yield below, held
            yield from _places(held, unseen, below)
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            yield f"{path}.*", part[key]
            yield from _places(part[key], unseen, f"{path}.*")


def _definitions_below(part: Schema, definitions: Schema) -> Iterator[Schema]:
    """The definitions that describe what is at and below a key."""
    for same in (part, *part.get("anyOf", ())):
        if definition := definitions.get(_name(same)):
            yield definition
            for held in definition["properties"].values():
                yield from _definitions_below(held, definitions)


def _name(part: Schema) -> str:
    """The name of the definition that the part refers to, if it does."""
    return str(part.get("$ref", "")).rpartition("/")[2]


def _is_named(part: Schema) -> bool:
    """Whether the part is an item of a list, its name and its parameters, as a layer is."""
    return part.get("maxProperties") == 1


def _as_written(part: Schema) -> Schema:
    """The part with null for whatever may be left out, and without pydantic's titles."""
    new = {key: value for key, value in part.items() if key not in ("title", "default")}
    default = _without_nulls(part.get("default"))
    if default not in (None, {}):
        new["default"] = default
    for key in ("anyOf", "oneOf", "prefixItems"):
        if key in part:
            new[key] = [_as_written(option) for option in part[key]]
    for key in ("items", "propertyNames"):
        if key in part:
            new[key] = _as_written(part[key])
    if "$defs" in part:
        new["$defs"] = {name: _as_written(held) for name, held in part["$defs"].items()}
    if "properties" in part:
        required = part["properties"] if _is_named(part) else part.get("required", ())
        new["properties"] = {
            key: _as_written(held) if key in required else _nullable(_as_written(held))
            for key, held in part["properties"].items()
        }
    if isinstance(part.get("additionalProperties"), dict):
        new["additionalProperties"] = _nullable(_as_written(part["additionalProperties"]))
    return new


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(held) for key, held in value.items() if held is not None}
    return value


def _nullable(part: Schema) -> Schema:
    """The part or null."""
    notes: Schema = {key: part[key] for key in ("description", "default") if key in part}
    bare = {key: value for key, value in part.items() if key not in notes}
    options = bare.get("anyOf", [bare])
    null = {"type": "null"}
    return {**notes, "anyOf": options if null in options else [*options, null]}


def _variants(properties: Schema) -> Schema:
    """For each name of a variant, what it overrides."""
    overrides = {
        "type": "object",
        "properties": {key: properties[key] for key in HOW},
        "additionalProperties": False,
    }
    variants = {
        "description": "Scripts that differ in how they run; for each name, what it overrides.",
        "type": "object",
        "propertyNames": {
            "pattern": properties["name"]["pattern"],
            "not": {"enum": list(RESERVED)},
        },
        "minProperties": 1,
        "additionalProperties": _nullable(overrides),
    }
    return _nullable(variants)
