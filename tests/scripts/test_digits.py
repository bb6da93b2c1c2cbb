"""The example on real data, by both methods in full: the contract of a script, from outside."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import reference_order
from making import METHODS, REPOSITORY, Once, load, make_example
from reference_order import Layout
from running import Run, call, snapshot

FRACTIONS = {"train": 0.8, "validation": 0.1, "test": 0.1}
SEED = SPLITS_SEED = 7
EPOCHS = 20
LAYOUT = Layout()

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

    def __getitem__(self, method: str) -> Run:
        return Run(self.folder / method)

    def call(self, method: str, *argv: str) -> int:
        where = ["--workdir", str(self.folder / method), "--records", str(self.folder / "records")]
        return call(load(self.folder / f"digits_{method}.py"), [*argv, *where])


@pytest.fixture(scope="module")
def trained(once: Once) -> Trained:
    def train_all(folder: Path) -> None:
        make_example(folder, REPOSITORY / "specs" / "digits.yaml")
        for method in METHODS:
            assert Trained(folder).call(method, "--audit") == 0

    return Trained(once("digits", train_all))


each_method = pytest.mark.parametrize("method", METHODS)


@each_method
def test_report(trained: Trained, definition: Definition, method: str) -> None:
    report = trained[method].report
    assert report.keys() == REPORT_KEYS
    said = {
        "name": "digits",
        "variant": method,
        "target": "tf2",
        "method": method,
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


@each_method
def test_history(trained: Trained, definition: Definition, method: str) -> None:
    run = trained[method]
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


@each_method
def test_it_learns(trained: Trained, method: str) -> None:
    assert trained[method].report["validation"]["accuracy"] >= 0.95


@each_method
def test_audit_has_the_rows_and_values_of_the_definition(
    trained: Trained, definition: Definition, method: str
) -> None:
    audit = trained[method].audit
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


@each_method
def test_digests_of_the_run_follow_from_the_lines(trained: Trained, method: str) -> None:
    run = trained[method]
    for digest, key in (("order_digest", "ids"), ("content_digest", "content")):
        assert run.report[digest] == reference_order.run_digest(line[key] for line in run.audit)


def test_methods_agree(trained: Trained) -> None:
    one, *others = (trained[method] for method in METHODS)
    for other in others:
        for digest in ("order_digest", "content_digest"):
            assert one.report[digest] == other.report[digest]
        assert one.losses == pytest.approx(other.losses, abs=1e-5)
        for name, value in one.weights.items():
            assert value == pytest.approx(other.weights[name], abs=1e-4), name


def test_they_say_where_their_batches_are_and_how_long_they_waited(trained: Trained) -> None:
    two_variable, prefetch = (trained[method].report for method in ("two_variable", "prefetch"))
    fields = ("image", "label", "row_id")
    assert two_variable["placement"] == {f"{b}.{f}": "CPU:0" for b in "ab" for f in fields}
    assert prefetch["placement"] == dict.fromkeys(fields, "CPU:0")
    assert two_variable["stall_fraction"] is None
    assert 0 <= prefetch["stall_fraction"] <= 1


@each_method
def test_weights_are_those_of_the_model(trained: Trained, method: str) -> None:
    shapes = {name: value.shape for name, value in trained[method].weights.items()}
    assert shapes == {
        "dense_1/kernel": (64, 64),
        "dense_1/bias": (64,),
        "dense_2/kernel": (64, 10),
        "dense_2/bias": (10,),
    }


@each_method
def test_metrics_are_those_of_the_weights(
    trained: Trained, definition: Definition, method: str
) -> None:
    """Averages over rows, also where the last batch is partial: recomputed from weights.npz."""
    weights = {name: value.astype("float64") for name, value in trained[method].weights.items()}
    for part in ("validation", "test"):
        image, label = (column[definition.parts[part]] for column in definition.columns)
        x = image.reshape(len(image), -1) / 16
        hidden = np.maximum(x @ weights["dense_1/kernel"] + weights["dense_1/bias"], 0)
        logits = hidden @ weights["dense_2/kernel"] + weights["dense_2/bias"]
        chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        losses = -np.log(chances[np.arange(len(label)), label])
        found = trained[method].report[part]
        assert found["loss"] == pytest.approx(losses.mean(), abs=1e-5)
        assert found["accuracy"] == pytest.approx((logits.argmax(axis=1) == label).mean())


@each_method
def test_only_the_files_of_the_contract_are_left(trained: Trained, method: str) -> None:
    names = {name.split("/")[0] for name in snapshot(trained[method].workdir)}
    assert names == {"audit.jsonl", "checkpoints", "report.json", "weights.npz"}
    # One set of records, shared by the variants.
    assert len(list((trained.folder / "records").glob("*/manifest.json"))) == 1


@each_method
def test_evaluate_prints_what_the_report_says(
    trained: Trained, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = trained[method].report
    assert trained.call(method, "evaluate") == 0
    printed = capsys.readouterr().out
    for part in ("validation", "test"):
        (line,) = (line for line in printed.splitlines() if line.startswith(f"{part}: "))
        assert f"{report[part]['loss']:.4f}" in line
        assert f"{report[part]['accuracy']:.4f}" in line


@each_method
def test_a_second_run_does_nothing_more(
    trained: Trained, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(trained.folder)
    assert trained.call(method, "train", "--audit") == 0
    assert snapshot(trained.folder) == before
    assert "epoch" not in capsys.readouterr().out
