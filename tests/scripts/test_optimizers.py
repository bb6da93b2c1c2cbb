"""The losses of each step and the weights are those of the equations, whatever the variant."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference_order
from making import EACH_VARIANT, HOW, TINY, VARIANTS, Project, changed, make, points
from matrix import imported
from reference_order import Layout
from reference_training import Network, Update, adam, glorot, sgd
from running import by_layer, train

OPTIMIZERS: dict[str, tuple[dict[str, Any], Update]] = {
    "sgd": ({"name": "sgd", "learning_rate": 0.5}, sgd(0.5)),
    "momentum": ({"name": "sgd", "learning_rate": 0.1, "momentum": 0.9}, sgd(0.1, 0.9)),
    "nesterov": (
        {"name": "sgd", "learning_rate": 0.2, "momentum": 0.7, "nesterov": True},
        sgd(0.2, 0.7, nesterov=True),
    ),
    "adam": ({"name": "adam", "learning_rate": 0.01}, adam(0.01)),
    "adam, every constant given": (
        {"name": "adam", "learning_rate": 0.02, "beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-3},
        adam(0.02, 0.8, 0.95, 1e-3),
    ),
}
LAYERS = ["flatten", {"dense": {"units": 6, "activation": "relu"}}, {"dense": {"units": 4}}]
SEED = 5
ROWS = 91  # the last of 23 batches has three
LAYOUT = Layout(batch_size=4)
EPOCHS = 20
STEPS = 460

each_variant = pytest.mark.parametrize("variant", VARIANTS)


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
    assert len(losses) == STEPS

    for variant in VARIANTS:
        run = train(project, project.load(variant), label=variant)
        assert run.losses == pytest.approx(losses, abs=1e-5), variant
        for name, value in run.weights.items():
            assert value == pytest.approx(network.weights[name], abs=1e-5), (variant, name)


def first_weights(project: Project, variant: str, seed: int = SEED) -> dict[str, np.ndarray]:
    """Of a new model, by the name of the layer and of the weight in it."""
    module = project.load(variant)
    if HOW[variant]["target"] == "tf2":
        weights = {weight.path: weight.numpy() for weight in module.build_model(seed).weights}
    else:
        with module.tf.Graph().as_default(), module.tf.Session() as session:
            module.build_model(seed)
            variables = module.tf.global_variables()
            session.run(module.tf.global_variables_initializer())
            weights = {variable.op.name: session.run(variable) for variable in variables}
    return {by_layer(name): value for name, value in weights.items()}


@each_variant
def test_first_weights_are_drawn_by_numpy(tmp_path: Path, variant: str) -> None:
    project = make(tmp_path, changed(TINY, EACH_VARIANT, {"model": {"layers": LAYERS}}))
    weights = first_weights(project, variant)
    assert np.array_equal(weights["dense_1/kernel"], glorot(SEED, 1, 3, 6))
    assert np.array_equal(weights["dense_2/kernel"], glorot(SEED, 2, 6, 4))
    assert not weights["dense_1/bias"].any()
    assert not weights["dense_2/bias"].any()


@each_variant
def test_first_weights_of_a_convolution(tmp_path: Path, variant: str) -> None:
    """Its limit counts the window: Glorot's fans are those of Keras."""
    layers = [
        {"reshape": {"shape": [3, 1, 1]}},
        {"conv2d": {"filters": 5, "kernel_size": [2, 1]}},
        "flatten",
        {"dense": {"units": 4}},
    ]
    project = make(tmp_path, changed(TINY, EACH_VARIANT, {"model": {"layers": layers}}))
    limit = np.sqrt(6 / (2 * 1 + 2 * 5))
    drawn = reference_order.random(SEED, 1, 0, 0).uniform(-limit, limit, (2, 1, 1, 5))
    assert np.array_equal(
        first_weights(project, variant)["conv2d_1/kernel"], drawn.astype("float32")
    )


@each_variant
def test_first_weights_of_an_imported_model_follow_from_the_seed(
    tmp_path: Path, variant: str
) -> None:
    """Those that the user leaves to TensorFlow or Keras to draw."""
    project = make(tmp_path, changed(TINY, EACH_VARIANT, imported("drawn")))
    (project.root / "specs").mkdir()
    shutil.copy(Path(__file__).with_name("user_models.py"), project.root / "specs")
    (one,), (again,), (other,) = (
        [value for value in first_weights(project, variant, seed).values() if value.any()]
        for seed in (5, 5, 6)
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
