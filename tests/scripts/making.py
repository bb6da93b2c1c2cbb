"""Specs for the tests of scripts, and projects made of them: data, generated scripts, runs.

Scripts are built by specgen's own chain into a folder of their own, so they follow the templates.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from specgen.chain import SpecFile, compile_spec
from specgen.spec.base import default_of
from specgen.spec.how import Buffers
from specgen.support_table import TABLE, Row, Since

Spec = dict[str, Any]
Rows = Mapping[str, Any]
Once = Callable[[str, Callable[[Path], None]], Path]  # the fixture of that name

REPOSITORY = Path(__file__).parents[2]

# Small and quick: four kinds of points. Tests change what they are about.
TINY: Spec = {
    "specgen": 1,
    "name": "tiny",
    "source": {"kind": "npz", "path": "../data/rows.npz"},
    "placeholders": {
        "x": {"dtype": "float32", "shape": [3]},
        "label": {"dtype": "int64", "role": "label", "classes": 4},
    },
    "model": {"layers": [{"dense": {"units": 4}}]},
    "train": {
        "batch_size": 4,
        "epochs": 2,
        "optimizer": {"name": "sgd", "learning_rate": 0.1},
        "loss": "sparse_categorical_crossentropy",
        "seed": 5,
    },
}


def _variants() -> dict[str, Spec]:
    """Every way to bring a batch to the device that works, so that tests take up a new one."""
    found: dict[str, Spec] = {}
    for target, suffix in (("tf2", ""), ("tf1.4", "_tf14")):
        for method, row in _working("buffers.method", target):
            found[f"{method}{suffix}"] = {"target": target, "buffers": {"method": method}}
            for giver, _ in _working("buffers.input", target):
                if "buffers.input" in row.gives_meaning_to and giver != default_of(
                    Buffers, "input"
                ):
                    buffers = {"method": method, "input": giver}
                    found[f"{giver}{suffix}"] = {"target": target, "buffers": buffers}
    return found


def _working(key: str, target: str) -> Iterator[tuple[str, Row]]:
    """The choices of a key that a target supports, the default first."""
    rows = [row for row in TABLE if row.key == key and isinstance(row.on(target), Since)]
    choices = [(choice, row) for row in rows for choice in row.choices]
    default = default_of(Buffers, key.split(".")[1])
    return iter(sorted(choices, key=lambda choice: choice[0] != default))


HOW = _variants()  # by the name of the variant
VARIANTS = tuple(HOW)
EACH_VARIANT: Spec = {"variants": HOW}
PARTS = {"train": 0.8, "validation": 0.1, "test": 0.1}


def changed(spec: Spec, *changes: Mapping[str, Any]) -> Spec:
    """The spec with other values: mappings merge, None takes a key away, the rest replaces."""
    result = dict(spec)
    for change in changes:
        for key, value in change.items():
            if isinstance(value, Mapping) and isinstance(result.get(key), Mapping):
                value = changed(result[key], value)
            result[key] = value
    return {key: value for key, value in result.items() if value is not None}


def points(rows: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Rows for TINY."""
    random = np.random.RandomState(seed)
    x = random.normal(size=(rows, 3)).astype("float32")
    return {"x": x, "label": random.randint(4, size=rows)}


@dataclass(frozen=True)
class Project:
    """A folder as a user has it: data/rows.npz, specs/, generated/, records/, work/."""

    root: Path
    name: str

    @property
    def data(self) -> Path:
        return self.root / "data" / "rows.npz"

    @property
    def records(self) -> Path:
        return self.root / "records"

    def work(self, label: str = "work") -> Path:
        return self.root / "work" / label

    def script(self, variant: str | None = None) -> Path:
        stem = f"{self.name}_{variant}" if variant else self.name
        return self.root / "generated" / f"{stem}.py"

    def write(self, rows: Rows) -> None:
        self.data.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self.data, **rows)

    def write_arrays(self, rows: Rows) -> None:
        """Each array into a file of its own, data/NAME.npy."""
        self.data.parent.mkdir(parents=True, exist_ok=True)
        for name, values in rows.items():
            np.save(self.data.with_name(f"{name}.npy"), values)

    def load(self, variant: str | None = None) -> ModuleType:
        """The script as a module; its data module is the attribute `data`."""
        return load(self.script(variant))


def make(root: Path, spec: Spec, rows: Rows | None = None) -> Project:
    """Write the scripts of a spec, and its data where rows are given."""
    project = Project(root, spec["name"])
    text = json.dumps(spec)  # which is YAML too
    write_scripts(root / "generated", text.encode(), f"../specs/{project.name}.yaml")
    if rows is not None:
        project.write(rows)
    return project


def write_scripts(folder: Path, content: bytes, source: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    result = compile_spec(SpecFile(source, content, folder, source))
    assert result.outputs, result.diagnostics
    for output in result.outputs:
        output.path.write_text(output.text, encoding="utf-8", newline="\n")
    return [output.path for output in result.outputs]


def make_example(folder: Path, spec: Path) -> list[Path]:
    """Write the scripts of a spec that lies elsewhere; it keeps its own data."""
    source = Path(os.path.relpath(spec, folder)).as_posix()
    return write_scripts(folder, spec.read_bytes(), source)


def load(script: Path) -> ModuleType:
    """Import a script anew, whatever else of its name was imported before."""
    names = {path.stem for path in script.parent.glob("*.py")}
    for name in names:
        sys.modules.pop(name, None)
    sys.path.insert(0, str(script.parent))
    importlib.invalidate_caches()
    try:
        return importlib.import_module(script.stem)
    finally:
        sys.path.remove(str(script.parent))
        for name in names:
            sys.modules.pop(name, None)
