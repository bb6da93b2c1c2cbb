"""Placeholders -> Fields: names that a script can use, and the dtype of each at each place."""

from math import prod

from specgen.dtypes import WORD_BYTES, item_bytes
from specgen.names import identifier
from specgen.plan.model import BuffersPlan, Field
from specgen.spec.placeholders import NEUTRAL, Placeholder, is_neutral
from specgen.spec.root import Spec
from specgen.targets import TARGETS, Target

# Of a batch: the placeholders' fields may not take it.
ROW_ID = "row_id"
# What a float loss compares its label in, and what models compute in.
COMPUTE = "float32"
CLASS = "int64"  # also of row ids


def fields_of(spec: Spec, buffers: BuffersPlan) -> tuple[Field, ...]:
    """A field for each placeholder, in the order of the spec."""
    target = TARGETS[spec.target]
    taken = {ROW_ID}
    fields = []
    for key, placeholder in spec.placeholders.items():
        name = identifier(key, taken)
        taken.add(name)
        shape = tuple(size for size in placeholder.shape if size is not None)
        compute = _compute_dtype(placeholder, spec.train.loss)
        wire = _wire_dtype(placeholder.dtype, compute, target, buffers)
        scaling = _scaling(placeholder)
        fields.append(
            Field(
                key=key,
                name=name,
                role=placeholder.role,
                shape=shape,
                classes=placeholder.classes,
                dtype=placeholder.dtype,
                wire=wire,
                words=_words(wire, shape, target),
                compute=compute,
                scaling=scaling,
                is_scaled_on_host=buffers.wire == "plain"
                and any(value is not None for value in scaling.values()),
            )
        )
    return tuple(fields)


def _compute_dtype(placeholder: Placeholder, loss: str) -> str:
    sparse = placeholder.role == "label" and loss == "sparse_categorical_crossentropy"
    return CLASS if sparse else COMPUTE


def row_id_of(spec: Spec) -> Field:
    """The row's position in the source, which rides along."""
    return Field(
        key=ROW_ID,
        name=ROW_ID,
        role="id",
        shape=(),
        classes=None,
        dtype=CLASS,
        wire=CLASS,
        words=_words(CLASS, (), TARGETS[spec.target]),
        compute=CLASS,
        scaling={},
        is_scaled_on_host=False,
    )


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
