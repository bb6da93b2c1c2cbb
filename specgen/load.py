"""From a Document to the sections of a Spec, in which each field is legal by itself.

pydantic finds the mistakes; here those are left out that only echo another one, and `mistakes` puts
the others into the words of the language.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from specgen.diagnostics import Diagnostic
from specgen.document import Document, Path
from specgen.mistakes import Mistake, diagnostic_of, known_keys
from specgen.spec import Sections, Spec
from specgen.spec.unions import is_tag
from specgen.wording import nearest


def load(document: Document) -> tuple[Sections, list[Diagnostic]]:
    """The root fields that are valid, defaults among them, and what is wrong with the others."""
    sections: dict[str, Any] = {}
    diagnostics: dict[Diagnostic, None] = {}
    try:
        Spec.model_validate(document.data, context=sections)
    except ValidationError as error:
        details = error.errors(include_url=False)
        diagnostics = {_diagnostic(document, detail): None for detail in _mistakes(details)}
    for name, field in Spec.model_fields.items():
        if name not in document.data and not field.is_required():
            sections[name] = field.get_default(call_default_factory=True)
    return sections, list(diagnostics)


def spec_of(sections: Sections) -> Spec:
    """The Spec, from the sections of a document that has no mistake."""
    return Spec.model_construct(**sections)


def _mistakes(details: Sequence[ErrorDetails]) -> Iterator[ErrorDetails]:
    """The errors but for those that only echo another one.

    A misspelt key is missing as well, and items with errors do not count for a list's length.
    """
    unknown = [detail["loc"] for detail in details if detail["type"] == "extra_forbidden"]
    meant = {(*loc[:-1], nearest(str(loc[-1]), known_keys(loc[:-1]))) for loc in unknown}
    for detail in details:
        if detail["type"] == "missing" and detail["loc"] in meant:
            continue
        if detail["type"] == "too_short" and detail["input"]:
            continue
        yield detail


def _diagnostic(document: Document, detail: ErrorDetails) -> Diagnostic:
    path = _path(document, detail["loc"])
    mistake = Mistake(document, detail["loc"], path, detail["input"], detail.get("ctx", {}))
    return diagnostic_of(detail["type"], mistake)


def _path(document: Document, loc: tuple[str | int, ...]) -> Path:
    """The location without the tags of unions and without the mark of an error in a key."""
    path: Path = ()
    here: Any = document.data
    for segment in loc:
        inside = _holds(here, segment)
        if inside or not (is_tag(segment) or segment == "[key]"):
            path = (*path, segment)
            here = here[segment] if inside else None
    return path


def _holds(container: Any, segment: str | int) -> bool:
    if isinstance(container, dict):
        return segment in container
    return isinstance(container, list) and segment in range(len(container))
