"""What a check yields: a mistake by its path, before its place in the file is looked up."""

from dataclasses import dataclass

from specgen.diagnostics import Diagnostic, Severity
from specgen.document import Document, Path, dotted


@dataclass(frozen=True)
class Finding:
    """One mistake; `of_key` where a key is missing or too much, else its value is wrong."""

    path: Path
    code: str
    message: str
    hint: str = ""
    of_key: bool = False
    severity: Severity = "error"

    def located(self, document: Document) -> Diagnostic:
        """The diagnostic at the key or the value; at the nearest key around what was not said."""
        said = document.resolve(self.path) == self.path and not self.of_key
        position = document.value_at(self.path) if said else document.where(self.path)
        return Diagnostic(
            document.file,
            position,
            self.code,
            dotted(self.path),
            self.message,
            self.hint,
            self.severity,
        )
