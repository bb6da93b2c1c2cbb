"""Graphs for TensorFlow 1.4: what is in them, where it is, and what sessions run of them.

No machine with a GPU is needed: a graph tells for each operation which device it asks for.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import HOW, TINY, Spec, changed, make, points
from matrix import KEPT_BY_A_PLAIN_WIRE
from running import Run, arguments, call, records_of, train
from sessions import TF14, Ran, feeds, kept, needed, opened, recorded
from specgen.dtypes import BITS

GPU, CPU = "GPU:0", "CPU:0"
each_variant = pytest.mark.parametrize("variant", TF14)
BUFFERED = [name for name in TF14 if HOW[name]["buffers"]["method"] == "two_variable"]
each_buffered = pytest.mark.parametrize("variant", BUFFERED)
# What waits for the host, or calls into Python.
HOST = re.compile("Placeholder|.*Iterator.*|.*Dataset.*|.*PyFunc.*")


def spec_of(*changes: Spec) -> Spec:
    return changed(TINY, {"variants": {name: HOW[name] for name in TF14}}, *changes)


SPEC = spec_of({"splits": {"parts": {"train": 0.7, "validation": 0.3}}})
LARGE = {"placeholders": {"x": {"dtype": "float64", "shape": [100, 100]}}}
LARGE["model"] = {"layers": ["flatten", {"dense": {"units": 4}}]}


# -- What is in a graph ---------------------------------------------------------------------------


@each_variant
def test_a_graph_does_not_depend_on_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    """Neither on the number of rows nor on their values; what a process counts is left out."""
    texts = []
    for rows, seed in ((20, 1), (90, 2)):
        project = make(tmp_path / str(rows), SPEC, points(rows, seed))
        runs = recorded(monkeypatch)
        train(project, project.load(variant))
        texts.append(re.sub(r'\d+"', '"', str(runs[-1].graph.as_graph_def())))
    assert texts[0] == texts[1]


@each_variant
def test_a_graph_holds_neither_batches_nor_weights(tmp_path: Path, variant: str) -> None:
    """Large ones are made by operations: a graph ends at 2 GB."""
    module = make(tmp_path, spec_of(LARGE)).load(variant)
    with opened(module) as learner:
        module.Feeder(learner.learn, CPU)
        weight, *_ = tf.compat.v1.trainable_variables()
        size = tf.compat.v1.get_default_graph().as_graph_def().ByteSize()
    assert size < min(module.BATCH_BYTES, 4 * np.prod(weight.shape))


@each_variant
def test_one_operation_takes_a_batch(tmp_path: Path, variant: str) -> None:
    """Whichever buffer it is for: a second one would take a second batch."""
    module = make(tmp_path, SPEC).load(variant)
    with opened(module) as learner:
        feeder = module.Feeder(learner.learn, CPU)
    ops = needed([feeder.step, getattr(feeder, "fill_only", ())])
    found = Counter(op.type for op in ops if HOST.match(op.type))
    choice = {"Placeholder": 1} if variant in BUFFERED else {}
    if HOW[variant]["buffers"].get("input") == "placeholders":
        assert found == {"Placeholder": len(module.WIRE) + 1}
    else:
        assert found == {"IteratorV2": 1, "IteratorGetNext": 1, **choice}


@each_buffered
def test_buffers(tmp_path: Path, variant: str) -> None:
    """Local resource variables, which start as zeros; each takes the batches of its turn."""
    project = make(tmp_path, changed(SPEC, LARGE), {**points(20), "x": np.ones((20, 100, 100))})
    module = project.load(variant)
    records = records_of(project, module)
    batches = list(module.training_batches(records, 5, 0, 4).batches)
    v1 = tf.compat.v1
    with opened(module) as learner:
        feeder = module.Feeder(learner.learn, CPU)
        buffers = [*feeder.a, *feeder.b]
        assert {each.ref() for each in v1.local_variables()} == {each.ref() for each in buffers}
        others = v1.global_variables() + v1.trainable_variables()
        assert not {each.ref() for each in others} & {each.ref() for each in buffers}
        assert {each.op.type for each in buffers} == {"VarHandleOp"}
        for buffer in (feeder.a, feeder.b):
            assert buffer.x.initializer.inputs[1].op.type == "Fill"

        def held() -> list[Any]:
            found = v1.get_default_session().run([feeder.a, feeder.b])
            return [which(buffer) for buffer in found]

        def which(buffer: Any) -> int | str | None:
            """The number of the batch that a buffer holds."""
            if not any(map(np.any, buffer)):
                return "zeros"
            same = [
                [c.tobytes() for c in batch] == [c.tobytes() for c in buffer] for batch in batches
            ]
            return same.index(True) if any(same) else None

        assert held() == ["zeros", "zeros"]
        feeder.start(module.training_batches(records, 5, 0, 4))
        seen = [held()]
        for _ in range(4):
            feeder.advance()
            seen.append(held())
        feeder.close()
    assert seen == [[0, "zeros"], [0, 1], [2, 1], [2, 3], [2, 3]]


# -- What sessions run ----------------------------------------------------------------------------


def steps_of(runs: list[Ran], feeders: list[Any]) -> list[list[tuple[bool, bool]]]:
    """For each session, the runs that take a batch or train on one."""
    sessions = [list(group) for _, group in groupby(runs, lambda run: run.graph)]
    told = [
        [feeds(feeder, run) for run in session]
        for session, feeder in zip(sessions, feeders, strict=True)
    ]
    return [[run for run in session if any(run)] for session in told]


@each_variant
def test_n_batches_are_taken_in_n_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    """Each session fills a buffer before its first step, and the last step fills none."""
    project = make(tmp_path, SPEC, points(20))  # 14 to train on: four steps an epoch
    module = project.load(variant)
    runs, feeders = recorded(monkeypatch), kept(monkeypatch, module, "Feeder")
    train(project, module, "--steps", "3")
    train(project, module)  # the five that are left
    train(project, module, label="another")
    train(project, module, "--steps", "1", label="a single step")
    take, both, step = (True, False), (True, True), (False, True)
    for found, count in zip(steps_of(runs, feeders), (3, 5, 8, 1), strict=True):
        if variant in BUFFERED:
            assert found == [take, *[both] * (count - 1), step]
        else:
            assert found == [both] * count


@each_variant
def test_sessions_are_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    project = make(tmp_path, SPEC, points(20))
    module = project.load(variant)
    configured = []

    class Session(tf.compat.v1.Session):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            configured.append(options["config"])

    monkeypatch.setattr(module.tf, "Session", Session)
    train(project, module)
    for command, threads in (("evaluate", "3"), ("measure", "1")):
        assert call(module, arguments(project, "work", command, "--threads", threads)) == 0
    for config, threads in zip(configured, (0, 3, 1), strict=True):
        assert config.gpu_options.allow_growth
        assert config.gpu_options.force_gpu_compatible
        assert config.allow_soft_placement
        assert config.intra_op_parallelism_threads == threads
        assert config.inter_op_parallelism_threads == max(2, threads or os.cpu_count() or 0)
        assert config.use_per_session_threads == bool(threads)


# -- Where it is, on a machine that has a GPU -----------------------------------------------------

LABEL = {"dtype": "uint8", "role": "label", "classes": 4}
SEVERAL = """
import tensorflow.compat.v1 as tf

