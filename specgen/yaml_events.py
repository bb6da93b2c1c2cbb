"""The bytes of a spec in, ruamel.yaml's events out; the first step of `parse`.

Whatever makes them unreadable (size, encoding, syntax) is a `SpecError`, in our words and with its
place. ruamel.yaml scans and parses; what its events mean, `yaml_nodes` decides.
"""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError

from specgen.diagnostics import Position
from specgen.document import Path
from specgen.scalars import masked

_MOST_BYTES = 10 * 2**20

_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_LINE_BREAK = re.compile("\r\n?|\n")
_NOT_YAML = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

QUOTE = "put the text in quotes"
_ESCAPES = r"write \\ for a backslash, or use single quotes"
_INDENTATION = "correct the indentation, or put the whole text in quotes"

# What ruamel.yaml says of malformed text (a regular expression), what we say, and the hint. The
# first that fits counts; "^" puts the message where the construct began, not where it broke.
_WORDINGS = (
    (r"'\\t' that cannot start", "a tab where only spaces may stand", "use spaces"),
    ("character (.+) that cannot start", r"a value cannot begin with \1", QUOTE),
    ("could not find expected ':'", "^a colon is missing after this key", "write `key: value`"),
    ("mapping values are not|unexpected ':'", "a colon cannot stand here", _INDENTATION),
    ("(sequence|mapping) .* not allowed here", "this cannot stand here", _INDENTATION),
    ("quoted scalar found unexpected", "^the quote that begins here is never closed", ""),
    ("unknown escape character (.+)", r"there is no escape for \1", _ESCAPES),
    ("escape sequence of ([0-9])", r"this escape needs \1 hexadecimal digits", _ESCAPES),
    ("expected ',' or (...)", r"a comma or the closing \1 is missing before this", ""),
    ("scanning an (alias|anchor)", r"^an \1 without a proper name", QUOTE),
    ("scanning a block scalar", "a block text begins on the line after its mark", QUOTE),
    ("expected the node content", "a value is missing before this", ""),
    ("expected <block end>", "this fits nothing that stands before it", _INDENTATION),
    ("directive|version", "this directive is malformed", "leave it out"),
    ("<document start>|document end", "this stands outside of the document", ""),
)


@dataclass(eq=False)
class SpecError(Exception):
    """One mistake: raised where the reading cannot go on, collected where it can."""

    code: str
    at: Position | None
    message: str
    hint: str = ""
    path: Path = ()


def events_of(content: bytes) -> Iterator[Any]:
    """From the start of the stream to its end; raises a SpecError where that is out of reach."""
    text = _decode(content)
    mark = None
    try:
        for event in YAML(typ="safe", pure=True).parse(masked(text)):
            mark = event.end_mark
            yield event
    except MarkedYAMLError as error:
        raise _syntax_error(error) from None
    except (ValueError, OverflowError):
        # What Python raises for a number that ruamel.yaml hands it unchecked.
        what = r"after this, an escape is beyond \U0010FFFF or a version too long"
        raise SpecError("SG102", position_of(mark), what, _ESCAPES) from None


def position_of(mark: Any) -> Position:
    """The place that a mark of ruamel.yaml's means."""
    return Position(mark.line + 1, mark.column + 1)


def _decode(content: bytes) -> str:
    """The text of the file, with LF at the ends of its lines."""
    if len(content) > _MOST_BYTES:
        raise SpecError("SG104", None, f"the file is larger than {_MOST_BYTES:,} bytes")
    mark, encoding = next((m for m in _MARKS if content.startswith(m[0])), (b"", "utf-8"))
    body = content[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        at = _end_of(body[: error.start].decode(encoding))
        offset = len(mark) + error.start
        what = f"byte 0x{content[offset]:02X} at offset {offset} is not {encoding.upper()}"
        raise SpecError("SG101", at, what, "save the file as UTF-8") from None
    if found := _NOT_YAML.search(text):
        what = f"the character U+{ord(found[0]):04X} is not allowed"
        hint = "save the file as UTF-8, or write the character as an escape in double quotes"
        raise SpecError("SG102", _end_of(text[: found.start()]), what, hint)
    return _LINE_BREAK.sub("\n", text)


def _end_of(text: str) -> Position:
    lines = _LINE_BREAK.split(text)
    return Position(len(lines), len(lines[-1]) + 1)


def _syntax_error(error: MarkedYAMLError) -> SpecError:
    words = " ".join(f"{error.context or ''} {error.problem or ''}".split())
    place = error.problem_mark or error.context_mark
    if re.search("an? tag|tag handle", words):
        return SpecError("SG104", position_of(place), "tags are not allowed", QUOTE)
    for pattern, message, hint in _WORDINGS:
        if found := re.search(pattern, words):
            mark = error.context_mark if message.startswith("^") else place
            ours = found.expand(message).removeprefix("^")
            return SpecError("SG102", position_of(mark), ours, hint)
    return SpecError("SG102", position_of(place), f"malformed YAML: {words}")
