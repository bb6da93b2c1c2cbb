"""Preparing records: what it says, and that whatever disturbs it leaves no set that looks whole.

No test depends on how long anything takes.
"""

import ctypes
import errno
import fcntl
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from making import PARTS, TINY, Project, changed, make, points
from running import call, finish, lines, snapshot, start
from tfrecords import prepared

ROWS = 60
SPEC = changed(
    TINY,
    {"records": {"rows_per_record": 4, "shards": 3}, "splits": {"parts": PARTS}},
)
PATTERN = changed(SPEC, {"source": {"path": None, "pattern": "../data/*.npz"}})


@pytest.fixture
def tiny(tmp_path: Path) -> tuple[Project, ModuleType]:
    project = make(tmp_path, SPEC, points(ROWS))
    return project, project.load("data")


def run(project: Project, module: ModuleType, *argv: str, stop: Any = None) -> int:
    return call(module, ["--records", str(project.records), *argv], stop)


def folder_of(project: Project, module: ModuleType) -> Path:
    return project.records / module.fingerprint(module.RECIPE)[:16]


def left(project: Project) -> list[str]:
    """What there is beside locks."""
    found = project.records.glob("*")
    return sorted(path.name for path in found if not path.name.endswith(".lock"))


def whole(project: Project, module: ModuleType) -> dict[str, bytes]:
    """The set that an undisturbed preparation makes."""
    other = Project(project.root / "undisturbed", project.name)
    assert call(module, ["--records", str(other.root)]) == 0
    return snapshot(other.root)


# -- What it says ---------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["none", "zlib"])
def test_it_prints_rows_and_the_bytes_that_were_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], compression: str
) -> None:
    spec = changed(SPEC, {"records": {"compression": compression, "rows_per_record": 256}})
    rows = points(30_000)
    rows["x"][:, 0] = 0
    project = make(tmp_path, spec, rows)
    module = project.load("data")
    assert run(project, module) == 0
    size = sum(path.stat().st_size for path in project.records.rglob("*.tfrecord"))
    plain = 30_000 * (3 * 4 + 8 + 8)
    text = f"train 24,000, validation 3,000, test 3,000 rows; {size / 1e6:,.1f} MB on disk"
    if compression == "zlib":
        assert size < 0.7 * plain
        text += f", zlib saved {1 - size / plain:.0%} of 0.8 MB"
    else:
        assert plain < size < 1.01 * plain
    said = f"{folder_of(project, module)}: {text}\n"
    assert capsys.readouterr() == (said, "")
    assert run(project, module) == 0  # which writes nothing
    assert capsys.readouterr() == (said, "")


