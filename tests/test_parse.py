"""Bytes in; data, positions or whole diagnostics out."""

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specgen.diagnostics import Diagnostic
from specgen.document import Document, dotted, quoted
from specgen.parse import parse


def lines(diagnostics: list[Diagnostic]) -> list[str]:
    """Each diagnostic as `line:column code field: message [hint]`."""
    return [
        (
            f"{d.position.line}:{d.position.column} {d.code} {d.field}: {d.message} [{d.hint}]"
            if d.position
            else f"- {d.code} {d.field}: {d.message} [{d.hint}]"
        )
        for d in diagnostics
    ]


def document(text: str) -> Document:
    parsed, diagnostics = parse(text.encode(), "spec.yaml")
    assert lines(diagnostics) == []
    assert parsed is not None
    return parsed


def data(text: str) -> dict[str, Any]:
    return document(text).data


def faults(text: str) -> list[str]:
    """What is wrong with a text of which the rest can still be read."""
    parsed, diagnostics = parse(text.encode(), "spec.yaml")
    assert parsed is not None
    return lines(diagnostics)


def refusal(content: bytes) -> list[str]:
    parsed, diagnostics = parse(content, "spec.yaml")
    assert parsed is None
    return lines(diagnostics)


# Scalars: cases B01 and B02.

