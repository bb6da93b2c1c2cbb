"""From the bytes of a spec to its Document: the first stage of the chain.

ruamel.yaml scans and parses. What its events mean is decided here, because its composer and its
constructors follow aliases without a limit, stop at the first duplicate key and forget positions:
the events become nodes, and the nodes become data with two tables of positions.

A duplicate, a key that is not a text and a tag are reported, and the rest is read as if they were
not there. Whatever leaves a value unknown (malformed YAML, an alias of nothing) ends the reading.
"""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ruamel.yaml import YAML, events
from ruamel.yaml.error import MarkedYAMLError

from specgen.diagnostics import Diagnostic, Position
from specgen.document import Document, Path, dotted, quoted
from specgen.scalars import Scalar, masked, plain, quoted_text

_MOST_BYTES = 10 * 2**20
_MOST_REPEATED = 100_000
_DEEPEST = 100

_MARKS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_LINE_BREAK = re.compile("\r\n?|\n")
_NOT_YAML = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_QUOTE = "put the text in quotes"
_ESCAPES = r"write \\ for a backslash, or use single quotes"
_INDENTATION = "correct the indentation, or put the whole text in quotes"

# What ruamel.yaml says of malformed text (a regular expression), what we say, and the hint. The
# first that fits counts; "^" puts the message where the construct began, not where it broke.
_WORDINGS = (
    (r"'\\t' that cannot start", "a tab where only spaces may stand", "use spaces"),
    ("character (.+) that cannot start", r"a value cannot begin with \1", _QUOTE),
    ("could not find expected ':'", "^a colon is missing after this key", "write `key: value`"),
    ("mapping values are not|unexpected ':'", "a colon cannot stand here", _INDENTATION),
    ("(sequence|mapping) .* not allowed here", "this cannot stand here", _INDENTATION),
    ("quoted scalar found unexpected", "^the quote that begins here is never closed", ""),
    ("unknown escape character (.+)", r"there is no escape for \1", _ESCAPES),
    ("escape sequence of ([0-9])", r"this escape needs \1 hexadecimal digits", _ESCAPES),
    ("expected ',' or (...)", r"a comma or the closing \1 is missing before this", ""),
    ("scanning an (alias|anchor)", r"^an \1 without a proper name", _QUOTE),
    ("scanning a block scalar", "a block text begins on the line after its mark", _QUOTE),
    ("expected the node content", "a value is missing before this", ""),
    ("expected <block end>", "this fits nothing that stands before it", _INDENTATION),
    ("directive|version", "this directive is malformed", "leave it out"),
    ("<document start>|document end", "this stands outside of the document", ""),
)


@dataclass(eq=False)
class _SpecError(Exception):
    """One mistake: raised where the reading cannot go on, collected where it can."""

    code: str
    at: Position | None
    message: str
    hint: str = ""
    path: Path = ()


@dataclass(frozen=True, slots=True)
class _Node:
    """A value, where it begins, and how many nodes it has when every alias is expanded."""

    position: Position
    value: "Scalar | list[_Node] | _Entries"
    size: int = 1


_Entries = dict[str, tuple[Position, _Node]]  # where each key begins, and its value


def parse(content: bytes, file: str) -> tuple[Document | None, list[Diagnostic]]:
    """What a spec says and what is wrong with its text; no Document where that cannot be known.

    `file` is the name that the diagnostics call it by. No bytes make it raise, and the time and the
    memory that it takes are bounded by their number.
    """
    document, mistakes = None, list[_SpecError]()
    try:
        root = _Composer(_decode(content), mistakes).document()
        document = _document(root, file)
    except _SpecError as last:
        mistakes.append(last)
    return document, [
        Diagnostic(file, m.at, m.code, dotted(m.path), m.message, m.hint) for m in mistakes
    ]


