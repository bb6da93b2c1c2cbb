"""Fixtures for the tests of generated scripts."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Before Keras and TensorFlow are imported: the user's own choice is what other tests are about.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
sys.path.insert(0, str(Path(__file__).parents[1]))  # for reference_order

from making import Project, Rows, Spec, make


@pytest.fixture
def project(tmp_path: Path) -> Callable[[Spec, Rows | None], Project]:
    """Make the project of a spec, with these rows as its data."""
    return lambda spec, rows=None: make(tmp_path, spec, rows)
