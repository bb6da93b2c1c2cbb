"""The whole chain, from the bytes of a spec to the texts of its files; pure.

    bytes -> Document -> one Document per variant -> sections -> checks -> Plans -> texts -> Outputs

Each arrow is one function of another module. Every verb takes its results from here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from specgen.checks import run_checks
from specgen.diagnostics import Diagnostic
from specgen.document import Document, is_within
from specgen.load import load, spec_of
from specgen.parse import parse
from specgen.places import source_of
from specgen.plan import Plan, resolve
from specgen.spec import Sections
from specgen.targets import DATA_PYTHON, TARGETS
from specgen.variants import DATA, DEFAULT, expand


@dataclass(frozen=True)
class SpecFile:
    """One spec as the disk has it, and where its files go."""

    shown: str  # the path in messages
    content: bytes
    folder: Path  # of the outputs, from the root
    source: str  # the path of the spec from that folder, in POSIX form


@dataclass(frozen=True)
class Output:
    """One generated file: where, its whole text, and the variant it trains, or DATA or DEFAULT."""

    path: Path
    text: str
    variant: str


@dataclass(frozen=True)
class Result:
    """What became of one spec; an error among the diagnostics leaves no plans and no outputs."""

    spec: SpecFile
    diagnostics: tuple[Diagnostic, ...]
    plans: tuple[Plan, ...] = ()
    outputs: tuple[Output, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """Of the files that the plans ask for, made or not; the data module comes first."""
        modules = [f"{plan.name}_data" for plan in self.plans[:1]]
        modules += [plan.script for plan in self.plans]
        return tuple(self.spec.folder / f"{module}.py" for module in modules)


@dataclass(frozen=True)
class _Variant:
    """One variant on its way: its document, the sections that are valid, and what is wrong."""

    document: Document
    sections: Sections
    diagnostics: tuple[Diagnostic, ...]

    @property
    def name(self) -> str:
        return self.document.variant or DEFAULT


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def validate_spec(spec: SpecFile) -> Result:
    """The chain up to the plans, one a variant; needs neither Jinja2 nor black."""
    document, told = parse(spec.content, spec.shown)
    documents, faults = expand(document) if document else ([], [])
    variants = [_checked(_loaded(each)) for each in documents]
    diagnostics = (*told, *_beside(told, faults), *_shared(variants, told))
    if has_errors(diagnostics):
        return Result(spec, diagnostics)
    return Result(spec, diagnostics, tuple(_resolved(each, spec.source) for each in variants))


def compile_spec(spec: SpecFile) -> Result:
    """The whole chain."""
    result = validate_spec(spec)
    return replace(result, outputs=_outputs(result)) if result.plans else result


def _loaded(document: Document) -> _Variant:
    sections, faults = load(document)
    return _Variant(document, sections, tuple(faults))


def _checked(variant: _Variant) -> _Variant:
    faults = run_checks(variant.sections, variant.document)
    return replace(variant, diagnostics=(*variant.diagnostics, *faults))


def _resolved(variant: _Variant, source: str) -> Plan:
    return resolve(spec_of(variant.sections), variant.document, source)


def _outputs(result: Result) -> tuple[Output, ...]:
    from specgen.layout import lay_out
    from specgen.render import data_module, script

    variants = [DATA, *(plan.variant or DEFAULT for plan in result.plans)]
    texts = [
        lay_out(data_module(result.plans), DATA_PYTHON),
        *(lay_out(script(plan), TARGETS[plan.target].oldest_python) for plan in result.plans),
    ]
    for path, text in zip(result.paths, texts, strict=True):
        if source_of(text) != result.spec.source:
            # Once written, it would be taken for a file of somebody else.
            raise ValueError(f"{path.name} does not begin with the marker of its spec")
    return tuple(map(Output, result.paths, texts, variants))


def _beside(
    told: Iterable[Diagnostic], later: Iterable[Diagnostic], variant: str | None = None
) -> list[Diagnostic]:
    """The later ones, but for fields where `parse` has told why what it read may not be meant."""
    fields = [each.field.removeprefix(f"variants.{variant}.") for each in told if each.field]
    return [each for each in later if not any(is_within(each.field, field) for field in fields)]


def _shared(variants: Sequence[_Variant], told: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Each diagnostic of the variants once, with the names of those that it is limited to."""
    having: dict[Diagnostic, list[str]] = {}
    for variant in variants:
        found = _beside(told, variant.diagnostics, variant.document.variant)
        for diagnostic in dict.fromkeys(found):
            having.setdefault(diagnostic, []).append(variant.name)
    return [
        diagnostic if len(names) == len(variants) else replace(diagnostic, variants=tuple(names))
        for diagnostic, names in having.items()
    ]