class Clock:
    """Seconds since it was made, as they are told."""

    now = 1e9

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(tiny: tuple[Project, ModuleType], monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(tiny[1], "time", found)
    return found


def reported(module: ModuleType, clock: Clock, updates: list[tuple[float, int, int]]) -> None:
    progress = module.Progress("rows of train", 4_000)
    for seconds, done, size in updates:
        clock.now = 1e9 + seconds
        progress.update(done, size)
    progress.close()


def test_progress_in_lines(
    tiny: tuple[Project, ModuleType], clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """At most one in ten seconds; none of what is done sooner."""
    updates = [(9, 900, 0), (11, 1_000, 33_000_000), (20, 2_000, 0), (30, 3_000, 45_000_000)]
    reported(tiny[1], clock, updates)
    assert capsys.readouterr().err == (
        "rows of train: 1,000 of 4,000, 3.0 MB/s, 33 s left\n"
        "rows of train: 3,000 of 4,000, 1.5 MB/s, 10 s left\n"
    )


def test_progress_without_bytes(
    tiny: tuple[Project, ModuleType], clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    reported(tiny[1], clock, [(20, 2_000, 0)])
    assert capsys.readouterr().err == "rows of train: 2,000 of 4,000, 100/s, 20 s left\n"


def test_progress_on_a_terminal(
    tiny: tuple[Project, ModuleType],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A bar that is drawn over, and is gone at the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    reported(tiny[1], clock, [(0.05, 10, 0), (2, 1_000, 2_000_000), (2.05, 1_001, 0)])
    assert capsys.readouterr().err == (
        f"[{'#' * 7}{'.' * 23}] rows of train: 1,000 of 4,000, 1.0 MB/s, 6 s left\x1b[K\r\x1b[K"
    )


def test_progress_while_it_writes(
    tiny: tuple[Project, ModuleType], clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the source that is read, and of the rows of each part."""
    project, module = tiny
    clock.time = lambda: setattr(clock, "now", clock.now + 11) or clock.now  # type: ignore
    clock.sleep = None  # type: ignore
    assert run(project, module) == 0
    said = capsys.readouterr().err.splitlines()
    size = project.data.stat().st_size
    assert said[0].startswith(f"bytes of the source: {size:,} of {size:,}, 0.0 MB/s, ")
    assert [line.partition(": ")[2].split(",")[0] for line in said[1:]] == [
        *(f"{min(4 * block, 48)} of 48" for block in range(1, 13)),
        *("4 of 6", "6 of 6") * 2,
    ]
    assert all(re.search(r", 0\.0 MB/s, \d+ s left$", line) for line in said)


# -- Killed ---------------------------------------------------------------------------------------

# Where: a function of the module, which call of it, and whether the process dies before or after.
KILLS = [
    ("source_identity", 1, "before"),
    ("source_identity", 1, "after"),
    ("write_json", 1, "after"),  # of the identity of the source
    ("Source", 1, "after"),
    ("split", 1, "after"),
    ("packed", 1, "before"),
    ("packed", 9, "after"),
    ("write_part", 2, "after"),
    ("check_source", 1, "after"),
    ("write_json", 2, "before"),
    ("write_json", 2, "after"),  # the manifest
    ("rename", 1, "before"),
    ("rename", 1, "after"),
    ("rename", 2, "after"),
]
KILLING = """
import importlib, json, os, shutil, signal, sys

sys.path.insert(0, "generated")
module = importlib.import_module("tiny_data")


def deadly(function, number, when):
    calls = iter(range(number - 1, -1, -1))

    def call(*args):
        last = next(calls, None) == 0
        if last and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return call


for folder, argv, name, number, when in json.loads(sys.argv[1]):
    process = os.fork()
    if not process:
        owner = os if name == "rename" else module
        setattr(owner, name, deadly(getattr(owner, name), number, when))
        os._exit(module.main(["--records", folder, *argv]))
    print(os.waitpid(process, 0)[1])
"""


def test_killed_at_any_moment(tiny: tuple[Project, ModuleType]) -> None:
    """The first time and when records are made anew: what is there is whole, and then all is."""
    project, module = tiny
    expected = whole(project, module)
    jobs: list[tuple[str, list[str], str, int, str]] = []
    for argv in ([], ["--fresh"]):
        for number, kill in enumerate(KILLS):
            if kill[:2] == ("rename", 2) and not argv:
                continue  # there is nothing to put aside
            folder = project.root / "killed" / f"{number}{''.join(argv)}"
            if argv:
                shutil.copytree(project.root / "undisturbed", folder)
            jobs.append((str(folder), argv, *kill))
    program = start(project, ["-c", KILLING, json.dumps(jobs)])
    status, out, err = finish(program)
    assert status == 0, err
    assert out.split() == [str(int(signal.SIGKILL))] * len(jobs)
    name = folder_of(project, module).name
    for folder, argv, *kill in jobs:
        made = Project(Path(folder).parent, "tiny")
        found = snapshot(Path(folder) / name)
        is_whole = {f"{name}/{path}": content for path, content in found.items()} == expected
        done = kill[0] == "rename" and kill[2] == "after"
        between = kill == ["rename", 1, "after"] and bool(argv)
        assert is_whole is ((bool(argv) or done) and not between), (argv, kill)
        assert is_whole or not (Path(folder) / name).exists()
        if between:  # the old set needs no source to come back
            project.data.rename(project.root / "away")
        assert call(module, ["--records", folder]) == 0, (argv, kill)
        if between:
            (project.root / "away").rename(project.data)
        there = [path.name for path in Path(folder).glob("*") if path.suffix != ".lock"]
        assert there == [name], (argv, kill)
        assert snapshot(Path(folder) / name).keys() == {path.partition("/")[2] for path in expected}
        assert call(module, ["--records", folder, "--fresh"]) == 0
        assert snapshot(Path(folder)) == expected, (made, argv, kill)


# -- Stopped --------------------------------------------------------------------------------------


class Stops:
    """A stop signal that is there at a certain one of the moments when somebody looks."""

    def __init__(self, moment: int) -> None:
        self.left = moment

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            sys.exit(130)


@pytest.mark.parametrize("streamed", [False, True])
def test_stopped_at_any_moment(tmp_path: Path, streamed: bool) -> None:
    """While the source is read, spooled and written: nothing is left, and the next one succeeds."""
    source = {"kind": "csv", "path": "../data/rows.csv"} if streamed else {}
    columns = {"x": {"columns": ["a", "b", "c"]}} if streamed else {}
    project = make(
        tmp_path, changed(SPEC, {"source": source, "placeholders": columns}), points(ROWS)
    )
    table = np.hstack([points(ROWS)["x"], points(ROWS)["label"][:, None]])
    np.savetxt(
        project.data.with_suffix(".csv"), table, "%.9g", ",", header="a,b,c,label", comments=""
    )
    module = project.load("data")
    moment = 0
    while run(project, module, stop=Stops(moment)) == 130:
        assert left(project) == []
        moment += 1
    assert moment > (17 if streamed else 16)  # a block each, and the source
    assert left(project) == [folder_of(project, module).name]
    assert run(project, module) == 0


def test_stopped_when_records_are_made_anew(tiny: tuple[Project, ModuleType]) -> None:
    """Those that were there stay."""
    project, module = tiny
    assert run(project, module) == 0
    before = snapshot(project.records)
    assert run(project, module, "--fresh", stop=Stops(9)) == 130
    assert snapshot(project.records) == before


# -- Two at once ----------------------------------------------------------------------------------


def test_one_waits_for_the_other(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """It says so, once, and can be stopped; what the other has made it takes as it is."""
    project, module = tiny
    folder = folder_of(project, module)
    project.records.mkdir()
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(project, module, stop=Stops(2)) == 130
    assert left(project) == []
    waiting = f"{folder}: waiting for the process that writes it\n"
    assert capsys.readouterr() == (waiting, "")


def test_two_at_once(tiny: tuple[Project, ModuleType]) -> None:
    project, module = tiny
    command = [str(project.script("data")), "--records", "records"]
    programs = [start(project, [*command, *more]) for more in ([], [], ["--fresh"])]
    for program in programs:
        status, out, err = finish(program)
        assert (status, lines(err)) == (0, [])
        assert out.splitlines()[-1].endswith("train 48, validation 6, test 6 rows; 0.0 MB on disk")
    assert snapshot(project.records) == whole(project, module)


# -- Places that cannot be written ----------------------------------------------------------------


def without_override() -> None:
    """Permissions bind this process, also where it is root's (linux/prctl.h, capability.h)."""
    drop_from_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override)


@pytest.fixture
def locked(tiny: tuple[Project, ModuleType]) -> Iterator[tuple[Project, ModuleType]]:
    """Nothing can be written into the folder of the records."""
    project, module = tiny
    project.records.mkdir()
    project.records.chmod(0o555)
    yield project, module
    project.records.chmod(0o755)


def test_a_folder_without_permission(locked: tuple[Project, ModuleType]) -> None:
    project, module = locked
    command = [str(project.script("data")), "--records"]
    for folder, place in (
        ("records", f"{folder_of(project, module).name}.lock"),
        ("records/a", "a"),
    ):
        program = start(project, [*command, folder], preexec_fn=without_override)
        status, out, err = finish(program)
        path = f"{folder}/{place}" if folder == "records" else folder
        assert (status, out, lines(err)) == (2, "", [f"{path}: Permission denied"])
    assert snapshot(project.records) == {}


def test_a_read_only_folder_that_is_prepared(tiny: tuple[Project, ModuleType]) -> None:
    project, module = tiny
    assert run(project, module) == 0
    before = snapshot(project.records)
    folder = folder_of(project, module)
    (project.records / f"{folder.name}.lock").unlink()
    for path in (folder, project.records):
        path.chmod(0o555)
    command = [str(project.script("data")), "--records", "records"]
    try:
        status, out, err = finish(start(project, command, preexec_fn=without_override))
        assert (status, lines(err)) == (0, [])
        assert out.startswith(f"records/{folder.name}: train 48, ")
        assert snapshot(project.records) == before
    finally:
        for path in (folder, project.records):
            path.chmod(0o755)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (100, "{draft}: File too large"),  # the identity of the source
        (300, "{draft}/train-00000.tfrecord; File too large"),
    ],
)
def test_files_that_cannot_grow(tiny: tuple[Project, ModuleType], limit: int, message: str) -> None:
    project, module = tiny
    limited = (
        "import resource, runpy, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "sys.argv[:] = ['tiny_data.py', '--records', 'records']\n"
        "runpy.run_path('generated/tiny_data.py', run_name='__main__')\n"
    )
    status, out, err = finish(start(project, ["-c", limited]))
    name = folder_of(project, module).name
    draft = f"records/{name}" if limit == 100 else f"records/{name}.draft"
    assert (status, out, lines(err)) == (2, "", [message.format(draft=draft)])
    assert left(project) == []


def test_a_full_disk_at_any_moment(
    tiny: tuple[Project, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whichever of the writes to files of its own fails, of which some name no file."""
    project, module = tiny
    folder = folder_of(project, module)
    for number in range(2):
        calls = iter(range(number + 1))

        def dump(value: Any, file: Any, calls: Iterator[int] = calls, last: int = number) -> None:
            if next(calls) == last:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            file.write(json.dumps(value))

        monkeypatch.setattr(
            module, "json", SimpleNamespace(dump=dump, dumps=json.dumps, load=json.load)
        )
        assert run(project, module) == 2
        assert capsys.readouterr() == ("", f"{folder}: No space left on device\n")
        assert left(project) == []


class Lossy:
    """TensorFlow 1.4's writer on a full disk: it says nothing."""

    def __init__(self, path: str) -> None:
        self.file = Path(path).open("wb")  # noqa: SIM115

    def __enter__(self) -> "Lossy":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def write(self, record: bytes) -> None:
        if self.file.tell() < 100:
            self.file.write(bytes(12) + record + bytes(4))


def test_a_full_disk_that_the_writer_does_not_tell_of(
    tiny: tuple[Project, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project, module = tiny
    monkeypatch.setattr(module.tf.python_io, "TFRecordWriter", Lossy)
    assert run(project, module) == 2
    path = f"{folder_of(project, module)}.draft/train-00000.tfrecord"
    fault = "only 128 bytes of it were written; is the disk full?"
    assert capsys.readouterr() == ("", f"{path}: {fault}\n")
    assert left(project) == []


# -- A source that changes ------------------------------------------------------------------------


def test_a_source_that_changes_while_it_is_read(
    tiny: tuple[Project, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project, module = tiny
    split = module.split

    def while_split(source: Any) -> Any:
        project.write(points(ROWS, seed=2))
        return split(source)

    monkeypatch.setattr(module, "split", while_split)
    assert run(project, module) == 2
    said = f"{module.SOURCE}: changed while it was read; prepare again\n"
    assert capsys.readouterr() == ("", said)
    assert left(project) == []


@pytest.mark.parametrize("change", ["changed", "new", "gone"])
def test_what_has_changed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    project = make(tmp_path, PATTERN, points(ROWS))
    module = project.load("data")
    other, more = (project.data.with_name(name) for name in ("other.npz", "more.npz"))
    np.savez(other, **points(7))
    assert run(project, module) == 0
    before = snapshot(project.records)
    capsys.readouterr()
    if change == "changed":
        np.savez(other, **points(7, seed=2))
    elif change == "new":
        shutil.copy(other, more)
    else:
        other.unlink()
    path = more if change == "new" else other
    folder = folder_of(project, module)
    said = f"{path}: {change} since; prepare --fresh makes {folder} anew\n"
    for _ in range(2):
        assert run(project, module) == 2
        assert capsys.readouterr() == ("", said)
    assert snapshot(project.records) == before
    assert run(project, module, "--fresh") == 0
    assert run(project, module) == 0


def test_a_source_that_is_only_touched_or_moved(
    tiny: tuple[Project, ModuleType], tmp_path: Path
) -> None:
    """Its content counts, wherever the project is."""
    project, module = tiny
    assert run(project, module) == 0
    os.utime(project.data, (1, 1))
    assert run(project, module) == 0
    identity = json.loads((folder_of(project, module) / "source.json").read_text())
    assert [entry[2] for entry in identity] == [10**9]  # and it is not read again
    moved = Project(tmp_path.with_name(f"{tmp_path.name}_moved"), "tiny")
    shutil.copytree(tmp_path, moved.root)
    assert run(moved, moved.load("data")) == 0
    assert left(moved) == left(project)


def test_a_source_that_is_not_where_it_is_said_to_be(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """Records are enough where the source of the spec is gone, but not for a misspelt one."""
    project, module = tiny
    assert run(project, module) == 0
    capsys.readouterr()
    assert run(project, module, "--source", "nowhere.npz") == 2
    fault = "nowhere.npz: no such file; --source names another\n"
    assert capsys.readouterr() == ("", fault)
    project.data.unlink()
    assert run(project, module) == 0


def test_other_rows_below_a_reader(tiny: tuple[Project, ModuleType]) -> None:
    """It saves nothing of what it may have read; the same rows made anew do no harm."""
    project, module = tiny
    records = prepared(project, module)
    records.check_written()
    assert run(project, module, "--fresh") == 0
    records.check_written()
    np.savez(project.data, **points(ROWS, seed=2))
    assert run(project, module, "--fresh") == 0
    with pytest.raises(module.UserError) as error:
        records.check_written()
    fault = "other rows took its place while it was read"
    assert str(error.value) == f"{folder_of(project, module)}: {fault}"


@pytest.mark.parametrize("text", ["", "{", "[[1]]", "3"])
def test_a_damaged_identity(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str], text: str
) -> None:
    project, module = tiny
    assert run(project, module) == 0
    folder = folder_of(project, module)
    (folder / "source.json").write_text(text)
    capsys.readouterr()
    assert run(project, module) == 2
    fault = "its source.json is damaged; prepare --fresh makes it anew"
    assert capsys.readouterr() == ("", f"{folder}: {fault}\n")
    assert run(project, module, "--fresh") == 0
