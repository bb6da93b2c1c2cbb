"""`specgen init --from`: data on the disk in, a spec or one line out.

TFRecord files, and the training of what is written, are for tests/scripts/test_init_from.py.
"""

import os
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from specgen.apportion import largest_remainder
from specgen.chain import SpecFile, validate_spec
from specgen.document import dotted
from specgen.parse import parse
from specgen.survey import survey
from specgen.survey.found import Source
from specgen.survey.guess import Guess, Placeholder
from specgen.survey.starter import starter
from support import ROOT, files, run

ROWS = 60
IDS = np.arange(ROWS)
PIXELS = (np.outer(IDS, np.arange(1, 17)) % 17).reshape(ROWS, 4, 4).astype("uint8")
X = np.outer(IDS + 1, [0.5, 1.5, 2.5])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with data/ in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    return tmp_path


def table(*rows: Sequence[object], delimiter: str = ",") -> str:
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


def put(path: str, content: str | bytes) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def npz(**arrays: Any) -> Callable[[], None]:
    return lambda: np.savez("data/rows.npz", **arrays)


def csv(*rows: Sequence[object], delimiter: str = ",") -> Callable[[], None]:
    return lambda: put("data/rows.csv", table(*rows, delimiter=delimiter))


def jpeg(height: int, width: int, channels: int) -> bytes:
    """As much of a JPEG as says its size, behind long segments that do not."""
    segment = b"\xff\xe1" + struct.pack(">H", 40_000) + b"\xff\xc0" * 19_999
    frame = struct.pack(">HBHHB", 8 + 3 * channels, 8, height, width, channels)
    return b"\xff\xd8" + segment * 2 + b"\xff\xff\xc2" + frame


def png(height: int, width: int, kind: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">IIBB", width, height, 8, kind)


