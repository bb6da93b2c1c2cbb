"""Tables: what of their cells is stored, and each way in which a table cannot be used."""

import csv
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference_order
from making import EACH_VARIANT, TINY, VARIANTS, Spec, changed, load, make
from running import train
from tables import Data, columns

HERE = Path(__file__).parent
Make = Callable[..., Data]


@pytest.fixture
def make_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Make:
    return lambda *changes: Data(tmp_path, capsys, *changes)


# -- Values ---------------------------------------------------------------------------------------


def test_numbers_are_those_that_their_texts_spell(make_data: Make) -> None:
    rows, random = 2000, np.random.RandomState(0)
    texts: dict[str, list[str]] = {}
    for dtype in ("uint8", "int8", "uint16", "int16", "int32", "int64"):
        info = np.iinfo(dtype)
        numbers = random.randint(info.min, info.max, rows - 2, dtype=dtype)
        texts[f"a {dtype}"] = [str(number) for number in [info.min, info.max, *numbers.tolist()]]
    for dtype, digits in (("float16", 3), ("float32", 9), ("float64", 17)):
        texts[f"a {dtype}"] = [f"{number:.{digits}g}" for number in random.normal(size=rows)]
    data = make_data(columns(**{key: {"dtype": key[2:]} for key in texts}))
    with data.path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["label", "unused", *texts])
        writer.writerows(zip(["2"] * rows, ["a, b\n"] * rows, *texts.values(), strict=True))
    stored = data.stored()
    assert stored.pop("row_id").tolist() == list(range(rows))
    assert stored.pop("label").tolist() == [2] * rows
    for (key, spelt), values in zip(texts.items(), stored.values(), strict=True):
        kind = float if "float" in key else int
        assert values.dtype == key[2:]
        np.testing.assert_array_equal(values, np.array(list(map(kind, spelt))).astype(key[2:]))


@pytest.mark.parametrize(
    ("dtype", "texts", "values"),
    [
        ("bool", "true False TRUE fAlSe 1 0", [True, False, True, False, True, False]),
        ("uint8", "1.0 2 3e1 +4 007 -0", [1, 2, 30, 4, 7, 0]),
        ("int64", "9007199254740993 1 1.0", [9007199254740993, 1, 1]),
        ("int64", "-9223372036854775808 9223372036854775807 1e3", [-(2**63), 2**63 - 1, 1000]),
        ("float32", "1e-60 16777216 16777217.5 -.5 5. 1E2", [0, 2**24, 2**24 + 2, -0.5, 5, 100]),
        ("float64", "9007199254740992 0.1 1", [2**53, 0.1, 1]),
    ],
)
def test_a_number_can_be_spelt_in_many_ways(
    make_data: Make, dtype: str, texts: str, values: list[Any]
) -> None:
    data = make_data(columns(x={"dtype": dtype}))
    data.write("x,label\n" + "".join(f"{text},0\n" for text in texts.split()))
    assert data.stored()["x"].tolist() == values


def test_many_columns_fill_a_shape(make_data: Make) -> None:
    x = {"dtype": "int16", "shape": [2, 3], "columns": ["f", "e", "d", "c", "b", "a"]}
    data = make_data(columns(x=x))
    data.write("a,b,c,label,d,e,f\n1,2,3,0,4,5,6\n-1,-2,-3,1,-4,-5,-6\n")
    six = [[6, 5, 4], [3, 2, 1]]
    assert data.stored()["x"].tolist() == [six, [[-number for number in row] for row in six]]


def test_a_cell_may_be_long(make_data: Make) -> None:
    """Longer than Python's module takes, unless it is told."""
    tokens = {"dtype": "int8", "shape": [None], "encoding": "tokens", "vocabulary": ["a", "b"]}
    data = make_data(columns(x={**tokens, "pad": {"length": 80_000}}))
    data.write(f"x,label\n{'a b ' * 40_000},0\n")
    assert data.stored()["x"].tolist() == [[0, 1] * 40_000]


def test_columns_without_names_go_by_their_numbers(make_data: Make) -> None:
    x = {"dtype": "float32", "shape": [2], "columns": ["2", "0"]}
    label = {"label": {"columns": ["1"]}}
    data = make_data(columns(x=x, **label), {"source": {"header": False}})
    data.write("1,2,3\n4,0,6\n")
    stored = data.stored()
    assert stored["x"].tolist() == [[3, 1], [6, 4]]
    assert stored["label"].tolist() == [2, 0]


