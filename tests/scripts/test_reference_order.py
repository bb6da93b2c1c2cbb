"""The restated order agrees with the figures that the definition's authors published."""

import numpy as np
import pytest

import reference_order as order
from reference_order import Layout

FRACTIONS = (0.8, 0.1, 0.1)
KEYS = [number.to_bytes(8, "little") for number in range(1000)]


def test_stratified() -> None:
    parts = order.stratified(np.arange(1000) % 7, FRACTIONS, 7)
    assert [len(part) for part in parts] == [804, 98, 98]
    assert order.ids_digest(np.concatenate(parts)).startswith("d901e49bed26eea0")


@pytest.mark.parametrize(
    ("parts", "sizes"),
    [
        (order.even(1797, FRACTIONS), [1437, 180, 180]),
        (order.hashed(KEYS, FRACTIONS, 7), [797, 102, 101]),
        (order.grouped(np.arange(1000) // 20, FRACTIONS, 7), [800, 100, 100]),
    ],
    ids=["even", "hash", "group"],
)
def test_sizes_of_splits(parts: list[np.ndarray], sizes: list[int]) -> None:
    assert [len(part) for part in parts] == sizes
    assert sorted(np.concatenate(parts)) == list(range(sum(sizes)))


@pytest.mark.parametrize(
    ("rows", "layout", "steps", "digest"),
    [
        (1437, Layout(), 69, "5ff0eabbbd012596"),
        (5000, Layout(window_rows=512), 237, "309224ab152abe4f"),
        (5000, Layout(shuffle="full"), 237, "32e6efcd898e503a"),
        (5000, Layout(shuffle="none"), 237, "f188d0219e57ff74"),
        (37, Layout(batch_size=8), 15, "96e970083e720a7b"),
    ],
)
def test_three_epochs(rows: int, layout: Layout, steps: int, digest: str) -> None:
    batches = layout.batches(order.stored(np.arange(rows), "train", 7), seed=11, epochs=3)
    assert len(batches) == steps
    assert order.run_digest(map(order.ids_digest, batches)).startswith(digest)
