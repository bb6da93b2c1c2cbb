"""Reading, writing and removing files; what goes wrong comes back as a diagnostic.

Writing is all or nothing as far as a file system allows: every content is on the disk under another
name before the first file changes.
"""

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from specgen.diagnostics import Diagnostic
from specgen.places import shown, source_of

_LONGEST_LINE = 1 << 13


def read(path: Path) -> tuple[bytes | None, list[Diagnostic]]:
    """The content of a file that ought to be there."""
    try:
        return path.read_bytes(), []
    except OSError as error:
        return None, [_cannot("be read", path, error)]


def read_output(path: Path) -> tuple[bytes | None, list[Diagnostic]]:
    """The content of an output file, None for none; a place that cannot take one is refused."""
    for part, fits, wanted in (
        (path.parent, stat.S_ISDIR, "folder"),
        (path, stat.S_ISREG, "regular file"),
    ):
        try:
            mode = part.lstat().st_mode
        except FileNotFoundError:
            return None, []
        except OSError as error:
            return None, [_cannot("be read", part, error)]
        if stat.S_ISLNK(mode):
            # It may lead out of the project, to what is not ours.
            return None, [_refused(part, "is a symbolic link, and output does not follow one")]
        if not fits(mode):
            return None, [_refused(part, f"is in the way of the output: it is not a {wanted}")]
    return read(path)


def marked_files(folder: Path) -> tuple[list[tuple[Path, str]], list[Diagnostic]]:
    """The files in a folder that specgen wrote, sorted, each with the spec its marker names."""
    marked = []
    try:
        for path in sorted(folder.glob("*.py")):
            if stat.S_ISREG(path.lstat().st_mode):
                with path.open("rb") as file:
                    source = source_of(file.readline(_LONGEST_LINE).decode("utf-8", "replace"))
                if source is not None:
                    marked.append((path, source))
    except OSError as error:
        return marked, [_cannot("be read", folder, error)]
    return marked, []


def write(files: Mapping[Path, bytes]) -> list[Diagnostic]:
    """Gives each file its whole content and keeps its mode; makes the folders that are missing."""
    path = Path()
    try:
        with ExitStack() as undo:
            ready = {}
            for path, content in files.items():
                for folder in reversed(path.parents):
                    if not folder.exists():
                        folder.mkdir()
                        undo.callback(_if_possible, folder.rmdir)
                ready[path] = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
                undo.callback(_if_possible, ready[path].unlink)
                _write_new(ready[path], content)
                if path.exists():
                    ready[path].chmod(stat.S_IMODE(path.stat().st_mode))
            for path, temporary in ready.items():
                os.replace(temporary, path)
            undo.pop_all()
    except OSError as error:
        return [_cannot("be written", path, error)]
    return []


def _write_new(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _if_possible(action: Callable[[], None]) -> None:
    with suppress(OSError):
        action()


def remove(path: Path) -> list[Diagnostic]:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return [_cannot("be removed", path, error)]
    return []


def _cannot(do: str, path: Path, error: OSError) -> Diagnostic:
    return _refused(path, f"cannot {do}: {error.strerror or error}")


def _refused(path: Path, why: str) -> Diagnostic:
    return Diagnostic(shown(path), None, "SG406", "", why)
