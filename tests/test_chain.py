"""The bytes of a spec in; all that the chain says of it out."""

from pathlib import Path

import pytest

from specgen.chain import SpecFile, validate_spec
from specgen.diagnostics import Diagnostic, Position

SPEC = {
    "specgen": "1",
    "name": "digits",
    "source": "{kind: synthetic, rows: 100}",
    "placeholders": "{image: {dtype: uint8, shape: [4]}, label: {dtype: int64, role: label, "
    "classes: 10}}",
    "model": "{layers: [dense: {units: 10}]}",
    "train": "{batch_size: 8, epochs: 1, optimizer: {name: sgd, learning_rate: 0.1}, "
    "loss: sparse_categorical_crossentropy}",
}


def found(more: str, **lines: str) -> tuple[Diagnostic, ...]:
    text = "".join(f"{key}: {value}\n" for key, value in (SPEC | lines).items()) + more
    spec = SpecFile("spec.yaml", text.encode(), Path("/generated"), "../spec.yaml")
    return validate_spec(spec).diagnostics


@pytest.mark.parametrize(
    ("more", "lines", "expected"),
    [
        ("", {}, []),
        ("nme: a\nnme: b\n", {}, ["SG103 nme"]),
        ("target: 3\ntarget: tf2\n", {}, ["SG103 target"]),
        ("records: {shards: 0}\nrecords: {shards: 1}\n", {}, ["SG103 records"]),
        ("", {"name": "!!int digits!"}, ["SG104 name"]),
        ("3: a\n", {}, ["SG105 3"]),
        ("", {"source": "{kind: synthetic, rows: 9, [x]: 1}"}, ["SG105 source"]),
        (
            "",
            {"model": "{layers: [dense: {units: 0, units: 10}]}"},
            ["SG103 model.layers[0].dense.units"],
        ),
        (
            "",
            {"placeholders": "{image: {dtype: uint8, shape: [4]}, 1: {dtype: int64, role: label}}"},
            ["SG105 placeholders.1"],
        ),
        # In a variant, and in all of them.
        (
            "variants: {a: {target: x, target: tf2}, b: {target: y}}\n",
            {},
            ["SG103 variants.a.target", "SG204 target b"],
        ),
        ("variants: {data: {}, data: {}}\n", {}, ["SG103 variants.data"]),
        ("variants: {a: {target: x, 3: 1}}\n", {}, ["SG105 variants.a.3", "SG204 target"]),
        # What only begins alike is another field.
        ("recordss: 1\nrecords: {}\nrecords: {}\n", {}, ["SG103 records", "SG201 recordss"]),
    ],
)
def test_one_mistake_in_the_text_is_one_message(
    more: str, lines: dict[str, str], expected: list[str]
) -> None:
    said = [" ".join((d.code, d.field, *d.variants)) for d in found(more, **lines)]
    assert said == expected


def test_what_is_wrong_with_the_name_of_a_variant_points_at_it() -> None:
    (diagnostic,) = found("variants:\n  fast: {}\n  nul: {}\n")
    assert (diagnostic.position, diagnostic.code) == (Position(9, 3), "SG206")
