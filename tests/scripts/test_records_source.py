"""TFRecords in place: nothing is rewritten, and each script finds the rows in the same order."""

import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from making import EACH_VARIANT, VARIANTS, Project, Spec, changed, make
from reference_order import Layout, chunks, ids_digest
from running import arguments, call, train
from sessions import EACH_INPUT, EACH_TARGET
from tfrecords import (
    CLASSES,
    CODECS,
    SPEC,
    framed,
    inflated,
    prepared,
    row,
    rows,
    write,
    write_files,
)
from wrong_examples import BAD, COUNT, FAULTS, SKIP, cut, flipped, good, with_x

SEED = 11
UNUSED: Spec = {"layers": None, "import": {"tf2": "m:f", "tf1.4": "m:f"}}
IN_PLACE: Spec = {"records": {"format": "source"}}
each_target = pytest.mark.parametrize("variant", EACH_TARGET)


def spec_of(layout: Layout, *changes: Spec) -> Spec:
    kind: Spec = {"kind": layout.shuffle}
    if layout.shuffle == "window":
        kind["rows"] = layout.window_rows
    change = {
        "records": {
            **IN_PLACE["records"],
            "rows_per_record": layout.rows_per_record,
            "read_cycle": layout.read_cycle,
        },
        "train": {
            "batch_size": layout.batch_size,
            "shuffle": kind,
            "last_batch": layout.last_batch,
            "seed": SEED,
        },
    }
    return changed(SPEC, change, *changes)


def ids_of(counts: list[int]) -> list[np.ndarray]:
    """The row ids of files of so many rows; those that have none are left out."""
    ends = np.cumsum(counts)
    return [np.arange(end - count, end) for count, end in zip(counts, ends, strict=True) if count]


def batches_of(layout: Layout, counts: list[int], epochs: int) -> list[list[int]]:
    """The rows of each step, by the definition."""
    batches = [
        batch.tolist()
        for epoch in range(epochs)
        for batch in chunks(layout.epoch_in_place(ids_of(counts), epoch, SEED), layout.batch_size)
    ]
    return [b for b in batches if layout.last_batch == "keep" or len(b) == layout.batch_size]


def read(module: ModuleType, batches: Any) -> Iterator[Any]:
    """What a pipeline of a script gives, as NumPy's arrays in the dtypes of the records."""
    found = batches.batches if hasattr(batches, "batches") else batches.as_numpy_iterator()
    return map(module.as_stored, found) if hasattr(module, "as_stored") else found


def delivered(module: ModuleType, batches: Any) -> list[list[int]]:
    """The ids of each batch, whose values must be those of its rows."""
    found = []
    for batch in read(module, batches):
        real = batch.row_id >= 0
        ids = batch.row_id[real].tolist()
        assert batch.x[real].tolist() == [row(number)["x"] for number in ids]
        assert batch.label[real].tolist() == [row(number)["label"] for number in ids]
        found.append(ids)
    return found


# -- Order ----------------------------------------------------------------------------------------

LAYOUTS: dict[str, tuple[list[int], Layout]] = {
    "one row": ([1], Layout(2, batch_size=4)),
    "one file": ([29], Layout(4, read_cycle=3, window_rows=9, batch_size=5)),
    "of equal length": ([8] * 5, Layout(3, read_cycle=2, window_rows=7, batch_size=4)),
    "of all lengths": (
        [3, 20, 1, 9, 0, 14, 2],
        Layout(2, read_cycle=3, window_rows=6, batch_size=4),
    ),
    "the first is short": ([1, 30], Layout(2, read_cycle=2, window_rows=4, batch_size=4)),
    "more in rotation than there are": ([5, 11, 2], Layout(3, read_cycle=8, window_rows=10)),
    "none in rotation": ([5, 11, 2], Layout(3, read_cycle=1, window_rows=10, batch_size=3)),
    "a window of one block": ([5, 11, 2], Layout(3, read_cycle=2, window_rows=1, batch_size=3)),
    "a window of all": ([5, 11, 2], Layout(3, read_cycle=2, window_rows=99, batch_size=3)),
    "blocks of one row": ([5, 11, 2], Layout(1, read_cycle=2, window_rows=4, batch_size=3)),
    "the last batch dropped": (
        [7, 7, 9],
        Layout(2, read_cycle=2, window_rows=5, batch_size=4, last_batch="drop"),
    ),
    "as stored": ([7, 1, 9], Layout(3, shuffle="none", batch_size=4)),
    "all at once": ([7, 1, 9], Layout(3, shuffle="full", batch_size=4)),
}


