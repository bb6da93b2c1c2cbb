"""The placeholders by their role; what the checks of several sections ask for."""

from collections.abc import Mapping

from specgen.document import dotted
from specgen.spec.placeholders import Placeholder

Placeholders = Mapping[str, Placeholder]


def inputs(placeholders: Placeholders) -> Placeholders:
    return {name: p for name, p in placeholders.items() if p.role == "input"}


def labels(placeholders: Placeholders) -> Placeholders:
    return {name: p for name, p in placeholders.items() if p.role == "label"}


def the_label(placeholders: Placeholders) -> tuple[str, Placeholder] | None:
    """The name and the description of the one label; None where there is not exactly one."""
    found = labels(placeholders)
    return next(iter(found.items())) if len(found) == 1 else None


def called(name: str) -> str:
    """A placeholder's name as messages show it."""
    return dotted((name,))


def is_integer(placeholder: Placeholder) -> bool:
    return "int" in placeholder.dtype
