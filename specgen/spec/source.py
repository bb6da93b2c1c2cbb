"""`source`: where the rows come from; one model for each kind, with the keys of that kind."""

from typing import Annotated, Literal

from pydantic import Field

from specgen.spec.base import (
    Character,
    Count,
    Function,
    Listed,
    Model,
    NotEmpty,
    PathText,
    Seed,
    Text,
    Whole,
)
from specgen.spec.unions import ByKey

# The keys that say where the files are.
PLACES = ("path", "files", "pattern", "arrays")

OnError = Literal["stop", "skip"]


class _Files(Model):
    """What all sources that read files have in common."""

    path: PathText | None = Field(
        default=None, description="The literal path of the one source file or folder."
    )
    files: NotEmpty[PathText] | None = Field(
        default=None, description="The literal paths of the source files, in their order."
    )
    pattern: PathText | None = Field(
        default=None, description="A glob; the files that match it are read in sorted order."
    )
    on_error: OnError = Field(
        default="stop",
        description="Whether damaged data ends the run, or the rest of its file is skipped.",
    )
    max_errors: Whole = Field(
        default=0,
        description="How many damaged files may be skipped before the run ends all the same.",
    )


class Npz(_Files):
    """Arrays of NumPy."""

    kind: Literal["npz"] = Field(description="The kind of the source: arrays of NumPy.")
    arrays: Annotated[dict[Text, PathText], Field(min_length=1)] | None = Field(
        default=None, description="For each placeholder the path of the .npy file that holds it."
    )


class Csv(_Files):
    """Tables as text."""

    kind: Literal["csv"] = Field(description="The kind of the source: tables as text.")
    header: bool = Field(default=True, description="Whether the first line names the columns.")
    delimiter: Character = Field(
        default=",", description="The one character that separates the columns."
    )
    missing: Listed[str] = Field(
        default=("",), description="The texts that stand for a missing value."
    )


class Tfrecord(_Files):
    """TensorFlow's record files, each record a tf.train.Example."""

    kind: Literal["tfrecord"] = Field(
        description="The kind of the source: TFRecord files of tf.train.Example."
    )
    compression: Literal["auto", "none", "gzip", "zlib"] = Field(
        default="auto",
        description="How the files are compressed; auto goes by their content, not their names.",
    )


class Images(_Files):
    """A folder of images for each class."""

    kind: Literal["images"] = Field(
        description="The kind of the source: a folder of images for each class."
    )
    classes: NotEmpty[Text] | None = Field(
        default=None,
        description="The classes in the order of their labels; else the sorted folder names.",
    )


class Synthetic(Model):
    """Rows made up, learnable and always the same."""

    kind: Literal["synthetic"] = Field(
        description="The kind of the source: rows made up, learnable and always the same."
    )
    rows: Count = Field(description="How many rows are made.")
    seed: Seed = Field(default=0, description="The seed from which the rows are made.")


class Python(Model):
    """A function of the user's that yields rows."""

    kind: Literal["python"] = Field(
        description="The kind of the source: a function that yields rows as mappings."
    )
    import_: Function = Field(
        alias="import", description="The function that yields the rows, as module:function."
    )
    import_path: PathText | None = Field(
        default=None,
        description="The folder to import from, relative to the spec; else the spec's own.",
    )


Source = Annotated[Npz | Csv | Tfrecord | Images | Synthetic | Python, ByKey("kind")]


def is_table(path: str) -> bool:
    """Whether what names images is a table of their paths, and not a folder of them."""
    return path.lower().endswith(".csv")
