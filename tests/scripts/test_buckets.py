"""Batches are as wide as their rows need, and nothing else changes: order, contents and losses.

Rows of each dtype are padded by 0 to 24 cells and trained on in batches of 8, 16 or 24 cells, each
dtype by itself, by a model to which padding means nothing.
"""

import re
import shutil
from argparse import Namespace
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import reference_order
import user_models
from making import HOW, TINY, VARIANTS, Project, Spec, changed, make
from matrix import DATA, FEATURES, KEPT_BY_A_PLAIN_WIRE, imported
from reference_order import Layout
from running import Run, arguments, call, lines, train
from sessions import TF2, TF14, opened
from test_versions import FIRST, each_other_version, run_of, run_with
from user_models import DTYPES

HERE = Path(__file__).parent
WIDTHS = (8, 16, 24)
ROWS = list(user_models.rows_of_each_dtype())
PARTS = {"train": 0.8, "validation": 0.2}
EPOCHS, SEED, BATCH = 2, TINY["train"]["seed"], TINY["train"]["batch_size"]
EACH_LAST = ("keep", "drop")
each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_last = pytest.mark.parametrize("last_batch", EACH_LAST)


def spec_of(bucketed: bool, last_batch: str, *changes: Spec, dtypes: Any = DTYPES) -> Spec:
    """A spec of all methods; it is the same one but for the buckets."""
    pad = {"length": WIDTHS[-1], **({"buckets": list(WIDTHS[:-1])} if bucketed else {})}
    inputs = {dtype: {"dtype": dtype, "shape": [None], "pad": pad} for dtype in dtypes}
    return changed(
        TINY,
        {
            "name": f"{'narrow' if bucketed else 'wide'}_{last_batch}",
            "source": {"kind": "python", "path": None, "import": "user_models:rows_of_each_dtype"},
            "placeholders": {"x": None, **inputs},
            "splits": {"parts": PARTS},
            "train": {"last_batch": last_batch},
            "variants": HOW,
        },
        imported("sums"),
        *changes,
    )


def made(root: Path, spec: Spec) -> Project:
    project = make(root, spec)
    if not (root / "specs").exists():  # or else it would be newer than the records of its rows
        (root / "specs").mkdir()
        shutil.copy(HERE / "user_models.py", root / "specs")
    return project


@pytest.fixture(scope="module")
def project_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Project]:
    root = tmp_path_factory.mktemp("buckets")

    def found(bucketed: bool, last_batch: str) -> Project:
        return made(root, spec_of(bucketed, last_batch))

    return found


# -- What a batch is expected to be ---------------------------------------------------------------


def batches(last_batch: str) -> list[np.ndarray]:
    """The ids of the rows of each step, by the definition of the order."""
    ids = reference_order.even(len(ROWS), tuple(PARTS.values()))[0]
    layout = Layout(batch_size=BATCH, last_batch=last_batch)
    return list(layout.batches(reference_order.stored(ids, "train", 0), SEED, EPOCHS))


def padded(dtype: str) -> np.ndarray:
    """All rows of a dtype, of full length."""
    result = np.zeros((len(ROWS), WIDTHS[-1]), dtype)
    for row, values in zip(result, ROWS, strict=True):
        row[: len(values[dtype])] = values[dtype]
    return result


def width(rows: np.ndarray) -> int:
    """What rows need: a cell of other bits than padding has, 0, is none of that."""
    cells = np.ascontiguousarray(rows).view("uint8").reshape((*rows.shape, -1)).any(axis=2)
    longest = max(
        (column + 1 for column in range(rows.shape[1]) if cells[:, column].any()), default=0
    )
    return min(width for width in WIDTHS if width >= longest)


def expected_widths(last_batch: str) -> list[dict[str, int]]:
    columns = {dtype: padded(dtype) for dtype in DTYPES}
    return [{d: width(c[ids]) for d, c in columns.items()} for ids in batches(last_batch)]


@each_last
def test_the_rows_test_what_they_should(last_batch: str) -> None:
    """Widths of every kind, up and down, and the last batch of an epoch among them."""
    found = expected_widths(last_batch)
    for dtype in DTYPES:
        widths = [each[dtype] for each in found]
        assert len(set(widths)) > 1
        assert any(a < b for a, b in pairwise(widths))
        assert any(a > b for a, b in pairwise(widths))
    assert len({tuple(each.values()) for each in found}) > len(WIDTHS)
    assert any(not len(row[dtype]) for row in ROWS for dtype in DTYPES)
    assert any(len(v) > 8 and v[8] == 0 for row in ROWS for v in map(row.get, DTYPES))


# -- What it is -----------------------------------------------------------------------------------


