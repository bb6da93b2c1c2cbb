"""The rule book, rule by rule: a spec with one mistake, and the whole diagnostic that comes of it.

A `^` in a spec marks where a diagnostic must point; it is not part of the text.
"""

import inspect
from importlib import import_module
from pkgutil import iter_modules

import pytest

from specgen import checks
from specgen.checks import CHECKS, run_checks
from specgen.diagnostics import Diagnostic, Position, Severity
from specgen.load import load
from specgen.parse import parse
from specgen.spec import Spec
from specgen.variants import expand

FILE = "spec.yaml"

IMAGE = "image: {dtype: uint8, shape: [8, 8]}"
LABEL = "label: {dtype: int64, role: label, classes: 10}"
OPTIMIZER = "optimizer: {name: sgd, learning_rate: 0.1}"
FIT = f"batch_size: 64, epochs: 2, {OPTIMIZER}"
SPARSE = "loss: sparse_categorical_crossentropy"

# A spec without mistakes; the cases replace its lines or add some.
BASE = {
    "specgen": "1",
    "name": "digits",
    "source": "{kind: npz, path: digits.npz}",
    "placeholders": f"{{{IMAGE}, {LABEL}}}",
    "model": "{layers: [flatten, dense: {units: 10}]}",
    "train": f"{{{FIT}, {SPARSE}}}",
}
FLOAT_LABEL = "label: {dtype: float32, role: label}"
REGRESSION = {
    "placeholders": f"{{{IMAGE}, {FLOAT_LABEL}}}",
    "model": "{layers: [flatten, dense: {units: 1}]}",
    "train": f"{{{FIT}, loss: mse}}",
}


BY_WHO = {"splits": "{method: group, by: who}"}


def with_image(description: str) -> dict[str, str]:
    return {"placeholders": f"{{image: {{{description}}}, {LABEL}}}"}


def with_label(description: str) -> dict[str, str]:
    return {"placeholders": f"{{{IMAGE}, label: {{role: label, {description}}}}}"}


def checked(lines: dict[str, str]) -> tuple[list[Diagnostic], list[Position]]:
    """What the checks say of a spec, and the places that are marked in it."""
    written = {key.strip("^"): f"{key}: {value}" for key, value in [*BASE.items(), *lines.items()]}
    marked = list(written.values())
    marks = [
        Position(number, column - line[:column].count("^") + 1)
        for number, line in enumerate(marked, 1)
        for column, character in enumerate(line)
        if character == "^"
    ]
    document, diagnostics = parse("\n".join(marked).replace("^", "").encode(), FILE)
    assert document is not None
    variants, of_variants = expand(document)
    diagnostics += of_variants
    for variant in variants:
        sections, of_fields = load(variant)
        assert diagnostics + of_fields == []
        diagnostics += run_checks(sections, variant)
    return diagnostics, marks


def assert_says(
    lines: dict[str, str],
    code: str,
    field: str,
    message: str,
    hint: str = "",
    severity: Severity = "error",
) -> None:
    diagnostics, marks = checked(lines)
    assert diagnostics == [
        Diagnostic(FILE, mark, code, field, message, hint, severity) for mark in marks
    ]
    assert len(marks) == 1


def test_the_base_has_no_mistake() -> None:
    assert checked({}) == ([], [])


def test_every_check_is_in_the_rule_book_and_reads_what_there_is() -> None:
    modules = [import_module(f"specgen.checks.{m.name}") for m in iter_modules(checks.__path__)]
    defined = {
        function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if name.startswith("check_")
    }
    assert defined == set(CHECKS)
    for check in CHECKS:
        assert set(inspect.signature(check).parameters) <= {
            *Spec.model_fields,
            "sections",
            "document",
        }


def test_a_check_runs_where_what_it_reads_is_valid() -> None:
    document, _ = parse(b"splits: {by: x}\nplaceholders: {y: {dtype: int8}}\nmodel: 3\n", FILE)
    assert document is not None
    sections, _ = load(document)
    assert {d.field for d in run_checks(sections, document)} == {
        "placeholders",
        "splits.by",
    }


