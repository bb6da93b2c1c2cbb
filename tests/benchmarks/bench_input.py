"""How fast rows are read and prepared, as ratios: python tests/benchmarks/bench_input.py [PART...]

Each part compares ways to do the same with the same rows, in one run and in rounds that interleave,
so that a busy machine slows all alike. The consumer does nothing but take batches; what it takes
them from is made before. Files are in the page cache. Libraries that cannot be imported (extra
`benchmarks`) are passed over.
"""

import argparse
import contextlib
import itertools
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

# Before Keras and TensorFlow are imported.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import input_rivals as rivals
import tensorflow as tf

from making import Project, Spec, changed, make
from running import arguments, call, records_of

SEED, BATCH = 7, 256
TF14 = {"target": "tf1.4"}
ROWS: Spec = {
    "specgen": 1,
    "name": "rows",
    "source": {"kind": "npz", "path": "../data/rows.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [28, 28], "scale": 1 / 255},
        "label": {"dtype": "int64", "role": "label", "classes": 10},
    },
    "model": {"layers": ["flatten", {"dense": {"units": 10}}]},
    "train": {
        "batch_size": BATCH,
        "epochs": 1,
        "optimizer": {"name": "sgd", "learning_rate": 0.01},
        "loss": "sparse_categorical_crossentropy",
    },
    "variants": {"tf2": {}, "tf14": TF14, "held": {"pipeline": {"cache": "memory"}}},
}

Read = Callable[[], Iterable[Any]]  # the batches of one pass


def drawn_rows(count: int) -> dict[str, np.ndarray]:
    """Pictures of few grey levels, half of them black: they deflate like drawn digits."""
    random = np.random.RandomState(SEED)
    image = random.randint(-8, 8, size=(count, 28, 28)).clip(0).astype("uint8") * 32
    return {"image": image, "label": random.randint(10, size=count)}


def pairs(rows: Mapping[str, np.ndarray]) -> Iterator[tuple[np.ndarray, int]]:
    return zip(rows["image"], rows["label"].tolist(), strict=True)


def batches_of(project: Project, variant: str, epochs: int = 1) -> Read:
    """The training batches of a script, some epochs at a time by one iterator."""
    module = project.load(variant)
    with contextlib.redirect_stdout(None):
        records = records_of(project, module)
    place = records, SEED, 0, epochs * module.steps_an_epoch(records)
    if variant == "tf14":
        return through_session(module, lambda: module.training_batches(*place))
    batches = module.training_batches(*place)
    return lambda: batches


def through_session(module: Any, reading_of: Callable[[], Any]) -> Read:
    """What a session gets through the script's own iterator."""
    with module.tf.Graph().as_default():
        session, given = module.tf.Session(), module.Input()

    def read() -> Iterator[Any]:
        reading = reading_of()
        with session.as_default():
            given.start(reading)
            for _ in range(reading.count):
                yield session.run(given.batch.row_id)  # nor does tf2 copy what it takes
            given.close()

    return read


def in_function(batches: tf.data.Dataset) -> Read:
    """A loop over all batches as a part of a graph, in which a training may take them too."""

    @tf.function
    def loop(iterator: Iterator[Any]) -> tf.Tensor:
        count = 0
        for _ in iterator:
            count += 1
        return count

    return lambda: [loop(iter(batches))]


def repeated(read: Read, times: int) -> Read:
    return lambda: itertools.chain.from_iterable(read() for _ in range(times))


def timed(ways: Mapping[str, tuple[int, Read]], rounds: int) -> dict[str, list[float]]:
    """Rows a second of each way in each round, by the number of rows that one pass has."""
    speeds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(1 + rounds):  # the first one makes ready
        for name, (count, read) in ways.items():
            began = time.perf_counter()
            for _ in read():
                pass
            if number:
                speeds[name].append(count / (time.perf_counter() - began))
    return speeds


def show(title: str, speeds: Mapping[str, list[float]], *references: str) -> None:
    """A line a way: its median, and the medians of its ratios to the references of each round."""
    print(f"\n{title}\n")
    print("| | a second |" + "".join(f" of {name} |" for name in references))
    print("|---|---:|" + "---:|" * len(references))
    for name, values in speeds.items():
        ratios = (
            statistics.median(a / b for a, b in zip(values, speeds[other], strict=True))
            for other in references
        )
        cells = "".join(f" {ratio:.2f} |" for ratio in ratios)
        print(f"| {name} | {statistics.median(values):,.0f} |{cells}", flush=True)


