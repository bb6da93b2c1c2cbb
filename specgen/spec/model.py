"""`model`: the layers, or the function of the user's that builds them."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from specgen.spec.base import (
    BelowOne,
    Count,
    Function,
    Model,
    NotEmpty,
    Pair,
    PathText,
    Positive,
    Text,
    Wrapped,
)
from specgen.spec.unions import Either, Named

Activation = Literal["none", "relu", "tanh", "sigmoid", "gelu"]
Padding = Literal["valid", "same"]
Sizes = Annotated[Count | Pair[Count], Either("a whole number or a pair of them")]


class Flatten(Model):
    """Makes one axis of all."""

    kind: ClassVar[str] = "flatten"


class Reshape(Model):
    """Gives each row another shape."""

    kind: ClassVar[str] = "reshape"

    shape: NotEmpty[Count] = Field(description="The sizes of the new axes, without the batch's.")


class Dense(Model):
    """A fully connected layer."""

    kind: ClassVar[str] = "dense"

    units: Count = Field(description="The number of outputs.")
    activation: Activation = Field(default="none", description="The function of the outputs.")
    use_bias: bool = Field(default=True, description="Whether a bias is added.")


class Conv2D(Model):
    """A convolution over height and width."""

    kind: ClassVar[str] = "conv2d"

    filters: Count = Field(description="The number of output channels.")
    kernel_size: Sizes = Field(description="The height and width of the window.")
    strides: Sizes = Field(default=1, description="How far the window moves at once.")
    padding: Padding = Field(
        default="valid", description="Whether the edges are padded so that the size stays the same."
    )
    activation: Activation = Field(default="none", description="The function of the outputs.")
    use_bias: bool = Field(default=True, description="Whether a bias is added.")


class _Pool2D(Model):
    pool_size: Sizes = Field(default=2, description="The height and width of the window.")
    strides: Sizes | None = Field(
        default=None, description="How far the window moves at once; else its own size."
    )
    padding: Padding = Field(
        default="valid", description="Whether the edges are padded so that no column is lost."
    )


class MaxPool2D(_Pool2D):
    """The largest value of each window."""

    kind: ClassVar[str] = "max_pool2d"


class AveragePool2D(_Pool2D):
    """The mean of each window."""

    kind: ClassVar[str] = "average_pool2d"


class GlobalAveragePool2D(Model):
    """The mean over height and width."""

    kind: ClassVar[str] = "global_average_pool2d"


class Dropout(Model):
    """Drops values at random while training."""

    kind: ClassVar[str] = "dropout"

    rate: BelowOne = Field(description="The share of the values that are dropped.")


class BatchNorm(Model):
    """Normalises each channel over the batch."""

    kind: ClassVar[str] = "batch_norm"

    momentum: BelowOne = Field(
        default=0.99, description="How much of the moving averages is kept at each step."
    )
    epsilon: Positive = Field(default=1e-3, description="What is added to the variance.")


class Embedding(Model):
    """A vector for each id."""

    kind: ClassVar[str] = "embedding"

    vocabulary: Count = Field(description="The number of ids, which count from 0.")
    units: Count = Field(description="The length of each vector.")


class MaskedMean(Model):
    """The mean over the positions that are not padding."""

    kind: ClassVar[str] = "masked_mean"


class Concatenate(Wrapped):
    """A branch of layers for each input, joined along the last axis; `root` has them by input."""

    kind: ClassVar[str] = "concatenate"

    root: Annotated[dict[Text, NotEmpty["Layer"]], Field(min_length=1)]


Layer = Annotated[
    Flatten
    | Reshape
    | Dense
    | Conv2D
    | MaxPool2D
    | AveragePool2D
    | GlobalAveragePool2D
    | Dropout
    | BatchNorm
    | Embedding
    | MaskedMean
    | Concatenate,
    Named("layer"),
]
Concatenate.model_rebuild()  # It holds layers itself.


class ImportByTarget(Model):
    """A model function for each target."""

    tf2: Function | None = Field(
        default=None, description="The function for tf2, as module:function."
    )
    tf1_4: Function | None = Field(
        default=None, alias="tf1.4", description="The function for tf1.4, as module:function."
    )

    @property
    def by_target(self) -> Mapping[str, str | None]:
        """The functions by the target's name, None where there is none."""
        return {"tf2": self.tf2, "tf1.4": self.tf1_4}


Import = Annotated[
    Function | ImportByTarget, Either("module:function or a mapping of targets to it")
]


class ModelSection(Model):
    """What is trained."""

    layers: NotEmpty[Layer] | None = Field(
        default=None, description="The layers in their order; the last one gives logits."
    )
    import_: Import | None = Field(
        default=None,
        alias="import",
        description="The function that builds the model, as module:function, or one a target.",
    )
    import_path: PathText | None = Field(
        default=None,
        description="The folder to import from, relative to the spec; else the spec's own.",
    )
