"""Awkward numbers of rows and steps: every row counts once, as in a plain loop without buffers."""

from pathlib import Path

import numpy as np
import pytest

import reference_order
from making import EACH_VARIANT, HOW, TINY, VARIANTS, Project, changed, make, points
from reference_order import Layout
from reference_training import Network, sgd
from running import Run, arguments, call, snapshot, train

SEED = 5
BATCH = 4

TARGETS = sorted({how["target"] for how in HOW.values()})

each_variant = pytest.mark.parametrize("variant", VARIANTS)


def assert_like_a_plain_loop(
    run: Run, rows: int, steps: int, last_batch: str = "keep", seed: int = SEED
) -> None:
    """It learnt what a loop does that takes the batches of the definition one by one.

    The weights are compared too: they alone show what the very last step did.
    """
    layout = Layout(batch_size=BATCH, last_batch=last_batch)
    stored = reference_order.stored(np.arange(rows), "train", splits_seed=0)
    batches = layout.batches(stored, seed, epochs=steps)[:steps]
    network = Network.drawn(seed, [3, 4])
    losses = network.train(*points(rows).values(), batches, sgd(0.1))
    assert [line["ids"] for line in run.audit] == list(map(reference_order.ids_digest, batches))
    assert run.losses == pytest.approx(losses, abs=1e-6)
    for name, value in run.weights.items():
        assert value == pytest.approx(network.weights[name], abs=1e-6), name


def make_tiny(folder: Path, rows: int, last_batch: str = "keep") -> Project:
    spec = changed(TINY, EACH_VARIANT, {"train": {"last_batch": last_batch}})
    return make(folder, spec, points(rows))


@each_variant
@pytest.mark.parametrize(
    ("rows", "last_batch", "sizes"),
    [
        (1, "keep", [1]),
        (3, "keep", [3]),
        (4, "keep", [4]),
        (5, "keep", [4, 1]),
        (8, "keep", [4, 4]),
        (10, "keep", [4, 4, 2]),
        (4, "drop", [4]),
        (5, "drop", [4]),
        (8, "drop", [4, 4]),
        (10, "drop", [4, 4]),
    ],
)
def test_rows_of_an_epoch(
    tmp_path: Path, variant: str, rows: int, last_batch: str, sizes: list[int]
) -> None:
    project = make_tiny(tmp_path, rows, last_batch)
    run = train(project, project.load(variant))
    epochs = TINY["train"]["epochs"]
    assert [line["rows"] for line in run.audit] == sizes * epochs
    assert run.report["steps"] == len(sizes) * epochs
    assert_like_a_plain_loop(run, rows, len(sizes) * epochs, last_batch)
    assert run.report["rows_trained"] == sum(sizes) * epochs
    assert [record["rows"] for record in run.report["history"]] == [sum(sizes)] * epochs
    assert run.report["rows_seen_once"] is True
    assert run.report["splits"] == {"train": rows}
    assert run.report["validation"] is run.report["test"] is None


