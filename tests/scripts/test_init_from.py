"""What `specgen init --from` writes builds, and the script trains, as it is."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import load
from running import Run, call
from specgen.dtypes import BITS
from specgen.survey.records import features_of, records, tensor_of
from support import run

ROWS = 60
IDS = np.arange(ROWS)
PIXELS = (np.outer(IDS, np.arange(1, 17)) % 17).reshape(ROWS, 4, 4).astype("uint8")
X = np.outer(IDS + 1, [0.5, 1.5, 2.5])

Features = Mapping[str, Any]


def npz(**arrays: Any) -> Callable[[], str]:
    def make() -> str:
        np.savez("data/rows.npz", **arrays)
        return "data/rows.npz"

    return make


def npy(**arrays: Any) -> Callable[[], str]:
    def make() -> str:
        for name, array in arrays.items():
            np.save(f"data/{name}.npy", array)
        return "data"

    return make


def csv(*lines: str) -> Callable[[], str]:
    def make() -> str:
        Path("data/rows.csv").write_text("\n".join(lines), "utf-8")
        return "data/rows.csv"

    return make


def pictures(*sizes: tuple[int, int]) -> Callable[[], str]:
    """Two classes of images of these sizes, in turn."""

    def make() -> str:
        for row in range(ROWS):
            path = Path(f"data/pictures/{'ants' if row % 3 else 'bees'}/{row}.jpg")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(photo(*sizes[row % len(sizes)], row))
        return "data/pictures"

    return make


def listed_pictures() -> str:
    """Images of several sizes that a table names, with the class of each and a number."""
    pictures((8, 9), (30, 7))()
    files = sorted(Path("data/pictures").rglob("*.jpg"))
    rows = [f"pictures/{path.parent.name}/{path.name},{path.parent.name},7" for path in files]
    return csv("path,kind,x", *rows)()


def photo(height: int, width: int, row: int) -> bytes:
    pixels = tf.fill((height, width, 3), tf.cast(row, tf.uint8))
    return (tf.io.encode_jpeg if row % 2 else tf.io.encode_png)(pixels).numpy()


def feature(values: Any) -> tf.train.Feature:
    """A list of integers, floats or bytes, or one of them."""
    values = values if isinstance(values, list) else [values]
    if not values:
        return tf.train.Feature(float_list=tf.train.FloatList())
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def write_examples(path: str, rows: Iterable[Features], compression: str = "") -> None:
    with tf.io.TFRecordWriter(path, compression) as writer:
        for row in rows:
            features = tf.train.Features(feature={name: feature(row[name]) for name in row})
            writer.write(tf.train.Example(features=features).SerializeToString())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    return tmp_path


# Data of all kinds, that a first spec has to bring to the end of a training.
DATA: dict[str, Callable[[], str]] = {
    "classes of an .npz": npz(image=PIXELS, label=IDS % 3),
    "numbers of an .npz": npz(x=X, y=IDS / 7),
    "one whole number in and one out": npz(a=IDS * 3, b=IDS * 50 - 1000),
    "arrays in files of their own": npy(images=PIXELS, labels=IDS % 3),
    "bools": npz(x=PIXELS > 8, y=IDS % 2 == 0),
    "classes without rows": npz(x=PIXELS / 1.0, y=IDS % 2 + 3),
    "three rows": npz(x=X[:3], y=IDS[:3]),
    "texts of a table, with missing values and large whole numbers": csv(
        "\ufeffa, b,c d,species",
        *(
            f"{['', 'NA', ' 2.5'][row % 3]},{2**30 + row},{row}, {'no' if row % 2 else 'é'}"
            for row in IDS
        ),
    ),
    "a table without names, with classes from 1": csv(
        *(f"{row};-{row}e-3;{row % 3 + 1}" for row in IDS),
    ),
    "pixels of a table": csv(
        ",".join(map(str, range(1, 17))) + ",label",
        *(",".join(map(str, PIXELS[row].ravel())) + f",{row % 2}" for row in IDS),
    ),
    "images of one size": pictures((8, 9)),
    "images of several sizes": pictures((8, 9), (30, 7), (8, 200)),
    "images that a table names": listed_pictures,
    "numbers of a table": csv("x\ty", *(f"{row}\t{row / 7}" for row in IDS)),
}


@pytest.mark.parametrize("case", DATA)
def test_a_first_spec_trains_as_it_is(case: str) -> None:
    trains(DATA[case]())


def trains(path: str) -> None:
    assert run("init", "it", "--from", path)[0::2] == (0, "")
    assert run("build")[0::2] == (0, "")
    assert call(load(Path("generated/it.py").absolute()), ["--epochs", "1"]) == 0
    report = Run(Path("runs/it/default")).report
    assert report["rows_trained"] == report["splits"]["train"] > 0
    assert np.isfinite(report["train_loss"])


# -- TFRecord files, which init reads without TensorFlow ------------------------------------------

NUMBERS = [0, 1, 127, 128, 300, 2**31, 2**63 - 1, -1, -(2**63)]
FLOATS = [0.0, -1.5, 3.4e38, 1e-45, math.inf]
TEXTS = [b"", b"\0\xff", "\u00e9".encode()]


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_are_read_as_tensorflow_writes_them(compression: str) -> None:
    rows: list[Features] = [
        {"i": NUMBERS, "f": FLOATS, "b": TEXTS, "d\u00e9j\u00e0 vu": 7},
        {"i": list(range(1000)), "f": [0.5], "b": [bytes(200_000)]},
    ]
    write_examples("data/rows", rows, compression)
    found = [features_of(record) for record in records(Path("data/rows"))]
    assert [sorted(each) for each in found] == [sorted(row) for row in rows]
    for row, features in zip(rows, found, strict=True):
        for name, (_, values) in features.items():
            expected = row[name] if isinstance(row[name], list) else [row[name]]
            exact = np.float32(expected) if name == "f" else expected
            assert list(values) == list(exact)
    assert [features_of(memoryview(b"")), features_of(memoryview(b"hello"))] == [{}, {}]


def message(number: int, *parts: bytes) -> bytes:
    """A short field of a protobuf."""
    content = b"".join(parts)
    return bytes([number << 3 | 2, len(content)]) + content


def test_numbers_that_stand_one_by_one_are_read_too() -> None:
    integers = message(3, b"\x08\x05", b"\x08\xac\x02")
    floats = message(2, b"\x0d" + np.float32(0.5).tobytes())
    entries = [
        message(1, message(1, b"i"), message(2, integers)),
        message(1, message(2, floats), message(1, b"f")),
    ]
    record = message(1, *entries)
    assert features_of(memoryview(record)) == {
        "i": ("int64_list", [5, 300]),
        "f": ("float_list", [0.5]),
    }
    assert set(tf.train.Example.FromString(record).features.feature) == {"i", "f"}


@pytest.mark.parametrize("dtype", sorted(BITS))
def test_serialized_tensors_are_known(dtype: str) -> None:
    value = tf.io.serialize_tensor(tf.cast(tf.reshape(tf.range(6), (1, 2, 3)), dtype)).numpy()
    assert tensor_of(value) == (dtype, (1, 2, 3))
    assert tensor_of(value[:-1]) is None
    assert tensor_of(tf.io.serialize_tensor(tf.constant(["text"])).numpy()) is None


THREE = "splits: {method: stratified, parts: {train: 0.8, validation: 0.1, test: 0.1}}\n"

# The features of each row, and the placeholders that they make.
EXAMPLES: dict[str, tuple[Callable[[int], Features], str]] = {
    "lists that may be empty": (
        lambda row: {"x": [0.5] * (row % 6), "label": row % 3},
        """\
  # a guess: the input
  # a guess: rows are padded to the longest one
  x: {dtype: float32, shape: [null], pad: {length: 5}}
  # a guess: the label, by its name
  # rows in each class: 20
  label: {dtype: int64, role: label, classes: 3}
