"""Placeholders -> Fields: names that a script can use, and the dtype of each at each place."""

from specgen.names import identifier
from specgen.plan.model import BuffersPlan, Field
from specgen.spec.placeholders import NEUTRAL, Placeholder, is_neutral
from specgen.spec.root import Spec

# Of a batch: the placeholders' fields may not take it.
ROW_ID = "row_id"
# What a float loss compares its label in, and what models compute in.
COMPUTE = "float32"
CLASS = "int64"


def fields_of(spec: Spec, buffers: BuffersPlan) -> tuple[Field, ...]:
    """A field for each placeholder, in the order of the spec."""
    taken = {ROW_ID}
    fields = []
    for key, placeholder in spec.placeholders.items():
        name = identifier(key, taken)
        taken.add(name)
        compute = _compute_dtype(placeholder, spec.train.loss)
        fields.append(
            Field(
                key=key,
                name=name,
                role=placeholder.role,
                shape=tuple(size for size in placeholder.shape if size is not None),
                classes=placeholder.classes,
                dtype=placeholder.dtype,
                wire=_wire_dtype(placeholder.dtype, compute, buffers),
                compute=compute,
                scaling=_scaling(placeholder),
            )
        )
    return tuple(fields)


def _compute_dtype(placeholder: Placeholder, loss: str) -> str:
    sparse = placeholder.role == "label" and loss == "sparse_categorical_crossentropy"
    return CLASS if sparse else COMPUTE


def _wire_dtype(dtype: str, compute: str, buffers: BuffersPlan) -> str:
    """What travels, and what the buffers hold."""
    if buffers.wire == "plain":
        return compute
    # Resource variables have GPU kernels for every integer but int32, which TensorFlow keeps in
    # host memory (tensorflow/core/kernels/resource_variable_ops.cc).
    return "int64" if dtype == "int32" and buffers.count else dtype


def _scaling(placeholder: Placeholder) -> dict[str, float | list[float] | None]:
    """What is done to the values; None where it would change nothing."""
    return {
        key: None if is_neutral(placeholder, key) else _plain(getattr(placeholder, key))
        for key in NEUTRAL
    }


def _plain(value: float | tuple[float, ...]) -> float | list[float]:
    return list(map(float, value)) if isinstance(value, tuple) else float(value)
