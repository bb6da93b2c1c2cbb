"""Rules for `source`: where the rows are is said once."""

from collections.abc import Iterator

from specgen.checks.exclusive import exactly_one
from specgen.checks.finding import Finding
from specgen.spec.source import PLACES, Csv, Python, Source, Synthetic, Tfrecord
from specgen.spec.splits import Splits


def check_source_place(source: Source, splits: Splits) -> Iterator[Finding]:
    """Exactly one key says where the files are, unless the parts themselves do."""
    if isinstance(source, Synthetic | Python) or splits.method == "given":
        return
    ways = {key: getattr(source, key) for key in PLACES if hasattr(source, key)}
    yield from exactly_one(("source",), ways, "says already where the data are", "path works now")


def check_skipping(source: Source) -> Iterator[Finding]:
    """The rest of a file can be skipped where a file is read from its beginning to its end."""
    if not isinstance(source, Csv | Tfrecord) and getattr(source, "on_error", "stop") == "skip":
        message = f"skip is for csv and tfrecord, {source.kind} is used whole or not at all"
        yield Finding(("source", "on_error"), "SG303", message, "leave it out")
