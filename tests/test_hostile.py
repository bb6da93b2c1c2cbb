"""Whatever text stands anywhere in a spec: an error that names the field, or the same code.

The same code means the same syntax tree and the same comments; only constants may differ, and the
names that placeholders and imported functions are given.
"""

import ast
import copy
import io
import json
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen.chain import Result, SpecFile, validate_spec
from specgen.document import dotted
from specgen.plan.marks import leaves
from specgen.render import data_module, script
from support import compiled

Data = dict[str, Any]
At = tuple[str | int, ...]

# Each key that has a text, in two specs: a model is imported or consists of layers.
IMPORTED: Data = {
    "specgen": 1,
    "name": "hostile",
    "description": "What is learned.",
    "source": {"kind": "npz", "path": "data/rows.npz", "on_error": "stop"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [4], "role": "input", "encoding": "raw", "scale": 0.5},
        "stratum": {"dtype": "int32", "role": "input", "encoding": "raw"},
        "label": {"dtype": "int64", "role": "label", "encoding": "raw", "classes": 10},
    },
    "splits": {"method": "stratified", "by": "stratum", "parts": {"train": 0.75, "test": 0.25}},
    "records": {"format": "packed", "order": "shuffled", "compression": "zlib", "level": 1},
    "model": {"import": "models:build", "import_path": "src"},
    "train": {
        "batch_size": 8,
        "epochs": 1,
        "optimizer": {"name": "sgd", "learning_rate": 0.1},
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "shuffle": {"kind": "window", "rows": 100},
        "last_batch": "keep",
        "precision": "float32",
    },
    "target": "tf2",
    "pipeline": {"parallel_calls": "auto", "host_prefetch": "auto", "cache": "none"},
    "buffers": {
        "method": "two_variable",
        "swap": "cond",
        "depth": 2,
        "input": "iterator",
        "wire": "narrow",
    },
    "devices": {"compute": "gpu:1", "fallback": "cpu", "allocator": "default"},
    "distribute": {"strategy": "none"},
    "variants": {
        "one": {"target": "tf2", "devices": {"compute": "cpu:0", "fallback": "error"}},
        "two": {"buffers": {"method": "prefetch", "wire": "narrow"}},
        "three": {"target": "tf1.4", "buffers": {"input": "placeholders"}},
    },
}
LAYERED: Data = {
    **IMPORTED,
    "source": {"kind": "synthetic", "rows": 100},
    "placeholders": {
        key: value for key, value in IMPORTED["placeholders"].items() if key != "stratum"
    },
    "splits": {"method": "even", "parts": {"train": 1}},
    "model": {
        "layers": [
            {"reshape": {"shape": [2, 2, 1]}},
            {"conv2d": {"filters": 1, "kernel_size": 1, "padding": "same", "activation": "relu"}},
            {"max_pool2d": {"padding": "valid"}},
            "flatten",
            {"dense": {"units": 10, "activation": "none"}},
        ]
    },
}

PAYLOADS = (
    "C:\\Users\\new",
    '/data/it\'s/"x"/',
    "ends in a backslash\\",
    "one\ntwo\ttab\r\x0cthree\0",
    "{} %s {{ plan }} {% raw %} {# comment #} ${HOME} `id`",
    "\\N{DASH} \\u12 \\x",
    "\ud800",
    'ends with "',
    '""" + __import__(\'os\').system(\'touch harmed\') + """',
    "models:build\nimport os; os.system('touch harmed')\n#",
    "x'); import os; os.system('touch harmed') #",
    "\u2028import os\u2029\x85\u202e\u2066reversed\ufeff",
    "# type: ignore  # noqa  # fmt: off",
    "-*- coding: utf-7 -*-",
    "\n\n\nimport os\n\n\n",
    "../../../../etc/passwd",
    "None",
    "__class__",
    " ",
    "",
)
BENIGN = ("What is learned.", "data/rows.npz", "src", "image", "stratum", "label")
HOSTILE = st.text(
    alphabet="\"'\\{}%$`#\n\r\t\0\x0c\x85\u2028\u202e\xa0 ;()=.:nuNxé日😀", min_size=1
)
PATH = HOSTILE.map(lambda text: text.replace("\0", "0"))


