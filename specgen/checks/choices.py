"""The choices that a spec makes, said or by default, in the words of the support table."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from specgen.document import Path
from specgen.spec import Sections
from specgen.spec.base import Model, default_of


def places(sections: Sections, key: str) -> Iterator[tuple[Path, str]]:
    """Every place that a key of the table means, with the choice in force there."""
    root, *rest = key.split(".")
    if root in sections:
        for path, value in _descend((root,), sections[root], rest):
            if value is not None:
                yield path, _spelt(key, value)


def choice_near(sections: Sections, key: str, path: Path) -> str | None:
    """The choice of `key` that goes with `path`: a `*` in it is the name that `path` has there."""
    wanted = tuple(
        path[place] if segment == "*" else segment for place, segment in enumerate(key.split("."))
    )
    return dict(places(sections, key)).get(wanted)


def _descend(path: Path, value: Any, rest: list[str]) -> Iterator[tuple[Path, Any]]:
    if not rest:
        yield path, value
    elif rest[0] == "*" and value is not None:
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _descend((*path, name), item, rest[1:])
    elif isinstance(value, Model):
        model = type(value)
        for attribute, field in model.model_fields.items():
            if rest[0] == (field.alias or attribute):
                # The parameters of a list's item stand below its name.
                name = getattr(model, "kind", None)
                below = (*path, name, rest[0]) if name else (*path, rest[0])
                found = getattr(value, attribute)
                if found is None:
                    found = default_of(model, attribute)
                yield from _descend(below, found, rest[1:])


def _spelt(key: str, value: Any) -> str:
    """The choice as the table spells it."""
    if key in _SPELLINGS:
        return _SPELLINGS[key](value)
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return f"{value:g}"
        case str():
            return value
    return str(getattr(type(value), "kind", "a value"))


def _compute(value: str | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return "a list"
    kind, _, number = value.partition(":")
    if kind == "gpu":
        return "gpu:N"
    return value if number in ("", "0") else "cpu:1 and up"


_SPELLINGS: Mapping[str, Callable[[Any], str]] = {
    "placeholders.*.shape": lambda shape: "a size of null" if None in shape else "a fixed shape",
    "train.optimizer.learning_rate": lambda rate: getattr(rate, "schedule", "a number"),
    "devices.compute": _compute,
}
