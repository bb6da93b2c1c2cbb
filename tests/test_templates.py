"""Templates and what they see: a mistake in either is a fault that writes nothing, never a script.

The first test runs a copy of specgen with a mistake in a template. The others take Plans apart.
"""

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import UndefinedError

from specgen.render import _environment, data_module, script
from support import ROOT, files
from test_golden import FEATURES, GOLDEN, built

DATA, SCRIPT = "data/module.py.j2", "tf2/script.py.j2"
# What is put by mistake at the end of a template, and what the fault says.
MISTAKES = {
    "no such attribute": (SCRIPT, "X = {{ plan.train.sed }}", "UndefinedError: .*'sed'"),
    "no such name": (SCRIPT, "X = {{ paln.name }}", "UndefinedError: 'paln' is undefined"),
    "no such condition": (SCRIPT, "{% if plan.epochs %}{% endif %}", "UndefinedError: .*'epochs'"),
    "no such list": (SCRIPT, "{% for x in plan.seeds %}{% endfor %}", "UndefinedError: .*'seeds'"),
    "no such partial": (SCRIPT, '{% include "tf2/_mian.py.j2" %}', "TemplateNotFound: .*_mian"),
    "no literal": (SCRIPT, "X = {{ plan.fields[0] }}", "TypeError: no literal for Field"),
    "no name": (SCRIPT, "{{ '1 + 1'|name }} = 2", r"ValueError: '1 \+ 1' cannot be a name"),
    "nothing assigned": (SCRIPT, "X = {% if not plan %}1{% endif %}", "InvalidInput: "),
    "an open bracket": (SCRIPT, "X = ({{ plan.name }}", "InvalidInput: "),
    "an unknown escape": (SCRIPT, r'X = "\d"', "SyntaxError: invalid escape"),
    "a newer Python": (DATA, "if (x := 1):\n    pass", "(SyntaxError|InvalidInput): "),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_template_writes_nothing(mistake: str, tmp_path: Path) -> None:
    template, mistaken, fault = MISTAKES[mistake]
    copy, project = tmp_path / "copy", tmp_path / "project"
    for part in ("specgen", "templates"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / "templates" / template).open("a", encoding="utf-8") as file:
        file.write(f"\n\n{mistaken}\n")
    shutil.copytree(GOLDEN / "classification", project / "specs")
    before = files(project)
    done = subprocess.run(
        [sys.executable, "-m", "specgen", "build", "specs/spec.yaml"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (3, "")
    pattern = rf"specs/spec\.yaml: error SG901: {fault}.*\nhint: please report this; .*\n"
    assert re.fullmatch(pattern, done.stderr)
    assert files(project) == before


# -- Plans in pieces ------------------------------------------------------------------------------

At = tuple[str, ...]


def opened(value: Any) -> Any:
    """A Plan as namespaces, from which attributes can be taken away."""
    if dataclasses.is_dataclass(value):
        keys = [each.name for each in dataclasses.fields(value)]
        keys += [key for key, each in vars(type(value)).items() if isinstance(each, property)]
        space = SimpleNamespace()
        for key in keys:
            with suppress(KeyError):  # texts have no dtype of a size
                setattr(space, key, opened(getattr(value, key)))
        return space
    return tuple(map(opened, value)) if isinstance(value, tuple) else value


def attributes(value: Any, at: At = ()) -> Iterator[At]:
    """Where the attributes of an opened Plan are; the items of a list share them."""
    if isinstance(value, tuple):
        for item in value[:1]:
            yield from attributes(item, at)
    elif isinstance(value, SimpleNamespace):
        for key, inner in vars(value).items():
            yield (*at, key)
            yield from attributes(inner, (*at, key))


def take(value: Any, at: At) -> None:
    """Takes an attribute of an opened Plan away."""
    if isinstance(value, tuple):
        for item in value:
            take(item, at)
    elif value is None:
        pass  # what another item of the list has
    elif len(at) == 1:
        delattr(value, at[0])
    else:
        take(getattr(value, at[0]), at[1:])


def rendered(plan: Any) -> str | None:
    """What the templates make of an opened Plan; None for a fault."""
    try:
        return data_module([plan]) + script(plan)
    except (AttributeError, TypeError, UndefinedError):
        return None


@cache
def needed(feature: str) -> frozenset[At]:
    """The attributes of a feature's Plan without which nothing is rendered."""
    plan, *_ = built(feature).plans
    whole = rendered(opened(plan))
    assert whole
    found = set()
    for at in attributes(opened(plan)):
        less = opened(plan)
        take(less, at)
        text = rendered(less)
        assert text in (None, whole), f"without plan.{'.'.join(at)} another script comes out"
        if text is None:
            found.add(at)
    return frozenset(found)


@pytest.mark.parametrize("feature", FEATURES)
def test_a_plan_that_lacks_something_renders_nothing(feature: str) -> None:
    assert needed(feature)


# The modules that read a Plan, and what an item of its lists or another Field is called there.
READERS = ("chain", "render")
READERS += tuple(f"plan/{name}" for name in ("data_model", "marks", "model", "report", "training"))
FIELDS = ("fields", "columns", "row_id", "scaled_on_host", "inputs", "label", "dealt_by", "key")
FIELDS += ("images", "encoded", "resized", "bucketed")
ITEMS = {**dict.fromkeys(FIELDS, "field"), "layers": "layer"}


def spelt(at: At) -> str:
    """An attribute as code reads it, behind the name of what it is of."""
    owner = at[-2] if len(at) > 1 else "plan"
    return f"{ITEMS.get(owner, owner)}.{at[-1]}"


def test_no_attribute_of_a_plan_is_for_nobody() -> None:
    paths = {at for feature in FEATURES for at in attributes(opened(built(feature).plans[0]))}
    read = {spelt(at) for feature in FEATURES for at in needed(feature)}
    code = "".join((ROOT / "specgen" / f"{name}.py").read_text("utf-8") for name in READERS)
    read |= set(re.findall(r"(?=\b(\w+\.\w+))", code))
    idle = {spelt(at) for at in paths if f"self.{at[-1]}" not in read} - read
    assert idle == set()


def test_every_template_has_a_golden() -> None:
    for feature in FEATURES:
        for plan in built(feature).plans:
            assert data_module([plan])
            assert script(plan)
    loaded = {name for _, name in _environment().cache or {}}
    folder = ROOT / "templates"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.j2")} == loaded
