"""What a user's environment says of Keras changes nothing, and a script changes no process."""

import json
import os
import signal
import sys
from pathlib import Path

import keras
import pytest
import tensorflow as tf

from making import EACH_VARIANT, TINY, Once, Project, changed, make, points
from running import Run, arguments, finish, lines, same_weights, start

# Layers and an optimizer that the order of channels, the float type and epsilon would change.
SPEC = changed(
    TINY,
    {
        "model": {
            "layers": [
                {"reshape": {"shape": [3, 1, 1]}},
                {"conv2d": {"filters": 3, "kernel_size": 2, "padding": "same"}},
                {"max_pool2d": {"pool_size": [2, 1], "strides": 1}},
                "flatten",
                {"dense": {"units": 4}},
            ]
        },
        "train": {"metrics": ["accuracy"], "optimizer": None},
        "splits": {"parts": {"train": 0.8, "validation": 0.2}},
    },
    {"train": {"optimizer": {"name": "adam", "learning_rate": 0.01}}},
)
RUNPY = (
    "import runpy, sys; sys.argv = ['tiny.py', *sys.argv[1:]];"
    "runpy.run_path('generated/tiny.py', run_name='__main__')"
)
PROGRAM = ["generated/tiny.py"]
ENVIRONMENTS: dict[str, tuple[list[str], dict[str, str], dict[str, object]]] = {
    "none": (PROGRAM, {}, {}),
    "hostile": (
        PROGRAM,
        {"KERAS_BACKEND": "jax", "TF_USE_LEGACY_KERAS": "1", "PYTHONHASHSEED": "7"},
        {
            "backend": "torch",
            "floatx": "float64",
            "epsilon": 0.1,
            "image_data_format": "channels_first",
        },
    ),
    "runpy": (["-c", RUNPY], {"PYTHONPATH": "generated"}, {"floatx": "float16"}),
}


def run_all(folder: Path) -> None:
    """A run in each environment, all side by side; what it said on stderr is kept."""
    programs = {}
    for name, (command, variables, keras_json) in ENVIRONMENTS.items():
        project = make(folder / name, SPEC, points(23))
        (project.root / ".keras").mkdir()
        (project.root / ".keras" / "keras.json").write_text(json.dumps(keras_json))
        flags = arguments(project, "work", "--audit", "--threads", "1")
        programs[name] = start(project, [*command, *flags], variables)
    for name, program in programs.items():
        status, _, err = finish(program)
        assert status == 0, err
        (folder / name / "stderr").write_text(err)


@pytest.fixture(scope="module")
def folder(once: Once) -> Path:
    return once("environments", run_all)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_results_are_the_same_bit_by_bit(folder: Path, name: str) -> None:
    usual, found = (Run(Project(folder / each, "tiny").work()) for each in ("none", name))
    assert found.audit == usual.audit
    assert same_weights(found, usual)
    for key in ("history", "validation", "order_digest", "content_digest"):
        assert found.report[key] == usual.report[key]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_no_warnings(folder: Path, name: str) -> None:
    """Such as AutoGraph's, that it could not transform a function."""
    said = "\n".join(lines((folder / name / "stderr").read_text()))
    assert "could not" not in said
    assert "Warning" not in said


def test_importing_a_script_changes_nothing(tmp_path: Path) -> None:
    def state() -> dict[str, object]:
        return {
            "environment": dict(os.environ),
            "path": list(sys.path),
            "folder": os.getcwd(),
            "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, []),
            "handlers": [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)],
            "float type": keras.config.floatx(),
            "channels": keras.config.image_data_format(),
            "threads": tf.config.threading.get_inter_op_parallelism_threads(),
            "files": sorted(path.name for path in tmp_path.rglob("*") if path.suffix != ".pyc"),
        }

    project = make(tmp_path, changed(SPEC, EACH_VARIANT))
    before = state()
    for variant in ("data", *EACH_VARIANT["variants"]):
        project.load(variant)
    after = state()
    after["files"] = [name for name in after["files"] if name != "__pycache__"]
    assert after == before


def test_a_script_needs_nothing_of_specgen(tmp_path: Path) -> None:
    project = make(tmp_path, changed(SPEC, EACH_VARIANT))
    for script in (project.root / "generated").glob("*.py"):
        imports = [line for line in script.read_text().splitlines() if "import" in line.split(" ")]
        assert imports
        assert not any("specgen" in line for line in imports)


def test_another_backend_is_refused_in_a_process_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script that is imported cannot choose Keras' backend any more."""
    project = make(tmp_path, SPEC, points(8))
    module = project.load()
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    assert module.main(arguments(project, "work")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "KERAS_BACKEND" in line
