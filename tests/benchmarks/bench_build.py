"""How long specgen takes, as ratios of whole processes: python tests/benchmarks/bench_build.py

Beside it run what it can be held against: datamodel-codegen, for the start of one small job, and
black alone, on the very texts that it is to lay out, for many. They take turns, so that a busy
machine slows all alike. A first run of each small job warms the disk's cache and does not count.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from specgen.chain import SpecFile, validate_spec
from specgen.layout import LINE_LENGTH
from specgen.render import data_module, script

ROOT = Path(__file__).parents[2]
SPECGEN = (sys.executable, "-m", "specgen")
# Without black's own comparison of the syntax trees, so that it does no more than specgen does.
BLACK = (
    *(sys.executable, "-m", "black", "--fast", "--skip-magic-trailing-comma"),
    *("--line-length", str(LINE_LENGTH), "--target-version", "py39"),
)
CODEGEN = Path(sys.executable).parent / "datamodel-codegen"

# Formats every file that it is given in one process; writes nothing.
BLACK_ALONE = f"""
import sys
from pathlib import Path
import black
mode = black.Mode(
    line_length={LINE_LENGTH},
    magic_trailing_comma=False,
    target_versions={{black.TargetVersion.PY39}},
)
for path in sys.argv[1:]:
    black.format_str(Path(path).read_text("utf-8"), mode=mode)
"""

SCHEMA = {
    "title": "Person",
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}

# Specs that differ as those of a project do: in sizes and names everywhere, in choices here and
# there. Each list has a length of its own, so that all combinations come up.
OPTIMIZERS = (
    "{name: sgd, learning_rate: 0.1, momentum: 0.9}",
    "{name: adam, learning_rate: 0.001}",
)
SOURCES = (
    "{kind: synthetic, rows: 4096}",
    "{kind: npz, path: data.npz}",
    "{kind: npz, path: b.npz}",
)
RECORDS = ("{}", "{order: source}", "{compression: zlib}", "{shards: 4}", "{rows_per_record: 64}")
BUFFERS = (
    "{method: two_variable}",
    "{method: prefetch}",
    "{method: two_variable, wire: plain}",
    "{method: prefetch, wire: plain}",
)
LAYERS = (
    "flatten, dense: {{units: {units}, activation: relu}}, dense: {{units: 10}}",
    "flatten, dense: {{units: {units}}}, dense: {{units: {units}}}, dense: {{units: 10}}",
    "reshape: {{shape: [8, 8, 1]}}, conv2d: {{filters: {units}, kernel_size: 3}}, flatten, "
    "dense: {{units: 10}}",
)
SPEC = """\
specgen: 1
name: spec_{number}
source: {source}
placeholders:
  image_{column}: {{dtype: uint8, shape: [8, 8], scale: {scale}}}
  label_{column}: {{dtype: int64, role: label, classes: 10}}
splits: {{parts: {{train: 0.8, validation: 0.1, test: 0.1}}}}
records: {records}
model: {{layers: [{layers}]}}
train:
  batch_size: {batch}
  epochs: {epochs}
  optimizer: {optimizer}
  loss: sparse_categorical_crossentropy
  metrics: [accuracy]
