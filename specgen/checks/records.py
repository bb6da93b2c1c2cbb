"""Rules for `records`: a block of rows can be written and read at once."""

from collections.abc import Iterator
from math import prod

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders
from specgen.dtypes import ROW_ID_BYTES, item_bytes
from specgen.spec.placeholders import Placeholder
from specgen.spec.records import Records

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


def _bytes(placeholder: Placeholder) -> int | None:
    """What one value takes on disk; None where it varies."""
    if placeholder.dtype == "string" or None in placeholder.shape:
        return None
    fixed = [size for size in placeholder.shape if size is not None]
    return prod(fixed) * item_bytes(placeholder.dtype)
