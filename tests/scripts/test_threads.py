"""How many threads work changes neither the rows that a script delivers nor their order."""

from pathlib import Path

import pytest

from making import Spec, changed, make
from reference_order import Layout, ids_digest, run_digest
from running import Run, arguments, finish, records_of, start
from sessions import EACH_TARGET
from test_row_order import EPOCHS, SEED, Case, delivered

THREADS = (1, 2, 8)
# Many blocks for them to overtake each other.
CASE = Case(1000, Layout(8, 5, 3, window_rows=40, batch_size=32), compression="zlib")
CASES: dict[str, Spec] = {
    "packed": {},
    "example": {"records": {"format": "example"}},
    "in memory": {"pipeline": {"cache": "memory"}},
}


def expected_ids(seed: int, epochs: int) -> list[list[int]]:
    return [ids.tolist() for ids in CASE.layout.batches(CASE.ids()["train"], seed, epochs)]


@pytest.mark.parametrize("variant", EACH_TARGET)
@pytest.mark.parametrize("change", CASES.values(), ids=CASES)
def test_the_pipelines_own(tmp_path: Path, change: Spec, variant: str) -> None:
    expected = expected_ids(SEED, EPOCHS)
    for number in THREADS:
        threads = {"pipeline": {"threads": number, "parallel_calls": number}}
        project = make(tmp_path, changed(CASE.spec, change, threads), CASE.columns)
        module = project.load(variant)
        found = module.training_batches(records_of(project, module), SEED, 0, len(expected))
        assert list(delivered(CASE, module, found)) == expected, number


def test_tensorflows_own(tmp_path: Path) -> None:
    """Those of `--threads`, which a process takes once; values and targets are alike too."""
    project = make(tmp_path, CASE.spec, CASE.columns)
    runs = {
        (variant, number): f"{variant}_{number}" for variant in EACH_TARGET for number in THREADS
    }
    programs = [
        start(
            project,
            [
                *(str(project.script(variant)), *arguments(project, label, "train", "--audit")),
                *("--threads", str(number)),
            ],
        )
        for (variant, number), label in runs.items()
    ]
    for program in programs:
        status, _, err = finish(program)
        assert status == 0, err
    reports = [Run(project.work(label)).report for label in runs.values()]
    train = CASE.spec["train"]
    expected = run_digest(map(ids_digest, expected_ids(train["seed"], train["epochs"])))
    assert {report["order_digest"] for report in reports} == {expected}
    assert len({report["content_digest"] for report in reports}) == 1
