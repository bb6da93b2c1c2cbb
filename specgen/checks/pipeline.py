"""Rules for `pipeline`: what is read together fits into the memory that may be used."""

from collections.abc import Iterator
from math import prod

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders
from specgen.dtypes import ROW_ID_BYTES, item_bytes
from specgen.spec.how import Pipeline
from specgen.spec.train import ShuffleWindow, Train


def check_budget(placeholders: Placeholders, pipeline: Pipeline, train: Train) -> Iterator[Finding]:
    """A window of rows fits into `ram_budget_mb`; of what has no fixed size nothing is counted."""
    budget = pipeline.ram_budget_mb
    if budget is None or not isinstance(train.shuffle, ShuffleWindow):
        return
    fixed = (p for p in placeholders.values() if p.dtype != "string" and None not in p.shape)
    row = ROW_ID_BYTES + sum(item_bytes(p.dtype) * prod(p.shape) for p in fixed)  # type: ignore[arg-type]
    rows = train.shuffle.rows
    if rows * row > budget * 10**6:
        yield Finding(
            ("pipeline", "ram_budget_mb"),
            "SG306",
            f"a window of {rows:,} rows takes {rows * row / 1e6:,.1f} MB, more than {budget:,}",
            "raise it, or make train.shuffle.rows smaller",
        )
