"""A table as text, as Python's csv module reads it.

A column holds numbers where all of its cells do, but for those that stand for a missing value.
"""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from specgen.document import dotted
from specgen.survey.found import Column, DataError, Source, Tally, from_specs
from specgen.survey.images import image_column, image_size, is_image
from specgen.survey.pictures import Size

_DELIMITERS = ",\t;|"
_SAMPLE = 1 << 16  # characters by which the delimiter is guessed
_TOGETHER = 10_000  # rows
_WHOLE = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_MOST, _MOST_WHOLE = (2 - 2**-23) * 2.0**127, 2**53  # of float32; whole, of float64
# Among numbers, what stands for a missing one beside an empty cell.
_BLANKS = {"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "none", "?", "-"}


def survey_csv(path: Path) -> Source:
    """The columns of a table; its delimiter, and whether its first line has names, are guesses."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            delimiter = _delimiter(file.read(_SAMPLE))
            file.seek(0)
            first, cells = _read(path, file, delimiter)
    except UnicodeDecodeError as error:
        raise DataError(path, f"not a table of text in UTF-8: {error.reason}") from error
    has_names = _has_names(first, cells)
    if not has_names:
        _add(cells, [first])
    blanks = {blank for column in cells if column.is_numeric for blank in column.blanks}
    section: dict[str, object] = {"kind": "csv", "path": from_specs(path)}
    section |= {} if has_names else {"header": False}
    section |= {} if delimiter == "," else {"delimiter": delimiter}
    section |= {"missing": ["", *sorted(blanks)]} if blanks else {}
    names = _names(path, first) if has_names else map(str, range(len(first)))
    columns = [column.summary(name, blanks) for name, column in zip(names, cells, strict=True)]
    note = f"a guess: the first line {'names the columns' if has_names else 'is a row'}"
    if has_names and delimiter == ",":
        for number, column in enumerate(columns):
            if column.dtype == "string" and (sizes := _pictures(path, number)):
                columns[number] = image_column(column.name, sizes)
                section = {"kind": "images", "path": from_specs(path)}
                note = f"a guess: a list of images, which {dotted((column.name,))} names"
                return Source(path, section, cells[0].rows, columns, [note], {column.name: "input"})
    return Source(path, section, cells[0].rows, columns, [note])


def _pictures(path: Path, number: int) -> Counter[Size]:
    """The sizes of the images that a column names; none where it names none in the first row."""
    sizes = Counter[Size]()
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        reader = csv.reader(file, strict=True)
        rows = filter(None, reader)
        next(rows)
        for row in rows:
            picture = path.parent / row[number]
            if is_image(picture) and picture.is_file():
                sizes[image_size(picture)] += 1
            elif sizes:
                raise DataError(path, f"line {reader.line_num}: {row[number]!r} is no image's path")
            else:
                break
    return sizes


def _delimiter(sample: str) -> str:
    """What cuts all lines of the beginning into the same number of cells, as many as possible."""
    found: dict[str, int] = {}
    for delimiter in (*_DELIMITERS, " "):
        try:
            rows = list(csv.reader(io.StringIO(sample, newline="\n"), delimiter=delimiter))
        except csv.Error:
            continue
        # The end may be cut off.
        widths = {len(row) for row in (rows[:-1] if len(sample) == _SAMPLE else rows) if row}
        if len(widths) == 1 and max(widths) > 1:
            found[delimiter] = max(widths)
    if not found:
        return max(_DELIMITERS, key=sample.count)
    return max((delimiter != " ", cells, delimiter) for delimiter, cells in found.items())[2]


class _Cells:
    """The cells of one column, as far as they have been read."""

    def __init__(self) -> None:
        self.rows, self.empty = 0, 0
        self.tally, self.blanks = Tally(), Counter[str]()
        self.low, self.high = math.inf, -math.inf
        self.is_whole, self.has_points, self.may_be_numeric = True, False, True

    @property
    def is_numeric(self) -> bool:
        return self.may_be_numeric and self.low <= self.high

    def add(self, cells: Sequence[str]) -> None:
        counts = Counter(cells)
        self.rows += len(cells)
        self.empty += counts.pop("", 0)
        self.tally.add(counts)
        for cell, rows in counts.items():
            text = cell.strip()
            if text in _BLANKS:
                self.blanks[cell] += rows
            elif self.may_be_numeric and _NUMBER.fullmatch(text):
                number = float(text)
                self.low, self.high = min(self.low, number), max(self.high, number)
                self.is_whole = self.is_whole and number.is_integer()
                self.has_points = self.has_points or not _WHOLE.fullmatch(text)
            else:
                self.may_be_numeric = False

    def summary(self, name: str, blanks: Collection[str]) -> Column:
        """The column, where `blanks` stand for missing values in all of the table."""
        missing = self.empty + sum(self.blanks[blank] for blank in blanks)
        counts = self.tally.without(blanks)
        if not name or missing == self.rows:
            return Column(name, misfit="is empty" if name else "has no name")
        if not self.is_numeric:
            return Column(name, counts=counts, missing=missing)
        if counts is not None and self.is_whole and not self.has_points:
            numbers = Counter[int | str]()
            for cell, rows in counts.items():
                numbers[int(cell)] += rows
            # As 01 or +1, they have to stay texts.
            if set(map(str, numbers)) == {str(cell).strip() for cell in counts}:
                counts = numbers
        return Column(
            name,
            "float32" if self.has_points else "int64",
            low=self.low,
            high=self.high,
            is_whole=self.is_whole,
            counts=counts,
            missing=missing,
            misfit=self._misfit(),
        )

    def _misfit(self) -> str:
        """Why no column of a model's input can have the numbers; empty where one can."""
        most = _MOST if self.has_points else _MOST_WHOLE
        beyond = [number for number in (self.low, self.high) if not -most <= number <= most]
        why = "beyond float32" if self.has_points else "which floats round"
        return f"holds {beyond[0]:g}, {why}" if beyond else ""


def _read(path: Path, file: TextIO, delimiter: str) -> tuple[list[str], list[_Cells]]:
    """The first line, and the cells of each column below it; empty lines are passed over."""
    reader = csv.reader(_lines(path, file), delimiter=delimiter, strict=True)
    first: list[str] = []
    rows: list[list[str]] = []
    cells: list[_Cells] = []
    try:
        for row in filter(None, reader):
            if not first:
                first, cells = row, [_Cells() for _ in row]
            elif len(row) == len(first):
                rows.append(row)
            else:
                cells_in = f"{len(row)} in line {reader.line_num}, {len(first)} in the first one"
                raise DataError(path, f"the lines differ in how many cells they have: {cells_in}")
            if len(rows) == _TOGETHER:
                _add(cells, rows)
                rows = []
    except csv.Error as error:
        is_lone = str(error).startswith("new-line character")
        why = "a CR alone ends no line; LF does, or CR and LF"
        raise DataError(path, f"line {reader.line_num}: {why if is_lone else error}") from error
    if not first:
        raise DataError(path, "this file is empty")
    _add(cells, rows)
    return first, cells


def _lines(path: Path, file: Iterable[str]) -> Iterator[str]:
    """The lines, as the scripts cut them: LF ends one, and CR by itself does not."""
    for number, line in enumerate(file, 1):
        if "\0" in line:
            raise DataError(path, f"line {number}: holds a NUL, which is no text")
        yield line


def _add(cells: Sequence[_Cells], rows: Sequence[Sequence[str]]) -> None:
    for column, values in zip(cells, zip(*rows, strict=True), strict=False):
        column.add(values)


def _has_names(first: Sequence[str], cells: Sequence[_Cells]) -> bool:
    """Whether the first line is no row: it has no number, or a text above one that has numbers."""
    numbers = [bool(_NUMBER.fullmatch(cell.strip())) for cell in first]
    return not any(numbers) or any(
        column.is_numeric and not is_number and cell.strip() not in _BLANKS
        for cell, column, is_number in zip(first, cells, numbers, strict=True)
    )


def _names(path: Path, first: Sequence[str]) -> Sequence[str]:
    for name, count in Counter(first).items():
        if name and count > 1:
            raise DataError(path, f"the first line names {dotted((name,))} {count} times")
    return first
