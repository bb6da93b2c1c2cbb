"""Data that cannot be used: status 2, one line that names the place, and nothing left behind."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import EACH_VARIANT, HOW, PARTS, TINY, VARIANTS, Project, changed, make, points
from running import Run, arguments, call, finish, lines, records_of, snapshot, start, train
from sessions import EACH_INPUT, EACH_TARGET, TF2, TF14, python_threads

ROWS = 60
BAD = 57
each_target = pytest.mark.parametrize("variant", EACH_TARGET)
SPEC = changed(
    TINY,
    {
        "placeholders": {
            "x": {"dtype": "uint8", "shape": [2]},
            "weight_kg": {"dtype": "float32"},
            "count": {"dtype": "int16"},
            "label": None,
        }
    },
)
# The label comes last, as in most tables; the model takes one input only in layers.
SPEC["placeholders"]["label"] = TINY["placeholders"]["label"]
SPEC["model"] = {"import": "models:unused"}


def good() -> dict[str, Any]:
    ids = np.arange(ROWS)
    return {
        "x": np.stack([ids, ids + 100], axis=1),
        "weight_kg": ids / 3,
        "count": ids * 100,
        "label": ids % 4,
    }


def with_value(name: str, value: Any, dtype: str | None = None) -> Callable[[Project], None]:
    """The good data, but for one value in row BAD."""

    def write(project: Project) -> None:
        rows = good()
        column = rows[name].astype(dtype or np.asarray(value).dtype)
        column[(BAD, *([1] * (column.ndim - 1)))] = value
        project.write({**rows, name: column})

    return write


def with_column(name: str, column: Any) -> Callable[[Project], None]:
    return lambda project: project.write({**good(), name: column})


def without(name: str) -> Callable[[Project], None]:
    return lambda project: project.write({k: v for k, v in good().items() if k != name})


def with_file(content: bytes) -> Callable[[Project], None]:
    def write(project: Project) -> None:
        project.data.parent.mkdir(exist_ok=True)
        project.data.write_bytes(content)

    return write


def no_file(project: Project) -> None:
    pass


def a_folder(project: Project) -> None:
    project.data.mkdir(parents=True)


def cut(keep: float) -> Callable[[Project], None]:
    def write(project: Project) -> None:
        project.write(good())
        content = project.data.read_bytes()
        project.data.write_bytes(content[: int(len(content) * keep)])

    return write


def damaged_array(project: Project) -> None:
    project.write(good())
    content = bytearray(project.data.read_bytes())
    content[200] ^= 1  # in the values of the first array
    project.data.write_bytes(content)


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


ROW = f"row {BAD}"
DAMAGE: dict[str, tuple[Callable[[Project], None], list[str]]] = {
    "label below 0": (with_value("label", -1), [ROW, "label", "-1"]),
    "label too large": (with_value("label", 4), [ROW, "label", "4"]),
    "label far too large": (with_value("label", 2**63, "uint64"), [ROW, "label"]),
    "fraction in a label": (with_value("label", 0.5), [ROW, "label", "0.5"]),
    "300 in uint8": (with_value("x", 300), [ROW, "x", "300", "uint8"]),
    "-1 in uint8": (with_value("x", -1), [ROW, "x", "-1", "uint8"]),
    "1.5 in uint8": (with_value("x", 1.5), [ROW, "x", "1.5", "uint8"]),
    "NaN in uint8": (with_value("x", np.nan), [ROW, "x", "nan", "uint8"]),
    "2**15 in int16": (with_value("count", 2**15), [ROW, "count", str(2**15), "int16"]),
    "infinite in int16": (with_value("count", np.inf), [ROW, "count", "inf", "int16"]),
    "integer that float32 rounds": (
        with_value("weight_kg", 2**24 + 1, "int64"),
        [ROW, "weight_kg", str(2**24 + 1), "float32"],
    ),
    "NaN in float32": (with_value("weight_kg", np.nan), [ROW, "weight_kg", "nan"]),
    "infinite in float32": (with_value("weight_kg", 1e300), [ROW, "weight_kg", "1e+300"]),
    "texts": (with_column("weight_kg", np.array(["1.0"] * ROWS)), ["weight_kg"]),
    "bytes": (with_column("weight_kg", np.array([b"1.0"] * ROWS)), ["weight_kg"]),
    "complex numbers": (with_column("weight_kg", np.ones(ROWS, complex)), ["weight_kg"]),
    "dates": (with_column("count", np.zeros(ROWS, "datetime64[s]")), ["count"]),
    "pickled objects": (with_column("count", np.array([None] * ROWS)), ["count"]),
    "no such array": (without("label"), ["label"]),
    "one row too few": (with_column("label", np.zeros(ROWS - 1, int)), ["label", "59", "60"]),
    "another shape": (with_column("x", np.zeros((ROWS, 3))), ["x", "3", "2"]),
    "no axis of rows": (with_column("label", np.int64(3)), ["label"]),
    "no axis of rows in the first": (with_column("x", np.int64(3)), ["x"]),
    "no rows": (lambda project: project.write({k: v[:0] for k, v in good().items()}), ["no rows"]),
    "no file": (no_file, ["--source"]),
    "a folder": (a_folder, []),
    "an empty file": (with_file(b""), []),
    "a text": (with_file(b"x,label\n1,2\n"), []),
    "a single array": (with_file(npy(np.zeros(3))), []),
    "an archive without arrays": (with_file(b"PK\5\6" + bytes(18)), []),
    "half of the file": (cut(0.5), []),
    "all but the end": (cut(0.99), []),
    "a damaged array": (damaged_array, []),
}


@pytest.fixture
def tiny(tmp_path: Path) -> tuple[Project, ModuleType]:
    project = make(tmp_path, SPEC)
    return project, project.load()


def refused(
    project: Project, module: ModuleType, capsys: pytest.CaptureFixture[str], *argv: str
) -> str:
    """The one line that a command ends with, which changes nothing."""
    before = snapshot(project.root)
    capsys.readouterr()
    assert call(module, [*arguments(project, "work"), *argv]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert snapshot(project.root) == before
    return line


@pytest.mark.parametrize(("write", "named"), DAMAGE.values(), ids=list(DAMAGE))
def test_source(
    tiny: tuple[Project, ModuleType],
    capsys: pytest.CaptureFixture[str],
    write: Callable[[Project], None],
    named: list[str],
) -> None:
    project, module = tiny
    write(project)
    line = refused(project, module, capsys)
    assert "data/rows.npz: " in line
    for text in named:
        assert text in line
    assert not snapshot(project.records)
    assert not snapshot(project.work())


@pytest.mark.parametrize(
    ("name", "values", "stored"),
    [
        ("weight_kg", np.full(ROWS, 1 / 3), np.float32(1 / 3)),
        ("weight_kg", np.full(ROWS, 2**24), np.float32(2**24)),
        ("weight_kg", np.full(ROWS, 2**24 + 2), np.float32(2**24 + 2)),
        ("weight_kg", np.full(ROWS, 1e-60), np.float32(0)),
        ("weight_kg", np.full(ROWS, True), np.float32(1)),
        ("weight_kg", np.full(ROWS, 1 / 3, ">f8"), np.float32(1 / 3)),
        ("count", np.full(ROWS, -7.0), np.int16(-7)),
        ("count", np.full(ROWS, 2**15 - 1, "uint64"), np.int16(2**15 - 1)),
        ("x", np.full((ROWS, 2), 255, ">i2"), np.uint8(255)),
        ("x", np.asfortranarray(np.full((ROWS, 2), 3)), np.uint8(3)),
        ("label", np.full(ROWS, 3, "float16"), np.int64(3)),
    ],
)
def test_values_that_fit_are_cast(
    tiny: tuple[Project, ModuleType], name: str, values: np.ndarray, stored: np.generic
) -> None:
    project, module = tiny
    project.write({**good(), name: values})
    records = records_of(project, module)
    for batch in module.stored_batches(records, "train").as_numpy_iterator():
        found = batch[list(SPEC["placeholders"]).index(name)]
        assert found.dtype == stored.dtype
        assert np.all(found == stored)


def test_a_part_without_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = {"parts": {"train": 0.8, "validation": 0.1, "test": 0.1}}
    project = make(tmp_path, changed(SPEC, {"splits": parts}))
    project.write({name: column[:4] for name, column in good().items()})
    line = refused(project, project.load(), capsys)
    assert "4 rows" in line
    assert "validation" in line or "test" in line
    assert not snapshot(project.records)


def test_the_source_may_be_elsewhere(tiny: tuple[Project, ModuleType]) -> None:
    project, module = tiny
    project.write(good())
    moved = project.data.rename(project.root / "moved.npz")
    assert call(module, arguments(project, "work", "prepare", "--source", str(moved))) == 0


# -- Prepared records -----------------------------------------------------------------------------


def shard(project: Project, name: str = "train-00001") -> tuple[Path, int]:
    """A file of the records, by default the second with training rows; where its last begins."""
    (found,) = project.records.glob(f"*/{name}.tfrecord")
    manifest = json.loads((found.parent / "manifest.json").read_text())
    (entry,) = [
        entry
        for part in manifest["parts"].values()
        for entry in part["shards"]
        if entry["file"] == found.name
    ]
    return found, entry["blocks"][-1][1]


def change_byte(at: Callable[[int], int]) -> Callable[[Path], None]:
    """Flip a bit of the last record: at a place counted from its begin, given its length."""

    def change(path: Path) -> None:
        content = bytearray(path.read_bytes())
        start = 0
        while True:
            size = int.from_bytes(content[start : start + 8], "little")
            if start + size + 16 == len(content):
                break
            start += size + 16
        content[start + at(size)] ^= 4
        path.write_bytes(content)

    return change


def shorten(count: int) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(path.read_bytes()[:-count])


RECORD_DAMAGE: dict[str, Callable[[Path], None]] = {
    "flipped in the length": change_byte(lambda size: 0),
    "flipped high in the length": change_byte(lambda size: 6),
    "flipped in the checksum of the length": change_byte(lambda size: 9),
    "flipped in the data": change_byte(lambda size: 12 + size // 2),
    "flipped in the checksum": change_byte(lambda size: 12 + size + 1),
    "cut by 1": shorten(1),
    "cut by 4": shorten(4),
    "cut by 12": shorten(12),
    "emptied": lambda path: path.write_bytes(b""),
    "removed": Path.unlink,
}
# What frames a record is read by TensorFlow alone.
FRAMING = [name for name in RECORD_DAMAGE if "length" in name or name.endswith("checksum")]
TRAINED = changed(
    TINY,
    {"variants": {name: HOW[name] for name in EACH_INPUT}},
    {"records": {"rows_per_record": 4, "shards": 3}, "splits": {"parts": PARTS}},
)


@pytest.mark.parametrize(
    ("variant", "compression", "damage"),
    [
        *((TF2[0], "none", damage) for damage in RECORD_DAMAGE),
        (TF2[0], "zlib", "flipped in the length"),
        *((variant, "none", "flipped in the data") for variant in EACH_INPUT[1:]),
        *((variant, "zlib", "flipped in the data") for variant in EACH_INPUT),
    ],
)
def test_damaged_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str, compression: str, damage: str
) -> None:
    """A line names the file and, where the file has its size, the byte; no thread is left."""
    spec = changed(TRAINED, {"records": {"compression": compression}})
    project = make(tmp_path, spec, points(ROWS))
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    path, byte = shard(project)
    RECORD_DAMAGE[damage](path)
    before = python_threads()
    line = refused(project, module, capsys)
    fault = f"damaged record at byte {byte}" if "flipped" in damage else "missing or cut"
    assert line == f"{path}: {fault}; prepare --fresh makes it anew"
    assert python_threads() <= before
    assert call(module, arguments(project, "work", "prepare", "--fresh")) == 0
    assert call(module, arguments(project, "work", "--steps", "1")) == 0


@pytest.mark.parametrize("variant", EACH_INPUT)
def test_a_damaged_record_that_is_validated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    """After training on what is whole, or by `evaluate`."""
    project = make(tmp_path, TRAINED, points(ROWS))
    module = project.load(variant)
    train(project, module, "--steps", "1")
    path, byte = shard(project, "validation-00001")
    RECORD_DAMAGE["flipped in the data"](path)
    message = f"{path}: damaged record at byte {byte}; prepare --fresh makes it anew"
    assert refused(project, module, capsys, "evaluate") == message
    assert call(module, arguments(project, "work")) == 2
    assert capsys.readouterr().err == f"{message}\n"


@pytest.mark.parametrize("damage", FRAMING)
def test_what_frames_a_record_is_nothing_to_numpy(tmp_path: Path, damage: str) -> None:
    """It takes the places of the records, and their checksums, from the manifest."""
    project = make(tmp_path, TRAINED, points(ROWS))
    module = project.load(TF14[0])
    whole = train(project, module, label="whole")
    RECORD_DAMAGE[damage](shard(project)[0])
    assert train(project, module, label="damaged").audit == whole.audit


@pytest.mark.parametrize("text", ["", "{", '{"parts": {}}', "[]", "\0"])
def test_damaged_manifest(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str], text: str
) -> None:
    project, module = tiny
    project.write(good())
    assert call(module, arguments(project, "work", "prepare")) == 0
    (manifest,) = project.records.glob("*/manifest.json")
    manifest.write_text(text)
    line = refused(project, module, capsys, "prepare")
    assert str(manifest.parent) in line
    assert call(module, arguments(project, "work", "prepare", "--fresh")) == 0


def test_an_altered_manifest(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """It may still look whole."""
    project, module = tiny
    project.write(good())
    assert call(module, arguments(project, "work", "prepare")) == 0
    (manifest,) = project.records.glob("*/manifest.json")
    found = json.loads(manifest.read_text())
    found["parts"]["train"]["rows"] -= 1
    manifest.write_text(json.dumps(found))
    fault = "its manifest is damaged; prepare --fresh makes it anew"
    assert refused(project, module, capsys, "prepare") == f"{manifest.parent}: {fault}"


def test_another_source_than_the_records_were_made_of(
    tiny: tuple[Project, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    project, module = tiny
    project.write(good())
    assert call(module, arguments(project, "work", "prepare")) == 0
    project.write({**good(), "count": np.zeros(ROWS)})
    line = refused(project, module, capsys, "prepare")
    assert "rows.npz" in line
    assert "changed" in line
    assert call(module, arguments(project, "work", "prepare", "--fresh")) == 0


def test_records_serve_without_their_source(tiny: tuple[Project, ModuleType]) -> None:
    project, module = tiny
    project.write(good())
    assert call(module, arguments(project, "work", "prepare")) == 0
    before = snapshot(project.records)
    project.data.unlink()
    assert call(module, arguments(project, "work", "prepare")) == 0
    assert snapshot(project.records) == before


# -- Folders that cannot be written ---------------------------------------------------------------


@each_target
@pytest.mark.parametrize("in_the_way", ["records", "work", "work/work", "work/work/checkpoints"])
def test_a_file_in_the_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], in_the_way: str, variant: str
) -> None:
    project = make(tmp_path, TRAINED, points(20))
    module = project.load(variant)
    if in_the_way != "records":
        assert call(module, arguments(project, "work", "prepare")) == 0
    path = project.root / in_the_way
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    line = refused(project, module, capsys, "--audit")
    assert str(path) in line


@pytest.mark.parametrize("flag", ["--records", "--workdir"])
def test_a_place_that_takes_no_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    """Not even root's."""
    project = make(tmp_path, TRAINED, points(20))
    line = refused(project, project.load(TF2[0]), capsys, flag, "/proc/specgen")
    assert "/proc/specgen" in line


