"""Scripts of target tf1.4 and the data module use nothing newer than what they are for.

What TensorFlow 1.4, NumPy 1.16 and Python 3.6 have stands in tests/old, a name a line. A function
is looked up by its dotted name. A member is looked up by its own name, as nobody knows what it is a
member of: a call has to fit one of all that are called so.
"""

import ast
import json
from collections.abc import Iterator, Set
from contextlib import contextmanager
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from making import HOW
from specgen.chain import SpecFile, validate_spec
from specgen.parse import parse
from specgen.render import data_module, script
from support import ROOT, Module, vermin_says
from test_golden import pieces
from test_random_specs import EXAMPLES, specs

OLD = Path(__file__).parent / "old"
SPECS = [*sorted(ROOT.glob("tests/golden/*/spec.yaml")), *sorted(ROOT.glob("specs/*.yaml"))]

# The one shim: newer names, each by the only place where it may stand, which is a function, or what
# a condition or an `except` guards.
SHIM = {
    "except ImportError:\n    import tensorflow as tf": {"import tensorflow.compat.v1 as tf"},
    "hasattr(tf, 'numpy_function')": {"tf.numpy_function", "tf.data.make_initializable_iterator"},
    "branches_in_graph": {
        "tf.control_flow_v2_enabled",
        "tf.disable_control_flow_v2",
        "tf.enable_control_flow_v2",
    },
}

# -- What there is --------------------------------------------------------------------------------

# The parameters of what can be called, None for anything else.
Parameters = str | None


def facts(file: str) -> dict[str, Parameters]:
    lines = (OLD / file).read_text("utf-8").splitlines()
    parts = [line.rstrip(")").partition("(") for line in lines if line and line[0] != "#"]
    return {name: parameters if called else None for name, called, parameters in parts}


NUMPY = facts("numpy-1.16.6.txt")
NAMES = {**facts("tensorflow-1.4.0.txt"), **NUMPY}
MEMBERS: dict[str, list[Parameters]] = {}  # by their own names
FIELDS: dict[str, set[str]] = {}  # by the class
for _name, _parameters in [*NAMES.items(), *facts("python-3.6.txt").items()]:
    _owner, _, _member = _name.rpartition(".")
    if _owner in NAMES or not _name.startswith(("tf.", "np.")):  # else it is of a module
        MEMBERS.setdefault(_member, []).append(_parameters)
        FIELDS.setdefault(_owner, set()).add(_member)


def fits(call: ast.Call, parameters: Parameters, fields: Set[str] = frozenset()) -> bool:
    """Whether a call suits the parameters; `**` stands for the fields of a class that has some."""
    if parameters is None:
        return False
    names = parameters.split(", ")
    in_order = list(takewhile(lambda name: not name.startswith("*"), filter(None, names)))
    any_number = any(name[:1] == "*" != name[1:2] for name in names)
    counted = not any_number and not any(isinstance(each, ast.Starred) for each in call.args)
    keywords = {keyword.arg for keyword in call.keywords if keyword.arg} - set(names)
    if any(name.startswith("**") for name in names):
        keywords = keywords - fields if fields else set()
    return not keywords and not (counted and len(call.args) > len(in_order))


def own_members(tree: ast.Module) -> dict[str, list[Parameters]]:
    """What a module defines itself that can stand behind a dot."""
    found: dict[str, list[Parameters]] = {}

    def add(name: str, way: Parameters = None) -> None:
        found.setdefault(name, []).append(way)

    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name, args=taken):
                names = [argument.arg for argument in taken.args if argument.arg != "self"]
                names += [f"*{taken.vararg.arg}"] if taken.vararg else []
                names += [f"**{taken.kwarg.arg}"] if taken.kwarg else []
                add(name, ", ".join(names))
            case ast.Attribute(attr=name, ctx=ast.Store()):
                # Perhaps a function; but one of TensorFlow's must not hide behind its name.
                add(name, None if name in MEMBERS else "*args, **kwargs")
            case ast.ClassDef(body=body):
                assigned = [each.targets[0] for each in body if isinstance(each, ast.Assign)]
                for each in (each for target in assigned for each in ast.walk(target)):
                    if isinstance(each, ast.Name):
                        add(each.id)
            case ast.Call(func=ast.Attribute(attr="namedtuple"), args=[_, ast.List(elts=fields)]):
                for field in fields:
                    add(ast.literal_eval(field))
            case ast.Constant(value=str(option)) if option.startswith("--") or option == "command":
                add(option.strip("-").replace("-", "_"))
    return found