# -- support ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "field", "message", "hint"),
    [
        (
            {"model": "{layers: [flatten, ^dropout: {rate: 0.5}, dense: {units: 10}]}"},
            "model.layers[1]",
            "dropout is not supported yet on target tf2",
            "flatten, reshape, dense, conv2d and max_pool2d work now",
        ),
        (
            {
                "train": "{batch_size: 1, steps: 1, optimizer: {name: sgd, learning_rate: "
                f"^{{schedule: cosine, initial: 1, decay_steps: 9}}}}, {SPARSE}}}"
            },
            "train.optimizer.learning_rate",
            "cosine is not supported yet on target tf2",
            "a number works now",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, metrics: [accuracy, ^top_k: {{k: 3}}]}}"},
            "train.metrics[1]",
            "top_k is not supported yet on target tf2",
            "accuracy works now",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, l2: ^0.001}}"},
            "train.l2",
            "this value is not supported yet on target tf2",
            "0 works now",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, augment: [^flip]}}"},
            "train.augment[0]",
            "flip is not supported yet on target tf2",
            "leave it out",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, checkpoint: {{^best: loss}}}}"},
            "train.checkpoint.best",
            "this key is not supported yet on target tf2",
            "leave it out",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, log: {{tensorboard: ^true}}}}"},
            "train.log.tensorboard",
            "true is not supported yet on target tf2",
            "false works now",
        ),
        (
            {"devices": "{^gpu_threads: 4}"},
            "devices.gpu_threads",
            "this key is not supported yet on target tf2",
            "leave it out",
        ),
        (
            {"buffers": "{method: ^prefetch_to_device, depth: 3}"},
            "buffers.method",
            "prefetch_to_device is not supported yet on target tf2",
            "prefetch and two_variable work now",
        ),
        (
            {"buffers": "{method: ^staging_area, depth: 3}"},
            "buffers.method",
            "staging_area cannot work on target tf2: "
            "StagingArea left the public API with TensorFlow 2.0",
            "two_variable also waits on the device",
        ),
        (
            {"buffers": "{input: ^placeholders}"},
            "buffers.input",
            "placeholders cannot work on target tf2: TensorFlow 2 has no placeholders to feed",
            "iterator is the only way there",
        ),
        (
            {"devices": "{compute: ^'cpu:1'}"},
            "devices.compute",
            "cpu:1 and up is not supported yet on target tf2",
            "auto, cpu:0 and gpu:N work now",
        ),
        (
            {"devices": "{compute: ^['gpu:0']}"},
            "devices.compute",
            "a list is not supported yet on target tf2",
            "auto, cpu:0 and gpu:N work now",
        ),
        (
            {"devices": "{memory: {^fraction: 0.5}}"},
            "devices.memory.fraction",
            "this key cannot work on target tf2: TensorFlow 2 limits memory in MB, not by a share",
            "limit_mb is its limit",
        ),
        (
            {"distribute": "{strategy: ^mirrored, divide: stratified}"},
            "distribute.strategy",
            "mirrored is not supported yet on target tf2",
            "none works now",
        ),
        (
            {"target": "tf1.4", "buffers": "{method: ^staging_area}"},
            "buffers.method",
            "staging_area is not supported yet on target tf1.4",
            "prefetch and two_variable work now",
        ),
        (
            {"target": "tf1.4", "buffers": "{method: ^prefetch_to_device}"},
            "buffers.method",
            "prefetch_to_device cannot work on target tf1.4: it came with TensorFlow 1.8",
            "two_variable and staging_area also wait on the device",
        ),
        (
            {"target": "tf1.4", "train": f"{{{FIT}, {SPARSE}, precision: ^mixed_float16}}"},
            "train.precision",
            "mixed_float16 cannot work on target tf1.4: "
            "Keras has mixed precision since TensorFlow 2.4",
            "float32 works there",
        ),
        (
            {"target": "tf1.4", "pipeline": "{^service: {address: a, job_name: b}}"},
            "pipeline.service",
            "this key cannot work on target tf1.4: the tf.data service came with TensorFlow 2.3",
            "leave it out",
        ),
        (
            {"target": "tf1.4", "distribute": "{strategy: ^multi_worker}"},
            "distribute.strategy",
            "multi_worker cannot work on target tf1.4: it came with TensorFlow 1.14",
            "mirrored uses all devices of one machine",
        ),
    ],
)
def test_unsupported_choices(lines: dict[str, str], field: str, message: str, hint: str) -> None:
    assert_says(lines, "SG301", field, message, hint)


@pytest.mark.parametrize(
    "lines",
    [
        {"source": "{kind: npz, path: a.npz, on_error: stop}"},
        {"splits": "{method: even, seed: 3}"},
        {"records": "{compression: zlib, level: 9, order: source, format: packed}"},
        {"train": f"{{{FIT}, {SPARSE}, l2: 0, label_smoothing: 0.0, augment: [], metrics: []}}"},
        {"train": f"{{{FIT}, {SPARSE}, precision: float32, log: {{tensorboard: false}}}}"},
        {"buffers": "{method: two_variable, swap: cond, depth: 2, input: iterator, wire: narrow}"},
        {"buffers": "{method: prefetch, wire: plain}", "pipeline": "{host_prefetch: 2}"},
        {"devices": "{compute: 'gpu:3', fallback: error, memory: {growth: true}}"},
        {"distribute": "{strategy: none}", "pipeline": "{cache: none, parallel_calls: auto}"},
        {"model": "{import: {tf2: 'm:f', tf1.4: 'm:g'}, import_path: models}"},
        {"target": "tf1.4", "buffers": "{method: two_variable, input: placeholders}"},
        {"target": "tf1.4", "devices": "{compute: 'gpu:3', fallback: error}"},
    ],
)
def test_defaults_may_be_said_and_what_works_works(lines: dict[str, str]) -> None:
    assert checked(lines) == ([], [])