@pytest.mark.parametrize(("counts", "layout"), LAYOUTS.values(), ids=list(LAYOUTS))
def test_training_has_the_rows_of_the_definition(
    tmp_path: Path, counts: list[int], layout: Layout
) -> None:
    """From any step on, for both targets."""
    project = make(tmp_path, spec_of(layout))
    write_files(tmp_path, counts)
    expected = batches_of(layout, counts, epochs=2)
    for variant in EACH_TARGET:
        module = project.load(variant)
        records = prepared(project, module.data)
        assert module.steps_an_epoch(records) * 2 == len(expected)
        for start in {0, 1, len(expected) // 2, len(expected) - 1} & set(range(len(expected))):
            found = module.training_batches(records, SEED, start, len(expected))
            assert delivered(module, found) == expected[start:], (variant, start)
        stored = delivered(module, module.stored_batches(records, "train"))
        assert [row for batch in stored for row in batch] == list(range(sum(counts)))


@pytest.mark.parametrize("count", range(1, 14))
def test_every_number_of_rows(tmp_path: Path, count: int) -> None:
    """In files that are as different as they can be."""
    counts = [count - count // 2 - count // 5, count // 5, count // 2]
    layout = Layout(2, read_cycle=2, window_rows=5, batch_size=4)
    project = make(tmp_path, spec_of(layout))
    write_files(tmp_path, counts)
    expected = batches_of(layout, counts, epochs=2)
    for variant in EACH_TARGET:
        module = project.load(variant)
        records = prepared(project, module.data)
        found = module.training_batches(records, SEED, 0, len(expected))
        assert delivered(module, found) == expected, variant


def test_all_variants_read_the_same(tmp_path: Path) -> None:
    counts, layout = [3, 20, 1, 9], Layout(2, read_cycle=3, window_rows=6, batch_size=4)
    project = make(tmp_path, spec_of(layout, EACH_VARIANT))
    write_files(tmp_path, counts)
    expected = list(map(ids_digest, batches_of(layout, counts, epochs=2)))
    reports = []
    for variant in VARIANTS:
        run = train(project, project.load(variant), label=variant)
        assert [line["ids"] for line in run.audit] == expected
        assert run.report["rows_seen_once"] is True
        reports.append(run.report)
    assert len({report["content_digest"] for report in reports}) == 1


@each_target
def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, variant: str) -> None:
    """In the middle of a window, of a file and of an epoch."""
    project = make(tmp_path, spec_of(Layout(4, read_cycle=2, window_rows=10, batch_size=4)))
    write_files(tmp_path, [13, 2, 16])
    module = project.load(variant)
    whole = train(project, module, label="whole")
    for steps in ("3", "4", "11"):
        train(project, module, "--steps", steps)
    assert train(project, module).audit == whole.audit


# -- Values ---------------------------------------------------------------------------------------


def encodings() -> tuple[Spec, list[dict[str, Any]]]:
    """Every way to code a value, and rows that have all of them, or not."""
    described = {
        "int16": ({"dtype": "int16", "shape": [3]}, lambda n: [n, -n, 7]),
        "of_floats": ({"dtype": "int64"}, lambda n: float(n)),
        "float": ({"dtype": "float32", "shape": [2]}, lambda n: [n / 3, -1.0]),
        "half": ({"dtype": "float16"}, lambda n: n / 3),
        "double": (
            {"dtype": "float64", "shape": [2, 2]},
            lambda n: (np.arange(4.0) * n / 3).tobytes(),
        ),
        "missing": ({"dtype": "float64", "default": 0.5}, lambda n: float(n) if n % 5 else None),
        "lengths": (
            {"dtype": "int32", "shape": [None], "pad": {"length": 4, "value": -1}},
            lambda n: [n] * (n % 4),
        ),
        "missing_lengths": (
            {"dtype": "float32", "shape": [None], "pad": {"length": 3}, "default": 7},
            lambda n: np.full(n % 3, float(n)) if n % 4 else None,
        ),
        "bytes_of_any_length": (
            {"dtype": "int32", "shape": [None], "pad": {"length": 3, "value": 9}},
            lambda n: np.arange(n % 4, dtype="int32").tobytes(),
        ),
        "color": (
            {"dtype": "int64", "encoding": "text", "vocabulary": ["red", "green"], "default": 2},
            lambda n: ["red", "green", "blue", None][n % 4],
        ),
        "words": (
            {
                "dtype": "int32",
                "shape": [None],
                "encoding": "tokens",
                "hash_buckets": 50,
                "pad": {"length": 3},
            },
            lambda n: " ".join(["a", "bb", "c"][: n % 4]),
        ),
        "flag": ({"dtype": "bool"}, lambda n: bytes([n % 2])),
        "truth": ({"dtype": "bool"}, lambda n: n % 2),
    }
    placeholders = {key: description for key, (description, _) in described.items()}
    lines = []
    for number in range(41):
        values = {key: value(number) for key, (_, value) in described.items()}
        kept = {key: value for key, value in values.items() if value is not None}
        lines.append({**kept, "label": number % 4})
    return {"placeholders": {"x": None, **placeholders}, "model": UNUSED}, lines


def test_graph_and_numpy_read_the_values_that_are_packed(tmp_path: Path) -> None:
    change, lines = encodings()
    found: dict[str, dict[str, np.ndarray]] = {}
    for form in ("packed", "source"):
        spec = changed(SPEC, change, {"records": {"format": form, "rows_per_record": 4}})
        project = make(tmp_path / form, spec)
        for number, part in enumerate(chunks(lines, 15)):
            write(project.root / "data" / f"{number}.tfrecord", part)
        for variant in EACH_TARGET:
            module = project.load(variant)
            records = prepared(project, module.data)
            batches = list(read(module, module.stored_batches(records, "train")))
            rows = module.Batch(*map(np.concatenate, zip(*batches, strict=True)))
            order = np.argsort(rows.row_id)[-len(lines) :]
            found[f"{form} {variant}"] = {
                name: values[order] for name, values in rows._asdict().items()
            }
    first, *others = found.values()
    for other in others:
        for name, values in first.items():
            assert values.dtype == other[name].dtype, name
            assert np.array_equal(values, other[name]), name
    assert first["row_id"].tolist() == list(range(len(lines)))
    assert first["missing_lengths"][:5].tolist() == [
        *([7, 0, 0], [1, 0, 0], [2, 2, 0], [0, 0, 0], [7, 0, 0])
    ]


# -- What is kept ---------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", CODECS)
def test_only_the_files_are_counted(tmp_path: Path, compression: str) -> None:
    project = make(tmp_path, spec_of(Layout(4)))
    paths = write_files(tmp_path, [9, 0, 5], compression)
    before = [path.read_bytes() for path in paths]
    records = prepared(project, project.load(EACH_TARGET[0]).data)
    assert [path.read_bytes() for path in paths] == before
    folder = Path(records.folder)
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "source.json"]
    manifest = json.loads((folder / "manifest.json").read_text())
    train = manifest["parts"]["train"]
    assert train["rows"] == manifest["rows"] == 14
    assert train["ids"] == ids_digest(range(14))
    assert [shard["blocks"] for shard in train["shards"]] == [[[4], [4], [1]], [[4], [1]]]
    assert manifest["disjoint"] is manifest["complete"] is True