buffers: {buffers}
"""


def many_specs(count: int) -> Iterator[str]:
    for number in range(count):
        yield SPEC.format(
            number=number,
            source=SOURCES[number % len(SOURCES)],
            column="abcdefg"[number % 7],
            scale=1 / (1 + number % 11),
            records=RECORDS[number % len(RECORDS)],
            layers=LAYERS[number // 2 % len(LAYERS)].format(units=16 + number),
            batch=32 + number % 13,
            epochs=1 + number % 17,
            optimizer=OPTIMIZERS[number % len(OPTIMIZERS)],
            buffers=BUFFERS[number % len(BUFFERS)],
        )


def before_layout(spec: Path) -> dict[str, str]:
    """The texts of a spec as black gets them, by the names of their files."""
    file = SpecFile(str(spec), spec.read_bytes(), spec.parent, spec.name)
    plans = validate_spec(file).plans
    assert plans, f"{spec} has errors"
    scripts = {f"{plan.script}.py": script(plan) for plan in plans}
    return {f"{plans[0].name}_data.py": data_module(plans), **scripts}


@dataclass
class Job:
    """A process to be timed, what is done before it, how often in a round, and its seconds."""

    name: str
    command: Sequence[str | Path]
    prepare: Callable[[], None] = lambda: None
    times: int = 1
    seconds: list[float] = field(default_factory=list)

    def run(self, folder: Path) -> None:
        self.prepare()
        environment = {**os.environ, "BLACK_CACHE_DIR": str(folder / "black")}
        began = time.perf_counter()
        subprocess.run(self.command, check=True, cwd=folder, env=environment, capture_output=True)
        self.seconds.append(time.perf_counter() - began)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def line(self, of: "Job | None" = None) -> str:
        spread = max(self.seconds) - min(self.seconds)
        ratio = f"{self.median / of.median:.2f} x {of.name}" if of else ""
        return f"{self.name:38} {self.median:8.2f} {spread:8.2f}   {ratio}".rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(description="Time specgen beside black and datamodel-codegen.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--specs", type=int, default=200)
    options = parser.parse_args()
    if not CODEGEN.exists():
        sys.exit("datamodel-codegen is not here: pip install -e '.[benchmarks]'")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "person.json").write_text(json.dumps(SCHEMA))
        (folder / "specs").mkdir()
        for number, text in enumerate(many_specs(options.specs)):
            (folder / f"specs/spec_{number}.yaml").write_text(text)
        texts: dict[str, str] = {}
        for spec in (folder / "specs").iterdir():
            texts |= before_layout(spec)

        def remove() -> None:
            shutil.rmtree(folder / "generated", ignore_errors=True)

        def unformat() -> None:
            (folder / "texts").mkdir(exist_ok=True)
            for name, text in texts.items():
                (folder / "texts" / name).write_text(text, "utf-8")

        def built(*specs: Path | str) -> tuple[str | Path, ...]:
            return (*SPECGEN, "build", "-o", "generated", *specs)

        unformat()
        codegen = Job(
            "datamodel-codegen, a small schema",
            (CODEGEN, "--input", "person.json", "--output", "person.py"),
            times=5,
        )
        one = Job("specgen build, minimal.yaml", built(ROOT / "specs/minimal.yaml"), remove, 5)
        digits = Job("specgen build, digits.yaml", built(ROOT / "specs/digits.yaml"), remove, 5)
        black = Job(f"black --fast, {len(texts)} files", (*BLACK, "texts"), unformat)
        alone = Job(
            f"black in one process, {len(texts)} files",
            (sys.executable, "-c", BLACK_ALONE, *(f"texts/{name}" for name in texts)),
            unformat,
        )
        many = Job(f"specgen build, {options.specs} specs", built("specs"), remove)
        # After the one above, so that there is nothing to name.
        check = Job(
            f"specgen check, {options.specs} specs", (*SPECGEN, "check", "-o", "generated", "specs")
        )
        small, large = (codegen, one, digits), (black, alone, many, check)
        for job in small:
            job.run(folder)
            job.seconds.clear()
        for number in range(options.rounds):
            for job in (*small, *large):
                print(f"round {number + 1} of {options.rounds}: {job.name}", file=sys.stderr)
                for _ in range(job.times):
                    job.run(folder)

    tools = ", ".join(f"{tool} {version(tool)}" for tool in ("black", "datamodel-code-generator"))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"{cores} cores, {platform.machine()}, Python {platform.python_version()}, {tools}")
    print(f"{'whole processes':38} {'median s':>8} {'spread':>8}   ratio of medians")
    print(codegen.line())
    print(one.line(codegen))
    print(digits.line(codegen))
    print(black.line())
    print(alone.line(black))
    print(many.line(black))
    print(check.line(black))


if __name__ == "__main__":
    main()
