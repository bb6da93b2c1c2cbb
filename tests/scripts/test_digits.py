"""The example on real data, by all its variants in full: the contract of a script, from outside."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from ruamel.yaml import YAML

import reference_order
from making import REPOSITORY, Once, Spec, load, make_example
from reference_order import Layout
from running import Run, call, snapshot

FRACTIONS = {"train": 0.8, "validation": 0.1, "test": 0.1}
SEED = SPLITS_SEED = 7
EPOCHS = 20
LAYOUT = Layout()
SPEC = REPOSITORY / "specs" / "digits.yaml"


def variants() -> dict[str, Spec]:
    """What each variant says itself, and its target."""
    spec = YAML(typ="safe").load(SPEC)
    return {name: {"target": spec["target"], **how} for name, how in spec["variants"].items()}


HOW = variants()  # by the name of the variant

REPORT_KEYS = {
    *("name", "variant", "target", "method", "batch_size", "epochs", "steps", "rows_trained"),
    *("splits", "history", "train_loss", "validation", "test", "seconds", "rows_per_second"),
    *("stall_fraction", "placement", "order_digest", "content_digest", "rows_seen_once"),
}


@dataclass(frozen=True)
class Definition:
    """What the source file and the definition say, without any script."""

    columns: tuple[np.ndarray, ...]
    parts: dict[str, np.ndarray]  # ids, as stored

    @classmethod
    def read(cls) -> "Definition":
        with np.load(REPOSITORY / "specs" / "data" / "digits.npz") as file:
            columns = (file["image"].astype("uint8"), file["label"].astype("int64"))
        dealt = reference_order.stratified(columns[1], list(FRACTIONS.values()), SPLITS_SEED)
        parts = {
            part: reference_order.stored(ids, part, SPLITS_SEED)
            for part, ids in zip(FRACTIONS, dealt, strict=True)
        }
        return cls(columns, parts)

    @property
    def batches(self) -> list[np.ndarray]:
        return LAYOUT.batches(self.parts["train"], SEED, EPOCHS)

    @property
    def rows(self) -> int:
        return len(self.parts["train"])


@pytest.fixture(scope="module")
def definition() -> Definition:
    return Definition.read()


@dataclass(frozen=True)
class Trained:
    """The runs of all variants over one set of records."""

    folder: Path

    def __getitem__(self, variant: str) -> Run:
        return Run(self.folder / variant)

    def call(self, variant: str, *argv: str) -> int:
        where = ["--workdir", str(self.folder / variant), "--records", str(self.folder / "records")]
        return call(load(self.folder / f"digits_{variant}.py"), [*argv, *where])


@pytest.fixture(scope="module")
def trained(once: Once) -> Trained:
    def train_all(folder: Path) -> None:
        make_example(folder, SPEC)
        for variant in HOW:
            assert Trained(folder).call(variant, "--audit") == 0

    return Trained(once("digits", train_all))


each_variant = pytest.mark.parametrize("variant", HOW)


@each_variant
def test_report(trained: Trained, definition: Definition, variant: str) -> None:
    report = trained[variant].report
    assert report.keys() == REPORT_KEYS
    said = {
        "name": "digits",
        "variant": variant,
        "target": HOW[variant]["target"],
        "method": HOW[variant]["buffers"]["method"],
        "batch_size": 64,
        "epochs": EPOCHS,
        "steps": len(definition.batches),
        "rows_trained": EPOCHS * definition.rows,
        "splits": {part: len(ids) for part, ids in definition.parts.items()},
        "rows_seen_once": True,
    }
    assert {key: report[key] for key in said} == said
    assert report["seconds"] > 0
    assert report["rows_per_second"] == pytest.approx(report["rows_trained"] / report["seconds"])
    assert report["validation"].keys() == report["test"].keys() == {"loss", "accuracy"}


@each_variant
def test_history(trained: Trained, definition: Definition, variant: str) -> None:
    run = trained[variant]
    history = run.report["history"]
    steps = -(-definition.rows // LAYOUT.batch_size)
    assert [record["epoch"] for record in history] == list(range(EPOCHS))
    for record in history:
        lines = [line for line in run.audit if line["epoch"] == record["epoch"]]
        assert record.keys() == {"epoch", "steps", "rows", "train_loss", "validation"}
        assert record["steps"] == len(lines) == steps
        assert record["rows"] == sum(line["rows"] for line in lines) == definition.rows
        mean = sum(line["loss"] * line["rows"] for line in lines) / definition.rows
        assert record["train_loss"] == pytest.approx(mean, rel=1e-5)
    assert run.report["train_loss"] == history[-1]["train_loss"]
    assert run.report["validation"] == history[-1]["validation"]


@each_variant
def test_it_learns(trained: Trained, variant: str) -> None:
    assert trained[variant].report["validation"]["accuracy"] >= 0.95


@each_variant
def test_audit_has_the_rows_and_values_of_the_definition(
    trained: Trained, definition: Definition, variant: str
) -> None:
    audit = trained[variant].audit
    assert len(audit) == len(definition.batches)
    for step, (line, ids) in enumerate(zip(audit, definition.batches, strict=True)):
        assert line == {
            "step": step,
            "epoch": step * EPOCHS // len(audit),
            "rows": len(ids),
            "loss": line["loss"],
            "ids": reference_order.ids_digest(ids),
            "content": reference_order.content_digest(c[ids] for c in definition.columns),
        }


@each_variant
def test_digests_of_the_run_follow_from_the_lines(trained: Trained, variant: str) -> None:
    run = trained[variant]
    for digest, key in (("order_digest", "ids"), ("content_digest", "content")):
        assert run.report[digest] == reference_order.run_digest(line[key] for line in run.audit)


@pytest.mark.parametrize(("one", "other"), list(combinations(HOW, 2)))
def test_variants_agree(trained: Trained, one: str, other: str) -> None:
    """In each row at each step; in what they learn, closer within a target than across."""
    first, second = trained[one], trained[other]
    for digest in ("order_digest", "content_digest"):
        assert first.report[digest] == second.report[digest]
    closeness = 1e-5 if HOW[one]["target"] == HOW[other]["target"] else 1e-4
    assert first.losses == pytest.approx(second.losses, abs=closeness)
    assert first.weights.keys() == second.weights.keys()
    for name, value in first.weights.items():
        assert value == pytest.approx(second.weights[name], abs=1e-4), name


@each_variant
def test_it_says_where_its_batches_are_and_how_long_it_waited(
    trained: Trained, variant: str
) -> None:
    """Waiting is told where a batch is taken outside of the run that trains; else it hides."""
    report, target, how = trained[variant].report, HOW[variant]["target"], HOW[variant]["buffers"]
    buffers = ("a.", "b.") if how["method"] == "two_variable" else ("",)
    fields = [buffer + field for buffer in buffers for field in ("image", "label", "row_id")]
    assert report["placement"] == dict.fromkeys(fields, "CPU:0")
    if how.get("input") == "placeholders" or (target, how["method"]) == ("tf2", "prefetch"):
        assert 0 <= report["stall_fraction"] <= 1
    else:
        assert report["stall_fraction"] is None


@each_variant
def test_weights_are_those_of_the_model(trained: Trained, variant: str) -> None:
    with np.load(trained[variant].workdir / "weights.npz") as file:
        shapes = {name: value.shape for name, value in file.items()}
    assert shapes == {
        "digits/dense_1/kernel": (64, 64),
        "digits/dense_1/bias": (64,),
        "digits/dense_2/kernel": (64, 10),
        "digits/dense_2/bias": (10,),
    }


@each_variant
def test_metrics_are_those_of_the_weights(
    trained: Trained, definition: Definition, variant: str
) -> None:
    """Averages over rows, also where the last batch is partial: recomputed from weights.npz."""
    weights = {name: value.astype("float64") for name, value in trained[variant].weights.items()}
    for part in ("validation", "test"):
        image, label = (column[definition.parts[part]] for column in definition.columns)
        x = image.reshape(len(image), -1) / 16
        hidden = np.maximum(x @ weights["dense_1/kernel"] + weights["dense_1/bias"], 0)
        logits = hidden @ weights["dense_2/kernel"] + weights["dense_2/bias"]
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        losses = -np.log(chances[np.arange(len(label)), label])
        found = trained[variant].report[part]
        assert found["loss"] == pytest.approx(losses.mean(), abs=1e-5)
        assert found["accuracy"] == pytest.approx((logits.argmax(axis=1) == label).mean())


@each_variant
def test_only_the_files_of_the_contract_are_left(trained: Trained, variant: str) -> None:
    names = {name.split("/")[0] for name in snapshot(trained[variant].workdir)}
    assert names == {"audit.jsonl", "checkpoints", "report.json", "weights.npz"}
    # One set of records, shared by the variants.
    assert len(list((trained.folder / "records").glob("*/manifest.json"))) == 1


@each_variant
def test_evaluate_prints_what_the_report_says(
    trained: Trained, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = trained[variant].report
    assert trained.call(variant, "evaluate") == 0
    printed = capsys.readouterr().out
    for part in ("validation", "test"):
        (line,) = (line for line in printed.splitlines() if line.startswith(f"{part}: "))
        assert f"{report[part]['loss']:.4f}" in line
        assert f"{report[part]['accuracy']:.4f}" in line


@each_variant
def test_a_second_run_does_nothing_more(
    trained: Trained, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(trained.folder)
    assert trained.call(variant, "train", "--audit") == 0
    assert snapshot(trained.folder) == before
    assert "epoch" not in capsys.readouterr().out
