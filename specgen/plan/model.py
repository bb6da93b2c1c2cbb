"""The Plan: all that a script needs to know, decided. Frozen; templates and `specgen plan` read it.

`resolve` decides; what a property says here follows from that, and no template computes any of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from specgen.apportion import largest_remainder
from specgen.document import Path
from specgen.dtypes import WORD, WORD_BYTES, item_bytes

Mark = Literal["said", "variant", "default"]


@dataclass(frozen=True)
class ImagePlan:
    """How an encoded image becomes an array: at `height` and `width`, the sizes of its shape."""

    stays_encoded: bool  # in the records
    resize: bool
    crop: str  # none, center or random
    exact: bool
    scaled_decode: bool


@dataclass(frozen=True)
class Field:
    """One placeholder: its name in the source and in the script, and its dtype at each place."""

    key: str
    name: str
    role: str
    shape: tuple[int, ...]
    classes: int | None
    dtype: str  # in the records
    wire: str  # from the host to the device, and in the buffers
    words: int | None  # that the whole numbers of a row travel in, if they do
    compute: str  # as the model or the loss takes it
    scaling: Mapping[str, float | list[float] | None]  # scale, offset, mean, std; None: no effect
    is_scaled_on_host: bool  # the checks see to it that it is a whole number then
    cell: Mapping[str, Any]  # how a value is made of the source's cell, beside dtype and shape
    image: ImagePlan | None  # how an encoded image is decoded, where it is

    @property
    def is_encoded(self) -> bool:
        """Whether the bytes of the source lie in the records, and are decoded when they are read."""
        return self.image is not None and self.image.stays_encoded

    @property
    def one_row(self) -> tuple[int, ...]:
        """The shape of a batch of one."""
        return (1, *self.shape)

    @property
    def has_padded_words(self) -> bool:
        """Whether the last word of a row has bytes to spare."""
        return self.words is not None and self.wire_bytes > self.bytes_as(self.wire)

    @property
    def travels_as(self) -> tuple[str, tuple[int, ...]]:
        """Dtype and shape of a row's value on its way, and in the buffers."""
        return (self.wire, self.shape) if self.words is None else (WORD, (self.words,))

    @property
    def wire_bytes(self) -> int:
        """Bytes of one row's value on its way to the device."""
        return self.bytes_as(self.wire) if self.words is None else self.words * WORD_BYTES

    def bytes_as(self, dtype: str) -> int:
        """Bytes of one row's value in a dtype."""
        return item_bytes(dtype) * prod(self.shape)


@dataclass(frozen=True)
class SourcePlan:
    """Where rows come from, and how they are read."""

    kind: str
    place: str  # the key that says where: path, files, pattern, arrays, import, or parts; or none
    path: str | None  # from the scripts' folder to the one file, to import from, or to the spec's
    paths: Any  # as the spec has them, relative to its folder
    settings: Mapping[str, Any]  # of the kind
    is_streamed: bool  # read from one end to the other, and not at random

    @property
    def is_url(self) -> bool:
        """Whether only TensorFlow can open what `path` names."""
        return self.path is not None and "://" in self.path


@dataclass(frozen=True)
class DataPlan:
    """What the data module is made from: the same for all variants of a spec."""

    recipe: dict[str, Any]
    source: SourcePlan
    cell_keys: tuple[str, ...]  # what any column says of its cells
    parts: dict[str, Any]
    splits_method: str
    splits_by: str | None  # the script's name of the placeholder
    key: Field | None  # what rows are dealt by, where no model reads it
    format: str
    rows_per_record: int
    order: str
    compression: str
    shuffle: str
    window_blocks: int  # blocks that are read, and where they are shuffled, together
    row_bytes: int  # as stored, row id included; of encoded values only the length is counted
    encoded: tuple[Field, ...]  # of the fields, those that stay encoded in the records
    classes_of: str | None  # the script's name of the label whose classes are counted
    number_kinds: tuple[str, ...]  # bool, int and float: what texts may have to spell
    spec_folder: str  # seen from the scripts' folder
    vocabulary_files: tuple[str, ...]  # as the spec has them, relative to its folder

    @property
    def has_texts(self) -> bool:
        """Whether numbers stand for the texts of a column."""
        return "vocabulary" in self.cell_keys or "hash_buckets" in self.cell_keys

    @property
    def is_drawn(self) -> bool:
        """Whether the seed of the splits decides anything."""
        return self.order == "shuffled" or self.splits_method not in ("even", "given")

    @property
    def has_bytes(self) -> bool:
        """Whether values of any size, as they come from the source, are handled."""
        return bool(self.encoded) or (self.key is not None and self.key.dtype == "string")

    @property
    def window_rows(self) -> int:
        return self.window_blocks * self.rows_per_record


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
