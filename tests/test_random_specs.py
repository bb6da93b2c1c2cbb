"""Random specs over all that is supported: each makes modules that no linter has a word against.

The specs are valid by construction, from the rules of the language: where specgen finds a mistake
in one, either specgen is wrong or what is known here of the rules.
"""

import ast
import json
from itertools import count
from math import prod
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.support_table import TABLE, Since
from specgen.targets import TARGETS
from support import Module, compiled, is_laid_out, modules, ruff_says, vermin_says

Data = dict[str, Any]
Some = st.SearchStrategy

# How many classes an integer can count.
INTEGERS = {"uint8": 2**8, "int8": 2**7, "uint16": 2**16, "int16": 2**15, "int32": 2**31}
INTEGERS["int64"] = 2**63
DTYPES = ("bool", *INTEGERS, "float16", "float32", "float64")
# Whole numbers that float32 holds, also scaled.
SHORT = {"uint8", "int8", "uint16", "int16"}
ACTIVATIONS = st.sampled_from(["none", "relu", "tanh", "sigmoid", "gelu"])
PARTS = (
    {"train": 1},
    {"train": 0.75, "validation": 0.25},
    {"train": 0.9, "test": 0.1},
    {"train": 0.7, "validation": 0.2, "test": 0.1},
)

PATHS_OF_PARTS = (
    {"train": "a.npz"},
    {"train": "../b.npz", "validation": "gs://b/v.npz", "test": "t.npz"},
)
KEYS = (*DTYPES, "string")

WORKING = {
    (target, key): [
        choice
        for row in TABLE
        if row.key == key and isinstance(row.on(target), Since)
        for choice in row.choices
    ]
    for target in TARGETS
    for key in ("buffers.method", "buffers.input")
}

# A quarter of what other tests of random values take, as each takes black's time.
EXAMPLES = settings().max_examples // 4

SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.integers(1, 2**31 - 1)
SIZES = st.integers(1, 9)
POSITIVE = st.floats(1e-6, 1e6)
NUMBERS = st.integers(-9, 9) | POSITIVE | POSITIVE.map(float.__neg__)
TEXTS = st.text("aé日😀\"'\\{}%#\n\0\u2028 :;", min_size=1, max_size=9)
PATHS = TEXTS.map(lambda text: text.replace("\0", "0"))
URLS = PATHS.map("gs://{}".format)
# Of no module and no keyword, as these have no underscore in the middle.
NAMES = st.from_regex("[a-z]_[a-z0-9_]{0,20}", fullmatch=True)


def some(**keys: Some[Any]) -> Some[Data]:
    """A mapping with any of the keys."""
    return st.fixed_dictionaries({}, optional=keys)


@st.composite
def specs(draw: st.DrawFn) -> Data:
    is_sparse, is_layered = draw(st.booleans()), draw(st.booleans())
    inputs = draw(st.lists(an_input(), min_size=1, max_size=1 if is_layered else 3))
    label = draw(classes() if is_sparse else numbers())
    named = zip(draw(several(TEXTS, len(inputs) + 1)), [label, *inputs], strict=True)
    placeholders = dict(draw(st.permutations(list(named))))
    splits = draw(splits_of(placeholders))
    if "by" in splits and splits["by"] not in placeholders:
        placeholders[splits["by"]] = {"role": "key", "dtype": draw(st.sampled_from(KEYS))}
    source = {"kind": "npz"} if splits["parts"] in PATHS_OF_PARTS else draw(sources(placeholders))
    spec = {
        "specgen": 1,
        "name": draw(NAMES),
        "source": source,
        "placeholders": placeholders,
        "splits": splits,
        "records": draw(records()),
        "model": draw(layers(inputs[0], label) if is_layered else functions()),
        "train": draw(train(is_sparse, "validation" in splits["parts"])),
        **draw(some(description=TEXTS)),
        **draw(how(inputs)),
    }
    if draw(st.booleans()):
        spec["variants"] = draw(st.dictionaries(NAMES, how(inputs), min_size=1, max_size=2))
    return spec


def several(items: Some[Any], count: int) -> Some[list[Any]]:
    return st.lists(items, min_size=count, max_size=count, unique=True)


def sources(placeholders: Data) -> Some[Data]:
    # Rows enough for each part to have some, and training a batch.
    synthetic = {"kind": st.just("synthetic"), "rows": st.integers(2_000, 10**9)}
    places = {
        "path": PATHS | URLS,
        "files": st.lists(PATHS | URLS, min_size=1, max_size=3, unique=True),
        "pattern": PATHS | URLS,
        "arrays": st.fixed_dictionaries(dict.fromkeys(placeholders, PATHS | URLS)),
    }
    stop = {"on_error": st.just("stop")}
    return st.one_of(
        st.fixed_dictionaries(synthetic, optional={"seed": SEEDS}),
        *(
            st.fixed_dictionaries({"kind": st.just("npz"), place: paths}, optional=stop)
            for place, paths in places.items()
        ),
    )