@pytest.mark.parametrize(
    ("lines", "field", "message", "hint"),
    [
        (
            {"source": "{kind: npz, path: a.npz, ^max_errors: 3}"},
            "source.max_errors",
            "has no effect under source.on_error stop",
            "it belongs to source.on_error skip",
        ),
        (
            with_image("dtype: uint8, shape: [8, 8], ^columns: [a]"),
            "placeholders.image.columns",
            "has no effect under source.kind npz",
            "it belongs to source.kind csv",
        ),
        (
            with_label("dtype: int8, classes: 10, ^scale: 2"),
            "placeholders.label.scale",
            "has no effect under role label",
            "it belongs to role input",
        ),
        (
            with_image("dtype: uint8, shape: [8, 8], ^classes: 3"),
            "placeholders.image.classes",
            "has no effect under role input",
            "it belongs to role label",
        ),
        (
            with_image("dtype: uint8, shape: [8, 8], ^pad: {length: 3}"),
            "placeholders.image.pad",
            "has no effect under shape a fixed shape",
            "it belongs to shape a size of null",
        ),
        (
            {"splits": "{method: even, ^by: label}"},
            "splits.by",
            "has no effect under splits.method even",
            "it belongs to splits.method stratified, hash, group or given",
        ),
        (
            {"splits": "{^seed: 1}", "records": "{order: source}"},
            "splits.seed",
            "has no effect under splits.method even and records.order source",
            "it belongs to splits.method stratified, hash or group, or records.order shuffled",
        ),
        (
            {"records": "{^level: 6}"},
            "records.level",
            "has no effect under records.compression none",
            "it belongs to records.compression gzip or zlib",
        ),
        (
            {"model": "{layers: [flatten, dense: {units: 10}], ^import_path: models}"},
            "model.import_path",
            "has no effect without model.import",
            "it belongs to model.import",
        ),
        (
            {"buffers": "{method: prefetch, ^swap: cond}"},
            "buffers.swap",
            "has no effect under buffers.method prefetch",
            "it belongs to buffers.method two_variable",
        ),
        (
            {"devices": "{^fallback: cpu}"},
            "devices.fallback",
            "has no effect under devices.compute auto",
            "it belongs to devices.compute cpu:0, gpu:N, cpu:1 and up or a list",
        ),
        (
            {"distribute": "{^divide: even}"},
            "distribute.divide",
            "has no effect under distribute.strategy none",
            "it belongs to distribute.strategy mirrored or multi_worker",
        ),
        (
            {
                "train": "{batch_size: 1, steps: 1, optimizer: "
                f"{{name: sgd, learning_rate: 1, ^nesterov: true}}, {SPARSE}}}"
            },
            "train.optimizer.nesterov",
            "has no effect without momentum",
            "give a momentum",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, ^validate_every: 2}}"},
            "train.validate_every",
            "has no effect without splits.parts.validation",
            "give validation a part of the rows",
        ),
    ],
)
def test_keys_without_effect(lines: dict[str, str], field: str, message: str, hint: str) -> None:
    assert_says(lines, "SG302", field, message, hint)


# -- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "field", "message"),
    [
        ({"name": "^tensorflow"}, "name", "tensorflow is a package that TensorFlow uses"),
        ({"name": "^lib2to3"}, "name", "lib2to3 is a module of Python"),
        ({"name": "^class"}, "name", "class is a keyword of Python"),
        ({"name": "^con"}, "name", "con is a device of Windows"),
    ],
)
def test_names(lines: dict[str, str], field: str, message: str) -> None:
    assert_says(lines, "SG206", field, message, "choose another name")


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ("dtypes", "its script ml_dtypes is a package that TensorFlow uses"),
        ("nul", "nul is a device of Windows"),
    ],
)
def test_names_of_variants(variant: str, message: str) -> None:
    lines = {"name": "ml", "variants": f"{{fast: {{}}, ^{variant}: {{}}}}"}
    assert_says(lines, "SG206", f"variants.{variant}", message, "choose another name")


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ({"model": "{import: ^'a.class:f'}"}, "model.import"),
        ({"model": "{import: {tf2: ^'a.class:f'}}"}, "model.import.tf2"),
    ],
)
def test_imports(lines: dict[str, str], field: str) -> None:
    assert_says(lines, "SG206", field, "a part of a.class:f is a keyword of Python")


