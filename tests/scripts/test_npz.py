"""Arrays as sources: their places and forms, what damages them, and how much of them is held."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import TINY, Project, Spec, changed, make, points
from running import call, environment, lines

ROWS = 40
DATA = "../data/rows.npz"
FILES = {"files": ["../data/b.npz", "../data/a.npz"]}
ARRAYS = {"x": "../data/x.npy", "label": "../data/label.npy"}


def placed(**source: Any) -> Spec:
    return changed(TINY, {"source": {"path": None, **source}})


PLACES: dict[str, Spec] = {
    "path": TINY,
    "files": placed(**FILES),
    "pattern": placed(pattern="../data/**/part-[0-9].npz"),
    "arrays": placed(arrays=ARRAYS),
}


def loaded(project: Project) -> ModuleType:
    return project.load("data")


def run(project: Project, module: ModuleType, *argv: str) -> int:
    return call(module, ["--records", str(project.records), *argv])


def stored(project: Project, module: ModuleType) -> dict[str, np.ndarray]:
    """All that was prepared of the rows for training, by the name of the column."""
    options = Namespace(records=str(project.records), source=module.SOURCE, fresh=False)
    records = module.prepare(options, module.StopSignals())
    found = [
        np.frombuffer(record, "uint8").tobytes()
        for path, _ in records.shards("train")
        for record in tf.compat.v1.io.tf_record_iterator(path)
    ]
    columns: dict[str, list[np.ndarray]] = {name: [] for name in module.COLUMNS._fields}
    for record in found:
        rows, offset = len(record) // module.ROW_BYTES, 0
        for name, column in module.COLUMNS._asdict().items():
            count = rows * int(np.prod(column.shape))
            values = np.frombuffer(record, column.dtype, count, offset)
            columns[name].append(values.reshape((rows, *column.shape)))
            offset += values.nbytes
    return {name: np.concatenate(pieces) for name, pieces in columns.items()}


def assert_stored(project: Project, module: ModuleType, rows: dict[str, np.ndarray]) -> None:
    found = stored(project, module)
    assert sorted(found["row_id"]) == list(range(len(rows["label"])))
    for name in ("x", "label"):
        assert np.array_equal(found[name], rows[name][found["row_id"]])


def write(project: Project, name: str, rows: dict[str, np.ndarray], save: Any = np.savez) -> Path:
    path = project.data.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    save(path, **rows)
    return path


# -- Places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
def test_rows_come_from_every_place(tmp_path: Path, place: str) -> None:
    """Files in the order in which they are listed, matches of a pattern sorted."""
    project = make(tmp_path, PLACES[place])
    first, second = points(ROWS, seed=1), points(7, seed=2)
    if place == "path":
        project.write(first)
        second = points(0)
    elif place == "arrays":
        project.data.parent.mkdir()
        for name, values in first.items():
            np.save(project.data.with_name(name), values)
        second = points(0)
    else:
        names = {"files": ["b.npz", "a.npz"], "pattern": ["deep/er/part-1.npz", "part-0.npz"]}
        for name, rows in zip(names[place], (first, second), strict=True):
            write(project, name, rows)
        write(project, "part-x.npz", points(5))
    rows = {name: np.concatenate([first[name], second[name]]) for name in first}
    assert_stored(project, loaded(project), rows)


def test_one_file_by_two_names_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else copies of a row would be in several parts."""
    project = make(tmp_path, PLACES["files"])
    path = write(project, "b.npz", points(ROWS))
    path.with_name("a.npz").symlink_to(path)
    assert run(project, loaded(project)) == 2
    assert capsys.readouterr().err == f"{path.with_name('a.npz')}: the same file as {path}\n"


def test_a_file_without_rows_adds_none(tmp_path: Path) -> None:
    project = make(tmp_path, PLACES["files"])
    write(project, "b.npz", points(0))
    write(project, "a.npz", points(ROWS))
    assert_stored(project, loaded(project), points(ROWS))


def test_a_folder_may_be_elsewhere(tmp_path: Path) -> None:
    """--source names the folder that relative paths start from."""
    project = make(tmp_path, PLACES["arrays"])
    folder = tmp_path / "moved" / "specs"
    (folder.parent / "data").mkdir(parents=True)
    for name, values in points(ROWS).items():
        np.save(folder.parent / "data" / name, values)
    assert run(project, loaded(project), "--source", str(folder)) == 0


