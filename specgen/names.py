"""Names in generated code: identifiers made from users' names, and names that must not be taken.

A text in, an identifier or a verdict out; used by the checks and by the plan. The answers come from
committed lists, so they are the same on every Python.
"""

import re
import unicodedata
from collections.abc import Collection

from specgen.reserved import (
    BUILTINS,
    KEYWORDS,
    LIBRARIES,
    STANDARD_LIBRARY,
    TOOLS,
    TUPLE_METHODS,
    WINDOWS_DEVICES,
)

# Version 3.2 of the database: the one that every Python has.
_UNICODE = unicodedata.ucd_3_2_0

# As regular expressions: the name of a spec or a variant, and an identifier.
NAME = "[a-z][a-z0-9_]{0,63}"
IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"

_LONGEST = 40
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_COMBINING = re.compile(r"[\u0300-\u036f]+")
_OTHER = re.compile(r"[^a-z0-9]+")
_CASED_KEYWORDS = {"False", "None", "True"}


def identifier(text: str, taken: Collection[str]) -> str:
    """A snake_case name for `text`, in ASCII, that hides nothing and is not in `taken`.

    It also serves as a namedtuple's field: no leading underscore, and none of a tuple's methods.
    """
    separated = _CAPITALS.sub("_", text).casefold()
    plain = _COMBINING.sub("", _UNICODE.normalize("NFKD", separated))
    name = _OTHER.sub("_", plain).strip("_")[:_LONGEST].rstrip("_")
    if not name[:1].isalpha():
        name = f"field_{name}".rstrip("_")
    if name in KEYWORDS | BUILTINS | TUPLE_METHODS:
        name += "_"
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name.rstrip('_')}_{number}", number + 1
    return unique


def is_module_path(text: str) -> bool:
    """Whether `text` is `package.module:function` and can stand in an import as it is."""
    module, colon, function = text.partition(":")
    return bool(colon) and all(map(_is_importable, [*module.split("."), function]))


def _is_importable(name: str) -> bool:
    return bool(re.fullmatch(IDENTIFIER, name)) and name not in KEYWORDS | _CASED_KEYWORDS


def shadowed(module: str) -> str | None:
    """What a generated `module.py` would shadow or clash with; None where the name is free."""
    for names, what in (
        (STANDARD_LIBRARY, "a module of Python"),
        (LIBRARIES, "a package that TensorFlow uses"),
        (TOOLS, "a name that Python's tools or your own files use"),
        (KEYWORDS, "a keyword of Python"),
    ):
        if module in names:
            return what
    return device(module)


def device(name: str) -> str | None:
    """The same for a file or folder of any suffix, on Windows."""
    return "a device of Windows" if name in WINDOWS_DEVICES else None