TEXTS = (
    *("yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "n"),
    *("tRUE", "nULL", "none", "None", "1:30", "2018-01-01", "1_000", "0x", "0xG", "0o8", "0b1"),
    *("1e", "e3", ".", "+", "1.2.3", "1e3.5", "..inf", "inf", "nan", "-.nan", "+0x1F", "="),
    *("\u0661", "1\u2028", "1\x85", "<", "tf1.4", "cpu:0", "module:function", "a#b", "a b"),
)
VALUES = (
    *[(text, None) for text in ("null", "Null", "NULL", "~", "")],
    *[(text, True) for text in ("true", "True", "TRUE")],
    *[(text, False) for text in ("false", "False", "FALSE")],
    *[("0", 0), ("-0", 0), ("+7", 7), ("0123", 123), ("-12", -12), ("0o17", 15), ("0x1F", 31)],
    *[("1e-3", 0.001), ("1e+3", 1000.0), ("1e3", 1000.0), ("1E5", 1e5), ("1.", 1.0), (".5", 0.5)],
    *[("-.5e1", -5.0), ("+1.5", 1.5), ("4.0e-05", 4e-05), ("1e999", math.inf)],
    *[(".inf", math.inf), ("+.Inf", math.inf), ("-.INF", -math.inf)],
    *[('"1"', "1"), ("'true'", "true"), ('"null"', "null"), ('""', ""), ("'it''s'", "it's")],
    *[('"\\x41\\u00e9\\U0001F600\\0"', "Aé😀\0"), ('"\\ud83d\\ude00"', "😀")],
    *[("9" * 200, int("9" * 200)), ("9" * 5000, math.inf), ("0x" + "F" * 5000,) * 2],
)


@pytest.mark.parametrize(("written", "value"), [*VALUES, *((text, text) for text in TEXTS)])
def test_scalars_are_those_of_the_core_schema(written: str, value: Any) -> None:
    as_value = data(f"key: {written}\n")["key"]
    in_block = data(f"key:\n- {written}\n- x\n")["key"][0]
    in_flow = data(f"key: [x, {{inner: {written}}}]\n")["key"][1]["inner"]
    for found in (as_value, in_block, in_flow):
        assert type(found) is type(value)
        assert found == value


def test_nan_is_a_float() -> None:
    assert all(math.isnan(value) for value in data("key: [.nan, .NaN, .NAN]")["key"])


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_can_be_a_key(key: str) -> None:
    assert data(f"outer:\n  {key}: 1\n") == {"outer": {key: 1}}


def test_distinct_keys_never_become_one() -> None:
    keys = ["on", "yes", "1", "true", "1.0", "01", "On", "<<", "null"]
    assert data("".join(f'{key if key[0] in "oyO" else json.dumps(key)}: x\n' for key in keys)) == (
        dict.fromkeys(keys, "x")
    )


# Duplicates and keys: cases B03 and B08.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a: 1\nb: 2\na: 3\na: 4\n",
            [
                "3:1 SG103 a: given twice, on line 1 and again on line 3 [keep one of them]",
                "4:1 SG103 a: given twice, on line 1 and again on line 4 [keep one of them]",
            ],
        ),
        (
            "p: {x: 1, 'x': 2}\nl:\n- k: {y: 1}\n- k: {y: 1,\n     y: 2}\n",
            [
                "1:11 SG103 p.x: given twice, on line 1 and again on line 1 [keep one of them]",
                "5:6 SG103 l[1].k.y: given twice, on line 4 and again on line 5 [keep one of them]",
            ],
        ),
        (
            "1: a\n01: b\n",
            [
                '1:1 SG105 1: a text is wanted as the key [put it in quotes: "1"]',
                "2:1 SG103 01: given twice, on line 1 and again on line 2 [keep one of them]",
            ],
        ),
        (
            "base: &b {x: 1, x: 2}\nc: {<<: *b, x: 3}\nd: *b\n",
            ["1:17 SG103 base.x: given twice, on line 1 and again on line 1 [keep one of them]"],
        ),
        (
            "c:\n  <<: {x: 1}\n  <<: {y: 1}\n",
            ['3:3 SG103 c."<<": given twice, on line 2 and again on line 3 [keep one of them]'],
        ),
        ("a: {b: {x: 1}, c: {x: 1}}\n<<: {a: 2, d: 3}\n", []),
        ("on: 1\nyes: 2\n", []),
    ],
)
def test_every_duplicate_is_reported_with_both_lines(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


def test_the_first_of_two_duplicates_is_kept() -> None:
    parsed, _ = parse(b"a: {x: 1}\na: {y: [2]}\n", "spec.yaml")
    assert parsed is not None
    assert parsed.data == {"a": {"x": 1}}
    assert set(parsed.keys) == {(), ("a",), ("a", "x")}
    assert set(parsed.values) == set(parsed.keys)


@pytest.mark.parametrize(
    ("key", "expected", "read"),
    [
        ("1", '1:6 SG105 p.1: a text is wanted as the key [put it in quotes: "1"]', "1"),
        (
            "0x1F",
            '1:6 SG105 p.0x1F: a text is wanted as the key [put it in quotes: "0x1F"]',
            "0x1F",
        ),
        (
            "-1.5",
            '1:6 SG105 p."-1.5": a text is wanted as the key [put it in quotes: "-1.5"]',
            "-1.5",
        ),
        (
            "True",
            '1:6 SG105 p.True: a text is wanted as the key [put it in quotes: "True"]',
            "True",
        ),
        (
            "null",
            '1:6 SG105 p.null: a text is wanted as the key [put it in quotes: "null"]',
            "null",
        ),
        ("~", '1:6 SG105 p."~": a text is wanted as the key [put it in quotes: "~"]', "~"),
        ("''", "1:6 SG105 p: a text is wanted as the key [put the text in quotes]", None),
        ("", "1:7 SG105 p: a text is wanted as the key [put the text in quotes]", None),
        ("[a, b]", "1:6 SG105 p: a text is wanted as the key [put the text in quotes]", None),
        ("{a: b}", "1:6 SG105 p: a text is wanted as the key [put the text in quotes]", None),
    ],
)
def test_a_key_that_is_no_text_is_read_like_one_where_it_can_be(
    key: str, expected: str, read: str | None
) -> None:
    parsed, diagnostics = parse(f"p: {{ {key}: x, kept: y}}\n".encode(), "spec.yaml")
    assert parsed is not None
    assert parsed.data == {"p": {"kept": "y"} if read is None else {read: "x", "kept": "y"}}
    assert lines(diagnostics) == [expected]


@pytest.mark.parametrize("text", ["1: a\n'1': b\n", "'1': b\n1: a\n"])
def test_a_key_that_is_a_text_counts_before_one_that_is_not(text: str) -> None:
    parsed, _ = parse(text.encode(), "spec.yaml")
    assert parsed is not None
    assert parsed.data == {"1": "b"}


def test_a_template_is_no_value() -> None:
    assert faults("a: {{ x }}\n") == [
        "1:5 SG105 a: a text is wanted as the key [put the text in quotes]"
    ]


def test_true_and_one_are_not_duplicates() -> None:
    assert [fault.split()[1] for fault in faults("1: a\ntrue: b\n1.0: c\n")] == ["SG105"] * 3


# Merge keys and aliases.

MERGES = """\
base: &base {a: 1, b: {c: [2, 3]}}
more: &more {b: 4, d: 5}
one: {z: 0, <<: *base, a: 9}
two:
  <<: [*more, *base, {e: 6}]
text: {"<<": *base}
"""


def test_merged_keys_come_first_and_give_way() -> None:
    merged = data(MERGES)
    assert merged["one"] == {"a": 9, "b": {"c": [2, 3]}, "z": 0}
    assert list(merged["one"]) == ["a", "b", "z"]
    assert merged["two"] == {"b": 4, "d": 5, "a": 1, "e": 6}
    assert merged["text"] == {"<<": {"a": 1, "b": {"c": [2, 3]}}}


def test_what_is_merged_stands_where_it_was_written() -> None:
    merged = document(MERGES)
    places = {
        ("one", "a"): "3:24 3:27",
        ("one", "b"): "1:20 1:23",
        ("one", "b", "c", 1): "1:31 1:31",
        ("two", "b"): "2:14 2:17",
        ("two", "e"): "5:23 5:26",
        ("text", "<<"): "6:8 6:14",
        ("text", "<<", "a"): "1:14 1:17",
    }
    assert {path: at(merged, path) for path in places} == places


def test_no_container_is_shared() -> None:
    aliased = data("a: &a {x: [1]}\nb: *a\nc: {<<: *a}\nd: [*a, *a]\n")
    containers = [aliased["a"], aliased["b"], aliased["c"], *aliased["d"]]
    assert all(container == {"x": [1]} for container in containers)
    assert len({id(container) for container in containers}) == len(containers)
    assert len({id(container["x"]) for container in containers}) == len(containers)


def test_an_anchor_can_be_given_again() -> None:
    assert data("a: &x 1\nb: *x\nc: &x 2\nd: *x\n") == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert data("a: &x [&x 1, *x]\nb: *x\n") == {"a": [1, 1], "b": 1}


# Positions.


def at(parsed: Document, path: tuple[str | int, ...]) -> str:
    key, value = parsed.keys[path], parsed.values[path]
    return f"{key.line}:{key.column} {value.line}:{value.column}"


def test_every_key_value_and_item_has_its_place() -> None:
    parsed = document("""\
# A comment.
name:   digits
"é😀": x
splits: {by: label, parts: {train: 0.8}}
model:
  layers:
  - flatten
  -   dense:
        units: &u 10
empty:
reused: [*u]
""")
    assert {dotted(path): at(parsed, path) for path in parsed.keys} == {
        "": "2:1 2:1",
        "name": "2:1 2:9",
        '"é😀"': "3:1 3:7",
        "splits": "4:1 4:9",
        "splits.by": "4:10 4:14",
        "splits.parts": "4:21 4:28",
        "splits.parts.train": "4:29 4:36",
        "model": "5:1 6:3",
        "model.layers": "6:3 7:3",
        "model.layers[0]": "7:5 7:5",
        "model.layers[1]": "8:7 8:7",
        "model.layers[1].dense": "8:7 9:9",
        "model.layers[1].dense.units": "9:9 9:16",
        "empty": "10:1 10:1",
        "reused": "11:1 11:9",
        "reused[0]": "11:10 11:10",
    }
    assert parsed.keys.keys() == parsed.values.keys()


def test_a_location_is_found_past_what_the_document_lacks() -> None:
    parsed = document("source:\n  kind: npz\n  path: 3\nlayers:\n- dense: {units: 1}\n")
    assert parsed.resolve(("source", "npz", "path")) == ("source", "path")
    assert parsed.resolve(("layers", 0, "<dense>", "dense", "units")) == (
        ("layers", 0, "dense", "units")
    )
    assert parsed.resolve(("layers", 7, "units")) == ("layers",)
    assert str(parsed.where(("source", "npz", "path"))) == "Position(line=3, column=3)"
    assert str(parsed.value_at(("source", "npz", "path"))) == "Position(line=3, column=9)"
    assert parsed.where(("source", "missing")) == parsed.keys[("source",)]
    assert parsed.value_at(("missing",)) == parsed.values[()]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a", "b", 0, 1, "c"), "a.b[0][1].c"),
        (("1st", "a-b", "naïve", "_x"), "1st.a-b.naïve._x"),
        (("a b", "c.d", ""), '"a b"."c.d".""'),
        (("line\nbreak", "\u202e", "é d"), '"line\\nbreak"."\\u202e"."é d"'),
    ],
)
def test_a_path_is_one_printable_line(path: tuple[str | int, ...], text: str) -> None:
    assert dotted(path) == text


