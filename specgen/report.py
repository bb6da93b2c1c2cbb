"""Diagnostics as text, in one of three formats, and the exit status that they amount to.

In: the diagnostics of a whole run, in any order; out: each of them once, by file and position.
"""

import json
import os
import traceback
from collections.abc import Iterable
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TextIO

from specgen.diagnostics import Diagnostic, Position

# The exit statuses; of several, the highest counts.
FINE, DRIFT, BAD, FAULT, INTERRUPTED = 0, 1, 2, 3, 130

_PACKAGE = Path(__file__).parent
_STATUSES = {"SG401": DRIFT, "SG402": DRIFT, "SG403": DRIFT, "SG901": FAULT}
_STYLES = {"error": "bold red", "warning": "bold yellow"}


class ErrorFormat(str, Enum):
    """For a reader, for a program, for annotations in a pull request."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def write(diagnostics: Iterable[Diagnostic], form: ErrorFormat, stream: TextIO) -> None:
    """Writes all of a run's diagnostics; JSON is one array, also where there are none."""
    unique = sorted(set(diagnostics), key=_order)
    if form is ErrorFormat.JSON:
        stream.write(json.dumps([_as_object(diagnostic) for diagnostic in unique], indent=2) + "\n")
    elif form is ErrorFormat.GITHUB:
        stream.writelines(_as_command(diagnostic) for diagnostic in unique)
    elif unique and stream.isatty():
        _write_in_colour(unique, stream)
    else:
        stream.writelines("".join(_pieces(diagnostic)) for diagnostic in unique)
    stream.flush()


def status(diagnostics: Iterable[Diagnostic]) -> int:
    """The exit status that they ask for; warnings ask for none."""
    return max(
        (
            _STATUSES.get(diagnostic.code, BAD)
            for diagnostic in diagnostics
            if diagnostic.severity == "error"
        ),
        default=FINE,
    )


def debugging() -> bool:
    """Whether a fault is to be shown with its traceback."""
    return bool(os.environ.get("SPECGEN_DEBUG"))


def fault(error: Exception, file: str = "") -> Diagnostic:
    """An exception that nobody expected, with the place in specgen or a template it came from."""
    frames = [
        f"{Path(frame.filename).name}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.endswith(".j2") or Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    what = f"{type(error).__name__}: {error}"
    # What a template asked for says more than the function that could not give it.
    places = [frame for frame in frames if ".j2:" in frame] or frames
    where = f" (at {places[-1]})" if places else ""
    return Diagnostic(
        file,
        None,
        "SG901",
        "",
        what + where,
        "please report this; SPECGEN_DEBUG=1 shows the traceback",
    )


def _order(diagnostic: Diagnostic) -> tuple[object, ...]:
    position = diagnostic.position or Position(0, 0)
    return (
        diagnostic.file,
        position,
        diagnostic.code,
        diagnostic.field,
        diagnostic.message,
        diagnostic.hint,
        diagnostic.variants,
        diagnostic.severity,
    )


def _message(diagnostic: Diagnostic) -> str:
    field = f"{diagnostic.field}: " if diagnostic.field else ""
    variants = f" (variant {', '.join(diagnostic.variants)})" if diagnostic.variants else ""
    return f"{field}{diagnostic.message}{variants}"


def _pieces(diagnostic: Diagnostic) -> tuple[str, str, str, str]:
    """The text form in the pieces that differ in colour: place, severity, message, hint."""
    place = _printable(diagnostic.file or "specgen")
    if diagnostic.position:
        place += f":{diagnostic.position.line}:{diagnostic.position.column}"
    hint = f"hint: {_printable(diagnostic.hint)}\n" if diagnostic.hint else ""
    return (
        f"{place}: ",
        f"{diagnostic.severity} {diagnostic.code}: ",
        f"{_printable(_message(diagnostic))}\n",
        hint,
    )


def _printable(text: str) -> str:
    """On one line, and harmless to a terminal: a file name or a spec may hold any character."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def _write_in_colour(diagnostics: Iterable[Diagnostic], stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, soft_wrap=True, highlight=False)
    for diagnostic in diagnostics:
        place, severity, message, hint = _pieces(diagnostic)
        console.print(
            Text.assemble(
                (place, "bold"), (severity, _STYLES[diagnostic.severity]), message, (hint, "dim")
            ),
            end="",
        )


def _as_object(diagnostic: Diagnostic) -> dict[str, object]:
    values = asdict(diagnostic)
    position = values.pop("position") or {"line": None, "column": None}
    return {"file": values.pop("file") or None, **position, **values}


def _as_command(diagnostic: Diagnostic) -> str:
    """A workflow command of GitHub Actions, which makes an annotation of it."""
    properties = {"title": diagnostic.code}
    if diagnostic.position:
        line, column = diagnostic.position.line, diagnostic.position.column
        properties = {"line": str(line), "col": str(column), **properties}
    if diagnostic.file:
        properties = {"file": diagnostic.file, **properties}
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = _message(diagnostic) + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    return f"::{diagnostic.severity} {written}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
