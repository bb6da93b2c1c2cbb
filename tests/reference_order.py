"""The order of rows and its digests, restated in plain NumPy: what every script is compared with.

Arrays of row ids in, arrays of row ids and hexadecimal digests out. It is written for its readers,
shares no code with the templates, and reads no file. A row's id is its position in the source.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

PARTS = ("train", "validation", "test")


def random(*place: int) -> np.random.RandomState:
    """The numbers that belong to a place; every version of NumPy draws the same."""
    return np.random.RandomState(list(place))


def shuffled(rows: np.ndarray, *place: int) -> np.ndarray:
    return rows[random(*place).permutation(len(rows))]


# -- Splits: the row ids of each part, ascending --------------------------------------------------


def largest_remainder(rows: int, fractions: Sequence[float]) -> list[int]:
    """How many rows each part gets; the earlier part wins a tie."""
    quotas = [fraction * rows for fraction in fractions]
    counts = [int(np.floor(quota + 1e-9)) for quota in quotas]
    missed = [round(quota - count, 9) for quota, count in zip(quotas, counts, strict=True)]
    neediest = sorted(range(len(fractions)), key=lambda part: -missed[part])
    for part in neediest[: rows - sum(counts)]:
        counts[part] += 1
    return counts


def deal(ids: np.ndarray, fractions: Sequence[float]) -> list[np.ndarray]:
    return np.split(ids, np.cumsum(largest_remainder(len(ids), fractions))[:-1])


def even(rows: int, fractions: Sequence[float]) -> list[np.ndarray]:
    return deal(np.arange(rows), fractions)


def stratified(labels: np.ndarray, fractions: Sequence[float], seed: int) -> list[np.ndarray]:
    """Each class, shuffled, is dealt in the same proportions."""
    classes = [np.flatnonzero(labels == value) for value in np.unique(labels)]
    dealt = [deal(shuffled(ids, seed, rank), fractions) for rank, ids in enumerate(classes)]
    return [np.sort(np.concatenate(pieces)) for pieces in zip(*dealt, strict=True)]


def hashed(keys: Sequence[bytes], fractions: Sequence[float], seed: int) -> list[np.ndarray]:
    """The hash of a row's key decides, so that rows that are added move none."""

    def part_of(key: bytes) -> int:
        start = hashlib.sha256(b"%d:" % seed + key).digest()[:8]
        place = int.from_bytes(start, "big") / 2.0**64
        passed = int(np.searchsorted(np.cumsum(fractions), place, side="right"))
        return min(passed, len(fractions) - 1)

    parts = np.array([part_of(key) for key in keys])
    return [np.flatnonzero(parts == part) for part in range(len(fractions))]


def grouped(keys: np.ndarray, fractions: Sequence[float], seed: int) -> list[np.ndarray]:
    """Whole groups in a seeded order, each to the part that lacks most rows."""
    lacking = np.array(fractions) * len(keys)
    pieces: list[list[np.ndarray]] = [[np.arange(0)] for _ in fractions]
    for group in shuffled(np.unique(keys), seed):
        ids = np.flatnonzero(keys == group)
        part = int(np.argmax(lacking))
        pieces[part].append(ids)
        lacking[part] -= len(ids)
    return [np.sort(np.concatenate(piece)) for piece in pieces]


# -- Records and epochs ---------------------------------------------------------------------------


def stored(ids: np.ndarray, part: str, splits_seed: int, order: str = "shuffled") -> np.ndarray:
    """The rows of a part in the order of its records."""
    ids = np.sort(ids)
    return ids if order == "source" else shuffled(ids, splits_seed, PARTS.index(part))


@dataclass(frozen=True)
class Layout:
    """How stored rows are cut into blocks and shards, and how an epoch reads them."""

    rows_per_record: int = 256
    shards: int = 8
    read_cycle: int = 4
    shuffle: str = "window"
    window_rows: int = 8192
    batch_size: int = 64
    last_batch: str = "keep"

    def epoch(self, rows: np.ndarray, epoch: int, seed: int) -> np.ndarray:
        """The stored rows in the order of an epoch."""
        if self.shuffle == "none":
            return rows
        if self.shuffle == "full":
            return shuffled(rows, seed, epoch)
        read = self._read(chunks(rows, self.rows_per_record), epoch, seed)
        return self._permuted(read, epoch, seed)

    def epoch_in_place(self, files: list[np.ndarray], epoch: int, seed: int) -> np.ndarray:
        """The same of files that stay as they are, each a shard: they differ in length."""
        if self.shuffle != "window":
            return self.epoch(np.concatenate(files), epoch, seed)
        shards = [chunks(rows, self.rows_per_record) for rows in files]
        order = shuffled(np.arange(len(shards)), seed, epoch)
        read = [
            shards[number][turn]
            for cycle in chunks(order, self.read_cycle)
            for turn in range(max(len(shards[number]) for number in cycle))
            for number in cycle
            if turn < len(shards[number])
        ]
        return self._permuted(read, epoch, seed)

    def _permuted(self, read: list[np.ndarray], epoch: int, seed: int) -> np.ndarray:
        """Blocks as they are read, cut into windows, and the rows of each permuted."""
        windows = chunks(read, -(-self.window_rows // self.rows_per_record))
        permuted = [
            shuffled(np.concatenate(blocks), seed, epoch, number)
            for number, blocks in enumerate(windows)
        ]
        return np.concatenate(permuted)

    def _read(self, blocks: list[np.ndarray], epoch: int, seed: int) -> list[np.ndarray]:
        """The blocks as they are read: some shards in rotation, a block of each in turn."""
        shards = chunks(blocks, -(-len(blocks) // self.shards))
        whole = sum(len(shard) == len(shards[0]) for shard in shards)  # all but perhaps the last
        order = [*shuffled(np.arange(whole), seed, epoch), *range(whole, len(shards))]
        return [
            shards[number][turn]
            for cycle in chunks(order, self.read_cycle)
            for turn in range(len(shards[cycle[0]]))
            for number in cycle
            if turn < len(shards[number])
        ]

    def batches(self, rows: np.ndarray, seed: int, epochs: int) -> list[np.ndarray]:
        """The row ids of each step; no batch reaches into the next epoch."""
        return [
            batch
            for epoch in range(epochs)
            for batch in chunks(self.epoch(rows, epoch, seed), self.batch_size)
            if self.last_batch == "keep" or len(batch) == self.batch_size
        ]


def chunks(items: Sequence, size: int) -> list:
    return [items[start : start + size] for start in range(0, len(items), size)]


# -- Digests --------------------------------------------------------------------------------------


def ids_digest(ids: Sequence[int]) -> str:
    return hashlib.sha256(np.asarray(ids).astype("<i8").tobytes()).hexdigest()


def content_digest(columns: Iterable[np.ndarray]) -> str:
    """Of real rows, in storage dtype, placeholders in the order of the spec."""
    whole = b"".join(
        column.astype(column.dtype.newbyteorder("<")).tobytes(order="C") for column in columns
    )
    return hashlib.sha256(whole).hexdigest()


def run_digest(lines: Iterable[str]) -> str:
    """Of a whole run, from the digests of its steps."""
    return hashlib.sha256("".join(lines).encode()).hexdigest()