HOSTILE = (
    "class",
    "on",
    "yes",
    "1",
    "None",
    "1st",
    "a b",
    " a",
    "naïve",
    "__init__",
    "row_id",
    "ids",
)


def test_columns_may_have_any_name(make_data: Make) -> None:
    data = make_data(columns(**{name: {"dtype": "int8"} for name in HOSTILE}))
    header = ",".join(reversed(HOSTILE))
    data.write(f"label,{header}\n0,{','.join(map(str, range(len(HOSTILE))))}\n")
    stored = [values.tolist() for values in data.stored().values()]
    assert stored == [[0], *([number] for number in reversed(range(len(HOSTILE)))), [0]]


def test_quotes_may_hold_anything(make_data: Make) -> None:
    texts = ['a "b"', "a;b", "a\nb", "a\r\nb", "é", " a "]
    described = {"dtype": "uint8", "encoding": "text", "vocabulary": texts}
    data = make_data(columns(**{"t\nx": described}), {"source": {"delimiter": ";"}})
    cells = (text.replace('"', '""') for text in texts)
    rows = "".join(f'"{cell}";1\r\n\r\n' for cell in cells)
    data.write(b"\xef\xbb\xbf" + f'\r\n"t\nx";"label"\r\n{rows}'.encode())
    assert data.stored()["t_x"].tolist() == list(range(len(texts)))


def test_a_table_needs_no_end_of_its_last_line(make_data: Make) -> None:
    data = make_data()
    data.write("x,label\n1,0\n2,1")
    assert data.stored()["x"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("source", "order"),
    [
        ({"files": ["../data/b.csv", "../data/a.csv"]}, [1, 2, 3]),
        ({"pattern": "../data/*.csv"}, [3, 1, 2]),
    ],
)
def test_rows_of_several_files_follow_each_other(
    make_data: Make, source: Spec, order: list[int]
) -> None:
    data = make_data({"source": {"path": None, **source}})
    data.write("x,label\n3,0\n", "data/a.csv")
    data.write("x,label\n1,0\n2,1\n", "data/b.csv")
    stored = data.stored()
    assert stored["x"].tolist() == order
    assert stored["row_id"].tolist() == [0, 1, 2]


def test_a_table_may_be_behind_a_url(make_data: Make, tmp_path: Path) -> None:
    data = make_data({"source": {"path": f"file://{tmp_path}/data/table.csv"}})
    data.write("x,label\n1,0\n2,1\n")
    assert data.stored()["x"].tolist() == [1, 2]


# -- Missing values, texts and tokens -------------------------------------------------------------


def test_defaults_stand_in_for_what_is_missing(make_data: Make) -> None:
    defaults = {"bool": True, "int16": -7, "float32": 0.5, "float64": 1e300}
    described = {f"a_{dtype}": {"dtype": dtype, "default": defaults[dtype]} for dtype in defaults}
    data = make_data(columns(**described), {"source": {"missing": ["NA", "-"]}})
    data.write(f"label,{','.join(described)}\n0,NA,-,NA,-\n1,0,1,2,3\n")
    stored = data.stored()
    assert [stored[key].tolist() for key in described] == [
        [True, False],
        [-7, 1],
        [0.5, 2],
        [1e300, 3],
    ]


@pytest.mark.parametrize("vocabulary", [["b", "a", "c d"], "words.txt"])
def test_a_vocabulary_gives_the_places_of_texts(make_data: Make, vocabulary: Any) -> None:
    x = {"dtype": "int8", "encoding": "text", "vocabulary": vocabulary, "default": -1}
    data = make_data(columns(x=x))
    data.write(b"\xef\xbb\xbfb\r\na\r\nc d\r\n", "specs/words.txt")
    data.write("x,label\na,0\nc d,0\nB,0\n,0\nb,0\n")
    assert data.stored()["x"].tolist() == [1, 2, -1, -1, 0]


def bucket(text: str, buckets: int) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) % buckets


