"""Rules for `pipeline`: what is read together fits into the memory that may be used."""

from collections.abc import Iterator
from math import prod

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders
from specgen.dtypes import ROW_ID_BYTES, item_bytes
from specgen.spec.how import Pipeline
from specgen.spec.placeholders import Placeholder
from specgen.spec.train import ShuffleWindow, Train


def check_budget(placeholders: Placeholders, pipeline: Pipeline, train: Train) -> Iterator[Finding]:
    """A window of rows fits into `ram_budget_mb`, as far as the size of a row is known."""
    budget = pipeline.ram_budget_mb
    if budget is None or not isinstance(train.shuffle, ShuffleWindow):
        return
    row = ROW_ID_BYTES + sum(map(_bytes, placeholders.values()))
    rows = train.shuffle.rows
    if rows * row > budget * 10**6:
        yield Finding(
            ("pipeline", "ram_budget_mb"),
            "SG306",
            f"a window of {rows:,} rows takes {rows * row / 1e6:,.1f} MB, more than {budget:,}",
            "raise it, or make train.shuffle.rows smaller",
        )


def _bytes(placeholder: Placeholder) -> int:
    """What one value takes in memory, as far as that is known."""
    if placeholder.dtype == "string" or placeholder.role == "key":
        return 0
    return item_bytes(placeholder.dtype) * prod(size or 1 for size in placeholder.shape)
