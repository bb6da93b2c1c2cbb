"""Records of format example: any tool reads them; the rows and their order are those of packed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import reference_order
from making import EACH_VARIANT, PARTS, TINY, Project, Spec, changed, make, points
from reference_order import Layout
from running import arguments, call, finish, lines, records_of, snapshot, start, train
from sessions import EACH_INPUT, EACH_TARGET, TF2, TF14
from tfrecords import CODECS, framed, inflated

EXAMPLE: Spec = {"records": {"format": "example"}}
SEED = 5


def files(project: Project, part: str = "*") -> list[str]:
    return sorted(map(str, project.records.glob(f"*/{part}-*.tfrecord")))


# -- As other tools see them ----------------------------------------------------------------------

COLUMNS: dict[str, tuple[Spec, np.ndarray]] = {
    "a bool": ({"dtype": "bool"}, np.arange(20) % 3 == 0),
    "uint8": ({"dtype": "uint8"}, np.arange(236, 256).astype("uint8")),
    "pixels": ({"dtype": "uint8", "shape": [2, 3]}, np.arange(120).reshape(20, 2, 3)),
    "int8": ({"dtype": "int8", "shape": [2]}, np.arange(-20, 20).reshape(20, 2)),
    "uint16": ({"dtype": "uint16"}, np.arange(65516, 65536)),
    "int32": ({"dtype": "int32"}, -np.arange(20) * 2**26),
    "int64": ({"dtype": "int64", "shape": [2, 1]}, np.arange(40).reshape(20, 2, 1) * 2**57),
    "float16": ({"dtype": "float16", "shape": [2]}, np.arange(40).reshape(20, 2) / 8),
    "naïve": ({"dtype": "float32"}, (np.arange(20) / 3).astype("float32")),
    "float64": ({"dtype": "float64", "shape": [2]}, np.arange(40).reshape(20, 2) / 3),
    "row_id": ({"dtype": "int64"}, np.arange(20) + 100),
    "label": ({"dtype": "int64", "role": "label", "classes": 4}, np.arange(20) % 4),
}
# What a reader needs to know of them.
SCHEMA = {
    "a bool": tf.io.FixedLenFeature([], tf.int64),
    "uint8": tf.io.FixedLenFeature([], tf.int64),
    "pixels": tf.io.FixedLenFeature([], tf.string),
    "int8": tf.io.FixedLenFeature([2], tf.int64),
    "uint16": tf.io.FixedLenFeature([], tf.int64),
    "int32": tf.io.FixedLenFeature([], tf.int64),
    "int64": tf.io.FixedLenFeature([2, 1], tf.int64),
    "float16": tf.io.FixedLenFeature([2], tf.float32),
    "naïve": tf.io.FixedLenFeature([], tf.float32),
    "float64": tf.io.FixedLenFeature([], tf.string),
    "row_id": tf.io.FixedLenFeature([], tf.int64),
    "row_id_": tf.io.FixedLenFeature([], tf.int64),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


@pytest.mark.parametrize("compression", CODECS)
def test_any_tool_reads_them(tmp_path: Path, compression: str) -> None:
    """Knowing nothing but the schema: values, and the ids of the rows in the source."""
    spec = changed(
        TINY,
        {
            "placeholders": {
                "x": None,
                "label": None,
                **{key: description for key, (description, _) in COLUMNS.items()},
            },
            "model": {"layers": None, "import": "models:unused"},
            "records": {"format": "example", "compression": compression, "rows_per_record": 3},
        },
    )
    project = make(tmp_path, spec, {key: column for key, (_, column) in COLUMNS.items()})
    records_of(project, project.load())
    examples = tf.data.TFRecordDataset(files(project), CODECS[compression]).batch(20)
    (found,) = (tf.io.parse_example(batch, SCHEMA) for batch in examples)
    ids = found.pop("row_id_").numpy()
    stored = reference_order.stored(np.arange(20), "train", splits_seed=0)
    assert ids.tolist() == stored.tolist()
    for key, (description, column) in COLUMNS.items():
        values = found[key]
        if values.dtype == tf.string:
            shape = (-1, *description["shape"])
            values = tf.reshape(tf.io.decode_raw(values, description["dtype"]), shape)
        assert np.array_equal(values.numpy(), column[ids]), key


def test_their_order_is_that_of_the_blocks(tmp_path: Path) -> None:
    """A file is a shard; each but the last has equally many blocks."""
    layout = {"rows_per_record": 3, "shards": 4}
    project = make(tmp_path, changed(TINY, EXAMPLE, {"records": layout}), points(29))
    records = records_of(project, project.load())
    (manifest,) = project.records.glob("*/manifest.json")
    shards = json.loads(manifest.read_text())["parts"]["train"]["shards"]
    assert [shard["blocks"] for shard in shards] == [[[3]] * 3] * 3 + [[[2]]]
    stored = reference_order.stored(np.arange(29), "train", splits_seed=0)
    ids = [
        [int(tf.train.Example.FromString(data).features.feature["row_id"].int64_list.value[0])]
        for path in files(project)
        for _, data in framed(Path(path).read_bytes())
    ]
    assert np.ravel(ids).tolist() == stored.tolist()
    assert records.rows("train") == 29


# -- As scripts read them -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shuffle", "compression"),
    [("window", "none"), ("window", "gzip"), ("none", "zlib"), ("full", "none")],
)
def test_they_are_read_as_packed_records_are(
    tmp_path: Path, shuffle: str, compression: str
) -> None:
    """By both targets: the same rows at the same steps, and the same values."""
    kind: Spec = {"kind": shuffle, "rows": 11} if shuffle == "window" else {"kind": shuffle}
    spec = changed(
        TINY,
        EACH_VARIANT,
        {
            "splits": {"parts": PARTS},
            "records": {"rows_per_record": 3, "shards": 4, "read_cycle": 2},
            "train": {"shuffle": kind},
        },
    )
    digests = set()
    for form, chosen in (("packed", "gzip"), ("example", compression)):
        change = {"records": {"format": form, "compression": chosen}}
        project = make(tmp_path / form, changed(spec, change), points(47))
        for variant in EACH_TARGET:
            report = train(project, project.load(variant), label=variant).report
            assert report["rows_seen_once"] is True
            figures = {**report["validation"], **report["test"]}
            assert report["splits"] == {"train": 37, "validation": 5, "test": 5}
            digests.add((report["order_digest"], report["content_digest"]))
            assert figures.keys() == {"loss"}
    assert len(digests) == 1


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[Project, Any]]:
    """A project of so many rows; its scripts are the same."""
    spec = changed(
        TINY,
        {"variants": EACH_VARIANT["variants"]},
        {
            "records": {
                "format": "example",
                "rows_per_record": 2,
                "shards": 3,
                "read_cycle": 2,
                "compression": "zlib",
            }
        },
        {"train": {"shuffle": {"kind": "window", "rows": 5}}},
    )
    made = make(tmp_path_factory.mktemp("tiny"), spec)

    def with_rows(rows: int) -> tuple[Project, Any]:
        project = make(tmp_path_factory.mktemp(f"rows_{rows}"), spec, points(rows))
        return project, {variant: made.load(variant) for variant in EACH_TARGET}

    return with_rows


LAYOUT = Layout(2, 3, 2, window_rows=5, batch_size=4)


@pytest.mark.parametrize("rows", range(1, 14))
def test_every_number_of_rows(tiny: Callable[[int], tuple[Project, Any]], rows: int) -> None:
    """From every step on."""
    project, modules = tiny(rows)
    stored = reference_order.stored(np.arange(rows), "train", splits_seed=0)
    batches = LAYOUT.batches(stored, SEED, epochs=2)
    columns = points(rows)
    for module in modules.values():
        records = records_of(project, module)
        for first in range(len(batches)):
            found = module.training_batches(records, SEED, first, len(batches))
            for batch, ids in zip(read(module, found), batches[first:], strict=True):
                real = batch.row_id >= 0
                assert batch.row_id[real].tolist() == ids.tolist()
                assert np.array_equal(batch.x[real], columns["x"][ids])
                assert np.array_equal(batch.label[real], columns["label"][ids])


def read(module: Any, batches: Any) -> list[Any]:
    """What a pipeline of a script gives, as NumPy's arrays."""
    if hasattr(batches, "as_numpy_iterator"):
        return list(batches.as_numpy_iterator())
    return [module.as_stored(batch) for batch in batches.batches]