def test_buckets_are_those_of_sha256(make_data: Make) -> None:
    texts = ["red", "green", "red", "größe", "a b"]
    x = {"dtype": "int64", "encoding": "text", "hash_buckets": 2**31 - 1, "default": -5}
    data = make_data(columns(x=x))
    data.write("x,label\n" + "".join(f"{text},0\n" for text in [*texts, ""]))
    wanted = [bucket(text, 2**31 - 1) for text in texts]
    assert wanted[:2] == [50845042, 456761129]  # by sha256sum
    assert data.stored()["x"].tolist() == [*wanted, -5]


def test_texts_of_many_columns_fill_a_shape(make_data: Make) -> None:
    x = {"dtype": "uint8", "shape": [2], "columns": ["p", "q"], "encoding": "text"}
    data = make_data(columns(x={**x, "vocabulary": ["no", "yes"]}))
    data.write("p,label,q\nyes,0,no\nyes,0,yes\n")
    assert data.stored()["x"].tolist() == [[1, 0], [1, 1]]


TOKENS = {"shape": [None], "encoding": "tokens", "pad": {"length": 3, "value": -1}}


@pytest.mark.parametrize(
    ("how", "cells", "stored"),
    [
        (
            {"dtype": "int16", "vocabulary": ["a", "b"]},
            ["a", "b a", " a\ta  b", ""],
            [[0, -1, -1], [1, 0, -1], [0, 0, 1], [-1, -1, -1]],
        ),
        (
            {"dtype": "int16", "vocabulary": ["a"], "default": 9},
            ["a x", "NA a"],
            [[0, 9, -1], [9, 0, -1]],
        ),
        (
            {"dtype": "int8", "hash_buckets": 100},
            ["a b", "b"],
            [[bucket("a", 100), bucket("b", 100), -1], [bucket("b", 100), -1, -1]],
        ),
        ({"dtype": "float32"}, ["0.5 1", "2"], [[0.5, 1, -1], [2, -1, -1]]),
        ({"dtype": "int64", "default": 7}, ["NA 1.0", str(2**62)], [[7, 1, -1], [2**62, -1, -1]]),
        ({"dtype": "int64"}, ["", ""], [[-1, -1, -1], [-1, -1, -1]]),
    ],
)
def test_tokens_are_padded(
    make_data: Make, how: Spec, cells: list[str], stored: list[list[float]]
) -> None:
    data = make_data(columns(x={**TOKENS, **how}), {"source": {"missing": ["NA"]}})
    data.write("x,label\n" + "".join(f"{cell},0\n" for cell in cells))
    assert data.stored()["x"].tolist() == stored


def test_a_key_deals_the_rows_and_is_not_stored(make_data: Make) -> None:
    parts = {"train": 0.5, "test": 0.5}
    data = make_data(
        columns(x={"dtype": "int8"}, fold={"dtype": "int8", "role": "key", "columns": ["k"]}),
        {"splits": {"method": "stratified", "by": "fold", "parts": parts}},
    )
    folds = np.arange(40) // 20
    data.write("x,k,label\n" + "".join(f"{i},{fold},0\n" for i, fold in enumerate(folds)))
    stored = data.stored()
    assert set(stored) == {"x", "label", "row_id"}
    assert stored["row_id"].tolist() == reference_order.stratified(folds, [0.5, 0.5], 0)[0].tolist()
    assert stored["x"].tolist() == stored["row_id"].tolist()


@pytest.mark.parametrize("method", ["hash", "group"])
def test_a_key_may_be_a_text(make_data: Make, method: str) -> None:
    fractions = {"train": 0.6, "test": 0.4}
    who = {"dtype": "string", "role": "key"}
    data = make_data(
        columns(x={"dtype": "int16"}, who=who),
        {"splits": {"method": method, "by": "who", "parts": fractions, "seed": 3}},
    )
    keys = [f"é{row * row % 17}" for row in range(700)]
    data.write("x,who,label\n" + "".join(f"{row},{key},0\n" for row, key in enumerate(keys)))
    as_bytes = [key.encode() for key in keys]
    if method == "hash":
        parts = reference_order.hashed(as_bytes, [0.6, 0.4], 3)
    else:
        parts = reference_order.grouped(np.array(as_bytes), [0.6, 0.4], 3)
    assert data.stored()["x"].tolist() == parts[0].tolist()


