"""Every kind of mistake: the whole of what the command line says of it, and its exit status.

Each folder of tests/errors is a test, named after the code that it is about. It holds a project and
a transcript: command lines, and below each what comes out on stderr and the exit status. Nothing
comes out on stdout, and nothing in the project changes.
"""

import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specgen.diagnostics import CODES
from support import ROOT, compare, files, run

ERRORS = Path(__file__).parent / "errors"
CASES = sorted(path.name for path in ERRORS.iterdir())
TRANSCRIPT = "transcript"
# Where no transcript says better.
DEFAULT = "$ specgen build spec.yaml\n"
# Tested where the fault can be made: no spec leads to one.
ELSEWHERE = {"SG901": "test_templates.py"}

SECONDS = 20
BYTES = 1 << 30

Runner = Callable[[list[str]], tuple[int, str, str]]


def in_a_process(args: list[str]) -> tuple[int, str, str]:
    """One command line in a process of its own, which may take so much time and memory."""
    done = subprocess.run(
        [sys.executable, "-m", "specgen", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES)),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_told(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    check(case, tmp_path, monkeypatch, lambda args: run(*args), update_golden)


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("SG1")])
def test_a_text_takes_little_time_and_memory(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(case, tmp_path, monkeypatch, in_a_process, False)


def check(
    case: str, folder: Path, monkeypatch: pytest.MonkeyPatch, runner: Runner, update: bool
) -> None:
    shutil.copytree(ERRORS / case, folder, dirs_exist_ok=True)
    monkeypatch.chdir(folder)
    before = files(folder)
    transcript = before.get(TRANSCRIPT, DEFAULT.encode()).decode("utf-8")
    actual = ""
    for command in re.findall(r"^\$ specgen (.*)$", transcript, re.MULTILINE):
        status, out, errors = runner(shlex.split(command))
        assert out == ""
        actual += f"$ specgen {command}\n{errors}exit status {status}\n"
    assert case.partition("-")[0] in actual
    assert files(folder) == before
    inputs = [path.name for path in (ERRORS / case).iterdir() if path.name != TRANSCRIPT]
    compare(ERRORS / case, {TRANSCRIPT: actual}, inputs, update)


def test_each_code_has_a_case() -> None:
    shown = {case.partition("-")[0] for case in CASES}
    assert sorted(CODES.keys() - shown - ELSEWHERE.keys()) == []
    assert shown <= CODES.keys()