# -- What a module uses ---------------------------------------------------------------------------


class Checker(ast.NodeVisitor):
    """Collects what a module uses that is not known, and which exceptions it makes."""

    def __init__(self, text: str, beside: "Checker | None" = None) -> None:
        tree = ast.parse(text, feature_version=(3, 6))
        self.faults: list[str] = []
        self.excepted: set[str] = set()
        self.modules: set[str] = set()
        self.aliases: dict[str, list[str]] = {}
        self.places: list[str] = []
        self.own = own_members(tree)
        for name, ways in beside.own.items() if beside else ():
            self.own.setdefault(name, []).extend(ways)
        self.visit(tree)

    def use(self, name: str) -> None:
        if any(name in SHIM.get(place, ()) for place in self.places):
            self.excepted.add(name)
        elif name not in NAMES:
            self.faults.append(name)

    def dotted(self, node: ast.AST) -> str:
        """The name of a module, or of what is in one; else nothing."""
        match node:
            case ast.Name(id=name) if name in self.modules:
                return name
            case ast.Attribute(value=value, attr=name) if self.dotted(value):
                return f"{self.dotted(value)}.{name}"
        return ""

    # Places

    @contextmanager
    def within(self, place: str) -> Iterator[None]:
        self.places.append(place)
        yield
        self.places.pop()

    def visit_all(self, *nodes: ast.AST) -> None:
        for node in nodes:
            self.visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        with self.within(node.name):
            self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        with self.within(ast.unparse(node.handlers[0]) if node.handlers else "finally"):
            self.visit_all(*node.body)
        self.visit_all(*node.handlers, *node.orelse, *node.finalbody)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        with self.within(ast.unparse(node.test)):
            self.visit_all(*node.body)
        self.visit_all(*node.orelse)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        with self.within(ast.unparse(node.test)):
            self.visit(node.body)
        self.visit(node.orelse)

    # Names

    def visit_Import(self, node: ast.Import) -> None:
        self.modules |= {name.asname or name.name.partition(".")[0] for name in node.names}
        text = ast.unparse(node)
        if "tensorflow" in text and text != "import tensorflow as tf":
            self.use(text)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if str(node.module).partition(".")[0] in ("tensorflow", "numpy"):
            self.use(ast.unparse(node))

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in ("tf", "np"):
            self.use(node.id)  # given away, so that nobody sees what of it is used

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.dotted(node)
        if name.startswith(("tf.", "np.")):
            self.use(name)
        elif not name:
            self.visit(node.value)
            is_known = node.attr in MEMBERS or node.attr in self.own
            if not is_known and "importlib.import_module(" not in ast.unparse(node.value):
                self.faults.append(ast.unparse(node))

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        pairs = [(node.targets[0], node.value)]
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
        for name, value in pairs:
            values = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            if isinstance(name, ast.Name):
                self.aliases.setdefault(name.id, []).extend(map(self.dotted, values))

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id="hasattr"):
                return
            case ast.Name(id=alias):
                names = self.aliases.get(alias, [])
            case ast.Attribute(attr=member) if not self.dotted(node.func):
                names = []
                ways = [*MEMBERS.get(member, []), *self.own.get(member, [])]
                if ways and not any(fits(node, way) for way in ways):
                    self.faults.append(ast.unparse(node))
            case function:
                names = [self.dotted(function)]
        for name in NAMES.keys() & set(names):
            if not fits(node, NAMES[name], FIELDS.get(name, set())):
                self.faults.append(ast.unparse(node))
        self.generic_visit(node)