def test_a_column_may_give_the_parts(make_data: Make) -> None:
    parts = {"train": "learn", "test": 2}
    data = make_data({"splits": {"method": "given", "by": "part of", "parts": parts}})
    data.write("part of,x,label\nlearn,1,0\n2,2,0\nlearn,3,0\n")
    assert data.stored()["x"].tolist() == [1, 3]


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_files_may_be_the_parts(make_data: Make, on_error: str) -> None:
    parts = {"train": "../data/b.csv", "test": "../data/a.csv"}
    source = {"path": None, "on_error": on_error}
    if on_error == "skip":
        source["max_errors"] = 1
    data = make_data({"source": source, "splits": {"method": "given", "parts": parts}})
    data.write("x,label\n7,0\n", "data/a.csv")
    data.write("x,label\n1,0\n2,0\n" + "x,0\n" * (on_error == "skip"), "data/b.csv")
    assert data.stored()["x"].tolist() == [1, 2]
    assert data.stored(part="test")["x"].tolist() == [7]


# -- What cannot be used --------------------------------------------------------------------------

LONG = "".join(f'"{number}\n",0\n' for number in range(700))  # two lines each
VOCABULARY = {"dtype": "int8", "encoding": "text", "vocabulary": ["a", "b"]}
BAD: dict[str, tuple[Spec, str | bytes, str]] = {
    "no number": ({}, "x,label\n1,0\nabc,1\n", "line 3: x: 'abc' is no float32"),
    "an empty cell": ({}, "x,label\n1,0\n,1\n", "line 3: x: missing, and it has no default"),
    "an underscore": ({}, "x,label\n1_0,0\n", "line 2: x: '1_0' is no float32"),
    "not finite": ({}, "x,label\n1,0\nnan,0\n", "line 3: x: nan does not fit float32"),
    "infinite": ({}, "x,label\n-inf,0\n", "line 2: x: -inf does not fit float32"),
    "beyond float32": ({}, "x,label\n1e39,0\n", "line 2: x: 1e+39 does not fit float32"),
    "rounded by float32": ({}, "x,label\n16777217,0\n", "line 2: x: '16777217' is no float32"),
    "rounded by float64": (
        columns(x={"dtype": "float64"}),
        f"x,label\n{2**53 + 1},0\n",
        f"line 2: x: '{2**53 + 1}' is no float64",
    ),
    "beyond uint8": (
        columns(x={"dtype": "uint8"}),
        "x,label\n255,0\n256,0\n",
        "line 3: x: 256 does not fit uint8",
    ),
    "beyond int64": (
        columns(x={"dtype": "int64"}),
        f"x,label\n{2**63},0\n",
        f"line 2: x: '{2**63}' is no int64",
    ),
    "one of many columns": (
        columns(x={"dtype": "int8", "shape": [2], "columns": ["a", "b"]}),
        "a,label,b\n1,0,2\n3,0,4.5\n",
        "line 3: column 'b': x: '4.5' is no int8",
    ),
    "a fraction": ({}, "x,label\n1,0.5\n", "line 2: label: '0.5' is no int64"),
    "a large fraction": (
        columns(x={"dtype": "int64"}),
        f"x,label\n1,0\n{2**53}.0,0\n",
        f"line 3: x: '{2**53}.0' is no int64",
    ),
    "nan as an integer": ({}, "x,label\n1,nan\n", "line 2: label: 'nan' is no int64"),
    "neither true nor false": (
        columns(x={"dtype": "bool"}),
        "x,label\nyes,0\n",
        "line 2: x: 'yes' is no bool",
    ),
    "no class": ({}, "x,label\n1,3\n", "line 2: label: 3 is not in 0 to 2"),
    "a cell too few": ({}, "x,label\n1,0\n\n2\n", "line 4: 1 instead of 2 cells"),
    "a cell too many": ({}, "x,label\n1,0\n2,1,\n", "line 3: 3 instead of 2 cells"),
    "records of many lines": (
        {},
        f"x,label\n{LONG}a,0\n",
        "line 1402: x: 'a' is no float32",
    ),
    "a quote that does not end": (
        {},
        'x,label\n1,0\n"2,0\n3,0\n',
        "line 3: no record of a table: unexpected end of data",
    ),
    "more behind a quote": (
        {},
        'x,label\n"1"0,0\n',
        "line 2: no record of a table: ',' expected after '\"'",
    ),
    "not UTF-8": (
        {},
        b"x,label,t\n1,0,\xc3\xa9\n2,0,\xe9t\xe9\n",
        "line 3: not UTF-8: invalid continuation byte",
    ),
    "UTF-16": ({}, "x,label\n1,0\n".encode("utf-16"), "line 1: not UTF-8: invalid start byte"),
    "lines that a CR ends": (
        {},
        "x,label\r1,0\r",
        "line 1: a CR alone ends no line; LF does, or CR and LF",
    ),
    "a missing one of many columns": (
        columns(x={"dtype": "int8", "shape": [2], "columns": ["a", "b"]}),
        "a,label,b\n,0,2\n",
        "line 2: column 'a': x: missing, and it has no default",
    ),
    "a NUL": ({}, "x,label\n1\0,0\n", "line 2: holds a NUL, which is no text"),
    "empty": ({}, "", "line 1: no row below a header"),
    "only a header": ({}, "x,label\n", "line 1: no row below a header"),
    "empty, without a header": (
        columns(x={"dtype": "int8", "columns": ["0"]}, label={"columns": ["1"]})
        | {"source": {"header": False}},
        "\n\n",
        "line 1: no row",
    ),
    "another column": ({}, "y,label\n1,0\n", "line 1: no column 'x'; there are 'y', 'label'"),
    "a column by nearly the name": (
        {},
        "x,Label\n1,0\n",
        "line 1: no column 'label'; did you mean 'Label'?",
    ),
    "a column twice": ({}, "\nx,label,x\n1,0,2\n", "line 2: 2 columns 'x'"),
    "an unknown text": (
        columns(x=VOCABULARY),
        "x,label\na,0\nA,0\n",
        "line 3: x: 'A' is not in its vocabulary, and it has no default",
    ),
    "a missing text": (
        columns(x={"dtype": "int8", "encoding": "text", "hash_buckets": 3}),
        "x,label\na,0\n,0\n",
        "line 3: x: missing, and it has no default",
    ),
    "an unknown token": (
        columns(x={**TOKENS, "dtype": "int8", "vocabulary": ["a"]}),
        "x,label\na,0\na a b,0\n",
        "line 3: x: 'b' is not in its vocabulary, and it has no default",
    ),
    "a token that is no number": (
        columns(x={**TOKENS, "dtype": "int8"}),
        "x,label\n1,0\n1 2 x,0\n",
        "line 3: x: 'x' is no int8",
    ),
    "a token that does not fit": (
        columns(x={**TOKENS, "dtype": "int8"}),
        "x,label\n1,0\n1 200,0\n",
        "line 3: x: 200 does not fit int8",
    ),
    "too many tokens": (
        columns(x={**TOKENS, "dtype": "int8"}),
        "x,label\n1 2 3,0\n1 2 3 4,0\n",
        "line 3: x: 4 values, pad.length is 3",
    ),
    "a missing key": (
        columns(x={"dtype": "int8"}, k={"dtype": "int8", "role": "key"})
        | {"splits": {"method": "stratified", "by": "k"}},
        "x,k,label\n1,2,0\n1,,0\n",
        "line 3: k: missing, and it has no default",
    ),
}


