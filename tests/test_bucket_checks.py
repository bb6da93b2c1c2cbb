"""The rules for buckets, rule by rule, as in test_checks."""

import pytest

from test_checks import PYTHON, assert_says, checked, with_image

VARIABLE = "dtype: int16, shape: [null]"
TF14 = {"target": "tf1.4"}


def padded(pad: str, more: str = VARIABLE) -> dict[str, str]:
    return {**PYTHON, **with_image(f"{more}, pad: {{{pad}}}")}


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        (
            padded("length: 9, buckets: [4, ^4, 8]"),
            "SG306",
            "placeholders.image.pad.buckets[1]",
            "4 does not come after 4",
            "boundaries ascend",
        ),
        (
            padded("length: 9, buckets: [4, ^2]"),
            "SG306",
            "placeholders.image.pad.buckets[1]",
            "2 does not come after 4",
            "boundaries ascend",
        ),
        (
            padded("length: 9, buckets: [4, ^9]"),
            "SG306",
            "placeholders.image.pad.buckets[1]",
            "9 is not below pad.length, 9, which is the last width",
            "remove it",
        ),
        (
            padded("length: 9, buckets: [^12]"),
            "SG306",
            "placeholders.image.pad.buckets[0]",
            "12 is not below pad.length, 9, which is the last width",
            "remove it",
        ),
        (
            PYTHON | with_image(f"{VARIABLE}, ^pad: {{buckets: [4]}}"),
            "SG202",
            "placeholders.image.pad.length",
            "a variable shape needs the length that rows are padded to",
            "pad: {length: N}",
        ),
        (
            padded("length: 9, buckets: [4]", "dtype: int16, shape: ^[null, null]"),
            "SG305",
            "placeholders.image.shape",
            "null stands alone: [null], one axis of any length",
            "",
        ),
        (
            {
                **PYTHON,
                "placeholders": "{x: {dtype: int8}, label: {dtype: float32, role: label, "
                "shape: [null], pad: {length: 3, ^buckets: [2]}}}",
                "train": "{batch_size: 4, epochs: 1, loss: mse, "
                "optimizer: {name: sgd, learning_rate: 1}}",
            },
            "SG303",
            "placeholders.label.pad.buckets",
            "only inputs are cut: what pads a label is a part of the loss",
            "leave it out",
        ),
        (
            padded("length: 9, buckets: [4]", f"{VARIABLE}, mean: ^[1, 2, 3]"),
            "SG305",
            "placeholders.image.mean",
            "3 numbers do not fit an axis of several widths (pad.buckets)",
            "give a number",
        ),
        *(
            (
                padded(f"length: 99, buckets: [16, ^{boundary}]", f"dtype: {dtype}, shape: [null]")
                | TF14,
                "SG306",
                "placeholders.image.pad.buckets[1]",
                f"{boundary} {dtype} fill {size} bytes, "
                "but words of 8 bytes travel on target tf1.4",
                f"use multiples of {multiple}",
            )
            for dtype, boundary, size, multiple in (
                ("bool", 20, 20, 8),
                ("uint8", 17, 17, 8),
                ("int16", 18, 36, 4),
                ("int32", 17, 68, 2),
            )
        ),
        *(
            (
                padded("length: 9, buckets: [4]")
                | {"model": f"{{layers: [^{layer}, dense: {{units: 10}}]}}"},
                "SG305",
                "model.layers[0]",
                f"{kind} needs one size, but image has several widths (pad.buckets)",
                "no layer that works yet takes any width, a function of yours (model.import) can",
            )
            for kind, layer in (
                ("flatten", "flatten"),
                ("dense", "dense: {units: 3}"),
                ("reshape", "reshape: {shape: [9]}"),
                ("conv2d", "conv2d: {filters: 2, kernel_size: 3}"),
            )
        ),
    ],
)
def test_buckets(lines: dict[str, str], code: str, field: str, message: str, hint: str) -> None:
    assert_says(lines, code, field, message, hint)


def test_buckets_without_a_variable_shape() -> None:
    lines = PYTHON | with_image("dtype: int16, shape: [9], ^pad: {length: 9, buckets: [4]}")
    assert_says(
        lines,
        "SG302",
        "placeholders.image.pad",
        "has no effect under shape a fixed shape",
        "it belongs to shape a size of null",
    )


@pytest.mark.parametrize("how", [{}, TF14, {**TF14, "buffers": "{wire: plain}"}])
@pytest.mark.parametrize(
    "pad", ["length: 9, buckets: [4, 8]", "length: 5, value: -1, buckets: [4]", "length: 9"]
)
def test_buckets_that_work(pad: str, how: dict[str, str]) -> None:
    assert checked(padded(pad) | how) == ([], [])


@pytest.mark.parametrize(
    ("dtype", "how"),
    [
        ("int16", {}),
        ("int16", {**TF14, "buffers": "{wire: plain}"}),
        ("int64", TF14),
        *((f"float{bits}", TF14) for bits in (16, 32, 64)),
    ],
)
def test_what_travels_in_no_words_has_any_boundaries(dtype: str, how: dict[str, str]) -> None:
    lines = padded("length: 9, buckets: [1, 3]", f"dtype: {dtype}, shape: [null]")
    assert checked(lines | how) == ([], [])


def test_layers_fit_what_is_padded() -> None:
    """To one length, it has a shape like any other."""
    assert_says(
        padded("length: 9")
        | {"model": "{layers: [reshape: {shape: ^[2, 5]}, flatten, dense: {units: 10}]}"},
        "SG305",
        "model.layers[0].reshape.shape",
        "[9] has 9 values, [2, 5] 10",
    )
