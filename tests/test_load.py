"""Each field that is wrong gives one diagnostic, in the words of the language and at its place."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen.diagnostics import CODES, Diagnostic, Position
from specgen.document import Document, Path
from specgen.load import load, spec_of
from specgen.parse import parse
from specgen.spec import Spec
from specgen.spec.model import Concatenate, Dense, Flatten, MaxPool2D
from specgen.spec.optimizers import Cosine, Sgd
from specgen.spec.source import Npz
from specgen.spec.train import ShuffleWindow, TopK

FILE = "specs/x.yaml"

START: Mapping[Path, Position] = {(): Position(1, 1)}

# A line for each key, so that a key's place here is its line in the spec.
LINES = {
    "specgen": "1",
    "name": "digits",
    "source": "{kind: npz, path: digits.npz}",
    "placeholders": "{image: {dtype: uint8, shape: [8, 8]}, label: {dtype: int64, role: label}}",
    "model": "{layers: [flatten, dense: {units: 10}]}",
    "train": "{batch_size: 64, epochs: 1, optimizer: {name: sgd, learning_rate: 0.1}, loss: mse}",
}

# Without its last bracket, for more keys.
TRAIN = LINES["train"][:-1]


def document(**lines: str) -> Document:
    text = "".join(f"{key}: {value}\n" for key, value in (LINES | lines).items())
    parsed, diagnostics = parse(text.encode(), FILE)
    assert parsed is not None
    assert diagnostics == []
    return parsed


def test_the_sections_make_the_spec_that_was_said() -> None:
    sections, diagnostics = load(document())
    spec = spec_of(sections)
    assert diagnostics == []
    assert spec == Spec.model_validate(document().data)
    assert spec.source == Npz(kind="npz", path="digits.npz")
    assert spec.placeholders["image"].shape == (8, 8)
    assert spec.model.layers == (Flatten(), Dense(units=10))
    assert spec.train.optimizer == Sgd(name="sgd", learning_rate=0.1)
    assert spec.train.shuffle == ShuffleWindow(kind="window", rows=8192)


def test_valid_sections_are_handed_on_beside_wrong_ones() -> None:
    sections, diagnostics = load(document(train="{batch_size: 0}", extra="1"))
    assert {diagnostic.field.partition(".")[0] for diagnostic in diagnostics} == {"train", "extra"}
    assert set(sections) == set(Spec.model_fields) - {"train"}
    assert sections["model"].layers == (Flatten(), Dense(units=10))
    assert sections["target"] == "tf2"


def test_what_a_list_may_hold() -> None:
    layers = "[max_pool2d, flatten: {}, concatenate: {image: [max_pool2d: {pool_size: [2, 3]}]}]"
    train = f"{TRAIN}, metrics: [top_k: {{k: 5}}]}}"
    sections, diagnostics = load(document(model=f"{{layers: {layers}}}", train=train))
    assert diagnostics == []
    assert sections["model"].layers == (
        MaxPool2D(),
        Flatten(),
        Concatenate({"image": (MaxPool2D(pool_size=(2, 3)),)}),
    )
    assert sections["train"].metrics == (TopK(k=5),)


def test_an_integer_stands_for_a_float_and_a_schedule_for_a_rate() -> None:
    rate = "{schedule: cosine, initial: 1, decay_steps: 10}"
    train = LINES["train"].replace("0.1", rate)
    learning_rate = load(document(train=train))[0]["train"].optimizer.learning_rate
    assert learning_rate == Cosine(schedule="cosine", initial=1.0, decay_steps=10)
    assert type(learning_rate.initial) is float


@pytest.mark.parametrize("text", ["on", "no", "1:30", "2018-01-01", "1_000", "''"])
def test_a_text_is_a_text(text: str) -> None:
    sections, diagnostics = load(document(description=text))
    assert diagnostics == []
    assert sections["description"] == text.strip("'")


# What the cases abbreviate.
WORDS = {
    "A_NAME": "a name of at most 64 small letters, digits and _, a letter first,",
    "DTYPES": "bool, uint8, int8, uint16, int16, int32, int64, float16, float32, float64 or string",
    "KINDS": "npz, csv, tfrecord, images, synthetic or python",
    "LAYERS": (
        "flatten, reshape, dense, conv2d, max_pool2d, average_pool2d, global_average_pool2d, "
        "dropout, batch_norm, embedding, masked_mean or concatenate"
    ),
    "TRAIN_KEYS": (
        "batch_size, epochs, steps, optimizer, loss, metrics, shuffle, last_batch, seed, l2, "
        "clip_norm, label_smoothing, augment, precision, validate_every, early_stopping, "
        "checkpoint and log"
    ),
    "TRAIN": TRAIN,
    "WITH_RATE": "{batch_size: 64, steps: 1, loss: mse, optimizer: {name: sgd, learning_rate:",
}

# A key and its value; for each diagnostic its column, code and field, the message, and the hint.
CASES = r"""
specgen: 2
  10 SG205 specgen
    at most 1 is wanted, not 2