def gif(height: int, width: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def bmp(height: int, width: int) -> bytes:
    return b"BM" + bytes(12) + struct.pack("<Iii", 40, width, -height)


def images(**classes: Sequence[bytes]) -> Callable[[], None]:
    """A folder for each class, with files of all the names that images have."""

    def make() -> None:
        for name, contents in classes.items():
            for number, content in enumerate(contents):
                suffix = ("jpg", "JPEG", "png", "gif", "bmp")[number % 5]
                put(f"data/pictures/{name}/{number}.{suffix}", content)

    return make


def lists(*rows: str) -> Callable[[], None]:
    """A table of images, and one image that it may name."""

    def make() -> None:
        put("data/ants/0.jpg", gif(2, 3))
        put("data.csv", "\n".join(["path,kind", *rows, ""]))

    return make


def npy(**arrays: Any) -> Callable[[], None]:
    def make() -> None:
        for name, array in arrays.items():
            np.save(f"data/{name}.npy", array)

    return make


def written(path: str) -> str:
    """The spec that init writes for data; nothing is wrong with it."""
    Path("specs/it.yaml").unlink(missing_ok=True)
    status, out, errors = run("init", "it", "--from", path)
    assert (status, out.splitlines()[0], errors) == (0, "wrote specs/it.yaml", "")
    content = Path("specs/it.yaml").read_bytes()
    found = validate_spec(SpecFile("it.yaml", content, Path("/generated"), "../specs/it.yaml"))
    assert found.diagnostics == ()
    assert max(map(len, content.decode("utf-8").splitlines())) <= 100
    return content.decode("utf-8")


def said(text: str) -> dict[str, Any]:
    document, found = parse(text.encode("utf-8"), "it.yaml")
    assert document is not None
    assert found == []
    return document.data


def middle(text: str) -> str:
    """What stands between the name and the model, without the comments that every spec has."""
    lines = text.split("name: it\n\n")[1].split("\nmodel:")[0].splitlines()
    standing = ("# One for each column", "# The same rows", "# The last layer")
    return "".join(f"{line}\n" for line in lines if line and not line.startswith(standing))


def test_a_spec_is_written_with_what_is_guessed_marked() -> None:
    np.savez("data/digits.npz", image=PIXELS, label=IDS % 3)
    assert run("init", "--from", "data/digits.npz") == (
        0,
        "wrote specs/digits.yaml\nwrote specs/specgen.schema.json\n",
        "",
    )
    assert Path("specs/digits.yaml").read_text("utf-8") == """\
# yaml-language-server: $schema=specgen.schema.json
#
# What is learned and from which rows comes first, how the bytes reach the device last.
# `specgen plan` shows the value of every key that is not said here.

specgen: 1
name: digits

source: {kind: npz, path: ../data/digits.npz}

# One for each column of the source that is used. On the device, an input becomes x * scale.
placeholders:
  # a guess: the input
  # a guess: 16 is the largest value
  image: {dtype: uint8, shape: [4, 4], scale: 0.0625}
  # a guess: the label, by its name
  # rows in each class: 20
  label: {dtype: int64, role: label, classes: 3}

# The same rows go to the same part in every run; stratified keeps the share of each label.
splits: {method: stratified, parts: {train: 0.8, validation: 0.1, test: 0.1}}

# The last layer gives logits: one number for each class, without a softmax.
model:
  layers:
    - flatten
    - dense: {units: 64, activation: relu}
    - dense: {units: 3}

train:
  batch_size: 64
  epochs: 5
  optimizer: {name: adam, learning_rate: 0.001}
  loss: sparse_categorical_crossentropy
  metrics: [accuracy]

# From here on nothing changes what is learned, only how fast. two_variable: one batch is trained on
# in device memory while the next one is copied beside it.
target: tf2
buffers: {method: two_variable}
"""


def test_a_label_of_numbers_is_regressed() -> None:
    np.savez("data/rows.npz", x=X, y=IDS / 7)
    text = written("data/rows.npz")
    assert middle(text) == """\
source: {kind: npz, path: ../data/rows.npz}
placeholders:
  # a guess: the input
  x: {dtype: float32, shape: [3]}
  # a guess: the label, by its name
  "y": {dtype: float32, role: label}
splits: {method: even, parts: {train: 0.8, validation: 0.1, test: 0.1}}
"""
    assert said(text)["model"] == {
        "layers": [{"dense": {"units": 64, "activation": "relu"}}, {"dense": {"units": 1}}]
    }
    assert said(text)["train"]["loss"] == "mse"
    assert "metrics" not in said(text)["train"]


THREE = "splits: {method: stratified, parts: {train: 0.8, validation: 0.1, test: 0.1}}\n"
EVEN = THREE.replace("stratified", "even")
KINDS = ["a" if row % 3 else "b" for row in IDS]

# Data, the path that init is given, and what it makes of them.
SPECS: dict[str, tuple[Callable[[], None], str, str]] = {
    "bytes stored as larger numbers": (
        npz(pixels=PIXELS * 15.0, labels=IDS % 2 == 0),
        "data/rows.npz",
        """\
source: {kind: npz, path: ../data/rows.npz}
placeholders:
  # a guess: the input
  # a guess: 255 is the largest value
  pixels: {dtype: uint8, shape: [4, 4], scale: 0.00392156862745098}
  # a guess: the label, by its name
  # rows in each class: 30
  labels: {dtype: int64, role: label, classes: 2}
""" + THREE,
    ),
    "labels that do not count from 0": (
        npz(X=X.astype("float16"), class_label=IDS % 3 + 2.0),
        "data/rows.npz",
        """\
source: {kind: npz, path: ../data/rows.npz}
placeholders:
  # a guess: the input
  X: {dtype: float16, shape: [3]}
  # a guess: the label, by its name
  # its 3 values, 2 to 4, are not 0 to 2: map them, or some classes have no rows
  # rows in each class: 20
  class_label: {dtype: int64, role: label, classes: 5}
""" + THREE,
    ),
    "a label without a name that says so": (
        npz(small=IDS * 1.0, wide=X, kind=IDS % 4, later=IDS * 0.3, idx=IDS, texts=KINDS, one=7),
        "data/rows.npz",
        """\
source: {kind: npz, path: ../data/rows.npz}
placeholders:
  # a guess: the input
  wide: {dtype: float32, shape: [3]}
  # a guess: the label, the last column with few values
  # rows in each class: 15
  kind: {dtype: int64, role: label, classes: 4}
  # left out (numbers the rows): idx
  # left out (holds texts): texts
  # left out (is a single value): one
  # left out (layers take one input): small and later
""" + THREE,
    ),
    "one number in and one out": (
        npz(a=IDS * 0.5, b=IDS * 0.3),
        "data/rows.npz",
        """\
source: {kind: npz, path: ../data/rows.npz}
placeholders:
  # a guess: the input
  a: {dtype: float32}
  # a guess: the label, the last column with one number
  b: {dtype: float32, role: label}
""" + EVEN,
    ),
    "a set that is divided already": (
        npz(x_train=PIXELS, y_train=IDS % 2, x_test=PIXELS[:9], y_test=IDS[:9] % 2),
        "data/rows.npz",
        """\
# left out: x_test and y_test; `splits` divides the rows for training
source: {kind: npz, path: ../data/rows.npz}
placeholders:
  # a guess: the input
  # a guess: 16 is the largest value
  x_train: {dtype: uint8, shape: [4, 4], scale: 0.0625}
  # a guess: the label, by its name
  # rows in each class: 30
  y_train: {dtype: int64, role: label, classes: 2}
""" + THREE,
    ),
    "arrays in files of their own": (
        npy(train_images=PIXELS, train_labels=IDS % 2, more=X),
        "data/train_images.npy",
        """\
source:
  kind: npz
  arrays: {train_images: ../data/train_images.npy, train_labels: ../data/train_labels.npy}
placeholders:
  # a guess: the input
  # a guess: 16 is the largest value
  train_images: {dtype: uint8, shape: [4, 4], scale: 0.0625}
  # a guess: the label, by its name
  # rows in each class: 30
  train_labels: {dtype: int64, role: label, classes: 2}
  # left out (layers take one input): more
""" + THREE,
    ),
    "two rows, too large for the usual record": (
        npz(x=np.zeros((2, 1 << 21)), y=IDS[:2]),
        "data/rows.npz",
        """\
source: {kind: npz, path: ../data/rows.npz}
placeholders:
  # a guess: the input
  x: {dtype: float32, shape: [2097152]}
  # a guess: the label, by its name
  # rows in each class: 1
  "y": {dtype: int64, role: label, classes: 2}
splits: {method: even, parts: {train: 1.0}}
records: {rows_per_record: 31}
""",
    ),
    "a table with texts as the label": (
        csv(
            ("id", "length", "width", "note", "species"),
            *((row, row / 7, row % 7, f"n{row}", KINDS[row]) for row in IDS),
        ),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv}
placeholders:
  # a guess: the input, all other columns of numbers
  x: {dtype: float32, shape: [2], columns: [length, width]}
  # a guess: the label, by its name
  # rows in each class: 20 to 40
  species: {dtype: int64, role: label, encoding: text, vocabulary: [a, b], classes: 2}
  # left out (numbers the rows): id
  # left out (holds texts): note
""" + THREE,
    ),
    "a table without names": (
        csv(*((row / 7, f"{row % 5:02}", KINDS[row]) for row in IDS), delimiter=";"),
        "data/rows.csv",
        """\
# a guess: the first line is a row
source: {kind: csv, path: ../data/rows.csv, header: false, delimiter: ";"}
placeholders:
  # a guess: the input, all other columns of numbers
  x: {dtype: float32, shape: [2], columns: ["0", "1"]}
  # a guess: the label, the last column with few values
  # rows in each class: 20 to 40
  "2": {dtype: int64, role: label, encoding: text, vocabulary: [a, b], classes: 2}
""" + THREE,
    ),
    "a table with missing values": (
        csv(
            ("age", "fare", "none", "", "class"),
            *((["", "NA", 3][row % 3], row / 7 if row else "", "", row, row % 2) for row in IDS),
        ),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv, missing: ["", NA]}
placeholders:
  # a guess: the input, all other columns of numbers
  # a guess: 0 for a missing value, 40 in age and 1 in fare
  x: {dtype: float32, shape: [2], default: 0, columns: [age, fare]}
  # a guess: the label, by its name
  # rows in each class: 30
  class: {dtype: int64, role: label, classes: 2}
  # left out (is empty): none
  # left out (has no name): ""
""" + THREE,
    ),
    "a table with spaces and large whole numbers": (
        csv(
            (" a", "b", "label"),
            *((" ", 2**24 + 2 * row + 1, f" {row % 2}") for row in IDS[:9]),
            *((" .5", -3, f" {row % 2}") for row in IDS),
        ),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv, missing: ["", " "]}
placeholders:
  # a guess: the input, all other columns of numbers
  # a guess: 0 for a missing value, 9 in " a"
  x: {dtype: float64, shape: [2], default: 0, columns: [" a", b]}
  # a guess: the label, by its name
  # rows in each class: 34 to 35
  label: {dtype: int64, role: label, classes: 2}
""" + THREE,
    ),
    "a table of which a part is missing, behind a mark of its encoding": (
        lambda: put(
            "data/rows.csv",
            "\ufeff"
            + table(
                ("fare", "kind", "age", "deck"),
                *((row / 7, row % 4, row * 9, ["", "A", "B"][row % 3]) for row in IDS),
            ),
        ),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv}
placeholders:
  # a guess: the input, all other columns of numbers
  x: {dtype: float32, shape: [2], columns: [fare, age]}
  # a guess: the label, the last column with few values
  # rows in each class: 15
  kind: {dtype: int64, role: label, classes: 4}
  # left out (holds texts): deck
""" + THREE,
    ),
    "a long table": (
        csv(
            ("x", "y", "text"),
            *((row / 7, row % 3, f"{row},{row}") for row in range(12_000)),
            delimiter=";",
        ),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv, delimiter: ";"}
