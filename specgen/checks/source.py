"""Rules for `source`: where the rows are is said once."""

from collections.abc import Iterator

from specgen.checks.finding import Finding
from specgen.spec.source import Python, Source, Synthetic
from specgen.spec.splits import Splits
from specgen.wording import listed


def check_source_place(source: Source, splits: Splits) -> Iterator[Finding]:
    """Exactly one key says where the files are, unless the parts themselves do."""
    if isinstance(source, Synthetic | Python) or splits.method == "given":
        return
    keys = [key for key in ("path", "files", "pattern", "arrays") if hasattr(source, key)]
    said = [key for key in keys if getattr(source, key) is not None]
    if not said:
        yield Finding(
            ("source",), "SG303", f"one of {listed(keys)} is needed", "path works now", of_key=True
        )
    for key in said[1:]:
        yield Finding(
            ("source", key),
            "SG303",
            f"{said[0]} says already where the data are",
            "keep one of them",
            of_key=True,
        )
