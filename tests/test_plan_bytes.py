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


@pytest.mark.parametrize("compression", ["zlib", "gzip"])
def test_what_compression_saves_is_not_known_yet(compression: str) -> None:
    found = bytes_of(records={"compression": compression})
    assert found["a_row"]["disk"] == f"26, before {compression}"
    assert found["a_batch_and_step"]["disk"] == f"208, before {compression}"
    assert found["saved_a_row"] == {
        "disk": f"30 of 56, 54%, before {compression}, which only prepare can tell",
        "wire": "30 of 56, 54%",
    }


def test_examples_have_names_too() -> None:
    found = bytes_of(records={"format": "example"})
    assert found["a_row"]["disk"] == "26, without the names in each Example"
    assert found["saved_a_row"]["disk"] == "30 of 56, 54%, without the names in each Example"


def test_records_in_place_are_not_written() -> None:
    source = {"kind": "tfrecord", "path": "data.tfrecord"}
    found = bytes_of(source=source, records={"format": "source"})
    assert found["a_row"] == {"disk": "what the source has", "wire": 26, "compute": 56}
    assert found["saved_a_row"]["disk"] == "all, as nothing is written"


def test_images_that_stay_encoded_have_any_size() -> None:
    image = {
        "dtype": "string",
        "encoding": "image",
        "shape": [8, 8, 3],
        "image": {"resize": [8, 8]},
    }
    found = bytes_of(
        source={"kind": "images", "path": "data"},
        placeholders={"x": image, "label": SPEC["placeholders"]["label"]},
        model={"layers": ["flatten", {"dense": {"units": 4}}]},
    )
    assert found["a_row"]["disk"] == "24, and the encoded x"
    assert found["saved_a_row"]["disk"] == "unknown before prepare"


def test_buckets_make_of_each_figure_on_the_way_a_most() -> None:
    words = {"dtype": "int16", "shape": [None], "pad": {"length": 10, "buckets": [4]}}
    found = bytes_of(
        source={"kind": "python", "import": "m:f"},
        placeholders={"words": words, "label": SPEC["placeholders"]["label"]},
        model={"import": "m:f"},
    )
    assert found["a_row"] == {"disk": 36, "wire": "at most 36", "compute": "at most 56"}
    assert found["a_batch_and_step"]["wire"] == "at most 288"
    assert found["saved_a_row"] == {"disk": "20 of 56, 36%", "wire": "at least 20 of 56, 36%"}
