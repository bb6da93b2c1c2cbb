"""Examples that are wrong, what is said of each, and files that are damaged."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from making import Spec
from tfrecords import CLASSES, example, feature, framed, row

COUNT, BAD = 60, 57  # rows, and the one that is wrong
SKIP: Spec = {"source": {"on_error": "skip", "max_errors": 1}}


def with_x(description: Spec, **others: Spec) -> Spec:
    """A change of the spec: another x, and perhaps more of the kind."""
    return {
        "placeholders": {"x": {"shape": [], **description}, **others},
        "model": {"layers": None, "import": {"tf2": "m:f", "tf1.4": "m:f"}},
    }


def tensor(values: Any, dtype: str) -> bytes:
    return bytes(tf.io.serialize_tensor(tf.constant(values, dtype)).numpy())


def sequence_example() -> bytes:
    context = tf.train.Features(feature={"length": feature(3)})
    lists = {"x": tf.train.FeatureList(feature=[feature(1), feature(2)])}
    lists = tf.train.FeatureLists(feature_list=lists)
    return tf.train.SequenceExample(context=context, feature_lists=lists).SerializeToString()


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in row(BAD).items() if name != key}


X = {"dtype": "int32", "shape": [2]}
NO_EXAMPLE = "no tf.train.Example with features"
FAULTS: dict[str, tuple[Spec, Any, str]] = {
    "a missing feature": (X, without("label"), "label: no such feature; there are x"),
    "another key": (X, {**without("x"), "X": 1}, "x: no such feature; there are X, label"),
    "no kind": (X, {**row(1), "x": tf.train.Feature()}, "x: no such feature; there are label, x"),
    "an empty list": (X, {**row(1), "x": []}, "x: 0 values, expected 2"),
    "too many values": (X, {**row(1), "x": [1, 2, 3]}, "x: 3 values, expected 2"),
    "a list for a scalar": (X, {**row(1), "label": [1, 2]}, "label: 2 values, expected 1"),
    "bytes for numbers": (X, {**row(1), "x": "1, 2"}, "x: 1 values, expected 2"),
    "bytes of no size": (X, {**row(1), "x": "12"}, "x: 2 bytes are no whole values of int32"),
    "two bytes": (X, {**row(1), "x": ["1", "2"]}, "x: 2 values of bytes, expected 1"),
    "a fraction": (X, {**row(1), "x": [1.0, 0.5]}, "x: 0.5 does not fit int32"),
    "too large": (X, {**row(1), "x": [2**31, 0]}, "x: 2147483648 does not fit int32"),
    "a label too large": (X, {**row(1), "label": CLASSES}, "label: 4 is not in 0 to 3"),
    "a label below 0": (X, {**row(1), "label": -1}, "label: -1 is not in 0 to 3"),
    "a label of a half": (X, {**row(1), "label": 0.5}, "label: 0.5 does not fit int64"),
    "another proto": (X, sequence_example(), "x: no such feature; there are length"),
    "no proto": (X, b"\xff\xff\xff", NO_EXAMPLE),
    "an empty record": (X, b"", NO_EXAMPLE),
    "no features": (X, example({}), NO_EXAMPLE),
    "NaN": ({"dtype": "float32"}, {**row(1), "x": float("nan")}, "x: nan does not fit float32"),
    "infinite": (
        {"dtype": "float16"},
        {**row(1), "x": 70000.0},
        "x: 70000.0 does not fit float16",
    ),
    "rounded": (
        {"dtype": "float32"},
        {**row(1), "x": 2**24 + 1},
        "x: 16777217 does not fit float32",
    ),
    "a byte that is no bool": ({"dtype": "bool"}, {**row(1), "x": b"\2"}, "x: 2 does not fit bool"),
    "too long": (
        {"dtype": "int32", "shape": [None], "pad": {"length": 2}},
        {**row(1), "x": [1, 2, 3]},
        "x: 3 values, pad.length is 2",
    ),
    "no tensor": (
        {"dtype": "int32", "encoding": "tensor"},
        {**row(1), "x": b"\xff"},
        "x: no serialized tf.TensorProto",
    ),
    "a tensor of texts": (
        {"dtype": "int32", "encoding": "tensor"},
        {**row(1), "x": tensor("1", "string")},
        "x: holds object, not numbers",
    ),
    "a tensor of another shape": (
        {"dtype": "int32", "shape": [3, 2], "encoding": "tensor"},
        {**row(1), "x": tensor([[1, 2, 3], [4, 5, 6]], "int32")},
        "x: shape (2, 3), expected (3, 2)",
    ),
    "numbers for a text": (
        {"dtype": "int64", "encoding": "text", "vocabulary": ["a"]},
        {**row(1), "x": 1},
        "x: int64_list, expected bytes_list",
    ),
    "an unknown text": (
        {"dtype": "int64", "encoding": "text", "vocabulary": ["a"]},
        {**row(1), "x": "b"},
        "x: 'b' is not in its vocabulary, and it has no default",
    ),
    "no UTF-8": (
        {"dtype": "int64", "encoding": "text", "vocabulary": ["a"]},
        {**row(1), "x": b"\xff"},
        "x: not UTF-8: invalid start byte",
    ),
}


def good(description: Spec, number: int) -> dict[str, Any]:
    """A row that suits a description of x."""
    value: Any = [number] * int(np.prod([size or 1 for size in description.get("shape", [])]))
    if description["dtype"].startswith("float"):
        value = [float(number)]
    elif description["dtype"] == "bool":
        value = [number % 2]
    if description.get("encoding") == "tensor":
        shape = description.get("shape", [])
        value = tensor(np.full(shape, number).tolist(), "int32")
    elif "encoding" in description:
        value = "a"
    return {"x": value, "label": number % CLASSES}


def cut(count: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:-count]


def flipped(record: int, at: int) -> Callable[[bytes], bytes]:
    """A bit changed in a record, counted from its begin."""

    def change(content: bytes) -> bytes:
        start = [start for start, _ in framed(content)][record] + at
        return content[:start] + bytes([content[start] ^ 4]) + content[start + 1 :]

    return change
