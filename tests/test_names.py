"""Names in generated code: safe to use, and the same on every Python."""

import builtins
import keyword
import sys
from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specgen.names import device, identifier, is_module_path, shadowed
from specgen.reserved import BUILTINS, KEYWORDS, LIBRARIES, STANDARD_LIBRARY


def could_be_spelt(names: list[str]) -> set[str]:
    return {name for name in names if name.islower() and not name.startswith("_")}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("image", "image"),
        ("class", "class_"),
        ("from", "from_"),
        ("Global", "global_"),
        ("None", "none"),
        ("match", "match_"),
        ("input", "input_"),
        ("count", "count_"),
        ("index", "index_"),
        ("1st", "field_1st"),
        ("a-b", "a_b"),
        ("a b", "a_b"),
        ("_x", "x"),
        ("__init__", "init"),
        ("naïve", "naive"),
        ("nai\u0308ve", "naive"),
        ("straße", "strasse"),
        ("日本", "field"),
        ("日本 2", "field_2"),
        ("imageData", "image_data"),
        ("HTTPServer", "http_server"),
        ("row__id", "row_id"),
        ("x" * 100, "x" * 40),
    ],
)
def test_identifier(text: str, name: str) -> None:
    assert identifier(text, ()) == name


def test_identifiers_do_not_collide() -> None:
    taken: list[str] = []
    for text in ("a-b", "a b", "a_b", "class", "Class", "class_"):
        taken.append(identifier(text, taken))
    assert taken == ["a_b", "a_b_2", "a_b_3", "class_", "class_2", "class_3"]


@given(st.lists(st.text() | st.text(alphabet="ab_-1 "), max_size=6))
def test_identifiers_of_any_texts_are_fields_of_one_namedtuple(texts: list[str]) -> None:
    names: list[str] = []
    for text in texts:
        names.append(identifier(text, names))
    assert namedtuple("Batch", names)(*names) == tuple(names)
    assert all(name.isascii() and name.islower() for name in names)
    assert not set(names) & {*dir(builtins), *dir(tuple), *keyword.kwlist, *keyword.softkwlist}


@pytest.mark.parametrize("text", ["m:f", "a.b:f", "a._b.c2:_f", "A:B"])
def test_module_paths(text: str) -> None:
    assert is_module_path(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "m",
        "m:",
        ":f",
        "m.f",
        "m:f:g",
        "m:f.g",
        ".m:f",
        "a..b:f",
        "a.class:f",
        "m:None",
        "1m:f",
        "m :f",
        "m:f\n",
        "é:f",
        "a/b:f",
        "a.b\nimport os; os.system('x')\n#:f",
    ],
)
def test_what_is_no_module_path(text: str) -> None:
    assert not is_module_path(text)


@pytest.mark.parametrize(
    ("module", "what"),
    [
        ("json", "a module of Python"),
        ("lib2to3", "a module of Python"),
        ("tomllib", "a module of Python"),
        ("winreg", "a module of Python"),
        ("test", "a module of Python"),
        ("tensorflow", "a package that TensorFlow uses"),
        ("ml_dtypes", "a package that TensorFlow uses"),
        ("data", "a name that Python's tools or your own files use"),
        ("class", "a keyword of Python"),
        ("nul", "a device of Windows"),
        ("digits", None),
    ],
)
def test_shadowed(module: str, what: str | None) -> None:
    assert shadowed(module) == what


def test_devices_of_windows() -> None:
    assert device("com1") == "a device of Windows"
    assert device("json") is None


def test_the_committed_lists_cover_the_running_python() -> None:
    assert could_be_spelt([*sys.stdlib_module_names]) <= STANDARD_LIBRARY
    assert could_be_spelt(dir(builtins)) <= BUILTINS
    assert could_be_spelt([*keyword.kwlist, *keyword.softkwlist]) <= KEYWORDS


def test_the_committed_list_covers_what_tensorflow_imports() -> None:
    assert {"tensorflow", "keras", "numpy", "absl", "google", "h5py", "wrapt", "six"} <= LIBRARIES
