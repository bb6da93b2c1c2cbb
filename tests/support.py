"""What test modules share: specs built in memory, the command line, expected files, linters."""

import io
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import black
import pytest
from black.mode import TargetVersion

from specgen import cli
from specgen.chain import Result, SpecFile, compile_spec
from specgen.targets import DATA_PYTHON, TARGETS

ROOT = Path(__file__).parents[1]

# The rules of ruff that every generated file keeps, at this length of a line. README names them.
GENERATED_RULES = "A,B,C4,E,F,N,PIE,PLE,RET,W"
LINE_LENGTH = 100


def compiled(content: bytes) -> Result:
    """A spec through the whole chain, its files beside it."""
    return compile_spec(SpecFile("spec.yaml", content, Path("/project"), "spec.yaml"))


def texts(result: Result) -> dict[str, str]:
    """The outputs of a spec that must have no mistake, by the names of their files."""
    assert not result.diagnostics
    return {output.path.name: output.text for output in result.outputs}


def run(*args: str, stdin: bytes = b"") -> tuple[int, str, str]:
    """One command line in this process: its status, stdout and stderr."""
    stdout, stderr = io.StringIO(), io.StringIO()
    status = cli.main(args, io.BytesIO(stdin), stdout, stderr)
    return status, stdout.getvalue(), stderr.getvalue()


def files(folder: Path) -> dict[str, bytes]:
    """Every file below the folder, by its path from there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def compare(folder: Path, actual: Mapping[str, str], inputs: Iterable[str], update: bool) -> None:
    """Holds the files of a folder, but for the inputs among them, against what they ought to be."""
    expected = {
        path.name: path.read_bytes().decode("utf-8")
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name not in inputs
    }
    changed = {name for name in {**expected, **actual} if expected.get(name) != actual.get(name)}
    if update:
        for name in changed:
            if name in actual:
                (folder / name).write_bytes(actual[name].encode("utf-8"))
            else:
                (folder / name).unlink()
    elif changed:
        difference = "\n".join(
            line
            for name in sorted(changed)
            for line in unified_diff(
                expected.get(name, "").splitlines(),
                actual.get(name, "").splitlines(),
                f"{folder.name}/{name} (expected)",
                f"{folder.name}/{name} (actual)",
                lineterm="",
            )
        )
        pytest.fail(f"{difference}\n\npytest --update-golden rewrites it", pytrace=False)


# -- Linters, with settings that no file of configuration changes ----------------------------------


@dataclass(frozen=True)
class Module:
    """A generated module, by the path that linters are shown it at."""

    path: str
    text: str
    python: str  # the oldest one that it is for, as linters spell it


def modules(result: Result, folder: str) -> list[Module]:
    """The outputs of a spec that must have no mistake."""
    oldest = [DATA_PYTHON, *(TARGETS[plan.target].oldest_python for plan in result.plans)]
    return [
        Module(f"{folder}/{name}", text, "py{}{}".format(*python))
        for (name, text), python in zip(texts(result).items(), oldest, strict=True)
    ]


def is_laid_out(text: str, python: str) -> bool:
    """Whether black would leave a generated text as it is."""
    mode = black.Mode(line_length=LINE_LENGTH, target_versions={TargetVersion[python.upper()]})
    return black.format_str(text, mode=mode) == text


def ruff_says(modules: Iterable[Module], folder: Path) -> str:
    """What ruff has against generated modules."""
    command = f"-m ruff check --isolated --no-cache --quiet --select {GENERATED_RULES}".split()
    command += ["--line-length", str(LINE_LENGTH), "--target-version"]
    # It knows no Python before 3.7.
    return _say(modules, folder, lambda python: [*command, max(python, "py37")])


def vermin_says(modules: Iterable[Module], folder: Path) -> str:
    """Which parts of generated modules need a newer Python than the one that they are for."""
    command = ["-c", "from vermin import main; main()", "--quiet", "--no-tips", "--violations"]
    return _say(modules, folder, lambda python: [*command, f"--target={python[2]}.{python[3:]}-"])


def _say(modules: Iterable[Module], folder: Path, command: Callable[[str], list[str]]) -> str:
    """What a linter says that is not content; `command` is what Python runs for an oldest one."""
    groups: dict[str, list[str]] = {}
    for module in modules:
        (folder / module.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / module.path).write_bytes(module.text.encode("utf-8"))
        groups.setdefault(module.python, []).append(module.path)
    runs = [
        subprocess.run(
            [sys.executable, *command(python), *names],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
        )
        for python, names in groups.items()
    ]
    return "".join(done.stdout + done.stderr for done in runs if done.returncode)
