"""One rule for the keys that say the same thing in different ways."""

from collections.abc import Iterator, Mapping

from specgen.checks.finding import Finding
from specgen.document import Path
from specgen.wording import listed


def exactly_one(
    path: Path, ways: Mapping[str, object], does: str, hint: str = ""
) -> Iterator[Finding]:
    """One of the keys of the mapping at `path` has a value; `does` tells what that one does.

    `ways` are the values by their keys, `None` where one was not said; `hint` is for none at all.
    """
    said = [key for key, value in ways.items() if value is not None]
    if not said:
        yield Finding(path, "SG303", f"exactly one of {listed(ways)} is needed", hint, of_key=True)
    for key in said[1:]:
        yield Finding((*path, key), "SG303", f"{said[0]} {does}", "keep one of them", of_key=True)
