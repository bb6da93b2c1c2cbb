"""What an environment says of Keras and TensorFlow changes nothing, nor a script a process."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf

from making import EACH_VARIANT, HOW, TINY, Once, Project, changed, make, points
from running import Run, arguments, attempts, call, finish, lines, same_weights, start
from sessions import EACH_TARGET, TF14, python_threads

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
SPEC["variants"] = {name: HOW[name] for name in EACH_TARGET}
RUNPY = (
    "import runpy, sys; sys.argv = sys.argv[1:];" "runpy.run_path(sys.argv[0], run_name='__main__')"
)
WITHOUT_TF2 = f"import tensorflow as tf; tf.compat.v1.disable_v2_behavior(); {RUNPY}"


class Environment(NamedTuple):
    """What comes before the script on a command line, and what its user has set."""

    command: list[str]
    variables: dict[str, str]
    keras_json: dict[str, object]


USUAL = "usual"
HOSTILE = Environment(
    [],
    {"KERAS_BACKEND": "jax", "TF_USE_LEGACY_KERAS": "1", "PYTHONHASHSEED": "7"},
    {
        "backend": "torch",
        "floatx": "float64",
        "epsilon": 0.1,
        "image_data_format": "channels_first",
    },
)
PATH = {"PYTHONPATH": "generated"}
ENVIRONMENTS = {
    EACH_TARGET[0]: {
        USUAL: Environment([], {}, {}),
        "hostile": HOSTILE,
        "runpy": Environment(["-c", RUNPY], PATH, {"floatx": "float16"}),
    },
    EACH_TARGET[1]: {
        USUAL: Environment([], {}, {}),
        "hostile": HOSTILE,
        "without TensorFlow 2's behaviour": Environment(["-c", WITHOUT_TF2], PATH, {}),
    },
}
each_environment = pytest.mark.parametrize(
    ("variant", "name"),
    [(variant, name) for variant in ENVIRONMENTS for name in ENVIRONMENTS[variant]],
)


def run_all(folder: Path) -> None:
    """A run in each environment, all side by side; what it said on stderr is kept."""
    programs = {}
    for variant, environments in ENVIRONMENTS.items():
        for name, (command, variables, keras_json) in environments.items():
            project = make(folder / variant / name, SPEC, points(23))
            (project.root / ".keras").mkdir()
            (project.root / ".keras" / "keras.json").write_text(json.dumps(keras_json))
            flags = arguments(project, "work", "--audit", "--threads", "1")
            script = f"generated/{project.script(variant).name}"
            programs[project] = start(project, [*command, script, *flags], variables)
    for project, program in programs.items():
        status, _, err = finish(program)
        assert status == 0, err
        (project.root / "stderr").write_text(err)


@pytest.fixture(scope="module")
def folder(once: Once) -> Path:
    return once("environments", run_all)


@each_environment
def test_results_are_the_same_bit_by_bit(folder: Path, variant: str, name: str) -> None:
    usual, found = (Run(Project(folder / variant / each, "tiny").work()) for each in (USUAL, name))
    assert found.audit == usual.audit
    assert same_weights(found, usual)
    for key in ("history", "validation", "order_digest", "content_digest"):
        assert found.report[key] == usual.report[key]


@each_environment
def test_no_warnings(folder: Path, variant: str, name: str) -> None:
    """Such as AutoGraph's, that it could not transform a function."""
    said = "\n".join(lines((folder / variant / name / "stderr").read_text()))
    assert "could not" not in said
    assert "Warning" not in said


def process() -> dict[str, object]:
    """All of this process that a script could change."""
    v1 = tf.compat.v1
    return {
        "environment": dict(os.environ),
        "path": list(sys.path),
        "folder": os.getcwd(),
        "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        "handlers": [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)],
        "random numbers": np.random.get_state()[1].tolist(),
        "float type": keras.config.floatx(),
        "channels": keras.config.image_data_format(),
        "threads of TensorFlow": tf.config.threading.get_inter_op_parallelism_threads(),
        "eager": (tf.executing_eagerly(), v1.executing_eagerly_outside_functions()),
        "branches as functions": v1.control_flow_v2_enabled(),
        "resource variables": v1.resource_variables_enabled(),
        "session": v1.get_default_session(),
        "graph": v1.get_default_graph(),
        "operations": len(v1.get_default_graph().get_operations()),
    }