def prepared(project: Project, module: ModuleType) -> Any:
    options = Namespace(records=str(project.records), source=module.data.SOURCE, fresh=False)
    return module.data.prepare(options, module.data.StopSignals())


def read_tf2(module: ModuleType, batches: Any, steps: int) -> list[dict[str, int]]:
    feeder = module.Feeder(module.model_input, "CPU:0")
    feeder.start(batches)
    found = [feeder.advance() for _ in range(steps)]
    feeder.close()
    traced = getattr(feeder, "fill_and_train", feeder.train_only)
    assert traced.experimental_get_tracing_count() == 1
    return [{name: values.shape[1] for name, values in each.items()} for each in found]


def read_tf14(module: ModuleType, batches: Any, steps: int) -> list[dict[str, int]]:
    with opened(module):
        feeder = module.Feeder(module.model_input, "CPU:0")
        feeder.start(batches)
        found = [feeder.advance() for _ in range(steps)]
        feeder.close()
    return [{name: values.shape[1] for name, values in each.items()} for each in found]


@each_last
@each_variant
def test_the_model_reads_as_much_as_the_rows_of_a_batch_need(
    project_of: Callable[..., Project], variant: str, last_batch: str
) -> None:
    """Of each placeholder by itself; and no step is traced for a width."""
    project = project_of(True, last_batch)
    module = project.load(variant)
    wanted = expected_widths(last_batch)
    records = prepared(project, module)
    read = read_tf2 if variant in TF2 else read_tf14
    found = read(module, module.training_batches(records, SEED, 0, len(wanted)), len(wanted))
    assert found == wanted


@each_last
@each_variant
def test_nothing_else_changes(
    project_of: Callable[..., Project], variant: str, last_batch: str
) -> None:
    """The records, the order, the contents to the bit, and what is learned."""
    runs = {}
    for bucketed in (True, False):
        project = project_of(bucketed, last_batch)
        label = f"{variant} {bucketed} {last_batch}"
        runs[bucketed] = train(project, project.load(variant), label=label)
    assert_same(runs[True], runs[False])
    assert_contents(runs[True], DTYPES, last_batch)


def assert_contents(run: Run, dtypes: list[str], last_batch: str) -> None:
    """What the audit found at each step is what the source has, padded to the full length."""
    columns = [np.array([row["label"] for row in ROWS]), *map(padded, dtypes)]
    for line, ids in zip(run.audit, batches(last_batch), strict=True):
        assert line["ids"] == reference_order.ids_digest(ids)
        assert line["content"] == reference_order.content_digest(column[ids] for column in columns)


def assert_same(one: Run, other: Run) -> None:
    for key in ("order_digest", "content_digest", "rows_seen_once", "rows_trained", "splits"):
        assert one.report[key] == other.report[key], key
    assert one.losses == pytest.approx(other.losses, rel=1e-5)
    first, second = (run.report["validation"]["loss"] for run in (one, other))
    assert first == pytest.approx(second, rel=1e-5)


def test_records_are_shared_with_a_spec_that_has_no_buckets(tmp_path: Path) -> None:
    """They hold the same, so that none are written anew."""
    wide, narrow = (changed(spec_of(b, "keep"), {"name": "same"}) for b in (False, True))
    for spec in (wide, narrow):
        project = made(tmp_path, spec)
        assert call(project.load(TF2[0]), arguments(project, "work", "prepare")) == 0
    assert len([path for path in project.records.iterdir() if path.is_dir()]) == 1


@each_variant
def test_a_plain_wire_is_trimmed_too(tmp_path: Path, variant: str) -> None:
    """By the stored values: what scaling makes of padding is cut, and found again."""
    plain = {
        "variants": {variant: changed(HOW[variant], {"buffers": {"wire": "plain"}})},
        "placeholders": {"uint8": {"scale": 0.5, "offset": 1}},
    }
    kept = [dtype for dtype in DTYPES if dtype in KEPT_BY_A_PLAIN_WIRE]
    runs = []
    for bucketed in (True, False):
        project = made(tmp_path, spec_of(bucketed, "keep", plain, dtypes=kept))
        runs.append(train(project, project.load(variant), label=project.name))
    first, second = (run.report for run in runs)
    assert first["content_digest"] == second["content_digest"]
    assert_contents(runs[0], kept, "keep")


@pytest.mark.parametrize("cache", ["memory", "full"])
@pytest.mark.parametrize("variant", [TF2[0], TF14[0]])
def test_rows_in_memory_are_trimmed_too(tmp_path: Path, variant: str, cache: str) -> None:
    shuffle = {"kind": "full"} if cache == "full" else {"kind": "window", "rows": 8192}
    how = {"train": {"shuffle": shuffle}, "variants": {variant: HOW[variant]}}
    if cache == "memory":
        how["pipeline"] = {"cache": "memory"}
    runs = []
    for bucketed in (True, False):
        project = made(tmp_path, spec_of(bucketed, "keep", how))
        runs.append(train(project, project.load(variant), label=project.name))
    assert_same(*runs)


