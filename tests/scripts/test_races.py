"""Whoever is late, the one who fills or the one who reads: each step trains on its own batch.

No test depends on how long anything takes.
"""

import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from identity import RIGHT, Definition, Witness
from making import VARIANTS
from running import train

ROWS = 18  # five batches, of which the last one has two rows
REPETITIONS = 50


def jitter() -> None:
    """Up to 4 ms, or nothing at all."""
    time.sleep(max(0.0, np.random.uniform(-0.002, 0.004)))


def late(values: Any) -> Any:
    """The same tensor, later."""
    with tf.control_dependencies([tf.py_function(jitter, [], [])]):
        return tf.identity(values)


def delay_writer(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
    """Each batch is made with a delay."""
    training_batches = module.training_batches

    def delayed(*args: Any) -> Any:
        found = training_batches(*args)
        if not isinstance(found, tf.data.Dataset):
            return found._replace(batches=map(slow, found.batches))
        count = tf.data.experimental.assert_cardinality(len(found))
        return found.map(lambda batch: batch._make(map(late, batch))).apply(count)

    def slow(batch: Any) -> Any:
        jitter()
        return batch

    monkeypatch.setattr(module, "training_batches", delayed)


def delay_reader(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
    """The model has each column of its batch later, and the step ends later."""
    learn = module.Learner.learn

    def slow(learner: Any, batch: Any) -> Any:
        loss, read = learn(learner, batch._make(map(late, batch)))
        with tf.control_dependencies([loss]):
            return late(loss), read

    monkeypatch.setattr(module.Learner, "learn", slow)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "delays",
    [[delay_writer], [delay_reader], [delay_writer, delay_reader]],
    ids=["writer", "reader", "both"],
)
def test_delays_tear_no_batch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
    delays: list[Callable[[pytest.MonkeyPatch, ModuleType], None]],
) -> None:
    definition = Definition(tmp_path, ROWS, REPETITIONS)
    module = definition.project.load(variant)
    witness = Witness(monkeypatch, module)
    for delay in delays:
        delay(monkeypatch, module)
    run = train(definition.project, module, "--epochs", definition.epochs)
    assert definition.of_audit(run) == RIGHT
    assert definition.of_witness(witness) == RIGHT