def test_importing_a_script_changes_nothing(tmp_path: Path) -> None:
    def files() -> set[str]:
        return {path.name for path in tmp_path.rglob("*") if path.suffix != ".pyc"}

    project = make(tmp_path, changed(SPEC, EACH_VARIANT))
    before, threads = (process(), files()), python_threads()
    for variant in ("data", *EACH_VARIANT["variants"]):
        project.load(variant)
    assert (process(), files() - {"__pycache__"}) == before
    assert python_threads() <= threads


@pytest.fixture(params=[True, False], ids=["functions", "no functions"])
def _branches(request: pytest.FixtureRequest) -> Iterator[None]:
    """What the process has chosen of what a script for 1.4 needs otherwise."""
    v1 = tf.compat.v1
    choose = {True: v1.enable_control_flow_v2, False: v1.disable_control_flow_v2}
    before = v1.control_flow_v2_enabled()
    choose[request.param]()
    yield
    choose[before]()


@pytest.mark.usefixtures("_branches")
@pytest.mark.parametrize("variant", TF14)
def test_a_script_for_1_4_leaves_the_process_as_it_was(tmp_path: Path, variant: str) -> None:
    """Whether it succeeds, fails or is stopped; also where others have a graph and a session."""
    project = make(tmp_path, changed(SPEC, EACH_VARIANT), points(23))
    module = project.load(variant)
    stopped = module.data.StopSignals()
    stopped.received = signal.SIGTERM
    commands: list[tuple[list[str], Any, int]] = [
        (["train"], None, 0),
        (["evaluate"], None, 0),
        (["measure"], None, 0),
        (["train", "--fresh"], stopped, 128 + signal.SIGTERM),
        (["train", "--seed", "6"], None, 2),  # there are checkpoints of another one
        (["--records", str(tmp_path / "none"), "--source", "none"], None, 2),
    ]

    def run_all() -> None:
        for argv, stop, status in commands:
            before, threads = process(), python_threads()
            assert call(module, [*arguments(project, "work"), *argv], stop) == status
            assert process() == before, argv
            assert python_threads() <= threads, argv

    run_all()
    with tf.Graph().as_default(), tf.compat.v1.Session():
        run_all()


@pytest.mark.parametrize("variant", TF14)
def test_nothing_reads_on_once_main_has_returned(tmp_path: Path, variant: str) -> None:
    """Although it was reading ahead when it stopped, and what it raised keeps the session."""
    project = make(tmp_path, changed(SPEC, EACH_VARIANT), points(23))
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    stop = module.data.StopSignals()
    stop.received = signal.SIGINT
    before = sys._current_frames().keys()  # threads of other tests may be among them
    with pytest.raises(SystemExit) as error:
        module.main(arguments(project, "work", "--slow-input", "200"), stop)
    assert Run(project.work()).checkpoints
    in_python = sys._current_frames().keys() - before
    assert in_python <= {thread.ident for thread in python_threads()}, error


def tasks() -> int:
    """The threads of this process that the operating system knows."""
    return len(os.listdir("/proc/self/task"))


@pytest.mark.parametrize("variant", TF14)
def test_no_thread_of_tensorflow_is_left(tmp_path: Path, variant: str) -> None:
    """Those that all sessions share begin with the first one; the others end a little later."""
    project = make(tmp_path, changed(SPEC, EACH_VARIANT), points(23))
    module = project.load(variant)
    flags = arguments(project, "work", "--fresh", "--threads", "2")
    assert call(module, flags) == 0
    before = tasks()
    for command in ("train", "evaluate", "measure"):
        assert call(module, [*flags, command]) == 0
        assert any(tasks() <= before for _ in attempts()), command


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
    module = project.load(EACH_TARGET[0])
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    assert module.main(arguments(project, "work")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "KERAS_BACKEND" in line
