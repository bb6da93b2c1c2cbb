"""What `specgen plan` says of bytes at each place, and of those that are saved there."""

import json
from typing import Any

import pytest
from ruamel.yaml import YAML

from support import run

SPEC: dict[str, Any] = {
    "specgen": 1,
    "name": "tiny",
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "x": {"dtype": "uint8", "shape": [10]},
        "label": {"dtype": "int64", "role": "label", "classes": 4},
    },
    "model": {"layers": [{"dense": {"units": 4}}]},
    "train": {
        "batch_size": 8,
        "epochs": 1,
        "optimizer": {"name": "sgd", "learning_rate": 0.1},
        "loss": "sparse_categorical_crossentropy",
    },
}
PLAIN = {
    "a_row": {"disk": 26, "wire": 26, "compute": 56},  # with a row id of 8 bytes
    "a_batch_and_step": {"disk": 208, "wire": 208, "compute": 448},
    "saved_a_row": {"disk": "30 of 56, 54%", "wire": "30 of 56, 54%"},
}


def bytes_of(**more: Any) -> Any:
    text = json.dumps({**SPEC, **more}).encode()
    status, said, errors = run("plan", "-", "--stdin-filename", "specs/x.yaml", stdin=text)
    assert (status, errors) == (0, "")
    return YAML(typ="safe").load(said)["bytes"]


def test_stored_as_it_travels() -> None:
    assert bytes_of() == PLAIN


def test_what_is_scaled_on_the_host_travels_whole() -> None:
    found = bytes_of(buffers={"wire": "plain"})
    assert found["a_row"] == {"disk": 26, "wire": 56, "compute": 56}
    assert found["saved_a_row"] == {"disk": "30 of 56, 54%", "wire": "0 of 56, 0%"}


def test_small_values_in_words_may_take_more() -> None:
    """An honest figure is not always a gain."""
    small = {
        "x": {"dtype": "uint8", "shape": [1]},
        "label": {"dtype": "uint8", "role": "label", "classes": 4},
    }
    found = bytes_of(target="tf1.4", placeholders=small)
    assert found["a_row"] == {"disk": 10, "wire": 24, "compute": 20}
    assert found["saved_a_row"] == {"disk": "10 of 20, 50%", "wire": "-4 of 20, -20%"}


@pytest.mark.parametrize("level", [1, 9])
def test_what_compression_saves_is_not_known_yet(level: int) -> None:
    found = bytes_of(records={"compression": "zlib", "level": level})
    assert found["a_row"]["disk"] == "26, before zlib"
    assert found["a_batch_and_step"]["disk"] == "208, before zlib"
    assert found["saved_a_row"] == {
        "disk": "30 of 56, 54%, and what zlib saves, unknown before prepare",
        "wire": "30 of 56, 54%",
    }
