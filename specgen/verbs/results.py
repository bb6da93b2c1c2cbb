"""From the arguments of a verb to the Results of its specs, which is the same for every verb."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from specgen import disk, places, report
from specgen.chain import Result, SpecFile
from specgen.diagnostics import Diagnostic
from specgen.verbs.request import Selection

# With fewer specs, starting the processes takes longer than it saves.
_WORTH_SPREADING = 4

Stage = Callable[[SpecFile], Result]


def results(
    stage: Stage, selection: Selection, stdin: BinaryIO
) -> tuple[list[Result], list[Diagnostic]]:
    """Runs the chain, as far as `stage` goes, for each spec; with all that was found on the way."""
    specs, found = _spec_files(selection, stdin)
    made = _over_cores(stage, specs)
    for result in made:
        found += result.diagnostics
    return made, found + list(_collisions(made))


def _spec_files(selection: Selection, stdin: BinaryIO) -> tuple[list[SpecFile], list[Diagnostic]]:
    named = [argument for argument in selection.arguments if argument != "-"]
    piped = len(named) < len(selection.arguments)
    if piped != bool(selection.stdin_filename):
        message = "`-` and --stdin-filename need each other: the name says where the spec belongs"
        return [], [Diagnostic("", None, "SG407", "", message)]
    contents: dict[Path, bytes] = {}
    found: list[Diagnostic] = []
    if selection.stdin_filename:
        contents[Path(selection.stdin_filename)] = stdin.read()
    if named or not piped:
        paths, found = places.find(named)
        for path in paths:
            content, faults = disk.read(path)
            found += faults
            if content is not None:
                contents.setdefault(path, content)
    specs = []
    for path, content in contents.items():
        folder = places.output_folder(path, selection.folder)
        source, faults = places.source(path, folder)
        found += faults
        if not faults:
            specs.append(SpecFile(places.shown(path), content, folder, source))
    return specs, found


def _over_cores(stage: Stage, specs: Sequence[SpecFile]) -> list[Result]:
    """One Result a spec, in order; many specs are spread over the cores."""
    work = partial(_guarded, stage)
    workers = min(_cores(), len(specs))
    if workers < 2 or len(specs) < _WORTH_SPREADING:
        return list(map(work, specs))
    # Ctrl-C reaches every process, and this one alone ends the others: were they to end by
    # themselves, a broken pool might be noticed before Ctrl-C is.
    ignored = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(workers, initializer=signal.signal, initargs=ignored) as pool:
        try:
            with _deaf():
                running = [pool.submit(work, spec) for spec in specs]
            return [each.result() for each in running]
        except KeyboardInterrupt:
            for process in multiprocessing.active_children():
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf() -> Iterator[None]:
    """Ctrl-C waits, also in processes that begin here, until they ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _guarded(stage: Stage, spec: SpecFile) -> Result:
    """A fault of ours in one spec, as a diagnostic that names it; the others go on."""
    try:
        return stage(spec)
    except Exception as error:
        if report.debugging():
            raise
        return Result(spec, (report.fault(error, spec.shown),))


def _collisions(made: Iterable[Result]) -> Iterable[Diagnostic]:
    """Two specs that make the same file, also where a file system takes no account of case."""
    first: dict[str, Result] = {}
    for result in made:
        for path in result.paths:
            other = first.setdefault(str(path).casefold(), result)
            if other is not result:
                message = f"makes {places.shown(path)}, which {other.spec.shown} makes too"
                yield Diagnostic(result.spec.shown, None, "SG405", "name", message)
