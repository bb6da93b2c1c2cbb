"""What the columns of a source are for: one input and one label, as placeholders of a spec.

Columns that can be neither, or are one too many, are left out, with the reason.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from specgen.document import dotted
from specgen.survey.found import Column, DataError, Source, span, words
from specgen.wording import listed

_LABELS = ("label", "labels", "y", "target", "targets", "class", "classes", "species", "category")
_LAST_WORDS = ("label", "labels", "target", "class")  # also of a longer name: image/class/label
_INPUTS = ("image", "images", "x", "features", "data", "input", "inputs", "pixels")
_ROW_NUMBERS = re.compile("(.*id|ids|index|idx|row|unnamed 0)")
# Different values that are few enough for classes: so many in any case, or one in so many rows.
_FEW, _ROWS_OF_EACH = 20, 10
_MOST_TEXTS, _MOST_CLASSES = 1000, 100_000
# Up to here, float32 has every whole number.
_MOST_WHOLE = 2**24
# In a row of so many whole numbers up to 255 they are bytes; below half of that, of another scale.
_PIXELS, _WHITE = 16, 255


@dataclass(frozen=True)
class Placeholder:
    """A placeholder as a spec writes it, and the comments on it."""

    name: str
    keys: Mapping[str, object]
    notes: Sequence[str]


@dataclass(frozen=True)
class Guess:
    """What can be learned from a source.

    `units` are the numbers that a model gives for a row, `counts` the rows of each class; there are
    none where the label is no class. `left_out` has the names of columns by the reason.
    """

    input: Placeholder
    label: Placeholder
    units: int
    counts: Sequence[int]
    left_out: Mapping[str, Sequence[str]]


def guess(source: Source) -> Guess:
    """The roles of the columns. DataError where there is no label, or no input."""
    label, why = _label_column(source)
    described, units, counts = _label(source, label, why)
    others = [column for column in source.columns if column is not label]
    left_out, fit = _left_out(others), [column for column in others if not _unfit(column)]
    if not fit:
        reasons = _reasons(left_out)
        raise DataError(source.path, f"no column but {_called(label)} can be used{reasons}")
    if source.is_table:
        return Guess(_side_by_side(fit, label), described, units, counts, left_out)
    given = [column for column in fit if source.roles.get(column.name) == "input"]
    column = given[0] if given else _input_column(fit)
    if len(fit) > 1:
        left_out["layers take one input"] = [each.name for each in fit if each is not column]
    notes = ["a guess: the input"] if column.name not in source.roles else []
    placeholder = _input(column, notes, f"in {column.missing} rows")
    return Guess(placeholder, described, units, counts, left_out)


def _called(column: Column) -> str:
    return dotted((column.name,))


def _unfit(column: Column) -> str:
    """Why a column can be no input; empty where it can."""
    if column.misfit:
        return column.misfit
    if column.dtype == "string":
        return "holds texts"
    is_unique = column.counts is None or set(column.counts.values()) == {1}
    if is_unique and column.is_whole and _ROW_NUMBERS.fullmatch(" ".join(words(column.name))):
        return "numbers the rows"
    return ""


def _left_out(columns: Sequence[Column]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for column in columns:
        if reason := _unfit(column):
            reasons.setdefault(reason, []).append(column.name)
    return reasons


def _reasons(left_out: Mapping[str, Sequence[str]]) -> str:
    each = (f"{listed(dotted((name,)) for name in names)} {why}" for why, names in left_out.items())
    return f": {'; '.join(each)}" if left_out else ""


# -- The label ------------------------------------------------------------------------------------


def _label_column(source: Source) -> tuple[Column, str]:
    """The label, and why it is taken for one; empty where that is no guess."""
    for column in source.columns:
        if source.roles.get(column.name) == "label":
            return column, ""
    for label in _LABELS:
        for column in source.columns:
            *_, last = name = _name(column)
            if name == [label] or (last == label and label in _LAST_WORDS):
                return column, "by its name"
    single = [
        column
        for column in reversed(source.columns)
        if not (column.shape or column.missing) and _unfit(column) in ("", "holds texts")
    ]
    for column in single:
        are_repeated = 1 < len(column.counts or ()) <= source.rows / 2
        if are_repeated and _has_classes(source, column):
            return column, "the last column with few values"
    for column in single:
        if column.dtype != "string":
            return column, "the last column with one number"
    raise DataError(source.path, f"no column can be the label{_reasons(_left_out(source.columns))}")


def _name(column: Column) -> list[str]:
    """The words of its name, without the part of a divided set that it is."""
    return [word for word in words(column.name) if word != "train"] or [""]


def _has_classes(source: Source, column: Column) -> bool:
    """Whether the values are texts or whole numbers, and so few that they may be classes."""
    values = set(column.counts or ())
    if column.name in source.roles:
        return True
    if not values or len(values) > max(_FEW, source.rows // _ROWS_OF_EACH):
        return False
    if column.dtype == "string":
        return len(values) <= _MOST_TEXTS
    return column.is_whole and (len(values) <= source.rows / 2 or values == {*range(len(values))})


def _label(source: Source, column: Column, why: str) -> tuple[Placeholder, int, Sequence[int]]:
    """The label, the units that it needs, and the rows of each class, if it has any."""
    if refused := _no_label(source, column):
        raise DataError(source.path, f"{_called(column)} would be the label, but {refused}")
    notes = [f"a guess: the label, {why}"] if why else []
    keys: dict[str, object] = {"dtype": "int64", "role": "label"}
    if not _has_classes(source, column):
        keys["dtype"] = "uint8" if column.dtype == "bool" else column.dtype
        keys |= {"shape": column.shape} if column.shape else {}
        keys |= {"encoding": column.encoding} if column.encoding != "raw" else {}
        sizes = [size for size in column.shape if size]
        return Placeholder(column.name, keys, notes), prod(sizes), ()
    counts = column.counts or {}
    values = sorted(counts, key=float if column.is_whole else str)
    classes, is_numbered = len(values), values == [*range(len(values))]
    if column.dtype == "string" and source.section["kind"] == "images":
        pass  # numbered by the source, in the order of their names
    elif column.dtype == "string" or (source.is_table and not is_numbered):
        keys |= {"encoding": "text", "vocabulary": list(map(str, values))}
    elif not is_numbered:
        notes.append(
            f"its {classes} values, {values[0]} to {values[-1]}, are not 0 to {classes - 1}: "
            "map them, or some classes have no rows"
        )
        classes = int(column.high) + 1
    keys["classes"] = classes
    rows = [counts[value] for value in values]
    if why:
        notes.append(f"rows in each class: {span(rows)}")
    return Placeholder(column.name, keys, notes), classes, rows


def _no_label(source: Source, column: Column) -> str:
    """Why a column cannot be the label; empty where it can."""
    different = len(column.counts or ())
    if column.misfit:
        return f"it {column.misfit}"
    if column.missing:
        return f"{column.missing} of {source.rows} rows have none"
    if column.encoding == "image" or None in column.shape:
        return "it holds images" if column.encoding == "image" else "it differs in length"
    if column.shape == (1,) and column.dtype.startswith(("int", "uint")):
        return "each is in an array of its own: save it with one axis"
    if not _has_classes(source, column):
        many = f"{different or 'too many'} different texts in {source.rows} rows are no classes"
        return many if column.dtype == "string" else ""
    if not (source.is_table or 0 <= column.low <= column.high < _MOST_CLASSES):
        return (
            f"its values from {column.low:g} to {column.high:g} are no classes: "
            f"map them to 0 to {different - 1}"
        )
    return ""


# -- The input ------------------------------------------------------------------------------------


def _side_by_side(columns: Sequence[Column], label: Column) -> Placeholder:
    """Columns of one number each as one input."""
    low, high = min(column.low for column in columns), max(column.high for column in columns)
    joined = Column(
        "features" if label.name == "x" else "x",
        "float64" if max(-low, high) > _MOST_WHOLE else "float32",
        (len(columns),),
        low=low,
        high=high,
        is_whole=all(column.is_whole for column in columns),
        missing=sum(column.missing for column in columns),
    )
    notes = ["a guess: the input, all other columns of numbers"]
    missing = [f"{each.missing} in {_called(each)}" for each in columns if each.missing]
    placeholder = _input(joined, notes, listed(missing) if missing else "")
    names = [column.name for column in columns]
    return replace(placeholder, keys={**placeholder.keys, "columns": names})


def _input_column(columns: Sequence[Column]) -> Column:
    """By its name, else the one with the most values in a row."""
    for name in _INPUTS:
        for column in columns:
            if _name(column) == [name]:
                return column
    return max(columns, key=_size)


def _size(column: Column) -> int:
    return prod(size or column.longest for size in column.shape)


def _input(column: Column, notes: Sequence[str], missing: str) -> Placeholder:
    """The input, with more notes; `missing` says where values are."""
    notes = [*notes, column.note] if column.note else [*notes]
    keys: dict[str, object] = {"dtype": column.dtype, "shape": column.shape}
    are_bytes = column.is_whole and column.low >= 0 and 1 < column.high <= _WHITE
    if are_bytes and column.encoding == "raw" and _size(column) >= _PIXELS:
        keys["dtype"] = "uint8"
    if keys["dtype"] == "uint8" and are_bytes:
        white = _WHITE if 2 * column.high > _WHITE else column.high
        keys["scale"] = 1 / white
        notes += [f"a guess: {white:g} is the largest value"] if column.encoding == "raw" else []
    if column.encoding != "raw":
        keys["encoding"] = column.encoding
    if column.encoding == "image" and column.note:
        keys["image"] = {"resize": column.shape[:2]}
    if None in column.shape:
        keys["pad"] = {"length": column.longest}
        notes.append("a guess: rows are padded to the longest one")
    elif column.missing:
        keys["default"] = 0
        notes.append(f"a guess: 0 for a missing value, {missing}")
    if not column.shape:
        del keys["shape"]
    return Placeholder(column.name, keys, notes)