""",
    ),
    "encoded images": (
        lambda row: {
            "image/encoded": photo(20 + row % 3, 500, row),
            "image/class/label": row % 3 + 1,
            "image/class/text": [b"cat", b"cow", b"dog"][row % 3],
            "image/height": 20 + row % 3,
        },
        """\
  # a guess: the input
  # a guess: the size, for images with a height of 20 to 22 and a width of 500
  image/encoded:
    dtype: uint8
    shape: [21, 128, 3]
    scale: 0.00392156862745098
    encoding: image
    image: {resize: [21, 128]}
  # a guess: the label, by its name
  # its 3 values, 1 to 3, are not 0 to 2: map them, or some classes have no rows
  # rows in each class: 20
  image/class/label: {dtype: int64, role: label, classes: 4}
  # left out (holds texts): "image/class/text"
  # left out (layers take one input): "image/height"
""",
    ),
    "raw bytes": (
        lambda row: {
            "image_raw": bytes(PIXELS[row].tobytes()),
            "height": 4,
            "width": 4,
            "label": row % 3,
        },
        """\
  # a guess: the input
  # a guess: its bytes, which are no image, are uint8
  # a guess: 16 is the largest value
  image_raw: {dtype: uint8, shape: [4, 4], scale: 0.0625}
  # a guess: the label, by its name
  # rows in each class: 20
  label: {dtype: int64, role: label, classes: 3}
  # left out (layers take one input): height and width
""",
    ),
    "lists that differ in length": (
        lambda row: {"tokens": [5] * (row % 8 + 1), "target": row / 7},
        """\
  # a guess: the input
  # a guess: rows are padded to the longest one
  tokens: {dtype: int64, shape: [null], pad: {length: 8}}
  # a guess: the label, by its name
  target: {dtype: float32, role: label}
""",
    ),
    "texts as the label": (
        lambda row: {
            "t": tf.io.serialize_tensor(tf.fill((3, 2), row / 7)).numpy(),
            "name": [b"a", b"b"][row % 2],
            "file": b"%d.png" % row,
        },
        """\
  # a guess: the input
  t: {dtype: float32, shape: [3, 2], encoding: tensor}
  # a guess: the label, the last column with few values
  # rows in each class: 30
  name: {dtype: int64, role: label, encoding: text, vocabulary: [a, b], classes: 2}
  # left out (holds texts): file