def test_a_long_text_is_quoted_in_part() -> None:
    assert quoted("x" * 60) == f'"{"x" * 60}"'
    assert quoted("x" * 61) == f'"{"x" * 57}..."'


# Bytes: case B06.

SPEC = 'name: "naïve 日本 😀"\nlist:\n  - 1\n  - |\n    two\n    lines\nlast: x\n'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_and_line_ends_make_no_difference(encoding: str, end: str) -> None:
    parsed, diagnostics = parse(SPEC.replace("\n", end).encode(encoding), "spec.yaml")
    assert diagnostics == []
    assert parsed == document(SPEC)


def test_the_other_byte_order_makes_none_either() -> None:
    parsed, _ = parse(b"\xfe\xff" + SPEC.encode("utf-16-be"), "spec.yaml")
    assert parsed == document(SPEC)


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
def test_the_line_breaks_of_yaml_1_1_are_characters(character: str) -> None:
    text = f'a{character}: "x {character} y"\nb: z {character}# {character}c:d\ne:\n - f\n'
    parsed = document(text)
    assert parsed.data == {
        f"a{character}": f"x {character} y",
        "b": f"z {character}# {character}c:d",
        "e": ["f"],
    }
    assert at(parsed, ("e", 0)) == "4:4 4:4"


UTF8 = "save the file as UTF-8"
ESCAPE = f"{UTF8}, or write the character as an escape in double quotes"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a: 1\r\nb: \xe9\n", f"2:4 SG101 : byte 0xE9 at offset 9 is not UTF-8 [{UTF8}]"),
        (
            b"\xef\xbb\xbfa: \xc3\xa9\xff",
            f"1:5 SG101 : byte 0xFF at offset 8 is not UTF-8 [{UTF8}]",
        ),
        (b"a: \xed\xa0\x80", f"1:4 SG101 : byte 0xED at offset 3 is not UTF-8 [{UTF8}]"),
        (b"\xff\xfea\0:", f"1:2 SG101 : byte 0x3A at offset 4 is not UTF-16-LE [{UTF8}]"),
        (b"a: x\nb\0: y", f"2:2 SG102 : the character U+0000 is not allowed [{ESCAPE}]"),
        (b"a: \x1b[0m", f"1:4 SG102 : the character U+001B is not allowed [{ESCAPE}]"),
        ("a: \uffff".encode(), f"1:4 SG102 : the character U+FFFF is not allowed [{ESCAPE}]"),
        ("a: 1".encode("utf-16-le"), f"1:2 SG102 : the character U+0000 is not allowed [{ESCAPE}]"),
    ],
)
def test_what_is_not_text_is_refused_with_its_place(content: bytes, expected: str) -> None:
    assert refusal(content) == [expected]


