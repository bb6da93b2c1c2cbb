"""The whole spec, one variant of it, in which all variants are merged already."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from specgen.spec.base import Model, Name, Text
from specgen.spec.how import Buffers, Devices, Distribute, Pipeline, Target
from specgen.spec.model import ModelSection
from specgen.spec.placeholders import Placeholder
from specgen.spec.records import Records
from specgen.spec.source import Source
from specgen.spec.splits import Splits
from specgen.spec.train import Train

# Not `Literal[1]`, which takes `true` and `1.0` as well.
Version = Annotated[int, Field(ge=1, le=1)]

# Of a spec that may have mistakes: the root fields that are valid, by name.
Sections = Mapping[str, Any]


class Spec(Model):
    """One script's worth of a spec: the *what* first, then the *how*, which starts at `target`."""

    specgen: Version = Field(description="The version of the spec language.")
    name: Name = Field(
        description="The name that scripts and folders are called by; it shadows no module."
    )
    description: str | None = Field(default=None, description="The docstring of the scripts.")
    source: Source = Field(description="Where the rows come from.")
    placeholders: Annotated[dict[Text, Placeholder], Field(min_length=1)] = Field(
        description="What one row consists of, by the names that the source uses."
    )
    splits: Splits = Field(
        default=Splits(), description="Which rows are for training, validation and testing."
    )
    records: Records = Field(default=Records(), description="How prepared rows are stored on disk.")
    model: ModelSection = Field(description="What is trained: layers or a function that builds it.")
    train: Train = Field(description="How the model is fitted.")
    target: Target = Field(
        default="tf2", description="The TensorFlow that the scripts are written for."
    )
    pipeline: Pipeline = Field(default=Pipeline(), description="How the host makes batches.")
    buffers: Buffers = Field(default=Buffers(), description="How batches wait for the device.")
    devices: Devices = Field(default=Devices(), description="What computes.")
    distribute: Distribute = Field(
        default=Distribute(), description="How the work is shared between devices."
    )

    @field_validator("*")
    @classmethod
    def _hand_over(cls, section: Any, info: ValidationInfo) -> Any:
        """Give each valid section to `load`, which wants it even where another one is wrong."""
        if info.context is not None:
            info.context[info.field_name] = section
        return section