IMPORTS = "import numpy as np\nimport tensorflow as tf"


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf",
        "tf.reduce_sum(x, axis=1, keep_dims=True)",
        "batches.batch(4).map(f, 2).interleave(f, 4, block_length=2)",
        "py_func = tf.py_func\npy_func(f, [], tf.int64, stateful=False)",
        "tf.Session(config=tf.ConfigProto(allow_soft_placement=True))",
        "variable.assign(1, use_locking=True).op.device",
        "np.sum(x, axis=0, dtype='int64', keepdims=True)",
    ],
)
def test_what_is_old_enough_passes(text: str) -> None:
    assert Checker(f"{IMPORTS}\n{text}\n").faults == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("tf.data.experimental.AUTOTUNE", ...),
        ("tf.io.gfile.exists(path)", "tf.io.gfile.exists"),
        ("tf.numpy_function(f, [], tf.int64)", "tf.numpy_function"),
        ("x = 1 if hasattr(tf, 'io') else tf.io.TFRecordWriter", "tf.io.TFRecordWriter"),
        ("if hasattr(tf, 'io'):\n    tf.numpy_function", "tf.numpy_function"),
        ("import tensorflow.compat.v1 as tf", ...),
        ("from tensorflow import nn", ...),
        ("getattr(tf, 'gather_v2')", "tf"),
        ("tf.reduce_sum(x, axis=1, keepdims=True)", ...),
        ("tf.gather(x, y, axis=1, batch_dims=1)", ...),
        ("tf.identity(x, 'name', 1)", ...),
        ("tf.ConfigProto(experimental=1)", ...),
        ("py_func = tf.py_func\npy_func(func=f, inp=[], Tout=[], name='f', eager=1)", ...),
        ("self.batch = batches.batch(4)\nbatches.batch(4, drop_remainder=True)", ...),
        ("batches.interleave(f, 4, num_parallel_calls=2)", ...),
        ("batches.unbatch()", "batches.unbatch"),
        ("variable.assign(1, read_value=False)", ...),
        ("loss.numpy()", "loss.numpy"),
        ("np.random.default_rng(1)", "np.random.default_rng"),
        ("np.lib.stride_tricks.sliding_window_view", ...),
        ("np.concatenate(x, dtype='int64')", ...),
        ("np.load(path, max_header_size=1)", ...),
        ("np.float_(1)", "np.float_"),
        ("np.in1d(x, y)", "np.in1d"),
        ("values.sum(where=real)", ...),
        ("name.removeprefix('a')", "name.removeprefix"),
    ],
)
def test_what_is_newer_or_gone_is_noticed(text: str, fault: Any) -> None:
    """The fault is named by the whole text, or by the part that is given."""
    found = Checker(f"{IMPORTS}\n{text}\n").faults
    assert found == [text.splitlines()[-1].strip() if fault is ... else fault]


# -- What specs make ------------------------------------------------------------------------------


def made(spec: dict[str, Any]) -> list[str]:
    """The data module and each script of target tf1.4 that there can be, not laid out yet."""
    kept = {key: value for key, value in spec.get("buffers", {}).items() if key == "wire"}
    variants = {
        name: {**how, "buffers": {**kept, **how["buffers"]}}
        for name, how in HOW.items()
        if how["target"] == "tf1.4"
    }
    common = {key: value for key, value in spec.items() if key not in ("target", "buffers")}
    text = json.dumps({**common, "variants": variants}, ensure_ascii=False)
    result = validate_spec(SpecFile("spec.yaml", text.encode(), Path("/project"), "spec.yaml"))
    assert not result.diagnostics
    return [data_module(result.plans), *map(script, result.plans)]


@cache
def made_of(path: Path) -> list[str]:
    document, _ = parse(path.read_bytes(), path.name)
    assert document
    return made(dict(document.data))


@cache
def checked(text: str, beside: Checker | None = None) -> Checker:
    return Checker(text, beside)


def checkers(modules: list[str]) -> list[Checker]:
    data, *scripts = modules
    return [checked(data), *(checked(text, checked(data)) for text in scripts)]


def test_what_specs_make_is_old_enough() -> None:
    found = {
        fault: path.parent.name
        for path in SPECS
        for checker in checkers(made_of(path))
        for fault in checker.faults
    }
    assert found == {}


def test_vermin_finds_python_3_6_enough(tmp_path: Path) -> None:
    distinct = dict.fromkeys(p for path in SPECS for text in made_of(path) for p in pieces(text))
    each_once = Module("each_once.py", "\n".join(distinct) + "\n", "py36")
    assert vermin_says([each_once], tmp_path) == ""


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(specs())
def test_what_random_specs_make_is_old_enough(spec: dict[str, Any]) -> None:
    for checker in checkers(made(spec)):
        assert checker.faults == []


def test_each_exception_is_made_somewhere() -> None:
    made_use_of = [c.excepted for path in SPECS for c in checkers(made_of(path))]
    assert set().union(*made_use_of) == set().union(*SHIM.values())


def test_numpy_of_today_still_has_what_scripts_may_use() -> None:
    for name in NUMPY:
        # What a finfo has is known of its dtype, and not of the class.
        assert eval(name.replace("np.finfo.", "np.finfo('float32')."), {"np": np}) is not None