@each_target
def test_a_file_for_each_part(tmp_path: Path, variant: str) -> None:
    parts = {part: f"../data/{part}.tfrecord" for part in ("train", "validation", "test")}
    given = {"source": {"pattern": None}, "splits": {"method": "given", "parts": parts}}
    project = make(tmp_path, spec_of(Layout(4, batch_size=4), given))
    for part, first, count in (("train", 0, 13), ("validation", 13, 4), ("test", 17, 3)):
        write(tmp_path / "data" / f"{part}.tfrecord", rows(count, first))
    module = project.load(variant)
    records = prepared(project, module.data)
    for part, ids in (("validation", range(13, 17)), ("test", range(17, 20))):
        batches = delivered(module, module.stored_batches(records, part))
        assert [row for batch in batches for row in batch] == list(ids)
    report = train(project, module).report
    assert report["splits"] == {"train": 13, "validation": 4, "test": 3}
    assert report["rows_seen_once"] is True


def test_files_of_different_compressions(tmp_path: Path) -> None:
    layout = Layout(2, read_cycle=2, window_rows=5, batch_size=4)
    project = make(tmp_path, spec_of(layout))
    for number, compression in enumerate([*CODECS, *CODECS]):
        write(tmp_path / "data" / f"{number}.tfrecord", rows(4, 4 * number), compression)
    expected = batches_of(layout, [4] * 6, epochs=2)
    for variant in EACH_TARGET:
        module = project.load(variant)
        records = prepared(project, module.data)
        found = module.training_batches(records, SEED, 0, len(expected))
        assert delivered(module, found) == expected