@st.composite
def an_input(draw: st.DrawFn) -> Data:
    found = draw(some(shape=st.lists(SIZES, max_size=4), role=st.just("input")))
    channels = found.get("shape", [])[-1:]
    number, positive = for_each(NUMBERS, channels), for_each(POSITIVE, channels)
    scaling = draw(some(scale=number, offset=number, mean=number, std=positive))
    return {"dtype": draw(st.sampled_from(DTYPES)), **found, **scaling}


def for_each(number: Some[float], channels: list[int]) -> Some[Any]:
    """A number, or one for each channel where there are some."""
    return st.one_of(number, *(st.lists(number, min_size=n, max_size=n) for n in channels))


@st.composite
def classes(draw: st.DrawFn) -> Data:
    """A label of class numbers."""
    dtype = draw(st.sampled_from(list(INTEGERS)))
    count = draw(st.integers(1, min(INTEGERS[dtype], 2**31 - 1)))
    return {"role": "label", "dtype": dtype, "classes": count}


def numbers() -> Some[Data]:
    """A label of numbers."""
    keys = {"role": st.just("label"), "dtype": st.sampled_from(DTYPES[1:])}
    return st.fixed_dictionaries(keys, optional={"shape": st.lists(SIZES, max_size=2)})


@st.composite
def splits_of(draw: st.DrawFn, placeholders: Data) -> Data:
    """Even, or by a placeholder with one value a row, a key that is not there yet, or files."""
    single = [name for name, each in placeholders.items() if not each.get("shape")]
    strata = [
        name
        for name in single
        if placeholders[name]["dtype"] in INTEGERS or placeholders[name]["dtype"] == "bool"
    ]
    key = draw(TEXTS.filter(lambda name: name not in placeholders))
    method = draw(st.sampled_from(["even", "stratified", "hash", "group", "given", "paths"]))
    found: Data = {"parts": draw(st.sampled_from(PARTS))}
    if method == "paths":
        return {"method": "given", "parts": draw(st.sampled_from(PATHS_OF_PARTS))}
    if method == "given":
        parts = draw(st.sampled_from([{"train": 0, "test": 1.5}, {"train": "a", "validation": 2}]))
        found["parts"] = parts
    if method == "stratified" and strata:
        found |= {"method": method, "by": draw(st.sampled_from(strata))}
    elif method in ("hash", "group", "given"):
        found |= {"method": method, "by": draw(st.sampled_from([*single, key]))}
    if found.get("method") in ("stratified", "hash", "group"):
        found |= draw(some(seed=SEEDS))
    return found


@st.composite
def records(draw: st.DrawFn) -> Data:
    order, rows = st.sampled_from(["shuffled", "source"]), st.integers(1, 1024)
    found = draw(some(rows_per_record=rows, shards=COUNTS, read_cycle=COUNTS, order=order))
    if draw(st.booleans()):
        found |= {"compression": "zlib"} | draw(some(level=st.integers(1, 9)))
    return found


def functions() -> Some[Data]:
    path = st.builds("{}.{}:{}".format, NAMES, NAMES, NAMES)
    by_target = st.fixed_dictionaries(dict.fromkeys(TARGETS, path))
    return st.fixed_dictionaries({"import": path | by_target}, optional={"import_path": PATHS})


@st.composite
def layers(draw: st.DrawFn, taken: Data, label: Data) -> Data:
    """Layers that take the input and give what the label needs."""
    shape, found = taken.get("shape", []), list[Any]()
    if len(shape) == 2 and draw(st.booleans()):
        shape = [*shape, 1]
        found.append({"reshape": {"shape": shape}})
    if len(shape) == 3:
        size = shape[:2]
        for _ in range(draw(st.integers(0, 3))):
            layer, size = draw(an_image_layer(size))
            found.append(layer)
    keys = {"activation": ACTIVATIONS, "use_bias": st.booleans()}
    dense = st.fixed_dictionaries({"units": SIZES}, optional=keys)
    hidden = draw(st.lists(st.fixed_dictionaries({"dense": dense}), max_size=2))
    last = {"dense": {"units": label.get("classes") or prod(label.get("shape", []))}}
    return {"layers": [*found, "flatten", *hidden, last]}