specgen: true
  10 SG203 specgen
    a whole number is wanted, not true

specgen: 1.0
  10 SG203 specgen
    a whole number is wanted, not 1.0
    hint: write 1

name: Digits-1
  7 SG206 name
    A_NAME is wanted, not the text "Digits-1"

name: true
  7 SG203 name
    A_NAME is wanted, not true
    hint: quote it

description: true
  14 SG203 description
    a text is wanted, not true
    hint: quote it

description: 2018
  14 SG203 description
    a text is wanted, not 2018
    hint: quote it

source: npz
  9 SG203 source
    a mapping with the key kind is wanted, not the text "npz"
    hint: write {kind: npz}

source: {path: x.npz}
  1 SG202 source.kind
    this key is required
    hint: it is one of KINDS

source: {knd: npz}
  10 SG201 source.knd
    this key is unknown
    hint: did you mean kind?

source: {kind: nps}
  16 SG204 source.kind
    "nps" is not one of KINDS
    hint: did you mean npz?

source: {kind: true}
  16 SG204 source.kind
    one of KINDS is wanted, not true

source: {kind: npz, path: x.npz, header: false}
  34 SG201 source.header
    this key is for csv, not for npz

source: {kind: npz, path: ''}
  27 SG205 source.path
    a path, a text that is not empty and has no NUL, is wanted, not the text ""

source: {kind: csv, path: x.csv, delimiter: ', '}
  45 SG205 source.delimiter
    one character that does not end a line is wanted, not the text ", "

source: {kind: csv, path: x.csv, missing: [na, no, NO, 1]}
  56 SG203 source.missing[3]
    a text is wanted, not 1
    hint: quote it

source: {kind: synthetic}
  1 SG202 source.rows
    this key is required

source: {kind: python, import: "a:b\nimport os"}
  32 SG205 source.import
    module:function is wanted, not the text "a:b\nimport os"

placeholders: {}
  15 SG205 placeholders
    at least one entry is wanted here

placeholders: [image]
  15 SG203 placeholders
    a mapping is wanted, not a list

placeholders: {image: {dtype: uint8, shape: 8}}
  45 SG203 placeholders.image.shape
    a list is wanted, not 8
    hint: put it between [ and ]

placeholders: {image: {dtype: uint8, shape: [8, null, 0]}}
  55 SG205 placeholders.image.shape[2]
    at least 1 is wanted, not 0

placeholders: {image: {dtype: float, scale: '1e-3'}}
  31 SG204 placeholders.image.dtype
    "float" is not one of DTYPES
    hint: did you mean float64?
  45 SG203 placeholders.image.scale
    a number or a list with one for each channel is wanted, not the text "1e-3"
    hint: drop the quotes: 1e-3