@each_target
def test_the_files_may_be_elsewhere(tmp_path: Path, variant: str) -> None:
    """Their names, seen from the folder that is named, stay the same."""
    project = make(tmp_path, spec_of(Layout(4, batch_size=4)))
    write_files(tmp_path, [9, 5])
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    (tmp_path / "other" / "specs").mkdir(parents=True)
    (tmp_path / "data").rename(tmp_path / "other" / "data")
    place = ["--source", str(tmp_path / "other" / "specs")]
    assert call(module, arguments(project, "work", "--steps", "1", *place)) == 0


# -- What is wrong --------------------------------------------------------------------------------

# What is told in another way than where records are written: each feature is in one kind of list.
OTHERWISE = {
    "no kind": "x: no such feature; there are label, x",
    "bytes for numbers": "x: bytes_list, elsewhere it is int64_list",
    "bytes of no size": "x: bytes_list, elsewhere it is int64_list",
    "two bytes": "x: bytes_list, elsewhere it is int64_list",
    "a fraction": "x: float_list, elsewhere it is int64_list",
    "a label of a half": "label: float_list, elsewhere it is int64_list",
    "rounded": "x: int64_list, elsewhere it is float_list",
    "a byte that is no bool": "x: bytes_list, elsewhere it is int64_list",
    "numbers for a text": "x: int64_list, elsewhere it is bytes_list",
}


def read_all(module: ModuleType, project: Project) -> int:
    """The status of a command that reads an epoch for training."""

    def reading(options: Any, stop: Any) -> None:
        records = module.data.prepare(options, stop)
        steps = module.steps_an_epoch(records)
        for _ in read(module, module.training_batches(records, SEED, 0, steps)):
            pass

    options = Namespace(records=str(project.records), source=module.data.SOURCE, fresh=False)
    return module.data.run(reading, options, None)


@pytest.mark.parametrize("name", FAULTS)
@each_target
def test_an_example_that_is_wrong_is_named_while_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str, name: str
) -> None:
    """A graph knows of no file: what is wrong is looked for when it has failed."""
    description, bad, fault = FAULTS[name]
    layout = Layout(4, read_cycle=2, window_rows=8, batch_size=4)
    project = make(tmp_path, spec_of(layout, with_x(description)))
    lines = [good(description, number) for number in range(COUNT)]
    write(tmp_path / "data" / "a.tfrecord", lines[:20])
    write(tmp_path / "data" / "b.tfrecord", [*lines[:BAD], bad, *lines[BAD + 1 :]])
    module = project.load(variant)
    prepared(project, module.data)
    capsys.readouterr()
    assert read_all(module, project) == 2
    place = f"{tmp_path}/data/b.tfrecord: record {BAD}"
    assert capsys.readouterr().err == f"{place}: {OTHERWISE.get(name, fault)}\n"