placeholders:
  # a guess: the input, all other columns of numbers
  x: {dtype: float32, shape: [1], columns: [x]}
  # a guess: the label, by its name
  # rows in each class: 4000
  "y": {dtype: int64, role: label, classes: 3}
  # left out (holds texts): text
""" + THREE,
    ),
    "a table with labels from 1": (
        csv(("target", "x"), *((row % 11 + 1, row / 7) for row in IDS), delimiter="\t"),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv, delimiter: "\\t"}
placeholders:
  # a guess: the input, all other columns of numbers
  x: {dtype: float32, shape: [1], columns: [x]}
  # a guess: the label, by its name
  # rows in each class: 5 to 6
  target:
    dtype: int64
    role: label
    encoding: text
    vocabulary: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]
    classes: 11
""" + EVEN,
    ),
    "a table of pixels": (
        csv(
            ["label", *(f"p{number}" for number in range(16))],
            *((row % 2, *PIXELS[row].ravel()) for row in IDS),
        ),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv}
placeholders:
  # a guess: the input, all other columns of numbers
  # a guess: 16 is the largest value
  x:
    dtype: uint8
    shape: [16]
    scale: 0.0625
    columns: [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15]
  # a guess: the label, by its name
  # rows in each class: 30
  label: {dtype: int64, role: label, classes: 2}