@pytest.mark.parametrize("records", ["example", "source"])
@pytest.mark.parametrize("variant", [TF2[0], TF14[0]])
def test_records_of_one_row_are_trimmed_too(tmp_path: Path, variant: str, records: str) -> None:
    """Written as they are, or in place."""
    runs = []
    for buckets in ({"buckets": [4]}, {}):
        lengths = {**FEATURES["lengths"], "pad": {"length": 9, "value": -1, **buckets}}
        spec = changed(
            TINY,
            {"placeholders": {"x": None, "lengths": lengths}},
            {"source": {"kind": "tfrecord", "path": str(DATA / "plain.tfrecord")}},
            {"records": {"format": records}, "variants": {variant: HOW[variant]}},
            imported("masked_mean"),
        )
        project = made(tmp_path, changed(spec, {"name": f"tiny_{len(buckets)}"}))
        runs.append(train(project, project.load(variant), label=project.name))
    for key in ("order_digest", "content_digest"):
        assert runs[0].report[key] == runs[1].report[key]
    assert runs[0].losses == pytest.approx(runs[1].losses, rel=1e-5)


def test_what_pads_the_last_batch_is_no_padding_of_a_row(
    project_of: Callable[..., Project],
) -> None:
    """Not even in the narrowest batch: a model that divides by the length would give NaN."""
    module = project_of(True, "keep").load(TF2[0])
    columns = zip(module.data.COLUMNS, module.data.PADDING, strict=True)
    assert all(values[0] for column, values in columns if column.key in DTYPES)


def test_a_buffer_holds_no_padding_that_its_batch_needs_not(
    project_of: Callable[..., Project],
) -> None:
    project = project_of(True, "keep")
    module = project.load("two_variable")
    feeder = module.Feeder(module.model_input, "CPU:0")
    wanted = [each["int16"] for each in expected_widths("keep")]
    feeder.start(module.training_batches(prepared(project, module), SEED, 0, len(wanted)))
    held = []
    for number in range(len(wanted)):
        buffer = (feeder.a, feeder.b)[number % 2]
        held.append(int(buffer.int16.read_value().shape[1]))
        feeder.advance()
    feeder.close()
    assert held == wanted


# -- Models that need one width -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "function", "fault"),
    [
        (
            TF2[0],
            "of_one_width",
            r"ValueError: Exception encountered when calling Sequential.call().",
        ),
        (TF14[0], "of_one_width", "TypeError: int() argument must be .*, not 'NoneType'"),
        (TF2[0], "wide_windows", "InvalidArgumentError: Exception encountered .* Conv1D.call()."),
        (
            TF14[0],
            "wide_windows",
            "ValueError: Negative dimension size .* subtracting 10 from 8 .*",
        ),
    ],
)
def test_a_model_that_needs_one_width_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variant: str, function: str, fault: str
) -> None:
    """Before the first step, in one line, whichever batches will come."""
    spec = spec_of(True, "keep", imported(function), dtypes=["int16"])
    project = made(tmp_path, changed(spec, {"variants": {variant: HOW[variant]}}))
    assert call(project.load(variant), arguments(project, "work", "train")) == 2
    (said,) = lines(capsys.readouterr().err)
    folder = project.root / "generated" / "../specs"
    fault = re.escape(fault).replace(r"\.\*", ".*")
    wanted = re.escape(f"; it has to take rows of any width (pad.buckets); in {folder}")
    assert re.fullmatch(f"model.import: {fault}{wanted}", said), said


# -- Versions -------------------------------------------------------------------------------------


@each_other_version
def test_versions_agree(tmp_path: Path, version: str) -> None:
    """On each, buckets change nothing, and the contents are those of the source."""
    scripts = {}
    for last_batch in EACH_LAST:
        for bucketed in (True, False):
            project = made(tmp_path / "project", spec_of(bucketed, last_batch))
            scripts.update({f"{project.name}/{v}": project.script(v) for v in VARIANTS})
    run_with(version, scripts, tmp_path)
    for last_batch in EACH_LAST:
        for variant in (TF14 if version == FIRST else VARIANTS):
            narrow = run_of(tmp_path, version, f"narrow_{last_batch}/{variant}")
            assert_same(narrow, run_of(tmp_path, version, f"wide_{last_batch}/{variant}"))
            assert_contents(narrow, DTYPES, last_batch)
