"""Rules for `records`: a block of rows can be written and read, and rows in place stay there."""

from collections.abc import Iterator
from math import prod

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders
from specgen.document import Document
from specgen.dtypes import ROW_ID_BYTES, item_bytes
from specgen.spec.base import default_of
from specgen.spec.placeholders import Placeholder
from specgen.spec.records import Records
from specgen.spec.source import Source, Tfrecord
from specgen.spec.splits import Splits

# Readers of records other than TensorFlow's own count their bytes in 32 bits.
_LARGEST = 2**31 - 1


def check_block_size(placeholders: Placeholders, records: Records) -> Iterator[Finding]:
    """One record, a block of rows with their ids, stays below 2 GiB."""
    sizes = [_bytes(placeholder) for placeholder in placeholders.values()]
    if records.format != "packed" or None in sizes:
        return
    size = records.rows_per_record * (ROW_ID_BYTES + sum(filter(None, sizes)))
    if size > _LARGEST:
        yield Finding(
            ("records", "rows_per_record"),
            "SG306",
            f"one record would hold {size / 2**30:.1f} GiB, 2 GiB is the most",
            "put fewer rows into each",
        )


def check_level(records: Records) -> Iterator[Finding]:
    """Files of Examples are deflated by TensorFlow, and 1.4 asks for no level."""
    level = default_of(Records, "level")
    if records.format == "example" and records.compression != "none" and records.level != level:
        message = f"TensorFlow 1.4 deflates the files of format example at level {level} alone"
        hint = "leave it out; format packed takes any level"
        yield Finding(("records", "level"), "SG303", message, hint)


def check_in_place(source: Source, splits: Splits, records: Records) -> Iterator[Finding]:
    """Only TFRecords are records already, and a file of them belongs to one part."""
    path = ("records", "format")
    if records.format != "source":
        return
    if not isinstance(source, Tfrecord):
        message = f"source.kind {source.kind} has no TFRecords to read in place"
        yield Finding(path, "SG303", message, "packed works with every source")
        return
    said = [part for part, size in splits.parts if size is not None]
    by_paths = splits.method == "given" and splits.by is None
    if not by_paths and (said != ["train"] or splits.method != "even"):
        message = "rows in place are dealt by whole files: train alone, or method given by paths"
        yield Finding(path, "SG303", message, "format packed deals them in every way")


def check_seed_in_place(records: Records, document: Document) -> Iterator[Finding]:
    """Where rows stay in place, nothing is dealt or laid out by a seed."""
    path = ("splits", "seed")
    if records.format == "source" and document.says(path):
        message = "has no effect on rows in place"
        yield Finding(
            path, "SG302", message, "it belongs to records.format packed or example", True
        )


def _bytes(placeholder: Placeholder) -> int | None:
    """What one value takes on disk; None where it varies."""
    if placeholder.dtype == "string" or None in placeholder.shape:
        return None
    fixed = [size for size in placeholder.shape if size is not None]
    return prod(fixed) * item_bytes(placeholder.dtype)