placeholders: {image: {dtype: uint8, image: {resize: [8], exact: yes}}}
  54 SG205 placeholders.image.image.resize
    a pair is wanted, not a list of 1
  66 SG203 placeholders.image.image.exact
    true or false is wanted, not the text "yes"
    hint: write true

placeholders: {image: {dtype: uint8, std: [1, 0]}}
  47 SG205 placeholders.image.std[1]
    more than 0 is wanted, not 0

placeholders: {'a b': {role: inptu}}
  16 SG202 placeholders."a b".dtype
    this key is required
  30 SG204 placeholders."a b".role
    "inptu" is not one of input, label, weight or key
    hint: did you mean input?

splits: {parts: {train: true}}
  25 SG203 splits.parts.train
    a fraction (for given a path or a column value) is wanted, not true
    hint: quote it

splits: {parts: {validation: 0.1}}
  10 SG202 splits.parts.train
    this key is required

splits: {seed: -1}
  16 SG205 splits.seed
    at least 0 is wanted, not -1

splits: {seed: 4294967296}
  16 SG205 splits.seed
    at most 4294967295 is wanted, not 4294967296

records: {compression: NO}
  24 SG204 records.compression
    "NO" is not one of none, gzip or zlib
    hint: did you mean none?

records: {compression: gz, level: 10}
  24 SG204 records.compression
    "gz" is not one of none, gzip or zlib
    hint: did you mean gzip?
  35 SG205 records.level
    at most 9 is wanted, not 10

records: {shards: 1e1}
  19 SG203 records.shards
    a whole number is wanted, not 10.0
    hint: write 10

records: 3
  10 SG203 records
    a mapping is wanted, not 3

model: {layers: [dens: {units: 3}]}
  18 SG204 model.layers[0]
    "dens" is not one of LAYERS
    hint: did you mean dense?

model: {layers: [dense]}
  18 SG202 model.layers[0]
    dense needs parameters
    hint: write dense: and its parameters

model: {layers: [{dense: {units: 3}, activation: relu}, 3]}
  18 SG203 model.layers[0]
    one layer is wanted here, not a mapping of 2 keys
    hint: begin each layer with a dash, and indent its parameters below its name
  57 SG203 model.layers[1]
    a layer is wanted, not 3

model: {layers: [flatten, dense: {units: 10, activation: softmax}]}
  58 SG204 model.layers[1].dense.activation
    "softmax" is not one of none, relu, tanh, sigmoid or gelu
    hint: the loss takes logits; leave the softmax out

model: {layers: [dense: {units: 10}, softmax]}
  38 SG204 model.layers[1]
    "softmax" is not one of LAYERS
    hint: the loss takes logits; leave the softmax out

model: {layers: [dense: {units: 10}, softmax: {axis: -1}]}
  38 SG204 model.layers[1]
    "softmax" is not one of LAYERS
    hint: the loss takes logits; leave the softmax out

model: {layers: [dense: {units: 10, activation: softmax}, dense: {units: 10}]}
  49 SG204 model.layers[0].dense.activation
    "softmax" is not one of none, relu, tanh, sigmoid or gelu

model: {layers: [units: 3]}
  18 SG204 model.layers[0]
    "units" is not one of LAYERS
    hint: as a parameter of dense or embedding, indent it further

model: {layers: [dense: {unit: 3}]}
  26 SG201 model.layers[0].dense.unit
    this key is unknown
    hint: did you mean units?

model: {layers: [dropout: {rate: 50}]}
  34 SG205 model.layers[0].dropout.rate
    less than 1 is wanted, not 50

model: {layers: {dense: {units: 3}}}
  17 SG203 model.layers
    a list is wanted, not a mapping
    hint: put it between [ and ]

model: {layers: []}
  17 SG205 model.layers
    at least one entry is wanted here

model: {layers: [conv2d: {filters: 4, kernel_size: [3, 3, 3], strides: true}]}
  52 SG205 model.layers[0].conv2d.kernel_size
    a pair is wanted, not a list of 3
  72 SG203 model.layers[0].conv2d.strides
    a whole number or a pair of them is wanted, not true