@each_target
@pytest.mark.parametrize(
    ("name", "argv"),
    [("audit.jsonl", ["--audit"]), ("report.json", []), ("weights.npz", [])],
)
def test_a_folder_in_the_way(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    argv: list[str],
    variant: str,
) -> None:
    project = make(tmp_path, TRAINED, points(20))
    path = project.work() / name
    (path / "mine").mkdir(parents=True)
    assert call(project.load(variant), arguments(project, "work", *argv)) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert (path / "mine").exists()


def test_a_full_disk(tmp_path: Path) -> None:
    """A limit on the size of files stands for it; the program is the data module."""
    project = make(tmp_path, SPEC, good())
    limited = (
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "sys.argv[:] = ['tiny_data.py', '--records', 'records']\n"
        "runpy.run_path('generated/tiny_data.py', run_name='__main__')\n"
    )
    status, _, err = finish(start(project, ["-c", limited]))
    (line,) = lines(err)
    assert status == 2
    assert line.startswith("records/")
    assert not snapshot(project.records)


def test_as_a_program(tmp_path: Path) -> None:
    """One line and no more, beside what TensorFlow says of itself."""
    project = make(tmp_path, changed(SPEC, {"variants": {name: HOW[name] for name in EACH_TARGET}}))
    with_value("label", -1)(project)
    programs = [
        start(project, [str(project.script(variant))]) for variant in (*EACH_TARGET, "data")
    ]
    for program in programs:
        status, out, err = finish(program)
        assert (status, out) == (2, "")
        (line,) = lines(err)
        assert ROW in line
        assert not snapshot(project.root / "runs")


