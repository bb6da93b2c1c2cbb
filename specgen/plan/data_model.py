"""What the Plan says of the data: placeholders as Fields, where rows come from, how they are kept.

Frozen; templates and `specgen plan` read it. What a property says follows from what was decided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from specgen.dtypes import WORD, WORD_BYTES, item_bytes

COLOURS = 3  # channels of an image that is not grey
# TensorFlow's names of compressions.
CODECS: Mapping[str, str] = {"none": "", "gzip": "GZIP", "zlib": "ZLIB"}


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
        """Whether the source's bytes lie in the records, and are decoded when they are read."""
        return self.image is not None and self.image.stays_encoded

    @property
    def example_list(self) -> str:
        """The list of a tf.train.Example that holds a row's value, where each row is one."""
        if self.is_encoded or self.dtype == "float64" or (self.dtype == "uint8" and self.shape):
            return "bytes_list"
        return "float_list" if self.dtype.startswith("float") else "int64_list"

    @property
    def example_dtype(self) -> str:
        """What is in that list."""
        return {"bytes_list": "string", "float_list": "float32"}.get(self.example_list, "int64")

    @property
    def any_rows(self) -> tuple[int, ...]:
        """The shape to give to values of any number of rows."""
        return (-1, *self.shape)

    @property
    def by_format(self) -> bool:
        """Whether the formats of encoded images are decoded in different ways."""
        image = self.image
        return image is not None and (
            self.shape[-1] == COLOURS or image.crop != "none" or image.scaled_decode
        )

    @property
    def one_row(self) -> tuple[int, ...]:
        """The shape of a batch of one."""
        return (1, *self.shape)

    @property
    def widths(self) -> tuple[int, ...]:
        """How wide batches may be, where they are cut to what their rows need; else nothing."""
        return tuple(self.cell.get("widths", ()))

    @property
    def any_width(self) -> tuple[int | None, ...]:
        """The shape of a row's value in any batch."""
        return (None,) if self.widths else self.shape

    @property
    def narrowest(self) -> tuple[int, ...]:
        """The shape of a row's value in the narrowest batch."""
        return self.widths[:1] or self.shape

    @property
    def narrowest_row(self) -> tuple[int, ...]:
        """The shape of a batch of one that is as narrow as can be."""
        return (1, *self.narrowest)

    @property
    def one_row_of_any_width(self) -> tuple[int | None, ...]:
        return (1, *self.any_width)

    @property
    def is_float(self) -> bool:
        return self.dtype.startswith("float")

    @property
    def has_padded_words(self) -> bool:
        """Whether the last word of a row has bytes to spare."""
        return self.words is not None and self.wire_bytes > self.bytes_as(self.wire)

    @property
    def travels_as(self) -> tuple[str, tuple[int | None, ...]]:
        """Dtype and shape of a row's value on its way, and in the buffers."""
        shape = self.shape if self.words is None else (self.words,)
        return self.wire if self.words is None else WORD, (None,) if self.widths else shape

    @property
    def wire_bytes(self) -> int:
        """Bytes of one row's value on its way to the device, in the widest batch."""
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
    is_url: bool  # whether there is a path that only TensorFlow can open
    form: str | None  # of images: a table, folders of them or their files themselves; else None

    @property
    def has_examples(self) -> bool:
        """Whether the files are TFRecords, and so need what reads those."""
        return self.kind == "tfrecord"

    @property
    def codec(self) -> str:
        """How TensorFlow calls the compression that the files are said to have."""
        return CODECS.get(self.settings.get("compression", "none"), "")


@dataclass(frozen=True)
class DataPlan:
    """What the data module is made from: the same for all variants of a spec."""

    recipe: dict[str, Any]
    source: SourcePlan
    cell_keys: tuple[str, ...]  # what any column says of its cells
    parts: dict[str, Any]
    splits_method: str
    dealt_by: Field | None  # what says to which part a row belongs
    hashed_as: str | None  # NumPy's dtype of that, as its bytes are hashed; None for texts
    key: Field | None  # the same, where no model reads it
    format: str
    rows_per_record: int
    order: str
    compression: str
    shuffle: str
    window_blocks: int  # blocks that are read, and where they are shuffled, together
    row_bytes: int  # as stored, row id included; of encoded values only the length is counted
    images: tuple[Field, ...]  # of the fields, those that are encoded in the source
    classes_of: str | None  # the script's name of the label whose classes are counted
    example_lists: tuple[str, ...]  # of tf.train.Example, that a row would be in
    encodings: tuple[str, ...]  # of the source's values, of images apart
    number_kinds: tuple[str, ...]  # bool, int and float: what texts may have to spell
    spec_folder: str  # seen from the scripts' folder
    vocabulary_files: tuple[str, ...]  # as the spec has them, relative to its folder

    @property
    def encoded(self) -> tuple[Field, ...]:
        """Of the images, those that stay encoded in the records."""
        return tuple(field for field in self.images if field.is_encoded)

    @property
    def all_encoded(self) -> bool:
        """Whether no image is decoded before it is read."""
        return self.encoded == self.images

    @property
    def all_resized(self) -> bool:
        """Whether images of any size become those of the shape."""
        return self.resized == self.images

    @property
    def resized(self) -> tuple[Field, ...]:
        """Of the images, those that may come in any size."""
        return tuple(field for field in self.images if field.image and field.image.resize)

    @property
    def has_random_crop(self) -> bool:
        return any(field.image and field.image.crop == "random" for field in self.images)

    @property
    def tells_formats(self) -> bool:
        return any(field.by_format for field in self.images)

    @property
    def has_bitmaps(self) -> bool:
        """Whether images can be BMP files, which are never grey."""
        return any(field.shape[-1] == COLOURS for field in self.images)

    @property
    def in_place(self) -> bool:
        """Whether the records are the source's own."""
        return self.format == "source"

    @property
    def skips(self) -> bool:
        """Whether damaged files are left out from where they are damaged."""
        return self.source.settings.get("on_error") == "skip"

    @property
    def reads_framing(self) -> bool:
        """Whether records in place are counted, and told from others, by what frames them."""
        return self.in_place and not (self.skips or self.source.is_url)

    @property
    def codec(self) -> str:
        """How TensorFlow calls the compression of the records."""
        return CODECS[self.compression]

    @property
    def has_texts(self) -> bool:
        """Whether numbers stand for the texts of a column."""
        return "vocabulary" in self.cell_keys or "hash_buckets" in self.cell_keys

    @property
    def is_drawn(self) -> bool:
        """Whether the seed of the splits decides anything."""
        if self.in_place:
            return False
        return self.order == "shuffled" or self.splits_method not in ("even", "given")

    @property
    def is_shuffled(self) -> bool:
        """Whether rows are drawn anywhere but in the splits."""
        return self.shuffle != "none" or (self.order == "shuffled" and not self.in_place)

    @property
    def has_bytes(self) -> bool:
        """Whether values of any size, as they come from the source, are handled."""
        return bool(self.images) or (self.key is not None and self.key.dtype == "string")

    @property
    def stores_bytes(self) -> bool:
        """Whether some of them are kept so, while rows are dealt or in the records."""
        return bool(self.encoded) or (self.key is not None and self.key.dtype == "string")

    @property
    def held_row_bytes(self) -> int:
        """Bytes of a row in memory, decoded."""
        lengths = WORD_BYTES * len(self.encoded)
        return self.row_bytes - lengths + sum(field.bytes_as(field.dtype) for field in self.encoded)

    @property
    def window_rows(self) -> int:
        return self.window_blocks * self.rows_per_record