@each_variant
def test_no_full_batch_is_no_training(
    tmp_path: Path, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_tiny(tmp_path, 3, "drop")
    assert call(project.load(variant), arguments(project, "work")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(BATCH) in line
    assert not snapshot(project.work())


@each_variant
def test_steps_cut_an_epoch_and_later_runs_complete_it(tmp_path: Path, variant: str) -> None:
    project = make_tiny(tmp_path, 10)  # three steps an epoch
    module = project.load(variant)
    stages: list[tuple[list[str], list[int], list[int], bool | None]] = [
        (["--steps", "2"], [2], [8], None),
        (["--steps", "4"], [3, 1], [10, 4], True),
        (["--epochs", "2"], [3, 3], [10, 10], True),
        (["--epochs", "3"], [3, 3, 3], [10, 10, 10], True),
    ]
    for argv, steps, rows, once in stages:
        run = train(project, module, *argv)
        report = run.report
        assert_like_a_plain_loop(run, 10, sum(steps))
        assert [record["steps"] for record in report["history"]] == steps
        assert [record["rows"] for record in report["history"]] == rows
        assert report["epochs"] == steps.count(3)
        assert report["rows_seen_once"] is once
        last = [line for line in run.audit if line["epoch"] == len(steps) - 1]
        mean = sum(line["loss"] * line["rows"] for line in last) / rows[-1]
        assert report["train_loss"] == pytest.approx(mean, abs=1e-6)
    undisturbed = train(project, module, "--epochs", "3", label="undisturbed")
    assert run.audit == undisturbed.audit
    for key in ("history", "order_digest", "content_digest", "rows_seen_once"):
        assert run.report[key] == undisturbed.report[key]


@pytest.mark.parametrize(
    ("argv", "steps"),
    [
        ([], 6),
        (["--steps", "1"], 1),
        (["--steps", "7"], 7),
        (["--epochs", "3"], 9),
        (["--epochs", "1", "--steps", "2"], 2),
        (["--epochs", "1", "--steps", "9"], 3),
    ],
)
def test_totals(tmp_path: Path, argv: list[str], steps: int) -> None:
    project = make_tiny(tmp_path, 10)
    assert train(project, project.load(VARIANTS[0]), *argv).report["steps"] == steps


def test_a_spec_may_count_steps(tmp_path: Path) -> None:
    spec = changed(TINY, {"train": {"epochs": None, "steps": 5}})
    project = make(tmp_path, spec, points(10))
    module = project.load()
    assert train(project, module).report["steps"] == 5
    assert train(project, module, "--epochs", "1", label="epoch").report["steps"] == 3


@each_variant
def test_seed_draws_weights_and_order_anew_and_keeps_the_records(
    tmp_path: Path, variant: str
) -> None:
    project = make_tiny(tmp_path, 10)
    module = project.load(variant)
    runs = {seed: train(project, module, "--seed", str(seed), label=str(seed)) for seed in (5, 6)}
    for seed, run in runs.items():
        assert_like_a_plain_loop(run, 10, steps=6, seed=seed)
    assert runs[5].report["order_digest"] != runs[6].report["order_digest"]
    assert len(list(project.records.glob("*/manifest.json"))) == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["--steps", "0"],
        ["--epochs", "-1"],
        ["--seed", "-1"],
        ["--seed", str(2**32)],
        ["--epochs", "2.5"],
        ["--threads", "0"],
        ["--threads", "1025"],
        ["--slow-input", "-1"],
        ["fit"],
        ["--what"],
    ],
)
def test_usage(tmp_path: Path, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    project = make_tiny(tmp_path, 10)
    assert call(project.load(VARIANTS[0]), arguments(project, "work", *argv)) == 2
    assert argv[0].lstrip("-") in capsys.readouterr().err
    assert not project.work().exists()
    assert not project.records.exists()


def test_help_shows_the_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = make_tiny(tmp_path, 10)
    assert call(project.load(VARIANTS[0]), ["--help"]) == 0
    shown = capsys.readouterr().out
    for flag in ("workdir", "records", "source", "epochs", "steps", "seed", "threads", "fresh"):
        assert f"--{flag}" in shown
    for word in ("prepare", "train", "evaluate", "measure", "--audit", "--slow-input"):
        assert word in shown


@pytest.mark.parametrize("target", TARGETS)
def test_runs_of_one_process_do_not_touch_each_other(tmp_path: Path, target: str) -> None:
    """Other models, batches, methods and targets in between; the weights keep their names."""
    spec = changed(TINY, EACH_VARIANT)
    one = make(tmp_path / "one", spec, points(10))
    layers = {"layers": [{"dense": {"units": 6, "activation": "tanh"}}, {"dense": {"units": 4}}]}
    other_spec = changed(spec, {"model": layers, "train": {"batch_size": 7}})
    other = make(tmp_path / "other", other_spec, points(23, seed=2))
    module = one.load(next(variant for variant in VARIANTS if HOW[variant]["target"] == target))
    first = train(one, module, label="first")
    for variant in VARIANTS:
        train(other, other.load(variant), label=variant)
    second = train(one, module, label="second")
    assert first.audit == second.audit
    names, names_again = (np.load(run.workdir / "weights.npz").files for run in (first, second))
    assert names == names_again
