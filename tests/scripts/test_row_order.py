"""The rows that a pipeline delivers, step by step, are those of the definition.

TensorFlow reads them for one target, NumPy for the other. The values of a row tell its id, so that
a row which lost its own values is noticed as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import reference_order
from making import HOW, PARTS, TINY, Spec, changed, make
from reference_order import Layout
from running import records_of
from sessions import EACH_TARGET

EPOCHS = 3
SEED = 11
SPLITS_SEED = 7
CLASSES = 5


@dataclass(frozen=True)
class Case:
    """A number of rows and what is done with them."""

    rows: int
    layout: Layout = field(default_factory=Layout)
    order: str = "shuffled"
    compression: str = "none"
    splits: str = "even"
    parts: tuple[str, ...] = ("train",)
    cache: str = "none"

    @property
    def is_held(self) -> bool:
        """Whether the rows are in memory, in the order that they would be read in."""
        return self.cache == "memory" or self.layout.shuffle == "full"

    @property
    def fractions(self) -> dict[str, float]:
        return {part: PARTS[part] for part in self.parts} if self.parts[1:] else {"train": 1.0}

    @property
    def spec(self) -> Spec:
        layout = self.layout
        shuffle: dict[str, Any] = {"kind": layout.shuffle}
        if layout.shuffle == "window":
            shuffle["rows"] = layout.window_rows
        splits = {"method": self.splits, "parts": self.fractions, "seed": SPLITS_SEED}
        if self.splits == "even" and self.order == "source":
            del splits["seed"]  # which would have no effect
        records = {key: getattr(layout, key) for key in ("rows_per_record", "shards", "read_cycle")}
        return changed(
            TINY,
            {
                "variants": {name: HOW[name] for name in EACH_TARGET},
                "pipeline": {"cache": self.cache},
                "placeholders": {
                    "x": {"dtype": "int32", "shape": [2]},
                    "label": {"classes": CLASSES},
                },
                "model": {"layers": [{"dense": {"units": CLASSES}}]},
                "splits": splits,
                "records": {**records, "order": self.order, "compression": self.compression},
                "train": {
                    "batch_size": layout.batch_size,
                    "last_batch": layout.last_batch,
                    "shuffle": shuffle,
                },
            },
        )

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The source: from the values of a row follows its id."""
        ids = np.arange(self.rows)
        return {"x": np.stack([ids, 7 * ids + 1], axis=1), "label": ids**2 % CLASSES}

    def ids(self) -> dict[str, np.ndarray]:
        """The rows of each part as they are stored."""
        shares = tuple(self.fractions.values())
        if self.splits == "even":
            dealt = reference_order.even(self.rows, shares)
        else:
            dealt = reference_order.stratified(self.columns["label"], shares, SPLITS_SEED)
        return {
            part: reference_order.stored(ids, part, SPLITS_SEED, self.order)
            for part, ids in zip(self.fractions, dealt, strict=True)
        }


