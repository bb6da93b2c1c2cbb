"""Golden files: what a spec makes, byte for byte, and what linters say of it.

Each folder of tests/golden is a test. It holds a spec.yaml and the files that this makes, whole. A
folder with a file `base`, which names another folder, holds only how its files differ from those:
the statements that the other ones lack, and a line for each that is gone. Together with the base
that tells all of a file, and a feature can be read on one page.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from specgen.chain import Result
from specgen.checks.choices import places
from specgen.document import Document
from specgen.load import load
from specgen.parse import parse
from specgen.support import KEYS
from specgen.support_table import ANY, OTHER, TABLE, Since
from specgen.targets import TARGETS
from specgen.variants import DATA, DEFAULT, expand
from support import (
    ROOT,
    Module,
    compare,
    compiled,
    is_laid_out,
    modules,
    ruff_says,
    run,
    texts,
    vermin_says,
)

GOLDEN = Path(__file__).parent / "golden"
FEATURES = sorted(path.parent.name for path in GOLDEN.glob("*/spec.yaml"))
INPUTS = ("spec.yaml", "base")

_HEAD = re.compile(r"(?:def |class |import |from |if )?[\w.]+")


@cache
def built(feature: str) -> Result:
    return compiled((GOLDEN / feature / "spec.yaml").read_bytes())


def parsed(feature: str) -> Document:
    document, _ = parse((GOLDEN / feature / "spec.yaml").read_bytes(), feature)
    assert document is not None
    return document


@pytest.mark.parametrize("feature", FEATURES)
def test_a_spec_makes_its_golden_files(feature: str, update_golden: bool) -> None:
    base = GOLDEN / feature / "base"
    if base.exists():
        actual = differences(built(feature), built(base.read_text("utf-8").strip()))
        assert actual, "the spec makes what its base makes, and shows nothing"
    else:
        actual = texts(built(feature))
    compare(GOLDEN / feature, actual, INPUTS, update_golden)


def differences(result: Result, base: Result) -> dict[str, str]:
    """How outputs differ from those of another spec, for the files that do."""
    texts(result)
    before = {output.variant: output.text for output in base.outputs}
    changes = {
        output.path.stem: difference(
            output.text, before[DATA if output.variant == DATA else DEFAULT]
        )
        for output in result.outputs
    }
    return {f"{module}.changes.py": text for module, text in changes.items() if text}


def difference(text: str, before: str) -> str:
    """The pieces of a module that another one lacks, and a line for each that it has no more."""
    had, has = list(pieces(before)), list(pieces(text))
    kept = set(map(head, has))
    shown, owner = list[str](), ""
    for piece in (piece for piece in has if piece not in had):
        first, _, rest = piece.partition("\n")
        # Methods stand below the class that they are of, once.
        shown.append(rest if first == owner else piece)
        owner = first if first.startswith("class ") else ""
    shown += [f"# gone: {head(piece)}" for piece in had if head(piece) not in kept]
    return "\n\n".join(shown) + "\n" if shown else ""


def pieces(text: str) -> Iterator[str]:
    """Each statement of a module with the comments right above it, and each comment elsewhere.

    Of a class, each method is one, below the line that begins the class.
    """
    lines = text.splitlines()
    end = 0
    for statement in ast.parse(text).body:
        start = beginning(statement, lines)
        yield from filter(None, lines[end:start])
        end = statement.end_lineno or start
        cuts = [start, end]
        if isinstance(statement, ast.ClassDef):
            methods = (part for part in statement.body if isinstance(part, ast.FunctionDef))
            cuts[1:1] = (beginning(method, lines) for method in methods)
        for first, last in pairwise(cuts):
            owner = lines[statement.lineno - 1 : statement.lineno] if first > start else []
            yield "\n".join([*owner, *lines[first:last]]).rstrip("\n")


def beginning(statement: ast.stmt, lines: list[str]) -> int:
    """The number of its first line, counted from 0; comments and decorators are part of it."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)]) - 1
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return first


