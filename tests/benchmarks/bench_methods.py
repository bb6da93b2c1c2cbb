"""The time of a step by each way to a device, as ratios: python tests/benchmarks/bench_methods.py

All variants of both targets train the same model on the same rows, in one process and in rounds
that interleave, so that a busy machine slows all alike. What is timed is `Feeder.advance`, the step
of the training loop, with nothing saved and nothing printed in between.
"""

import argparse
import contextlib
import os
import platform
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

# Before Keras and TensorFlow are imported.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import tensorflow as tf

from making import HOW, REPOSITORY, Rows, Spec, changed, make
from running import records_of
from specgen.parse import parse

SEED = 7

# A step of it takes about 5 ms on two cores.
LARGE: Spec = {
    "specgen": 1,
    "name": "large",
    "source": {"kind": "synthetic", "rows": 20_000},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [28, 28], "role": "input", "scale": 1 / 255},
        "label": {"dtype": "int64", "role": "label", "classes": 10},
    },
    "model": {"layers": ["flatten", {"dense": {"units": 800, "activation": "relu"}}]},
    "train": {
        "batch_size": 256,
        "epochs": 1,
        "optimizer": {"name": "sgd", "learning_rate": 0.01},
        "loss": "sparse_categorical_crossentropy",
    },
}
LARGE["model"]["layers"].append({"dense": {"units": 10}})


def digits() -> Spec:
    path = REPOSITORY / "specs" / "digits.yaml"
    document, _ = parse(path.read_bytes(), path.name)
    assert document
    return document.data


def digits_rows() -> Rows:
    with np.load(REPOSITORY / "specs" / "data" / "digits.npz") as file:
        return dict(file)


class Way:
    """A script that is ready to train, and the seconds of a step in each round.

    It has a thread of its own, as default graphs and sessions belong to threads.
    """

    def __init__(self, name: str, module: ModuleType, records: Any, steps: int) -> None:
        self.name, self.module = name, module
        self.seconds: list[float] = []
        self.stack, self.thread = contextlib.ExitStack(), ThreadPoolExecutor(1)
        self.thread.submit(self._open, records, steps).result()

    def round(self, warm: int, steps: int) -> None:
        self.seconds.append(self.thread.submit(self._time, warm, steps).result())

    def close(self) -> None:
        self.thread.submit(self.stack.close).result()
        self.thread.shutdown()

    def _open(self, records: Any, steps: int) -> None:
        device = self.stack.enter_context(self.module.device_for(None))
        learner = self.module.Learner(device, SEED, False)
        self.feeder = self.module.Feeder(learner.learn, device)
        self.stack.callback(self.feeder.close)
        self.feeder.start(self.module.training_batches(records, SEED, 0, steps))

    def _time(self, warm: int, steps: int) -> float:
        """Seconds a step."""
        for _ in range(warm):
            loss, _ = self.feeder.advance()
        float(loss)  # a step of TensorFlow 2 returns before it is done
        began = time.perf_counter()
        for _ in range(steps):
            loss, _ = self.feeder.advance()
        float(loss)
        return (time.perf_counter() - began) / steps

    def line(self, *others: "Way") -> str:
        """Quartiles of the steps a second, and the speed beside that of others."""
        low, middle, high = statistics.quantiles((1 / each for each in self.seconds), n=4)
        ratios = "".join(f"{self.beside(other):9.2f}" for other in others)
        return f"{self.name:20} {middle:9.1f} {low:9.1f} {high:9.1f}{ratios}"

    def beside(self, other: "Way") -> float:
        """The median of the ratios of the rounds."""
        pairs = zip(self.seconds, other.seconds, strict=True)
        return statistics.median(theirs / ours for ours, theirs in pairs)


def compare(
    folder: Path, title: str, spec: Spec, rows: Rows | None, rounds: int, steps: int
) -> None:
    of_data = {"source": {"path": "../data/rows.npz"}} if rows else {}
    project = make(folder, changed(spec, {"target": None}, of_data) | {"variants": HOW}, rows)
    warm = 10
    ways: dict[str, Way] = {}
    for name in HOW:
        module = project.load(name)
        with contextlib.redirect_stdout(None):
            records = records_of(project, module)
        ways[name] = Way(name, module, records, 1 + (1 + rounds) * (warm + steps))
    for _ in range(1 + rounds):  # the first one makes ready
        for way in ways.values():
            way.round(warm, steps)
    for way in ways.values():
        del way.seconds[0]
        way.close()
    print(f"\n{title}: steps a second, quartiles, and as a share of those of prefetch")
    print(f"{'':20} {'median':>9} {'lower':>9} {'upper':>9} {'tf2':>8} {'tf1.4':>8}")
    for way in ways.values():
        print(way.line(ways["prefetch"], ways["prefetch_tf14"]))


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the step of every way to a device.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} processors"
    print(
        f"{machine}, TensorFlow {tf.__version__}; {options.rounds} rounds of {options.steps} steps"
    )
    with tempfile.TemporaryDirectory() as name:
        folder, length = Path(name), (options.rounds, options.steps)
        compare(folder / "digits", "digits", digits(), digits_rows(), *length)
        compare(folder / "large", "a step of about 5 ms", LARGE, None, *length)


if __name__ == "__main__":
    main()
