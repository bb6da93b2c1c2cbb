"""The *what* of the data: source, splits, records and order, and the recipe of the stored bytes."""

import posixpath
from collections.abc import Sequence
from typing import Any

from specgen.dtypes import ROW_ID_BYTES
from specgen.plan.model import DataPlan, Field, SourcePlan
from specgen.plan.recipes import keys_of
from specgen.spec.root import Spec
from specgen.spec.source import Synthetic
from specgen.spec.train import ShuffleWindow

# Of each placeholder: what shapes the stored bytes, and nothing that is applied to them later.
STORED_KEYS = ("dtype", "shape", "classes")
# How many patterns synthetic rows show where no label counts its classes.
KINDS = 10
# Rows that are decoded together where none are shuffled.
DECODED_ROWS = 8192


def data_plan(spec: Spec, fields: Sequence[Field], source: str) -> DataPlan:
    """All that the data module is made from."""
    records, shuffle = spec.records, spec.train.shuffle
    window_rows = shuffle.rows if isinstance(shuffle, ShuffleWindow) else DECODED_ROWS
    by = split_key(spec)
    return DataPlan(
        recipe=recipe_of(spec),
        source=source_plan(spec, source),
        parts=parts_of(spec),
        splits_method=spec.splits.method,
        splits_by=next((field.name for field in fields if field.key == by), None),
        rows_per_record=records.rows_per_record,
        order=records.order,
        compression=records.compression,
        shuffle=shuffle.kind,
        window_blocks=-(-window_rows // records.rows_per_record),
        row_bytes=sum(field.bytes_as(field.dtype) for field in fields) + ROW_ID_BYTES,
    )


def source_plan(spec: Spec, source: str) -> SourcePlan:
    """Where the rows come from; paths in a spec are relative to it."""
    if isinstance(spec.source, Synthetic):
        counted = (p.classes for p in spec.placeholders.values() if p.role == "label" and p.classes)
        kinds = next(counted, KINDS)
        return SourcePlan("synthetic", None, spec.source.rows, spec.source.seed, kinds)
    path = getattr(spec.source, "path", None)
    return SourcePlan(spec.source.kind, path and beside_spec(source, path), None, None, KINDS)


def beside_spec(source: str, path: str) -> str:
    """A path that is relative to the spec, seen from the folder of the scripts."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path))


def parts_of(spec: Spec) -> dict[str, float]:
    """The fraction of each part, in the one order that splits are dealt in."""
    fractions = spec.splits.parts
    named = {"train": fractions.train, "validation": fractions.validation, "test": fractions.test}
    return {part: float(fraction) for part, fraction in named.items() if fraction is not None}


def split_key(spec: Spec) -> str | None:
    """The placeholder that rows are dealt by: stratified takes the label unless told otherwise."""
    if spec.splits.method != "stratified":
        return spec.splits.by
    labels = (key for key, placeholder in spec.placeholders.items() if placeholder.role == "label")
    return spec.splits.by or next(labels)


def recipe_of(spec: Spec) -> dict[str, Any]:
    """The data recipe: the keys that the stored bytes, and their order on disk, depend on."""
    splits = {
        "method": spec.splits.method,
        "by": split_key(spec),
        "parts": parts_of(spec),
        "seed": spec.splits.seed,
    }
    records = keys_of(spec.records)
    if spec.records.compression == "none":
        del records["level"]
    source = keys_of(spec.source)
    if source.get("on_error") == "stop":
        del source["on_error"], source["max_errors"]
    return {
        "source": source,
        "placeholders": {
            key: {k: v for k, v in keys_of(placeholder).items() if k in STORED_KEYS}
            for key, placeholder in spec.placeholders.items()
        },
        "splits": {key: value for key, value in splits.items() if value is not None},
        "records": records,
    }