@pytest.mark.parametrize("scheme", ["ram", "file"])
@pytest.mark.parametrize("place", ["path", "files", "pattern", "arrays", "parts"])
def test_what_tensorflow_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scheme: str, place: str
) -> None:
    """A path with a scheme, beside local ones; it is noticed when it changes."""
    folder = f"ram://{tmp_path.name}" if scheme == "ram" else f"file://{tmp_path}"
    specs = {
        "path": placed(path=f"{folder}/rows.npz"),
        "files": placed(files=[f"{folder}/rows.npz", "../data/more.npz"]),
        "pattern": placed(pattern=f"{folder}/*.npz"),
        "arrays": placed(arrays={"x": f"{folder}/x.npy", "label": "../data/label.npy"}),
        "parts": changed(
            placed(),
            {"splits": {"method": "given", "parts": {"train": f"{folder}/rows.npz"}}},
        ),
    }
    project = make(tmp_path, specs[place])
    rows, more = points(ROWS), points(0)
    write(project, "more.npz", more)
    np.save(project.data.with_name("label"), rows["label"])
    put(f"{folder}/rows.npz", lambda file: np.savez(file, **rows))
    put(f"{folder}/x.npy", lambda file: np.save(file, rows["x"]))
    module = loaded(project)
    assert_stored(project, module, rows)
    capsys.readouterr()
    name = "x.npy" if place == "arrays" else "rows.npz"
    put(f"{folder}/{name}", lambda file: file.write(b"other"))
    assert run(project, module) == 2
    (records,) = project.records.glob("*/")
    advice = f"changed since; prepare --fresh makes {records} anew"
    assert capsys.readouterr().err == f"{folder}/{name}: {advice}\n"


def put(path: str, save: Callable[[io.BytesIO], Any]) -> None:
    buffer = io.BytesIO()
    save(buffer)
    with tf.io.gfile.GFile(path, "wb") as file:
        file.write(buffer.getvalue())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"files": ["../data/a.npz", "../data/none.npz"]}, "{data}/none.npz: {none}"),
        ({"arrays": {"x": "../data/none.npy", "label": "/none.npy"}}, "{data}/none.npy: {none}"),
        ({"path": "ram://none.npz"}, "ram://none.npz: {none}"),
        (
            {"pattern": "../data/*.npy"},
            "{specs}: no file in it matches ../data/*.npy; --source names another folder",
        ),
        ({"pattern": "ram://none/*.npz"}, "ram://none/*.npz: no file matches"),
        (
            {"path": "none://a.npz"},
            "none://a.npz: File system scheme 'none' not implemented (file: 'none://a.npz')",
        ),
    ],
)
def test_what_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: dict[str, Any], message: str
) -> None:
    project = make(tmp_path, placed(**source))
    write(project, "a.npz", points(ROWS))
    assert run(project, loaded(project)) == 2
    none = "no such file; --source names another"
    specs = f"{tmp_path}/generated/../specs"
    wanted = message.format(data=project.data.parent, none=none, specs=specs)
    assert capsys.readouterr().err == f"{wanted}\n"


# -- Forms ----------------------------------------------------------------------------------------

FORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Fortran order": np.asfortranarray,
    "big-endian": lambda values: values.astype(values.dtype.newbyteorder(">")),
    "a view": lambda values: np.repeat(values, 2, axis=0)[::2],
    "double": lambda values: values.astype("float64"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "deflated"])
def test_every_form_of_an_array(tmp_path: Path, form: str, save: Any) -> None:
    project = make(tmp_path, TINY)
    rows = points(ROWS)
    write(project, "rows.npz", {name: FORMS[form](values) for name, values in rows.items()}, save)
    assert_stored(project, loaded(project), rows)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_npy_file(tmp_path: Path, form: str) -> None:
    project = make(tmp_path, PLACES["arrays"])
    project.data.parent.mkdir()
    rows = points(ROWS)
    for name, values in rows.items():
        np.save(project.data.with_name(name), FORMS[form](values))
    assert_stored(project, loaded(project), rows)


def test_a_header_of_version_2(tmp_path: Path) -> None:
    project = make(tmp_path, PLACES["arrays"])
    project.data.parent.mkdir()
    rows = points(ROWS)
    for name, values in rows.items():
        with open(project.data.with_name(f"{name}.npy"), "wb") as file:
            np.lib.format.write_array(file, values, version=(2, 0))
    assert_stored(project, loaded(project), rows)


KEYED = changed(
    TINY,
    {"placeholders": {"who": {"dtype": "string", "role": "key"}}},
    {"splits": {"method": "group", "by": "who"}},
)