# Malformed text, and what YAML can do but a spec must not: case B15.

QUOTE = "put the text in quotes"
INDENTATION = "correct the indentation, or put the whole text in quotes"
UNCHECKED = r"after this, an escape is beyond \U0010FFFF or a version too long"
ESCAPES = r"write \\ for a backslash, or use single quotes"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\n\tb: 2\n", "2:1 SG102 : a tab where only spaces may stand [use spaces]"),
        ("a:\t1\n", "1:3 SG102 : a tab where only spaces may stand [use spaces]"),
        ("a: b\tc\n", "1:5 SG102 : a tab where only spaces may stand [use spaces]"),
        ("a: @x\n", f"1:4 SG102 : a value cannot begin with '@' [{QUOTE}]"),
        ("a: %x\n", f"1:4 SG102 : a value cannot begin with '%' [{QUOTE}]"),
        ("a: *\n", f"1:4 SG102 : an alias without a proper name [{QUOTE}]"),
        ("a: & b\n", f"1:4 SG102 : an anchor without a proper name [{QUOTE}]"),
        ("a: *.jpg\n", f'1:4 SG102 a: no anchor for the alias "*.jpg" [{QUOTE}]'),
        (
            "b: [x, *later]\nc: &later 1\n",
            f'1:8 SG102 b[1]: no anchor for the alias "*later" [{QUOTE}]',
        ),
        ("a: x\nfoo\nb: y\n", "2:1 SG102 : a colon is missing after this key [write `key: value`]"),
        ("a: b: c\n", f"1:5 SG102 : a colon cannot stand here [{INDENTATION}]"),
        ("a: 1\n  b: 2\n", f"2:4 SG102 : a colon cannot stand here [{INDENTATION}]"),
        ("a: - b\n", f"1:4 SG102 : this cannot stand here [{INDENTATION}]"),
        ("a: ? b\n", f"1:4 SG102 : this cannot stand here [{INDENTATION}]"),
        (
            "a:\n  - x\n y: 1\n",
            f"3:2 SG102 : this fits nothing that stands before it [{INDENTATION}]",
        ),
        ("a: 'x' y\n", f"1:8 SG102 : this fits nothing that stands before it [{INDENTATION}]"),
        ("a: 'x\nb: y\n", "1:4 SG102 : the quote that begins here is never closed []"),
        ("a: 'x\n---\n", "1:4 SG102 : the quote that begins here is never closed []"),
        ('a: "C:\\data"\n', f"1:8 SG102 : there is no escape for 'd' [{ESCAPES}]"),
        ('a: "C:\\Users"\n', f"1:9 SG102 : this escape needs 8 hexadecimal digits [{ESCAPES}]"),
        ('a: "\\ud800"\n', "1:4 SG102 a: half of a surrogate pair is no character []"),
        ('a: "\\U00110000"\n', f"1:2 SG102 : {UNCHECKED} [{ESCAPES}]"),
        ('a: "\\UFFFFFFFF"\n', f"1:2 SG102 : {UNCHECKED} [{ESCAPES}]"),
        (f"%YAML 1.{'2' * 5000}\n---\n", f"1:1 SG102 : {UNCHECKED} [{ESCAPES}]"),
        ("a: [1, 2\nb: 3\n", "2:2 SG102 : a comma or the closing ']' is missing before this []"),
        ("a: {b: 1\n", "2:1 SG102 : a comma or the closing '}' is missing before this []"),
        ("a: [1,,2]\n", "1:7 SG102 : a value is missing before this []"),
        ("a: ]\n", "1:4 SG102 : a value is missing before this []"),
        ("a: |x\n", f"1:5 SG102 : a block text begins on the line after its mark [{QUOTE}]"),
        ("{a: 1} b\n", "1:8 SG102 : this stands outside of the document []"),
        ("a: 1\n... b\n", "2:5 SG102 : this stands outside of the document []"),
        ("%YAML x\n---\na: 1\n", "1:7 SG102 : this directive is malformed [leave it out]"),
        ("%YAML 2.0\n---\na: 1\n", "1:1 SG102 : this directive is malformed [leave it out]"),
        ("%YAML 1.1\n---\na: on\n", "2:1 SG104 : a spec is YAML 1.2 [leave out the %YAML line]"),
        ("a: !x!y z\n", f"1:4 SG104 : tags are not allowed [{QUOTE}]"),
        ("a: !<x y\n", f"1:7 SG104 : tags are not allowed [{QUOTE}]"),
        ("a: &a [*a]\n", '1:8 SG104 a[0]: the alias "*a" is part of itself []'),
        ("&a a: &b {c: {<<: *b}}\n", '1:19 SG104 a.c."<<": the alias "*b" is part of itself []'),
        ("a: {<<: 1}\n", '1:9 SG104 a."<<": only mappings can be merged []'),
        ("a: {<<: [{b: 1}, c]}\n", '1:18 SG104 a."<<": only mappings can be merged []'),
        ("a: {<<: }\n", '1:5 SG104 a."<<": only mappings can be merged []'),
        ("", "1:1 SG106 : the spec is empty []"),
        ("# A comment.\n", "2:1 SG106 : the spec is empty []"),
        ("---\n", "2:1 SG106 : this is no mapping of keys []"),
        ("- a: 1\n", "1:1 SG106 : this is no mapping of keys []"),
        ("some words\n", "1:1 SG106 : this is no mapping of keys []"),
        ("a: 1\n---\nb: 2\n", "2:1 SG106 : a second document begins here []"),
        ("a: 1\n...\nb: 2\n", "3:1 SG106 : a second document begins here []"),
    ],
)
def test_malformed_text_is_one_line_with_its_place(text: str, expected: str) -> None:
    assert refusal(text.encode()) == [expected]


