"""Arrays of NumPy: those of one .npz file, or .npy files in one folder; the first axis is rows.

Values are read in pieces, so that data larger than memory can be looked at.
"""

import io
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from specgen.document import dotted
from specgen.dtypes import BITS
from specgen.survey.found import Column, DataError, Source, Tally, from_specs, words
from specgen.wording import listed

if TYPE_CHECKING:
    import numpy as np

_PIECE = 1 << 24  # bytes that are read at once
_KINDS = {"O": "Python objects", "S": "texts", "U": "texts", "M": "dates", "m": "durations"}
_KINDS["V"] = "several fields in each value"


@dataclass(frozen=True)
class _Array:
    """What the head of an array says; `open` gives its bytes from the head on."""

    name: str
    open: Callable[[], IO[bytes]]
    shape: tuple[int, ...]
    dtype: "np.dtype[Any]"

    @property
    def misfit(self) -> str:
        if self.dtype.kind not in "biuf":
            return f"holds {_KINDS.get(self.dtype.kind, self.dtype)}"
        if 0 in self.shape[1:]:
            return "has an axis of size 0"
        return "" if self.shape else "is a single value"


def survey_npz(path: Path) -> Source:
    """The arrays of one file."""
    section = {"kind": "npz", "path": from_specs(path)}
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile:
        raise DataError(path, "not a whole .npz file") from None
    with archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        members = {name.removesuffix(".npy"): partial(archive.open, name) for name in names}
        return _source(path, section, members)


def survey_npy(path: Path, files: Sequence[Path]) -> Source:
    """Arrays that lie beside each other, each in a file with its name."""
    section = {"kind": "npz", "arrays": {file.stem: from_specs(file) for file in files}}
    return _source(path, section, {file.stem: partial(io.FileIO, file) for file in files})


def _source(
    path: Path, section: Mapping[str, object], members: Mapping[str, Callable[[], IO[bytes]]]
) -> Source:
    try:
        import numpy  # noqa: F401
    except ImportError:
        raise DataError(path, "looking at arrays needs NumPy: pip install numpy") from None
    found = []
    for name, opened in members.items():
        with _reading(path, name), opened() as stream:
            found.append(_Array(name, opened, *_head(stream)))
    arrays, notes = _in_rows(path, found)
    rows = next((array.shape[0] for array in arrays if array.shape), 0)
    columns = []
    for array in arrays:
        with _reading(path, array.name):
            columns.append(_column(array))
    return Source(path, section, rows, columns, notes)


@contextmanager
def _reading(path: Path, name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # what NumPy raises depends on where the damage is
        if path.is_dir() or path.suffix.lower() == ".npy":
            path = (path if path.is_dir() else path.parent) / f"{name}.npy"
        raise DataError(path, f"{dotted((name,))} cannot be read: {error}") from error


def _in_rows(path: Path, arrays: Sequence[_Array]) -> tuple[Sequence[_Array], list[str]]:
    """The arrays that have the same rows; where x_train and x_test differ, those for training."""
    if _are_even(arrays):
        return arrays, []
    part = [array for array in arrays if "train" in words(array.name)]
    if part and _are_even(part):
        others = listed(dotted((array.name,)) for array in arrays if array not in part)
        return part, [f"left out: {others}; `splits` divides the rows for training"]
    rows = listed(f"{a.shape[0]} in {dotted((a.name,))}" for a in arrays if not a.misfit)
    raise DataError(path, f"the arrays differ in how many rows they have: {rows}")


def _are_even(arrays: Sequence[_Array]) -> bool:
    return len({array.shape[0] for array in arrays if not array.misfit}) < 2


def _column(array: _Array) -> Column:
    """All values of an array, looked at."""
    import numpy as np

    if array.misfit:
        return Column(array.name, misfit=array.misfit)
    name, dtype, (_, *shape) = array.name, array.dtype, array.shape
    is_float = dtype.kind == "f"
    tally, low, high, is_whole = Tally(), math.inf, -math.inf, True
    for values in _pieces(array):
        if is_float:
            with np.errstate(over="ignore"):
                bad = values[~np.isfinite(values.astype(np.float32))]
            if len(bad):
                return Column(name, misfit=f"holds {bad[0]}, beyond float32")
            is_whole = is_whole and bool((values == np.floor(values)).all())
        low, high = min(low, values.min().item()), max(high, values.max().item())
        if is_whole and not shape:
            each, rows = np.unique(values, return_counts=True)
            tally.add(dict(zip(map(int, each), rows.tolist(), strict=True)))
    wide = "float32" if is_float else "int64"
    return Column(
        name,
        dtype.name if dtype.name in BITS and dtype.name != "float64" else wide,
        tuple(shape),
        low=low,
        high=high,
        is_whole=is_whole,
        counts=tally.counts if is_whole and not shape else None,
        misfit=f"holds {high}, beyond int64" if high >= 2**63 and not is_float else "",
    )


def _pieces(array: _Array) -> "Iterator[np.ndarray[Any, Any]]":
    """All values in the order of the file."""
    import numpy as np

    left, size = math.prod(array.shape), array.dtype.itemsize
    with array.open() as stream:
        _head(stream)
        while left:
            piece = stream.read(min(left, _PIECE // size) * size)
            if not piece:
                raise EOFError("it ends too early")
            yield np.frombuffer(piece, array.dtype)
            left -= len(piece) // size


def _head(stream: IO[bytes]) -> tuple[tuple[int, ...], "np.dtype[Any]"]:
    """The shape and the dtype of an array, which stand before its values."""
    import numpy as np

    read = np.lib.format.read_array_header_1_0
    if np.lib.format.read_magic(stream) != (1, 0):
        read = np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    return shape, dtype
