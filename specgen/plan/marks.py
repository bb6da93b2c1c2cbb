"""The spec in full, and for each of its values who said it: the spec, the variant, or no one."""

from collections.abc import Iterator, Mapping
from typing import Any

from specgen.document import Document, Path
from specgen.plan.how import device_plan, host_prefetch
from specgen.plan.model import BuffersPlan, Mark
from specgen.plan.recipes import keys_of
from specgen.spec.base import default_of
from specgen.spec.how import Devices, Distribute, Pipeline
from specgen.spec.root import Spec


def in_full(spec: Spec, buffers: BuffersPlan) -> dict[str, Any]:
    """Every key that has a meaning under the chosen methods, defaults resolved."""
    keys: dict[str, Any] = keys_of(spec)
    device = device_plan(spec)
    said = spec.pipeline.parallel_calls
    keys["pipeline"] = {
        "parallel_calls": default_of(Pipeline, "parallel_calls") if said is None else said,
        "host_prefetch": host_prefetch(spec),
    }
    methods = {
        "method": buffers.method,
        "swap": buffers.swap,
        "depth": buffers.depth,
        "input": buffers.input,
        "wire": buffers.wire,
    }
    keys["buffers"] = {key: value for key, value in methods.items() if value is not None}
    keys["devices"] = {
        "compute": device.name,
        "fallback": device.fallback,
        "memory": keys_of(spec.devices.memory) or default_of(Devices, "memory"),
    }
    keys["distribute"] = {
        "strategy": spec.distribute.strategy or default_of(Distribute, "strategy")
    }
    return keys


def leaves(values: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each value that is no mapping with its path; lists count as values."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def marks_of(keys: Mapping[str, Any], document: Document) -> dict[Path, Mark]:
    """Who said each value."""
    return {path: _mark(path, document) for path, _ in leaves(keys)}


def _mark(path: Path, document: Document) -> Mark:
    if path in document.said_by_variant:
        return "variant"
    return "said" if document.says(path) else "default"
