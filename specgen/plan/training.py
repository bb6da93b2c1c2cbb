"""The *what* of learning: the model, how it is fitted, and the recipe of a checkpoint."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from specgen.layers import Misfit, Shape, kernel_shape, output_shapes, window_of
from specgen.plan.data import beside_spec, stored_keys
from specgen.plan.data_model import Field
from specgen.plan.model import LayerPlan, ModelPlan, TrainPlan
from specgen.plan.recipes import keys_of
from specgen.spec.model import ImportByTarget
from specgen.spec.placeholders import NEUTRAL, Placeholder, is_neutral
from specgen.spec.root import Spec

# Of `train`: how long and how safely it runs, which changes no weight at any step.
NOT_LEARNED = ("epochs", "steps", "checkpoint", "log")


def train_plan(spec: Spec, fields: Sequence[Field]) -> TrainPlan:
    """How the model is fitted."""
    train = spec.train
    settings = keys_of(train.optimizer)
    return TrainPlan(
        recipe=recipe_of(spec),
        batch_size=train.batch_size,
        epochs=train.epochs,
        steps=train.steps,
        optimizer=settings.pop("name"),
        optimizer_settings=settings,
        loss=train.loss,
        label=next(field for field in fields if field.role == "label"),
        metrics=tuple(metric.kind for metric in train.metrics),
        last_batch=train.last_batch,
        validate_every=train.validate_every,
        checkpoint_every=train.checkpoint.every_steps,
        checkpoints_kept=train.checkpoint.keep,
    )


def recipe_of(spec: Spec) -> dict[str, Any]:
    """What the weights depend on beside the data recipe; what is off is left out."""
    train = {
        key: value
        for key, value in keys_of(spec.train).items()
        if key not in NOT_LEARNED and (key == "seed" or value not in (0, []))
    }
    return {
        "placeholders": {key: _read_keys(item) for key, item in spec.placeholders.items()},
        "model": keys_of(spec.model),
        "train": train,
    }


def _read_keys(placeholder: Placeholder) -> dict[str, Any]:
    """What the model reads: the stored value, its role, and how it is scaled, if it is."""
    scaling = [key for key in NEUTRAL if not is_neutral(placeholder, key)]
    kept = (*stored_keys(placeholder), "image", "role", *scaling)
    return {key: value for key, value in keys_of(placeholder).items() if key in kept}


def model_plan(spec: Spec, fields: Sequence[Field], source: str) -> ModelPlan:
    """The layers, or where the user's function is."""
    inputs = tuple(field for field in fields if field.role == "input")
    label = next(field for field in fields if field.role == "label")
    if spec.model.layers is None:
        path = spec.model.import_
        path = path.by_target[spec.target] if isinstance(path, ImportByTarget) else path
        module, _, function = str(path).partition(":")
        folder = beside_spec(source, spec.model.import_path or ".")
        sparse = spec.train.loss == "sparse_categorical_crossentropy"
        shape = (label.classes or 0,) if sparse else label.shape
        return ModelPlan(inputs, shape, (), module, function, folder)
    shapes = output_shapes(spec.model.layers, inputs[0].shape)  # type: ignore[arg-type]
    assert not isinstance(shapes, Misfit), "the checks refuse layers that do not fit"
    befores = (inputs[0].shape, *shapes[:-1])
    layers = tuple(map(_layer_plan, count(), spec.model.layers, befores, shapes))
    return ModelPlan(inputs, shapes[-1], layers, None, None, None)


def _layer_plan(index: int, layer: Any, before: Shape, after: Shape) -> LayerPlan:
    window, strides = window_of(layer)
    return LayerPlan(
        kind=layer.kind,
        index=index,
        name=f"{layer.kind}_{index}",
        settings=layer.model_dump(),
        input_shape=before,
        output_shape=after,
        kernel_shape=kernel_shape(layer, before),
        window=window,
        strides=strides,
    )
