"""A run that was disturbed and continued ends as one that was not: rows, losses and weights.

The disturbances come from inside this process, at chosen steps; test_signals sends real ones.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from making import EACH_VARIANT, TINY, VARIANTS, Project, changed, make, points
from running import Run, arguments, call, same_weights, snapshot, train
from sessions import EACH_TARGET, TF2, TF14

SPEC = changed(
    TINY,
    EACH_VARIANT,
    {
        "splits": {"parts": {"train": 0.8, "validation": 0.2}},
        "train": {
            "epochs": 3,
            "validate_every": 2,
            "optimizer": {"momentum": 0.9},
            "checkpoint": {"every_steps": 4, "keep": 2},
        },
    },
)
ROWS = 23  # of them 18 or 19 to train on: five steps an epoch, the last one partial
STEPS = 15


class Killed(BaseException):
    """The process ends here; no handler runs but those that Python cannot leave out."""


@pytest.fixture
def variant(request: pytest.FixtureRequest) -> str:
    """The first, where a test asks for none: what it is about is written the same for all."""
    return getattr(request, "param", VARIANTS[0])


each_variant = pytest.mark.parametrize("variant", VARIANTS, indirect=True)
# A checkpoint depends on the target, and on nothing else of a variant.
each_target = pytest.mark.parametrize("variant", EACH_TARGET, indirect=True)


@pytest.fixture(scope="module")
def whole_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    project = make(tmp_path_factory.mktemp("undisturbed"), SPEC, points(ROWS))
    return {variant: train(project, project.load(variant), label=variant) for variant in VARIANTS}


@pytest.fixture
def undisturbed(variant: str, whole_runs: dict[str, Run]) -> Run:
    return whole_runs[variant]


@pytest.fixture
def tiny(variant: str, tmp_path: Path) -> tuple[Project, ModuleType]:
    project = make(tmp_path, SPEC, points(ROWS))
    return project, project.load(variant)


def before_step(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: int, act: Callable[[], None]
) -> None:
    """Act before a run trains on its step (counted from where it begins)."""
    advance, steps = module.Feeder.advance, iter(range(STEPS))

    def disturbed(feeder: Any) -> Any:
        if next(steps) == step:
            act()
        return advance(feeder)

    monkeypatch.setattr(module.Feeder, "advance", disturbed)


def stop_at(module: ModuleType, project: Project, step: int) -> int:
    """A run that is told to stop while it trains on this step; its exit status."""
    stop = module.data.StopSignals()
    with pytest.MonkeyPatch.context() as monkeypatch:
        before_step(monkeypatch, module, step, lambda: setattr(stop, "received", 15))
        return call(module, arguments(project, "work", "--audit"), stop)


def kill(project: Project, module: ModuleType, *argv: str) -> None:
    with pytest.raises(Killed):
        call(module, arguments(project, "work", "--audit", *argv))


def raise_killed(*_: Any, **__: Any) -> None:
    raise Killed


def assert_undisturbed(run: Run, whole: Run) -> None:
    """The run is as one from the first step to the last in one go."""
    assert [line["step"] for line in run.audit] == list(range(STEPS))
    assert run.audit == whole.audit
    keys = ("history", "validation", "steps", "rows_trained", "order_digest", "content_digest")
    assert {key: run.report[key] for key in keys} == {key: whole.report[key] for key in keys}
    assert run.report["rows_seen_once"] is True
    assert same_weights(run, whole)


@each_variant
def test_stopped_again_and_again(tiny: tuple[Project, ModuleType], undisturbed: Run) -> None:
    project, module = tiny
    done = 0
    # At its first step, within an epoch, at its last step, at a step that is saved anyway.
    for steps in (1, 2, 2, 3, 4):
        assert stop_at(module, project, steps - 1) == 128 + 15
        done += steps
        newest = Run(project.work()).checkpoints[-1]
        assert newest.stem.endswith(f"{done}")
        assert not (project.work() / "report.json").exists()
    assert_undisturbed(train(project, module), undisturbed)


@each_variant
@pytest.mark.parametrize("step", [3, 4, 13])
def test_killed_between_saves(
    tiny: tuple[Project, ModuleType], undisturbed: Run, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    project, module = tiny
    with monkeypatch.context() as patch:
        before_step(patch, module, step, raise_killed)
        kill(project, module)
    assert len(Run(project.work()).checkpoints) == min(step // 4, 2)
    assert_undisturbed(train(project, module), undisturbed)


def kill_at(monkeypatch: pytest.MonkeyPatch, moment: str, name: str, times: int = 1) -> None:
    """Before a file of that name is flushed to the disk (fsync) or put in its place (replace)."""
    original = getattr(os, moment)
    left = iter(range(times - 1))

    def killing(file: Any, *target: Any) -> None:
        path = os.readlink(f"/proc/self/fd/{file}") if isinstance(file, int) else target[0]
        if name in str(path) and next(left, None) is None:
            raise Killed
        original(file, *target)

    monkeypatch.setattr(os, moment, killing)


@each_target
@pytest.mark.parametrize(("moment", "save"), [("fsync", 3), ("replace", 1), ("replace", 3)])
def test_killed_while_it_saves(
    tiny: tuple[Project, ModuleType],
    undisturbed: Run,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    save: int,
) -> None:
    """Before the new checkpoint is whole, or before it is in its place."""
    project, module = tiny
    with monkeypatch.context() as patch:
        kill_at(patch, moment, "checkpoints", times=save)
        kill(project, module)
    assert_undisturbed(train(project, module), undisturbed)


@each_target
@pytest.mark.parametrize("name", ["weights.npz", "report.json"])
def test_killed_before_the_report(
    tiny: tuple[Project, ModuleType], undisturbed: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What a shorter run reported is not taken for the report of the longer one."""
    project, module = tiny
    train(project, module, "--steps", "7")
    with monkeypatch.context() as patch:
        kill_at(patch, "replace", name)
        kill(project, module)
    assert_undisturbed(train(project, module), undisturbed)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 16
    path.write_bytes(content)


