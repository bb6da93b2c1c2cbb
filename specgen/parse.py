"""From the bytes of a spec to its Document: the first stage of the chain.

The bytes become events, the events nodes, and the nodes here data with two tables of positions.

A duplicate, a key that is not a text and a tag are reported, and the reading goes on: with the
first of the duplicates, the key as if in quotes, the value without its tag. Whatever leaves a value
unknown (malformed YAML, an alias of nothing) ends it.
"""

from typing import Any

from specgen.diagnostics import Diagnostic, Position
from specgen.document import Document, Path, dotted
from specgen.yaml_events import SpecError, events_of
from specgen.yaml_nodes import DEEPEST, Node, root_of


def parse(content: bytes, file: str) -> tuple[Document | None, list[Diagnostic]]:
    """What a spec says and what is wrong with its text; no Document where that cannot be known.

    `file` is the name that the diagnostics call it by. No bytes make it raise, and the time and the
    memory that it takes are bounded by their number.
    """
    document, mistakes = None, list[SpecError]()
    try:
        document = _document(root_of(events_of(content), mistakes), file)
    except SpecError as last:
        mistakes.append(last)
    return document, [
        Diagnostic(file, m.at, m.code, dotted(m.path), m.message, m.hint) for m in mistakes
    ]


def _document(root: Node, file: str) -> Document:
    """The nodes laid out as data, which is new at each place where an alias repeats them."""
    keys: dict[Path, Position] = {(): root.position}
    values: dict[Path, Position] = {}

    def lay_out(node: Node, path: Path) -> Any:
        if len(path) >= DEEPEST:
            raise SpecError("SG104", node.position, f"aliases nest more than {DEEPEST} levels")
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
