"""What a verb is called with: the streams that it talks through, and the specs that it is about.

The command line makes these before any stage of the chain is imported.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from specgen import report
from specgen.diagnostics import Diagnostic


@dataclass(frozen=True)
class Streams:
    """The standard streams, or a test's, with the form that diagnostics take."""

    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    error_format: report.ErrorFormat

    def say(self, text: str) -> None:
        """Writes to stdout; a reader that has left, as `head` does, has seen what it wanted."""
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except BrokenPipeError:
            pass

    def report(self, diagnostics: Iterable[Diagnostic]) -> int:
        """Writes the run's diagnostics, once and last, and returns the exit status."""
        found = list(diagnostics)
        report.write(found, self.error_format, self.stderr)
        return report.status(found)


@dataclass(frozen=True)
class Selection:
    """Specs as the command line names them, and the folder that it chooses for their outputs."""

    arguments: tuple[str, ...] = ()
    stdin_filename: str | None = None
    folder: str | None = None
