"""Rules for `splits`: what rows are dealt by exists and fits, and the parts add up."""

from collections.abc import Iterator
from math import fsum
from posixpath import normpath
from typing import Any

from specgen.apportion import largest_remainder
from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, called, is_integer, the_label
from specgen.document import Document
from specgen.spec.source import Npz, Source, Synthetic
from specgen.spec.splits import Splits
from specgen.spec.train import Train
from specgen.wording import hint_for, meant, shown

# Fractions are decimal, floats are not.
_CLOSE = 1e-6


def check_split_key(
    placeholders: Placeholders, splits: Splits, source: Source
) -> Iterator[Finding]:
    """`by` names a placeholder, or for given a column of the source, that has one value a row."""
    by, method = splits.by, splits.method
    path = ("splits", "by")
    if by is None:
        if method in ("hash", "group"):
            message, hint = f"{method} needs what rows are dealt by", "name a placeholder"
            yield Finding(path, "SG202", message, hint, of_key=True)
    elif by in placeholders:
        placeholder = placeholders[by]
        is_one = not placeholder.shape and placeholder.encoding != "image"
        if method != "stratified" and placeholder.role != "key" and not is_one:
            message = f"{method} needs one value a row, {called(by)} is not"
            yield Finding(path, "SG305", message, "split by another placeholder")
    elif method != "given":
        message = f"there is no placeholder {called(by)}"
        yield Finding(path, "SG304", message, meant(by, placeholders))
    elif isinstance(source, Synthetic):
        yield Finding(path, "SG304", f"rows made up have no column {called(by)}")
    elif isinstance(source, Npz) and source.arrays is not None and by not in source.arrays:
        message = f"source.arrays has no {called(by)}"
        yield Finding(path, "SG304", message, meant(by, source.arrays))


def check_keys(placeholders: Placeholders, splits: Splits) -> Iterator[Finding]:
    """A key is what rows are dealt by, and nothing else."""
    for name, placeholder in placeholders.items():
        if placeholder.role == "key" and name != splits.by:
            message = "a key has no effect unless splits.by names it"
            hint = f"say splits.by: {called(name)}, or remove the placeholder"
            yield Finding(("placeholders", name, "role"), "SG302", message, hint)


def check_strata(placeholders: Placeholders, splits: Splits, train: Train) -> Iterator[Finding]:
    """Rows are stratified by a class number; of the label, a sparse loss checks that itself."""
    label = the_label(placeholders)
    default = label[0] if label else None
    name = splits.by or default
    if splits.method != "stratified" or name is None or name not in placeholders:
        return
    if name == default and train.loss == "sparse_categorical_crossentropy":
        return
    placeholder = placeholders[name]
    if placeholder.shape or not (is_integer(placeholder) or placeholder.dtype == "bool"):
        yield Finding(
            ("splits", "by" if splits.by else "method"),
            "SG305",
            f"stratified needs one integer or bool a row, {called(name)} is not",
            "split by another placeholder, or use method: even",
        )


def check_given_parts(splits: Splits, document: Document) -> Iterator[Finding]:
    """For given, each part has a value or a path, and shares it with no other."""
    path = ("splits", "parts")
    if splits.method != "given":
        return
    wanted = "path" if splits.by is None else "value"
    if not document.says(path):
        yield Finding(path, "SG202", f"given needs the {wanted} of each part", of_key=True)
        return
    seen: dict[str, str] = {}
    for part, said in _sizes(splits).items():
        if splits.by is None and not isinstance(said, str):
            hint = "splits.by names a column whose values can be numbers"
            yield Finding((*path, part), "SG203", f"a path is wanted, not {shown(said)}", hint)
            continue
        same = normpath(said) if splits.by is None else str(said)
        if same in seen:
            message = f"{seen[same]} has the same {wanted}"
            yield Finding((*path, part), "SG303", message, "a row belongs to one part")
        seen.setdefault(same, part)


def check_parts(splits: Splits) -> Iterator[Finding]:
    """Fractions are fractions, and all rows are dealt."""
    if splits.method == "given":
        return
    sizes = _sizes(splits)
    wrong = {part: size for part, size in sizes.items() if not _is_fraction(size)}
    for part, size in wrong.items():
        path = ("splits", "parts", part)
        if isinstance(size, str):
            hint = hint_for(size, (float,)) or "texts belong to method given"
            yield Finding(path, "SG203", f"a fraction is wanted, not {shown(size)}", hint)
        else:
            message = f"a fraction is above 0 and at most 1, not {size:g}"
            yield Finding(path, "SG205", message, "" if size else "a part without rows is left out")
    total = fsum(sizes.values()) if not wrong else 1
    if abs(total - 1) > _CLOSE:
        message = f"the fractions sum to {total:.9g}, not to 1"
        yield Finding(("splits", "parts"), "SG306", message, of_key=True)


def check_rows(source: Source, splits: Splits, train: Train) -> Iterator[Finding]:
    """Where the number of rows is known already, each part has some, and training a batch."""
    if not isinstance(source, Synthetic) or splits.method != "even" or any(check_parts(splits)):
        return
    sizes = _sizes(splits)
    rows = dict(zip(sizes, largest_remainder(source.rows, list(sizes.values())), strict=True))
    for part, count in rows.items():
        if count == 0:
            message = f"none of the {source.rows} rows is for {part}"
            yield Finding(("source", "rows"), "SG306", message)
    if train.last_batch == "drop" and 0 < rows["train"] < train.batch_size:
        message = f"no batch is full: {rows['train']} rows are for training"
        hint = "make it smaller, or last_batch: keep"
        yield Finding(("train", "batch_size"), "SG306", message, hint)


def _sizes(splits: Splits) -> dict[str, Any]:
    """What is said of each part, in the order that ties are settled by."""
    return {part: size for part, size in splits.parts if size is not None}


def _is_fraction(size: float | str) -> bool:
    return not isinstance(size, str) and 0 < size <= 1