# -- Models that cannot be used -------------------------------------------------------------------

BROKEN = """
import keras
import tensorflow as tf

v1 = tf.compat.v1


def raises(*_):
    raise ValueError("no such\\nthing")


def too_narrow():
    return keras.layers.Dense(3)


def too_narrow_tf14(rows, training):
    return rows


def of_float64():
    return keras.layers.Dense(4, dtype="float64")


def of_float64_tf14(rows, training):
    return tf.cast(tf.matmul(rows, v1.get_variable("kernel", (3, 4))), tf.float64)


def half_of_the_rows_tf14(rows, training):
    return tf.matmul(rows[:2], v1.get_variable("kernel", (3, 4)))


def constant():
    return keras.layers.Lambda(lambda rows: rows @ tf.ones((3, 4)))


def constant_tf14(rows, training):
    return tf.matmul(rows, tf.ones((3, 4)))


def idle_tf14(rows, training):
    v1.get_variable("idle", (3, 4))
    return tf.matmul(rows, v1.get_variable("kernel", (3, 4)))


def normalized():
    return keras.Sequential([keras.layers.BatchNormalization(name="norm"), keras.layers.Dense(4)])


def normalized_tf14(rows, training):
    mean = v1.get_variable("mean", (), trainable=False)
    if training:
        with v1.name_scope("norm"):
            update = mean.assign(tf.reduce_mean(rows))
        v1.add_to_collection(v1.GraphKeys.UPDATE_OPS, update.op)
    return tf.matmul(rows, v1.get_variable("kernel", (3, 4)))


def unshared_tf14(rows, training):
    return tf.matmul(rows, v1.Variable(tf.zeros((3, 4))))
"""


