"""Functions that yield rows: what of them is stored, and each way in which one cannot be used."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import reference_order
from making import EACH_VARIANT, TINY, VARIANTS, Spec, changed, make
from running import train
from tables import Data, columns

Make = Callable[..., Data]
SOURCE: Spec = {"source": {"kind": "python", "path": None, "import": "rows:make"}}


@pytest.fixture
def make_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Make:
    """A spec with these changes, whose function is the text; `rows` is what it yields, if short."""

    def made(text: str, *changes: Spec) -> Data:
        data = Data(tmp_path, capsys, SOURCE, *changes)
        data.write(module(text), "specs/rows.py")
        return data

    return made


def module(text: str) -> str:
    """The module, or one that yields these rows."""
    if "def " in text:
        return dedent(text)
    return f"import numpy as np\n\n\ndef make():\n    return [{text}]\n"


# -- Values ---------------------------------------------------------------------------------------


def test_rows_may_hold_what_numpy_can_take(make_data: Make) -> None:
    dtypes = ("bool", "uint8", "int64", "float32", "float64")
    data = make_data(
        """
        import collections
        import numpy as np

        def make():
            for number in range(1500):
                row = {"bool": number % 2 == 0, "uint8": np.uint8(number % 256)}
                row["int64"] = 2**53 + number if number % 3 else float(number)
                row["float32"] = number / 3
                row["float64"] = np.array(number, ">f8") if number % 2 else number
                row["label"] = number % 3
                yield collections.ChainMap(row, {"unused": object()})
        """,
        columns(**{f"{dtype}": {"dtype": dtype} for dtype in dtypes}),
    )
    ids = np.arange(1500)
    wanted = {
        "label": ids % 3,
        "bool": ids % 2 == 0,
        "uint8": (ids % 256).astype("uint8"),
        "int64": np.where(ids % 3, 2**53 + ids, ids),
        "float32": (ids / 3).astype("float32"),
        "float64": ids.astype("float64"),
        "row_id": ids,
    }
    for values, (key, expected) in zip(data.stored().values(), wanted.items(), strict=True):
        assert values.dtype == expected.dtype, key
        np.testing.assert_array_equal(values, expected)


def test_an_array_may_be_filled_again(make_data: Make) -> None:
    """Also the mapping may be the same for all rows."""
    data = make_data(
        """
        import numpy as np

        def make():
            row = {"x": np.zeros(2, "int8")}
            for number in range(5):
                row["x"][:], row["label"] = number, number % 2
                yield row
        """,
        columns(x={"dtype": "int8", "shape": [2]}),
    )
    assert data.stored()["x"].tolist() == [[number, number] for number in range(5)]


def test_arrays_and_lists_have_the_shape(make_data: Make) -> None:
    rows = '{"x": [[1, 2], [3, 4]], "label": 0}, {"x": np.ones((2, 2), "float16"), "label": 1}'
    data = make_data(rows, columns(x={"dtype": "int8", "shape": [2, 2]}))
    assert data.stored()["x"].tolist() == [[[1, 2], [3, 4]], [[1, 1], [1, 1]]]


def test_defaults_stand_in_for_what_is_missing(make_data: Make) -> None:
    text = {"dtype": "int8", "encoding": "text", "vocabulary": ["a", "b"], "default": 1}
    data = make_data(
        '{"label": 0}, {"x": None, "t": None, "v": None, "label": 0}, '
        '{"x": [5, 6], "t": "a", "v": [], "label": 0}',
        columns(
            x={"dtype": "int16", "shape": [2], "default": -7},
            t=text,
            v={"dtype": "float32", "shape": [None], "pad": {"length": 2}, "default": 0.5},
        ),
    )
    stored = data.stored()
    assert stored["x"].tolist() == [[-7, -7], [-7, -7], [5, 6]]
    assert stored["t"].tolist() == [1, 1, 0]
    assert stored["v"].tolist() == [[0.5, 0], [0.5, 0], [0, 0]]


@pytest.mark.parametrize(
    ("description", "rows", "stored"),
    [
        (
            {"dtype": "int64"},
            ["[1, 2, 3]", "[2**53 + 1]", "[0.0]", "()"],
            [[1, 2, 3], [2**53 + 1, -1, -1], [0, -1, -1], [-1] * 3],
        ),
        ({"dtype": "float32"}, ["np.arange(2) / 4", "[1]"], [[0, 0.25, -1], [1, -1, -1]]),
        (
            {"dtype": "int8", "encoding": "tokens", "vocabulary": ["a", "b"]},
            ["'a b  a'", "b'b'", "['a', b'b']", "''", "np.array(['b'])"],
            [[0, 1, 0], [1, -1, -1], [0, 1, -1], [-1, -1, -1], [1, -1, -1]],
        ),
        (
            {"dtype": "int8", "encoding": "text", "vocabulary": ["a b"], "default": 9},
            ["['a b', 'c']", "[None]"],
            [[0, 9, -1], [9, -1, -1]],
        ),
    ],
)
def test_rows_of_different_lengths_are_padded(
    make_data: Make, description: Spec, rows: list[str], stored: list[list[float]]
) -> None:
    x = {"shape": [None], "pad": {"length": 3, "value": -1}, **description}
    data = make_data(", ".join(f'{{"x": {row}, "label": 0}}' for row in rows), columns(x=x))
    assert data.stored()["x"].tolist() == stored


def test_texts_become_numbers(make_data: Make) -> None:
    data = make_data(
        '{"x": "é", "y": [["a", b"b"]], "label": 0}, '
        '{"x": b"\\xc3\\xa9", "y": np.array([["b", "b"]]), "label": 1}',
        columns(
            x={"dtype": "int64", "encoding": "text", "hash_buckets": 1000},
            y={"dtype": "uint8", "encoding": "text", "vocabulary": "words.txt", "shape": [1, 2]},
        ),
    )
    data.write("b\na\n", "specs/words.txt")
    stored = data.stored()
    assert stored["x"].tolist() == [51, 51]  # by sha256sum
    assert stored["y"].tolist() == [[[1, 0]], [[0, 0]]]


def test_rows_may_say_their_part(make_data: Make) -> None:
    rows = '{"x": 1, "label": 0, "fold": b"a"}, {"x": 2, "label": 0, "fold": "b"}, '
    rows += '{"x": 3, "label": 0, "fold": "a"}'
    parts = {"train": "a", "test": "b"}
    data = make_data(rows, {"splits": {"method": "given", "by": "fold", "parts": parts}})
    assert data.stored()["x"].tolist() == [1, 3]


def test_the_function_may_be_in_a_package_and_import_what_is_beside_it(
    make_data: Make, tmp_path: Path
) -> None:
    source = {"source": {"import": "pack.age:make", "import_path": "../code"}}
    data = make_data("0", source)
    (tmp_path / "code" / "pack").mkdir(parents=True)
    data.write("", "code/pack/__init__.py")
    data.write("VALUE = 3\n", "code/beside.py")
    data.write(
        module("""
            from . import values

            def make():
                import beside
                yield {"x": beside.VALUE, "label": values.LABEL}
            """),
        "code/pack/age.py",
    )
    data.write("LABEL = 2\n", "code/pack/values.py")
    stored = data.stored()
    assert (stored["x"].tolist(), stored["label"].tolist()) == ([3], [2])


def test_the_function_may_be_of_an_installed_module(
    make_data: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "site")
    data = make_data("0", {"source": {"import": "installed_rows:make"}})
    data.write(module('{"x": 1, "label": 2}'), "site/installed_rows.py")
    assert data.stored()["label"].tolist() == [2]


def test_all_variants_learn_from_the_rows_of_a_function(tmp_path: Path) -> None:
    spec = changed(TINY, EACH_VARIANT, SOURCE)
    project = make(tmp_path, spec)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "rows.py").write_text(module("""
            def make():
                for row in range(50):
                    yield {"x": [row, row / 3, -row], "label": row % 4}
            """))
    ids = np.arange(50)
    contents = [np.stack([ids, ids / 3, -ids], axis=1).astype("float32"), ids % 4]
    stored = reference_order.stored(ids, "train", splits_seed=0)
    batches = reference_order.Layout(batch_size=4).batches(stored, 5, epochs=2)
    digests = (reference_order.content_digest(c[batch] for c in contents) for batch in batches)
    wanted = reference_order.run_digest(digests)
    for variant in VARIANTS:
        run = train(project, project.load(variant), label=variant)
        assert run.report["content_digest"] == wanted
        assert run.report["rows_seen_once"]


# -- What cannot be used --------------------------------------------------------------------------

GOOD = '{"x": 1, "label": 0}'
TEXT = {"encoding": "text", "vocabulary": ["a"], "dtype": "int8"}
RAISES = f"""
def make():
    yield {GOOD}
    raise ValueError("the disk\\nis full")