@pytest.mark.parametrize("variant", EACH_INPUT)
def test_a_label_that_no_class_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    """In a real training; what it learned before is kept."""
    layout = Layout(4, shuffle="none", batch_size=4)
    project = make(
        tmp_path, spec_of(layout, EACH_VARIANT, {"train": {"checkpoint": {"every_steps": 2}}})
    )
    write(tmp_path / "data" / "a.tfrecord", [*rows(30), {**row(30), "label": 4}, *rows(9, 31)])
    module = project.load(variant)
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    fault = "record 30: label: 4 is not in 0 to 3"
    assert capsys.readouterr().err == f"{tmp_path}/data/a.tfrecord: {fault}\n"


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([{"x": [1, 2]}], "label: no such feature; there are x"),
        ([{"X": [1, 2], "label": 0}], "x: no such feature; there are X, label"),
    ],
)
def test_a_feature_that_no_record_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[Any], fault: str
) -> None:
    """Told before any training: the first records are looked at."""
    project = make(tmp_path, spec_of(Layout(4)))
    write(tmp_path / "data" / "a.tfrecord", lines * 9)
    capsys.readouterr()
    assert call(project.load(EACH_TARGET[0]), arguments(project, "work", "prepare")) == 2
    assert capsys.readouterr().err == f"{tmp_path}/data/a.tfrecord: {fault}\n"


def test_a_default_that_the_list_cannot_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make(tmp_path, spec_of(Layout(4), with_x({"dtype": "float32", "default": 0.5})))
    write(tmp_path / "data" / "a.tfrecord", [{"x": 1, "label": 0}] * 9)
    capsys.readouterr()
    assert call(project.load(EACH_TARGET[0]), arguments(project, "work", "prepare")) == 2
    fault = "x: int64_list cannot hold its default 0.5"
    assert capsys.readouterr().err == f"{tmp_path}/data/a.tfrecord: {fault}\n"


@pytest.mark.parametrize("count", [1, 4, 12])
@pytest.mark.parametrize("compression", CODECS)
def test_a_file_that_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], compression: str, count: int
) -> None:
    """Told when it is counted."""
    project = make(tmp_path, spec_of(Layout(4)))
    path = write_files(tmp_path, [20], compression)[0]
    places = [start for start, _ in framed(inflated(path, compression))]
    path.write_bytes(cut(count)(path.read_bytes()))
    capsys.readouterr()
    assert call(project.load(EACH_TARGET[0]), arguments(project, "work", "prepare")) == 2
    line = capsys.readouterr().err
    assert line.startswith(f"{path}: record ")
    assert line.endswith("; source.on_error: skip leaves out the rest of the file\n")
    if compression == "none":
        assert f": record 19: damaged at byte {places[19]}; " in line


@pytest.mark.parametrize("variant", EACH_INPUT)
def test_a_flipped_bit_is_found_while_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    project = make(tmp_path, spec_of(Layout(4, batch_size=4), EACH_VARIANT))
    path = write_files(tmp_path, [20, 9])[0]
    start = [start for start, _ in framed(path.read_bytes())][7]
    path.write_bytes(flipped(7, 20)(path.read_bytes()))
    module = project.load(variant)
    assert call(module, arguments(project, "work", "prepare")) == 0
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    remedy = "source.on_error: skip leaves out the rest of the file"
    fault = f"record 7: damaged at byte {start}; {remedy}"
    assert capsys.readouterr().err == f"{path}: {fault}\n"


@pytest.mark.parametrize("variant", EACH_INPUT)
def test_records_that_went_after_they_were_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str
) -> None:
    """Between two epochs, as no file is looked at again before it is opened."""
    project = make(tmp_path, spec_of(Layout(4, batch_size=4), EACH_VARIANT))
    path = write_files(tmp_path, [20, 9])[0]
    module = project.load(variant)
    prepared(project, module.data)
    write(path, rows(17))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.data, "check_source", lambda *_: None)
        capsys.readouterr()
        assert call(module, arguments(project, "work")) == 2
    fault = "record 17: gone since records were counted; prepare --fresh counts them anew"
    assert capsys.readouterr().err == f"{path}: {fault}\n"