def texts_of(value: Any, at: At = ()) -> Iterator[At]:
    """Where the texts of a spec are."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, str):
            yield (*at, key)
        elif isinstance(item, dict | list):
            yield from texts_of(item, (*at, key))


AT_TEXTS = list(dict.fromkeys([*texts_of(IMPORTED), *texts_of(LAYERED)]))
AT_LAYERS = [at for at in AT_TEXTS if at not in texts_of(IMPORTED)]
AT_FREE = [("description",), ("source", "path"), ("model", "import_path")]
AT_NAMES = [
    (section, name) for section in ("placeholders", "variants") for name in IMPORTED[section]
]


def with_text(spec: Data, at: At, text: str) -> Data:
    """The spec with another text at a place."""
    changed = copy.deepcopy(spec)
    inner: Any = changed
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = text
    return changed


def with_name(spec: Data, section: str, old: str, new: str) -> Data:
    """The spec with another name for a placeholder or a variant, in the same place."""
    renamed = {new if key == old else key: value for key, value in spec[section].items()}
    changed = copy.deepcopy({**spec, section: renamed})
    if changed["splits"].get("by") == old:
        changed["splits"]["by"] = new
    return changed


def freely(*texts: str) -> Data:
    """A spec with one variant, and six texts wherever any may stand."""
    spec = {key: value for key, value in IMPORTED.items() if key != "variants"}
    for at, text in zip(AT_FREE, texts[:3], strict=True):
        spec = with_text(spec, at, text)
    for old, new in zip(IMPORTED["placeholders"], texts[3:], strict=True):
        # First a name that is none of the texts, so that no two are the same on the way.
        spec = with_name(spec, "placeholders", old, f"<{old}>")
        spec = with_name(spec, "placeholders", f"<{old}>", new)
    return spec


def validated(spec: Data) -> Result:
    """JSON is YAML, and has an escape for every character."""
    content = json.dumps(spec).encode("ascii")
    return validate_spec(SpecFile("spec.yaml", content, Path("/project"), "spec.yaml"))


@dataclass
class Code:
    """What a spec makes: all that may not change with a text, and apart from it what may."""

    shape: list[object] = field(default_factory=list)
    constants: set[str] = field(default_factory=set)


def modules(result: Result) -> list[str]:
    """The texts of a spec before their layout, which takes most of the time."""
    return [data_module(result.plans), *map(script, result.plans)]


def code(result: Result) -> Code:
    """The code of a spec, where names that follow from the spec's are all the same."""
    plan = result.plans[0]
    names = {each.name: f"<field {index}>" for index, each in enumerate(plan.fields)}
    return code_of(modules(result), {**names, plan.model.function or "": "<function>"})


def code_of(texts: Iterable[str], names: Mapping[str, str]) -> Code:
    found = Code()
    for text in texts:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = compile(text, "<generated>", "exec", ast.PyCF_ONLY_AST)
        describe(tree, names, found)
    return found


def describe(node: Any, names: Mapping[str, str], found: Code) -> None:
    """Notes the types and names of a syntax tree; of a constant only the type is of its shape."""
    found.shape.append(type(node))
    if isinstance(node, ast.Constant):
        found.shape.append(type(node.value))
        if isinstance(node.value, str):
            found.constants.add(node.value)
    elif isinstance(node, ast.AST):
        for key in node._fields:
            describe(getattr(node, key, None), names, found)
    elif isinstance(node, list):
        for item in node:
            describe(item, names, found)
    else:
        found.shape.append(names.get(node, node) if isinstance(node, str) else node)


