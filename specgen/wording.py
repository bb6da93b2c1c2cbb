"""Values and choices in the words of the language, and hints for those that cannot stand.

For the messages of every stage between `parse` and the plan.
"""

import math
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

from specgen.document import quoted
from specgen.scalars import plain

_MOST_DIGITS = 30
_SHORTEST_BEGINNING = 2
# To YAML 1.1, and so to many who write YAML, these are booleans.
_BOOLEANS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def shown(value: Any) -> str:
    """The value as its author knows it, in one short line."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f"the text {quoted(value)}"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case float() if not math.isfinite(value):
            return "-.inf" if value < 0 else f".{value}"
        case int() if abs(value) >= 10**_MOST_DIGITS:
            return f"a number of more than {_MOST_DIGITS} digits"
    return str(value)


def listed(words: Iterable[str], last: str = "and") -> str:
    """The words, of which there are some, as an enumeration: `a, b and c`."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that was probably meant."""
    by_lower = {choice.lower(): choice for choice in choices}
    word = word.lower()
    begun = [choice for choice in by_lower if choice.startswith(word)]
    if len(word) < _SHORTEST_BEGINNING or len(begun) != 1:
        begun = get_close_matches(word, by_lower, n=1)
    return by_lower[begun[0]] if begun else None


def meant(word: str, choices: Iterable[str]) -> str:
    """The hint that names the choice that was probably meant; empty where none comes near."""
    choice = nearest(word, choices)
    return f"did you mean {choice}?" if choice else ""


def hint_for(value: Any, types: Collection[type]) -> str:
    """How to write the value where only the types are legal; empty where that cannot be known."""
    match value:
        case str() if bool in types and value.lower() in _BOOLEANS:
            return f"write {_BOOLEANS[value.lower()]}"
        case str() | int() | float() | dict() if set(types) == {list}:
            return "put it between [ and ]"
        case str():
            return _hint_for_text(value, types)
        case int() | float() if str in types:
            return "quote it"
        case float() if int in types and value.is_integer():
            return f"write {shown(int(value))}"
    return ""


def _hint_for_text(text: str, types: Collection[type]) -> str:
    """For a text that is a boolean or a number but for its quotes or the `_` in it."""
    bare = text.strip().replace("_", "")
    value = plain(bare)
    if type(value) in types or (type(value) is int and float in types):
        return f"drop the quotes: {text}" if bare == text else f"write {bare}"
    return hint_for(value, types) if isinstance(value, float) else ""