@pytest.mark.parametrize("damage", [cut(1), flipped(7, 20), flipped(7, 0)])
def test_the_rest_of_a_damaged_file_is_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[bytes], bytes]
) -> None:
    """Its id stays free, and is that of nobody."""
    project = make(tmp_path, spec_of(Layout(4, read_cycle=2, window_rows=8, batch_size=4), SKIP))
    path = write_files(tmp_path, [20, 20, 20])[1]
    starts = [start for start, _ in framed(path.read_bytes())]
    path.write_bytes(damage(path.read_bytes()))
    seen = []
    for variant in EACH_TARGET:
        module = project.load(variant)
        capsys.readouterr()
        records = prepared(project, module.data)
        seen.append(capsys.readouterr().err)
        kept = records.rows("train") - 40
        assert records.manifest["rows"] == 40 + kept + 1
        batches = read(module, module.stored_batches(records, "train"))
        batch = module.Batch(*map(np.concatenate, zip(*batches, strict=True)))
        real = batch.row_id >= 0
        assert batch.x[real][:, 0].tolist() == [*range(20 + kept), *range(40, 60)]
        after = range(20 + kept + 1, 41 + kept)
        assert batch.row_id[real].tolist() == [*range(20 + kept), *after]
        report = train(project, module, label=variant).report
        assert report["rows_seen_once"] is True
    fault = f"record {kept}: damaged at byte {starts[kept]}; the rest of the file is skipped"
    assert seen == [f"{path}: {fault}\n", ""]  # counted once


def test_more_damaged_files_than_may_be_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make(tmp_path, spec_of(Layout(4), SKIP))
    faults = []
    for path in write_files(tmp_path, [20, 20]):
        start = [start for start, _ in framed(path.read_bytes())][19]
        faults.append(f"{path}: record 19: damaged at byte {start}; ")
        path.write_bytes(cut(1)(path.read_bytes()))
    capsys.readouterr()
    assert call(project.load(EACH_TARGET[0]), arguments(project, "work", "prepare")) == 2
    first, second = "the rest of the file is skipped\n", "source.max_errors is 1\n"
    assert capsys.readouterr().err == f"{faults[0]}{first}{faults[1]}{second}"


def test_files_without_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = make(tmp_path, spec_of(Layout(4)))
    paths = write_files(tmp_path, [0, 0])
    capsys.readouterr()
    assert call(project.load(EACH_TARGET[0]), arguments(project, "work", "prepare")) == 2
    warnings = [f"{path}: warning: it has no records\n" for path in paths]
    last = f"{tmp_path}/generated/../specs: has no rows\n"
    assert capsys.readouterr().err == "".join(warnings) + last


def test_a_part_without_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = {part: f"../data/{part}.tfrecord" for part in ("train", "test")}
    given = {"source": {"pattern": None}, "splits": {"method": "given", "parts": parts}}
    project = make(tmp_path, spec_of(Layout(4, batch_size=4), given))
    write(tmp_path / "data" / "train.tfrecord", rows(9))
    path = write(tmp_path / "data" / "test.tfrecord", [])
    capsys.readouterr()
    assert call(project.load(EACH_TARGET[0]), arguments(project, "work", "prepare")) == 2
    warning = f"{path}: warning: it has no records\n"
    fault = f"{tmp_path}/generated/../specs: of its 9 rows test gets none\n"
    assert capsys.readouterr().err == warning + fault


@each_target
@pytest.mark.parametrize("change", ["a value", "a row more", "a file more", "a file less"])
def test_files_that_have_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str, change: str
) -> None:
    """Also a value alone, which no length tells."""
    project = make(tmp_path, spec_of(Layout(4, batch_size=4)))
    paths = write_files(tmp_path, [20, 9])
    module = project.load(variant)
    folder = prepared(project, module.data).folder
    path, what = paths[1], "changed"
    if change == "a value":
        write(path, [*rows(8, 20), {**row(28), "x": [28, 198]}])
    elif change == "a row more":
        write(path, rows(10, 20))
    elif change == "a file more":
        path, what = write(tmp_path / "data" / "2.tfrecord", rows(2, 29)), "new"
    else:
        path.unlink()
        what = "gone"
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    advice = f"since; prepare --fresh makes {folder} anew"
    assert capsys.readouterr().err == f"{path}: {what} {advice}\n"
    assert call(module, arguments(project, "work", "prepare", "--fresh")) == 0


