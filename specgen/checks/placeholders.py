"""Rules for `placeholders`: the roles that training needs, classes, and scaling."""

import struct
from collections.abc import Iterator

from specgen.checks.finding import Finding
from specgen.checks.roles import (
    Placeholders,
    called,
    inputs,
    is_integer,
    labels,
)
from specgen.dtypes import BITS
from specgen.spec.placeholders import NEUTRAL, Placeholder, numbers


def check_roles(placeholders: Placeholders) -> Iterator[Finding]:
    """There is something to learn from, and one thing to learn."""
    if not inputs(placeholders):
        yield Finding(("placeholders",), "SG303", "no placeholder has the role input", of_key=True)
    found = list(labels(placeholders))
    if not found:
        yield Finding(
            ("placeholders",),
            "SG303",
            "no placeholder has the role label, which the loss needs",
            "say role: label where the answer is",
            of_key=True,
        )
    for name in found[1:]:
        yield Finding(
            ("placeholders", name, "role"),
            "SG303",
            f"{called(found[0])} is the label already",
            "a model learns one label",
        )


def check_classes(placeholders: Placeholders) -> Iterator[Finding]:
    """Classes are counted by an integer label that can hold them."""
    for name, label in labels(placeholders).items():
        path = ("placeholders", name, "classes")
        if label.classes is None or label.dtype == "string":
            continue
        if not is_integer(label):
            yield Finding(path, "SG305", f"classes need an integer dtype, not {label.dtype}")
        elif label.classes > _values(label.dtype):
            holds = f"{label.dtype} holds only {_values(label.dtype)} classes"
            yield Finding(path, "SG306", holds, "choose a larger dtype")


def _values(dtype: str) -> int:
    """How many numbers from 0 up an integer dtype can hold."""
    return int(2 ** (BITS[dtype] - (not dtype.startswith("u"))))


def check_scaling(placeholders: Placeholders) -> Iterator[Finding]:
    """Scaling has a number for each channel, and each number exists in the compute dtype."""
    for name, placeholder in inputs(placeholders).items():
        for key in NEUTRAL:
            value = getattr(placeholder, key)
            path = ("placeholders", name, key)
            if isinstance(value, tuple):
                yield from _misfit(path, len(value), placeholder)
            for index, number in enumerate(numbers(value)):
                if not _is_float32(number):
                    yield Finding(
                        (*path, index) if isinstance(value, tuple) else path,
                        "SG205",
                        f"{number:g} is out of the range of float32, the compute dtype",
                    )


def _misfit(path: tuple[str, ...], count: int, placeholder: Placeholder) -> Iterator[Finding]:
    shape = placeholder.shape
    if not shape:
        yield Finding(path, "SG305", "a list needs channels, but the shape is []", "give a number")
    elif shape[-1] is not None and shape[-1] != count:
        yield Finding(
            path,
            "SG305",
            f"{count} numbers do not fit the {shape[-1]} channels",
        )


def _is_float32(number: float) -> bool:
    """Whether the number neither overflows nor vanishes in float32."""
    try:
        (narrowed,) = struct.unpack("<f", struct.pack("<f", number))
    except OverflowError:
        return False
    return bool(narrowed) == bool(number)
