"""Specs that together make every choice which a target supports, and rows for each."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from making import HOW, PARTS, TINY, Rows, Spec, changed

ROWS = 37
LABEL = {"dtype": "int64", "role": "label", "classes": 4}
DENSE = {"dense": {"units": 4}}
IMAGE = {"placeholders": {"x": {"dtype": "uint8", "shape": [6, 5], "scale": 1 / 255}}}
KEPT_BY_A_PLAIN_WIRE = ("bool", "uint8", "int8", "uint16", "int16", "float16", "float32")
LOST_BY_A_PLAIN_WIRE = ("int32", "int64", "float64")
WIRES = ("narrow", "plain")
DATA = Path(__file__).parent / "data"
TOKENS = {"shape": [None], "encoding": "tokens", "pad": {"length": 3, "value": -1}}
BUCKETS = {
    "dtype": "int16",
    "hash_buckets": 50,
    "pad": {"length": 9, "value": -1, "buckets": [4, 8]},
}
# What is in each Example of the TFRecord files.
FEATURES = {
    "x": {"dtype": "float32", "shape": [3]},
    "tensor": {"dtype": "float32", "shape": [2, 2], "encoding": "tensor"},
    "raw": {"dtype": "uint8", "shape": [6]},
    "lengths": {"dtype": "int16", "shape": [None], "pad": {"length": 4, "value": -1}},
    "words": {"dtype": "int16", **TOKENS, "hash_buckets": 50},
    "missing": {"dtype": "float32", "default": 7},
    "label": LABEL,
}
# Of JPEG, PNG, GIF and BMP files, some grey.
PICTURE = {"dtype": "uint8", "shape": [6, 5, 3], "encoding": "image", "scale": 1 / 255}
ARRAYS = ("x", "label", "who")
HOSTILE_NAMES = ("class", "1st", "a b", "naïve", "__init__", "row_id", "count", "tf", "data")


def dense(units: int, **settings: Any) -> dict[str, Any]:
    return {"dense": {"units": units, **settings}}


def layers(*items: Any) -> Spec:
    return {"model": {"layers": list(items)}}


def optimizer(**settings: Any) -> Spec:
    return {"train": {"optimizer": settings}}


def imported(function: str) -> Spec:
    """The same model for each target."""
    functions = {"tf2": f"user_models:{function}", "tf1.4": f"user_models:{function}_tf14"}
    return {"model": {"layers": None, "import": functions}}


def several(placeholders: dict[str, Any]) -> Spec:
    placeholders = {"x": None, "label": None, **placeholders}
    return {"placeholders": placeholders, **imported("several_inputs")}


def label(loss: str, **description: Any) -> Spec:
    return {"placeholders": {"label": {"role": "label", **description}}, "train": {"loss": loss}}


def pictures(path: str, **description: Any) -> Spec:
    placeholders = {"x": {**PICTURE, **description}, "label": LABEL}
    source = {"kind": "images", "path": str(DATA / "pictures" / path)}
    return {"source": source, "placeholders": placeholders, **layers("flatten", DENSE)}


def tfrecords(pattern: str, compression: str = "auto") -> Spec:
    source = {"kind": "tfrecord", "path": None, "compression": compression}
    return {"source": {**source, "pattern": str(DATA / pattern)}, **several(FEATURES)}


MATRIX: dict[str, list[Spec]] = {
    "stratified, deflated": [
        {"splits": {"method": "stratified", "parts": PARTS, "seed": 3}},
        {"records": {"compression": "zlib", "level": 9, "rows_per_record": 4, "shards": 3}},
        {"train": {"metrics": ["accuracy"]}},
    ],
    "even, in the order of the source": [
        {"splits": {"method": "even", "parts": PARTS}},
        {"records": {"order": "source", "rows_per_record": 3, "read_cycle": 2}},
        optimizer(momentum=0.9, nesterov=True),
    ],
    "as stored, the last batch dropped": [
        {"splits": {"parts": {"train": 0.75, "test": 0.25}}},
        {"train": {"shuffle": {"kind": "none"}, "last_batch": "drop"}},
        optimizer(momentum=0.9),
    ],
    "small windows, adam": [
        {"records": {"rows_per_record": 2}, "train": {"shuffle": {"kind": "window", "rows": 7}}},
        {"train": {"optimizer": None}},
        optimizer(name="adam", learning_rate=0.01),
    ],
    "hashed by a text, one of several files": [
        {"source": {"path": None, "files": ["../data/rows.npz"]}},
        {"placeholders": {"who": {"dtype": "string", "role": "key"}}},
        {"splits": {"method": "hash", "by": "who", "parts": PARTS, "seed": 1}},
    ],
    "given by a key, in files that match": [
        {"source": {"path": None, "pattern": "../data/*.npz"}},
        {"placeholders": {"fold": {"dtype": "bool", "role": "key"}}},
        {"splits": {"method": "given", "by": "fold", "parts": {"train": "False", "test": "True"}}},
    ],
    "grouped, a file for each array": [
        {"source": {"path": None, "arrays": {name: f"../data/{name}.npy" for name in ARRAYS}}},
        {"placeholders": {"who": {"dtype": "uint8", "role": "key"}}},
        {"splits": {"method": "group", "by": "who", "parts": PARTS, "seed": 3}},
        {"pipeline": {"cache": "memory", "ram_budget_mb": 1}},
    ],
    "synthetic": [
        {"source": {"kind": "synthetic", "path": None, "rows": 50, "seed": 2}},
        IMAGE,
        layers("flatten", DENSE),
    ],
    "tables, one of them damaged": [
        {
            "source": {
                "kind": "csv",
                "path": None,
                "pattern": str(DATA / "*.csv"),
                "on_error": "skip",
                "max_errors": 1,
            },
            "splits": {"method": "group", "by": "who", "parts": PARTS},
        },
        several(
            {
                "words": {"dtype": "int16", **TOKENS, "hash_buckets": 50, "columns": ["words"]},
                "numbers": {"dtype": "float32", "shape": [2], "columns": ["b", "a"], "default": 0},
                "who": {"dtype": "string", "role": "key"},
                "kind": {**LABEL, "encoding": "text", "vocabulary": ["n", "e", "s", "w"]},
            }
        ),
    ],
    "rows of a function": [
        {"source": {"kind": "python", "path": None, "import": "user_models:rows"}},
        several(
            {
                "x": {"dtype": "float32", "shape": [3]},
                "words": {"dtype": "int16", **TOKENS, "vocabulary": ["a", "b", "c"]},
                "label": LABEL,
            }
        ),
    ],
    "rows of any length, in batches of several widths": [
        {"source": {"kind": "python", "path": None, "import": "user_models:rows_of_any_length"}},
        {"placeholders": {"x": None, "words": {**TOKENS, **BUCKETS}, "label": LABEL}},
        imported("masked_mean"),
    ],
    "TFRecords of all compressions": [
        tfrecords("*.tfrecord"),
        {"splits": {"method": "stratified", "parts": PARTS}},
        {"records": {"compression": "gzip", "rows_per_record": 4}},
    ],
    "an Example for each row": [
        tfrecords("plain.tfrecord", "none"),
        {"records": {"format": "example", "compression": "zlib", "rows_per_record": 4}},
        {"splits": {"parts": PARTS}},
    ],
    "in place, inflated": [
        tfrecords("gzip.tfrecord", "gzip"),
        {"records": {"format": "source", "rows_per_record": 2, "read_cycle": 1}},
    ],
    "in place, as they are": [
        tfrecords("zlib.tfrecord", "zlib"),
        {"records": {"format": "source"}, "train": {"shuffle": {"kind": "none"}}},
    ],
    "folders of pictures, in memory": [
        pictures("", image={"resize": [6, 5], "crop": "center", "exact": True}),
        {"splits": {"method": "stratified", "parts": {"train": 0.75, "test": 0.25}}},
        {"train": {"shuffle": {"kind": "full"}}, "pipeline": {"threads": 2}},
    ],
    "a table of pictures, decoded when they are read": [
        pictures("pictures.csv", dtype="string", image={"crop": "random"}),
        {"records": {"compression": "zlib", "rows_per_record": 3}},
        {"splits": {"parts": PARTS}},
    ],
    "pictures, decoded small": [
        pictures("", dtype="string", image={"resize": [6, 5], "scaled_decode": True}),
        {"records": {"format": "example"}},
    ],
    "activations": [
        layers(
            dense(7, activation="relu"),
            dense(6, activation="tanh", use_bias=False),
            dense(5, activation="sigmoid"),
            dense(5, activation="gelu"),
            dense(4, activation="none"),
        )
    ],
    "convolutions": [
        IMAGE,
        layers(
            {"reshape": {"shape": [6, 5, 1]}},
            {"conv2d": {"filters": 3, "kernel_size": [3, 2], "activation": "relu"}},
            {"conv2d": {"filters": 2, "kernel_size": 3, "strides": [2, 1], "padding": "same"}},
            {"max_pool2d": {"pool_size": [1, 2], "padding": "same"}},
            {"max_pool2d": {"pool_size": 2, "strides": 1}},
            "flatten",
            DENSE,
        ),
    ],
    "mse": [label("mse", dtype="float32", classes=None, shape=[2]), layers(dense(2))],
    "mse of integers": [label("mse", dtype="int16", classes=None), layers(dense(1))],
    "scaled, labels in a byte": [
        label("sparse_categorical_crossentropy", dtype="uint8", classes=4),
        {
            "placeholders": {
                "x": {"dtype": "uint8", "scale": 0.5, "offset": [1, 0, -1], "mean": 3, "std": 20}
            }
        },
    ],
    "dtypes, labels in four bytes": [
        several({**{d: {"dtype": d} for d in KEPT_BY_A_PLAIN_WIRE}, "label": LABEL}),
        label("sparse_categorical_crossentropy", dtype="int32"),
    ],
    "wide dtypes": [
        several({**{d: {"dtype": d} for d in LOST_BY_A_PLAIN_WIRE}, "label": LABEL}),
        {"variants": {variant: {"buffers": {"wire": "narrow"}} for variant in HOW}},
    ],
    "hostile names": [
        several({**{n: {"dtype": "uint8", "shape": [2]} for n in HOSTILE_NAMES}, "label": LABEL}),
        {"description": 'Ends with " and \\ and \'\'\' and """\n\tand goes on: {{ x }} {% y %}'},
    ],
    "imported, on the CPU": [
        imported("one_input"),
        {"devices": {"compute": "cpu:0", "fallback": "error"}},
    ],
    "one batch an epoch, on a GPU that is absent": [
        {"train": {"batch_size": 64, "epochs": None, "steps": 5, "validate_every": 2}},
        {"train": {"checkpoint": {"every_steps": 2, "keep": 1}}},
        {"splits": {"parts": {"train": 0.9, "validation": 0.1}}},
        {"pipeline": {"parallel_calls": 2, "host_prefetch": 1}},
        {"devices": {"compute": "gpu:1", "fallback": "cpu", "memory": {"growth": True}}},
    ],
}


