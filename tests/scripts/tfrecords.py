"""TFRecord files for tests, and projects that read them; what their data modules store."""

import gzip
import zlib
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import HOW, TINY, Project, Spec, changed, load, make
from running import call
from sessions import EACH_TARGET

CODECS = {"none": "", "gzip": "GZIP", "zlib": "ZLIB"}
# Rows of two numbers, from which their id follows, and a label.
CLASSES = 4
SPEC: Spec = changed(
    TINY,
    {
        "name": "examples",
        "source": {"kind": "tfrecord", "path": None, "pattern": "../data/*.tfrecord"},
        "placeholders": {"x": {"dtype": "int32", "shape": [2]}, "label": {"classes": CLASSES}},
        "variants": {name: HOW[name] for name in EACH_TARGET},
    },
)

Row = Mapping[str, Any]


def row(number: int) -> dict[str, Any]:
    return {"x": [number, 7 * number + 1], "label": number**2 % CLASSES}


def rows(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [row(number) for number in range(first, first + count)]


def feature(value: Any) -> tf.train.Feature:
    """Bytes and texts in bytes_list, floats in float_list, integers in int64_list."""
    values = value if isinstance(value, list) else [value]
    if isinstance(value, np.ndarray):
        values = value.ravel().tolist()
        if value.dtype.kind == "f":
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    values = [each.encode() if isinstance(each, str) else each for each in values]
    if values and isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if values and isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(row: Row) -> bytes:
    """A serialized Example; a value may be a feature already."""
    features = {
        key: value if isinstance(value, tf.train.Feature) else feature(value)
        for key, value in row.items()
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def write(path: Path, rows: Iterable[Row | bytes], compression: str = "none") -> Path:
    """A file of Examples; what is bytes already is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tf.io.TFRecordWriter(str(path), CODECS[compression]) as writer:
        for each in rows:
            writer.write(each if isinstance(each, bytes) else example(each))
    return path


def write_files(folder: Path, counts: Iterable[int], compression: str = "none") -> list[Path]:
    """Files of so many rows, whose ids go on from one to the next."""
    paths, first = [], 0
    for number, count in enumerate(counts):
        path = folder / "data" / f"{number}.tfrecord"
        paths.append(write(path, rows(count, first), compression))
        first += count
    return paths


def framed(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Where each record of a file begins, and its data."""
    start = 0
    while start < len(content):
        size = int.from_bytes(content[start : start + 8], "little")
        yield start, content[start + 12 : start + 12 + size]
        start += size + 16


def inflated(path: Path, compression: str) -> bytes:
    content = path.read_bytes()
    return {"none": bytes, "gzip": gzip.decompress, "zlib": zlib.decompress}[compression](content)


class Prepared:
    """The data module of a spec in a folder of its own, and what it says and stores there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], *changes: Spec) -> None:
        self.folder, self.capsys = folder, capsys
        self.project: Project = make(folder, changed(SPEC, *changes))
        self.module: ModuleType = load(self.project.script("data"))
        (folder / "specs").mkdir(exist_ok=True)
        (folder / "data").mkdir(exist_ok=True)

    def shown(self, name: str) -> str:
        """The path of a source file as messages have it."""
        return f"{self.folder}/data/{name}"

    def prepare(self, *argv: str) -> tuple[int, str]:
        """Exit status, and what is on stderr."""
        self.capsys.readouterr()
        status = call(self.module, ["--records", str(self.project.records), *argv])
        return status, self.capsys.readouterr().err

    def records(self, *argv: str) -> Any:
        status, errors = self.prepare(*argv)
        assert status == 0, errors
        return prepared(self.project, self.module)

    def stored(self, *argv: str) -> dict[str, np.ndarray]:
        """The columns of all parts, by the ids of the rows."""
        records = self.records(*argv)
        batches = [batch for part in records.parts for batch in records.read_part(part, 8, 2)]
        columns = self.module.Batch(*map(np.concatenate, zip(*batches, strict=True)))
        order = np.argsort(columns.row_id)
        return {name: values[order] for name, values in columns._asdict().items()}


def prepared(project: Project, data: ModuleType) -> Any:
    options = Namespace(records=str(project.records), source=data.SOURCE, fresh=False)
    return data.prepare(options, data.StopSignals())
