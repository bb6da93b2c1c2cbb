"""What the schema for editors says of a key is what load says of it; it has what authors write."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from specgen.diagnostics import CODES, Diagnostic, Position
from specgen.document import Document, Path, dotted
from specgen.load import load
from specgen.schema import json_schema
from specgen.spec import Spec
from specgen.support import KEYS, describe
from specgen.variants import HOW, RESERVED

Schema = dict[str, Any]
Put = Callable[[Any], Any]

SCHEMA = json_schema()
ACCEPTS = Draft202012Validator(SCHEMA).is_valid
SECTIONS: Mapping[Any, Callable[[Any], bool]] = {
    key: Draft202012Validator(part | {"$defs": SCHEMA["$defs"]}).is_valid
    for key, part in SCHEMA["properties"].items()
}

VALID: dict[str, Any] = {
    "specgen": 1,
    "name": "digits",
    "source": {"kind": "npz", "path": "data/digits.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "label": {"dtype": "int64", "role": "label", "classes": 10},
    },
    "splits": {
        "method": "stratified",
        "by": "label",
        "parts": {"train": 0.8, "validation": 0.1, "test": 0.1},
        "seed": 7,
    },
    "model": {
        "layers": [
            "flatten",
            {"dense": {"units": 64, "activation": "relu"}},
            {"dense": {"units": 10}},
        ]
    },
    "train": {
        "batch_size": 64,
        "epochs": 20,
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.9},
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "seed": 7,
    },
    "target": "tf2",
    "buffers": {"method": "two_variable"},
    "variants": {
        "two_variable": {},
        "prefetch": {"buffers": {"method": "prefetch"}},
        "two_variable_tf14": {"target": "tf1.4"},
        "placeholders_tf14": {"target": "tf1.4", "buffers": {"input": "placeholders"}},
    },
}
MERGED = {key: value for key, value in VALID.items() if key != "variants"}


def loaded(data: dict[str, Any]) -> tuple[set[str], list[Diagnostic]]:
    """The names of the valid sections, and the diagnostics."""
    start: Mapping[Path, Position] = {(): Position(1, 1)}
    sections, diagnostics = load(Document("x.yaml", data, start, start))
    return set(sections), diagnostics


# --- What only authors write ---------------------------------------------------------------------


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_example_of_the_language_is_valid() -> None:
    assert list(Draft202012Validator(SCHEMA).iter_errors(VALID)) == []


@pytest.mark.parametrize(
    ("variants", "valid"),
    [
        (None, True),
        ({"a": None, "b": {}, "c_2": {"buffers": None, "target": None}}, True),
        (
            {
                "a": {
                    "buffers": {"method": None, "depth": 3},
                    "devices": {"memory": {"growth": None}},
                }
            },
            True,
        ),
        ({"a": {"pipeline": {"service": {"address": "grpc://localhost:5000"}}}}, True),
        ({}, False),
        ([], False),
        ({"A": {}}, False),
        *(({name: {}}, False) for name in RESERVED),
        ({"a": {"train": {"seed": 1}}}, False),
        ({"a": {"buffers": {"methd": "prefetch"}}}, False),
        ({"a": {"buffers": {"method": "prefech"}}}, False),
        ({"a": {"target": "tf3"}}, False),
        ({"a": 1}, False),
    ],
)
def test_variants(variants: Any, valid: bool) -> None:
    assert ACCEPTS({**VALID, "variants": variants}) == valid


# --- Every key of the language -------------------------------------------------------------------

DESCRIPTION = Spec.model_json_schema()
DEFINITIONS = DESCRIPTION["$defs"]

NAME = "x"  # Of whatever the user names.
SCALARS = ("x", "m:f", "cpu:0", ",", 1, 2, 0.5, True)
PROBES: tuple[Any, ...] = (
    *(True, False, 0, 1, -1, 2**40, 2.7, -0.5, "", "yes", "10", "1e-3", "x", "m:f", "a\0"),
    *([], [None], [True], ["x"], [0], {}, {"x": 1}),
)
# JSON has no such numbers, and validators differ on them.
NO_NUMBERS = (10**400, float("inf"), float("nan"))


def referred(part: Schema) -> Any:
    return DEFINITIONS[part["$ref"].rpartition("/")[2]] if "$ref" in part else part


def example(part: Schema) -> Any:
    """The smallest valid value."""
    part = referred(part)
    for several in ("anyOf", "oneOf"):
        if several in part:
            return example(part[several][0])
    if "properties" in part:
        count = part.get("minProperties", 0)
        keys = part.get("required", list(part["properties"])[:count])
        return {key: example(part["properties"][key]) for key in keys}
    if part.get("type") == "object":
        return {NAME: example(part["additionalProperties"])}
    if part.get("type") == "array":
        items = part.get("prefixItems", [part.get("items")] * part.get("minItems", 0))
        return [example(item) for item in items]
    choices = part.get("enum", [part.get("const", ...)])
    valid = Draft202012Validator(part).is_valid
    return choices[0] if choices != [...] else next(v for v in SCALARS if valid(v))


def places(part: Schema, unseen: Schema) -> Iterator[tuple[Path, Put]]:
    """Every place below the part, and what puts a value there into an otherwise valid whole."""
    if "$ref" in part:
        part = unseen.pop(part["$ref"].rpartition("/")[2], {})
    for option in (*part.get("anyOf", ()), *part.get("oneOf", ())):
        yield from places(option, unseen)
    for key, held in part.get("properties", {}).items():
        around = {} if part.get("maxProperties") == 1 else example(part)
        yield from below(key, partial(with_key, around, key), held, unseen)
    if isinstance(part.get("additionalProperties"), dict):
        yield from below(NAME, lambda v: {NAME: v}, part["additionalProperties"], unseen)
    if "items" in part:
        yield from below(0, lambda v: [v], part["items"], unseen)
    if "prefixItems" in part:
        last = example(part["prefixItems"][1])
        yield from below(0, lambda v: [v, last], part["prefixItems"][0], unseen)


def with_key(around: dict[str, Any], key: str, value: Any) -> Any:
    return around | {key: value}


def nested(put: Put, deeper: Put, value: Any) -> Any:
    return put(deeper(value))


def below(segment: str | int, put: Put, held: Schema, unseen: Schema) -> Iterator[tuple[Path, Put]]:
    yield (segment,), put
    for path, deeper in places(held, unseen):
        yield (segment, *path), partial(nested, put, deeper)


ROOT = {**DESCRIPTION, "required": []}
PLACES = list(places(ROOT, dict(DEFINITIONS)))
ACCEPTS = Draft202012Validator(json_schema()).is_valid


def required(part: Schema) -> Iterator[tuple[str, str, bool]]:
    """Each key, the definition it belongs to, and whether it must be there."""
    for name, definition in {**part["$defs"], "": part}.items():
        for key in definition.get("properties", ()):
            yield name, key, key in definition.get("required", ())


def test_no_key_is_forgotten() -> None:
    keys = {key for _, key, _ in required(DESCRIPTION)}
    segments = {segment for path, _ in PLACES for segment in path}
    assert len(list(required(DESCRIPTION))) > 150
    assert keys <= segments


@pytest.mark.parametrize("values", [PROBES, NO_NUMBERS], ids=["probes", "no numbers"])
@pytest.mark.parametrize(("path", "put"), PLACES, ids=[dotted(path) for path, _ in PLACES])
def test_load_and_schema_agree(path: Path, put: Put, values: tuple[Any, ...]) -> None:
    refused = 0
    for value in values:
        data = MERGED | put(value)
        sections, diagnostics = loaded(data)
        valid = not diagnostics
        refused += not valid
        assert valid == (sections == set(Spec.model_fields)), value
        # What a variant completes may be incomplete, which load never sees.
        if values is PROBES and (valid or path[0] not in HOW):
            assert SECTIONS[path[0]](data[path[0]]) == valid, value
        # Containers may hold several mistakes.
        if not isinstance(value, dict | list):
            assert len(diagnostics) <= 1, value
        for diagnostic in diagnostics:
            assert diagnostic.code.startswith("SG2")
            assert diagnostic.field.startswith(dotted(path)), value
    assert refused


@pytest.mark.parametrize(("path", "put"), PLACES, ids=[dotted(path) for path, _ in PLACES])
def test_null_is_legal_where_the_key_may_be_left_out(path: Path, put: Put) -> None:
    *above, key = path
    if isinstance(key, int) or key == NAME:
        return
    with_null = MERGED | put(None)
    without = deepcopy(with_null)
    holder: Any = without
    for segment in above:
        holder = holder[segment]
    del holder[key]
    assert ACCEPTS(with_null) == ACCEPTS(without)


def parts(part: Any) -> Iterator[Schema]:
    """Every mapping of the schema."""
    if isinstance(part, dict):
        yield part
    for inner in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        yield from parts(inner)


def test_it_is_closed_described_and_free_of_pydantic() -> None:
    assert [part["title"] for part in parts(SCHEMA) if "title" in part] == [SCHEMA["title"]]
    assert not any(part.get("default", ...) is None for part in parts(SCHEMA))
    for part in parts(SCHEMA):
        if part.get("type") == "object":
            assert "additionalProperties" in part
        if "properties" in part and part.get("maxProperties") != 1:
            for key, held in part["properties"].items():
                assert held["description"].endswith("."), key


@pytest.mark.parametrize("key", KEYS)
def test_the_table_of_support_explains_the_keys(key: str) -> None:
    told = [
        part["description"] for part in parts(SCHEMA) if isinstance(part.get("description"), str)
    ]
    assert any(describe(key) in text and text.count(describe(key) or "-") <= 1 for text in told)


TEXTS = st.text(st.characters())  # Halves of surrogate pairs among them.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


@given(st.sampled_from(PLACES), VALUES)
@settings(max_examples=500, deadline=None)
def test_no_value_makes_load_raise(place: tuple[Path, Put], value: Any) -> None:
    sections, diagnostics = loaded(MERGED | place[1](value))
    assert (diagnostics == []) == (sections == set(Spec.model_fields))
    for diagnostic in diagnostics:
        assert diagnostic.code in CODES
        assert (diagnostic.message + diagnostic.hint).isprintable()