# -- keys that exclude or need each other -------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "field", "message", "hint"),
    [
        (
            {"^source": "{kind: npz}"},
            "source",
            "exactly one of path, files, pattern and arrays is needed",
            "",
        ),
        (
            {"^placeholders": f"{{{LABEL}}}"},
            "placeholders",
            "no placeholder has the role input",
            "",
        ),
        (
            {"^placeholders": f"{{{IMAGE}}}"},
            "placeholders",
            "no placeholder has the role label, which the loss needs",
            "say role: label where the answer is",
        ),
        (
            {"placeholders": f"{{{IMAGE}, {LABEL}, more: {{dtype: int8, role: ^label}}}}"},
            "placeholders.more.role",
            "label is the label already",
            "a model learns one label",
        ),
        ({"^model": "{}"}, "model", "exactly one of layers and import is needed", ""),
        (
            {"model": "{layers: [flatten, dense: {units: 10}], ^import: 'm:f'}"},
            "model.import",
            "layers is the model already",
            "keep one of them",
        ),
        (
            {"model": "{^import: {tf1.4: 'm:f'}}"},
            "model.import",
            "there is no function for target tf2",
            "add tf2",
        ),
        (
            {
                "placeholders": f"{{{IMAGE}, other: {{dtype: int8}}, {LABEL}}}",
                "model": "{^layers: [flatten, dense: {units: 10}]}",
            },
            "model.layers",
            "several inputs (image and other) need concatenate as the first layer",
            "use model.import, concatenate is not supported yet",
        ),
        (
            {"^train": f"{{batch_size: 1, {OPTIMIZER}, {SPARSE}}}"},
            "train",
            "exactly one of epochs and steps is needed",
            "",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, ^steps: 5}}"},
            "train.steps",
            "epochs says already how long to train",
            "keep one of them",
        ),
        (
            {"train": f"{{{FIT}, {SPARSE}, metrics: [accuracy, ^accuracy]}}"},
            "train.metrics[1]",
            "accuracy is listed already",
            "remove it",
        ),
        (
            {**REGRESSION, "train": f"{{{FIT}, loss: mse, metrics: [^accuracy]}}"},
            "train.metrics[0]",
            "accuracy needs classes, mse has none",
            "remove it",
        ),
        (
            {"buffers": "{depth: ^3}"},
            "buffers.depth",
            "two_variable has 2 buffers unless a thread fills them, not 3",
            "depth: 2",
        ),
        (
            {"devices": "{^memory: {}}"},
            "devices.memory",
            "exactly one of growth, limit_mb and fraction is needed",
            "growth: true works now",
        ),
    ],
)
def test_contradictions(lines: dict[str, str], field: str, message: str, hint: str) -> None:
    assert_says(lines, "SG303", field, message, hint)


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ({"devices": "{memory: {growth: true, ^limit_mb: 9}}"}, "devices.memory.limit_mb"),
    ],
)
def test_what_is_refused_as_such_contradicts_nothing(lines: dict[str, str], field: str) -> None:
    refused, marks = checked(lines)
    assert [(d.code, d.field, d.position) for d in refused] == [("SG301", field, marks[0])]


# -- placeholders -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        (
            {"placeholders": f"{{{IMAGE}, ^label: {{role: label, dtype: int64}}}}"},
            "SG202",
            "placeholders.label.classes",
            "sparse_categorical_crossentropy needs the number of classes",
            "",
        ),
        (
            with_label("dtype: ^float32"),
            "SG305",
            "placeholders.label.dtype",
            "sparse_categorical_crossentropy needs an integer label, not float32",
            "int64 holds class numbers",
        ),
        (
            with_label("dtype: float32, classes: ^10"),
            "SG305",
            "placeholders.label.classes",
            "classes need an integer dtype, not float32",
            "",
        ),
        (
            with_label("dtype: int64, shape: ^[1], classes: 10"),
            "SG305",
            "placeholders.label.shape",
            "sparse_categorical_crossentropy needs one class number a row, the shape []",
            "leave the shape out",
        ),
        (
            with_label("dtype: int8, classes: ^129")
            | {"model": "{layers: [flatten, dense: {units: 129}]}"},
            "SG306",
            "placeholders.label.classes",
            "int8 holds only 128 classes",
            "choose a larger dtype",
        ),
        (
            REGRESSION | with_label("dtype: ^bool"),
            "SG305",
            "placeholders.label.dtype",
            "mse needs a label of numbers, not bool",
            "uint8 holds 0 and 1",
        ),
        (
            with_image("dtype: uint8, shape: [8, 8, 3], mean: ^[1, 2]"),
            "SG305",
            "placeholders.image.mean",
            "2 numbers do not fit the 3 channels",
            "",
        ),
        (
            with_image("dtype: uint8, scale: ^[1.0]"),
            "SG305",
            "placeholders.image.scale",
            "a list needs channels, but the shape is []",
            "give a number",
        ),
        (
            with_image("dtype: uint8, shape: [2], offset: [0, ^1e39]"),
            "SG205",
            "placeholders.image.offset[1]",
            "1e+39 is out of the range of float32, the compute dtype",
            "",
        ),
        (
            with_image("dtype: uint8, std: ^1e-46"),
            "SG205",
            "placeholders.image.std",
            "1e-46 is out of the range of float32, the compute dtype",
            "",
        ),
    ],
)
def test_placeholders(
    lines: dict[str, str], code: str, field: str, message: str, hint: str
) -> None:
    assert_says(lines, code, field, message, hint)


