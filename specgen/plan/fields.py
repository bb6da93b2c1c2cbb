"""Placeholders -> Fields: names that a script can use, and the dtype of each at each place."""

from dataclasses import replace
from math import prod
from typing import Any

from specgen.dtypes import WORD_BYTES, item_bytes
from specgen.names import identifier
from specgen.plan.data_model import Field, ImagePlan
from specgen.plan.model import BuffersPlan
from specgen.spec.placeholders import NEUTRAL, Image, Placeholder, is_neutral
from specgen.spec.root import Spec
from specgen.spec.source import Csv
from specgen.targets import TARGETS, Target

# Of a batch: the placeholders' fields may not take it.
ROW_ID = "row_id"
# What a float loss compares its label in, and what models compute in.
COMPUTE = "float32"
CLASS = "int64"  # also of row ids


def fields_of(spec: Spec, buffers: BuffersPlan) -> tuple[Field, ...]:
    """A field for each placeholder that is in a batch, in the order of the spec."""
    taken = {ROW_ID}
    fields = []
    for key, placeholder in spec.placeholders.items():
        if placeholder.role != "key":
            name = identifier(key, taken)
            taken.add(name)
            fields.append(_field(spec, key, name, placeholder, buffers))
    return tuple(fields)


def _field(
    spec: Spec, key: str, name: str, placeholder: Placeholder, buffers: BuffersPlan
) -> Field:
    target = TARGETS[spec.target]
    shape = final_shape(placeholder)
    image = _image_plan(spec, placeholder)
    dtype = "uint8" if image else placeholder.dtype
    compute = _compute_dtype(placeholder, spec.train.loss)
    wire = _wire_dtype(dtype, compute, target, buffers)
    scaling = _scaling(placeholder)
    return Field(
        key=key,
        name=name,
        role=placeholder.role,
        shape=shape,
        classes=placeholder.classes,
        dtype=dtype,
        wire=wire,
        words=_words(wire, shape, target),
        compute=compute,
        scaling=scaling,
        is_scaled_on_host=buffers.wire == "plain"
        and any(value is not None for value in scaling.values()),
        cell=_cell(spec, key, placeholder),
        image=image,
    )


def key_field(spec: Spec) -> Field | None:
    """What rows are dealt by where it is no part of a batch: a key, or a column of the source."""
    splits = spec.splits
    placeholder = spec.placeholders.get(splits.by or "")
    if splits.by is None or (placeholder is not None and placeholder.role != "key"):
        return None
    dtype, cell = "string", {"columns": (splits.by,)} if isinstance(spec.source, Csv) else {}
    if placeholder is not None:
        dtype, cell = placeholder.dtype, _cell(spec, splits.by, placeholder)
    return _carried(splits.by, dtype, cell)


def row_id_of(spec: Spec) -> Field:
    """The row's position in the source, which rides along."""
    key = ROW_ID
    while spec.records.format == "example" and key in spec.placeholders:
        key += "_"  # of its feature
    return replace(_carried(key, CLASS, {}), words=_words(CLASS, (), TARGETS[spec.target]))


def _carried(key: str, dtype: str, cell: dict[str, Any]) -> Field:
    """One value a row that no model reads."""
    return Field(
        key=key,
        name=ROW_ID,
        role="id",
        shape=(),
        classes=None,
        dtype=dtype,
        wire=dtype,
        words=None,
        compute=dtype,
        scaling={},
        is_scaled_on_host=False,
        cell=cell,
        image=None,
    )


def final_shape(placeholder: Placeholder) -> tuple[int, ...]:
    """The shape of a row's value in the records; a variable size is padded to its length."""
    length = placeholder.pad.length if placeholder.pad else None
    return tuple(size or length or 0 for size in placeholder.shape)


def _cell(spec: Spec, key: str, placeholder: Placeholder) -> dict[str, Any]:
    """How a value is made of the cells of the source, as far as anything is done to them."""
    cell: dict[str, Any] = {}
    if isinstance(spec.source, Csv):
        cell["columns"] = placeholder.columns or (key,)
    if placeholder.encoding not in ("raw", "image"):
        cell["encoding"] = placeholder.encoding
    if placeholder.default is not None:
        cell["default"] = placeholder.default
    if placeholder.pad:
        cell["pad"] = placeholder.pad.value
    if placeholder.pad and placeholder.pad.buckets:
        cell["widths"] = (*placeholder.pad.buckets, *final_shape(placeholder))
    if placeholder.hash_buckets:
        cell["hash_buckets"] = placeholder.hash_buckets
    if placeholder.vocabulary:
        cell["vocabulary"] = placeholder.vocabulary
    return cell


def _image_plan(spec: Spec, placeholder: Placeholder) -> ImagePlan | None:
    if placeholder.encoding != "image":
        return None
    image = placeholder.image or Image()
    in_place = spec.records.format == "source"
    return ImagePlan(
        # What is cut at random can be cut only when it is read.
        stays_encoded=placeholder.dtype == "string" or image.crop == "random" or in_place,
        resize=image.resize is not None,
        crop=image.crop,
        exact=image.exact,
        scaled_decode=image.scaled_decode,
    )


def _compute_dtype(placeholder: Placeholder, loss: str) -> str:
    sparse = placeholder.role == "label" and loss == "sparse_categorical_crossentropy"
    return CLASS if sparse else COMPUTE


def _wire_dtype(dtype: str, compute: str, target: Target, buffers: BuffersPlan) -> str:
    """What travels, in words or as it is."""
    if buffers.wire == "plain":
        return compute
    if target.packs_integers:
        if compute == CLASS:
            return compute  # which fills a word as it is
        return "uint8" if dtype == "bool" else dtype
    # Resource variables have GPU kernels for every integer but int32, which TensorFlow keeps in
    # host memory (tensorflow/core/kernels/resource_variable_ops.cc).
    return "int64" if dtype == "int32" and buffers.count else dtype


def _words(wire: str, shape: tuple[int, ...], target: Target) -> int | None:
    """How many words the whole numbers of a row fill; None where they travel as they are.

    For 1.4: its py_func knows no uint16, and on a GPU it assigns variables of no integer at all,
    but of float64, which such words pass for (tensorflow/core/kernels/resource_variable_ops.cc).
    """
    if not target.packs_integers or wire.startswith("float"):
        return None
    return -(-item_bytes(wire) * prod(shape) // WORD_BYTES)


def _scaling(placeholder: Placeholder) -> dict[str, float | list[float] | None]:
    """What is done to the values; None where it would change nothing."""
    return {
        key: None if is_neutral(placeholder, key) else _plain(getattr(placeholder, key))
        for key in NEUTRAL
    }


def _plain(value: float | tuple[float, ...]) -> float | list[float]:
    return list(map(float, value)) if isinstance(value, tuple) else float(value)
