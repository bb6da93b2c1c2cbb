"""Every value that a spec can hold reaches a script as a literal, and black leaves it as it is."""

import ast
import re
import warnings
from typing import Any

import black
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specgen.literal import docstring, literal

HOSTILE = st.text(alphabet="\"'\\{}%$`#nrxuN\n\r\t\0\x0c\x1c\x85\u2028\u202e\ufeff\xa0 \ud800é日😀")
TEXT = HOSTILE | st.text(alphabet=st.characters())
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.binary()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner)
    | st.lists(inner).map(tuple)
    | st.dictionaries(TEXT | st.integers(), inner),
    max_leaves=8,
)


def formatted(source: str) -> str:
    return black.format_str(source, mode=black.Mode(line_length=88))


def parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ast.parse(source, feature_version=(3, 6))


def is_trustworthy(source: str) -> bool:
    """Nothing but printable characters and line feeds."""
    return source.replace("\n", "").isprintable()


@given(VALUES)
@example("C:\\Users\\new")
@example('/data/it\'s/"x"/')
@example("ends in a backslash\\")
@example("{{ x }} {% y %} %s {} \\N{DASH}")
@example("\ud83d\ude00")
def test_a_literal_evaluates_to_its_value(value: Any) -> None:
    source = literal(value)
    assert repr(ast.literal_eval(source)) == repr(value)
    assert is_trustworthy(source)
    assert parsed(f"x = {source}\n")


@given(SCALARS)
def test_black_leaves_a_literal_alone(value: Any) -> None:
    source = f"x = {literal(value)}\n"
    assert formatted(source) == source


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("plain", '"plain"'),
        ("it's", '"it\'s"'),
        ('a "b"', "'a \"b\"'"),
        ("both ' and \"", '"both \' and \\""'),
        ("naïve 日本", '"naïve 日本"'),
        ("a\tb\n\x07", '"a\\tb\\n\\x07"'),
        (
            "\u202eabc\u2066\ufeff\u200b\u3164\ufe0f",
            '"\\u202eabc\\u2066\\ufeff\\u200b\\u3164\\ufe0f"',
        ),
        ("\xa0\u2028", '"\\xa0\\u2028"'),
        ("\U0001f600", '"\\U0001f600"'),
        (b"\x00'\xe9", 'b"\\x00\'\\xe9"'),
        (1e-7, "1e-7"),
        (1e16, "1e16"),
        (0.0625, "0.0625"),
        (-0.0, "-0.0"),
        ((1,), "(1,)"),
        ((), "()"),
        ({"a": [None, True]}, '{"a": [None, True]}'),
    ],
)
def test_a_literal_reads_well(value: Any, source: str) -> None:
    assert literal(value) == source


@pytest.mark.parametrize("value", [float("inf"), float("nan"), {1}, object(), re.compile("x")])
def test_what_has_no_literal_is_a_fault_of_the_caller(value: Any) -> None:
    with pytest.raises(TypeError):
        literal(value)


@given(TEXT)
@example('ends with "')
@example('"""')
@example('x"""\\')
@example("C:\\new")
@example("one\r\n    two\x0c three\u2028four")
def test_a_docstring_says_the_text_and_nothing_else(text: str) -> None:
    source = docstring(text)
    module = parsed(f"{source}\nx = 1\n")
    assert len(module.body) == (2 if source else 1)
    assert (ast.get_docstring(module, clean=False) or "").split() == text.split()
    assert is_trustworthy(source)
    assert not source or formatted(f"{source}\n") == f"{source}\n"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Handwritten digits.", '"""Handwritten digits."""'),
        ('Ends with "quotes"', '"""Ends with "quotes" """'),
        ('"Quoted" first', '""" "Quoted" first"""'),
        ("C:\\new", '"""C:\\\\new"""'),
        ("  Title.\n\n  Body:\n    - item  \n", '"""Title.\n\nBody:\n  - item\n"""'),
        (f"{'word ' * 20}end", f'"""{("word " * 16).strip()}\n{"word " * 4}end\n"""'),
        (" \n\t\n", ""),
        ("", ""),
    ],
)
def test_a_docstring_reads_well(text: str, source: str) -> None:
    assert docstring(text) == source
