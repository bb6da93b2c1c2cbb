"""The one table of targets: the TensorFlow that a script is for, and what follows from it alone."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """What the stages that make text know of a target; `support_table` says what works on it."""

    name: str  # as the language spells it
    templates: str  # the folder with its script.py.j2
    oldest_python: tuple[int, int]  # that must read its scripts
    reads_with_numpy: bool = False  # the batches, instead of with operations of TensorFlow
    packs_integers: bool = False  # into words, as it has no variables for them on a GPU
    steps_return_early: bool = False  # before the device has done them


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target("tf2", "tf2", (3, 9), steps_return_early=True),
        Target("tf1.4", "tf14", (3, 6), reads_with_numpy=True, packs_integers=True),
    )
}

# The scripts of all targets share the data module.
DATA_PYTHON = min(target.oldest_python for target in TARGETS.values())