@pytest.mark.parametrize(("changes", "content", "fault"), BAD.values(), ids=list(BAD))
def test_bad_tables_are_refused(
    make_data: Make, changes: Spec, content: str | bytes, fault: str
) -> None:
    data = make_data(changes)
    path = data.write(content)
    assert data.prepare("--source", str(path)) == (2, f"{path}: {fault}\n")
    assert [each for each in (data.folder / "records").iterdir() if each.is_dir()] == []


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        ("label,x", "column 'label' where {first} has 'x'"),
        ("x", "column '' where {first} has 'label'"),
        ("x,label,y", "column 'y' where {first} has ''"),
    ],
)
def test_all_files_have_the_same_header(make_data: Make, header: str, fault: str) -> None:
    data = make_data({"source": {"path": None, "files": ["a.csv", "b.csv"]}})
    first = data.write("x,label\n1,0\n", "data/a.csv")
    path = data.write(f"{header}\n1,0\n", "data/b.csv")
    fault = fault.format(first=first)
    assert data.prepare("--source", str(path.parent)) == (2, f"{path}: line 1: {fault}\n")


def test_all_files_without_a_header_are_as_wide(make_data: Make) -> None:
    data = make_data(
        columns(x={"dtype": "int8", "columns": ["0"]}, label={"columns": ["1"]}),
        {"source": {"path": None, "pattern": "*.csv", "header": False}},
    )
    data.write("1,0\n", "data/a.csv")
    path = data.write("1,0,0\n", "data/b.csv")
    expected = f"{path}: line 1: 3 instead of 2 cells\n"
    assert data.prepare("--source", str(path.parent)) == (2, expected)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "no such file; it is the vocabulary of x"),
        (b"a\n\xff\n", "the vocabulary of x: not UTF-8"),
        (b"", "the vocabulary of x: has no line, and each is a text"),
        (b"a\nb\n\na\n", "line 4: 'a' stands in line 1 already"),
    ],
)
def test_a_vocabulary_that_cannot_be_used(
    make_data: Make, content: bytes | None, fault: str
) -> None:
    x = {"dtype": "int8", "encoding": "text", "vocabulary": "words.txt"}
    data = make_data(columns(x=x))
    data.write("x,label\na,0\n")
    if content is not None:
        data.write(content, "specs/words.txt")
    path = data.folder / "generated" / "../specs/words.txt"
    assert data.prepare() == (2, f"{path}: {fault}\n")