@pytest.mark.parametrize(
    ("variant", "function", "fault"),
    [
        *((variant, "raises", "ValueError: no such; in ") for variant in EACH_TARGET),
        (TF2[0], "too_narrow", "gives float32 (1, 3) for a row, not float32 (1, 4)"),
        (TF14[0], "too_narrow_tf14", "gives float32 (4, 3), not float32 (4, 4)"),
        (TF14[0], "half_of_the_rows_tf14", "gives float32 (2, 4), not float32 (4, 4)"),
        (TF2[0], "of_float64", "gives float64 (1, 4) for a row, not float32 (1, 4)"),
        (TF14[0], "of_float64_tf14", "gives float64 (4, 4), not float32 (4, 4)"),
        (TF2[0], "constant", "has nothing to train"),
        (TF14[0], "constant_tf14", "has nothing to train"),
        *(
            (variant, "idle_tf14", "idle has no gradient; read it before tf.cond, or leave it out")
            for variant in TF14
        ),
        (TF2[0], "normalized", "norm would learn from padding; use train.last_batch: drop"),
        *(
            (variant, "normalized_tf14", " would learn from padding; use train.last_batch: drop")
            for variant in TF14
        ),
        (TF14[0], "unshared_tf14", "each call makes new variables; tf.get_variable shares them"),
    ],
)
def test_a_model_that_cannot_be_used(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variant: str,
    function: str,
    fault: str,
) -> None:
    model = {"model": {"layers": None, "import": f"models:{function}"}}
    project = make(tmp_path, changed(TINY, EACH_VARIANT, model), points(ROWS))
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "models.py").write_text(BROKEN)
    monkeypatch.delitem(sys.modules, "models", raising=False)
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    line = refused(project, module, capsys)
    assert line.startswith("model.import: ")
    assert fault in line