def test_mistakes_before_the_one_that_ends_the_reading_are_kept() -> None:
    assert [line.split()[1] for line in refusal(b"a: 1\na: !t 2\n1: x\nb: [\n")] == [
        "SG104",
        "SG103",
        "SG105",
        "SG102",
    ]


@pytest.mark.parametrize(
    ("written", "tag", "value"),
    [
        ("!!str 5", "!!str", "5"),
        ("!!str", "!!str", ""),
        ("!!int '5'", "!!int", "5"),
        ("!foo bar", "!foo", "bar"),
        ("! 5", "!", 5),
        ("!!python/object/apply:os.system [ls]", "!!python/object/apply:os.system", ["ls"]),
        ("!<tag:x,1:y> {b: 1}", "tag:x,1:y", {"b": 1}),
    ],
)
def test_a_tag_is_refused_and_the_rest_is_read(written: str, tag: str, value: Any) -> None:
    parsed, diagnostics = parse(f"a: {written}\n".encode(), "spec.yaml")
    assert parsed is not None
    assert parsed.data == {"a": value}
    assert lines(diagnostics) == [f'1:4 SG104 a: the tag "{tag}" is not allowed [leave it out]']


def test_documents_may_be_marked() -> None:
    assert data("%YAML 1.2\n%OTHER x\n---\na: 1\n...\n") == {"a": 1}


