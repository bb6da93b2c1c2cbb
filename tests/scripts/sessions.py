"""What a script for TensorFlow 1.4 has its sessions run, recorded; and threads that are left."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
import tensorflow as tf

from making import HOW

TF2, TF14 = (
    [name for name, how in HOW.items() if how["target"] == target] for target in ("tf2", "tf1.4")
)
# What is kept, read and refused depends on the target, and on nothing else of a variant.
EACH_TARGET = (TF2[0], TF14[0])
# A step waits for a data set, for an iterator, or for a thread that feeds placeholders.
EACH_INPUT = (TF2[0], *TF14[:2])


@contextmanager
def opened(module: ModuleType, device: str = "CPU:0") -> Iterator[Any]:
    """A session with a Learner of the script."""
    with module.device_for(threads=1):
        yield module.Learner(device, seed=5, audited=False)


def kept(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[Any]:
    """The objects that a class of the script makes, also those whose making fails."""
    made = []

    class Kept(getattr(module, name)):
        def __init__(self, *args: Any) -> None:
            made.append(self)
            super().__init__(*args)

    monkeypatch.setattr(module, name, Kept)
    return made


@dataclass(frozen=True)
class Ran:
    """One `run` of a session, and the state of the graph by then."""

    graph: tf.Graph
    fetches: list[Any]
    values: list[Any]
    version: int  # grows with the graph
    final: bool


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Ran]:
    """What sessions run, as they run it."""
    runs = []
    original = tf.compat.v1.Session.run

    def run(session: Any, fetches: Any, *args: Any, **options: Any) -> Any:
        values = original(session, fetches, *args, **options)
        asked, given, graph = tf.nest.flatten(fetches), tf.nest.flatten(values), session.graph
        runs.append(Ran(graph, asked, given, graph.version, graph.finalized))
        return values

    monkeypatch.setattr(tf.compat.v1.Session, "run", run)
    return runs


def needed(fetches: Iterable[Any]) -> set[tf.Operation]:
    """All operations that a run of these has to look at."""
    waiting = [getattr(each, "op", each) for each in tf.nest.flatten(list(fetches))]
    found = set()
    while waiting:
        op = waiting.pop()
        if op not in found:
            found.add(op)
            waiting += [values.op for values in op.inputs] + op.control_inputs
    return found


def feeds(feeder: Any, run: Ran) -> tuple[bool, bool]:
    """Whether a run takes a batch from the input, and whether it trains on one."""
    taken = {values.op for values in feeder.input.batch}
    return bool(taken & needed(run.fetches)), any(each is feeder.step[0] for each in run.fetches)


# -- Threads --------------------------------------------------------------------------------------


def python_threads() -> set[threading.Thread]:
    """But for those that Python has only met: TensorFlow's, which may have ended since."""
    known = threading.enumerate()
    return {thread for thread in known if type(thread).__name__ != "_DummyThread"}
