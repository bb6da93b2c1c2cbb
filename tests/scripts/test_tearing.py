"""Feeders that are wrong in the ways in which they can be are noticed, and by which digest.

No test depends on how long anything takes: where two sides have to meet badly, one waits for the
other.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tensorflow as tf

from identity import RIGHT, WAIT, Definition, Verdict, Witness
from running import train

ROWS = 20  # five batches
EPOCHS = 2

Feeders = Callable[[ModuleType, Witness], type]
TWO_VARIABLES = ("two_variable_tf14", "placeholders_tf14")


class Meeting:
    """A reader who waits in the middle of a batch until the writer has put the next one there."""

    def __init__(self) -> None:
        self.reading, self.filled = threading.Event(), threading.Event()
        self.reading.set()
        self.filled.set()

    def arrange(self) -> None:
        self.reading.clear()
        self.filled.clear()

    def in_the_middle(self) -> None:
        self.reading.set()
        assert self.filled.wait(WAIT)

    def before_the_fill(self) -> None:
        assert self.reading.wait(WAIT)

    def read(self, buffer: Any, late: tuple[str, ...]) -> Any:
        """A batch of which the columns in `late` are read when the fill is done."""
        columns = buffer._asdict()
        early = {name: columns[name].read_value() for name in columns if name not in late}
        with tf.control_dependencies(list(early.values())):
            met = tf.py_function(self.in_the_middle, [], [])
        with tf.control_dependencies([met]):
            values = {name: tf.identity(early[name]) for name in early}
            values.update({name: columns[name].read_value() for name in late})
        return buffer._replace(**values)


def torn_by_a_thread(late: tuple[str, ...]) -> Feeders:
    """For tf2: one buffer, filled by a thread while the step reads it."""

    class Torn:
        waited = None

        def __init__(self, learn: Callable[[Any], Any], device: str) -> None:
            self.meeting = Meeting()
            self.train = tf.function(lambda: learn(self.meeting.read(self.buffer, late)))

        def placement(self) -> dict[str, str]:
            return {}

        def start(self, batches: tf.data.Dataset) -> None:
            self.batches, self.left = iter(batches), len(batches)
            first = next(self.batches)
            self.buffer = first._make(map(tf.Variable, first))

        def close(self) -> None:
            self.batches = None

        def advance(self) -> Any:
            self.left -= 1
            self.meeting.arrange()
            writer = threading.Thread(target=self._fill)
            writer.start()
            try:
                return self.train()
            finally:
                writer.join()

        def _fill(self) -> None:
            self.meeting.before_the_fill()
            if self.left:
                for variable, values in zip(self.buffer, next(self.batches), strict=True):
                    variable.assign(values)
            self.meeting.filled.set()

    return lambda module, witness: Torn


def torn_in_a_run(late: tuple[str, ...]) -> Feeders:
    """For tf1.4: one variable a placeholder, which a run both reads and assigns."""

    def made(module: ModuleType, witness: Witness) -> type:
        class Torn(module.Feeder):
            def __init__(self, learn: Callable[[Any], Any], device: str) -> None:
                self.meeting = Meeting()
                super().__init__(learn, device)

            def advance(self) -> Any:
                if self.left > 1:
                    self.meeting.arrange()
                return super().advance()

            def _read(self, buffer: Any) -> Any:
                self.b = self.a
                return self.meeting.read(self.a, late)

            def _fill(self, buffer: Any) -> Any:
                met = tf.py_function(self.meeting.before_the_fill, [], [])
                with tf.control_dependencies([met]):
                    filled = super()._fill(buffer)
                with tf.control_dependencies([filled]):
                    return tf.group(tf.py_function(self.meeting.filled.set, [], []))

        return Torn

    return made


def not_primed(module: ModuleType, witness: Witness) -> type:
    """The first step trains on what the buffers held at first, and each other one batch later."""

    class NotPrimed(module.Feeder):
        def fill(self) -> None:
            pass

    return NotPrimed


def not_primed_with_x(module: ModuleType, witness: Witness) -> type:
    """Of the first batch there are the ids and labels alone."""

    class NotPrimed(module.Feeder):
        def start(self, reading: Any) -> None:
            super().start(reading)
            module.tf.get_default_session().run(self.a.x.initializer)

    return NotPrimed


def fused_to_the_end(module: ModuleType, witness: Witness) -> type:
    """The last step fills too. That fails once it has trained, and so it trains once more."""

    class Fused(module.Feeder):
        def start(self, reading: Any) -> None:
            def ending_late() -> Any:
                yield from reading.batches
                assert witness.wait_for(reading.count)

            super().start(module.Reading(reading.count + 1, ending_late()))

        def advance(self) -> Any:
            try:
                return super().advance()
            except (StopIteration, tf.errors.OutOfRangeError):
                return self.train()

    return Fused


def verdicts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, variant: str, feeders: Feeders
) -> tuple[Verdict, Verdict]:
    """Of the audit and of the witness of a run with other feeders."""
    definition = Definition(folder, ROWS, EPOCHS)
    module = definition.project.load(variant)
    witness = Witness(monkeypatch, module)
    monkeypatch.setattr(module, "Feeder", feeders(module, witness))
    # Of two who wait for each other each needs a thread.
    threads = () if variant == "two_variable" else ("--threads", "4")
    run = train(definition.project, module, "--epochs", definition.epochs, *threads)
    return definition.of_audit(run), definition.of_witness(witness)


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ((), RIGHT),  # the control: what is broken is only the time of the fill
        # All ids are right, and the model learns from other rows.
        (("x",), Verdict(order=True, content=False, seen_once=True)),
        (("label",), Verdict(order=True, content=False, seen_once=True)),
        (("row_id",), Verdict(order=False, content=True, seen_once=False)),
        (("x", "label", "row_id"), Verdict(order=False, content=False, seen_once=False)),
    ],
    ids=["nothing", "x", "label", "row_id", "all"],
)
@pytest.mark.parametrize("variant", ["two_variable", *TWO_VARIABLES])
def test_torn_batches_are_noticed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
    late: tuple[str, ...],
    expected: Verdict,
) -> None:
    torn = torn_by_a_thread if variant == "two_variable" else torn_in_a_run
    assert verdicts(tmp_path, monkeypatch, variant, torn(late)) == (expected, expected)


@pytest.mark.parametrize(
    ("feeders", "expected"),
    [
        (not_primed, Verdict(order=False, content=False, seen_once=False)),
        (not_primed_with_x, Verdict(order=True, content=False, seen_once=True)),
    ],
)
@pytest.mark.parametrize("variant", TWO_VARIABLES)
def test_training_on_empty_buffers_is_noticed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
    feeders: Feeders,
    expected: Verdict,
) -> None:
    assert verdicts(tmp_path, monkeypatch, variant, feeders) == (expected, expected)


def test_training_twice_on_the_last_batch_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit, witness = verdicts(tmp_path, monkeypatch, "two_variable_tf14", fused_to_the_end)
    # The audit has what the runs return, and the one that failed returned nothing.
    assert audit == RIGHT
    assert witness == Verdict(order=False, content=False, seen_once=False)
