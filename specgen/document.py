"""A spec as plain data that still knows where everything stands.

`parse` makes one Document of a file, `variants` one of each merged variant, `load` and the checks
read them. Nothing here interprets a key.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specgen.diagnostics import Position

Path = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[\w-]+")
_LONGEST_QUOTE = 60


def quoted(text: str) -> str:
    """The text in double quotes as one short, printable line; for messages."""
    if len(text) > _LONGEST_QUOTE:
        text = text[: _LONGEST_QUOTE - 3] + "..."
    return json.dumps(text, ensure_ascii=not text.isprintable())


def dotted(path: Path) -> str:
    """The path as users read it: `model.layers[2].units`, `placeholders."a b".dtype`."""
    text = ""
    for segment in path:
        if isinstance(segment, int):
            text += f"[{segment}]"
        else:
            key = segment if _PLAIN_KEY.fullmatch(segment) else quoted(segment)
            text += f".{key}" if text else key
    return text


def is_within(field: str, other: str) -> bool:
    """Whether a dotted path is the other one, or leads to something inside it."""
    return field == other or field.startswith((f"{other}.", f"{other}["))


@dataclass(frozen=True)
class Document:
    """What one spec, or one variant of it, says.

    `data` holds nothing but dict (with text keys), list, str, int, float, bool and None, and no
    container twice. `keys` says where the key or the list item of a path begins, `values` where its
    value does (one that is left out: where its key does). Both know the root, `()`, and may know
    keys that `data` lacks because they were `null`.
    """

    file: str
    data: dict[str, Any]
    keys: Mapping[Path, Position]
    values: Mapping[Path, Position]
    variant: str | None = None
    said_by_variant: frozenset[Path] = frozenset()

    def resolve(self, loc: Sequence[str | int]) -> Path:
        """The path that `loc` means, without the segments that the document does not have.

        pydantic puts the tags of unions into its locations, and names keys that are missing.
        """
        path: Path = ()
        for segment in loc:
            if (*path, segment) in self.keys:
                path = (*path, segment)
        return path

    def where(self, loc: Sequence[str | int]) -> Position:
        """Where the key or list item begins; for one that is not there, its nearest ancestor."""
        return self.keys[self.resolve(loc)]

    def value_at(self, loc: Sequence[str | int]) -> Position:
        """Where the value begins; for one that is not there, that of its nearest ancestor."""
        return self.values[self.resolve(loc)]

    def says(self, path: Path) -> bool:
        """Whether the data have the path themselves, so that its value is not a default."""
        here: Any = self.data
        for segment in path:
            try:
                here = here[segment]
            except (KeyError, IndexError, TypeError):
                return False
        return True
