"""TFRecord files, each record a tf.train.Example."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from specgen.survey.found import Column, DataError, Source, Tally, words
from specgen.survey.images import image_column
from specgen.survey.pictures import Size, size_of
from specgen.survey.records import RecordError, Values, features_of, records, tensor_of

_LONGEST_TEXT = 100  # bytes; what is longer is no name of a class


def survey_examples(path: Path, files: Sequence[Path], section: Mapping[str, object]) -> Source:
    """The features of all records; one that some records lack is missing there."""
    found: dict[str, dict[str, _Numbers | _Bytes]] = {}
    rows = 0
    for features in (features for file in files for features in _features(file)):
        rows += 1
        for name, (kind, values) in features.items():
            known = found.setdefault(name, {})
            if kind not in known:
                known[kind] = _Bytes() if kind == "bytes_list" else _Numbers(kind)
            known[kind].add(values)
    # The map of a protobuf has no order of its own.
    columns = [_column(name, found[name], rows) for name in sorted(found)]
    return Source(path, section, rows, [_with_sizes(column, columns) for column in columns])


def _features(path: Path) -> Iterator[Mapping[str, tuple[str, Values]]]:
    number = 0
    try:
        for record in records(path):
            features = features_of(record)
            if not features:
                raise DataError(path, f"record {number} is no tf.train.Example with features")
            yield features
            number += 1
    except RecordError:
        why = "this is no TFRecord file, and no .npz, .npy or .csv by its name"
        raise DataError(path, f"record {number} is damaged" if number else why) from None


def _column(name: str, kinds: Mapping[str, "_Numbers | _Bytes"], rows: int) -> Column:
    if len(kinds) > 1:
        return Column(name, misfit=f"is {' here and '.join(sorted(kinds))} there")
    (values,) = kinds.values()
    return values.column(name, rows - values.rows)


class _Numbers:
    """The values of an int64_list or a float_list, as far as they have been read."""

    def __init__(self, kind: str) -> None:
        self.dtype = "int64" if kind == "int64_list" else "float32"
        self.rows, self.lengths, self.tally = 0, set[int](), Tally()
        self.low, self.high, self.is_whole, self.is_finite = math.inf, -math.inf, True, True

    def add(self, values: Values) -> None:
        self.rows += 1
        self.lengths.add(len(values))
        self.low, self.high = min((self.low, *values)), max((self.high, *values))
        if self.dtype == "float32":
            self.is_finite = self.is_finite and math.isfinite(sum(values))
            self.is_whole = self.is_whole and len(values) == 1 and values[0].is_integer()
        if self.is_whole and len(values) == 1:
            self.tally.add((int(values[0]),))

    def column(self, name: str, missing: int) -> Column:
        shortest, longest = min(self.lengths), max(self.lengths)
        misfit = "" if self.is_finite else "holds numbers that are not finite"
        is_fixed, is_scalar = shortest == longest, shortest == longest == 1
        return Column(
            name,
            self.dtype,
            () if is_scalar else (longest if is_fixed else None,),
            low=self.low,
            high=self.high,
            is_whole=self.is_whole,
            counts=self.tally.counts if is_scalar and self.is_whole else None,
            missing=missing,
            longest=longest,
            misfit=misfit if longest else "is empty",
        )


class _Bytes:
    """The values of a bytes_list, as far as they have been read, and what each could be."""

    def __init__(self) -> None:
        self.rows, self.high, self.lengths, self.tally = 0, 0, set[int](), Tally()
        self.are_single = self.are_texts = True
        self.sizes = Counter[Size]()
        self.tensors = set[tuple[str, tuple[int, ...]] | None]()

    def add(self, values: Values) -> None:
        self.rows += 1
        self.are_single = self.are_single and len(values) == 1
        if not self.are_single:
            return
        if size := size_of(values[0]):
            self.sizes[size] += 1
            return
        self.lengths.add(len(values[0]))
        self.high = max(self.high, max(values[0], default=0))
        if None not in self.tensors:
            self.tensors.add(tensor_of(values[0]))
        if self.are_texts:
            text = values[0][: _LONGEST_TEXT + 1].decode("utf-8", "replace")
            self.are_texts = len(values[0]) <= _LONGEST_TEXT and text.isprintable()
            self.are_texts = self.are_texts and "\ufffd" not in text
            self.tally.add((text,))

    def column(self, name: str, missing: int) -> Column:
        if not self.are_single:
            return Column(name, misfit="holds several byte strings in a record")
        if self.sizes:
            others = missing + self.rows - self.sizes.total()
            misfit = f"holds no image in {others} of the records" if others else ""
            return Column(name, misfit=misfit) if misfit else image_column(name, self.sizes)
        if self.are_texts:
            missing += self.tally.counts[""] if self.tally.counts else 0
            return Column(name, counts=self.tally.without([""]), missing=missing)
        if missing or len(self.lengths) > 1:
            return Column(name, misfit="holds bytes of different lengths")
        if len(self.tensors) == 1 and (tensor := self.tensors.pop()):
            dtype, shape = tensor
            return Column(name, dtype, shape, "tensor", high=255)
        note = "a guess: its bytes, which are no image, are uint8"
        return Column(name, "uint8", (*self.lengths,), high=self.high, is_whole=True, note=note)


def _with_sizes(column: Column, columns: Sequence[Column]) -> Column:
    """Bytes in the shape that other features say in each record, such as height and width."""
    same = (each for each in columns if each.is_whole and each.counts and len(each.counts) == 1)
    said = {words(each.name)[-1]: int(each.high) for each in same if words(each.name)}
    shape = tuple(said[word] for word in ("height", "width", "depth", "channels") if word in said)
    fits = column.note and column.encoding == "raw" and (math.prod(shape),) == column.shape
    return replace(column, shape=shape) if fits else column
