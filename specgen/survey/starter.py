"""A first spec as text: what was found and guessed, with comments, and defaults to begin with."""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from specgen.apportion import largest_remainder
from specgen.document import dotted
from specgen.dtypes import ROW_ID_BYTES, item_bytes
from specgen.literal import literal
from specgen.scalars import plain
from specgen.survey.found import Source
from specgen.survey.guess import Guess, Placeholder
from specgen.wording import listed

_WIDTH = 100
_STARTER = """\
# yaml-language-server: $schema={schema}
#
# What is learned and from which rows comes first, how the bytes reach the device last.
# `specgen plan` shows the value of every key that is not said here.

specgen: 1
name: {name}

{source}
# One for each column of the source that is used. On the device, an input becomes x * scale.
placeholders:
{placeholders}
# The same rows go to the same part in every run{stratified}.
{splits}{records}
# {last_layer}
model:
  layers:
{layers}
train:
  batch_size: 64
  epochs: 5
  optimizer: {{name: adam, learning_rate: 0.001}}
  loss: {loss}
{metrics}{shuffle}
# From here on nothing changes what is learned, only how fast. two_variable: one batch is trained on
# in device memory while the next one is copied beside it.
target: tf2
buffers: {{method: two_variable}}
"""
_LOGITS = "The last layer gives logits: one number for each class, without a softmax."
_NUMBERS = "The last layer gives the numbers that are compared with the label."
# The first of them that leaves no part without rows.
_PARTS = {"train": 0.8, "validation": 0.1, "test": 0.1}
_SPLITS = (
    ("stratified", _PARTS),
    ("even", _PARTS),
    ("even", {"train": 0.8, "validation": 0.2}),
    ("even", {"train": 1.0}),
)
# The defaults, and the bytes of rows that may lie side by side, of a window and where it is larger.
_ROWS_PER_RECORD, _WINDOW = 256, 8192
_MOST_BYTES, _BYTES_TOGETHER = 2**30, 2**28
_WORD = re.compile(r"[A-Za-z_./][\w./-]*", re.ASCII)
_NO_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


def starter(name: str, schema: str, source: Source, found: Guess) -> str:
    """The spec `name`, which builds and trains as it is; `schema` is the file of that, for editors.

    The folder that it is written to is the one that paths in the source start from.
    """
    placeholders = (found.input, found.label)
    section = dict(source.section)
    if isinstance(arrays := section.get("arrays"), Mapping):
        section["arrays"] = {each.name: arrays[each.name] for each in placeholders}
    method, parts = _splits(source.rows, found.counts)
    records, shuffle = _sizes(source.rows, placeholders)
    layers = ["dense: {units: 64, activation: relu}", f"dense: {{units: {found.units}}}"]
    if len(_shape(found.input)) != 1:
        layers.insert(0, "flatten")
    return _STARTER.format(
        schema=schema,
        name=name,
        source=_comments(source.notes) + _entry("source", section),
        placeholders="".join(map(_placeholder, placeholders)) + _left_out(found),
        stratified="; stratified keeps the share of each label" if method == "stratified" else "",
        splits=_entry("splits", {"method": method, "parts": parts}),
        records=records,
        shuffle=shuffle,
        last_layer=_LOGITS if found.counts else _NUMBERS,
        layers="".join(f"    - {layer}\n" for layer in layers),
        loss="sparse_categorical_crossentropy" if found.counts else "mse",
        metrics="  metrics: [accuracy]\n" if found.counts else "",
    )


def _placeholder(placeholder: Placeholder) -> str:
    notes = _comments(placeholder.notes, "  ")
    return notes + _entry(_scalar(placeholder.name), placeholder.keys, "  ")


def _left_out(found: Guess) -> str:
    each = (
        f"left out ({why}): {listed(dotted((name,)) for name in names)}"
        for why, names in found.left_out.items()
    )
    return _comments(list(each), "  ")


def _splits(rows: int, counts: Sequence[int]) -> tuple[str, Mapping[str, float]]:
    """How the rows are divided: each class, or all of them, by the fractions of the parts."""
    for method, parts in _SPLITS if counts else _SPLITS[1:]:
        groups = counts if method == "stratified" else [rows]
        dealt = [largest_remainder(group, list(parts.values())) for group in groups]
        if all(map(sum, zip(*dealt, strict=True))):
            break
    return method, parts


def _sizes(rows: int, placeholders: Sequence[Placeholder]) -> tuple[str, str]:
    """How many rows are in a record and are shuffled together, where by default too many bytes."""
    values = sum(prod(_shape(each)) * item_bytes(str(each.keys["dtype"])) for each in placeholders)
    row = values + ROW_ID_BYTES
    fewer = max(_BYTES_TOGETHER // row, 1)
    records, shuffle = {"rows_per_record": fewer}, {"kind": "window", "rows": fewer}
    return (
        _entry("records", records) if fewer < _ROWS_PER_RECORD else "",
        _entry("shuffle", shuffle, "  ") if min(rows, _WINDOW) * row > _MOST_BYTES else "",
    )


def _shape(placeholder: Placeholder) -> list[int]:
    """The shape of a row, padded where it is variable."""
    keys: Mapping[str, Any] = placeholder.keys
    return [size or keys["pad"]["length"] for size in keys.get("shape", ())]


# -- YAML -----------------------------------------------------------------------------------------


def _comments(texts: Sequence[str], indent: str = "") -> str:
    """Each text as a comment of its own, on as many lines as it needs."""
    mark = f"{indent}# "
    lines = (
        line
        for text in texts
        for line in textwrap.wrap(text, _WIDTH - len(mark), break_long_words=False)
    )
    return "".join(f"{mark}{line}\n" for line in lines)


def _entry(key: str, value: object, indent: str = "") -> str:
    """A key with its value: in one line where that is short enough, else in several."""
    line = f"{indent}{key}: {_flow(value)}\n"
    if len(line) <= _WIDTH + 1:
        return line
    inner = indent + "  "
    if isinstance(value, Mapping):
        entries = (_entry(_scalar(name), each, inner) for name, each in value.items())
        return f"{indent}{key}:\n{''.join(entries)}"
    if isinstance(value, list | tuple):
        # A line may end between the items, but not inside of one.
        items = ", ".join(_flow(item).replace(" ", "\0") for item in value)
        wrapped = textwrap.wrap(items, _WIDTH - len(inner) - 2, break_long_words=False)
        filled = f"\n{inner} ".join(wrapped).replace("\0", " ")
        return f"{indent}{key}:\n{inner}[{filled}]\n"
    return line


def _flow(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_flow(key)}: {_flow(each)}' for key, each in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, str):
        return _scalar(value)
    return "null" if value is None else literal(value).lower()


def _scalar(text: str) -> str:
    """A text, in quotes where some YAML might take it for something else."""
    if _WORD.fullmatch(text) and text.lower() not in _NO_WORDS and plain(text) == text:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