def test_files_that_are_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing else to read."""
    project = make(tmp_path, spec_of(Layout(4, batch_size=4)))
    (path,) = write_files(tmp_path, [20])
    module = project.load(EACH_TARGET[0])
    prepared(project, module.data)
    path.unlink()
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    fault = "no file in it matches ../data/*.tfrecord; --source names another folder"
    assert capsys.readouterr().err == f"{tmp_path}/generated/../specs: {fault}\n"


@pytest.mark.parametrize("declared", CODECS)
@pytest.mark.parametrize("written", CODECS)
def test_a_compression_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], declared: str, written: str
) -> None:
    spec = spec_of(Layout(4, batch_size=4), {"source": {"compression": declared}})
    project = make(tmp_path, spec)
    (path,) = write_files(tmp_path, [20], written)
    module = project.load(EACH_TARGET[0])
    capsys.readouterr()
    status = call(module, arguments(project, "work", "--steps", "1"))
    looks = {"none": "plain records", "gzip": "GZIP", "zlib": "ZLIB"}[written]
    fault = f"{path} looks like {looks} but source.compression is {declared}\n"
    expected = (0, "") if declared == written else (2, fault)
    assert (status, capsys.readouterr().err) == expected


# -- Images ---------------------------------------------------------------------------------------


def pictures(count: int) -> list[dict[str, Any]]:
    """Rows with images of several sizes and formats."""
    random = np.random.RandomState(0)
    lines = []
    for number in range(count):
        pixels = random.randint(0, 256, (9 + number % 4, 12, 3)).astype("uint8")
        encode = tf.io.encode_jpeg if number % 2 else tf.io.encode_png
        lines.append({"x": encode(pixels).numpy(), "label": number % CLASSES})
    return lines


def image(dtype: str, **how: Any) -> Spec:
    x = {
        "dtype": dtype,
        "shape": [8, 8, 3],
        "encoding": "image",
        "image": {"resize": [8, 8], **how},
    }
    return {"placeholders": {"x": x}, "model": {"layers": ["flatten", {"dense": {"units": 4}}]}}


@pytest.mark.parametrize(
    ("dtype", "crop"), [("uint8", "none"), ("string", "none"), ("uint8", "random")]
)
def test_images_are_the_same_in_all_records(tmp_path: Path, dtype: str, crop: str) -> None:
    """Decoded when they are prepared, or when they are read."""
    contents = set()
    for form in ("packed", "example", "source"):
        forms = ["string"] if dtype == "string" and form != "source" else ["uint8"]
        layout = Layout(4, shuffle="none", batch_size=4)
        spec = changed(spec_of(layout, image(*forms, crop=crop)), {"records": {"format": form}})
        if form != "source":
            spec = changed(spec, {"records": {"order": "source"}})
        project = make(tmp_path / form, spec)
        for number, lines in enumerate(chunks(pictures(13), 5)):
            write(project.root / "data" / f"{number}.tfrecord", lines)
        for variant in EACH_TARGET:
            report = train(project, project.load(variant), label=variant).report
            contents.add((report["order_digest"], report["content_digest"]))
    assert len(contents) == 1


@pytest.mark.parametrize("form", ["example", "source"])
@each_target
def test_a_damaged_image_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str, form: str
) -> None:
    """By `prepare`, or in place while it is trained on."""
    spec = changed(spec_of(Layout(4, shuffle="none", batch_size=4), image("uint8")))
    project = make(tmp_path, changed(spec, {"records": {"format": form}}))
    lines = pictures(13)
    lines[9]["x"] = lines[9]["x"][:200]
    write(tmp_path / "data" / "a.tfrecord", lines)
    module = project.load(variant)
    capsys.readouterr()
    assert call(module, arguments(project, "work")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{tmp_path}/data/a.tfrecord: record 9: x: ")