""" + THREE,
    ),
    "a table of numbers alone": (
        csv(("x", "features"), *((row * 3, -row / 7) for row in IDS), delimiter="|"),
        "data/rows.csv",
        """\
# a guess: the first line names the columns
source: {kind: csv, path: ../data/rows.csv, delimiter: "|"}
placeholders:
  # a guess: the input, all other columns of numbers
  x: {dtype: float32, shape: [1], columns: [x]}
  # a guess: the label, the last column with one number
  features: {dtype: float32, role: label}
""" + EVEN,
    ),
    "images of several sizes": (
        images(
            bees=[jpeg(30, 40, 1), jpeg(31, 41, 1), png(30, 500, 0), gif(30, 40), bmp(30, 40)] * 2,
            ants=[jpeg(30, 40, 3), jpeg(29, 50, 3), png(30, 300, 2)] * 5,
        ),
        "data/pictures",
        """\
source: {kind: images, path: ../data/pictures}
placeholders:
  # a guess: the size, for images with a height of 29 to 31 and a width of 40 to 500
  image:
    dtype: uint8
    shape: [30, 41, 3]
    scale: 0.00392156862745098
    encoding: image
    image: {resize: [30, 41]}
  label: {dtype: int64, role: label, classes: 2}
""" + THREE,
    ),
    "grey images of one size": (
        images(**{f"class {number:02}": [jpeg(28, 28, 1), png(28, 28, 4)] for number in range(30)}),
        "data/pictures/",
        """\