# Limits, each in a process of its own with 5 s and 1 GB.

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from specgen.parse import parse
document, diagnostics = parse(sys.stdin.buffer.read(), "spec.yaml")
for d in diagnostics:
    print(d.position and (d.position.line, d.position.column), d.code, d.message)
print(document is not None)
"""
DEEP = "SG104 more than 100 levels of nesting\nFalse"
REPEATED = "SG104 aliases repeat over 100,000 values\nFalse"


def bomb(levels: int, width: int) -> str:
    rest = (f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]\n" for n in range(1, levels))
    return "a0: &a0 [x]\n" + "".join(rest)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(bomb(10, 9), f"(6, 40) {REPEATED}", id="bomb"),
        pytest.param(
            f"b: &b {{{', '.join(f'k{n}: 1' for n in range(999))}}}\n"
            + "".join(f"m{n}: {{<<: *b}}\n" for n in range(5000)),
            f"(102, 12) {REPEATED}",
            id="bomb of merges",
        ),
        pytest.param(
            bomb(200, 1), "(1, 10) SG104 aliases nest more than 100 levels\nFalse", id="tower"
        ),
        pytest.param("a: " + "[" * 500_000, f"(1, 103) {DEEP}", id="lists"),
        pytest.param("a: " + "{" * 500_000, f"(1, 103) {DEEP}", id="mappings"),
        pytest.param("{a: " * 500_000, f"(1, 398) {DEEP}", id="named mappings"),
        pytest.param("a:\n " + "- " * 500_000, f"(2, 200) {DEEP}", id="block lists"),
        pytest.param("? " * 500_000, f"(1, 201) {DEEP}", id="keys in keys"),
        pytest.param(
            "a: " + "x" * 50_000_000,
            "None SG104 the file is larger than 10,485,760 bytes\nFalse",
            id="50 MB",
        ),
        pytest.param(
            "columns:\n" + "".join(f"- column_{n}\n" for n in range(30_000)),
            "True",
            id="large and legal",
        ),
        pytest.param("a: &a [1]\nb: [" + "*a, " * 40_000 + "]", "True", id="many small aliases"),
    ],
)
def test_time_and_memory_are_bounded(text: str, expected: str) -> None:
    command = [sys.executable, "-c", LIMITED]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=5, check=True)
    assert done.stdout.decode().strip() == expected


# Anything at all.

FRAGMENTS = st.sampled_from(
    (
        *("\n", "\n  ", " ", "- ", "? ", ": ", "a: ", "b", "[", "]", "{", "}", ",", "&a ", "*a"),
        *("<<: ", "!t ", "!!", "|\n", ">-\n", "'", '"', "\\", "\\u", "\\ud800", "---", "...", "#"),
        *("%YAML 1.1\n", "%TAG ! x\n", "\t", "\r", "~", "1", "0x1F", "1e3", ".inf", "=", "@", "\0"),
        *("\x85", "\u2028", "\ufeff", "\U000f2028", "\\U00110000", "\\UFFFFFFFF", "null", "true"),
    )
)


def assert_sound(content: bytes) -> None:
    parsed, diagnostics = parse(content, "spec.yaml")
    assert parsed is not None or diagnostics
    for diagnostic in diagnostics:
        assert (diagnostic.field + diagnostic.message + diagnostic.hint).isprintable()


@given(st.lists(FRAGMENTS, max_size=30).map("".join))
def test_no_text_makes_it_raise(text: str) -> None:
    assert_sound(text.encode())


@given(st.binary() | st.text().map(str.encode) | st.text().map(lambda text: text.encode("utf-16")))
def test_no_bytes_make_it_raise(content: bytes) -> None:
    assert_sound(content)


JSON_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=50)
)
JSON = st.dictionaries(
    st.text(min_size=1, max_size=50),
    st.recursive(
        JSON_SCALARS,
        lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1, max_size=50), inner),
        max_leaves=10,
    ),
)


@given(JSON, st.sampled_from([None, 1]))
@example({"<<": "=", "on": "a: b # c", "\U000f2028": "\u2028😀"}, None)
def test_json_is_read_as_it_is(value: Any, indent: int | None) -> None:
    assert data(json.dumps(value, indent=indent)) == value
