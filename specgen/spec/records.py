"""`records`: how prepared rows are stored on disk."""

from typing import Annotated, Literal

from pydantic import Field

from specgen.spec.base import Count, Model

Level = Annotated[int, Field(ge=1, le=9)]


class Records(Model):
    """The form of the records that all variants of a spec share."""

    format: Literal["packed", "example", "source"] = Field(
        default="packed",
        description="Blocks of raw columns, an Example for each row, or the source's TFRecords.",
    )
    rows_per_record: Count = Field(default=256, description="How many rows one block holds.")
    shards: Count = Field(
        default=8, description="How many files the blocks are spread over, at most."
    )
    read_cycle: Count = Field(default=4, description="How many files are read in rotation.")
    order: Literal["shuffled", "source"] = Field(
        default="shuffled",
        description="Whether rows are stored in a seeded permutation or in the source's order.",
    )
    compression: Literal["none", "gzip", "zlib"] = Field(
        default="none", description="How records are compressed: packed by block, example by file."
    )
    level: Level = Field(default=6, description="How hard the compression tries, from 1 to 9.")
