"""`specgen build`: writes what the specs make, where it changed; with any error, nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from specgen import chain, disk
from specgen.chain import Result
from specgen.diagnostics import Diagnostic
from specgen.places import shown
from specgen.variants import DATA
from specgen.verbs.drift import Comparison, by_path, compare, may_make, orphans, owner_shown, repair
from specgen.verbs.request import Selection, Streams
from specgen.verbs.results import results


@dataclass(frozen=True)
class Options:
    """What `build` is to make, and what it may do to files that are there."""

    to_stdout: bool = False
    variants: tuple[str, ...] = ()
    force: bool = False
    prune: bool = False


def build(streams: Streams, selection: Selection, options: Options) -> int:
    made, found = results(chain.compile_spec, selection, streams.stdin)
    if not chain.has_errors(found):
        found += _unknown_variants(made, options.variants)
    if not chain.has_errors(found):
        if options.to_stdout:
            found += _print(streams, made, options)
        else:
            found += _write(streams, made, selection.folder, options)
    return streams.report(found)


def _unknown_variants(made: Sequence[Result], variants: Sequence[str]) -> Iterator[Diagnostic]:
    known = dict.fromkeys(output.variant for result in made for output in result.outputs)
    for variant in variants:
        if variant not in known:
            message = f"--variant: no spec of this run has a variant {variant!r}"
            yield Diagnostic("", None, "SG407", "", message, f"one of {', '.join(known)}")


def _print(streams: Streams, made: Sequence[Result], options: Options) -> list[Diagnostic]:
    outputs = [output for result in made for output in result.outputs]
    wanted = [
        output
        for output in outputs
        if (output.variant in options.variants if options.variants else output.variant != DATA)
    ]
    if len(wanted) != 1:
        message = f"-o - prints one file, and {len(wanted)} are asked for"
        choices = ", ".join(dict.fromkeys(output.variant for output in outputs))
        return [
            Diagnostic(
                "", None, "SG407", "", message, f"one spec, and --variant with one of {choices}"
            )
        ]
    streams.say(wanted[0].text)
    return []


def _write(
    streams: Streams, made: Sequence[Result], folder: str | None, options: Options
) -> list[Diagnostic]:
    comparisons, found = compare(_of_variants(result, options.variants) for result in made)
    left, unlisted = orphans(made)
    found += unlisted
    if not options.force:
        found += _intruders(comparisons, made, folder)
    if chain.has_errors(found):
        return found
    changed = {each.output.path: each.content for each in comparisons if each.differs}
    found += disk.write(changed)
    if chain.has_errors(found):
        return found
    removed: list[Path] = []
    for orphan in left:
        if options.prune:
            faults = disk.remove(orphan.path)
            found += faults
            removed += [] if faults else [orphan.path]
        else:
            found.append(orphan.diagnostic("warning", folder))
    lines = [f"wrote {shown(path)}" for path in changed]
    lines += [f"removed {shown(path)}" for path in removed]
    lines.append(f"{len(changed)} written, {len(comparisons) - len(changed)} unchanged")
    streams.say("\n".join(lines) + (f", {len(removed)} removed\n" if removed else "\n"))
    return found


def _of_variants(result: Result, variants: Sequence[str]) -> Result:
    """With these variants' scripts only, and the data module that they import; none means all."""
    if not variants:
        return result
    kept = (output for output in result.outputs if output.variant in (DATA, *variants))
    return replace(result, outputs=tuple(kept))


def _intruders(
    comparisons: Sequence[Comparison], made: Sequence[Result], folder: str | None
) -> Iterator[Diagnostic]:
    """What would be lost: files that specgen did not write, or that a spec not in the run makes."""
    specs = by_path(made)
    for each in comparisons:
        if each.committed is None or not each.differs:
            continue
        path = shown(each.output.path)
        force = f"to overwrite it: {repair(each.spec, folder, '--force')}"
        if each.owner is None:
            message = "specgen did not write this file: its first line is not the marker"
            yield Diagnostic(path, None, "SG404", "", message, force)
        elif may_make(each.spec.folder, each.owner, specs):
            message = f"makes {path}, which {owner_shown(each.output.path, each.owner)} makes too"
            yield Diagnostic(each.spec.shown, None, "SG405", "name", message, force)
