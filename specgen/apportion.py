"""How many rows each part of a split gets, by the arithmetic that data modules use too."""

from collections.abc import Sequence
from math import floor


def largest_remainder(rows: int, fractions: Sequence[float]) -> list[int]:
    """The rows of each part; what is left goes to the largest remainders, a tie to the first."""
    quotas = [fraction * rows for fraction in fractions]
    counts = [floor(quota + 1e-9) for quota in quotas]
    lacking = [round(count - quota, 9) for count, quota in zip(counts, quotas, strict=True)]
    neediest = sorted(range(len(counts)), key=lacking.__getitem__)
    for part in neediest[: rows - sum(counts)]:
        counts[part] += 1
    return counts