""",
    ),
    "features that some records lack": (
        lambda row: {"label": row % 2, **({"x": [0.5, 1.5, 2.5]} if row % 3 else {})},
        """\
  # a guess: the input
  # a guess: 0 for a missing value, in 20 rows
  x: {dtype: float32, shape: [3], default: 0}
  # a guess: the label, by its name
  # rows in each class: 30
  label: {dtype: int64, role: label, classes: 2}
""",
    ),
    "what no placeholder can hold": (
        lambda row: {
            "x": [row, 300],
            "y": float(row % 2),
            "bytes": bytes(row + 101),
            "mixed": 1 if row % 2 else 1.0,
            "two": [b"a", b"b"],
            "nan": math.nan,
            "some": photo(2, 2, 1) if row else b"",
        },
        """\
  # a guess: the input
  x: {dtype: int64, shape: [2]}
  # a guess: the label, by its name
  # rows in each class: 30
  "y": {dtype: int64, role: label, classes: 2}
  # left out (holds bytes of different lengths): bytes
  # left out (is float_list here and int64_list there): mixed
  # left out (holds numbers that are not finite): nan
  # left out (holds no image in 1 of the records): some
  # left out (holds several byte strings in a record): two
""",
    ),
}


@pytest.mark.parametrize("case", EXAMPLES)
def test_what_is_guessed_of_examples_with(case: str) -> None:
    features, expected = EXAMPLES[case]
    write_examples("data/rows.bin", map(features, range(ROWS)))
    assert run("init", "it", "--from", "data/rows.bin")[0::2] == (0, "")
    text = Path("specs/it.yaml").read_text("utf-8")
    assert "\nsource: {kind: tfrecord, path: ../data/rows.bin}\n" in text
    assert text.split("placeholders:\n")[1].split("\n\n")[0] + "\n" == expected


@pytest.mark.parametrize("case", EXAMPLES)
def test_a_first_spec_trains_on_examples_with(case: str) -> None:
    features, _ = EXAMPLES[case]
    write_examples("data/rows.bin", map(features, range(ROWS)))
    trains("data/rows.bin")


@pytest.mark.parametrize(
    ("path", "pattern", "name"),
    [
        ("data", "../data/*-of-[0-9]*", "data_set"),
        ("data/*-of-*", "../data/*-of-*", "data_set"),
        ("data/train-*", "../data/train-*", "train"),
        ("data/[e]", "../data/[[]e]/*.tfrec*", "e"),
    ],
)
def test_records_in_several_files(path: str, pattern: str, name: str) -> None:
    Path("data/[e]").mkdir()
    names = ["train-0-of-2", "train-1-of-2", "[e]/a.tfrecord", "[e]/b.tfrecords"]
    for file, compression in zip(names, ["", "GZIP"] * 2, strict=True):
        rows = ({"x": float(row), "y": row % 2} for row in range(10))
        write_examples(f"data/{file}", rows, compression)
    assert run("init", "--from", path)[0::2] == (0, "")
    text = Path(f"specs/{name}.yaml").read_text("utf-8")
    assert f'\nsource: {{kind: tfrecord, pattern: "{pattern}"}}\n' in text
    assert "# rows in each class: 10\n" in text


def no_example() -> None:
    with tf.io.TFRecordWriter("data/rows") as writer:
        writer.write(b"hello")


def damaged(keep: int) -> Callable[[], None]:
    """One byte behind those that are kept is another one."""

    def make() -> None:
        write_examples("data/rows", ({"x": row} for row in range(20)))
        content = Path("data/rows").read_bytes()
        Path("data/rows").write_bytes(
            content[:keep] + bytes([content[keep] ^ 1]) + content[keep + 1 :]
        )

    return make


NO_RECORDS = "this is no TFRecord file, and no .npz, .npy or .csv by its name"
REFUSED: dict[str, tuple[Callable[[], None], str]] = {
    "a record of something else": (no_example, "record 0 is no tf.train.Example with features"),
    "a damaged length": (damaged(30 * 8 + 3), "record 8 is damaged"),
    "the first length damaged": (
        damaged(3),
        NO_RECORDS,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    make, message = REFUSED[case]
    make()
    assert run("init", "--from", "data/rows") == (2, "", f"data/rows: error SG406: {message}\n")


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_a_compressed_file_that_is_cut_off_is_never_taken_for_a_whole_one(compression: str) -> None:
    write_examples("data/rows", ({"x": row, "y": row % 2} for row in range(50)), compression)
    content = Path("data/rows").read_bytes()
    said = set()
    for size in range(1, len(content)):
        Path("data/rows").write_bytes(content[:size])
        status, _, errors = run("init", "--from", "data/rows")
        said.add((status, re.sub(r"record [0-9]+", "record N", errors)))
    assert said == {
        (2, "data/rows: error SG406: record N is damaged\n"),
        (2, f"data/rows: error SG406: {NO_RECORDS}\n"),
    }