CSV = {"source": "{kind: csv, path: a.csv}", "model": "{import: 'm:f'}"}
PYTHON = {"source": "{kind: python, import: 'm:f'}", "model": "{import: 'm:f'}"}
VARIABLE = "dtype: int64, shape: [null], encoding: tokens, hash_buckets: 9"


def classes_of(description: str) -> dict[str, str]:
    return {"placeholders": f"{{x: {{dtype: int8}}, label: {{role: label, {description}}}}}"}


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        (
            with_image("dtype: uint8") | {"source": "{kind: csv, path: a.csv, delimiter: ^'\"'}"},
            "SG205",
            "source.delimiter",
            "quotation marks enclose cells, and cannot separate them",
            "",
        ),
        (
            {"source": "{kind: npz, path: a.npz, on_error: ^skip}"},
            "SG303",
            "source.on_error",
            "skip is for csv, tfrecord and images, npz is used whole or not at all",
            "leave it out",
        ),
        (
            with_image("dtype: int64, encoding: ^text, hash_buckets: 9")
            | {"source": BASE["source"]},
            "SG303",
            "placeholders.image.encoding",
            "npz has no texts",
            "csv, tfrecord and python have",
        ),
        (
            with_image("dtype: ^string"),
            "SG305",
            "placeholders.image.dtype",
            "only a key and an encoded image can be a string",
            "encoding: text with a vocabulary or hash_buckets makes numbers of texts",
        ),
        (
            with_image("dtype: uint8, shape: [4, 4, 3], encoding: ^image"),
            "SG303",
            "placeholders.image.encoding",
            "csv has no encoded images",
            "",
        ),
        (
            with_image("dtype: uint8, shape: ^[2, 2]"),
            "SG305",
            "placeholders.image.shape",
            "1 column does not fill the shape, which has 4 values",
            "list them under columns",
        ),
        (
            with_image("dtype: uint8, shape: [2, 2], columns: ^[a, b, c]"),
            "SG305",
            "placeholders.image.columns",
            "3 columns do not fill the shape, which has 4 values",
            "",
        ),
        (
            with_image("dtype: uint8, columns: ^[a, b]"),
            "SG305",
            "placeholders.image.columns",
            "2 columns do not fill the shape, which has 1 value",
            "",
        ),
        (
            with_image("dtype: uint8, shape: ^[null], pad: {length: 3}"),
            "SG305",
            "placeholders.image.shape",
            "a table has equally many columns in each row",
            "encoding: tokens splits the text of one column",
        ),
        (
            with_image("dtype: uint8, shape: ^[null]"),
            "SG305",
            "placeholders.image.shape",
            "a table has equally many columns in each row",
            "encoding: tokens splits the text of one column",
        ),
        (
            with_image(f"{VARIABLE}, pad: {{length: 3}}, columns: ^[a, b]"),
            "SG305",
            "placeholders.image.columns",
            "tokens come out of one column, not of 2",
            "",
        ),
        (
            with_image("dtype: int64, encoding: ^text"),
            "SG303",
            "placeholders.image.encoding",
            "a text needs a vocabulary or hash_buckets to become a number",
            "",
        ),
        (
            with_image("dtype: int64, encoding: text, vocabulary: [a], ^hash_buckets: 9"),
            "SG303",
            "placeholders.image.hash_buckets",
            "vocabulary says already what a text becomes",
            "keep one of them",
        ),
        (
            with_image("dtype: ^float32, encoding: text, vocabulary: [a]"),
            "SG305",
            "placeholders.image.dtype",
            "texts become integers, not float32",
            "int64 holds all of them",
        ),
        (
            with_image("dtype: int64, encoding: text, vocabulary: ^'gs://b/words.txt'"),
            "SG205",
            "placeholders.image.vocabulary",
            "a vocabulary lies in a file of this machine",
            "",
        ),
        (
            with_image("dtype: int64, encoding: text, vocabulary: [a, b, ^a]"),
            "SG303",
            "placeholders.image.vocabulary[2]",
            'the text "a" is in it already',
            "remove it",
        ),
        (
            with_image("dtype: uint8, encoding: text, hash_buckets: ^257"),
            "SG306",
            "placeholders.image.hash_buckets",
            "uint8 cannot hold 256",
            "choose a larger dtype",
        ),
        (
            classes_of("dtype: int64, classes: ^10, encoding: text, vocabulary: [a, b]"),
            "SG306",
            "placeholders.label.classes",
            "the texts are 2 classes, not 10",
            "",
        ),
        (
            classes_of("dtype: int64, classes: 10, encoding: text, hash_buckets: ^11"),
            "SG306",
            "placeholders.label.hash_buckets",
            "11 buckets are more than the 10 classes",
            "",
        ),
        (
            with_image("dtype: int64, shape: ^[9], encoding: tokens, hash_buckets: 9"),
            "SG305",
            "placeholders.image.shape",
            "tokens may be few or many: the shape is [null]",
            "pad: {length: N} fills it up",
        ),
        (
            {"placeholders": f"{{^image: {{{VARIABLE}}}, {LABEL}}}"},
            "SG202",
            "placeholders.image.pad",
            "a variable shape needs the length that rows are padded to",
            "pad: {length: N}",
        ),
        (
            with_image(f"{VARIABLE}, ^pad: {{value: -1}}"),
            "SG202",
            "placeholders.image.pad.length",
            "a variable shape needs the length that rows are padded to",
            "pad: {length: N}",
        ),
        (
            with_image(f"{VARIABLE}, pad: {{length: 3, value: ^x}}"),
            "SG305",
            "placeholders.image.pad.value",
            'the text "x" is no int64',
            "",
        ),
        (
            with_image("dtype: int8}, who: {dtype: int8, role: key, shape: ^[2]") | BY_WHO,
            "SG305",
            "placeholders.who.shape",
            "a key is one value, of the shape []",
            "leave the shape out",
        ),
        (
            with_image("dtype: uint8, default: ^256"),
            "SG305",
            "placeholders.image.default",
            "256 is no uint8",
            "",
        ),
        (
            classes_of("dtype: int64, classes: 10, default: ^10"),
            "SG306",
            "placeholders.label.default",
            "10 is none of the 10 classes",
            "",
        ),
    ],
)
def test_cells_of_tables(
    lines: dict[str, str], code: str, field: str, message: str, hint: str
) -> None:
    assert_says(CSV | lines, code, field, message, hint)


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        (
            with_image("dtype: uint8, shape: [4, 4, 3], encoding: ^image"),
            "SG303",
            "placeholders.image.encoding",
            "python has no encoded images",
            "yield arrays",
        ),
        (
            with_image("dtype: int8, shape: [null], pad: {length: 3}, encoding: ^tokens"),
            "SG303",
            "placeholders.image.encoding",
            "a text needs a vocabulary or hash_buckets to become a number",
            "",
        ),
        (
            with_image("dtype: int8, shape: ^[null, 2], pad: {length: 3}"),
            "SG305",
            "placeholders.image.shape",
            "null stands alone: [null], one axis of any length",
            "",
        ),
        (
            with_image("dtype: int8, shape: ^[null], pad: {length: 3}")
            | {"source": BASE["source"]},
            "SG305",
            "placeholders.image.shape",
            "the arrays of npz have one shape in all rows",
            "",
        ),
        (
            with_image("dtype: float32, default: ^16777217"),
            "SG305",
            "placeholders.image.default",
            "16777217 is no float32",
            "",
        ),
        (
            with_image("dtype: float16, default: ^1e6"),
            "SG305",
            "placeholders.image.default",
            "1000000.0 is no float16",
            "",
        ),
        (
            with_image("dtype: bool, default: ^2"),
            "SG305",
            "placeholders.image.default",
            "2 is no bool",
            "",
        ),
        (
            with_image("dtype: int64, default: ^true"),
            "SG305",
            "placeholders.image.default",
            "true is no int64",
            "",
        ),
        (
            with_image("dtype: int64, default: ^1.5"),
            "SG305",
            "placeholders.image.default",
            "1.5 is no int64",
            "",
        ),
        (
            with_image("dtype: float32}, who: {dtype: string, role: key, default: ^3") | BY_WHO,
            "SG305",
            "placeholders.who.default",
            "3 is no string",
            "",
        ),
    ],
)
def test_cells_of_rows_that_a_function_yields(
    lines: dict[str, str], code: str, field: str, message: str, hint: str
) -> None:
    assert_says(PYTHON | lines, code, field, message, hint)


