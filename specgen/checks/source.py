"""Rules for `source`: where the rows are is said once, and for each placeholder."""

from collections.abc import Iterator
from posixpath import normpath

from specgen.checks.exclusive import exactly_one
from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, called
from specgen.spec.source import PLACES, Csv, Images, Npz, Python, Source, Synthetic, Tfrecord
from specgen.spec.splits import Splits
from specgen.wording import meant


def check_source_place(source: Source, splits: Splits) -> Iterator[Finding]:
    """Exactly one key says where the files are, unless the parts themselves do."""
    by_paths = splits.method == "given" and splits.by is None
    if isinstance(source, Synthetic | Python):
        if by_paths:
            message = f"given needs splits.by where the source is {source.kind}"
            yield Finding(("splits", "method"), "SG303", message, "its rows are in no files")
        return
    ways = {key: getattr(source, key) for key in PLACES if hasattr(source, key)}
    if not by_paths:
        yield from exactly_one(("source",), ways, "says already where the data are")
        return
    for key, said in ways.items():
        if said is not None:
            message = "the parts say already where the data are"
            hint = "leave it out, or say splits.by"
            yield Finding(("source", key), "SG303", message, hint, of_key=True)


def check_skipping(source: Source) -> Iterator[Finding]:
    """What is damaged can be skipped where a file is read from its beginning to its end."""
    skipped = isinstance(source, Csv | Tfrecord | Images)
    if not skipped and getattr(source, "on_error", "stop") == "skip":
        message = f"skip is for csv, tfrecord and images, {source.kind} is used whole or not at all"
        yield Finding(("source", "on_error"), "SG303", message, "leave it out")


def check_files(source: Source) -> Iterator[Finding]:
    """No file is read twice: its rows would be in several parts."""
    files = [normpath(path) for path in getattr(source, "files", None) or ()]
    for index, path in enumerate(files):
        if path in files[:index]:
            message = "this file is listed already"
            yield Finding(("source", "files", index), "SG303", message, "remove it")


def check_arrays(source: Source, placeholders: Placeholders, splits: Splits) -> Iterator[Finding]:
    """Each placeholder has its file, and each file a placeholder."""
    if not isinstance(source, Npz) or source.arrays is None:
        return
    path = ("source", "arrays")
    for name in placeholders:
        if name not in source.arrays:
            yield Finding(path, "SG202", f"{called(name)} has no file", of_key=True)
    for name in source.arrays:
        if name not in placeholders and not (splits.method == "given" and splits.by == name):
            message = f"there is no placeholder {called(name)}"
            hint = meant(name, placeholders)
            yield Finding((*path, name), "SG304", message, hint, of_key=True)