def _decode(content: bytes) -> str:
    """The text of the file, with LF at the ends of its lines."""
    if len(content) > _MOST_BYTES:
        raise _SpecError("SG104", None, f"the file is larger than {_MOST_BYTES:,} bytes")
    mark, encoding = next((m for m in _MARKS if content.startswith(m[0])), (b"", "utf-8"))
    body = content[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        at = _end_of(body[: error.start].decode(encoding))
        offset = len(mark) + error.start
        what = f"byte 0x{content[offset]:02X} at offset {offset} is not {encoding.upper()}"
        raise _SpecError("SG101", at, what, "save the file as UTF-8") from None
    if found := _NOT_YAML.search(text):
        what = f"the character U+{ord(found[0]):04X} is not allowed"
        hint = "save the file as UTF-8, or write the character as an escape in double quotes"
        raise _SpecError("SG102", _end_of(text[: found.start()]), what, hint)
    return _LINE_BREAK.sub("\n", text)


def _end_of(text: str) -> Position:
    lines = _LINE_BREAK.split(text)
    return Position(len(lines), len(lines[-1]) + 1)


def _position(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def _events(text: str) -> Iterator[Any]:
    """ruamel.yaml's events; its errors in our words."""
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
        raise _SpecError("SG102", _position(mark), what, _ESCAPES) from None


def _syntax_error(error: MarkedYAMLError) -> _SpecError:
    words = " ".join(f"{error.context or ''} {error.problem or ''}".split())
    place = error.problem_mark or error.context_mark
    if re.search("an? tag|tag handle", words):
        return _SpecError("SG104", _position(place), "tags are not allowed", _QUOTE)
    for pattern, message, hint in _WORDINGS:
        if found := re.search(pattern, words):
            mark = error.context_mark if message.startswith("^") else place
            ours = found.expand(message).removeprefix("^")
            return _SpecError("SG102", _position(mark), ours, hint)
    return _SpecError("SG102", _position(place), f"malformed YAML: {words}")


class _Composer:
    """Makes the tree of nodes of one text, and notes what is wrong on the way."""

    def __init__(self, text: str, mistakes: list[_SpecError]) -> None:
        self._events = _events(text)
        self._mistakes = mistakes
        # An anchor's list is empty until its node is complete: an alias in between is a cycle.
        self._anchors: dict[str, list[_Node]] = {}
        self._repeated = 0
        self._depth = 0

    def document(self) -> _Node:
        """The root, which is a mapping."""
        next(self._events)
        start = next(self._events)
        at = _position(start.start_mark)
        if isinstance(start, events.StreamEndEvent):
            raise _SpecError("SG106", at, "the spec is empty")
        if start.version not in (None, (1, 2)):
            raise _SpecError("SG104", at, "a spec is YAML 1.2", "leave out the %YAML line")
        first = next(self._events)
        if not isinstance(first, events.MappingStartEvent):
            raise _SpecError("SG106", _position(first.start_mark), "this is no mapping of keys")
        root = self._node(first, ())
        next(self._events)
        after = next(self._events)
        if not isinstance(after, events.StreamEndEvent):
            raise _SpecError("SG106", _position(after.start_mark), "a second document begins here")
        return root

    def _note(self, code: str, at: Position, message: str, hint: str, path: Path) -> None:
        self._mistakes.append(_SpecError(code, at, message, hint, path))

    def _node(self, event: Any, path: Path) -> _Node:
        at = _position(event.start_mark)
        if isinstance(event, events.AliasEvent):
            return self._repeat(event.anchor, at, path)
        if event.tag is not None:
            tag = quoted(event.tag.replace("tag:yaml.org,2002:", "!!"))
            self._note("SG104", at, f"the tag {tag} is not allowed", "leave it out", path)
        completed: list[_Node] = []
        if event.anchor is not None:
            self._anchors[event.anchor] = completed
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _SpecError("SG104", at, f"more than {_DEEPEST} levels of nesting")
        if isinstance(event, events.ScalarEvent):
            node = _Node(at, self._scalar(event, at, path))
        elif isinstance(event, events.SequenceStartEvent):
            node = self._sequence(at, path)
        else:
            node = self._mapping(at, path)
        self._depth -= 1
        completed.append(node)
        return node

    def _repeat(self, anchor: str, at: Position, path: Path) -> _Node:
        """The node that an alias stands for, beginning where the alias does."""
        alias, completed = quoted(f"*{anchor}"), self._anchors.get(anchor)
        if completed is None:
            raise _SpecError("SG102", at, f"no anchor for the alias {alias}", _QUOTE, path)
        if not completed:
            raise _SpecError("SG104", at, f"the alias {alias} is part of itself", "", path)
        self._repeated += completed[0].size
        if self._repeated > _MOST_REPEATED:
            raise _SpecError("SG104", at, f"aliases repeat over {_MOST_REPEATED:,} values")
        return replace(completed[0], position=at)

    def _scalar(self, event: Any, at: Position, path: Path) -> Scalar:
        # Refused tags are passed over, but under !!str nothing but a text can have been meant.
        if not event.style and not str(event.tag).endswith(":str"):
            return plain(event.value)
        text = quoted_text(event.value)
        if text is None:
            raise _SpecError("SG102", at, "half of a surrogate pair is no character", "", path)
        return text

    def _sequence(self, at: Position, path: Path) -> _Node:
        items: list[_Node] = []
        while not isinstance(event := next(self._events), events.SequenceEndEvent):
            items.append(self._node(event, (*path, len(items))))
        return _Node(at, items, 1 + sum(item.size for item in items))

    def _mapping(self, at: Position, path: Path) -> _Node:
        """A mapping; what it merges comes first, and gives way to what it says itself."""
        merged: _Entries = {}
        own: _Entries = {}
        first_lines: dict[tuple[Any, ...], int] = {}
        while not isinstance(event := next(self._events), events.MappingEndEvent):
            key = self._node(event, path)
            is_merge = key.value == "<<" and not event.style
            is_scalar = not isinstance(key.value, dict | list)
            written = key.value if isinstance(key.value, str) else getattr(event, "value", "")
            inner = (*path, written) if written else path
            event = next(self._events)
            value = self._node(event, inner)
            if value.value is None and event.start_mark.index == event.end_mark.index:
                # ruamel.yaml puts a value that is left out behind what comes next.
                value = replace(value, position=key.position)
            # To Python, True and 1.0 are the same key as 1.
            identity = (is_merge, type(key.value), key.value if is_scalar else key.position)
            line = key.position.line
            if identity in first_lines:
                what = f"given twice, on line {first_lines[identity]} and again on line {line}"
                self._note("SG103", key.position, what, "keep one of them", inner)
            elif is_merge:
                merged = self._merged(value, inner)
            elif isinstance(key.value, str) and written:
                own[written] = (key.position, value)
            else:
                hint = f"put it in quotes: {quoted(written)}" if written else _QUOTE
                self._note("SG105", key.position, "a text is wanted as the key", hint, inner)
            first_lines.setdefault(identity, line)
        entries = {**merged, **own}
        return _Node(at, entries, 1 + sum(node.size for _, node in entries.values()))

    def _merged(self, value: _Node, path: Path) -> _Entries:
        """What `<<` brings in; of several mappings the first that has a key counts."""
        merged: _Entries = {}
        for source in value.value if isinstance(value.value, list) else [value]:
            if not isinstance(source.value, dict):
                raise _SpecError("SG104", source.position, "only mappings can be merged", "", path)
            for name, entry in source.value.items():
                merged.setdefault(name, entry)
        return merged


def _document(root: _Node, file: str) -> Document:
    """The nodes laid out as data, which is new at each place where an alias repeats them."""
    keys: dict[Path, Position] = {(): root.position}
    values: dict[Path, Position] = {}

    def lay_out(node: _Node, path: Path) -> Any:
        if len(path) >= _DEEPEST:
            raise _SpecError("SG104", node.position, f"aliases nest more than {_DEEPEST} levels")
        values[path] = node.position
        if isinstance(node.value, dict):
            for name, (position, _) in node.value.items():
                keys[(*path, name)] = position
            return {name: lay_out(child, (*path, name)) for name, (_, child) in node.value.items()}
        if isinstance(node.value, list):
            for index, child in enumerate(node.value):
                keys[(*path, index)] = child.position
            return [lay_out(child, (*path, index)) for index, child in enumerate(node.value)]
        return node.value

    return Document(file, lay_out(root, ()), keys, values)
