"""`specgen check`: whether the committed files are those that their specs make; writes nothing."""

from specgen import chain
from specgen.diagnostics import Diagnostic
from specgen.places import shown
from specgen.verbs.drift import Comparison, compare, orphans, repair
from specgen.verbs.request import Selection, Streams
from specgen.verbs.results import results


def check(streams: Streams, selection: Selection) -> int:
    made, found = results(chain.compile_spec, selection, streams.stdin)
    comparisons, unreadable = compare(made)
    left, unlisted = orphans(made)
    found += [*unreadable, *unlisted]
    found += [_drift(each, selection.folder) for each in comparisons if each.differs]
    found += [orphan.diagnostic("error", selection.folder) for orphan in left]
    if not found:
        streams.say(f"{len(comparisons)} files are as their specs make them\n")
    return streams.report(found)


def _drift(comparison: Comparison, folder: str | None) -> Diagnostic:
    spec, committed = comparison.spec, comparison.committed
    code, flags = "SG401", []
    if committed is None:
        code, message = "SG402", f"missing; {spec.shown} makes it"
    elif comparison.owner is None:
        message = f"differs from what {spec.shown} makes, and has no marker in its first line"
        flags = ["--force"]
    else:
        message = f"{_extent(committed, comparison.output.text)} what {spec.shown} makes"
    return Diagnostic(
        shown(comparison.output.path), None, code, "", message, repair(spec, folder, *flags)
    )


def _extent(committed: bytes, built: str) -> str:
    from specgen.layout import differ_in_layout_only

    if committed.replace(b"\r\n", b"\n") == built.encode("utf-8"):
        return "differs only in its line endings, CRLF for LF (git's autocrlf does that), from"
    if differ_in_layout_only(committed.decode("utf-8", "replace"), built):
        return "differs only in layout from"
    return "differs from"
