"""Specs of tables and of functions that yield rows, prepared in this process; what is stored."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from making import TINY, Spec, changed, load, make
from running import call

# The data module of this target can read its own records with NumPy.
SPEC: Spec = changed(
    TINY,
    {
        "name": "table",
        "target": "tf1.4",
        "source": {"kind": "csv", "path": "../data/table.csv"},
        "placeholders": {
            "x": {"dtype": "float32", "shape": None},
            "label": {"dtype": "int64", "role": "label", "classes": 3},
        },
        "model": {"layers": None, "import": "models:unused"},
        "records": {"order": "source"},
        "train": {"shuffle": {"kind": "none"}},
    },
)


def columns(**descriptions: Any) -> Spec:
    """A change of the spec: other inputs, None for the one that it has."""
    return {"placeholders": {"x": None, **descriptions}}


class Data:
    """The data module of a spec in a folder of its own, and the records that it makes there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], *changes: Spec) -> None:
        self.folder, self.capsys = folder, capsys
        self.path = folder / "data" / "table.csv"
        for name in ("data", "specs"):
            (folder / name).mkdir()
        self.module = load(make(folder, changed(SPEC, *changes)).script("data"))

    def write(self, content: str | bytes, name: str = "data/table.csv") -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def prepare(self, *argv: str) -> tuple[int, str]:
        """Exit status, and what is on stderr."""
        self.capsys.readouterr()
        status = call(self.module, ["--records", str(self.folder / "records"), *argv])
        return status, self.capsys.readouterr().err

    def stored(self, *argv: str, part: str = "train") -> dict[str, np.ndarray]:
        """The columns of a part's rows, as they are stored in the order of the source."""
        status, errors = self.prepare(*argv)
        assert status == 0, errors
        (records,) = (path for path in (self.folder / "records").iterdir() if path.is_dir())
        (batch,) = self.module.Records(str(records)).read_part(part, 10**9, 1)
        return batch._asdict()
