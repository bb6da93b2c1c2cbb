"""The *how* of a Plan: pipeline, buffers and device, with defaults that depend on the method."""

from specgen.plan.model import BuffersPlan, DevicePlan
from specgen.spec.base import default_of
from specgen.spec.how import Buffers, Devices, Pipeline
from specgen.spec.root import Spec

# Enough to ride over the moment in which a window of rows is permuted.
HOST_PREFETCH = 4


def parallel_calls(spec: Spec) -> int | None:
    """Elements worked on at once; None for as many as the target finds best."""
    calls = spec.pipeline.parallel_calls
    return calls if isinstance(calls, int) else None


def host_prefetch(spec: Spec) -> int:
    """Batches kept ready on the host."""
    ready = spec.pipeline.host_prefetch
    return ready if isinstance(ready, int) else HOST_PREFETCH


def cache(spec: Spec) -> str:
    """Where decoded rows are kept."""
    return str(spec.pipeline.cache or default_of(Pipeline, "cache"))


def buffers_plan(spec: Spec) -> BuffersPlan:
    """The method and what it keeps on the device."""
    buffers = spec.buffers
    method = buffers.method or default_of(Buffers, "method")
    wire = buffers.wire or default_of(Buffers, "wire")
    if method != "two_variable":
        return BuffersPlan(method, None, None, None, wire, count=0, batches_on_device=1)
    depth = buffers.depth or default_of(Buffers, "depth")
    return BuffersPlan(
        method,
        buffers.swap or default_of(Buffers, "swap"),
        depth,
        buffers.input or default_of(Buffers, "input"),
        wire,
        count=depth,
        # An assignment swaps pointers: the batch that arrives lives beside those in the buffers.
        batches_on_device=depth + 1,
    )


def device_plan(spec: Spec) -> DevicePlan:
    """The one device that computes."""
    compute = spec.devices.compute or default_of(Devices, "compute")
    fallback = spec.devices.fallback or default_of(Devices, "fallback")
    kind, _, index = str(compute).partition(":")
    return DevicePlan(name=str(compute), kind=kind, index=int(index or 0), fallback=fallback)
