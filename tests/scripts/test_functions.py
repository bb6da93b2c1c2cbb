"""What TensorFlow is asked to do: a step is built once, and `measure` adds up."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from making import EACH_VARIANT, HOW, TINY, VARIANTS, Project, changed, make, points
from running import arguments, call, snapshot, train
from sessions import EACH_INPUT, TF2, TF14, feeds, kept, recorded

SPEC = changed(TINY, EACH_VARIANT, {"splits": {"parts": {"train": 0.7, "validation": 0.3}}})
each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_last_batch = pytest.mark.parametrize("last_batch", ["keep", "drop"])


def traces(owner: Any) -> dict[str, int]:
    """How often each tf.function of an object was traced."""
    functions = {name: getattr(owner, name) for name in dir(owner) if not name.startswith("__")}
    return {
        name: function.experimental_get_tracing_count()
        for name, function in functions.items()
        if hasattr(function, "experimental_get_tracing_count")
    }


@pytest.mark.parametrize("variant", TF2)
@each_last_batch
def test_every_function_is_traced_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str, last_batch: str
) -> None:
    """Although the last batch of an epoch is partial, and so are those of validation."""
    spec = changed(SPEC, {"train": {"last_batch": last_batch}})
    project = make(tmp_path, spec, points(14))  # batches of 4, 4, 2 and of 4
    module = project.load(variant)
    feeders, learners = (kept(monkeypatch, module, name) for name in ("Feeder", "Learner"))
    run = train(project, module, "--epochs", "3")
    assert len(run.audit) == (9 if last_batch == "keep" else 6)
    counts = {**traces(feeders[0]), **traces(learners[0])}
    assert len(counts) >= 2
    assert set(counts.values()) == {1}, counts


@pytest.mark.parametrize("variant", TF14)
@each_last_batch
def test_the_graph_is_final_before_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str, last_batch: str
) -> None:
    """Nothing is added while it trains and validates, nor while `evaluate` reads all parts."""
    spec = changed(SPEC, {"train": {"last_batch": last_batch}})
    project = make(tmp_path, spec, points(14))
    module = project.load(variant)
    feeders, learners = (kept(monkeypatch, module, name) for name in ("Feeder", "Learner"))
    runs = recorded(monkeypatch)
    train(project, module, "--epochs", "3")
    (feeder,) = feeders
    began = next(place for place, run in enumerate(runs) if any(feeds(feeder, run)))
    assert all(run.final for run in runs[began:])
    assert len({run.version for run in runs[began:]}) == 1

    runs.clear()
    assert call(module, arguments(project, "work", "evaluate")) == 0
    read = [run for run in runs if any(each is learners[-1].sums for each in run.fetches)]
    assert len(read) == 4  # batches of 4, of 10 rows and of 4
    assert len({run.version for run in runs}) == 1


@pytest.mark.parametrize("variant", TF14)
def test_nothing_that_a_session_gives_is_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    """But for an audit: not even the values of the buffers, on their way back to the host."""
    spec = changed(SPEC, {"train": {"batch_size": 6}})  # a size that no weight has
    project = make(tmp_path, spec, points(23))
    module = project.load(variant)
    feeders, runs = kept(monkeypatch, module, "Feeder"), recorded(monkeypatch)
    assert call(module, arguments(project, "work")) == 0
    steps = [run for run in runs if any(feeds(feeders[0], run))]
    assert len(steps) >= 6
    assert {np.shape(value) for run in steps for value in run.values} == {()}
    assert not any(np.shape(value)[:1] == (6,) for run in runs for value in run.values)
    runs.clear()
    train(project, module, "--fresh")
    assert any(np.shape(value)[:1] == (6,) for run in runs for value in run.values)


def measured(project: Project, module: ModuleType, *argv: str) -> dict[str, Any]:
    assert call(module, arguments(project, "work", "measure", *argv)) == 0
    return json.loads((project.work() / "measure.json").read_text())


@each_variant
def test_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str) -> None:
    project = make(tmp_path, SPEC, points(40))
    module = project.load(variant)
    result = measured(project, module)
    fill, alone, fused = (result["seconds_a_step"][name] for name in ("fill", "train", "fused"))
    assert result["method"] == HOW[variant]["buffers"]["method"]
    assert min(fill, alone, fused) > 0
    assert result["spread"].keys() == result["seconds_a_step"].keys()
    assert result["speedup"] == pytest.approx((fill + alone) / fused)
    assert result["best_speedup"] == pytest.approx((fill + alone) / max(fill, alone))
    assert 1 <= result["best_speedup"] <= 2
    assert result["bound"] == ("input" if fill > alone else "training")
    row_bytes = 3 * 4 + 8 + 8  # x, label, row id
    assert result["bytes_per_second"] == pytest.approx(4 * row_bytes / fused)
    efficiency = result["overlap_efficiency"]
    if min(fill, alone) > max(result["spread"].values()):
        assert efficiency == pytest.approx((fill + alone - fused) / min(fill, alone))
    else:
        assert efficiency is None
    printed = capsys.readouterr().out
    for word in ("fill", "train", "fused", "efficiency", result["bound"]):
        assert word in printed
    train_placement = train(project, module, "--steps", "2").report["placement"]
    assert result["placement"] == train_placement


@each_variant
def test_measuring_leaves_a_run_as_it_is(tmp_path: Path, variant: str) -> None:
    project = make(tmp_path, SPEC, points(40))
    module = project.load(variant)
    expected = train(project, module, label="undisturbed").audit
    train(project, module, "--steps", "3")
    before = snapshot(project.work())
    measured(project, module)
    assert snapshot(project.work()).keys() - before.keys() == {"measure.json"}
    assert before.items() <= snapshot(project.work()).items()
    assert train(project, module).audit == expected


@pytest.mark.parametrize("variant", EACH_INPUT)
def test_a_slow_input_bounds_the_run(tmp_path: Path, variant: str) -> None:
    """Sleeps of 10 ms a batch stand far above a step of this model."""
    project = make(tmp_path, SPEC, points(40))
    result = measured(project, project.load(variant), "--slow-input", "10")
    assert result["bound"] == "input"
    assert result["seconds_a_step"]["fill"] >= 0.01
    assert result["seconds_a_step"]["fused"] >= 0.01


@each_variant
def test_a_slow_input_changes_nothing_but_time(tmp_path: Path, variant: str) -> None:
    project = make(tmp_path, SPEC, points(14))
    module = project.load(variant)
    usual = train(project, module, label="usual")
    slow = train(project, module, "--slow-input", "5", label="slow")
    assert slow.audit == usual.audit
