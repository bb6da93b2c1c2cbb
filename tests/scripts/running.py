"""Scripts run: in this process by their `main`, or as programs; what a run leaves behind.

TensorFlow takes seconds to start, so only what needs a process of its own gets one.
"""

import json
import os
import re
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from making import Project

SECONDS = 120  # for a program to end by itself


@dataclass(frozen=True)
class Run:
    """The files of a working folder."""

    workdir: Path

    @cached_property
    def report(self) -> dict[str, Any]:
        return json.loads((self.workdir / "report.json").read_text())

    @cached_property
    def audit(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.workdir / "audit.jsonl").open()]

    @property
    def losses(self) -> list[float]:
        return [line["loss"] for line in self.audit]

    @cached_property
    def weights(self) -> dict[str, np.ndarray]:
        """By the name of the layer and of the weight in it."""
        with np.load(self.workdir / "weights.npz") as file:
            return {by_layer(name): value for name, value in file.items()}

    @property
    def checkpoints(self) -> list[Path]:
        return sorted((self.workdir / "checkpoints").glob("*.npz"))


def by_layer(name: str) -> str:
    """The path of a weight without the model's own name."""
    return "/".join(name.split("/")[-2:])


def arguments(project: Project, label: str, *argv: str) -> list[str]:
    workdir, records = str(project.work(label)), str(project.records)
    return [*argv, "--workdir", workdir, "--records", records]


def call(module: ModuleType, argv: list[str], stop: Any = None) -> int:
    """The exit status of `main`."""
    try:
        return module.main(argv, stop) or 0
    except SystemExit as error:
        return int(error.code or 0)


def train(
    project: Project, module: ModuleType, *argv: str, label: str = "work", stop: Any = None
) -> Run:
    """An audited training that must succeed."""
    status = call(module, arguments(project, label, "train", "--audit", *argv), stop)
    assert status == 0
    return Run(project.work(label))


def records_of(project: Project, module: ModuleType) -> Any:
    """The prepared records, as the script's own functions take them."""
    options = Namespace(records=str(project.records), source=str(project.data), fresh=False)
    return module.data.prepare(options, module.data.StopSignals())


def same_weights(one: Run, other: Run) -> bool:
    return one.weights.keys() == other.weights.keys() and all(
        np.array_equal(value, other.weights[name]) for name, value in one.weights.items()
    )


def snapshot(folder: Path) -> dict[str, bytes]:
    """All files below a folder, but for compiled modules and empty locks."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if path.suffix != ".pyc" and not path.name.endswith("lock")
    }


# -- Programs -------------------------------------------------------------------------------------


def environment(home: Path, **variables: str) -> dict[str, str]:
    """A user's environment: nothing of the developer's Keras or of these tests is in it."""
    ours = ("KERAS", "TF_", "PYTEST", "CUDA")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return {**kept, "HOME": str(home), "CUDA_VISIBLE_DEVICES": "", **variables}


def start(
    project: Project, command: list[str], variables: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """A program, in the folder of the project."""
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=project.root,
        env=environment(project.root, **(variables or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finish(program: subprocess.Popen[str], seconds: float = SECONDS) -> tuple[int, str, str]:
    """Its exit status, output and errors; it is killed, and the test fails, when it hangs."""
    try:
        out, err = program.communicate(timeout=seconds)
    finally:
        program.kill()
    return program.returncode, out, err


def lines(err: str) -> list[str]:
    """What a script said, without the lines by which TensorFlow and its libraries start up."""
    theirs = re.compile(r"WARNING: All log messages before absl|[IWE]\d{4} \d\d:\d\d:")
    return [line for line in err.splitlines() if not theirs.match(line)]


def wait_until(condition: Callable[[], Any], program: subprocess.Popen[str]) -> None:
    """Poll for something that a running program is about to do."""
    for _ in attempts():
        if condition():
            return
        if program.poll() is not None:
            raise AssertionError(f"it ended before: {finish(program)}")
    program.kill()
    raise AssertionError(f"it did not come: {finish(program)}")


def attempts() -> Iterator[None]:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        yield
        time.sleep(0.01)
