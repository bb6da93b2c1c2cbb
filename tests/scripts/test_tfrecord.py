"""TFRecord files as a source: what of their Examples is stored, and all that can be wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import Spec
from running import snapshot
from tfrecords import CLASSES, CODECS, Prepared, example, framed, row, rows, write
from wrong_examples import BAD, COUNT, FAULTS, SKIP, cut, flipped, good, tensor, with_x

Make = Callable[..., Prepared]


@pytest.fixture
def make_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Make:
    return lambda *changes: Prepared(tmp_path, capsys, *changes)


def refused(data: Prepared, *argv: str) -> str:
    """The one line that `prepare` ends with, which leaves nothing behind."""
    before = snapshot(data.folder)
    status, errors = data.prepare(*argv)
    assert status == 2
    assert errors.endswith("\n")
    assert errors.count("\n") == 1
    assert snapshot(data.folder) == before
    return errors[:-1]


# -- Values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", CODECS)
def test_rows_of_several_files_go_by_their_positions(make_data: Make, compression: str) -> None:
    data = make_data()
    for number, (count, first) in enumerate([(5, 0), (1, 5), (30, 6)]):
        write(data.folder / "data" / f"{number}.tfrecord", rows(count, first), compression)
    stored = data.stored()
    assert stored["row_id"].tolist() == list(range(36))
    assert stored["x"].tolist() == [row(number)["x"] for number in range(36)]
    assert stored["label"].tolist() == [row(number)["label"] for number in range(36)]


@pytest.mark.parametrize(
    ("description", "value", "stored"),
    [
        ({"dtype": "uint8"}, 255, np.uint8(255)),
        ({"dtype": "uint8"}, 255.0, np.uint8(255)),
        ({"dtype": "int64"}, 2**62 + 1, np.int64(2**62 + 1)),
        ({"dtype": "float32"}, 2**24, np.float32(2**24)),
        ({"dtype": "float64"}, 2**53, np.float64(2**53)),
        ({"dtype": "float64"}, 0.1, np.float64(np.float32(0.1))),
        ({"dtype": "float16"}, 1 / 3, np.float16(np.float32(1 / 3))),
        ({"dtype": "bool"}, 1, np.bool_(True)),
        ({"dtype": "bool"}, b"\0", np.bool_(False)),
        ({"dtype": "int16"}, b"\1\2", np.int16(513)),
        ({"dtype": "float32"}, np.float32(1 / 3).tobytes(), np.float32(1 / 3)),
        ({"dtype": "int8", "shape": [2, 1]}, b"\1\xff", np.array([[1], [-1]], "int8")),
        ({"dtype": "uint16", "shape": [2, 2]}, [1, 2, 3, 4], np.array([[1, 2], [3, 4]], "uint16")),
    ],
    ids=str,
)
def test_values_that_fit_are_cast(
    make_data: Make, description: Spec, value: Any, stored: np.ndarray
) -> None:
    data = make_data(with_x(description))
    write(data.folder / "data" / "a.tfrecord", [{"x": value, "label": 1}] * 3)
    found = data.stored()["x"]
    assert found.dtype == stored.dtype
    assert np.array_equal(found, np.stack([stored] * 3))


def test_integers_beside_floats_are_not_rounded(make_data: Make) -> None:
    """Each value is cast from the list that it is in."""
    data = make_data(with_x({"dtype": "int64"}))
    values = [2**62 + 1, 3.0, -(2**62) - 1, 4]
    write(data.folder / "data" / "a.tfrecord", [{"x": value, "label": 0} for value in values])
    assert data.stored()["x"].tolist() == [2**62 + 1, 3, -(2**62) - 1, 4]


@pytest.mark.parametrize(
    ("description", "values", "stored"),
    [
        (
            {"dtype": "int16", "shape": [2, 2], "encoding": "tensor"},
            [tensor([[1, 2], [3, 4]], "int64"), tensor([[5, 6], [7, 8]], "float32")],
            [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
        ),
        (
            {"dtype": "float32", "shape": [None], "encoding": "tensor", "pad": {"length": 2}},
            [tensor([], "float32"), tensor([1.5, 2], "float64")],
            [[0, 0], [1.5, 2]],
        ),
        (
            {"dtype": "int32", "shape": [None], "pad": {"length": 3, "value": -1}},
            [[1], [2, 3], [4, 5, 6], []],
            [[1, -1, -1], [2, 3, -1], [4, 5, 6], [-1, -1, -1]],
        ),
        (
            {"dtype": "uint8", "shape": [None], "pad": {"length": 3, "value": 9}},
            [b"\1", b"\2\3", b"", [4, 5]],
            [[1, 9, 9], [2, 3, 9], [9, 9, 9], [4, 5, 9]],
        ),
        (
            {"dtype": "int64", "shape": [None], "pad": {"length": 2, "value": 8}, "default": 7},
            [None, [], [1]],
            [[7, 8], [8, 8], [1, 8]],
        ),
        ({"dtype": "float32", "shape": [2], "default": 0.5}, [None, [1, 2]], [[0.5, 0.5], [1, 2]]),
        (
            {"dtype": "int64", "encoding": "text", "vocabulary": ["no", "naïve"], "default": 2},
            ["naïve", "no", "else", None],
            [1, 0, 2, 2],
        ),
        (
            {"dtype": "int64", "shape": [2], "encoding": "text", "vocabulary": ["no", "yes"]},
            [["no", "yes"], ["yes", "yes"]],
            [[0, 1], [1, 1]],
        ),
        (
            {
                "dtype": "int64",
                "shape": [None],
                "encoding": "tokens",
                "vocabulary": ["a", "b"],
                "pad": {"length": 3, "value": -1},
            },
            ["a  b", ["b", "a b"], "", " a\n"],
            [[0, 1, -1], [1, 0, 1], [-1, -1, -1], [0, -1, -1]],
        ),
    ],
    ids=str,
)
def test_encodings(make_data: Make, description: Spec, values: list[Any], stored: Any) -> None:
    data = make_data(with_x(description))
    lines = [{"label": 0} if value is None else {"x": value, "label": 0} for value in values]
    write(data.folder / "data" / "a.tfrecord", lines)
    found = data.stored()["x"]
    assert found.dtype == description["dtype"]
    assert found.tolist() == np.array(stored, description["dtype"]).tolist()


def test_a_feature_without_values_is_as_one_that_is_missing(make_data: Make) -> None:
    """Not an empty list, but one that is none of the three kinds."""
    data = make_data(with_x({"dtype": "int64", "default": 5}))
    write(data.folder / "data" / "a.tfrecord", [{"x": tf.train.Feature(), "label": 0}])
    assert data.stored()["x"].tolist() == [5]


@pytest.mark.parametrize("kind", ["bytes", "integers"])
def test_rows_are_dealt_by_a_feature_that_no_model_reads(make_data: Make, kind: str) -> None:
    """By its look as a text, unless it is a placeholder."""
    parts = {"train": "1", "validation": "0"}
    data = make_data({"splits": {"method": "given", "by": "fold", "parts": parts}})
    folds = [int(number % 3 > 0) for number in range(9)]
    values = folds if kind == "integers" else list(map(str, folds))
    lines = [{**each, "fold": fold} for each, fold in zip(rows(9), values, strict=True)]
    write(data.folder / "data" / "a.tfrecord", lines)
    records = data.records()
    assert {part: records.rows(part) for part in records.parts} == {"train": 6, "validation": 3}


def test_groups_of_bytes_stay_together(make_data: Make) -> None:
    change = {
        "placeholders": {"who": {"dtype": "string", "role": "key"}},
        "splits": {"method": "group", "by": "who", "parts": {"train": 0.5, "test": 0.5}},
    }
    data = make_data(change)
    lines = [{**each, "who": "a\0b"[number % 3]} for number, each in enumerate(rows(12))]
    write(data.folder / "data" / "a.tfrecord", lines)
    records = data.records()
    for part in records.parts:
        ids = np.concatenate([batch.row_id for batch in records.read_part(part, 4, 1)])
        groups = {number % 3 for number in ids.tolist()}
        assert len(ids) == 4 * len(groups)


# -- Compression ----------------------------------------------------------------------------------

LOOKS = {"none": "plain records", "gzip": "GZIP", "zlib": "ZLIB"}


@pytest.mark.parametrize("declared", ["auto", *CODECS])
@pytest.mark.parametrize("written", CODECS)
def test_a_compression_that_is_not_there(make_data: Make, declared: str, written: str) -> None:
    """Names say nothing: all files are called alike."""
    data = make_data({"source": {"compression": declared}})
    write(data.folder / "data" / "a.tfrecord", rows(5), written)
    if declared in ("auto", written):
        assert data.stored()["row_id"].tolist() == list(range(5))
    else:
        looks = f"{data.shown('a.tfrecord')} looks like {LOOKS[written]}"
        assert refused(data) == f"{looks} but source.compression is {declared}"


def test_files_of_different_compressions(make_data: Make) -> None:
    data = make_data()
    for number, compression in enumerate([*CODECS, *CODECS]):
        path = data.folder / "data" / f"{number}.tfrecord"
        write(path, rows(4, 4 * number), compression)
    assert data.stored()["x"][:, 0].tolist() == list(range(24))


@pytest.mark.parametrize(("first", "second"), [(0x1F, 0x8B), (0x78, 0x9C), (0x78, 0x01)])
@pytest.mark.parametrize("declared", ["auto", "none"])
def test_a_length_that_looks_like_a_compression(
    make_data: Make, first: int, second: int, declared: str
) -> None:
    data = make_data({"source": {"compression": declared}})
    length = first + 256 * second
    records = (example({**row(0), "spare": b" " * (length - less)}) for less in range(100))
    record = next(record for record in records if len(record) == length)
    path = write(data.folder / "data" / "a.tfrecord", [record, row(1)])
    assert path.read_bytes()[:2] == bytes([first, second])
    assert data.stored()["x"].tolist() == [row(0)["x"], row(1)["x"]]


@pytest.mark.parametrize("compression", ["gzip", "zlib"])
def test_what_follows_a_stream_is_told(make_data: Make, compression: str) -> None:
    """TensorFlow would leave it out, read it, or never come to an end, each version its own way."""
    data = make_data()
    path = write(data.folder / "data" / "a.tfrecord", rows(5), compression)
    whole = path.read_bytes()
    for more in (whole, b"\0", b"\0" * 100_000):
        path.write_bytes(whole + more)
        fault = f"goes on behind its {compression.upper()} stream, which has to be all"
        assert refused(data) == f"{data.shown('a.tfrecord')}: {fault}"


# -- Files without rows ---------------------------------------------------------------------------


def test_no_file_matches(make_data: Make) -> None:
    data = make_data({"source": {"pattern": "../data/train-*"}})
    folder = f"{data.folder}/generated/../specs"
    fault = "no file in it matches ../data/train-*; --source names another folder"
    assert refused(data) == f"{folder}: {fault}"


def test_no_such_file(make_data: Make) -> None:
    data = make_data({"source": {"pattern": None, "files": ["../data/a.tfrecord"]}})
    assert refused(data) == f"{data.shown('a.tfrecord')}: no such file; --source names another"


@pytest.mark.parametrize("compression", CODECS)
def test_one_file_of_several_is_empty(make_data: Make, compression: str) -> None:
    data = make_data()
    for number in range(4):
        write(data.folder / "data" / f"{number}.tfrecord", rows(4, 4 * number), compression)
    write(data.folder / "data" / "2.tfrecord", [], compression)
    status, errors = data.prepare()
    warning = f"{data.shown('2.tfrecord')}: warning: it has no records\n"
    assert (status, errors) == (0, warning)
    assert data.stored()["x"][:, 0].tolist() == [*range(8), *range(12, 16)]
    assert data.stored()["row_id"].tolist() == list(range(12))


def test_all_files_are_empty(make_data: Make) -> None:
    data = make_data()
    for number in range(2):
        (data.folder / "data" / f"{number}.tfrecord").touch()
    status, errors = data.prepare()
    assert status == 2
    warnings = [f"{data.shown(f'{n}.tfrecord')}: warning: it has no records\n" for n in range(2)]
    assert errors == "".join(warnings) + f"{data.folder}/generated/../specs: has no rows\n"


# -- Examples that are wrong ----------------------------------------------------------------------


@pytest.mark.parametrize(("description", "bad", "fault"), FAULTS.values(), ids=list(FAULTS))
def test_an_example_that_is_wrong(make_data: Make, description: Spec, bad: Any, fault: str) -> None:
    data = make_data(with_x(description))
    lines = [good(description, number) for number in range(COUNT)]
    write(data.folder / "data" / "a.tfrecord", lines[:20])
    write(data.folder / "data" / "b.tfrecord", [*lines[:BAD], bad, *lines[BAD + 1 :]])
    assert refused(data) == f"{data.shown('b.tfrecord')}: record {BAD}: {fault}"


# -- Files that are damaged -----------------------------------------------------------------------


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "cut by 1": (cut(1), 19),
    "cut by 4": (cut(4), 19),
    "cut by 12": (cut(12), 19),
    "cut in the last length": (lambda content: content[: list(framed(content))[19][0] + 5], 19),
    "flipped in the length": (flipped(7, 0), 7),
    "flipped high in the length": (flipped(7, 6), 7),
    "flipped in the data": (flipped(7, 20), 7),
    "flipped in the checksum": (flipped(7, 9), 7),
    "flipped in the first length": (flipped(0, 0), 0),
    "text": (lambda _: b"x,label\n1,2\n" * 9, 0),
}


def damaged(data: Prepared, damage: Callable[[bytes], bytes]) -> list[int]:
    """Three files of 20 rows, the middle one damaged; where its records begin."""
    for number in range(3):
        path = write(data.folder / "data" / f"{number}.tfrecord", rows(20, 20 * number))
        if number == 1:
            content = path.read_bytes()
            path.write_bytes(damage(content))
    return [start for start, _ in framed(content)]


@pytest.mark.parametrize(("damage", "record"), DAMAGE.values(), ids=list(DAMAGE))
def test_a_damaged_file_stops(
    make_data: Make, damage: Callable[[bytes], bytes], record: int
) -> None:
    data = make_data()
    starts = damaged(data, damage)
    fault = f"record {record}: damaged at byte {starts[record]}"
    remedy = "source.on_error: skip leaves out the rest of the file"
    assert refused(data) == f"{data.shown('1.tfrecord')}: {fault}; {remedy}"


@pytest.mark.parametrize(("damage", "record"), DAMAGE.values(), ids=list(DAMAGE))
def test_the_rest_of_a_damaged_file_is_skipped(
    make_data: Make, damage: Callable[[bytes], bytes], record: int
) -> None:
    """Its id stays free, and is that of nobody."""
    data = make_data(SKIP)
    starts = damaged(data, damage)
    status, errors = data.prepare()
    fault = f"record {record}: damaged at byte {starts[record]}; the rest of the file is skipped"
    assert (status, errors) == (0, f"{data.shown('1.tfrecord')}: {fault}\n")
    stored = data.stored()
    kept = [*range(20 + record), *range(40, 60)]
    assert stored["x"][:, 0].tolist() == kept
    after = 20 + record + 1
    assert stored["row_id"].tolist() == [*range(20 + record), *range(after, after + 20)]


def test_rows_that_do_not_fit_are_skipped_too(make_data: Make) -> None:
    data = make_data(SKIP)
    bad = {**row(7), "label": CLASSES}
    write(data.folder / "data" / "0.tfrecord", [*rows(7), bad, *rows(12, 8)])
    write(data.folder / "data" / "1.tfrecord", rows(3, 20))
    status, errors = data.prepare()
    fault = "record 7: label: 4 is not in 0 to 3; the rest of the file is skipped"
    assert (status, errors) == (0, f"{data.shown('0.tfrecord')}: {fault}\n")
    assert data.stored()["x"][:, 0].tolist() == [*range(7), 20, 21, 22]


def test_more_damaged_files_than_may_be_skipped(make_data: Make) -> None:
    data = make_data(SKIP)
    for number in range(3):
        path = write(data.folder / "data" / f"{number}.tfrecord", rows(20))
        if number:
            path.write_bytes(path.read_bytes()[:-1])
            start = [start for start, _ in framed(path.read_bytes())][-1]
    status, errors = data.prepare()
    faults = [
        f"{data.shown(f'{n}.tfrecord')}: record 19: damaged at byte {start}; " for n in (1, 2)
    ]
    first, second = "the rest of the file is skipped\n", "source.max_errors is 1\n"
    assert (status, errors) == (2, f"{faults[0]}{first}{faults[1]}{second}")


@pytest.mark.parametrize("compression", ["gzip", "zlib"])
@pytest.mark.parametrize("count", [1, 4, 12])
def test_a_deflated_file_that_is_cut(make_data: Make, compression: str, count: int) -> None:
    """Also where all rows are there, and TensorFlow would say nothing."""
    data = make_data()
    path = write(data.folder / "data" / "a.tfrecord", rows(20), compression)
    path.write_bytes(path.read_bytes()[:-count])
    line = refused(data)
    start, _, end = line.partition(": damaged at byte ")
    assert start.rpartition(" ")[0] == f"{data.shown('a.tfrecord')}: record"
    remedy = "source.on_error: skip leaves out the rest of the file"
    size = len(example(row(19))) + 16
    records = int(start.rpartition(" ")[2])
    assert records >= 18
    assert end.split(" ", 1)[1] == f"of what is inflated; {remedy}"
    assert int(end.split(" ")[0]) >= 18 * size - 40


@pytest.mark.parametrize("compression", ["gzip", "zlib"])
def test_a_deflated_file_with_a_flipped_bit(make_data: Make, compression: str) -> None:
    data, noise = make_data(SKIP), np.random.RandomState(0)
    lines = [{**each, "spare": noise.bytes(1000)} for each in rows(2000)]
    path = write(data.folder / "data" / "a.tfrecord", lines, compression)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    status, errors = data.prepare()
    kept = int(errors.partition(": record ")[2].partition(":")[0])
    assert status == 0
    assert errors.endswith(" of what is inflated; the rest of the file is skipped\n")
    assert 500 < kept < 1500
    assert data.stored()["x"].tolist() == [row(number)["x"] for number in range(kept)]


def test_a_changed_file_is_noticed(make_data: Make) -> None:
    data = make_data()
    path = write(data.folder / "data" / "a.tfrecord", rows(20))
    records = data.records()
    write(path, [*rows(19), row(5)])
    status, errors = data.prepare()
    fault = f"changed since; prepare --fresh makes {records.folder} anew"
    assert (status, errors) == (2, f"{data.shown('a.tfrecord')}: {fault}\n")
