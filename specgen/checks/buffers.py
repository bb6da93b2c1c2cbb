"""Rules for `buffers`: how many there are, and what a plain wire can carry."""

from collections.abc import Iterator
from itertools import cycle, islice

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, called, inputs
from specgen.dtypes import BITS
from specgen.spec.base import default_of
from specgen.spec.how import Buffers
from specgen.spec.placeholders import NEUTRAL, Placeholder, is_neutral, numbers
from specgen.wording import listed

# float32 is exact up to 2**24; the roundings of scaling and of its inverse take four bits of that.
_EXACT = 2.0**20


def check_depth(buffers: Buffers) -> Iterator[Finding]:
    """Two variables are two, unless a thread fills more."""
    method = buffers.method or default_of(Buffers, "method")
    if method == "two_variable" and buffers.swap != "thread" and (buffers.depth or 2) > 2:
        yield Finding(
            ("buffers", "depth"),
            "SG303",
            f"two_variable has 2 buffers unless a thread fills them, not {buffers.depth}",
            "depth: 2",
        )


def check_plain_wire(placeholders: Placeholders, buffers: Buffers) -> Iterator[Finding]:
    """What travels as float32 can be traced back to the stored value, as `--audit` does."""
    if buffers.wire != "plain":
        return
    lost = [name for name, placeholder in inputs(placeholders).items() if not _is_kept(placeholder)]
    if lost:
        yield Finding(
            ("buffers", "wire"),
            "SG303",
            f"a plain wire loses the stored values of {listed(map(called, lost))}, "
            "which --audit has to find again",
            "wire: narrow carries the stored values",
        )


def _is_kept(placeholder: Placeholder) -> bool:
    """Whether each stored value can be computed from the scaled float32."""
    if placeholder.dtype == "string":
        return True
    bits = BITS[placeholder.dtype]
    if placeholder.dtype.startswith("float"):
        return bits <= 32 and not _is_scaled(placeholder)
    return bits <= 16 and (not _is_scaled(placeholder) or _is_invertible(placeholder, 2.0**bits))


def _is_scaled(placeholder: Placeholder) -> bool:
    return not all(is_neutral(placeholder, key) for key in NEUTRAL)


def _is_invertible(placeholder: Placeholder, largest: float) -> bool:
    """Whether neighbouring integers stay apart: each channel's scale outweighs the rounding."""
    scales, offsets, means = (
        numbers(getattr(placeholder, key)) or (0.0,) for key in ("scale", "offset", "mean")
    )
    channels = max(map(len, (scales, offsets, means)))
    each = zip(*(islice(cycle(v), channels) for v in (scales, offsets, means)), strict=True)
    return all(
        abs(scale) * _EXACT >= largest * abs(scale) + abs(offset) + abs(mean) > 0
        for scale, offset, mean in each
    )