def readers(folder: Path, options: argparse.Namespace) -> None:
    """Batches of 256 rows of 784 bytes and a label; a pass of what is fast has some epochs."""
    rows, epochs = drawn_rows(options.rows), options.epochs
    project = make(folder / "plain", ROWS, rows)
    zlib = make(folder / "zlib", changed(ROWS, {"records": {"compression": "zlib"}}), rows)
    example = make(folder / "example", changed(ROWS, {"records": {"format": "example"}}), rows)
    few = min(options.rows, options.guide_rows)
    some = {name: values[:few] for name, values in rows.items()}
    plain, gzip = rivals.examples(folder, pairs(some))
    print(f"\nthe guide's files: {megabytes(plain)} MB, by GZIP {megabytes(gzip)} MB")
    copies = repeated(lambda: (values.copy() for values in rows.values()), epochs)
    read, read_zlib = batches_of(project, "tf2", epochs), batches_of(zlib, "tf2", epochs)
    guide, guide_gzip = rivals.guide(plain, "", BATCH), rivals.guide(gzip, "GZIP", BATCH)
    count = epochs * options.rows
    ways = {
        "tf2, packed": (count, read),
        "tf2, packed, in a tf.function": (count, in_function(read())),
        "tf2, packed, zlib": (count, read_zlib),
        "tf2, packed, zlib, in a tf.function": (count, in_function(read_zlib())),
        "tf2, packed, held in memory": (count, batches_of(project, "held", epochs)),
        "tf2, example": (options.rows, batches_of(example, "tf2")),
        "tf1.4, packed": (count, batches_of(project, "tf14", epochs)),
        "NumPy copy": (count, copies),
        "guide": (few, lambda: guide),
        "guide, in a tf.function": (few, in_function(guide)),
        "guide, GZIP": (few, lambda: guide_gzip),
        "guide, GZIP, in a tf.function": (few, in_function(guide_gzip)),
        **rivals.installed(folder, rows, BATCH, options.slow_rows),
    }
    speeds = timed(ways, options.rounds)
    show("Rows", speeds, "guide", "guide, GZIP", "NumPy copy", "tf2, packed")


def megabytes(path: Path) -> int:
    return round(path.stat().st_size / 1e6)


def preparing(folder: Path, options: argparse.Namespace) -> None:
    """`prepare` whole, from an .npz, against the writing of an Example a row by one thread."""
    rows = drawn_rows(options.rows)
    few = min(options.rows, options.guide_rows)
    some = {name: values[:few] for name, values in rows.items()}
    project = make(folder / "prepare", ROWS, rows)
    module = project.load("tf2")

    def prepare() -> list[int]:
        with contextlib.redirect_stdout(None):
            return [call(module, arguments(project, "work", "prepare", "--fresh"))]

    def loop(pixels: Callable[..., tf.train.Feature]) -> Read:
        return lambda: [rivals.written(folder / "loop.tfrecord", pairs(some), pixels)]

    ways: dict[str, tuple[int, Read]] = {
        "prepare, packed": (options.rows, prepare),
        "TFRecordWriter, bytes": (few, loop(rivals.as_bytes)),
        "TFRecordWriter, floats": (few, loop(rivals.floats)),
    }
    show("Rows written", timed(ways, options.rounds), *list(ways)[1:])


def memory(folder: Path, options: argparse.Namespace) -> None:
    """The most memory of a process that prepares a large synthetic set and trains on it."""
    count = options.gib * 2**30 // (784 + 8 + 8)
    spec = changed(ROWS, {"source": {"kind": "synthetic", "path": None, "rows": count}})
    project = make(folder / "memory", changed(spec, {"variants": None}))
    command = [sys.executable, str(project.script()), *arguments(project, "work", "train")]
    watch = (
        "import resource, subprocess, sys;"
        "status = subprocess.run(sys.argv[1:]).returncode;"
        "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20)"
    )
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", watch, *command, "--steps", "20"], capture_output=True, text=True
    )
    status, most = done.stdout.splitlines()[-1].split()
    assert status == "0", done.stderr
    seconds = time.perf_counter() - began
    print(f"\n{options.gib} GiB prepared in {seconds:,.0f} s: {float(most):.2f} GiB at the most")


PARTS = {"readers": readers, "prepare": preparing, "memory": memory}


def main() -> None:
    parser = argparse.ArgumentParser(description="Time how rows are read and prepared.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=4, help="that a pass has, where it is fast")
    parser.add_argument("--rows", type=int, default=250_000, help="of 800 bytes: 200 MB")
    parser.add_argument("--guide-rows", type=int, default=60_000, help="of 3.2 kB: 190 MB")
    parser.add_argument("--slow-rows", type=int, default=20_000, help="where a row is slow")
    parser.add_argument("--gib", type=int, default=6)
    options = parser.parse_args()
    print(f"{machine()}; medians of {options.rounds} rounds")
    for part in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as name:
            PARTS[part](Path(name), options)


def machine() -> str:
    about = [platform.machine(), f"{os.cpu_count()} processors", f"TensorFlow {tf.__version__}"]
    return f"{processor()}; {', '.join(about)}"


def processor() -> str:
    """What Linux calls it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    main()