def other_content(path: Path) -> None:
    np.savez(path, something=np.zeros(3))


def without_its_last_variable(path: Path) -> None:
    """As where the damage hides an entry of the archive."""
    with np.load(path) as file:
        arrays = dict(file)
    del arrays[f"arr_{sum(name.startswith('arr_') for name in arrays) - 1}"]
    np.savez(path, **arrays)


def of_no_known_compression(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 10] = 1
    path.write_bytes(content)


DAMAGES = (
    *(cut_short, emptied, flipped, other_content),
    *(without_its_last_variable, of_no_known_compression),
)


@each_target
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_gives_way_to_the_one_before(
    tiny: tuple[Project, ModuleType],
    undisturbed: Run,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
) -> None:
    project, module = tiny
    train(project, module, "--steps", "9")
    *_, before, newest = Run(project.work()).checkpoints
    damage(newest)
    capsys.readouterr()
    run = train(project, module)
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert str(newest) in printed.err
    assert f"steps {int(before.stem[5:])} to" in printed.out
    assert_undisturbed(run, undisturbed)


@each_target
def test_all_checkpoints_damaged(
    tiny: tuple[Project, ModuleType], undisturbed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are of later steps than the first new one, which they must not crowd out."""
    project, module = tiny
    for path in train(project, module, "--steps", "9").checkpoints:
        emptied(path)
    with monkeypatch.context() as patch:
        before_step(patch, module, 6, raise_killed)
        kill(project, module)
    assert [int(path.stem[5:]) for path in Run(project.work()).checkpoints] == [4]
    assert_undisturbed(train(project, module), undisturbed)


@pytest.mark.parametrize(
    ("variant", "variants"), [(TF2[0], TF2), (TF14[0], TF14)], indirect=["variant"]
)
def test_methods_continue_each_other(
    tiny: tuple[Project, ModuleType], undisturbed: Run, variants: list[str]
) -> None:
    """A checkpoint belongs to what is learned, not to how the bytes reach the device."""
    project, module = tiny
    for stop, other in enumerate(variants[1:], 1):
        train(project, module, "--steps", str(4 * stop - 1))
        train(project, project.load(other), "--steps", str(4 * stop + 2))
    assert_undisturbed(train(project, module), undisturbed)


@pytest.mark.parametrize(
    ("variant", "other"), [EACH_TARGET, EACH_TARGET[::-1]], indirect=["variant"]
)
def test_a_checkpoint_of_the_other_target_is_refused(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str], other: str
) -> None:
    """They learn the same, but do not remember the same."""
    project, module = tiny
    train(project, module, "--steps", "1")
    before = snapshot(project.work())
    for command in ("train", "evaluate"):
        capsys.readouterr()
        assert call(project.load(other), arguments(project, "work", command)) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert str(Run(project.work()).checkpoints[-1]) in line
        assert "--fresh" in line
    assert snapshot(project.work()) == before


@pytest.mark.parametrize(
    ("change", "keys"),
    [
        ({"train": {"optimizer": {"momentum": 0.5}}}, ["train.optimizer.momentum"]),
        ({"model": {"layers": ["flatten", {"dense": {"units": 4}}]}}, ["model.layers"]),
        ({"records": {"rows_per_record": 3}}, ["records.rows_per_record"]),
        (
            {"train": {"batch_size": 5, "shuffle": {"kind": "none"}, "seed": 9}},
            ["train.batch_size", "train.shuffle", "train.seed"],
        ),
    ],
    ids=str,
)
def test_a_checkpoint_of_another_recipe_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, Any],
    keys: list[str],
) -> None:
    project = make(tmp_path, SPEC, points(ROWS))
    train(project, project.load(VARIANTS[0]), "--steps", "1")
    make(tmp_path, changed(SPEC, change))
    other = project.load(VARIANTS[0])
    before = snapshot(project.work())
    capsys.readouterr()
    for command in ("train", "evaluate"):
        assert call(other, arguments(project, "work", command)) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert str(Run(project.work()).checkpoints[-1]) in line
        assert all(key in line for key in keys)
    assert snapshot(project.work()) == before
    train(project, other, "--fresh", "--steps", "1")


def test_another_seed_is_refused(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    project, module = tiny
    train(project, module, "--steps", "1")
    capsys.readouterr()
    assert call(module, arguments(project, "work", "--seed", "6")) == 2
    assert "train.seed" in capsys.readouterr().err


@each_target
def test_what_changes_no_weight_may_change(
    variant: str, tiny: tuple[Project, ModuleType], undisturbed: Run
) -> None:
    project, module = tiny
    train(project, module, "--steps", "6")
    change = {
        "description": "Another text.",
        "train": {"epochs": None, "steps": STEPS, "checkpoint": {"every_steps": 1}},
        "pipeline": {"parallel_calls": 1, "host_prefetch": 1},
        "variants": {variant: {"buffers": {"wire": "plain"}}},
    }
    make(project.root, changed(SPEC, change))
    assert_undisturbed(train(project, project.load(variant)), undisturbed)


def test_only_the_newest_checkpoints_are_kept(tiny: tuple[Project, ModuleType]) -> None:
    project, module = tiny
    run = train(project, module)
    assert [path.stem[-2:] for path in run.checkpoints] == ["12", "15"]


def test_fresh_begins_anew(tiny: tuple[Project, ModuleType]) -> None:
    project, module = tiny
    train(project, module, "--steps", "7")
    run = train(project, module, "--fresh", "--steps", "2")
    assert run.report["steps"] == len(run.audit) == 2
    assert [path.stem[-2:] for path in run.checkpoints] == ["02"]


def test_an_audit_tells_nothing_of_steps_that_it_has_not_seen(
    tiny: tuple[Project, ModuleType],
) -> None:
    project, module = tiny
    assert call(module, arguments(project, "work", "--steps", "6")) == 0
    report = train(project, module).report
    assert report["order_digest"] is report["content_digest"] is report["rows_seen_once"] is None


def test_an_audit_has_no_lines_of_another_run(tiny: tuple[Project, ModuleType]) -> None:
    """Those of an audited run are not taken for the steps of one that was not."""
    project, module = tiny
    train(project, module, "--seed", "6")
    assert call(module, arguments(project, "work", "--fresh", "--steps", "6")) == 0
    report = train(project, module).report
    assert report["order_digest"] is report["content_digest"] is report["rows_seen_once"] is None


@pytest.mark.parametrize("text", ["garbage", '{"step": 2}', "[]", ""])
def test_a_damaged_line_of_an_audit_is_told_before_the_training(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str], text: str
) -> None:
    project, module = tiny
    train(project, module, "--steps", "4")
    audit = project.work() / "audit.jsonl"
    lines = audit.read_text().splitlines()
    audit.write_text("\n".join([*lines[:2], text, *lines[3:]]) + "\n")
    capsys.readouterr()
    assert call(module, arguments(project, "work", "--audit")) == 2
    printed = capsys.readouterr()
    assert printed.err == f"{audit}: line 3 is damaged; --fresh begins anew\n"
    assert "training" not in printed.out


def test_without_audit_the_report_has_no_digests(tiny: tuple[Project, ModuleType]) -> None:
    project, module = tiny
    assert call(module, arguments(project, "work", "--steps", "1")) == 0
    assert not {"order_digest", "content_digest"} & Run(project.work()).report.keys()
    assert not (project.work() / "audit.jsonl").exists()


@each_target
def test_nothing_to_evaluate(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    project, module = tiny
    assert call(module, arguments(project, "work", "evaluate")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(project.work() / "checkpoints") in line
    assert not snapshot(project.work())


# -- While records are written --------------------------------------------------------------------


@pytest.mark.parametrize("fresh", [False, True], ids=["first", "fresh"])
@pytest.mark.parametrize("moment", ["dump", "rename"])
def test_killed_while_records_are_written(
    tiny: tuple[Project, ModuleType], monkeypatch: pytest.MonkeyPatch, moment: str, fresh: bool
) -> None:
    """Within the manifest, or before the set is in its place: the next run writes it anew."""
    project, module = tiny
    prepare = arguments(project, "work", "prepare")
    assert call(module, prepare) == 0
    whole = snapshot(project.records)
    if not fresh:
        shutil.rmtree(project.records)
    with monkeypatch.context() as patch:
        patch.setattr({"dump": json, "rename": os}[moment], moment, raise_killed)
        with pytest.raises(Killed):
            call(module, [*prepare, "--fresh"])
    # The old set is whole, or there is none.
    left = {name: text for name, text in snapshot(project.records).items() if name in whole}
    assert left in (whole, {})
    assert call(module, prepare) == 0
    assert whole.items() <= snapshot(project.records).items()
