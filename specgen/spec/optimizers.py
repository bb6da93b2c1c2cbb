"""`train.optimizer`: the optimizers and the schedules of their learning rate."""

from typing import Annotated, Literal

from pydantic import Field

from specgen.spec.base import (
    BelowOne,
    Count,
    Model,
    NotEmpty,
    NotNegative,
    Positive,
    Whole,
    ZeroToOne,
)
from specgen.spec.unions import ByKey, Either


class _Schedule(Model):
    warmup_steps: Whole = Field(
        default=0, description="Over how many steps the rate rises from zero first."
    )


class Exponential(_Schedule):
    """Decays by the same factor over each stretch of steps."""

    schedule: Literal["exponential"] = Field(
        description="How the rate changes: by the same factor over each stretch of steps."
    )
    initial: Positive = Field(description="The rate at the start.")
    decay_steps: Count = Field(
        description="The number of steps over which the factor applies once."
    )
    decay_rate: Positive = Field(description="The factor.")


class Cosine(_Schedule):
    """Decays along half a cosine."""

    schedule: Literal["cosine"] = Field(
        description="How the rate changes: along half a cosine, then it stays."
    )
    initial: Positive = Field(description="The rate at the start.")
    decay_steps: Count = Field(description="The number of steps of the decay.")
    alpha: ZeroToOne = Field(
        default=0.0, description="The rate at the end as a share of the initial one."
    )


class Piecewise(_Schedule):
    """Changes at given steps."""

    schedule: Literal["piecewise"] = Field(description="How the rate changes: at given steps.")
    boundaries: NotEmpty[Count] = Field(description="The steps at which the rate changes.")
    values: NotEmpty[Positive] = Field(
        description="The rates between the boundaries, one more than there are boundaries."
    )


Schedule = Annotated[Exponential | Cosine | Piecewise, ByKey("schedule")]
LearningRate = Annotated[
    Positive | Schedule, Either("a number or a mapping that describes a schedule")
]


class _Optimizer(Model):
    learning_rate: LearningRate = Field(description="The learning rate, or how it changes.")


class Sgd(_Optimizer):
    """Gradient descent, with momentum."""

    name: Literal["sgd"] = Field(description="The optimizer: gradient descent, with momentum.")
    momentum: ZeroToOne = Field(
        default=0.0, description="How much of the last update goes into the next one."
    )
    nesterov: bool = Field(default=False, description="Whether momentum is applied as Nesterov's.")


class Adam(_Optimizer):
    """Adaptive moments."""

    name: Literal["adam"] = Field(description="The optimizer: adaptive moments.")
    beta_1: BelowOne = Field(default=0.9, description="The decay of the first moment.")
    beta_2: BelowOne = Field(default=0.999, description="The decay of the second moment.")
    epsilon: Positive = Field(default=1e-7, description="What is added to the denominator.")


class AdamW(_Optimizer):
    """Adaptive moments with decoupled weight decay."""

    name: Literal["adamw"] = Field(
        description="The optimizer: adaptive moments with decoupled weight decay."
    )
    beta_1: BelowOne = Field(default=0.9, description="The decay of the first moment.")
    beta_2: BelowOne = Field(default=0.999, description="The decay of the second moment.")
    epsilon: Positive = Field(default=1e-7, description="What is added to the denominator.")
    weight_decay: NotNegative = Field(
        default=0.004, description="The share of the weights that is taken off at each step."
    )


class RmsProp(_Optimizer):
    """Gradients divided by their running root mean square."""

    name: Literal["rmsprop"] = Field(
        description="The optimizer: gradients divided by their running root mean square."
    )
    rho: BelowOne = Field(default=0.9, description="The decay of the running mean square.")
    momentum: ZeroToOne = Field(
        default=0.0, description="How much of the last update goes into the next one."
    )
    epsilon: Positive = Field(default=1e-7, description="What is added to the denominator.")


Optimizer = Annotated[Sgd | Adam | AdamW | RmsProp, ByKey("name")]
