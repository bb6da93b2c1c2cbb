"""Rules for `pad.buckets`: widths that ascend, and that the wire and the model can take."""

from collections.abc import Iterator

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, called
from specgen.dtypes import WORD_BYTES, item_bytes
from specgen.layers import Computed
from specgen.spec.how import Buffers
from specgen.spec.model import ModelSection
from specgen.spec.placeholders import NEUTRAL, Placeholder
from specgen.targets import TARGETS


def check_boundaries(placeholders: Placeholders) -> Iterator[Finding]:
    """The boundaries ascend and lie below the length, which is the last width."""
    for name, placeholder, length, buckets in _bucketed(placeholders):
        path = ("placeholders", name, "pad", "buckets")
        if placeholder.role == "label":
            message = "only inputs are cut: what pads a label is a part of the loss"
            yield Finding(path, "SG303", message, "leave it out", of_key=True)
        for index, boundary in enumerate(buckets):
            if index and boundary <= buckets[index - 1]:
                message = f"{boundary} does not come after {buckets[index - 1]}"
                yield Finding((*path, index), "SG306", message, "boundaries ascend")
            elif boundary >= length:
                message = f"{boundary} is not below pad.length, {length}, which is the last width"
                yield Finding((*path, index), "SG306", message, "remove it", of_key=True)


def check_scaling_of_widths(placeholders: Placeholders) -> Iterator[Finding]:
    """Where the only axis has several widths, no list has a number for each place in it."""
    for name, placeholder, _, _ in _bucketed(placeholders):
        for key in NEUTRAL:
            value = getattr(placeholder, key)
            if isinstance(value, tuple):
                message = f"{len(value)} numbers do not fit an axis of several widths (pad.buckets)"
                yield Finding(("placeholders", name, key), "SG305", message, "give a number")


def check_words(placeholders: Placeholders, buffers: Buffers, target: str) -> Iterator[Finding]:
    """Where whole numbers travel in words, a row of each width fills whole ones."""
    if buffers.wire == "plain" or not TARGETS[target].packs_integers:
        return
    for name, placeholder, _, buckets in _bucketed(placeholders):
        if placeholder.dtype == "string" or placeholder.dtype.startswith("float"):
            continue
        size = item_bytes(placeholder.dtype)
        for index, boundary in enumerate(buckets):
            if boundary * size % WORD_BYTES:
                message = (
                    f"{boundary} {placeholder.dtype} fill {boundary * size} bytes, "
                    f"but words of {WORD_BYTES} bytes travel on target {target}"
                )
                path = ("placeholders", name, "pad", "buckets", index)
                yield Finding(path, "SG306", message, f"use multiples of {WORD_BYTES // size}")


def check_layers_of_widths(model: ModelSection, placeholders: Placeholders) -> Iterator[Finding]:
    """The layers that are made so far have weights, or give a shape, for one size alone."""
    for name, _, _, _ in _bucketed(placeholders):
        if model.layers is not None and isinstance(model.layers[0], Computed):
            kind = model.layers[0].kind
            message = f"{kind} needs one size, but {called(name)} has several widths (pad.buckets)"
            hint = "no layer that works yet takes any width, a function of yours (model.import) can"
            yield Finding(("model", "layers", 0), "SG305", message, hint)


def _bucketed(
    placeholders: Placeholders,
) -> Iterator[tuple[str, Placeholder, int, tuple[int, ...]]]:
    """Name, placeholder, length and boundaries, where those have an effect."""
    for name, placeholder in placeholders.items():
        pad = placeholder.pad
        if pad and pad.length and pad.buckets and placeholder.shape == (None,):
            yield name, placeholder, pad.length, pad.buckets