# -- Changes --------------------------------------------------------------------------------------

FILES = {"data/table.csv": "x,label\na,0\nb,1\n", "specs/words.txt": "a\nb\n"}


@pytest.fixture
def with_words(make_data: Make) -> Data:
    x = {"dtype": "int8", "encoding": "text", "vocabulary": "words.txt"}
    data = make_data(columns(x=x))
    for name, text in FILES.items():
        data.write(text, name)
    assert data.stored()["x"].tolist() == [0, 1]
    return data


@pytest.mark.parametrize(
    ("name", "text"), [("data/table.csv", "x,label\nb,0\n"), ("specs/words.txt", "b\na\n")]
)
def test_a_changed_table_or_vocabulary_is_noticed(with_words: Data, name: str, text: str) -> None:
    with_words.write(FILES[name], name)
    assert with_words.prepare() == (0, "")
    with_words.write(text, name)
    path = with_words.folder / "generated" / ".." / name
    (records,) = (path for path in (with_words.folder / "records").iterdir() if path.is_dir())
    fault = f"{path}: changed since; prepare --fresh makes {records} anew\n"
    assert with_words.prepare() == (2, fault)
    assert with_words.prepare("--fresh") == (0, "")
    assert with_words.prepare() == (0, "")


@pytest.mark.parametrize("name", FILES)
def test_records_are_enough(with_words: Data, name: str) -> None:
    (with_words.folder / name).unlink()
    assert with_words.prepare() == (0, "")


def test_all_may_be_moved_together(with_words: Data) -> None:
    moved = with_words.folder / "moved"
    moved.mkdir()
    for name in ("data", "specs", "generated", "records"):
        (with_words.folder / name).rename(moved / name)
    with_words.module = load(moved / "generated" / "table_data.py")
    with_words.folder = moved
    assert with_words.prepare() == (0, "")


def test_the_table_alone_may_be_moved(with_words: Data) -> None:
    moved = with_words.path.rename(with_words.folder / "moved.csv")
    assert with_words.prepare("--source", str(moved)) == (0, "")
    moved.write_text("x,label\nb,1\n")
    (records,) = (path for path in (with_words.folder / "records").iterdir() if path.is_dir())
    fault = f"{moved}: changed since; prepare --fresh makes {records} anew\n"
    assert with_words.prepare("--source", str(moved)) == (2, fault)


# -- Damaged files that are skipped ---------------------------------------------------------------