@pytest.mark.parametrize("dtype", ["U", "S", ">U8", "U1"])
def test_texts_as_a_key(tmp_path: Path, dtype: str) -> None:
    """Unicode or bytes, of which files may have different lengths."""
    project = make(tmp_path, changed(KEYED, {"source": {"path": None, **FILES}}))
    keys = np.array(["a", "bb", "é", "日本"] * 10)
    if dtype == "S":
        keys = np.char.encode(keys, "utf-8")
    write(project, "b.npz", {**points(ROWS), "who": keys.astype(dtype) if dtype != "S" else keys})
    write(project, "a.npz", {**points(4), "who": keys[:4].astype(keys.dtype.kind + "64")})
    module = loaded(project)
    source = module.Source(module.source_files(module.SOURCE))
    found = module.dealt_by(source).tolist()
    expected = [
        key if dtype == "S" else key.encode() for key in (keys.tolist() + keys[:4].tolist())
    ]
    if dtype == "U1":
        expected[:ROWS] = [key[:1].encode() for key in keys.tolist()]
    assert found == expected


def messages(project: Project, module: ModuleType, capsys: pytest.CaptureFixture[str]) -> str:
    """What a preparation says that fails; nothing of it is left."""
    capsys.readouterr()
    assert run(project, module) == 2
    assert not list(project.records.glob("*/"))
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    return line.replace(f"{project.root}/generated/../data/", "").replace(
        f"{project.data.parent}/", ""
    )


def with_x(x: Any) -> dict[str, Any]:
    return {**points(ROWS), "x": x}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (points(0), "rows.npz: has no rows"),
        (with_x(np.float32(3)), "rows.npz: x: shape (), expected (1, 3)"),
        (with_x(np.zeros((ROWS, 2))), "rows.npz: x: shape (40, 2), expected (40, 3)"),
        (with_x(np.zeros((39, 3))), "rows.npz: label: shape (40,), expected (39,)"),
        ({"x": np.zeros((2, 3))}, "rows.npz: label: not in the file, which has x"),
        (
            with_x(np.zeros((ROWS, 3), [("a", "f4")])),
            "rows.npz: row 0: x: holds [('a', '<f4')], not numbers",
        ),
        (with_x(np.full((ROWS, 3), "1")), "rows.npz: row 0: x: holds <U1, not numbers"),
    ],
    ids=["no rows", "0-d", "another shape", "fewer rows", "lacking", "structured", "texts"],
)
def test_what_does_not_fit(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: dict[str, Any],
    message: str,
) -> None:
    project = make(tmp_path, TINY, rows)
    said = messages(project, loaded(project), capsys)
    # Which row comes first is the order of the records.
    assert re.sub(r"row \d+", "row 0", said) == message


@pytest.mark.parametrize(
    ("save", "fault"),
    [
        (np.savez, "its values are objects"),
        (np.savez_compressed, "Object arrays cannot be loaded when allow_pickle=False"),
    ],
)
def test_pickled_objects(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], save: Any, fault: str
) -> None:
    """They are code, which is not run."""
    project = make(tmp_path, TINY)
    write(project, "rows.npz", with_x(np.full((ROWS, 3), None)), save)
    said = messages(project, loaded(project), capsys)
    assert said == f"rows.npz: x: cannot be read: {fault}"


def test_a_message_about_a_value_names_the_files_of_the_arrays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make(tmp_path, PLACES["arrays"])
    project.data.parent.mkdir()
    for name, values in {**points(1), "label": np.array([7])}.items():
        np.save(project.data.with_name(name), values)
    said = messages(project, loaded(project), capsys)
    assert said == "x.npy, label.npy: row 0: label: 7 is not in 0 to 3"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"x": np.zeros((2, 4), "f4")}, "a.npz: x: shape (2, 4), expected (2, 3)"),
        ({"label": np.zeros(3, int)}, "a.npz: label: shape (3,), expected (2,)"),
        (
            {"label": np.zeros(2, "f4")},
            "a.npz: label: holds float32, but that of b.npz int64",
        ),
        ({"x": np.array([["1"] * 3] * 2)}, "a.npz: x: holds <U1, but that of b.npz float32"),
        ({"label": np.array([0, 4])}, "a.npz: row 1: label: 4 is not in 0 to 3"),
    ],
)
def test_files_that_differ(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    other: dict[str, np.ndarray],
    message: str,
) -> None:
    project = make(tmp_path, PLACES["files"])
    write(project, "b.npz", points(ROWS))
    write(project, "a.npz", {**points(2), **other})
    assert messages(project, loaded(project), capsys) == message


def test_files_may_differ_in_the_width_of_numbers(tmp_path: Path) -> None:
    project = make(tmp_path, PLACES["files"])
    first, second = points(ROWS, seed=1), points(3, seed=2)
    write(project, "b.npz", {**first, "label": first["label"].astype("int8")})
    write(project, "a.npz", {**second, "x": second["x"].astype("float64")})
    rows = {name: np.concatenate([first[name], second[name]]) for name in first}
    assert_stored(project, loaded(project), rows)


