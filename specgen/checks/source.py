"""Rules for `source`: where the rows are is said once."""

from collections.abc import Iterator

from specgen.checks.exclusive import exactly_one
from specgen.checks.finding import Finding
from specgen.spec.source import PLACES, Python, Source, Synthetic
from specgen.spec.splits import Splits


def check_source_place(source: Source, splits: Splits) -> Iterator[Finding]:
    """Exactly one key says where the files are, unless the parts themselves do."""
    if isinstance(source, Synthetic | Python) or splits.method == "given":
        return
    ways = {key: getattr(source, key) for key in PLACES if hasattr(source, key)}
    yield from exactly_one(("source",), ways, "says already where the data are", "path works now")
