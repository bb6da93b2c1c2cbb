"""The shape of the code: what imports what, how long files are, where choices are named."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from specgen.support_table import TABLE
from specgen.variants import DATA
from test_golden import FEATURES, built

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "specgen"
TEMPLATES = ROOT / "templates"

# From the bottom up. A module imports only from the lines above its own, so that there is no cycle;
# those of one line do not know each other.
LAYERS = (
    "__init__ apportion diagnostics dtypes literal reserved scalars support_table targets",
    "document names",
    "wording",
    # bytes -> Document
    "yaml_events",
    "yaml_nodes",
    "parse",
    # the language
    "spec.base",
    "spec.unions",
    "spec.how spec.model spec.optimizers spec.placeholders spec.records spec.source spec.splits",
    "spec.train",
    "spec.root",
    "spec",
    "spec.walk",
    # -> one Document per variant -> Spec
    "layers mistakes support variants",
    "load schema",
    # -> checks
    "checks.choices checks.finding checks.roles",
    "checks.exclusive",
    "checks.buckets checks.buffers checks.cells checks.devices checks.images checks.model "
    "checks.names checks.pipeline checks.placeholders checks.records checks.source checks.splits "
    "checks.support checks.train",
    "checks",
    # -> Plan
    "plan.data_model plan.recipes",
    "plan.model",
    "plan.fields plan.how",
    "plan.data plan.marks plan.report",
    "plan.training",
    "plan.resolve",
    "plan",
    # -> text -> Output
    "layout places",
    "render",
    "chain",
    # the edge
    "disk report",
    "survey.found survey.pictures survey.records",
    "survey.arrays survey.guess survey.images",
    "survey.examples survey.starter survey.tables",
    "survey",
    "verbs",
    "verbs.request",
    "verbs.drift verbs.results verbs.schema",
    "verbs.build verbs.check verbs.diff verbs.init verbs.plan verbs.validate",
    "cli",
    "__main__",
)
HEIGHTS = {
    f"specgen.{name}".removesuffix(".__init__"): height
    for height, line in enumerate(LAYERS)
    for name in line.split()
}

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


def imported(module: str) -> Iterator[str]:
    """The modules of specgen that a module imports, wherever in its text it does."""
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else str(node.module) for name in inner]
        else:
            continue
        for name in names:
            if name in MODULES:
                yield name
                # Python runs the packages around it too, unless they are running already.
                package = name.rpartition(".")[0]
                if package not in ("", "specgen") and not module.startswith(f"{package}."):
                    yield package


def test_every_module_has_a_layer() -> None:
    assert HEIGHTS.keys() == MODULES.keys()


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_down(module: str) -> None:
    assert [
        f"{module} imports {name}"
        for name in dict.fromkeys(imported(module))
        if name != module and HEIGHTS[name] >= HEIGHTS[module]
    ] == []


def too_long(paths: Iterator[Path], most: int) -> list[str]:
    counts = {path: len(path.read_text("utf-8").splitlines()) for path in paths}
    return [f"{path.name}: {count} lines" for path, count in counts.items() if count > most]


def test_no_module_is_long() -> None:
    assert too_long(PACKAGE.rglob("*.py"), 300) == []


def test_no_template_is_long() -> None:
    assert too_long(TEMPLATES.rglob("*.j2"), 150) == []


def test_validate_needs_neither_black_nor_jinja_nor_tensorflow(tmp_path: Path) -> None:
    spec = tmp_path / "x.yaml"
    spec.write_text(
        """\
specgen: 1
name: digits
source: {kind: synthetic, rows: 100}
placeholders: {image: {dtype: uint8, shape: [4]}, label: {dtype: float32, role: label}}
model: {layers: [dense: {units: 1}]}
train: {batch_size: 8, epochs: 1, optimizer: {name: sgd, learning_rate: 0.1}, loss: mse}
""",
        "utf-8",
    )
    program = """
import sys
from specgen.cli import main
status = main(["validate", sys.argv[1]], sys.stdin.buffer, sys.stdout, sys.stderr)
print(status, {"black", "jinja2", "tensorflow"} & sys.modules.keys())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, spec],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("0 set()\n", "")


