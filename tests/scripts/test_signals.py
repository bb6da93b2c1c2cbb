"""Real signals to real programs: a stop saves at a step, a kill loses nothing but time."""

import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import pytest

from making import EACH_VARIANT, TINY, VARIANTS, Project, changed, make, points
from running import Run, arguments, finish, lines, same_weights, snapshot, start, train, wait_until
from sessions import EACH_INPUT

SPEC = changed(
    TINY,
    EACH_VARIANT,
    {"train": {"epochs": 4, "optimizer": {"momentum": 0.9}, "checkpoint": {"every_steps": 5}}},
)
ROWS = 30  # eight steps an epoch, the last one partial
STEPS = 32
GRACE = 10  # seconds
# Long enough for a signal to come before the end; the rest of a run is not slowed.
SLOW = ["--slow-input", "150"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make(tmp_path_factory.mktemp("signals"), SPEC, points(ROWS))


def program(project: Project, variant: str, label: str, *argv: str) -> subprocess.Popen[str]:
    flags = arguments(project, label, "train", "--audit", "--threads", "1", *argv)
    return start(project, [str(project.script(variant)), *flags])


def step_of(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def last_step(run: Run) -> int:
    return max(map(step_of, run.checkpoints), default=0)


def interrupt(running: subprocess.Popen[str], run: Run, number: signal.Signals) -> tuple[int, str]:
    """Send a signal some steps after the next checkpoint; the exit status and errors."""
    before = last_step(run)
    wait_until(lambda: last_step(run) > before, running)
    time.sleep(0.3)  # wherever that is: what follows holds at any step
    running.send_signal(number)
    status, _, err = finish(running)
    return status, err


STOPS = dict(zip(EACH_INPUT, cycle([(signal.SIGTERM, 143), (signal.SIGINT, 130)])))


def disturb(project: Project, variant: str) -> None:
    """Stop a run, kill the next, and let the third end."""
    run = Run(project.work(f"disturbed_{variant}"))
    for number, status in (STOPS[variant], (signal.SIGKILL, -9)):
        before = last_step(run)
        running = program(project, variant, run.workdir.name, *SLOW)
        found, err = interrupt(running, run, number)
        assert found == status, err
        assert before < last_step(run) < STEPS
        assert not (run.workdir / "report.json").exists()
        if number is not signal.SIGKILL:
            assert "stopping" in "".join(lines(err))
            # It saved the very steps that it trained.
            assert len((run.workdir / "audit.jsonl").read_text().splitlines()) == last_step(run)
    status, _, err = finish(program(project, variant, run.workdir.name))
    assert status == 0, err


def undisturbed(project: Project, variant: str) -> None:
    status, _, err = finish(program(project, variant, f"whole_{variant}"))
    assert status == 0, err


def test_stopped_killed_and_continued(project: Project) -> None:
    """With one thread, the end is equal bit by bit to that of an undisturbed run."""
    with ThreadPoolExecutor() as side_by_side:
        list(side_by_side.map(disturb, [project] * len(STOPS), STOPS))
        list(side_by_side.map(undisturbed, [project] * len(STOPS), STOPS))
    for variant in STOPS:
        run, whole = (Run(project.work(f"{label}_{variant}")) for label in ("disturbed", "whole"))
        assert run.audit == whole.audit
        assert len(run.audit) == STEPS
        assert same_weights(run, whole)
        for key in ("history", "order_digest", "content_digest", "rows_seen_once", "rows_trained"):
            assert run.report[key] == whole.report[key]


def test_stopped_while_tensorflow_blocks(project: Project) -> None:
    """In the middle of a run a batch takes half a minute: no step ends in time to be saved."""
    labels = {variant: f"blocked_{variant}" for variant in VARIANTS}
    for variant, label in labels.items():
        train(project, project.load(variant), "--steps", "5", label=label)
    before = {variant: snapshot(project.work(label)) for variant, label in labels.items()}
    blocked = {
        variant: program(project, variant, label, "--slow-input", "30000")
        for variant, label in labels.items()
    }
    for process in blocked.values():
        wait_until_printed(process, "training on")
        process.send_signal(signal.SIGTERM)
    sent = time.monotonic()
    for variant, process in blocked.items():
        status, _, err = finish(process)
        assert status == 143
        assert "stopped" in lines(err)[-1]
        before[variant].pop("report.json")  # of the steps until then
        assert snapshot(project.work(labels[variant])) == before[variant]
    assert time.monotonic() - sent < 2 * GRACE  # not the half minute that the batch takes


def wait_until_printed(process: subprocess.Popen[str], text: str, where: str = "stdout") -> None:
    for line in getattr(process, where):
        if line.startswith(text):
            return
    raise AssertionError(f"it never printed {text!r}: {finish(process)}")


def test_a_second_signal_stops_at_once(project: Project) -> None:
    asked = [
        program(project, variant, f"twice_{variant}", "--slow-input", "30000")
        for variant in EACH_INPUT
    ]
    for process in asked:
        wait_until_printed(process, "training on")
        process.send_signal(signal.SIGINT)
        wait_until_printed(process, "stopping", "stderr")
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        status, _, _ = finish(process)
        assert status == 130
        assert time.monotonic() - sent < GRACE


# -- While records are written --------------------------------------------------------------------

LARGE = changed(
    TINY,
    {
        "source": {"kind": "synthetic", "path": None, "rows": 400_000},
        "records": {"rows_per_record": 64, "compression": "zlib", "level": 9},
    },
)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143)])
def test_a_stop_while_records_are_written(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    """Nothing that is left of them looks whole; a clean stop leaves nothing."""
    large = make(tmp_path, LARGE)
    process = start(large, [str(large.script("data")), "--records", str(large.records)])
    wait_until(lambda: sum(1 for _ in large.records.rglob("*.tfrecord")) > 1, process)
    process.send_signal(number)
    assert finish(process)[0] == status
    assert not any(large.records.rglob("manifest.json"))
    assert bool(snapshot(large.records)) == (number is signal.SIGKILL)


def test_a_run_goes_on_where_nobody_reads_what_it_prints(project: Project) -> None:
    """As behind `| head -1`."""
    running = program(project, VARIANTS[0], "unread")
    assert running.stdout
    running.stdout.close()
    running.stdout = None
    status, _, err = finish(running)
    assert (status, lines(err)) == (0, [])
    assert Run(project.work("unread")).report["steps"] == STEPS
