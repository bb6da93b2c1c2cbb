"""Built against committed: how each file of a run stands to the one on the disk; writes nothing."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from specgen import disk
from specgen.chain import Output, Result, SpecFile
from specgen.diagnostics import Diagnostic, Severity
from specgen.places import shown, source_of, spec_path


@dataclass(frozen=True)
class Comparison:
    """An output and what the disk has in its place, None for nothing."""

    spec: SpecFile
    output: Output
    committed: bytes | None

    @property
    def content(self) -> bytes:
        return self.output.text.encode("utf-8")

    @property
    def differs(self) -> bool:
        return self.committed != self.content

    @property
    def owner(self) -> str | None:
        """The spec that the committed file's marker names, from its folder; None without one."""
        return source_of((self.committed or b"").decode("utf-8", "replace"))


@dataclass(frozen=True)
class Orphan:
    """A marked file that no spec makes any more."""

    path: Path
    owner: str  # the spec that its marker names, from the file's folder
    sibling: SpecFile  # a spec of the run whose outputs go to that folder

    def diagnostic(self, severity: Severity, folder: str | None) -> Diagnostic:
        return Diagnostic(
            shown(self.path),
            None,
            "SG403",
            "",
            f"no spec makes this file any more; it came from {owner_shown(self.path, self.owner)}",
            repair(self.sibling, folder, "--prune"),
            severity,
        )


def compare(results: Iterable[Result]) -> tuple[list[Comparison], list[Diagnostic]]:
    """Every output beside what the disk has in its place."""
    comparisons = []
    found: list[Diagnostic] = []
    for result in results:
        for output in result.outputs:
            committed, faults = disk.read_output(output.path)
            found += faults
            if not faults:
                comparisons.append(Comparison(result.spec, output, committed))
    return comparisons, found


def orphans(results: Sequence[Result]) -> tuple[list[Orphan], list[Diagnostic]]:
    """The marked files in the output folders of the run that no spec makes any more."""
    made = {path for result in results for path in result.paths}
    siblings = {result.spec.folder: result.spec for result in reversed(results)}
    specs = by_path(results)
    left = []
    found: list[Diagnostic] = []
    for folder, sibling in siblings.items():
        marked, faults = disk.marked_files(folder)
        found += faults
        for path, owner in marked:
            if path not in made and not may_make(folder, owner, specs):
                left.append(Orphan(path, owner, sibling))
    return left, found


def by_path(results: Iterable[Result]) -> dict[str, Result]:
    """The run by the real path of each spec."""
    return {_real(result.spec.folder, result.spec.source): result for result in results}


def may_make(folder: Path, owner: str, specs: Mapping[str, Result]) -> bool:
    """Whether the spec that a marker names may make the file, when no result of the run does.

    It may where it exists outside of the run, or has errors, so that nobody can say what it makes.
    """
    path = _real(folder, owner)
    return not specs[path].plans if path in specs else os.path.exists(path)


def owner_shown(path: Path, owner: str) -> str:
    """The spec that the marker of a file names, as messages name it."""
    return shown(spec_path(path.parent, owner))


def _real(folder: Path, source: str) -> str:
    return os.path.realpath(spec_path(folder, source))


def repair(spec: SpecFile, folder: str | None, *flags: str) -> str:
    """The command that brings the files of a spec up to date."""
    chosen = () if folder is None else ("-o", folder)
    path = f"./{spec.shown}" if spec.shown.startswith("-") else spec.shown
    return shlex.join(("specgen", "build", *flags, *chosen, path))
