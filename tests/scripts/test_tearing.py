"""A batch that changes while the model reads it is noticed; the feeders' batches never do.

The values of a row are its id, so a step that mixes two batches shows in its digests. No test
depends on how long anything takes: where a batch must tear, the reader waits for the writer.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import EACH_VARIANT, TINY, VARIANTS, Project, changed, make
from running import Run, train

FULL = 20  # rows: five batches
PARTIAL = 18  # the last of five has two rows
WAIT = 60  # seconds, after which something hangs
EPOCHS = 30
SPEC = changed(
    TINY,
    EACH_VARIANT,
    {"placeholders": {"x": {"dtype": "int64", "shape": [2], "scale": 0.01}}},
)


def make_identity(folder: Path, rows: int) -> Project:
    ids = np.arange(rows)
    return make(folder, SPEC, {"x": np.stack([ids, ids], axis=1), "label": ids % 4})


class TornFeeder:
    """Deliberately wrong: one buffer, filled by a thread while the step reads it.

    The columns in `late` are read when the fill is done, the others before it begins.
    """

    late: tuple[str, ...] = ()
    waited = None

    def __init__(self, learn: Callable[[Any], Any], device: str) -> None:
        self.learn = learn
        self.train = tf.function(self._train)
        self.reading, self.filled = threading.Event(), threading.Event()

    def placement(self) -> dict[str, str]:
        return {}

    def start(self, batches: tf.data.Dataset) -> None:
        self.batches, self.left = iter(batches), len(batches)
        first = next(self.batches)
        self.buffer = first._replace(
            **{name: tf.Variable(values) for name, values in first._asdict().items()}
        )

    def close(self) -> None:
        self.batches = None

    def advance(self) -> Any:
        self.left -= 1
        self.reading.clear()
        self.filled.clear()
        writer = threading.Thread(target=self._fill)
        writer.start()
        try:
            return self.train()
        finally:
            writer.join()

    def _fill(self) -> None:
        assert self.reading.wait(WAIT)
        if self.left:
            for variable, values in zip(self.buffer, next(self.batches), strict=True):
                variable.assign(values)
        self.filled.set()

    def _pause(self) -> None:
        self.reading.set()
        assert self.filled.wait(WAIT)

    def _train(self) -> Any:
        columns = self.buffer._asdict()
        early = {name: columns[name].read_value() for name in columns if name not in self.late}
        with tf.control_dependencies(list(early.values())):
            pause = tf.py_function(self._pause, [], [])
        with tf.control_dependencies([pause]):
            late = {name: columns[name].read_value() for name in self.late}
        return self.learn(self.buffer._replace(**early, **late))


@pytest.mark.parametrize(
    ("late", "order_is_right", "content_is_right", "seen_once"),
    [
        ((), True, True, True),  # the control: what is broken is only the time of the fill
        (("x",), True, False, True),  # all ids are right, and the model learns from other rows
        (("label",), True, False, True),
        (("row_id",), False, True, False),
        (("x", "label", "row_id"), False, False, False),
    ],
    ids=lambda value: "+".join(value) or "nothing" if isinstance(value, tuple) else None,
)
def test_an_audit_notices_torn_batches(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    late: tuple[str, ...],
    order_is_right: bool,
    content_is_right: bool,
    seen_once: bool,
) -> None:
    identity = make_identity(tmp_path, FULL)
    module = identity.load(VARIANTS[0])
    right = train(identity, module, label="right")
    monkeypatch.setattr(TornFeeder, "late", late)
    monkeypatch.setattr(module, "Feeder", TornFeeder)
    torn = train(identity, module, label="torn")
    assert right.report["rows_seen_once"] is True
    assert torn.report["rows_seen_once"] is seen_once
    same_order = torn.report["order_digest"] == right.report["order_digest"]
    same_content = torn.report["content_digest"] == right.report["content_digest"]
    assert (same_order, same_content) == (order_is_right, content_is_right)


def jitter() -> None:
    """Up to 4 ms, or nothing at all."""
    time.sleep(max(0.0, np.random.uniform(-0.002, 0.004)))


def delay_writer(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
    """Each batch is made with a delay."""
    training_batches = module.training_batches

    def delayed(*args: Any) -> Any:
        def slow(batch: Any) -> Any:
            with tf.control_dependencies([tf.py_function(jitter, [], [])]):
                return batch._replace(row_id=tf.identity(batch.row_id))

        batches = training_batches(*args)
        count = tf.data.experimental.assert_cardinality(len(batches))
        return batches.map(slow).apply(count)

    monkeypatch.setattr(module, "training_batches", delayed)


def delay_reader(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
    """Each step takes longer, before and after the model has its batch."""
    learn = module.Learner.learn

    def slow(learner: Any, batch: Any) -> Any:
        with tf.control_dependencies([tf.py_function(jitter, [], [])]):
            result = learn(learner, batch._replace(x=tf.identity(batch.x)))
        with tf.control_dependencies([result[0]]):
            tf.py_function(jitter, [], [])
        return result

    monkeypatch.setattr(module.Learner, "learn", slow)


@pytest.fixture(scope="module")
def plain_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Many epochs of a run that nothing delays."""
    project = make_identity(tmp_path_factory.mktemp("plain"), PARTIAL)
    return train(project, project.load(VARIANTS[0]), "--epochs", str(EPOCHS))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "delays",
    [[delay_writer], [delay_reader], [delay_writer, delay_reader]],
    ids=["writer", "reader", "both"],
)
def test_delays_tear_no_batch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    plain_run: Run,
    variant: str,
    delays: list[Callable[[pytest.MonkeyPatch, ModuleType], None]],
) -> None:
    identity = make_identity(tmp_path, PARTIAL)
    module = identity.load(variant)
    for delay in delays:
        delay(monkeypatch, module)
    report = train(identity, module, "--epochs", str(EPOCHS)).report
    assert report["rows_seen_once"] is True
    for digest in ("order_digest", "content_digest"):
        assert report[digest] == plain_run.report[digest]
