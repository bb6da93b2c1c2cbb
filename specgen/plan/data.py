"""The *what* of the data: source, splits, records and order, and the recipe of the stored bytes."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from specgen.dtypes import ROW_ID_BYTES, item_bytes
from specgen.plan.data_model import DataPlan, Field, SourcePlan
from specgen.plan.fields import key_field
from specgen.plan.recipes import keys_of
from specgen.spec.placeholders import Placeholder
from specgen.spec.root import Spec
from specgen.spec.source import PLACES, Csv, Images, Python, Synthetic, Tfrecord, is_table
from specgen.spec.train import ShuffleWindow

# Of each placeholder: what shapes the stored bytes, and nothing that is applied to them later.
STORED_KEYS = (
    *("dtype", "shape", "classes", "columns", "encoding", "default"),
    *("pad", "hash_buckets", "vocabulary"),
)
# Sources that are read from one end to the other.
STREAMED = (Csv, Tfrecord, Python)
# How many patterns synthetic rows show where no label counts its classes.
KINDS = 10
# Rows that are decoded together where none are shuffled.
DECODED_ROWS = 8192


def data_plan(spec: Spec, fields: Sequence[Field], source: str) -> DataPlan:
    """All that the data module is made from."""
    records, shuffle = spec.records, spec.train.shuffle
    window_rows = shuffle.rows if isinstance(shuffle, ShuffleWindow) else DECODED_ROWS
    by, key = split_key(spec), key_field(spec)
    dealt_by = key or next((field for field in fields if field.key == by), None)
    read = (*fields, *((key,) if key else ()))
    cells = [field.cell for field in read]
    encoded = [field for field in fields if field.is_encoded]
    fixed = sum(field.bytes_as(field.dtype) for field in fields if field not in encoded)
    return DataPlan(
        recipe=recipe_of(spec),
        source=source_plan(spec, source),
        cell_keys=tuple(dict.fromkeys(key for cell in cells for key in cell)),
        parts=parts_of(spec),
        splits_method=spec.splits.method,
        dealt_by=dealt_by,
        hashed_as=_hashed_as(dealt_by.dtype) if dealt_by else None,
        key=key,
        format=records.format,
        rows_per_record=records.rows_per_record,
        order=records.order,
        compression=records.compression,
        shuffle=shuffle.kind,
        window_blocks=-(-window_rows // records.rows_per_record),
        row_bytes=fixed + ROW_ID_BYTES * (1 + len(encoded)),
        images=tuple(field for field in fields if field.image),
        classes_of=next((field.name for field in fields if field.classes), None),
        example_lists=tuple(sorted({field.example_list for field in fields} | {"int64_list"})),
        encodings=tuple(sorted({f.cell.get("encoding", "raw") for f in read if not f.is_encoded})),
        number_kinds=tuple(sorted({_number_kind(field) for field in read} - {""})),
        spec_folder=beside_spec(source, "."),
        vocabulary_files=tuple(
            path for cell in cells if isinstance(path := cell.get("vocabulary"), str)
        ),
    )


def _hashed_as(dtype: str) -> str | None:
    if dtype == "string":
        return None
    return f"<f{item_bytes(dtype)}" if dtype.startswith("float") else "<i8"


def _number_kind(field: Field) -> str:
    """What kind of number a text has to spell; "" where it does not stand for one as it is."""
    if field.dtype == "string" or field.image or {"vocabulary", "hash_buckets"} & field.cell.keys():
        return ""
    return field.dtype.lstrip("u").rstrip("0123456789")


def source_plan(spec: Spec, source: str) -> SourcePlan:
    """Where the rows come from; paths in a spec are relative to it."""
    said = keys_of(spec.source)
    settings = {key: value for key, value in said.items() if key not in ("kind", *PLACES)}
    place, paths = next(((key, said[key]) for key in PLACES if key in said), ("none", None))
    start = str(paths) if place == "path" else "."
    if isinstance(spec.source, Synthetic):
        counted = (p.classes for p in spec.placeholders.values() if p.role == "label" and p.classes)
        settings["kinds"] = next(counted, KINDS)
    elif isinstance(spec.source, Python):
        place, start = "import", spec.source.import_path or "."
    elif place == "none":
        place, paths = "parts", parts_of(spec)
    return SourcePlan(
        kind=spec.source.kind,
        place=place,
        path=None if place == "none" else beside_spec(source, start),
        paths=paths,
        settings=settings,
        is_streamed=isinstance(spec.source, STREAMED),
        is_url=any("://" in path for path in _each(paths)),
        form=_form(place, paths) if isinstance(spec.source, Images) else None,
    )


def _each(paths: Any) -> Iterable[str]:
    """The paths, which are one, a list, or the values of a mapping."""
    if isinstance(paths, Mapping):
        return paths.values()
    return [paths] if isinstance(paths, str) else paths or ()


def _form(place: str, paths: Any) -> str:
    """How images are given: in tables, in a folder for each class, or file by file."""
    if place in ("files", "pattern"):
        return "files"
    return "table" if is_table(next(iter(_each(paths)))) else "folders"


def beside_spec(source: str, path: str) -> str:
    """A path that is relative to the spec, seen from the folder of the scripts."""
    if "://" in path:
        return path
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path))


def parts_of(spec: Spec) -> dict[str, Any]:
    """What is said of each part, in the one order that splits are dealt in."""
    said = spec.splits.parts
    named = {"train": said.train, "validation": said.validation, "test": said.test}
    given = spec.splits.method == "given"
    return {
        part: value if given else float(value) for part, value in named.items() if value is not None
    }


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
    if spec.records.format == "source":
        records = {key: records[key] for key in ("format", "rows_per_record", "read_cycle")}
        del splits["seed"]
    elif spec.records.compression == "none":
        del records["level"]
    source = keys_of(spec.source)
    if source.get("on_error") == "stop":
        del source["on_error"], source["max_errors"]
    return {
        "source": source,
        "placeholders": {key: stored_keys(item) for key, item in spec.placeholders.items()},
        "splits": {key: value for key, value in splits.items() if value is not None},
        "records": records,
    }


def stored_keys(placeholder: Placeholder) -> dict[str, Any]:
    """What of a placeholder shapes the stored bytes."""
    keys = {key: value for key, value in keys_of(placeholder).items() if key in STORED_KEYS}
    if placeholder.encoding == "raw":
        del keys["encoding"]
    if placeholder.pad:
        keys["pad"].pop("buckets", None)  # by which they are read
    if placeholder.encoding == "image" and placeholder.dtype != "string" and placeholder.image:
        keys["image"] = keys_of(placeholder.image)
    return keys