SKIP: Spec = {
    "source": {"path": None, "pattern": "*.csv", "on_error": "skip", "max_errors": 1},
    **columns(x={"dtype": "int16"}),
}


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (b"x,0", "'x' is no int16"),
        (b"1,3", "3 is not in 0 to 2"),
        (b"1,0,", "3 instead of 2 cells"),
        (b"\xff,0", "not UTF-8: invalid start byte"),
        (b'1,"0', "no record of a table: unexpected end of data"),
    ],
)
@pytest.mark.parametrize("good", [0, 1, 511, 512, 700])
def test_the_rest_of_a_damaged_file_is_skipped(
    make_data: Make, good: int, record: bytes, fault: str
) -> None:
    data = make_data(SKIP)
    data.write("x,label\n-1,0\n-2,0\n", "data/a.csv")
    rows = [b"%d,1" % number for number in range(good)]
    path = data.write(b"\n".join([b"x,label", *rows, record, b"9,0", b"y,0", b""]), "data/b.csv")
    data.write("x,label\n-3,0\n", "data/c.csv")
    status, errors = data.prepare("--source", str(path.parent))
    place = f"{path}: line {good + 2}: "
    if " is " in fault:
        place += "label: " if "in 0 to 2" in fault else "x: "
    assert (status, errors) == (0, f"{place}{fault}; the rest of the file is skipped\n")
    stored = data.stored("--source", str(path.parent))
    assert stored["x"].tolist() == [-1, -2, *range(good), -3]
    # The damaged row keeps its id; nobody knows how many follow it.
    assert stored["row_id"].tolist() == [*range(good + 2), good + 3]


@pytest.mark.parametrize("content", ["", "x,label\n", "y,label\n1,0\n"])
def test_a_file_without_rows_is_skipped(make_data: Make, content: str) -> None:
    data = make_data(SKIP)
    data.write(content, "data/a.csv")
    data.write("x,label\n1,0\n", "data/b.csv")
    assert data.stored("--source", str(data.path.parent))["x"].tolist() == [1]


def test_more_damaged_files_than_allowed_end_the_run(make_data: Make) -> None:
    data = make_data(SKIP)
    first = data.write("x,label\n1,0\n2\n", "data/a.csv")
    second = data.write("x,label\nx,0\n2\n", "data/b.csv")
    status, errors = data.prepare("--source", str(first.parent))
    assert (status, errors.splitlines()) == (
        2,
        [
            f"{first}: line 3: 1 instead of 2 cells; the rest of the file is skipped",
            f"{second}: line 2: x: 'x' is no int16; source.max_errors is 1",
        ],
    )


# -- Training -------------------------------------------------------------------------------------


def test_all_variants_learn_from_the_cells_of_a_table(tmp_path: Path) -> None:
    texts, rows = ["red", "green", "blue"], 50
    described = {
        "x": {"dtype": "float32", "shape": [2], "columns": ["b", "a"]},
        "colour": {"dtype": "uint8", "encoding": "text", "vocabulary": texts},
        "words": {**TOKENS, "dtype": "int32", "hash_buckets": 1000},
    }
    functions = {"tf2": "user_models:several_inputs", "tf1.4": "user_models:several_inputs_tf14"}
    spec = changed(
        TINY,
        EACH_VARIANT,
        {"source": {"kind": "csv", "path": "../data/rows.csv"}, **columns(**described)},
        {"model": {"layers": None, "import": functions}},
    )
    project = make(tmp_path, spec)
    (tmp_path / "data").mkdir()
    (tmp_path / "specs").mkdir()
    shutil.copy(HERE / "user_models.py", tmp_path / "specs")
    with (tmp_path / "data" / "rows.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "label", "colour", "words"])
        for row in range(rows):
            words = " ".join(f"w{word}" for word in range(row % 4))
            writer.writerow([row / 3, -row, row % 4, texts[row % 3], words])
    buckets = [bucket(f"w{word}", 1000) for word in range(3)]
    tokens = [(buckets[: row % 4] + [-1] * 3)[:3] for row in range(rows)]
    ids = np.arange(rows)
    contents = [
        np.stack([-ids, ids / 3], axis=1).astype("float32"),
        (ids % 4).astype("int64"),
        (ids % 3).astype("uint8"),
        np.array(tokens, "int32"),
    ]
    stored = reference_order.stored(ids, "train", splits_seed=0)
    batches = reference_order.Layout(batch_size=4).batches(stored, 5, epochs=2)
    digests = (reference_order.content_digest(c[batch] for c in contents) for batch in batches)
    wanted = reference_order.run_digest(digests)
    for variant in VARIANTS:
        run = train(project, project.load(variant), label=variant)
        assert run.report["content_digest"] == wanted
        assert run.report["rows_seen_once"]