def classifier(inputs, training):
    rows = tf.stack([inputs[name] for name in sorted(inputs)], axis=1)
    return tf.matmul(tf.tanh(rows), tf.get_variable("kernel", (len(inputs), 4)))
"""


def several(dtypes: Iterable[str]) -> Spec:
    """An input of each dtype; a label comes last."""
    placeholders = {"x": None, "label": None, **{name: {"dtype": name} for name in dtypes}}
    model = {"layers": None, "import": "models:classifier"}
    return {"placeholders": {**placeholders, "label": LABEL}, "model": model}


SPECS = {
    "every dtype": several(BITS),
    "a plain wire": {
        **several(KEPT_BY_A_PLAIN_WIRE),
        "variants": {name: {"buffers": {"wire": "plain"}} for name in TF14},
    },
    "images, adam": {
        "placeholders": {"x": {"dtype": "uint8", "shape": [6, 5, 1], "mean": 3, "std": 2}},
        "model": {
            "layers": [
                {"conv2d": {"filters": 3, "kernel_size": 3, "activation": "relu"}},
                {"max_pool2d": {"pool_size": 2}},
                "flatten",
                {"dense": {"units": 4}},
            ]
        },
        "train": {"metrics": ["accuracy"], "optimizer": {"name": "adam", "learning_rate": 0.01}},
    },
    "mse, momentum": {
        "placeholders": {"label": {"dtype": "int16", "classes": None}},
        "model": {"layers": [{"dense": {"units": 1}}]},
        "train": {"loss": "mse", "last_batch": "drop", "optimizer": {"momentum": 0.9}},
    },
}
# What TensorFlow 1.4 can keep in a variable on a GPU, and compute with there.
ON_GPU = {tf.float16, tf.float32, tf.float64}


@dataclass(frozen=True)
class Placed:
    """A graph for a GPU, and what a step and an evaluation need of it."""

    feeder: Any
    graph: tf.Graph
    variables: list[Any]
    ops: set[tf.Operation]
    giving: set[tf.Operation]  # batches, and whatever else comes from Python


@pytest.fixture(params=SPECS)
def placed(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
) -> Placed:
    project = make(tmp_path, spec_of(SPECS[request.param]))
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "models.py").write_text(SEVERAL)
    monkeypatch.delitem(sys.modules, "models", raising=False)
    module, v1 = project.load(variant), tf.compat.v1
    feeders = kept(monkeypatch, module, "Feeder")
    with opened(module, GPU) as learner:
        with suppress(module.UserError):  # that there is none
            module.Feeder(learner.learn, GPU)
        graph, variables = v1.get_default_graph(), v1.global_variables() + v1.local_variables()
    (feeder,) = feeders
    fills = getattr(feeder, "fill_only", ())
    ops = needed([feeder.step, fills, learner.sums, learner.assignment])
    giving = needed([feeder.input.batch, learner.input.batch])
    giving |= {op for op in graph.get_operations() if HOST.match(op.type)}
    return Placed(feeder, graph, variables, ops, giving)


def place(op: tf.Operation) -> str:
    """The device that an operation asks for, itself or by the variable that it reads."""
    handles = [values.op for values in op.inputs if values.dtype == tf.resource]
    return op.device.rpartition("device:")[2] or (place(handles[0]) if handles else "")


@each_variant
def test_the_host_gives_batches_and_the_gpu_does_the_rest(placed: Placed) -> None:
    """Buffers, weights, gradients and what an optimizer remembers: all of a step."""
    assert {place(each.op) for each in placed.variables} == {GPU}
    assert {place(op) for op in placed.giving} == {CPU}
    # The host chooses the buffer that is filled, and keeps the batch from the other one.
    choosing = {
        op
        for op in needed([getattr(placed.feeder, "fill_only", ())])
        if op.type in ("Identity", "Switch", "Merge")
        and not any(values.dtype == tf.resource for values in op.inputs)
    }
    for op in placed.ops:
        assert place(op) == (CPU if op in placed.giving | choosing else GPU), op
    functions = placed.graph.as_graph_def().library.function  # of data sets
    assert not any("GPU" in node.device for each in functions for node in each.node_def)


@each_variant
def test_what_crosses_to_the_gpu(placed: Placed) -> None:
    """Floats, some of which are words of other dtypes, and the choice; nothing comes back."""
    assert {each.dtype.base_dtype for each in placed.variables} <= ON_GPU
    crossing = {
        (values.ref(), place(op))
        for op in placed.ops
        for values in op.inputs
        if place(values.op) != place(op)
    }
    assert {to for _, to in crossing} == {GPU}
    given = [values.deref() for values, _ in crossing]
    if hasattr(placed.feeder, "use_a"):
        choice = placed.feeder.use_a.op
        given = [values for values in given if needed([values]) != {choice, values.op}]
    assert {values.dtype for values in given} <= ON_GPU
    assert len(given) > len(placed.feeder.input.batch)


@each_buffered
def test_a_misplaced_buffer_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variant: str,
) -> None:
    """Each step would copy once more, and nothing overlap."""
    project = make(tmp_path, SPEC, points(20))
    module = project.load(variant)
    monkeypatch.setattr(module, "choose_device", lambda gpus: GPU)
    for command in ("train", "measure"):
        assert call(module, arguments(project, "work", command)) == 2
        assert capsys.readouterr().err == "buffer a.x is on CPU:0, not on GPU:0\n"
    assert not Run(project.work()).checkpoints