"""
BAD: dict[str, tuple[Spec, str, str]] = {
    "no key": ({}, f'{GOOD}, {{"y": 1, "label": 0}}', "row 1: x: missing, and it has no default"),
    "None": ({}, '{"x": None, "label": 0}', "row 0: x: missing, and it has no default"),
    "no mapping": ({}, f"{GOOD}, [1, 0]", "row 1: is list, not a mapping of keys to values"),
    "no row": ({}, f"{GOOD}, None", "row 1: is NoneType, not a mapping of keys to values"),
    "another shape": ({}, '{"x": [1], "label": 0}', "row 0: x: shape (1,), expected ()"),
    "ragged": (
        columns(x={"dtype": "int8", "shape": [2]}),
        '{"x": [[1], [2, 3]], "label": 0}',
        "row 0: x: holds list, which is no array",
    ),
    "a text": ({}, f'{GOOD}, {{"x": "1", "label": 0}}', "row 1: x: holds <U1, not numbers"),
    "an object": ({}, '{"x": make, "label": 0}', "row 0: x: holds object, not numbers"),
    "NaN": ({}, f'{GOOD}, {{"x": np.nan, "label": 0}}', "row 1: x: nan does not fit float32"),
    "no class": ({}, '{"x": 1, "label": 3}', "row 0: label: 3 is not in 0 to 2"),
    "a fraction": ({}, '{"x": 1, "label": 0.5}', "row 0: label: 0.5 does not fit int64"),
    "rounded": ({}, '{"x": 16777217, "label": 0}', "row 0: x: 16777217 does not fit float32"),
    "too long": (
        columns(x={"dtype": "int8", "shape": [None], "pad": {"length": 2}}),
        '{"x": [1, 2], "label": 0}, {"x": [1, 2, 3], "label": 0}',
        "row 1: x: 3 values, pad.length is 2",
    ),
    "one value for a list": (
        columns(x={"dtype": "int8", "shape": [None], "pad": {"length": 2}}),
        '{"x": 1, "label": 0}',
        "row 0: x: shape (), expected (1,)",
    ),
    "an unknown text": (
        columns(x=TEXT),
        '{"x": "a", "label": 0}, {"x": b"b", "label": 0}',
        "row 1: x: 'b' is not in its vocabulary, and it has no default",
    ),
    "no text": (columns(x=TEXT), '{"x": 1, "label": 0}', "row 0: x: holds int, not a text"),
    "not UTF-8": (
        columns(x=TEXT),
        '{"x": b"\\xff", "label": 0}',
        "row 0: x: not UTF-8: invalid start byte",
    ),
    "an exception": ({}, RAISES, "row 1: ValueError: the disk; in {folder}/rows.py: line 4"),
    "an exception without a text": (
        {},
        "def make():\n    raise RuntimeError\n    yield",
        "RuntimeError: ; in {folder}/rows.py: line 2",
    ),
    "an exit": (
        {},
        "import sys\n\ndef make():\n    yield sys.exit(0)",
        "SystemExit: 0; in {folder}/rows.py: line 4",
    ),
    "nothing": ({}, "", "yields no rows"),
    "no rows at all": (
        {},
        "def make():\n    pass",
        "TypeError: 'NoneType' object is not iterable; in {folder}",
    ),
    "no function": (
        {},
        "def other():\n    pass",
        "AttributeError: module 'rows' has no attribute 'make'; in {folder}",
    ),
    "an error of syntax": (
        {},
        "def make(:",
        "SyntaxError: invalid syntax (rows.py, line 1); in {folder}",
    ),
    "a module that is not there": (
        {},
        "import no_such_module\n\ndef make():\n    pass",
        "ModuleNotFoundError: No module named 'no_such_module'; in {folder}/rows.py: line 1",
    ),
}


@pytest.mark.parametrize(("changes", "text", "fault"), BAD.values(), ids=list(BAD))
def test_bad_rows_are_refused(make_data: Make, changes: Spec, text: str, fault: str) -> None:
    data = make_data(text, changes)
    folder = data.folder / "specs"
    expected = f"rows:make: {fault.format(folder=folder)}\n"
    assert data.prepare("--source", str(folder)) == (2, expected)
    assert [each for each in (data.folder / "records").iterdir() if each.is_dir()] == []


@pytest.mark.parametrize("name", ["rows", "nowhere.rows"])
def test_a_module_that_is_nowhere_is_named(make_data: Make, name: str) -> None:
    data = make_data("", {"source": {"import": f"{name}:make"}})
    (data.folder / "specs" / "rows.py").unlink()
    folder = data.folder / "specs"
    expected = f"{folder}: no module {name}; --source names another folder\n"
    assert data.prepare("--source", str(folder)) == (2, expected)


def test_a_changed_function_is_noticed(make_data: Make) -> None:
    data = make_data(GOOD)
    assert data.prepare() == (0, "")
    data.write(module(f"{GOOD}, {GOOD}"), "specs/rows.py")
    path = data.folder / "generated" / "../specs/rows.py"
    (records,) = (path for path in (data.folder / "records").iterdir() if path.is_dir())
    fault = f"{path}: changed since; prepare --fresh makes {records} anew\n"
    assert data.prepare() == (2, fault)
    assert data.prepare("--fresh") == (0, "")
    assert data.stored()["x"].tolist() == [1, 1]


def test_records_are_enough(make_data: Make) -> None:
    data = make_data(GOOD)
    assert data.prepare() == (0, "")
    (data.folder / "specs" / "rows.py").unlink()
    assert data.prepare() == (0, "")
