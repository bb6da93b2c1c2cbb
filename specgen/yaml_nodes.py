"""Events in, the tree of nodes out: what a spec says, and where; the second step of `parse`.

It takes the place of ruamel.yaml's composer and constructors, which follow aliases without a limit,
stop at the first duplicate key and forget positions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ruamel.yaml import events

from specgen.diagnostics import Position
from specgen.document import Path, quoted
from specgen.scalars import Scalar, plain, quoted_text
from specgen.yaml_events import QUOTE, SpecError, position_of

DEEPEST = 100
_MOST_REPEATED = 100_000


@dataclass(frozen=True, slots=True)
class Node:
    """A value, where it begins, and how many nodes it has when every alias is expanded."""

    position: Position
    value: "Scalar | list[Node] | Entries"
    size: int = 1


Entries = dict[str, tuple[Position, Node]]  # where each key begins, and its value


def root_of(stream: Iterator[Any], mistakes: list[SpecError]) -> Node:
    """The mapping that the one document of the stream consists of.

    What can be read on after is added to `mistakes`; what cannot is raised.
    """
    next(stream)
    start = next(stream)
    at = position_of(start.start_mark)
    if isinstance(start, events.StreamEndEvent):
        raise SpecError("SG106", at, "the spec is empty")
    if start.version not in (None, (1, 2)):
        raise SpecError("SG104", at, "a spec is YAML 1.2", "leave out the %YAML line")
    first = next(stream)
    if not isinstance(first, events.MappingStartEvent):
        raise SpecError("SG106", position_of(first.start_mark), "this is no mapping of keys")
    root = _Composer(stream, mistakes).node(first, ())
    next(stream)
    after = next(stream)
    if not isinstance(after, events.StreamEndEvent):
        raise SpecError("SG106", position_of(after.start_mark), "a second document begins here")
    return root


class _Composer:
    """Makes nodes of events, and notes what is wrong on the way."""

    def __init__(self, stream: Iterator[Any], mistakes: list[SpecError]) -> None:
        self._events = stream
        self._mistakes = mistakes
        # An anchor's list is empty until its node is complete: an alias in between is a cycle.
        self._anchors: dict[str, list[Node]] = {}
        self._repeated = 0
        self._depth = 0

    def node(self, event: Any, path: Path) -> Node:
        """The node that begins with an event, at a path of the document."""
        at = position_of(event.start_mark)
        if isinstance(event, events.AliasEvent):
            return self._repeat(event.anchor, at, path)
        if event.tag is not None:
            tag = quoted(event.tag.replace("tag:yaml.org,2002:", "!!"))
            self._note("SG104", at, f"the tag {tag} is not allowed", "leave it out", path)
        completed: list[Node] = []
        if event.anchor is not None:
            self._anchors[event.anchor] = completed
        self._depth += 1
        if self._depth > DEEPEST:
            raise SpecError("SG104", at, f"more than {DEEPEST} levels of nesting")
        if isinstance(event, events.ScalarEvent):
            node = Node(at, self._scalar(event, at, path))
        elif isinstance(event, events.SequenceStartEvent):
            node = self._sequence(at, path)
        else:
            node = self._mapping(at, path)
        self._depth -= 1
        completed.append(node)
        return node

    def _note(self, code: str, at: Position, message: str, hint: str, path: Path) -> None:
        self._mistakes.append(SpecError(code, at, message, hint, path))

    def _repeat(self, anchor: str, at: Position, path: Path) -> Node:
        """The node that an alias stands for, beginning where the alias does."""
        alias, completed = quoted(f"*{anchor}"), self._anchors.get(anchor)
        if completed is None:
            raise SpecError("SG102", at, f"no anchor for the alias {alias}", QUOTE, path)
        if not completed:
            raise SpecError("SG104", at, f"the alias {alias} is part of itself", "", path)
        self._repeated += completed[0].size
        if self._repeated > _MOST_REPEATED:
            raise SpecError("SG104", at, f"aliases repeat over {_MOST_REPEATED:,} values")
        return replace(completed[0], position=at)

    def _scalar(self, event: Any, at: Position, path: Path) -> Scalar:
        # Refused tags are passed over, but under !!str nothing but a text can have been meant.
        if not event.style and not str(event.tag).endswith(":str"):
            return plain(event.value)
        text = quoted_text(event.value)
        if text is None:
            raise SpecError("SG102", at, "half of a surrogate pair is no character", "", path)
        return text

    def _sequence(self, at: Position, path: Path) -> Node:
        items: list[Node] = []
        while not isinstance(event := next(self._events), events.SequenceEndEvent):
            items.append(self.node(event, (*path, len(items))))
        return Node(at, items, 1 + sum(item.size for item in items))

    def _mapping(self, at: Position, path: Path) -> Node:
        """A mapping; what it merges comes first, and gives way to what it says itself."""
        merged: Entries = {}
        own: Entries = {}
        first_lines: dict[tuple[Any, ...], int] = {}
        while not isinstance(event := next(self._events), events.MappingEndEvent):
            key = self.node(event, path)
            is_merge = key.value == "<<" and not event.style
            is_scalar = not isinstance(key.value, dict | list)
            written = key.value if isinstance(key.value, str) else getattr(event, "value", "")
            inner = (*path, written) if written else path
            value = self._value(key, inner)
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
                hint = f"put it in quotes: {quoted(written)}" if written else QUOTE
                self._note("SG105", key.position, "a text is wanted as the key", hint, inner)
                if written:
                    own.setdefault(written, (key.position, value))
            first_lines.setdefault(identity, line)
        entries = {**merged, **own}
        return Node(at, entries, 1 + sum(node.size for _, node in entries.values()))

    def _value(self, key: Node, path: Path) -> Node:
        event = next(self._events)
        value = self.node(event, path)
        if value.value is None and event.start_mark.index == event.end_mark.index:
            # ruamel.yaml puts a value that is left out behind what comes next.
            return replace(value, position=key.position)
        return value

    def _merged(self, value: Node, path: Path) -> Entries:
        """What `<<` brings in; of several mappings the first that has a key counts."""
        merged: Entries = {}
        for source in value.value if isinstance(value.value, list) else [value]:
            if not isinstance(source.value, dict):
                raise SpecError("SG104", source.position, "only mappings can be merged", "", path)
            for name, entry in source.value.items():
                merged.setdefault(name, entry)
        return merged
