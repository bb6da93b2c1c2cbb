"""Identity batches: the values of a row are its id, so that a step that mixes two batches shows.

What a run trained on is held against the definition twice: by the digests of its audit, and by a
witness in the step itself, who also knows of a step whose run failed after it had trained.
"""

import threading
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import reference_order
from making import EACH_VARIANT, TINY, Project, changed, make
from running import Run

WAIT = 60  # seconds, after which something hangs
SPEC = changed(
    TINY,
    EACH_VARIANT,
    {"placeholders": {"x": {"dtype": "int64", "shape": [2], "scale": 0.01}}},
)


class Verdict(NamedTuple):
    """Which of the checks find nothing wrong."""

    order: bool
    content: bool
    seen_once: bool


RIGHT = Verdict(True, True, True)


def columns_of(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.stack([ids, ids], axis=1), ids % 4


class Definition:
    """A project of identity batches, and what it has to train on."""

    def __init__(self, folder: Path, rows: int, epochs: int) -> None:
        ids = np.arange(rows)
        x, label = columns_of(ids)
        self.project: Project = make(folder, SPEC, {"x": x, "label": label})
        self.epochs = str(epochs)
        self.visits = np.full(rows, epochs)
        stored = reference_order.stored(ids, "train", splits_seed=0)
        layout = reference_order.Layout(batch_size=SPEC["train"]["batch_size"])
        batches = layout.batches(stored, SPEC["train"]["seed"], epochs)
        self.digests = digests([(ids, *columns_of(ids)) for ids in batches])

    def of_audit(self, run: Run) -> Verdict:
        found = run.report["order_digest"], run.report["content_digest"]
        return self._verdict(found, run.report["rows_seen_once"])

    def of_witness(self, witness: "Witness") -> Verdict:
        ids = np.concatenate([ids for ids, *_ in witness.batches])
        visits = np.bincount(ids, minlength=len(self.visits))
        return self._verdict(digests(witness.batches), np.array_equal(visits, self.visits))

    def _verdict(self, found: tuple[str, str], seen_once: bool) -> Verdict:
        order, content = (one == other for one, other in zip(found, self.digests, strict=True))
        return Verdict(order, content, seen_once)


def digests(batches: list[tuple[np.ndarray, ...]]) -> tuple[str, str]:
    """Of the order and of the content of a run; the ids of a batch come first."""
    order = (reference_order.ids_digest(ids) for ids, *_ in batches)
    content = (reference_order.content_digest(columns) for _, *columns in batches)
    return reference_order.run_digest(order), reference_order.run_digest(content)


class Witness:
    """The real rows that each step has trained on, told by the step, once it has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
        self.batches: list[tuple[np.ndarray, ...]] = []
        self._told = threading.Condition()
        learn = module.Learner.learn

        def witnessed(learner: Any, batch: Any) -> Any:
            loss, read = learn(learner, batch)
            with tf.control_dependencies([loss]):
                told = tf.numpy_function(self._tell, list(batch), [])
            with tf.control_dependencies([told]):
                return tf.identity(loss), read

        monkeypatch.setattr(module.Learner, "learn", witnessed)

    def wait_for(self, steps: int) -> bool:
        with self._told:
            return self._told.wait_for(lambda: len(self.batches) >= steps, WAIT)

    def _tell(self, *columns: np.ndarray) -> None:
        # On target tf1.4 whole numbers travel in words that pass for float64.
        x, label, row_id = (values.view("int64") for values in columns)
        label, row_id = label.ravel(), row_id.ravel()
        real = row_id >= 0
        with self._told:
            self.batches.append((row_id[real], x[real], label[real]))
            self._told.notify_all()