# -- Damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed], ids=["stored", "deflated"])
def test_no_damaged_byte_goes_unnoticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], save: Any
) -> None:
    """Wherever it is: the same values come, or one line that names the file."""
    project = make(tmp_path, TINY)
    path = write(project, "rows.npz", points(3), save)
    module, content = loaded(project), path.read_bytes()
    expected, refused = read_or_refused(module, path), 0
    assert isinstance(expected, list)
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        found = read_or_refused(module, path)
        if isinstance(found, str):
            assert found.startswith((f"{path}: x: ", f"{path}: label: "))
            refused += 1
        else:
            assert found == expected, place
    assert refused > len(content) / 6


def read_or_refused(module: ModuleType, path: Path) -> list[bytes] | str:
    """The values of each column, or why there are none."""
    try:
        source = module.Source([str(path)])
        return [source.read(column, source.ids).tobytes() for column in module.READ]
    except module.UserError as error:
        return str(error)


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_cut_npy_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], keep: int) -> None:
    project = make(tmp_path, PLACES["arrays"])
    project.data.parent.mkdir()
    for name, values in points(ROWS).items():
        np.save(project.data.with_name(name), values)
    path = project.data.with_name("label.npy")
    path.write_bytes(path.read_bytes()[:keep])
    said = messages(project, loaded(project), capsys)
    assert said.startswith("label.npy: label: cannot be read: ")


# -- Memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["path", "files"])
def test_more_than_memory_holds_is_refused_with_the_numbers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
) -> None:
    """All that is deflated counts; what is stored as it is stays on the disk."""
    rows = {"x": np.zeros((250_000, 3), "f4"), "label": np.zeros(250_000, int)}
    project = make(tmp_path, PLACES[place])
    names = {"path": ["rows.npz"], "files": ["b.npz", "a.npz"]}[place]
    for name in names:
        write(project, name, rows, np.savez_compressed)
    module = loaded(project)
    megabytes = {"path": 8, "files": 17}[place]
    sizes = {"SC_PAGE_SIZE": 1000, "SC_PHYS_PAGES": megabytes * 1000}
    monkeypatch.setattr(os, "sysconf", sizes.get)
    fault = {
        "path": "rows.npz: label: 5 MB would be in memory, 4 MB may be",
        "files": "a.npz: label: 10 MB would be in memory, 8 MB may be",
    }
    advice = "np.savez writes what can stay on the disk"
    assert messages(project, module, capsys) == f"{fault[place]}; {advice}"
    sizes["SC_PHYS_PAGES"] += 4000
    assert run(project, module) == 0
    for name in names:
        write(project, name, rows)
    sizes["SC_PHYS_PAGES"] = 1
    assert run(project, module, "--fresh") == 0


# Runs a data module, and says how much memory it had at the most that could not be read anew.
WATCH = """
import re, runpy, sys, threading, time

peak = 0

def watch():
    global peak
    while True:
        with open("/proc/self/status") as status:
            peak = max(peak, int(re.search(r"RssAnon:\\s+(\\d+)", status.read()).group(1)))
        time.sleep(0.005)

threading.Thread(target=watch, daemon=True).start()
try:
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    print(end.code, peak)
"""


def test_a_source_larger_than_what_may_be_held(tmp_path: Path) -> None:
    """The memory of the process, in KiB, against that of one whose arrays are small."""
    peaks = []
    for count in (10, 150_000):
        wide = changed(PLACES["arrays"], {"placeholders": {"x": {"shape": [192]}}})
        project = make(tmp_path / str(count), wide)
        project.data.parent.mkdir()
        np.save(project.data.with_name("label"), np.zeros(count, int))
        np.lib.format.open_memmap(
            project.data.with_name("x.npy"), "w+", "f8", (count, 192)
        )  # a file that takes no room
        script = project.script("data")
        done = subprocess.run(
            [sys.executable, "-c", WATCH, str(script), "--records", str(project.records)],
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert lines(done.stderr) == []
        status, peak = done.stdout.split()[-2:]
        assert status == "0"
        peaks.append(int(peak))
    assert peaks[1] - peaks[0] < 100_000  # of 225,000


def test_members_beside_the_arrays_do_no_harm(tmp_path: Path) -> None:
    project = make(tmp_path, TINY, points(ROWS))
    with zipfile.ZipFile(project.data, "a") as archive:
        archive.writestr("notes.txt", "no array")
    assert_stored(project, loaded(project), points(ROWS))
    (manifest,) = project.records.glob("*/manifest.json")
    assert json.loads(manifest.read_text())["complete"] is True
