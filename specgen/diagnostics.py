"""What can be wrong, as values: the one type in which every stage reports to the next.

A stage returns its diagnostics beside its result; only `report` turns them into text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

CODES: Mapping[str, str] = {
    "SG101": "the file is not text",
    "SG102": "the YAML is malformed",
    "SG103": "a key is given twice",
    "SG104": "a tag, anchor or alias that is not allowed",
    "SG105": "a key is not a text",
    "SG106": "the document is not one mapping",
    "SG201": "an unknown key",
    "SG202": "a required key is missing",
    "SG203": "a value of the wrong type",
    "SG204": "not one of the choices",
    "SG205": "a value out of range or malformed",
    "SG206": "a name that cannot be used",
    "SG301": "a choice that is not supported yet",
    "SG302": "a key without effect under the chosen method",
    "SG303": "keys that contradict each other",
    "SG304": "a reference to something that does not exist",
    "SG305": "shapes or dtypes that do not fit",
    "SG306": "numbers that do not fit",
    "SG401": "a committed file differs from what its spec makes",
    "SG402": "a file that its spec makes is missing",
    "SG403": "a generated file that no spec makes any more",
    "SG404": "a file that specgen did not write is in the way",
    "SG405": "two specs make the same file",
    "SG406": "a file cannot be read or written",
    "SG407": "the command line does not fit",
    "SG901": "a fault of specgen's own",
}


@dataclass(frozen=True, order=True)
class Position:
    """A place in a spec; line and column count from 1, columns in characters."""

    line: int
    column: int


@dataclass(frozen=True)
class Diagnostic:
    """One mistake: where it is, what is wrong, and what to do about it.

    `field` is the dotted path of the key (`model.layers[2].units`), empty where the mistake belongs
    to no key. `variants` names those that it is limited to; empty when it concerns all of them.
    """

    file: str
    position: Position | None
    code: str
    field: str
    message: str
    hint: str = ""
    severity: Severity = "error"
    variants: tuple[str, ...] = ()
