"""The *how* sections: how the bytes reach the device. No key of theirs changes what is learned.

All keys are `None` where they were not said; the method and the target decide which of them matter.
"""

from typing import Annotated, Literal

from pydantic import Field

from specgen.spec.base import (
    Count,
    Device,
    DeviceOrAuto,
    Model,
    NotEmpty,
    Share,
    Text,
    unsaid,
)
from specgen.spec.unions import Either

Target = Literal["tf2", "tf1.4"]
AutoOrCount = Annotated[Literal["auto"] | Count, Either("auto or a whole number")]
Compute = Annotated[
    DeviceOrAuto | NotEmpty[Device],
    Either("auto, a device as cpu:0 or gpu:0 or a list of devices"),
]


class Service(Model):
    """The tf.data service that does the input work."""

    address: Text = Field(description="The address of the dispatcher, as grpc://host:port.")
    job_name: Text = Field(description="The name of the job that all consumers share.")


class Pipeline(Model):
    """The input pipeline on the host."""

    parallel_calls: AutoOrCount | None = unsaid(
        "auto", "How many elements are worked on at the same time."
    )
    host_prefetch: AutoOrCount | None = unsaid(
        "auto", "How many batches are kept ready on the host."
    )
    cache: Literal["none", "memory"] | None = unsaid(
        "none", "Whether decoded rows are kept in memory; their order never is."
    )
    threads: Count | None = unsaid(
        None, "How many threads the input pipeline may use; else as many as the machine has."
    )
    ram_budget_mb: Count | None = unsaid(
        None, "How much memory the input pipeline may use, in MB; else half of what there is."
    )
    service: Service | None = unsaid(
        None, "The tf.data service that does the input work; its order is exempt from the promise."
    )


class Buffers(Model):
    """The buffers between host and device."""

    method: (
        Literal["feed", "prefetch", "two_variable", "staging_area", "prefetch_to_device"] | None
    ) = unsaid("two_variable", "How batches reach the device while it computes.")
    swap: Literal["cond", "pair", "thread"] | None = unsaid(
        "cond",
        "How two_variable changes buffers: tf.cond, two static op pairs, or a second thread.",
    )
    depth: Annotated[int, Field(ge=2, le=2**31 - 1)] | None = unsaid(
        2, "How many batches are ahead, or how many buffers there are."
    )
    input: Literal["iterator", "placeholders"] | None = unsaid(
        "iterator", "Who gives the next batch to two_variable on tf1.4."
    )
    wire: Literal["narrow", "plain"] | None = unsaid(
        "narrow",
        "Whether rows travel in the storage dtype, cast on the device, or in the compute dtype.",
    )


class Memory(Model):
    """How much of a GPU's memory TensorFlow takes."""

    growth: bool | None = unsaid(None, "Whether the memory that is taken grows with the need.")
    limit_mb: Count | None = unsaid(None, "The most memory that is taken, in MB.")
    fraction: Share | None = unsaid(None, "The share of the memory that is taken on tf1.4.")


class Devices(Model):
    """The devices and their memory."""

    compute: Compute | None = unsaid(
        "auto", "The device that computes, or a list of them; auto is gpu:0 where there is one."
    )
    fallback: Literal["cpu", "error"] | None = unsaid(
        "cpu", "What happens where a named device is absent."
    )
    memory: Memory | None = unsaid(
        {"growth": True}, "How much of a GPU's memory TensorFlow takes: exactly one of three ways."
    )
    allocator: Literal["default", "cuda_malloc_async"] | None = unsaid(
        "default", "What hands out the memory of a GPU."
    )
    gpu_threads: Count | None = unsaid(
        None, "How many threads of its own each GPU has for launching kernels."
    )


class Distribute(Model):
    """Replicas."""

    strategy: Literal["none", "mirrored", "multi_worker"] | None = unsaid(
        "none", "How replicas share the work: not at all, on one machine, or on several."
    )
    divide: Literal["even", "stratified"] | None = unsaid(
        "even",
        "How the rows of a global batch are dealt to replicas: in order, or each class evenly.",
    )
    cross_device: Literal["auto", "nccl", "reduction_to_one_device", "hierarchical_copy"] | None = (
        unsaid("auto", "How replicas sum their gradients.")
    )