@pytest.mark.parametrize("variant", EACH_TARGET)
def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, variant: str) -> None:
    """In the middle of a window, of a block and of an epoch."""
    spec = changed(
        TINY,
        EACH_VARIANT,
        EXAMPLE,
        {
            "records": {"rows_per_record": 4, "shards": 3},
            "train": {"shuffle": {"kind": "window", "rows": 10}},
        },
    )
    project = make(tmp_path, spec, points(31))
    module = project.load(variant)
    whole = train(project, module, label="whole")
    for steps in ("3", "4", "11"):
        train(project, module, "--steps", steps)
    assert train(project, module).audit == whole.audit


# -- Damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", CODECS)
@pytest.mark.parametrize("variant", EACH_INPUT)
def test_a_damaged_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str, compression: str
) -> None:
    spec = changed(TINY, EACH_VARIANT, {"records": {**EXAMPLE["records"], "shards": 2}})
    spec = changed(spec, {"records": {"compression": compression, "rows_per_record": 16}})
    project = make(tmp_path, spec, points(64))
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    path = Path(files(project)[-1])
    content = bytearray(path.read_bytes())
    places = [start for start, _ in framed(inflated(path, compression))]
    if compression == "none":
        content[places[20] + 30] ^= 4
        fault = f"damaged record 20 at byte {places[20]}"
    else:
        content[len(content) // 2] ^= 4
        fault = "damaged record 0 at byte 0 of what is inflated"
    path.write_bytes(content)
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    assert capsys.readouterr().err == f"{path}: {fault}; prepare --fresh makes it anew\n"
    assert call(module, arguments(project, "work", "prepare", "--fresh")) == 0
    assert call(module, arguments(project, "work", "--steps", "1")) == 0


@pytest.mark.parametrize("variant", [TF2[0], TF14[0]])
def test_a_file_that_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    project = make(tmp_path, changed(TINY, EACH_VARIANT, EXAMPLE), points(64))
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    path = Path(files(project)[-1])
    path.write_bytes(path.read_bytes()[:-1])
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    fault = "missing or cut; prepare --fresh makes it anew"
    assert capsys.readouterr().err == f"{path}: {fault}\n"


@pytest.mark.parametrize("compression", CODECS)
def test_a_full_disk(tmp_path: Path, compression: str) -> None:
    """A limit on the size of files stands for it. Nothing that looks whole is left."""
    spec = changed(TINY, {"records": {"format": "example", "compression": compression}})
    project = make(tmp_path, spec, points(640))
    limited = (
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "sys.argv[:] = ['tiny_data.py', '--records', 'records']\n"
        "runpy.run_path('generated/tiny_data.py', run_name='__main__')\n"
    )
    status, _, err = finish(start(project, ["-c", limited]))
    (line,) = lines(err)
    assert status == 2
    assert line.startswith("records/")
    assert "train-00000.tfrecord" in line
    assert not snapshot(project.records)
