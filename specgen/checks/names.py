"""Rules for names: no generated file shadows a module, and every import can be written."""

from collections.abc import Iterator

from specgen.checks.finding import Finding
from specgen.document import Document, Path
from specgen.names import device, is_module_path, shadowed
from specgen.spec.model import ImportByTarget, ModelSection
from specgen.spec.source import Python, Source


def check_name(name: str) -> Iterator[Finding]:
    """`name` is free, and so is the data module's."""
    taken = shadowed(name)
    if taken:
        yield Finding(("name",), "SG206", f"{name} is {taken}", "choose another name")
        return
    taken = shadowed(f"{name}_data")
    if taken:
        yield Finding(
            ("name",), "SG206", f"its module {name}_data is {taken}", "choose another name"
        )


def check_variant_name(name: str, document: Document) -> Iterator[Finding]:
    """The variant's script and its folder of results are free."""
    variant = document.variant
    if variant is None:
        return
    path = ("variants", variant)
    taken = device(variant)
    if taken:
        yield Finding(path, "SG206", f"{variant} is {taken}", "choose another name", of_key=True)
        return
    taken = shadowed(f"{name}_{variant}")
    if taken:
        message = f"its script {name}_{variant} is {taken}"
        yield Finding(path, "SG206", message, "choose another name", of_key=True)


def check_imports(source: Source, model: ModelSection) -> Iterator[Finding]:
    """Each `module:function` consists of names that can stand in an import."""
    imports: dict[Path, str | None] = {}
    if isinstance(source, Python):
        imports["source", "import"] = source.import_
    if isinstance(model.import_, ImportByTarget):
        for target, function in model.import_.by_target.items():
            imports["model", "import", target] = function
    else:
        imports["model", "import"] = model.import_
    for path, function in imports.items():
        if function is not None and not is_module_path(function):
            yield Finding(path, "SG206", f"a part of {function} is a keyword of Python")
