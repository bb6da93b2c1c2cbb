"""Rules for `train`: its length, and what the loss and the metrics ask of the label."""

from collections.abc import Iterator

from specgen.checks.exclusive import exactly_one
from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, is_integer, the_label
from specgen.document import Document
from specgen.spec.optimizers import Sgd
from specgen.spec.splits import Splits
from specgen.spec.train import Train


def check_length(train: Train) -> Iterator[Finding]:
    """Epochs or steps, not both."""
    ways = {"epochs": train.epochs, "steps": train.steps}
    return exactly_one(("train",), ways, "says already how long to train")


def check_sparse_label(placeholders: Placeholders, train: Train) -> Iterator[Finding]:
    """A sparse loss compares logits with one class number."""
    label = the_label(placeholders)
    if train.loss != "sparse_categorical_crossentropy" or label is None:
        return
    name, placeholder = label
    path = ("placeholders", name)
    if placeholder.dtype != "string" and not is_integer(placeholder):
        # With classes it is told by the rule for those.
        if placeholder.classes is None:
            yield Finding(
                (*path, "dtype"),
                "SG305",
                f"{train.loss} needs an integer label, not {placeholder.dtype}",
                "int64 holds class numbers",
            )
    elif placeholder.classes is None:
        yield Finding(
            (*path, "classes"), "SG202", f"{train.loss} needs the number of classes", of_key=True
        )
    if placeholder.shape:
        yield Finding(
            (*path, "shape"),
            "SG305",
            f"{train.loss} needs one class number a row, the shape []",
            "leave the shape out",
        )


def check_numeric_label(placeholders: Placeholders, train: Train) -> Iterator[Finding]:
    """The other losses subtract the label from what the model gives."""
    label = the_label(placeholders)
    if train.loss in ("mse", "mae", "huber") and label is not None:
        name, placeholder = label
        if placeholder.dtype == "bool":
            yield Finding(
                ("placeholders", name, "dtype"),
                "SG305",
                f"{train.loss} needs a label of numbers, not bool",
                "uint8 holds 0 and 1",
            )


def check_metrics(train: Train) -> Iterator[Finding]:
    """Each metric once, and only where the loss has what it measures."""
    seen: set[str] = set()
    for index, metric in enumerate(train.metrics):
        path = ("train", "metrics", index)
        if metric.kind in seen:
            yield Finding(
                path, "SG303", f"{metric.kind} is listed already", "remove it", of_key=True
            )
        elif metric.kind == "accuracy" and "crossentropy" not in train.loss:
            yield Finding(
                path, "SG303", f"accuracy needs classes, {train.loss} has none", "remove it"
            )
        seen.add(metric.kind)


def check_nesterov(train: Train) -> Iterator[Finding]:
    """Nesterov is a way to apply momentum."""
    optimizer = train.optimizer
    if isinstance(optimizer, Sgd) and optimizer.nesterov and optimizer.momentum == 0:
        path = ("train", "optimizer", "nesterov")
        yield Finding(
            path, "SG302", "has no effect without momentum", "give a momentum", of_key=True
        )


def check_validation(train: Train, splits: Splits, document: Document) -> Iterator[Finding]:
    """Validation needs rows."""
    path = ("train", "validate_every")
    if splits.parts.validation is None and document.says(path):
        yield Finding(
            path,
            "SG302",
            "has no effect without splits.parts.validation",
            "give validation a part of the rows",
            of_key=True,
        )