@pytest.mark.parametrize(
    "lines",
    [
        CSV | with_image("dtype: float64, shape: [2, 2], columns: [a, b, c, d]"),
        CSV | with_image("dtype: int8, shape: [2], columns: [a, b], encoding: text, vocabulary: v"),
        CSV | with_image("dtype: uint8, encoding: text, hash_buckets: 256, default: 0"),
        CSV | with_image("dtype: float32, shape: [null], encoding: tokens, pad: {length: 3}"),
        CSV | with_image(f"{VARIABLE}, pad: {{length: 3, value: -1}}, default: -1"),
        CSV
        | with_image("dtype: float16, default: 1}, who: {dtype: string, role: key, default: me")
        | BY_WHO,
        CSV
        | classes_of("dtype: int64, classes: 2, encoding: text, vocabulary: [a, b], default: 1"),
        CSV
        | classes_of("dtype: int64, classes: 3, encoding: text, vocabulary: [a, b], default: 2"),
        CSV | classes_of("dtype: int64, classes: 9, encoding: text, hash_buckets: 8"),
        PYTHON | with_image("dtype: bool, shape: [null], pad: {length: 9, value: true}"),
        PYTHON
        | with_image("dtype: int64, shape: [2], encoding: text, vocabulary: [a], default: 0"),
        PYTHON
        | with_image(
            "dtype: int8, shape: [null], encoding: text, vocabulary: [a], pad: {length: 3}"
        ),
    ],
)
def test_cells_that_work(lines: dict[str, str]) -> None:
    assert checked(lines) == ([], [])