model: {layers: [concatenate: {image: [flatten, dense: {}], label: flatten}]}
  49 SG202 model.layers[0].concatenate.image[1].dense.units
    this key is required
  68 SG203 model.layers[0].concatenate.label
    a list is wanted, not the text "flatten"
    hint: put it between [ and ]

model: {import: {tf2: m:f, tf3: m:f}}
  28 SG201 model.import.tf3
    this key is unknown
    hint: did you mean tf2?

model: {import: digits}
  17 SG205 model.import
    module:function is wanted, not the text "digits"

train: {batchsize: 64, prefech: 2, epochs: 1, optimizer: {name: sgd, learning_rate: 1}, loss: mse}
  9 SG201 train.batchsize
    this key is unknown
    hint: did you mean batch_size?
  24 SG201 train.prefech
    this key is unknown
    hint: the keys here are TRAIN_KEYS

train: {epochs: 1}
  1 SG202 train.batch_size
    this key is required
  1 SG202 train.optimizer
    this key is required
  1 SG202 train.loss
    this key is required

train: TRAIN, steps: 1e3}
  98 SG203 train.steps
    a whole number is wanted, not 1000.0
    hint: write 1000

train: TRAIN, steps: '10'}
  98 SG203 train.steps
    a whole number is wanted, not the text "10"
    hint: drop the quotes: 10

train: TRAIN, steps: 1_000}
  98 SG203 train.steps
    a whole number is wanted, not the text "1_000"
    hint: write 1000

train: TRAIN, steps: 2.7}
  98 SG203 train.steps
    a whole number is wanted, not 2.7

train: TRAIN, steps: true}
  98 SG203 train.steps
    a whole number is wanted, not true

train: TRAIN, l2: '1e-3', clip_norm: .inf, label_smoothing: .nan}
  95 SG203 train.l2
    a number is wanted, not the text "1e-3"
    hint: drop the quotes: 1e-3
  114 SG205 train.clip_norm
    a finite number is wanted, not .inf
  137 SG205 train.label_smoothing
    a finite number is wanted, not .nan

train: TRAIN, log: {tensorboard: yes}}
  110 SG203 train.log.tensorboard
    true or false is wanted, not the text "yes"
    hint: write true

train: TRAIN, log: {tensorboard: 'False'}}
  110 SG203 train.log.tensorboard
    true or false is wanted, not the text "False"
    hint: drop the quotes: False

train: TRAIN, metrics: accuracy}
  100 SG203 train.metrics
    a list is wanted, not the text "accuracy"
    hint: put it between [ and ]

train: TRAIN, metrics: [top_k, top_k: {k: 0}, acc]}
  101 SG202 train.metrics[0]
    top_k needs parameters
    hint: write top_k: and its parameters
  119 SG205 train.metrics[1].top_k.k
    at least 1 is wanted, not 0
  123 SG204 train.metrics[2]
    "acc" is not one of accuracy, top_k, auc, mae or mse
    hint: did you mean accuracy?

train: TRAIN, shuffle: none}
  100 SG203 train.shuffle
    a mapping with the key kind is wanted, not the text "none"
    hint: write {kind: none}

train: TRAIN, shuffle: {rows: 3}}
  91 SG202 train.shuffle.kind
    this key is required
    hint: it is one of window, full or none

train: TRAIN, augment: [flip, shift: 3]}
  114 SG203 train.augment[1].shift
    a mapping is wanted, not 3

train: {batch_size: 64, steps: 1, loss: mse, optimizer: {name: Adam}}
  64 SG204 train.optimizer.name
    "Adam" is not one of sgd, adam, adamw or rmsprop
    hint: did you mean adam?

train: WITH_RATE [0.1]}}
  84 SG203 train.optimizer.learning_rate
    a number or a mapping that describes a schedule is wanted, not a list

