"""Every script trains on the current TensorFlow and on 2.16, and learns the same on both.

All scripts run in one process for each version: to start TensorFlow takes longer than they do.
`SPECGEN_TENSORFLOW_216` names a Python that has TensorFlow 2.16; without it, an environment is made
once in `.venv-tf216` at the root of the repository. Where `SPECGEN_TENSORFLOW_14` names a Python
3.6 that has TensorFlow 1.4, the scripts for it run there as well.
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
from specgen.checks.choices import places
from specgen.load import load
from specgen.parse import parse
from specgen.support import KEYS, is_chosen
from specgen.support_table import TABLE, Since
from specgen.targets import TARGETS
from specgen.variants import expand

HERE = Path(__file__).parent
CURRENT, OLDEST, FIRST = "current", "2.16", "1.4"
PYTHON_OF_FIRST = "SPECGEN_TENSORFLOW_14"
VERSIONS = [CURRENT, OLDEST, *([FIRST] if PYTHON_OF_FIRST in os.environ else [])]
GENERATED = sorted(
    path.stem for path in (REPOSITORY / "generated").glob("*.py") if not path.stem.endswith("_data")
)
STEPS = 3  # of the committed scripts
MINUTES = 10  # for all scripts of a version

each_other_version = pytest.mark.parametrize(
    "version",
    [
        OLDEST,
        pytest.param(
            FIRST,
            marks=pytest.mark.skipif(
                FIRST not in VERSIONS, reason=f"{PYTHON_OF_FIRST} names no Python that has it"
            ),
        ),
    ],
)


def python_of(version: str) -> str:
    """The interpreter that has this TensorFlow."""
    if version == CURRENT:
        return sys.executable
    if version == FIRST:
        return os.environ[PYTHON_OF_FIRST]
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
        rows = rows_of(spec)
        project = make(folder / spec["name"], spec, rows)
        if rows and "arrays" in spec["source"]:
            project.write_arrays(rows)
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
    argv = {
        name: ["--workdir", str(folder / version / name), *records]
        for name in scripts
        if runs_on(version, name)
    }
    for name in argv.keys() & GENERATED:
        argv[name] += ["--steps", str(STEPS)]
    jobs.write_text(json.dumps({name: [str(scripts[name]), argv[name]] for name in argv}))
    command = [python_of(version), str(HERE / "run_scripts.py"), str(jobs), str(results)]
    with open(folder / f"{version}.log", "w") as log:
        variables = environment(folder)
        subprocess.run(command, env=variables, stdout=log, stderr=log, timeout=MINUTES * 60)


def runs_on(version: str, name: str) -> bool:
    """Whether a script is for this TensorFlow; its name ends in its target where it is not tf2."""
    return version != FIRST or name.endswith("_tf14")


@pytest.fixture(scope="module")
def folder(once: Once) -> Path:
    return once("versions", run_all)


def run_of(folder: Path, version: str, name: str) -> Run:
    results = json.loads((folder / f"{version}.results").read_text())
    assert results[name] == 0, results[name]
    return Run(folder / version / name)


def assert_alike(one: Run, other: Run) -> None:
    for key in ("order_digest", "content_digest", "steps", "rows_trained", "splits"):
        assert one.report[key] == other.report[key], key
    assert one.losses == pytest.approx(other.losses, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_the_matrix_makes_every_choice(target: str) -> None:
    """Of those that the target supports: none is without a script that was run."""
    made: dict[str, set[str]] = {key: set() for key in KEYS}
    for name in MATRIX:
        document, _ = parse(json.dumps(spec_of(name)).encode(), "spec.yaml")
        assert document
        for variant in expand(document)[0]:
            sections, _ = load(variant)
            if sections["target"] == target:
                for key, choices in made.items():
                    choices.update(choice for _, choice in places(sections, key))
    lacking = [
        (row.key, choice)
        for row in TABLE
        for choice in row.choices
        if isinstance(row.on(target), Since)
        and not any(is_chosen([choice], one) for one in made[row.key])
    ]
    assert not lacking


@pytest.mark.parametrize("name", MATRIX)
def test_variants_agree(folder: Path, name: str) -> None:
    """Across targets, and where one keeps the stored dtypes and another casts on the host."""
    first, *others = (run_of(folder, CURRENT, f"{name}/{variant}") for variant in VARIANTS)
    assert np.all(np.isfinite(first.losses))
    assert first.report["rows_seen_once"] is True
    for other in others:
        assert_alike(other, first)
        assert other.report["rows_seen_once"] is True


@each_other_version
@pytest.mark.parametrize("name", MATRIX)
def test_versions_agree(folder: Path, name: str, version: str) -> None:
    for script in (f"{name}/{variant}" for variant in VARIANTS):
        if runs_on(version, script):
            assert_alike(run_of(folder, version, script), run_of(folder, CURRENT, script))


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


@each_other_version
def test_committed_scripts(folder: Path, version: str) -> None:
    for name in GENERATED:
        if runs_on(version, name):
            current = run_of(folder, CURRENT, name)
            assert len(current.audit) == STEPS, name
            assert_alike(run_of(folder, version, name), current)
