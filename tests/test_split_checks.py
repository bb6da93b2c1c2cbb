"""The rules for splits by a key and for where rows are, rule by rule, as in test_checks."""

import pytest

from test_checks import BASE, IMAGE, LABEL, assert_says, checked

NPZ = "kind: npz, path: a.npz"


def keyed(key: str, splits: str, **more: str) -> dict[str, str]:
    return {"placeholders": f"{{{IMAGE}, {LABEL}, who: {{{key}}}}}", "splits": splits, **more}


def given(splits: str, source: str = NPZ) -> dict[str, str]:
    return {"source": f"{{{source}}}", "splits": f"{{method: given, {splits}}}"}


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        *(
            (
                {"^splits": f"{{method: {method}}}"},
                "SG202",
                "splits.by",
                f"{method} needs what rows are dealt by",
                "name a placeholder",
            )
            for method in ("hash", "group")
        ),
        (
            {"splits": "{method: hash, by: ^lable}"},
            "SG304",
            "splits.by",
            "there is no placeholder lable",
            "did you mean label?",
        ),
        *(
            (
                {"splits": f"{{method: {method}, by: ^image, parts: {parts}}}"},
                "SG305",
                "splits.by",
                f"{method} needs one value a row, image is not",
                "split by another placeholder",
            )
            for method, parts in (
                ("hash", "{train: 1}"),
                ("group", "{train: 1}"),
                ("given", "{train: a}"),
            )
        ),
        (
            keyed("dtype: int64, role: ^key", "{}"),
            "SG302",
            "placeholders.who.role",
            "a key has no effect unless splits.by names it",
            "say splits.by: who, or remove the placeholder",
        ),
        *(
            (
                keyed("dtype: string, role: ^key", splits),
                "SG302",
                "placeholders.who.role",
                "a key has no effect unless splits.by names it",
                "say splits.by: who, or remove the placeholder",
            )
            for splits in (
                "{method: stratified}",
                "{method: group, by: label}",
                "{method: given, by: fold, parts: {train: a}}",
            )
        ),
        (
            keyed("dtype: string, role: key", "{method: stratified, by: ^who}"),
            "SG305",
            "splits.by",
            "stratified needs one integer or bool a row, who is not",
            "split by another placeholder, or use method: even",
        ),
        (
            keyed("dtype: string, role: key, ^scale: 2", "{method: group, by: who}"),
            "SG302",
            "placeholders.who.scale",
            "has no effect under role key",
            "it belongs to role input",
        ),
    ],
)
def test_keys(lines: dict[str, str], code: str, field: str, message: str, hint: str) -> None:
    assert_says(lines, code, field, message, hint)


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        (
            {"source": f"{{{NPZ}}}", "^splits": "{method: given, by: fold}"},
            "SG202",
            "splits.parts",
            "given needs the value of each part",
            "",
        ),
        (
            {"source": "{kind: npz}", "^splits": "{method: given}"},
            "SG202",
            "splits.parts",
            "given needs the path of each part",
            "",
        ),
        (
            given("parts: {train: a.npz, test: ^0.5}", "kind: npz"),
            "SG203",
            "splits.parts.test",
            "a path is wanted, not 0.5",
            "splits.by names a column whose values can be numbers",
        ),
        (
            given("parts: {train: a.npz, validation: b.npz, test: ^./a.npz}", "kind: npz"),
            "SG303",
            "splits.parts.test",
            "train has the same path",
            "a row belongs to one part",
        ),
        (
            given("by: fold, parts: {train: 1, validation: ^'1', test: 2}"),
            "SG303",
            "splits.parts.validation",
            "train has the same value",
            "a row belongs to one part",
        ),
        (
            given("parts: {train: a.npz}", "kind: npz, ^path: b.npz"),
            "SG303",
            "source.path",
            "the parts say already where the data are",
            "leave it out, or say splits.by",
        ),
        (
            {"^source": "{kind: npz}", "splits": "{method: given, by: fold, parts: {train: a}}"},
            "SG303",
            "source",
            "exactly one of path, files, pattern and arrays is needed",
            "",
        ),
        (
            given("by: fold, parts: {train: a}", "kind: npz, path: a, ^pattern: b"),
            "SG303",
            "source.pattern",
            "path says already where the data are",
            "keep one of them",
        ),
        (
            given("by: ^fold, parts: {train: a}", "kind: synthetic, rows: 100"),
            "SG304",
            "splits.by",
            "rows made up have no column fold",
            "",
        ),
        (
            {
                "source": "{kind: synthetic, rows: 100}",
                "splits": "{method: ^given, parts: {train: a}}",
            },
            "SG303",
            "splits.method",
            "given needs splits.by where the source is synthetic",
            "its rows are in no files",
        ),
        (
            {
                "source": "{kind: python, import: 'm:f'}",
                "splits": "{method: ^given, parts: {train: a}}",
            },
            "SG303",
            "splits.method",
            "given needs splits.by where the source is python",
            "its rows are in no files",
        ),
        (
            given(
                "by: ^fold, parts: {train: a}",
                "kind: npz, arrays: {image: a, label: b}",
            ),
            "SG304",
            "splits.by",
            "source.arrays has no fold",
            "",
        ),
        (
            {"splits": "{method: given, by: label, parts: {train: 0, test: 1}, ^seed: 3}"}
            | {"records": "{order: source}"},
            "SG302",
            "splits.seed",
            "has no effect under splits.method given and records.order source",
            "it belongs to splits.method stratified, hash or group, or records.order shuffled",
        ),
    ],
)
def test_given(lines: dict[str, str], code: str, field: str, message: str, hint: str) -> None:
    assert_says(lines, code, field, message, hint)


@pytest.mark.parametrize(
    ("source", "code", "field", "message", "hint"),
    [
        (
            "{kind: npz, files: [a.npz, b.npz, ^./a.npz]}",
            "SG303",
            "source.files[2]",
            "this file is listed already",
            "remove it",
        ),
        ("{kind: npz, ^arrays: {image: a.npy}}", "SG202", "source.arrays", "label has no file", ""),
        (
            "{kind: npz, arrays: {image: a.npy, label: b.npy, ^lable: c.npy}}",
            "SG304",
            "source.arrays.lable",
            "there is no placeholder lable",
            "did you mean label?",
        ),
    ],
)
def test_places(source: str, code: str, field: str, message: str, hint: str) -> None:
    assert_says({"source": source}, code, field, message, hint)


@pytest.mark.parametrize(
    "lines",
    [
        keyed(
            "dtype: string, role: key", "{method: hash, by: who, parts: {train: 0.5, test: 0.5}}"
        ),
        keyed("dtype: float32, role: key", "{method: group, by: who, seed: 3}"),
        keyed("dtype: int8, role: key", "{method: stratified, by: who}"),
        keyed("dtype: int8, role: key", "{method: given, by: who, parts: {train: 1, test: 2}}"),
        {"splits": "{method: group, by: label}"},
        given("by: fold, parts: {train: 1, validation: two, test: 0.5}"),
        given("parts: {train: a.npz, test: b.npz}", "kind: npz"),
        given(
            "by: fold, parts: {train: a}",
            "kind: npz, arrays: {image: a, label: b, fold: c}",
        ),
        {"source": "{kind: npz, pattern: '*.npz'}"},
        {"source": "{kind: npz, arrays: {image: a.npy, label: b.npy}}"},
        {**BASE, "splits": "{method: hash, by: label, parts: {train: 0.9, test: 0.1}}"},
    ],
)
def test_what_works(lines: dict[str, str]) -> None:
    assert checked(lines) == ([], [])