def head(piece: str) -> str:
    """What a piece is called: how its statement begins, or the comment that it is."""
    lines = map(str.strip, piece.splitlines())
    code = [line for line in lines if not line.startswith(("#", "@"))]
    names = [found[0] for line in code[:2] if (found := _HEAD.match(line))]
    if not code:
        return piece
    return " ".join(names if code[0].startswith("class ") else names[:1]) or "docstring"


def test_a_difference_tells_all() -> None:
    before = (
        '"""One."""\n\nimport a\nimport b\n\nX = 1\nY = 2\n\n\n# -- Part --\n\n\n'
        "# Why.\n@c\ndef f():\n    pass\n\n\n"
        'class A(B):\n    """Doc."""\n\n    def f(self):\n        pass\n\n'
        "    def g(self):\n        pass\n"
    )
    after = (
        '"""Two."""\n\nimport b\n\nX = 1\nY = 3  # new\n\n\n'
        "# Why not.\n@c\ndef f():\n    pass\n\n\n"
        'class A(B):\n    """Doc."""\n\n    # Why.\n    @d\n    def f(self):\n        pass\n'
    )
    assert difference(before, before) == ""
    assert difference(after, before) == (
        '"""Two."""\n\nY = 3  # new\n\n# Why not.\n@c\ndef f():\n    pass\n\n'
        "class A(B):\n    # Why.\n    @d\n    def f(self):\n        pass\n\n"
        "# gone: import a\n\n# gone: # -- Part --\n\n# gone: class A def g\n"
    )


def test_the_scripts_in_generated_are_those_of_the_specs(
    update_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    if update_golden:
        assert run("build", "--prune")[::2] == (0, "")
    status, _, errors = run("check")
    assert (status, errors) == (0, "")


def test_linters_have_nothing_against_what_is_generated(tmp_path: Path) -> None:
    made = [module for feature in FEATURES for module in modules(built(feature), feature)]
    assert ruff_says(made, tmp_path) == ""
    # What the others say of a piece depends on no other piece; most are the same in all modules.
    distinct: dict[str, dict[str, None]] = {}
    for module in made:
        distinct.setdefault(module.python, {}).update(dict.fromkeys(pieces(module.text)))
    each_once = [
        Module(f"{python}.py", "\n".join(group) + "\n", python)
        for python, group in distinct.items()
    ]
    assert vermin_says(each_once, tmp_path) == ""
    for python, group in distinct.items():
        assert [piece for piece in group if not is_laid_out(f"{piece}\n", python)] == []


# What the data module is made of, which all targets share.
DATA_KEYS = ("source.", "splits.", "records.")


def test_every_choice_that_works_has_a_golden() -> None:
    shown = {
        (target, key, choice)
        for feature in FEATURES
        for variant in expand(parsed(feature))[0]
        for key in KEYS
        for _, choice in places(load(variant)[0], key)
        for target in (
            TARGETS if key.startswith(DATA_KEYS) else [variant.data.get("target", "tf2")]
        )
    }
    working = {
        (target, row.key, choice)
        for row in TABLE
        for target in TARGETS
        if isinstance(row.on(target), Since)
        for choice in row.choices
        if choice not in (ANY, OTHER)
    }
    assert sorted(working - shown) == []


def test_nothing_generated_goes_unused() -> None:
    unused = {
        f"{feature}: {name}"
        for feature in FEATURES
        for name in defined_and_unused(list(texts(built(feature)).values()))
    }
    assert sorted(unused) == []


def defined_and_unused(modules: Iterable[str]) -> set[str]:
    """The names of functions, classes, methods, constants and attributes that nothing reads."""
    nodes = [node for text in modules for node in ast.walk(ast.parse(text))]
    defined: set[str] = set()
    used: set[str] = set()
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                defined.add(name)
            case ast.Attribute(ctx=ast.Store()) if ast.unparse(node).startswith("options."):
                pass  # a setting of TensorFlow's
            case ast.Name(id=name) | ast.Attribute(attr=name):
                (used if isinstance(node.ctx, ast.Load) else defined).add(name)
    return {name for name in defined - used if name != "_" and not name.startswith("__")}
