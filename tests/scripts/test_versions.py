"""Every script trains on the current TensorFlow and on 2.16, and learns the same on both.

All scripts run in one process for each version: to start TensorFlow takes longer than they do.
`SPECGEN_TENSORFLOW_216` names a Python that has TensorFlow 2.16; without it, an environment is made
once in `.venv-tf216` at the root of the repository.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import reference_order
from making import REPOSITORY, VARIANTS, Once, make
from matrix import MATRIX, ROWS, rows_of, spec_of
from reference_order import Layout
from running import Run, environment

HERE = Path(__file__).parent
VERSIONS = CURRENT, OLDEST = "current", "2.16"
GENERATED = sorted(
    path.stem for path in (REPOSITORY / "generated").glob("*.py") if not path.stem.endswith("_data")
)
STEPS = 3  # of the committed scripts
MINUTES = 10  # for all scripts of a version


def python_of(version: str) -> str:
    """The interpreter that has this TensorFlow."""
    if version == CURRENT:
        return sys.executable
    if "SPECGEN_TENSORFLOW_216" in os.environ:
        return os.environ["SPECGEN_TENSORFLOW_216"]
    folder = REPOSITORY / ".venv-tf216"
    python, done = folder / "bin" / "python", folder / "complete"
    if not done.exists():
        venv.create(folder, clear=True, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "tensorflow-cpu==2.16.*"]
        subprocess.run(install, check=True, timeout=MINUTES * 60)
        done.touch()
    return str(python)


def write_scripts(folder: Path) -> dict[str, Path]:
    """The scripts of the matrix and those that are committed, by name."""
    scripts = {name: REPOSITORY / "generated" / f"{name}.py" for name in GENERATED}
    for name in MATRIX:
        spec = spec_of(name)
        project = make(folder / spec["name"], spec, rows_of(spec))
        (project.root / "specs").mkdir()
        shutil.copy(HERE / "user_models.py", project.root / "specs")
        scripts.update({f"{name}/{variant}": project.script(variant) for variant in VARIANTS})
    return scripts


def run_all(folder: Path) -> None:
    """Every script with every version; the versions side by side."""
    scripts = write_scripts(folder)
    with ThreadPoolExecutor() as side_by_side:
        list(side_by_side.map(lambda version: run_with(version, scripts, folder), VERSIONS))


def run_with(version: str, scripts: dict[str, Path], folder: Path) -> None:
    jobs, results = folder / f"{version}.jobs", folder / f"{version}.results"
    records = ["--records", str(folder / f"{version}.records"), "--audit"]
    argv = {name: ["--workdir", str(folder / version / name), *records] for name in scripts}
    for name in GENERATED:
        argv[name] += ["--steps", str(STEPS)]
    jobs.write_text(json.dumps({name: [str(scripts[name]), argv[name]] for name in scripts}))
    command = [python_of(version), str(HERE / "run_scripts.py"), str(jobs), str(results)]
    with open(folder / f"{version}.log", "w") as log:
        variables = environment(folder)
        subprocess.run(command, env=variables, stdout=log, stderr=log, timeout=MINUTES * 60)


@pytest.fixture(scope="module")
def folder(once: Once) -> Path:
    return once("versions", run_all)


def run_of(folder: Path, version: str, name: str) -> Run:
    results = json.loads((folder / f"{version}.results").read_text())
    assert results[name] == 0, results[name]
    return Run(folder / version / name)


@pytest.mark.parametrize("name", MATRIX)
def test_methods_and_versions_agree(folder: Path, name: str) -> None:
    """Also where one keeps the stored dtypes on the wire and the other casts on the host."""
    runs = {
        (version, variant): run_of(folder, version, f"{name}/{variant}")
        for version in VERSIONS
        for variant in VARIANTS
    }
    first = runs[CURRENT, VARIANTS[0]]
    assert np.all(np.isfinite(first.losses))
    for run in runs.values():
        for key in ("order_digest", "content_digest", "steps", "rows_trained", "splits"):
            assert run.report[key] == first.report[key], key
        assert run.report["rows_seen_once"] is True
        assert run.losses == pytest.approx(first.losses, abs=1e-5)


@pytest.mark.parametrize(
    "name",
    ["dtypes, labels in four bytes", "wide dtypes", "scaled, labels in a byte", "hostile names"],
)
def test_contents_are_those_of_the_source(folder: Path, name: str) -> None:
    """In storage dtype, placeholders in the order of the spec, whatever travelled."""
    spec = spec_of(name)
    rows = rows_of(spec)
    assert rows is not None
    columns = [rows[key].astype(p["dtype"]) for key, p in spec["placeholders"].items()]
    stored = reference_order.stored(np.arange(ROWS), "train", splits_seed=0)
    train = spec["train"]
    layout = Layout(batch_size=train["batch_size"])
    batches = layout.batches(stored, train["seed"], train["epochs"])
    expected = [
        reference_order.content_digest(column[ids] for column in columns) for ids in batches
    ]
    for variant in VARIANTS:
        audit = run_of(folder, CURRENT, f"{name}/{variant}").audit
        assert [line["content"] for line in audit] == expected


@pytest.mark.parametrize("name", GENERATED)
def test_committed_scripts(folder: Path, name: str) -> None:
    current, oldest = (run_of(folder, version, name) for version in VERSIONS)
    assert len(current.audit) == STEPS
    for key in ("order_digest", "content_digest"):
        assert current.report[key] == oldest.report[key]
    assert current.losses == pytest.approx(oldest.losses, abs=1e-5)
