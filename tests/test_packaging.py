"""The package as others get it: a wheel by way of the source archive, and an editable install.

Each is installed into a virtual environment of its own, which borrows the packages that specgen
needs from the environment of the tests, so that no package index is asked.
"""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from build import ProjectBuilder

from specgen import __version__
from support import ROOT, files

# What the source archive has besides the folders that it has whole.
LOOSE = {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml", ".gitignore"}
LOOSE |= {".ci/run", ".pre-commit-hooks.yaml"}


@dataclass(frozen=True)
class Environment:
    """A virtual environment that has specgen, and where this comes from."""

    folder: Path
    package: Path

    def run(self, *command: str, at: Path) -> str:
        """The stdout of a program of the environment, which must succeed without a word."""
        done = subprocess.run(
            [self.folder / "bin" / command[0], *command[1:]],
            cwd=at,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


def pip(*command: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *command], check=True, timeout=300)


def environment(folder: Path, wheel: Path) -> Path:
    """A new virtual environment with the wheel, and access to the packages of this one."""
    venv.create(folder, symlinks=True, with_pip=False)
    pip("--python", folder / "bin/python", "install", "--no-deps", "--no-index", wheel)
    (site,) = folder.glob("lib/python3.*/site-packages")
    borrowed = [path for path in sys.path if path.endswith("-packages")]
    (site / "borrowed.pth").write_text("\n".join(borrowed))
    return site


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive, and the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


@pytest.fixture(scope="module", params=["wheel", "editable"])
def installed(
    request: pytest.FixtureRequest,
    archives: tuple[Path, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Environment:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "wheel":
        return Environment(folder, environment(folder, archives[1]) / "specgen")
    wheel = ProjectBuilder(ROOT).build("editable", tmp_path_factory.mktemp("dist"))
    environment(folder, Path(wheel))
    return Environment(folder, ROOT / "specgen")


def test_it_works_from_an_empty_folder(installed: Environment, tmp_path: Path) -> None:
    where = installed.run("python", "-c", "import specgen; print(specgen.__file__)", at=tmp_path)
    assert Path(where.strip()).parent == installed.package
    assert installed.run("specgen", "--version", at=tmp_path) == f"specgen {__version__}\n"

    installed.run("specgen", "init", "first", at=tmp_path)
    installed.run("specgen", "validate", at=tmp_path)
    assert installed.run("specgen", "build", at=tmp_path) == (
        "wrote generated/first_data.py\nwrote generated/first.py\n2 written, 0 unchanged\n"
    )
    said = "2 files are as their specs make them\n"
    assert installed.run("specgen", "check", at=tmp_path) == said
    assert installed.run("python", "-m", "specgen", "check", at=tmp_path) == said


def test_it_makes_the_bytes_that_the_checkout_makes(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "specs").symlink_to(ROOT / "specs")
    installed.run("specgen", "build", "-o", "built", "specs", at=tmp_path)
    (tmp_path / "here").mkdir()
    command = [sys.executable, "-m", "specgen", "build", "-o", "here", "specs"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    assert files(tmp_path / "built") == files(tmp_path / "here")


def tracked(*folders: str) -> Iterator[str]:
    """The files of some folders of the checkout, but for what running it leaves."""
    for folder in folders:
        for path in files(ROOT / folder):
            if "__pycache__" not in path:
                yield f"{folder}/{path}"


def test_the_source_archive_has_all_that_the_tests_need(archives: tuple[Path, Path]) -> None:
    source, _ = archives
    with tarfile.open(source) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    folders = ("generated", "specgen", "specs", "templates", "tests")
    assert names == {*LOOSE, *tracked(*folders)}


def test_the_wheel_has_the_package_and_the_templates(archives: tuple[Path, Path]) -> None:
    _, wheel = archives
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {*tracked("specgen"), *(f"specgen/{name}" for name in tracked("templates"))}
