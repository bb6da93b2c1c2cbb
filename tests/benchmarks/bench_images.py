"""How fast JPEG files become batches, as ratios: python tests/benchmarks/bench_images.py

Files of 500x375, against the decode-and-resize of the official guide in rounds that interleave. The
readers give rounded pixels, 8 bits each; the guide gives floats, and rounded also equal pixels.
"""

import argparse
import contextlib
import tempfile
from pathlib import Path

from bench_input import SEED, Read, machine, rivals, show, timed

from making import Project, Spec, changed, make
from tfrecords import prepared

BATCH = 32
IMAGES: Spec = {
    "specgen": 1,
    "name": "images",
    "source": {"kind": "images", "path": "../../images"},
    "placeholders": {
        "image": {"dtype": "string", "shape": [224, 224, 3], "encoding": "image"},
        "label": {"dtype": "int64", "role": "label", "classes": 2},
    },
    "records": {"rows_per_record": 16},
    "model": {"layers": ["flatten", {"dense": {"units": 2}}]},
    "train": {
        "batch_size": BATCH,
        "epochs": 1,
        "optimizer": {"name": "sgd", "learning_rate": 0.01},
        "loss": "sparse_categorical_crossentropy",
        "shuffle": {"kind": "window", "rows": 256},
    },
}
# By what is shown: what is said of the image, and its size.
WAYS: dict[str, tuple[Spec, int]] = {
    "resize": ({"resize": [224, 224]}, 224),
    "crop: random": ({"crop": "random"}, 224),
    "resize to 112": ({"resize": [112, 112]}, 112),
    "resize to 112, scaled_decode": ({"resize": [112, 112], "scaled_decode": True}, 112),
    "resize to 56, scaled_decode": ({"resize": [56, 56], "scaled_decode": True}, 56),
}


def batches_of(project: Project) -> Read:
    """An epoch of a script's training batches."""
    module = project.load()
    with contextlib.redirect_stdout(None):
        records = prepared(project, module.data)
    batches = module.training_batches(records, SEED, 0, module.steps_an_epoch(records))
    return lambda: batches


def main() -> None:
    parser = argparse.ArgumentParser(description="Time how images are decoded.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--images", type=int, default=5400, help="190 MB")
    options = parser.parse_args()
    print(f"{machine()}; medians of {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = rivals.drawn_images(folder / "images", options.images)
        guides = {
            "guide": rivals.guide_images(files, BATCH),
            "guide, rounded": rivals.guide_images(files, BATCH, is_rounded=True),
        }
        ways: dict[str, tuple[int, Read]] = {
            title: (len(files), lambda guide=guide: guide) for title, guide in guides.items()
        }
        for title, (image, size) in WAYS.items():
            x = {"image": image, "shape": [size, size, 3]}
            project = make(folder / title, changed(IMAGES, {"placeholders": {"image": x}}))
            ways[title] = len(files), batches_of(project)
        show("Images", timed(ways, options.rounds), *guides)


if __name__ == "__main__":
    main()