# -- What fails while batches are read ahead ------------------------------------------------------

MODEL = """
import itertools
import keras
import tensorflow as tf

calls = itertools.count(1)


def fail():
    if next(calls) == 4:
        raise ValueError("no such thing")


def checked(rows):
    with tf.control_dependencies([tf.numpy_function(fail, [], [])]):
        return tf.identity(rows)


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.logits = keras.layers.Dense(4)

    def call(self, rows, training=False):
        return self.logits(checked(rows))


def of_tf14(rows, training):
    return tf.matmul(checked(rows), tf.compat.v1.get_variable("kernel", (3, 4)))
"""
FAILING = changed(
    TINY,
    EACH_VARIANT,
    {"model": {"layers": None, "import": {"tf2": "models:Model", "tf1.4": "models:of_tf14"}}},
    {"train": {"checkpoint": {"every_steps": 2}}},
)


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose model fails once, in its fourth step."""
    project = make(tmp_path, FAILING, points(ROWS))
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "models.py").write_text(MODEL)
    monkeypatch.delitem(sys.modules, "models", raising=False)
    return project


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_model_that_fails(failing: Project, variant: str) -> None:
    """Its error comes out of `main`, nothing waits for ever, and the next run continues."""
    module = failing.load(variant)
    before = python_threads()
    with pytest.raises(tf.errors.OpError, match="no such thing"):
        call(module, arguments(failing, "work"))
    assert python_threads() <= before
    assert [path.stem[-2:] for path in Run(failing.work()).checkpoints] == ["02"]
    assert call(module, arguments(failing, "work")) == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_reading_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    project = make(tmp_path, changed(TINY, EACH_VARIANT), points(ROWS))
    module = project.load(variant)
    epoch = module.data.Records.epoch

    def fail(records: Any, number: int, *place: int) -> Any:
        if number:
            raise RuntimeError("no such thing")
        return epoch(records, number, *place)

    before = python_threads()
    with monkeypatch.context() as patch:
        patch.setattr(module.data.Records, "epoch", fail)
        with pytest.raises((RuntimeError, tf.errors.OpError), match="no such thing"):
            call(module, arguments(project, "work"))
    assert python_threads() <= before
    assert call(module, arguments(project, "work")) == 0


def test_programs_that_fail(failing: Project) -> None:
    """They end, with all the threads that call into Python."""
    programs = [start(failing, [str(failing.script(variant))]) for variant in EACH_INPUT]
    for program in programs:
        status, _, err = finish(program)
        assert status == 1
        assert "no such thing" in err