train: WITH_RATE {schedule: cosine, initial: 0}}}
  112 SG205 train.optimizer.learning_rate.initial
    more than 0 is wanted, not 0
  69 SG202 train.optimizer.learning_rate.decay_steps
    this key is required

train: WITH_RATE 0.1, beta_1: 0.9}}
  89 SG201 train.optimizer.beta_1
    this key is for adam and adamw, not for sgd

pipeline: {parallel_calls: Auto}
  28 SG203 pipeline.parallel_calls
    auto or a whole number is wanted, not the text "Auto"
    hint: did you mean auto?

pipeline: {host_prefetch: '2'}
  27 SG203 pipeline.host_prefetch
    auto or a whole number is wanted, not the text "2"
    hint: drop the quotes: 2

buffers: {method: two, swop: cond}
  19 SG204 buffers.method
    "two" is not one of feed, prefetch, two_variable, staging_area or prefetch_to_device
    hint: did you mean two_variable?
  24 SG201 buffers.swop
    this key is unknown
    hint: did you mean swap?

buffers: {depth: 1}
  18 SG205 buffers.depth
    at least 2 is wanted, not 1

devices: {compute: [0]}
  21 SG203 devices.compute[0]
    a device as cpu:0 or gpu:0 is wanted, not 0

devices: {compute: gpu}
  20 SG205 devices.compute
    auto, or a device as cpu:0 or gpu:0, is wanted, not the text "gpu"

devices: {memory: {fraction: 1.5}}
  30 SG205 devices.memory.fraction
    at most 1 is wanted, not 1.5

distribute: [mirrored]
  13 SG203 distribute
    a mapping is wanted, not a list

varient: {}
  1 SG201 varient
    this key is unknown
    hint: did you mean variants?
"""


def case(text: str) -> tuple[str, str, list[Diagnostic]]:
    for short, long in WORDS.items():
        text = re.sub(rf"\b{short}\b", long, text)
    written, *expected = text.splitlines()
    key, _, value = written.partition(": ")
    line = list(LINES | {key: value}).index(key) + 1
    diagnostics: list[Diagnostic] = []
    for told in re.split(r"\n  (?=\w)", "\n" + "\n".join(expected))[1:]:
        place, message, hint = (row.strip() for row in f"{told}\n".split("\n")[:3])
        column, code, field = place.split(" ", 2)
        position = Position(line, int(column))
        hint = hint.removeprefix("hint: ")
        diagnostics.append(Diagnostic(FILE, position, code, field, message, hint))
    return key, value, diagnostics


@pytest.mark.parametrize("text", CASES.strip().split("\n\n"))
def test_a_mistake(text: str) -> None:
    key, value, expected = case(text)
    assert load(document(**{key: value}))[1] == expected


def test_all_mistakes_are_named_in_one_run() -> None:
    assert load(Document(FILE, {"train": 3, "targets": "tf2"}, START, START))[1] == [
        Diagnostic(FILE, Position(1, 1), code, field, message, hint)
        for code, field, message, hint in [
            ("SG202", "specgen", "this key is required", ""),
            ("SG202", "name", "this key is required", ""),
            ("SG202", "source", "this key is required", ""),
            ("SG202", "placeholders", "this key is required", ""),
            ("SG202", "model", "this key is required", ""),
            ("SG203", "train", "a mapping is wanted, not 3", ""),
            ("SG201", "targets", "this key is unknown", "did you mean target?"),
        ]
    ]


TEXTS = st.text(st.characters())  # Halves of surrogate pairs among them.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from([*Spec.model_fields, "x"]) | TEXTS, VALUES, max_size=5))
@settings(deadline=None)
def test_no_document_makes_load_raise(data: dict[str, Any]) -> None:
    for diagnostic in load(Document(FILE, data, START, START))[1]:
        assert diagnostic.code in CODES
        assert (diagnostic.message + diagnostic.hint).isprintable()
