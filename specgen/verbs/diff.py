"""`specgen diff`: a unified diff from the committed files to the built ones; writes nothing.

`git apply` or `patch -p1` makes the committed files what they should be.
"""

from collections.abc import Iterator
from difflib import unified_diff
from io import StringIO
from pathlib import Path

from specgen import chain, disk, report
from specgen.places import shown
from specgen.verbs.drift import compare, orphans
from specgen.verbs.request import Selection, Streams
from specgen.verbs.results import results

_NOWHERE = "/dev/null"


def diff(streams: Streams, selection: Selection) -> int:
    made, found = results(chain.compile_spec, selection, streams.stdin)
    comparisons, unreadable = compare(made)
    left, unlisted = orphans(made)
    found += [*unreadable, *unlisted]
    changes: list[tuple[Path, bytes | None, bytes | None]] = [
        (each.output.path, each.committed, each.content) for each in comparisons if each.differs
    ]
    for orphan in left:
        committed, faults = disk.read(orphan.path)
        found += faults
        changes.append((orphan.path, committed, None))
    streams.say("".join(line for change in sorted(changes) for line in _lines(*change)))
    return max(streams.report(found), report.DRIFT if changes else report.FINE)


def _lines(path: Path, old: bytes | None, new: bytes | None) -> Iterator[str]:
    before, after = (
        (_NOWHERE, []) if content is None else (f"{side}/{shown(path)}", _split(content))
        for side, content in (("a", old), ("b", new))
    )
    for line in unified_diff(before[1], after[1], before[0], after[0]):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _split(content: bytes) -> list[str]:
    # Not `splitlines`, which also cuts at characters that a literal may hold.
    return list(StringIO(content.decode("utf-8", "replace"), newline="\n"))
