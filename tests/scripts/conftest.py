"""Fixtures for the tests of generated scripts."""

import fcntl
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Before Keras and TensorFlow are imported: the user's own choice is what other tests are about.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
sys.path.insert(0, str(Path(__file__).parents[1]))  # for reference_order

from making import Once


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """A folder that is filled once, although several processes may share out the tests."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def filled(name: str, fill: Callable[[Path], None]) -> Path:
        folder, done = base / name, base / f"{name}.done"
        with open(base / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of one that failed
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return filled
