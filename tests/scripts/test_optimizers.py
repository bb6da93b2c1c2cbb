"""The losses of each step and the weights are those of the equations, whatever the method."""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import reference_order
from making import EACH_VARIANT, TINY, VARIANTS, changed, make, points
from reference_order import Layout
from reference_training import Network, Update, adam, glorot, sgd
from running import by_layer, train

OPTIMIZERS: dict[str, tuple[dict[str, Any], Update]] = {
    "sgd": ({"name": "sgd", "learning_rate": 0.5}, sgd(0.5)),
    "momentum": ({"name": "sgd", "learning_rate": 0.1, "momentum": 0.9}, sgd(0.1, 0.9)),
    "nesterov": (
        {"name": "sgd", "learning_rate": 0.1, "momentum": 0.9, "nesterov": True},
        sgd(0.1, 0.9, nesterov=True),
    ),
    "adam": ({"name": "adam", "learning_rate": 0.01}, adam(0.01)),
    "adam, every constant given": (
        {"name": "adam", "learning_rate": 0.02, "beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-3},
        adam(0.02, 0.8, 0.95, 1e-3),
    ),
}
LAYERS = ["flatten", {"dense": {"units": 6, "activation": "relu"}}, {"dense": {"units": 4}}]
SEED = 5
ROWS = 43  # the last of six batches has three
LAYOUT = Layout(batch_size=8)
EPOCHS = 4


@pytest.mark.parametrize(("optimizer", "update"), OPTIMIZERS.values(), ids=list(OPTIMIZERS))
def test_steps(tmp_path: Path, optimizer: dict[str, Any], update: Update) -> None:
    fit = {"batch_size": LAYOUT.batch_size, "epochs": EPOCHS, "optimizer": None}
    spec = changed(TINY, EACH_VARIANT, {"model": {"layers": LAYERS}, "train": fit})
    spec = changed(spec, {"train": {"optimizer": optimizer}})
    rows = points(ROWS)
    project = make(tmp_path, spec, rows)

    network = Network.drawn(SEED, [3, 6, 4], first_layer=1)
    stored = reference_order.stored(np.arange(ROWS), "train", splits_seed=0)
    losses = network.train(*rows.values(), LAYOUT.batches(stored, SEED, EPOCHS), update)

    for variant in VARIANTS:
        run = train(project, project.load(variant), label=variant)
        assert run.losses == pytest.approx(losses, abs=2e-6)
        for name, value in run.weights.items():
            assert value == pytest.approx(network.weights[name], abs=1e-5), name


def first_weights(module: ModuleType) -> dict[str, np.ndarray]:
    weights = module.build_model(SEED).weights
    return {by_layer(weight.path): weight.numpy() for weight in weights}


def test_first_weights_are_drawn_by_numpy(tmp_path: Path) -> None:
    spec = changed(TINY, EACH_VARIANT, {"model": {"layers": LAYERS}})
    project = make(tmp_path, spec)
    for variant in VARIANTS:
        weights = {
            by_layer(w.path): w.numpy() for w in project.load(variant).build_model(SEED).weights
        }
        assert np.array_equal(weights["dense_1/kernel"], glorot(SEED, 1, 3, 6))
        assert np.array_equal(weights["dense_2/kernel"], glorot(SEED, 2, 6, 4))
        assert not weights["dense_1/bias"].any()
        assert not weights["dense_2/bias"].any()


def test_first_weights_of_a_convolution(tmp_path: Path) -> None:
    """Its limit counts the window: Glorot's fans are those of Keras."""
    layers = [
        {"reshape": {"shape": [3, 1, 1]}},
        {"conv2d": {"filters": 5, "kernel_size": [2, 1]}},
        "flatten",
        {"dense": {"units": 4}},
    ]
    project = make(tmp_path, changed(TINY, {"model": {"layers": layers}}))
    weights = first_weights(project.load())
    limit = np.sqrt(6 / (2 * 1 + 2 * 5))
    drawn = reference_order.random(SEED, 1, 0, 0).uniform(-limit, limit, (2, 1, 1, 5))
    assert np.array_equal(weights["conv2d_1/kernel"], drawn.astype("float32"))