def drawn_cases(count: int) -> Iterator[Case]:
    """Layouts that nobody thought of, the same in every run."""
    random = np.random.RandomState(20240229)

    def one_of(*choices: Any) -> Any:
        return choices[random.randint(len(choices))]

    for _ in range(count):
        rows = int(random.randint(30, 2001))
        yield Case(
            rows,
            Layout(
                rows_per_record=int(random.randint(1, max(2, rows // 3))),
                shards=int(random.randint(1, 12)),
                read_cycle=int(random.randint(1, 7)),
                shuffle=one_of("window", "window", "window", "none", "full"),
                window_rows=int(random.randint(1, 2 * rows)),
                batch_size=int(random.randint(1 + rows // 60, rows // 2)),
                last_batch=one_of("keep", "drop"),
            ),
            order=one_of("shuffled", "source"),
            compression=one_of("none", "zlib", "gzip"),
            splits=one_of("even", "stratified"),
            parts=one_of(("train",), ("train", "validation", "test")),
            cache=one_of("none", "none", "memory"),
        )


ALL = ("train", "validation", "test")
CASES = {
    "one row": Case(1, Layout(batch_size=1)),
    "one row of a larger batch": Case(1, Layout(batch_size=8)),
    "fewer rows than a batch": Case(7, Layout(batch_size=8)),
    "one batch": Case(8, Layout(batch_size=8)),
    "one row more": Case(9, Layout(batch_size=8)),
    "the last is dropped": Case(9, Layout(batch_size=8, last_batch="drop")),
    "one row a block and a shard": Case(10, Layout(1, 10, 3, window_rows=4, batch_size=3)),
    "windows of one block": Case(100, Layout(10, 3, 2, window_rows=1, batch_size=7)),
    "windows end within batches": Case(100, Layout(9, 3, 2, window_rows=25, batch_size=7)),
    "the last shard is short": Case(125, Layout(10, 4, 4, window_rows=30, batch_size=8)),
    "the last cycle is short": Case(200, Layout(10, 7, 3, window_rows=40, batch_size=9)),
    "a cycle of more than all shards": Case(200, Layout(10, 2, 9, window_rows=40, batch_size=9)),
    "a single shard": Case(300, Layout(16, 1, 4, window_rows=64, batch_size=32)),
    "as stored, with a short block": Case(90, Layout(16, shuffle="none", batch_size=8)),
    "as in the source": Case(90, Layout(16, shuffle="none", batch_size=8), order="source"),
    "more than a decoding": Case(20000, Layout(64, shuffle="none", batch_size=999)),
    "all permuted": Case(125, Layout(10, 4, shuffle="full", batch_size=8), parts=ALL),
    "windows in memory": Case(
        125, Layout(10, 4, 2, window_rows=30, batch_size=8), parts=ALL, cache="memory"
    ),
    "in memory as stored": Case(90, Layout(16, shuffle="none", batch_size=8), cache="memory"),
    "stratified, deflated": Case(
        640, Layout(50, 5, 2, window_rows=128), "shuffled", "zlib", "stratified", ALL
    ),
    "defaults": Case(1797, Layout(), splits="stratified", parts=ALL),
    **{f"drawn {number}": case for number, case in enumerate(drawn_cases(10))},
}


Prepared = tuple[Case, dict[str, ModuleType], Any]


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES.keys())
def prepared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A case, its script for each target, and its records."""
    case: Case = request.param
    return case, *prepare(case, tmp_path_factory.mktemp("order"))


def prepare(case: Case, folder: Path) -> tuple[dict[str, ModuleType], Any]:
    project = make(folder, case.spec, case.columns)
    modules = {variant: project.load(variant) for variant in EACH_TARGET}
    return modules, records_of(project, modules[EACH_TARGET[1]])


each_target = pytest.mark.parametrize("variant", EACH_TARGET)


def read(module: ModuleType, batches: Any) -> Iterator[Any]:
    """What a pipeline of a script gives, as NumPy's arrays."""
    if hasattr(batches, "as_numpy_iterator"):
        yield from batches.as_numpy_iterator()
        return
    found = [module.as_stored(batch) for batch in batches.batches]
    assert len(found) == batches.count
    for batch in found:
        assert [values.dtype for values in batch] == ["int32", "int64", "int64"]
        yield batch


def delivered(case: Case, module: ModuleType, batches: Any) -> Iterator[list[int]]:
    """The ids of each batch, whose values must be those of its rows."""
    x, label = case.columns.values()
    for batch in read(module, batches):
        real = batch.row_id >= 0
        ids = batch.row_id[real]
        assert len(batch.row_id) == case.layout.batch_size
        assert np.all(real[: len(ids)])  # the filling comes last
        assert np.array_equal(batch.x[real], x[ids])
        assert np.array_equal(batch.label[real], label[ids])
        yield ids.tolist()


def steps_to_start_at(case: Case, steps: int) -> list[int]:
    """The first, and two others: near the ends of epochs in one case, between them in another."""
    an_epoch = steps // EPOCHS
    pairs = [(an_epoch - 1, steps - 1), (1, an_epoch), (an_epoch + 1, steps * 5 // 9)]
    return sorted({0, *pairs[case.rows % len(pairs)]} & set(range(steps)))


@each_target
def test_training_has_the_rows_of_the_definition(prepared: Prepared, variant: str) -> None:
    case, modules, records = prepared
    module = modules[variant]
    expected = [ids.tolist() for ids in case.layout.batches(case.ids()["train"], SEED, EPOCHS)]
    assert module.steps_an_epoch(records) * EPOCHS == len(expected)
    for start in steps_to_start_at(case, len(expected)):
        found = module.training_batches(records, SEED, start, len(expected))
        assert list(delivered(case, module, found)) == expected[start:], f"from step {start} on"


@each_target
def test_every_part_is_stored_as_defined(prepared: Prepared, variant: str) -> None:
    case, modules, records = prepared
    module = modules[variant]
    for part, ids in case.ids().items():
        found = delivered(case, module, module.stored_batches(records, part))
        assert [row for batch in found for row in batch] == ids.tolist(), part
        assert records.rows(part) == len(ids)


def test_numpy_reads_from_any_row_in_batches_of_any_size(prepared: Prepared) -> None:
    """By any number of threads; what a script asks for is a part of that."""
    case, _, records = prepared
    stored = case.ids()["train"]
    epoch = case.layout.epoch(stored, 1, SEED)
    for first, size, threads in ((0, len(stored), 1), (len(stored) // 3, 7, 3)):
        readings = [(stored, records.read_part("train", size, threads))]
        if not case.is_held:
            readings.append((epoch[first:], records.read_epoch(1, SEED, first, size, threads)))
        for ids, batches in readings:
            found = list(batches)
            assert [len(batch.row_id) for batch in found[:-1]] == [size] * (len(found) - 1)
            rows = np.concatenate([batch.row_id for batch in found])
            assert rows.tolist() == ids.tolist(), (first, size, threads)
            for name, column in case.columns.items():
                values = np.concatenate([getattr(batch, name) for batch in found])
                assert np.array_equal(values, column[rows])


@each_target
@pytest.mark.parametrize("shuffle", ["window", "none", "full"])
def test_training_can_begin_and_end_at_any_step(tmp_path: Path, shuffle: str, variant: str) -> None:
    layout = Layout(9, 3, 2, shuffle, window_rows=25, batch_size=34)
    case = Case(100, layout)
    modules, records = prepare(case, tmp_path)
    module = modules[variant]
    expected = [ids.tolist() for ids in layout.batches(case.ids()["train"], SEED, 2)]
    for start in range(len(expected)):
        for stop in (start + 1, len(expected)):
            found = module.training_batches(records, SEED, start, stop)
            assert list(delivered(case, module, found)) == expected[start:stop], (start, stop)