@st.composite
def an_image_layer(draw: st.DrawFn, size: list[int]) -> tuple[Any, list[int]]:
    """A layer whose window fits, and the height and width that it gives."""
    window = [draw(st.integers(1, side)) for side in size]
    strides = draw(st.lists(st.integers(1, 3), min_size=2, max_size=2))
    padding = draw(st.sampled_from(["valid", "same"]))
    keys = {"strides": draw(spelt(strides)), "padding": padding}
    if draw(st.booleans()):
        keys |= {"kernel_size": draw(spelt(window)), "filters": draw(SIZES)}
        layer = {"conv2d": keys | draw(some(activation=ACTIVATIONS, use_bias=st.booleans()))}
    else:
        layer = {"max_pool2d": keys | {"pool_size": draw(spelt(window))}}
    lost = [0, 0] if padding == "same" else [side - 1 for side in window]
    return layer, [-((lost[axis] - size[axis]) // strides[axis]) for axis in range(2)]


def spelt(pair: list[int]) -> Some[Any]:
    """A pair as it is, or as the one number that both are."""
    return st.sampled_from([pair, pair[0]] if pair[0] == pair[1] else [pair])


@st.composite
def train(draw: st.DrawFn, is_sparse: bool, has_validation: bool) -> Data:
    rate, share = {"learning_rate": st.floats(1e-9, 10)}, st.floats(0, 0.999)
    nesterov = {"momentum": st.floats(0.1, 1), "nesterov": st.booleans()}
    adam = {"beta_1": share, "beta_2": share, "epsilon": st.floats(1e-12, 1)}
    optimizer = st.one_of(
        st.fixed_dictionaries({"name": st.just("sgd"), **rate}),
        st.fixed_dictionaries({"name": st.just("sgd"), **rate, **nesterov}),
        st.fixed_dictionaries({"name": st.just("adam"), **rate}, optional=adam),
    )
    window = st.fixed_dictionaries({"kind": st.just("window")}, optional={"rows": COUNTS})
    optional = some(
        shuffle=st.just({"kind": "none"}) | window,
        last_batch=st.sampled_from(["keep", "drop"]),
        seed=SEEDS,
        checkpoint=some(every_steps=COUNTS, keep=COUNTS),
        precision=st.just("float32"),
        l2=st.just(0),
        **({"metrics": st.just(["accuracy"])} if is_sparse else {}),
        **({"validate_every": COUNTS} if has_validation else {}),
    )
    return {
        "batch_size": draw(st.integers(1, 1_000)),
        draw(st.sampled_from(["epochs", "steps"])): draw(COUNTS),
        "optimizer": draw(optimizer),
        "loss": "sparse_categorical_crossentropy" if is_sparse else "mse",
        **draw(optional),
    }


@st.composite
def how(draw: st.DrawFn, inputs: list[Data]) -> Data:
    """The *how* of a spec, or what a variant changes of it: no key depends on an absent one."""
    ready = st.just("auto") | COUNTS
    target = draw(st.sampled_from(list(TARGETS)))
    giver = st.sampled_from(WORKING[target, "buffers.input"])
    method = draw(st.sampled_from(WORKING[target, "buffers.method"]))
    buffers = {"method": method}
    if method == "two_variable":
        # The base may have another target, and an input that only this has.
        buffers |= {"input": draw(giver)} | draw(some(swap=st.just("cond"), depth=st.just(2)))
    if all(map(is_found_again, inputs)):
        buffers |= draw(some(wire=st.sampled_from(["narrow", "plain"])))
    devices = {"compute": draw(st.sampled_from(["cpu:0", "gpu:0", "gpu:7"]))}
    devices |= draw(some(fallback=st.sampled_from(["cpu", "error"])))
    return {"target": target, "buffers": buffers} | draw(
        some(
            pipeline=some(parallel_calls=ready, host_prefetch=ready, cache=st.just("none")),
            devices=st.just(devices),
            distribute=st.just({"strategy": "none"}),
        )
    )


def is_found_again(placeholder: Data) -> bool:
    """Whether a stored value can be computed from what a plain wire carries."""
    scaled = placeholder.keys() & {"scale", "offset", "mean", "std"}
    if not scaled:
        return placeholder["dtype"] in {*SHORT, "bool", "float16", "float32"}
    scale = placeholder.get("scale", 1)
    is_factor = scaled <= {"scale", "std"} and 0 not in (
        scale if isinstance(scale, list) else [scale]
    )
    return placeholder["dtype"] in SHORT and is_factor


def test_whatever_is_valid_makes_clean_modules(tmp_path: Path) -> None:
    made: list[Module] = []
    numbers = count()

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(specs())
    def make(spec: Data) -> None:
        result = compiled(json.dumps(spec).encode("ascii"))
        for module in modules(result, str(next(numbers))):
            assert is_laid_out(module.text, module.python)
            ast.parse(module.text)
            made.append(module)

    make()
    assert ruff_says(made, tmp_path) == ""
    assert vermin_says(made, tmp_path) == ""
