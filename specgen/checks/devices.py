"""Rules for `devices`: memory is limited in one way."""

from collections.abc import Iterator

from specgen.checks.finding import Finding
from specgen.spec.how import Devices
from specgen.wording import listed


def check_memory(devices: Devices) -> Iterator[Finding]:
    """Exactly one way to take memory."""
    if devices.memory is None:
        return
    ways = ("growth", "limit_mb", "fraction")
    said = [way for way in ways if getattr(devices.memory, way) is not None]
    path = ("devices", "memory")
    if not said:
        yield Finding(
            path, "SG303", f"one of {listed(ways)} is needed", "growth: true works now", of_key=True
        )
    for way in said[1:]:
        yield Finding(
            (*path, way),
            "SG303",
            f"{said[0]} says already how memory is taken",
            "keep one of them",
            of_key=True,
        )