def bare(word: str) -> str:
    """A name without what differs between `max_pool2d` and `MaxPool2D`."""
    return word.replace("_", "").lower()


# -- Families of templates ------------------------------------------------------------------------

# Which partials are chosen by a key. A key's choices are named in its own family alone, and what
# the partials of a family define is called by all the rest in one way. Each target has its own.
FAMILIES = {
    "_feeder_": "buffers.method",
    "_input_": "buffers.input",
    "_layer_": "model.layers.*",
    "_optimizer_": "train.optimizer.name",
    "_loss_": "train.loss",
    "_metric_": "train.metrics.*",
    "_source_": "source.kind",
    "_split_": "splits.method",
}
# What else names a choice: a module is imported for it, or a name that TensorFlow has changed.
CHOOSES = {
    "data/_image_files": {"csv"},
    "data/_imports": {"csv", "npz", "python", "tfrecord"},
    "tf14/script": {"placeholders"},
    "tf14/_compat": {"iterator"},
}
TEMPLATE_NAMES = sorted(
    path.relative_to(TEMPLATES).as_posix().removesuffix(".py.j2")
    for path in TEMPLATES.rglob("*.j2")
)


@pytest.mark.parametrize("template", TEMPLATE_NAMES)
def test_a_template_names_no_choice_of_another_family(template: str) -> None:
    partial = template.rpartition("/")[2]
    keys = [key for family, key in FAMILIES.items() if not partial.startswith(family)]
    choices = {bare(choice) for row in TABLE if row.key in keys for choice in row.choices}
    text = (TEMPLATES / f"{template}.py.j2").read_text("utf-8")
    # Prose may speak of Python or TFRecord; behind a dot stand functions and the ends of files.
    code = re.sub(r'"""[\s\S]*?"""|#.*', "", text)
    words = {bare(word) for word in re.findall(r"(?<![.\w])\w+", code)}
    assert words & choices == CHOOSES.get(template, set())


def signatures(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """The functions, classes and methods among statements, with their parameters.

    A property is none: to whoever uses it, it is an attribute.
    """
    for node in body:
        match node:
            case ast.FunctionDef(decorator_list=[]):
                yield node.name, ast.unparse(node.args)
            case ast.ClassDef():
                methods = {"__init__": "self", **dict(signatures(node.body))}
                yield from ((f"{node.name}.{name}", each) for name, each in methods.items())


@pytest.mark.parametrize(
    "family",
    [
        *("data/_order_", "data/_split_"),
        *("tf2/_feeder_", "tf2/_order_"),
        *("tf14/_feeder_", "tf14/_input_", "tf14/_optimizer_"),
    ],
)
def test_the_partials_of_a_family_are_called_alike(family: str) -> None:
    texts = {name: (TEMPLATES / f"{name}.py.j2").read_text("utf-8") for name in TEMPLATE_NAMES}
    others = "".join(text for name, text in texts.items() if not name.startswith(family))
    called = {"__init__", *re.findall(r"\b[a-z]\w*", others)}
    interfaces = []
    for text in (text for name, text in texts.items() if name.startswith(family)):
        code = re.sub(r"{{.*?}}", "X", re.sub(r"{%.*?%}", "", text))
        found = dict(signatures(ast.parse(dedent(code)).body))
        names = {name for name in found if name.rpartition(".")[2] in called}
        interfaces.append({name: each for name, each in found.items() if name in names})
    assert interfaces[0]
    assert interfaces == interfaces[:1] * len(interfaces)


@pytest.mark.parametrize(
    "feature", [each for each in FEATURES if not built(each).plans[0].data.in_place]
)
def test_sources_are_called_alike(feature: str) -> None:
    """Some are read at random, and the others in chunks, from one end to the other."""
    result = built(feature)
    if result.plans[0].data.in_place:
        return  # there are records already
    (text,) = (output.text for output in result.outputs if output.variant == DATA)
    found = dict(signatures(ast.parse(text).body))
    reads = {"Source.chunks": "self"}
    if not result.plans[0].data.source.is_streamed:
        reads = {"Source.read": "self, column, ids"}
    assert found.items() >= {"Source.where": "self, row", **reads}.items()
