"""`train`: how the model is fitted."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from specgen.spec.base import (
    BelowOne,
    Count,
    Function,
    Listed,
    Model,
    NotNegative,
    Positive,
    Seed,
    Wrapped,
)
from specgen.spec.optimizers import Optimizer
from specgen.spec.unions import ByKey, Named

Loss = Literal[
    "sparse_categorical_crossentropy",
    "categorical_crossentropy",
    "binary_crossentropy",
    "mse",
    "mae",
    "huber",
]
Watched = Literal["loss", "accuracy", "top_k", "auc", "mae", "mse"]


class Accuracy(Model):
    """The share of rows whose largest logit is right."""

    kind: ClassVar[str] = "accuracy"


class TopK(Model):
    """The share of rows whose label is among the k largest logits."""

    kind: ClassVar[str] = "top_k"

    k: Count = Field(description="How many of the largest logits count.")


class Auc(Model):
    """The area under the curve of true against false positives."""

    kind: ClassVar[str] = "auc"


class Mae(Model):
    """The mean absolute error."""

    kind: ClassVar[str] = "mae"


class Mse(Model):
    """The mean squared error."""

    kind: ClassVar[str] = "mse"


Metric = Annotated[Accuracy | TopK | Auc | Mae | Mse, Named("metric")]


class Flip(Model):
    """Mirrors half of the images left to right."""

    kind: ClassVar[str] = "flip"


class Shift(Model):
    """Moves each image at random."""

    kind: ClassVar[str] = "shift"

    pixels: Count = Field(description="How far an image is moved in each direction, at most.")


class Crop(Model):
    """Pads each image and cuts its size out at random."""

    kind: ClassVar[str] = "crop"

    pixels: Count = Field(description="By how many pixels each side is padded before the cut.")


class AugmentImport(Wrapped):
    """A function of the user's; `root` is its `module:function`."""

    kind: ClassVar[str] = "import"

    root: Function


Augment = Annotated[Flip | Shift | Crop | AugmentImport, Named("transformation")]


class ShuffleWindow(Model):
    """Rows are permuted within windows."""

    kind: Literal["window"] = Field(
        description="How rows are shuffled in each epoch: within windows."
    )
    rows: Count = Field(default=8192, description="How many rows a window holds.")


class ShuffleFull(Model):
    """All rows are permuted."""

    kind: Literal["full"] = Field(
        description="How rows are shuffled in each epoch: all of them, held in memory."
    )


class ShuffleNone(Model):
    """Rows come in stored order."""

    kind: Literal["none"] = Field(
        description="How rows are shuffled in each epoch: not at all, they come in stored order."
    )


Shuffle = Annotated[ShuffleWindow | ShuffleFull | ShuffleNone, ByKey("kind")]


class EarlyStopping(Model):
    """When training ends before its time."""

    metric: Watched | None = Field(
        default=None, description="What is watched on the validation rows; else the loss."
    )
    patience: Count = Field(
        description="After how many validations without improvement training stops."
    )
    min_delta: NotNegative = Field(
        default=0.0, description="How large a change must be to count as an improvement."
    )


class Checkpoint(Model):
    """What is saved, and when."""

    every_steps: Count = Field(
        default=500, description="After how many steps a checkpoint is saved."
    )
    keep: Count = Field(default=3, description="How many checkpoints are kept.")
    best: Watched | None = Field(
        default=None, description="The metric by which the best checkpoint is kept as well."
    )


class Log(Model):
    """What is logged."""

    tensorboard: bool = Field(
        default=False, description="Whether logs for TensorBoard are written."
    )


class Train(Model):
    """How the model is fitted to the rows."""

    batch_size: Count = Field(description="The number of rows in a global batch.")
    epochs: Count | None = Field(default=None, description="The total number of epochs.")
    steps: Count | None = Field(default=None, description="The total number of steps.")
    optimizer: Optimizer = Field(
        description="The optimizer and its settings, with the same equations on both targets."
    )
    loss: Loss = Field(description="What is minimised; it must fit the label's dtype and shape.")
    metrics: Listed[Metric] = Field(
        default=(), description="What is measured besides the loss, averaged over rows."
    )
    shuffle: Shuffle = Field(
        default=ShuffleWindow(kind="window"), description="How rows are shuffled in each epoch."
    )
    last_batch: Literal["keep", "drop"] = Field(
        default="keep", description="What becomes of an epoch's last rows that do not fill a batch."
    )
    seed: Seed = Field(
        default=0, description="The seed of initial weights, dropout, and the order of rows."
    )
    l2: NotNegative = Field(
        default=0.0, description="The factor of the squared weights in the loss."
    )
    clip_norm: Positive | None = Field(
        default=None, description="The global norm that gradients are clipped to."
    )
    label_smoothing: BelowOne = Field(
        default=0.0, description="The share of each label that is spread over all classes."
    )
    augment: Listed[Augment] = Field(
        default=(), description="Random changes of the images, keyed by seed, epoch and row."
    )
    precision: Literal["float32", "mixed_bfloat16", "mixed_float16"] = Field(
        default="float32", description="The dtype of the computation."
    )
    validate_every: Count = Field(
        default=1, description="After how many epochs the validation rows are evaluated."
    )
    early_stopping: EarlyStopping | None = Field(
        default=None, description="When training ends before its time."
    )
    checkpoint: Checkpoint = Field(
        default=Checkpoint(), description="When the state is saved and how often it is kept."
    )
    log: Log = Field(default=Log(), description="What is logged besides the report.")