@pytest.mark.parametrize(
    "description",
    [
        "dtype: bool, scale: 2",
        "dtype: uint8, shape: [8, 8], scale: 0.0625, offset: -1",
        "dtype: uint8, shape: [3], mean: [1, 2, 3], std: [0.1, 0.2, 0.3]",
        "dtype: int16, scale: 1e-5, offset: 0.5",
        "dtype: uint16",
        "dtype: float16",
        "dtype: float32, scale: 1, offset: 0, mean: 0, std: 1",
    ],
)
def test_a_plain_wire_carries_what_can_be_traced_back(description: str) -> None:
    assert checked(with_image(description) | {"buffers": "{wire: plain}"}) == ([], [])


@pytest.mark.parametrize(
    "description",
    [
        "dtype: int32",
        "dtype: int64, scale: 0.5",
        "dtype: float64",
        "dtype: float32, scale: 0.5",
        "dtype: float16, mean: 1",
        "dtype: uint8, scale: 0",
        "dtype: uint8, shape: [2], scale: [1, 0]",
        "dtype: uint8, offset: 1e9",
        "dtype: int16, shape: [2], scale: 1e-6, mean: [0, 100]",
    ],
)
def test_a_plain_wire_must_not_lose_values(description: str) -> None:
    lines = with_image(description)
    assert checked(lines | {"buffers": "{wire: narrow}"}) == ([], [])
    assert_says(
        lines | {"buffers": "{wire: ^plain}"},
        "SG303",
        "buffers.wire",
        "a plain wire loses the stored values of image, which --audit has to find again",
        "wire: narrow carries the stored values",
    )


# -- splits and records -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        (
            {"splits": "{method: stratified, by: ^lable}"},
            "SG304",
            "splits.by",
            "there is no placeholder lable",
            "did you mean label?",
        ),
        (
            {"splits": "{method: stratified, by: ^image}"},
            "SG305",
            "splits.by",
            "stratified needs one integer or bool a row, image is not",
            "split by another placeholder, or use method: even",
        ),
        (
            {**REGRESSION, "splits": "{method: ^stratified}"},
            "SG305",
            "splits.method",
            "stratified needs one integer or bool a row, label is not",
            "split by another placeholder, or use method: even",
        ),
        (
            {"splits": "{parts: {train: ^mine, test: 0.5}}"},
            "SG203",
            "splits.parts.train",
            'a fraction is wanted, not the text "mine"',
            "texts belong to method given",
        ),
        (
            {"splits": "{parts: {train: ^'0.8', test: 0.2}}"},
            "SG203",
            "splits.parts.train",
            'a fraction is wanted, not the text "0.8"',
            "drop the quotes: 0.8",
        ),
        (
            {"splits": "{parts: {train: 1, test: ^0}}"},
            "SG205",
            "splits.parts.test",
            "a fraction is above 0 and at most 1, not 0",
            "a part without rows is left out",
        ),
        (
            {"splits": "{parts: {train: ^-0.5, test: 0.5}}"},
            "SG205",
            "splits.parts.train",
            "a fraction is above 0 and at most 1, not -0.5",
            "",
        ),
        (
            {"splits": "{^parts: {train: 0.8, validation: 0.1}}"},
            "SG306",
            "splits.parts",
            "the fractions sum to 0.9, not to 1",
            "",
        ),
        (
            {
                "source": "{kind: synthetic, rows: ^5}",
                "splits": "{parts: {train: 0.8, validation: 0.1, test: 0.1}}",
            },
            "SG306",
            "source.rows",
            "none of the 5 rows is for test",
            "",
        ),
        (
            {
                "source": "{kind: synthetic, rows: 60}",
                "train": f"{{batch_size: ^64, steps: 3, {OPTIMIZER}, {SPARSE}, last_batch: drop}}",
            },
            "SG306",
            "train.batch_size",
            "no batch is full: 60 rows are for training",
            "make it smaller, or last_batch: keep",
        ),
        (
            with_image("dtype: float64, shape: [1024, 1024]")
            | {"records": "{rows_per_record: ^256}"},
            "SG306",
            "records.rows_per_record",
            "one record would hold 2.0 GiB, 2 GiB is the most",
            "put fewer rows into each",
        ),
        (
            {
                "pipeline": "{ram_budget_mb: ^1}",
                "train": f"{{{FIT}, {SPARSE}, shuffle: {{kind: window, rows: 20000}}}}",
            },
            "SG306",
            "pipeline.ram_budget_mb",
            "a window of 20,000 rows takes 1.6 MB, more than 1",
            "raise it, or make train.shuffle.rows smaller",
        ),
    ],
)
def test_splits_and_records(
    lines: dict[str, str], code: str, field: str, message: str, hint: str
) -> None:
    assert_says(lines, code, field, message, hint)


