"""README: what it copies is up to date, what it promises is there, and its commands run.

Its commands run in a folder that has the specs and generated files of the repository, as in a
clone, but for the two that set up a machine: of these the parts are tested.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from specgen import report, support
from specgen.parse import parse
from support import GENERATED_RULES, ROOT, compiled, run, texts

README = (ROOT / "README.md").read_text("utf-8")
SET_UP = "python3 -m venv .venv && .venv/bin/pip install -e "


def blocks(language: str) -> list[str]:
    """What the fences of a language hold."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [block for written, block in fences if written == language]


def column(head: str) -> list[str]:
    """The cells of the first column of the table whose head begins like this, without backticks."""
    table = README.split(f"\n| {head} |")[1].split("\n\n")[0].splitlines()[2:]
    return [row.split(" | ")[0].removeprefix("| ").replace("`", "") for row in table]


COMMANDS = [block for block in blocks("sh") if not block.startswith(SET_UP)]
TITLES = [block.splitlines()[-1] for block in COMMANDS]


# -- Copies ---------------------------------------------------------------------------------------


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}```\n"


def minimal_spec() -> str:
    return (ROOT / "specs/minimal.yaml").read_text("utf-8")


def heart(spec: str, script: str, *names: str) -> str:
    """Methods of a script by which a step trains on one buffer while the other fills."""
    text = texts(compiled((ROOT / "specs" / spec).read_bytes()))[script]
    lines = text.splitlines()
    methods = {
        method.name: textwrap.dedent("\n".join(lines[method.lineno - 1 : method.end_lineno]))
        for definition in ast.parse(text).body
        if isinstance(definition, ast.ClassDef) and definition.name == "Feeder"
        for method in definition.body
        if isinstance(method, ast.FunctionDef)
    }
    return fenced("python", "\n\n".join(methods[name] for name in names) + "\n")


COPIES: Mapping[str, Callable[[], str]] = {
    "specs/minimal.yaml": lambda: fenced("yaml", minimal_spec()),
    "the heart of generated/minimal.py": lambda: heart(
        "minimal.yaml", "minimal.py", "advance", "_fill_and_train", "_train", "_fill"
    ),
    "the heart of generated/digits_two_variable_tf14.py": lambda: heart(
        "digits.yaml", "digits_two_variable_tf14.py", "__init__", "advance", "_read", "_fill"
    ),
    "the table of support": support.markdown,
}


def test_copies_are_up_to_date(update_golden: bool) -> None:
    copied = re.sub(
        r"(<!-- copy: (.+?) -->\n).*?(<!-- end -->\n)",
        lambda found: found[1] + COPIES[found[2]]() + found[3],
        README,
        flags=re.DOTALL,
    )
    assert copied.count("<!-- copy: ") == len(COPIES)
    if update_golden:
        (ROOT / "README.md").write_bytes(copied.encode("utf-8"))
    else:
        assert copied == README, "pytest --update-golden copies anew"


# -- Words that must agree with the code ----------------------------------------------------------


def test_it_lists_every_verb() -> None:
    _, help_text, _ = run("--help")
    verbs = re.findall(r"^  ([a-z]+)  ", help_text.split("Commands:")[1], re.MULTILINE)
    assert [cell.split()[0] for cell in column("verb")] == verbs


def test_it_lists_every_exit_status() -> None:
    statuses = (report.FINE, report.DRIFT, report.BAD, report.FAULT, report.INTERRUPTED)
    assert column("exit status") == list(map(str, statuses))


def test_it_names_the_rules_that_generated_files_keep() -> None:
    assert f" --select {GENERATED_RULES} " in README


def test_its_attributes_are_those_of_this_repository() -> None:
    (attributes,) = blocks("gitattributes")
    assert attributes in (ROOT / ".gitattributes").read_text("utf-8")


def test_its_hook_is_there() -> None:
    (hook,) = re.findall(r"- id: (.+)", README)
    assert f"- id: {hook}\n" in (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")


def test_the_files_that_it_names_are_there() -> None:
    named = re.findall(r"`((?:\.ci|specgen|specs|templates|tests)/[^`\s]*)`", README)
    chain = next(block for block in blocks("") if block.startswith("bytes -> Document"))
    named += [f"specgen/{module}" for module in re.findall(r"(\w+\.py|\w+/)  ", chain)]
    # Capitals stand for a name of the reader's; `specgen init` makes the first spec.
    paths = {path for path in named if not re.search(r"[A-Z]{2}|\*", path.replace("README", ""))}
    assert len(paths) > 20
    assert {path for path in paths if not (ROOT / path).exists()} == {"specs/first.yaml"}


def test_its_yaml_is_sound_and_its_specs_build() -> None:
    for block in blocks("yaml"):
        if "\nspecgen: 1\n" in block:
            assert texts(compiled(block.encode("utf-8")))
        else:
            # A list is no spec, but what is wrong with it must be that alone.
            _, found = parse(block.encode("utf-8"), "README.md")
            assert {diagnostic.code for diagnostic in found} <= {"SG106"}


# -- Commands -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the specs and what they make, and with specgen on the path of `shell`."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "specs", folder / "specs")
    (folder / ".bin").mkdir()
    command = folder / ".bin/specgen"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m specgen "$@"\n')
    command.chmod(0o755)
    assert shell("specgen build", folder).returncode == 0
    return folder


def shell(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = [str(folder / ".bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": ":".join(path), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("commands", COMMANDS, ids=TITLES)
def test_its_commands_run(commands: str, clone: Path) -> None:
    done = shell(commands, clone)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("session", blocks("console"))
def test_its_sessions_print_what_it_shows(session: str, clone: Path) -> None:
    command, shown = session.removeprefix("$ ").split("\n", 1)
    done = shell(command, clone)
    assert done.stdout + done.stderr == shown


def test_its_set_up_installs_extras_and_ends_as_promised(clone: Path) -> None:
    trains, tests = (block for block in blocks("sh") if block.startswith(SET_UP))
    extras = [re.findall(r"'\.\[([a-z-]+)\]'", command) for command in (trains, tests)]
    assert extras == [["tensorflow-cpu"], ["tests"]]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert all(f"\n{extra} = [" in project for (extra,) in extras)

    ci = (ROOT / ".ci/run").read_text("utf-8")
    assert ci.splitlines()[-1] == tests.split(" && .venv/bin/")[-1].strip()

    *_, build, script = trains.replace(".venv/bin/", "").split(" && ")
    done = shell(f"{build} && {script}", clone)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (clone / "runs/digits/two_variable/report.json").exists()


def test_it_lists_every_command_and_flag_of_a_script(clone: Path) -> None:
    help_text = shell("python generated/digits_two_variable.py --help", clone).stdout
    commands = re.search(r"{(.+?)}", help_text)
    assert commands is not None
    assert commands[1].split(",") == column("command")
    flags = re.findall(r"^  (--[a-z-]+)", help_text, re.MULTILINE)
    listed = re.findall(r"--[a-z-]+", " ".join(column("flag")))
    assert sorted(listed) == sorted(flags)


# -- Other people's formatters --------------------------------------------------------------------


@pytest.mark.parametrize("configured", [True, False])
@pytest.mark.parametrize("tool", ["black --check", "ruff check --no-cache"])
def test_its_settings_keep_formatters_off(tmp_path: Path, tool: str, configured: bool) -> None:
    (settings,) = blocks("toml")
    (tmp_path / "pyproject.toml").write_text(settings if configured else "")
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated/ugly.py").write_text("import os ; x = ( 1 )\n")
    for path in (".", "generated/ugly.py"):
        command = [sys.executable, "-m", *tool.split(), path]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
        assert (done.returncode == 0) == configured