def spec_of(name: str) -> Spec:
    """With every variant, each by another wire than its neighbour and than in the next spec.

    One wire keeps the stored dtypes up to the device, the other casts and scales before.
    """
    place = list(MATRIX).index(name)
    variants = {
        variant: changed(how, {"buffers": {"wire": WIRES[(place + number) % len(WIRES)]}})
        for number, (variant, how) in enumerate(HOW.items())
    }
    title = re.sub("[^a-z]+", "_", name.lower())
    return changed(TINY, {"name": f"tiny_{title}", "variants": variants}, *MATRIX[name])


def rows_of(spec: Spec) -> Rows | None:
    """Random rows, up to what each dtype can hold; None where the spec makes its own."""
    if spec["source"]["kind"] != "npz":
        return None
    random = np.random.RandomState(0)
    rows = {}
    for key, placeholder in spec["placeholders"].items():
        shape, dtype = (ROWS, *placeholder.get("shape", [])), placeholder["dtype"]
        if dtype == "string":
            rows[key] = np.array([f"w{number}" for number in random.randint(20, size=shape)])
        elif dtype.startswith("float"):
            rows[key] = random.normal(size=shape).astype(dtype)
        else:
            least, most = _range(dtype, placeholder.get("classes"))
            rows[key] = random.randint(least, most + 1, size=shape)
    return rows


def _range(dtype: str, classes: int | None) -> tuple[int, int]:
    if classes or dtype == "bool":
        return 0, (classes or 2) - 1
    return max(np.iinfo(dtype).min, -(2**62)), min(np.iinfo(dtype).max, 2**62)