@pytest.mark.parametrize(
    "lines",
    [
        {"splits": "{method: stratified, by: label, parts: {train: 0.7, test: 0.3}}"},
        {"splits": "{parts: {train: 0.3333333, validation: 0.3333333, test: 0.3333333}}"},
        {
            "placeholders": f"{{{IMAGE}, {LABEL}, fold: {{dtype: bool}}}}",
            "model": "{import: 'm:f'}",
            "splits": "{method: stratified, by: fold}",
        },
    ],
)
def test_splits_that_work(lines: dict[str, str]) -> None:
    assert checked(lines) == ([], [])


# -- model --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "field", "message", "hint"),
    [
        (
            {"model": "{layers: [^conv2d: {filters: 4, kernel_size: 3}, flatten]}"},
            "model.layers[0]",
            "conv2d needs [height, width, channels], but gets [8, 8]",
            "put reshape: {shape: [8, 8, 1]} before it",
        ),
        (
            {"model": "{layers: [reshape: {shape: ^[7, 9]}, flatten, dense: {units: 10}]}"},
            "model.layers[0].reshape.shape",
            "[8, 8] has 64 values, [7, 9] 63",
            "",
        ),
        (
            {"model": "{layers: [reshape: {shape: [8, 8, 1]}, max_pool2d: {pool_size: ^9}]}"},
            "model.layers[1].max_pool2d.pool_size",
            "a window of [9, 9] does not fit into [8, 8]",
            "make it smaller, or use padding: same",
        ),
        (
            {"model": "{layers: [flatten, ^dense: {units: 11}]}"},
            "model.layers[1]",
            "the layers give [11], label needs [10], a logit for each class",
            "",
        ),
        (
            {"model": "{layers: [^dense: {units: 10}]}"},
            "model.layers[0]",
            "the layers give [8, 10], label needs [10], a logit for each class",
            "",
        ),
        (
            {**REGRESSION, "model": "{layers: [flatten, ^dense: {units: 2}]}"},
            "model.layers[1]",
            "the layers give [2], but label has 1 value",
            "",
        ),
    ],
)
def test_layers(lines: dict[str, str], field: str, message: str, hint: str) -> None:
    assert_says(lines, "SG305", field, message, hint)


def test_an_activation_on_logits_is_suspicious() -> None:
    assert_says(
        {"model": "{layers: [flatten, dense: {units: 10, activation: ^relu}, flatten]}"},
        "SG303",
        "model.layers[1].dense.activation",
        "the loss takes logits, but the last layer has the activation relu",
        "leave the activation out",
        "warning",
    )


@pytest.mark.parametrize(
    "lines",
    [
        REGRESSION,
        {**REGRESSION, "model": "{layers: [flatten, dense: {units: 1, activation: relu}]}"},
        {**REGRESSION, **with_label("dtype: int64, classes: 10")},
        {"model": "{layers: [reshape: {shape: [4, 4, 4]}, max_pool2d, flatten]}"}
        | with_label("dtype: int8, classes: 16"),
        {"placeholders": f"{{{IMAGE}, b: {{dtype: int8}}, {LABEL}}}", "model": "{import: 'm:f'}"},
    ],
)
def test_models_that_work(lines: dict[str, str]) -> None:
    assert checked(lines) == ([], [])