source: {kind: images, path: ../data/pictures}
placeholders:
  image: {dtype: uint8, shape: [28, 28, 1], scale: 0.00392156862745098, encoding: image}
  label: {dtype: int64, role: label, classes: 30}
""" + EVEN,
    ),
}


@pytest.mark.parametrize("case", SPECS)
def test_what_is_guessed_of(case: str) -> None:
    make, path, expected = SPECS[case]
    make()
    assert middle(written(path)) == expected


def test_long_lists_are_wrapped_between_their_items() -> None:
    names = [f"a column, number {number}" for number in range(20)]
    put("data/rows.csv", table([*(f'"{name}"' for name in names), "price"], [0.5] * 21, [0.5] * 21))
    text = written("data/rows.csv")
    assert said(text)["placeholders"]["x"]["columns"] == names
    assert '\n       "a column, number 5"' in text or '\n       "a column, number 4"' in text


@pytest.mark.parametrize(
    ("rows", "size", "records", "shuffle"),
    [
        (8192, 131_056, None, None),
        (8192, 131_057, None, 2047),
        (10**6, 10**6, None, 268),
        (1024, 2**20 - 16, None, None),
        (1025, 2**20, 255, 255),
        (10, 2**31, 1, 1),
    ],
)
def test_wide_rows_are_held_in_small_numbers(
    rows: int, size: int, records: int | None, shuffle: int | None
) -> None:
    x = Placeholder("x", {"dtype": "uint8", "shape": [size]}, ())
    y = Placeholder("y", {"dtype": "int64", "role": "label"}, ())
    source = Source(Path(), {"kind": "npz", "path": "x.npz"}, rows, (), ())
    spec = said(starter("it", "", source, Guess(x, y, 1, (), {})))
    assert spec.get("records") == (records and {"rows_per_record": records})
    window = shuffle and {"kind": "window", "rows": shuffle}
    assert spec["train"].get("shuffle") == window


TEXTS = st.lists(st.text(min_size=1, max_size=70), min_size=2, max_size=9, unique=True)


@settings(deadline=None)
@given(texts=TEXTS)
@example(texts=["y", "no"])
@example(texts=["<<", "1e3", "~", "null", "# a", "- a", "{", "a: b", "\x85\u2028\U0001f600", "\\t"])
@example(texts=[" ", "\n  dtype: float64", "\0", "'", '"', "[1, 2]", "../a b", ".5", "0x1F"])
def test_any_text_comes_through(texts: list[str]) -> None:
    section = {"kind": "csv", "path": texts[0], "missing": texts}
    keys = {"dtype": "float32", "shape": [len(texts)], "columns": texts, "default": 0.25}
    label = {"dtype": "int64", "role": "label", "vocabulary": texts}
    notes = [f"a guess: {dotted((text,))}" for text in texts]
    found = Guess(
        Placeholder(texts[0], keys, notes), Placeholder(texts[1], label, ()), 2, (5, 4), {"": texts}
    )
    spec = said(starter("it", "schema.json", Source(Path(), section, 9, (), notes), found))
    assert spec["source"] == section
    assert spec["placeholders"] == {texts[0]: keys, texts[1]: label}


@settings(deadline=None)
@given(counts=st.lists(st.integers(1, 40), min_size=1, max_size=9), has_classes=st.booleans())
@example(counts=[1], has_classes=True)
@example(counts=[5] * 9, has_classes=True)
def test_no_part_is_without_rows(counts: list[int], has_classes: bool) -> None:
    rows, (x, y) = sum(counts), (Placeholder(name, {"dtype": "bool"}, ()) for name in "xy")
    found = Guess(x, y, 2, counts if has_classes else (), {})
    spec = said(starter("it", "", Source(Path(), {"kind": "npz"}, rows, (), ()), found))
    parts = list(spec["splits"]["parts"].values())
    groups = counts if spec["splits"]["method"] == "stratified" else [rows]
    dealt = [largest_remainder(group, parts) for group in groups]
    assert all(map(sum, zip(*dealt, strict=True)))
    assert len(parts) == 3 or rows < 10
    if has_classes and min(counts) >= 10:
        assert spec["splits"]["method"] == "stratified"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("data/My Data-2.v1.csv", "my_data_2"),
        ("data/data.csv", "data_set"),
        ("data/class.csv", "class_set"),
        ("data/numpy.csv", "numpy_set"),
        ("data/2019.csv", "field_2019"),
        ("data/na\u00efve.CSV", "naive"),
        ("data/here/../here.csv", "here"),
    ],
)
def test_a_spec_is_called_like_its_data(path: str, name: str) -> None:
    Path("data/here").mkdir()
    put(path, table(("x", "y"), (0.5, 0), (1.5, 1)))
    assert run("init", "--from", path) == (
        0,
        f"wrote specs/{name}.yaml\nwrote specs/specgen.schema.json\n",
        "",
    )
    spec = said(Path(f"specs/{name}.yaml").read_text("utf-8"))
    assert spec["name"] == name
    assert Path("specs", spec["source"]["path"]).resolve() == Path(path).resolve()


def test_nothing_is_overwritten() -> None:
    npz(x=X, y=IDS % 2)()
    assert run("init", "--from", "data/rows.npz")[0] == 0
    before = files(Path())
    for arguments in (["--from", "data/rows.npz"], ["rows", "--from", "data/rows.npz"]):
        assert run("init", *arguments) == (
            2,
            "",
            "specs/rows.yaml: error SG404: init overwrites no spec\n",
        )
    assert files(Path()) == before


def test_data_outside_of_the_project_are_found_by_their_path(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npz(x=X, y=IDS % 2)()
    (folder / "project").mkdir()
    monkeypatch.chdir(folder / "project")
    for path in ("../data/rows.npz", str(folder / "data/rows.npz")):
        assert said(written(path))["source"] == {"kind": "npz", "path": "../../data/rows.npz"}


def cut_off() -> None:
    npz(x=X, y=IDS % 2)()
    content = Path("data/rows.npz").read_bytes()
    put("data/rows.npz", content[: len(content) // 2])


def damaged() -> None:
    npz(x=X, y=IDS % 2)()
    content = bytearray(Path("data/rows.npz").read_bytes())
    content[200] ^= 1  # in the values of x
    put("data/rows.npz", bytes(content))


# Data, the path that init is given, and what it says of it.
REFUSED: dict[str, tuple[Callable[[], None], str, str]] = {
    "no file": (lambda: None, "data/rows.npz", "cannot be read: No such file or directory"),
    "no file of another kind": (
        lambda: None,
        "data/x",
        "cannot be read: No such file or directory",
    ),
    "no match": (lambda: None, "data/*.tfrecord", "no file matches this pattern"),
    "an empty folder": (
        *(lambda: None, "data"),
        "this folder has no .npy or TFRecord file, and no folder of images",
    ),
    "a file of no known kind": (
        *(lambda: put("data/rows.parquet", "PAR1" * 9), "data/rows.parquet"),
        "this is no TFRecord file, and no .npz, .npy or .csv by its name",
    ),
    "a TFRecord file without records": (
        *(lambda: put("data/rows.tfrecord", ""), "data/rows.tfrecord"),
        "there is no row in it",
    ),
    "no archive": (
        *(lambda: put("data/rows.npz", "x,y\n"), "data/rows.npz"),
        "not a whole .npz file",
    ),
    "an archive cut off": (cut_off, "data/rows.npz", "not a whole .npz file"),
    "a damaged array": (damaged, "data/rows.npz", "x cannot be read: Bad CRC-32 for file 'x.npy'"),
    "an archive without arrays": (npz(), "data/rows.npz", "there is no row in it"),
    "arrays without rows": (
        *(npz(x=X[:0], y=IDS[:0]), "data/rows.npz"),
        "there is no row in it",
    ),
    "arrays of different lengths": (
        *(npz(x=X, y=IDS[:-1] % 2), "data/rows.npz"),
        "the arrays differ in how many rows they have: 60 in x and 59 in y",
    ),
    "a file that is no array": (
        *(lambda: put("data/x.npy", "x"), "data/x.npy"),
        "x cannot be read: EOF: reading magic string, expected 8 bytes got 1",
    ),
    "object arrays": (
        *(npz(x=np.array([{}] * ROWS), y=IDS % 2), "data/rows.npz"),
        "no column but y can be used: x holds Python objects",
    ),
    "a structured array": (
        *(npz(d=np.zeros(ROWS, [("x", "f4"), ("y", "i8")])), "data/rows.npz"),
        "no column can be the label: d holds several fields in each value",
    ),
    "an axis of size 0": (
        *(npz(x=np.zeros((ROWS, 0)), y=IDS % 2), "data/rows.npz"),
        "no column but y can be used: x has an axis of size 0",
    ),
    "texts as the label of arrays": (
        *(npz(x=X, y=KINDS), "data/rows.npz"),
        "y would be the label, but it holds texts",
    ),
    "labels below 0": (
        *(npz(x=X, y=IDS % 2 * 2 - 1), "data/rows.npz"),
        "y would be the label, but its values from -1 to 1 are no classes: map them to 0 to 1",
    ),
    "labels far above their number": (
        *(npz(x=X, y=IDS % 2 * 10**6), "data/rows.npz"),
        "y would be the label, but its values from 0 to 1e+06 are no classes: map them to 0 to 1",
    ),
    "labels with an axis": (
        *(npz(x=X, y=IDS[:, None] % 2), "data/rows.npz"),
        "y would be the label, but each is in an array of its own: save it with one axis",
    ),
    "numbers that are not finite": (
        *(
            npz(x=X * np.nan, b=X * 1e300, c=IDS.astype("uint64") + 2**63, y=IDS % 2),
            "data/rows.npz",
        ),
        "no column but y can be used: x holds nan, beyond float32; b holds 5e+299, beyond float32; "
        "c holds 9223372036854775867, beyond int64",
    ),
    "no label": (
        *(npz(x=X, z=X), "data/rows.npz"),
        "no column can be the label",
    ),
    "an empty table": (csv(), "data/rows.csv", "this file is empty"),
    "a table of names alone": (csv(("x", "y")), "data/rows.csv", "there is no row in it"),
    "a ragged table": (
        *(csv(("x", "y"), (1, 2), (), (3, 4, 5)), "data/rows.csv"),
        "the lines differ in how many cells they have: 3 in line 4, 2 in the first one",
    ),
    "a quote that is never closed": (
        *(csv(("x", "y"), ('"1', 2), (3, 4)), "data/rows.csv"),
        "line 3: unexpected end of data",
    ),
    "a NUL in a table": (
        *(lambda: put("data/rows.csv", b"x,y\n1,0\n2,\x001\n"), "data/rows.csv"),
        "line 3: holds a NUL, which is no text",
    ),
    "lines that end with a carriage return alone": (
        *(lambda: put("data/rows.csv", "x,y\r1,0\r2,1\r"), "data/rows.csv"),
        "line 1: a CR alone ends no line; LF does, or CR and LF",
    ),
    "a list of images that names something else": (
        *(lists("data/ants/0.jpg,ants", "data/ants/9.jpg,ants"), "data.csv"),
        "line 3: 'data/ants/9.jpg' is no image's path",
    ),
    "one array without a label": (npy(x=X), "data/x.npy", "no column can be the label"),
    "no such array beside others": (
        *(npy(x=X, y=IDS % 2), "data/z.npy"),
        "cannot be read: No such file or directory",
    ),
    "a table in another encoding": (
        *(lambda: put("data/rows.csv", b"x,y\n\xe9,1\n"), "data/rows.csv"),
        "not a table of text in UTF-8: invalid continuation byte",
    ),
    "a name twice": (
        *(csv(("x", "a b", "a b"), (1, 2, 3)), "data/rows.csv"),
        'the first line names "a b" 2 times',
    ),
    "texts but for the label": (
        *(csv(("a", "b", "y"), *(("n", "m", row % 2) for row in IDS)), "data/rows.csv"),
        "no column but y can be used: a and b holds texts",
    ),
    "decimal commas, in more lines than the delimiter is guessed by": (
        *(
            csv(("n,m", "yy"), *(("1,5", "22") for _ in range(10_000)), delimiter=";"),
            "data/rows.csv",
        ),
        'no column but yy can be used: "n,m" holds texts',
    ),
    "a label that is missing somewhere": (
        *(csv(("x", "y"), *((row, "" if row == 7 else 0.5) for row in IDS)), "data/rows.csv"),
        "y would be the label, but 1 of 60 rows have none",
    ),
    "a label of texts that differ": (
        *(csv(("x", "label"), *((row, f"n{row}") for row in IDS)), "data/rows.csv"),
        "label would be the label, but 60 different texts in 60 rows are no classes",
    ),
    "numbers that no dtype has": (
        *(csv(("x", "z", "y"), *(("9" * 5000, "1e999", row % 2) for row in IDS)), "data/rows.csv"),
        "no column but y can be used: x holds inf, which floats round; z holds inf, beyond float32",
    ),
    "a folder for each part": (
        *(images(train=[gif(2, 3)], val=[gif(2, 3)]), "data/pictures"),
        "train and val are no classes, take the folder of one of these parts",
    ),
    "folders without images": (
        *(images(cats=[]), "data"),
        "this folder has no .npy or TFRecord file, and no folder of images",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    make, path, message = REFUSED[case]
    make()
    before = files(Path())
    assert run("init", "--from", path) == (2, "", f"{path}: error SG406: {message}\n")
    assert files(Path()) == before


def test_a_bad_image_and_an_empty_class_are_named() -> None:
    images(ants=[gif(2, 3), jpeg(4, 5, 3)[:-6]], bees=[], cats=[gif(2, 3)])()
    Path("data/pictures/bees").mkdir()
    assert run("init", "--from", "data/pictures") == (
        2,
        "",
        "data/pictures/ants/1.JPEG: error SG406: this is no JPEG, PNG, GIF or BMP image\n",
    )
    Path("data/pictures/ants/1.JPEG").unlink()
    assert run("init", "--from", "data/pictures") == (
        2,
        "",
        "data/pictures/bees: error SG406: no image is in this folder, and each class has some\n",
    )


def test_images_are_counted_as_the_scripts_find_them() -> None:
    images(**{"ants": [gif(2, 3)], "bees": [gif(2, 3)], ".git": [gif(9, 9)]})()
    for hidden in ("ants/.1.gif", "ants/.deep/1.gif", ".1.gif", "1.gif"):
        put(f"data/pictures/{hidden}", gif(9, 9))
    for shown in ("ants/deep/1.GIF", "ants/deep/deeper/1.gif"):
        put(f"data/pictures/{shown}", gif(2, 3))
    put("data/pictures/ants/notes.txt", "")
    found = survey("data/pictures")
    assert (found.rows, found.columns[0].shape) == (4, (2, 3, 3))
    assert found.columns[1].counts == {0: 3, 1: 1}


def test_an_empty_path_is_none() -> None:
    assert run("init", "--from", "") == (
        2,
        "",
        "specgen: error SG407: Invalid value: a path is empty\nhint: see specgen --help\n",
    )


def test_numpy_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    npz(x=X, y=IDS % 2)()
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert run("init", "--from", "data/rows.npz") == (
        2,
        "",
        "data/rows.npz: error SG406: looking at arrays needs NumPy: pip install numpy\n",
    )


@pytest.mark.parametrize("path", ["data/rows.csv", "data/pictures", "data/rows.tfrecord"])
def test_only_arrays_need_numpy(path: str, folder: Path) -> None:
    csv(("x", "y"), *((row, row % 2) for row in IDS))()
    images(ants=[gif(2, 3)])()
    put("data/rows.tfrecord", "")
    program = """
import sys
from specgen.cli import main
status = main(["init", "--from", sys.argv[1]], sys.stdin.buffer, sys.stdout, sys.stderr)
print(status, {"numpy", "tensorflow"} & sys.modules.keys())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, path],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    status = 2 if path == "data/rows.tfrecord" else 0
    assert done.stdout.splitlines()[-1] == f"{status} set()"


def test_values_of_arrays_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    npz(x=np.asfortranarray(X), y=IDS % 2)()
    whole = written("data/rows.npz")
    monkeypatch.setattr("specgen.survey.arrays._PIECE", 100)
    assert written("data/rows.npz") == whole
