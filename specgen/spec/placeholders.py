"""`placeholders`: what one row consists of. The key is the name in the source, kept verbatim."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from specgen.spec.base import Count, Listed, Model, NotEmpty, Pair, PathText, Positive, Text
from specgen.spec.unions import Either

DType = Literal[
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "string",
]
Value = Annotated[bool | int | float | str, Either("a number, a text, true or false")]
PerChannel = Annotated[
    float | NotEmpty[float], Either("a number or a list with one for each channel")
]
PositivePerChannel = Annotated[
    Positive | NotEmpty[Positive], Either("a number or a list with one for each channel")
]
Vocabulary = Annotated[
    PathText | NotEmpty[Text],
    Either("a list of texts or the path of a file with one on each line"),
]


class Image(Model):
    """How an encoded image becomes an array of fixed size."""

    resize: Pair[Count] | None = Field(
        default=None, description="The height and width that each image is resized to."
    )
    crop: Literal["none", "center", "random"] = Field(
        default="none", description="Which part of the image is kept."
    )
    exact: bool = Field(
        default=False, description="Whether JPEG is decoded with the INTEGER_ACCURATE method."
    )
    scaled_decode: bool = Field(
        default=False,
        description="Whether JPEG is decoded at 1/2, 1/4 or 1/8 size for a small target.",
    )


class Pad(Model):
    """How rows of different lengths become one array."""

    length: Count | None = Field(
        default=None,
        description="The length that rows are padded to; required where the shape is variable.",
    )
    value: Value = Field(default=0, description="The value that fills the padding.")
    buckets: NotEmpty[Count] | None = Field(
        default=None,
        description="Widths below length; a batch has the least that all its rows fit into.",
    )


class Placeholder(Model):
    """One value of each row."""

    dtype: DType = Field(
        description="The type in the records; source values are cast to it where that is lossless."
    )
    shape: Listed[Count | None] = Field(
        default=(), description="The sizes of one value's axes, null for a variable one."
    )
    role: Literal["input", "label", "weight", "key"] = Field(
        default="input", description="What it is for; a key never enters the graph."
    )
    columns: NotEmpty[Text] | None = Field(
        default=None,
        description="The columns of the source that it is made of; else the one of its name.",
    )
    encoding: Literal["raw", "image", "tensor", "text", "tokens"] = Field(
        default="raw", description="How one value is coded in a cell of bytes."
    )
    default: Value | None = Field(
        default=None,
        description="What stands in for a missing value; without it that is an error.",
    )
    classes: Count | None = Field(
        default=None,
        description="The number of classes, required for a sparse label; data are checked by it.",
    )
    scale: PerChannel = Field(
        default=1.0,
        description="The factor in (x * scale + offset - mean) / std, computed on the device.",
    )
    offset: PerChannel = Field(
        default=0.0, description="The offset in (x * scale + offset - mean) / std."
    )
    mean: PerChannel | None = Field(
        default=None, description="The mean in (x * scale + offset - mean) / std."
    )
    std: PositivePerChannel | None = Field(
        default=None, description="The standard deviation in (x * scale + offset - mean) / std."
    )
    image: Image | None = Field(
        default=None, description="How encoded images become arrays of fixed size."
    )
    pad: Pad | None = Field(
        default=None, description="How rows of different lengths become one array."
    )
    hash_buckets: Count | None = Field(
        default=None, description="The number of buckets that texts are hashed into, giving int64."
    )
    vocabulary: Vocabulary | None = Field(
        default=None,
        description="The texts, or a file of them, whose positions take their place as int64.",
    )


# The keys that scale an input, with the number at which each changes nothing.
NEUTRAL: Mapping[str, float] = {"scale": 1.0, "offset": 0.0, "mean": 0.0, "std": 1.0}


def numbers(value: float | tuple[float, ...] | None) -> tuple[float, ...]:
    """The numbers of a scaling key, none where it was not said."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def is_neutral(placeholder: Placeholder, key: str) -> bool:
    """Whether a scaling key leaves every value as it is."""
    return all(number == NEUTRAL[key] for number in numbers(getattr(placeholder, key)))
