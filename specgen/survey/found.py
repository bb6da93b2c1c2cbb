"""What looking at data finds: the columns of their rows, in the words of the language.

Each kind of source has a module here that makes a Source of it; `guess` decides what the columns
are for, and `starter` writes that down as a spec.
"""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from specgen.places import SPECS

# Of more different values, none are kept: they are no classes.
_MOST_VALUES = 10_000


class DataError(Exception):
    """Data that no spec can be written for: the path, and why not, with what to do about it."""

    def __init__(self, path: str | Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path, self.why = Path(path), why


@dataclass(frozen=True)
class Column:
    """One value of each row, as all rows show it.

    `low` to `high` is the range of its numbers. `counts` has the rows of each value, where one
    value a row is all, and there are not too many. `misfit` says why no placeholder can hold it.
    """

    name: str
    dtype: str = "string"
    shape: tuple[int | None, ...] = ()
    encoding: str = "raw"
    low: float = 0
    high: float = 0
    is_whole: bool = False  # each number is an integer, of whatever dtype
    counts: Mapping[int | str, int] | None = None
    missing: int = 0  # rows without it
    longest: int = 0  # where the shape is variable
    note: str = ""  # for a comment
    misfit: str = ""


@dataclass(frozen=True)
class Source:
    """Data on the disk: what `source` of a spec says of them, how many rows, and their columns.

    `notes` are for a comment. The `roles` of columns by their names are those that need no guess.
    """

    path: Path
    section: Mapping[str, object]
    rows: int
    columns: Sequence[Column]
    notes: Sequence[str] = ()
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_table(self) -> bool:
        """Whether columns of one number can be put side by side, and any value is a text."""
        return self.section["kind"] == "csv"


class Tally:
    """How many rows have each value, until there are too many different ones."""

    def __init__(self) -> None:
        self.counts: Counter[int | str] | None = Counter()

    def add(self, values: Iterable[int | str] | Mapping[int, int]) -> None:
        if self.counts is not None:
            self.counts.update(values)
            if len(self.counts) > _MOST_VALUES:
                self.counts = None

    def without(self, values: Collection[int | str]) -> dict[int | str, int] | None:
        """The rows of each other value; None where there are too many."""
        if self.counts is None:
            return None
        return {value: rows for value, rows in self.counts.items() if value not in values}


def span(numbers: Collection[int]) -> str:
    """From the least to the most of them."""
    least, most = min(numbers), max(numbers)
    return f"{least} to {most}" if least < most else str(least)


def words(name: str) -> list[str]:
    """What the name of a column consists of, in small letters: `X_train` is x and train."""
    return re.findall("[a-z0-9]+", name.lower())


def from_specs(path: str | Path) -> str:
    """The path as a spec in the folder `specs` has it."""
    try:
        return os.fsencode(Path(os.path.relpath(path, SPECS)).as_posix()).decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(path, "this path is not UTF-8, rename the file or the folder") from None
    except ValueError:
        raise DataError(path, "no relative path leads here from the current folder") from None
