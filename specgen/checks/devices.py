"""Rules for `devices`: memory is limited in one way."""

from collections.abc import Iterator

from specgen.checks.exclusive import exactly_one
from specgen.checks.finding import Finding
from specgen.spec.how import Devices


def check_memory(devices: Devices) -> Iterator[Finding]:
    """Exactly one way to take memory."""
    if devices.memory is not None:
        yield from exactly_one(
            ("devices", "memory"),
            dict(devices.memory),
            "says already how memory is taken",
            "growth: true works now",
        )