def holds(constants: set[str], description: str) -> bool:
    """Whether a docstring says the description; long lines are wrapped."""
    return any(constant.split() == description.split() for constant in constants)


def benign(spec: Data) -> Code:
    """The code of a spec without hostile texts."""
    return _benign(json.dumps(spec))


@cache
def _benign(spec: str) -> Code:
    return code(validated(json.loads(spec)))


# -- The tests ------------------------------------------------------------------------------------


def test_each_text_that_a_plan_has_is_said() -> None:
    """So that the tests below forget none."""
    unsaid = {
        dotted(path)
        for spec in (IMPORTED, LAYERED)
        for plan in validated(spec).plans
        for path, value in leaves(plan.keys)
        if plan.marks[path] == "default" and isinstance(value, str)
    }
    assert unsaid == set()


@pytest.mark.parametrize("at", AT_TEXTS, ids=dotted)
def test_a_text_is_refused_or_stays_a_constant(at: At) -> None:
    spec = LAYERED if at in AT_LAYERS else IMPORTED
    for text in PAYLOADS:
        check(with_text(spec, at, text), text, fields_of(at), spec)


@pytest.mark.parametrize("at", AT_NAMES, ids=dotted)
def test_a_name_is_refused_or_stays_a_constant(at: tuple[str, str]) -> None:
    for text in PAYLOADS:
        check(with_name(IMPORTED, *at, text), text, {at[0], dotted((at[0], text))}, IMPORTED)


def fields_of(at: At) -> set[str]:
    """What an error at a place calls it; inside a variant, the place in the merged spec too."""
    return {dotted(at), dotted(at[2:])} if at[0] == "variants" else {dotted(at)}


def check(spec: Data, text: str, fields: set[str], before: Data) -> None:
    """A spec with a hostile text: an error names one of the fields, or the text does no harm."""
    result = validated(spec)
    if result.diagnostics:
        assert fields & {diagnostic.field for diagnostic in result.diagnostics}
    else:
        made = code(result)
        assert made.shape == benign(before).shape
        assert not text.strip() or text in made.constants or holds(made.constants, text)


@settings(max_examples=200)
@given(
    st.sampled_from([at for at in AT_TEXTS if at not in AT_FREE]),
    HOSTILE.filter(lambda text: not text.isidentifier()),  # which a name may well be
)
def test_where_no_text_is_free_every_text_is_refused(at: At, text: str) -> None:
    spec = with_text(LAYERED if at in AT_LAYERS else IMPORTED, at, text)
    assert fields_of(at) & {diagnostic.field for diagnostic in validated(spec).diagnostics}


@settings(max_examples=200, deadline=None)
@given(
    description=HOSTILE.filter(str.strip),
    paths=st.tuples(PATH, PATH),
    # With an ending by which no name of a placeholder becomes one that the scripts use.
    names=st.lists(HOSTILE.map("{}-q".format), min_size=3, max_size=3, unique=True),
)
def test_free_texts_stay_constants(
    description: str, paths: tuple[str, str], names: list[str]
) -> None:
    result = validated(freely(description, *paths, *names))
    assert not result.diagnostics
    made = code(result)
    assert made.shape == benign(freely(*BENIGN)).shape
    assert {*paths, *names} <= made.constants
    assert holds(made.constants, description)


@pytest.mark.parametrize("text", [text for text in PAYLOADS if text.strip("\ud800 ")])
def test_layout_changes_nothing_and_no_text_is_in_a_comment(text: str) -> None:
    spec = freely(text, *(f"{text}{number}".replace("\0", "0") for number in range(5)))
    result = compiled(json.dumps(spec).encode("ascii"))
    before, after = modules(result), [output.text for output in result.outputs]
    assert code_of(before, {}) == code_of(after, {})
    assert comments(before) == comments(after) == comments(modules(validated(freely(*BENIGN))))


def comments(texts: Iterable[str]) -> list[str]:
    return [
        token.string
        for text in texts
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
