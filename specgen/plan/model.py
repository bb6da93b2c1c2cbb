"""The Plan: all that a script needs to know, decided. Frozen; templates and `specgen plan` read it.

`resolve` decides; what a property says here follows from that, and no template computes any of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from specgen.apportion import largest_remainder
from specgen.document import Path
from specgen.plan.data_model import DataPlan, Field

Mark = Literal["said", "variant", "default"]


@dataclass(frozen=True)
class LayerPlan:
    """One layer: its kind, its settings, and the name that its weights are saved under."""

    kind: str
    index: int
    name: str
    settings: dict[str, Any]
    input_shape: tuple[int, ...]
    output_shape: tuple[int, ...]
    kernel_shape: tuple[int, ...] | None
    window: tuple[int, ...] | None  # height and width, as of the strides
    strides: tuple[int, ...] | None


@dataclass(frozen=True)
class ModelPlan:
    """The model: layers, or else a function of the user's module."""

    inputs: tuple[Field, ...]
    output_shape: tuple[int, ...]
    layers: tuple[LayerPlan, ...]
    module: str | None
    function: str | None
    folder: str | None  # to import from, seen from the scripts' folder

    @property
    def has_weights(self) -> bool:
        return any(layer.kernel_shape for layer in self.layers)

    @property
    def kind(self) -> str:
        return "layers" if self.layers else "import"


@dataclass(frozen=True)
class TrainPlan:
    """How the model is fitted. Exactly one of epochs and steps is there."""

    recipe: dict[str, Any]  # of the weights, beside the data's
    batch_size: int
    epochs: int | None
    steps: int | None
    optimizer: str
    optimizer_settings: dict[str, Any]
    loss: str
    label: Field
    metrics: tuple[str, ...]
    last_batch: str
    validate_every: int
    checkpoint_every: int
    checkpoints_kept: int


@dataclass(frozen=True)
class BuffersPlan:
    """How batches reach the device. `count` buffers are on it, `batches_on_device` at the peak."""

    method: str
    swap: str | None
    depth: int | None
    input: str | None
    wire: str
    count: int
    batches_on_device: int

    @property
    def gives(self) -> str:
        """Who gives the next batch, also where only one can."""
        return self.input or "iterator"


@dataclass(frozen=True)
class DevicePlan:
    """What computes: `auto`, or one device by kind and index; and what to do where it is absent."""

    name: str
    kind: str
    index: int
    fallback: str


@dataclass(frozen=True)
class Plan:
    """One script of a spec, and the data module that it shares with the other variants."""

    name: str
    variant: str | None
    description: str | None
    source: str  # path of the spec from the scripts' folder, POSIX
    target: str
    fields: tuple[Field, ...]
    row_id: Field
    data: DataPlan
    model: ModelPlan
    train: TrainPlan
    parallel_calls: int | None  # None: as many as the target finds best
    cache: str  # none or memory
    threads: int | None  # of the input pipeline; None: as many as the machine has
    ram_budget_mb: int | None  # that the input pipeline may use; None: half of what there is
    host_prefetch: int
    buffers: BuffersPlan
    device: DevicePlan
    keys: Mapping[str, Any]  # of the spec, with every default
    marks: Mapping[Path, Mark]  # who said each of them

    @property
    def script(self) -> str:
        """The module's name."""
        return f"{self.name}_{self.variant}" if self.variant else self.name

    @property
    def in_memory(self) -> bool:
        """Whether the rows are read once and held, instead of read in each epoch."""
        return self.cache == "memory" or self.data.shuffle == "full"

    @property
    def converted(self) -> bool:
        """Whether what travels differs from what is stored."""
        as_stored = all(each.travels_as == (each.dtype, each.shape) for each in self.columns)
        return bool(self.scaled_on_host) or not as_stored

    @property
    def columns(self) -> tuple[Field, ...]:
        """All of a batch: the placeholders, and the row id."""
        return (*self.fields, self.row_id)

    @property
    def has_padded_words(self) -> bool:
        return any(field.has_padded_words for field in self.columns)

    @property
    def bucketed(self) -> tuple[Field, ...]:
        """What is cut, in each batch, to the width that its rows need."""
        return tuple(field for field in self.fields if field.widths)

    @property
    def scaled_on_host(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.is_scaled_on_host)

    @property
    def wire_row_bytes(self) -> int:
        """Bytes of one row on its way to the device, row id included."""
        return sum(column.wire_bytes for column in self.columns)

    @property
    def wire_batch_bytes(self) -> int:
        return self.wire_row_bytes * self.train.batch_size

    @property
    def train_rows(self) -> int | None:
        """How many rows are trained on; None where only the source can tell."""
        rows = self.data.source.settings.get("rows")
        if rows is None or self.data.splits_method != "even":
            return None
        return largest_remainder(rows, list(self.data.parts.values()))[0]
