"""`splits`: which rows are for training, validation and testing."""

from typing import Annotated, Literal

from pydantic import Field

from specgen.spec.base import Model, Seed, Text
from specgen.spec.unions import Either

Part = Annotated[int | float | Text, Either("a fraction (for given a path or a column value)")]


class Parts(Model):
    """The parts: fractions, or for `given` what marks their rows."""

    train: Part = Field(
        description="The share for training; for given, the path or the column value of its rows."
    )
    validation: Part | None = Field(
        default=None,
        description="The share for validation; for given, the path or column value.",
    )
    test: Part | None = Field(
        default=None,
        description="The share for the test; for given, the path or column value.",
    )


class Splits(Model):
    """How rows are dealt to the parts."""

    method: Literal["stratified", "even", "hash", "group", "given"] = Field(
        default="even", description="How the rows are dealt to the parts."
    )
    by: Text | None = Field(
        default=None,
        description="The placeholder, for given the source's column, that rows are dealt by.",
    )
    parts: Parts = Field(
        default=Parts(train=1.0), description="The parts and how large they are, or where they are."
    )
    seed: Seed = Field(default=0, description="The seed by which the rows are dealt.")
