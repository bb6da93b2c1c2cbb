"""Rules for `model`: it is described once, its layers fit, and it gives what the loss takes."""

from collections.abc import Iterator
from math import prod

from specgen.checks.exclusive import exactly_one
from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, called, inputs, the_label
from specgen.document import Path
from specgen.layers import Computed, Misfit, Shape, output_shapes, show
from specgen.spec.model import Concatenate, Flatten, ImportByTarget, ModelSection, Reshape
from specgen.spec.placeholders import Placeholder
from specgen.spec.train import Train
from specgen.wording import listed


def check_one_model(model: ModelSection) -> Iterator[Finding]:
    """Layers or a function, not both."""
    ways = {"layers": model.layers, "import": model.import_}
    return exactly_one(("model",), ways, "is the model already")


def check_import_target(model: ModelSection, target: str) -> Iterator[Finding]:
    """A mapping of targets to functions has the target's."""
    if isinstance(model.import_, ImportByTarget) and model.import_.by_target[target] is None:
        yield Finding(
            ("model", "import"),
            "SG303",
            f"there is no function for target {target}",
            f"add {target}",
            of_key=True,
        )


def check_one_input(model: ModelSection, placeholders: Placeholders) -> Iterator[Finding]:
    """Layers have one input, unless they begin by joining several."""
    names = list(inputs(placeholders))
    if model.layers is not None and len(names) > 1 and not isinstance(model.layers[0], Concatenate):
        yield Finding(
            ("model", "layers"),
            "SG303",
            f"several inputs ({listed(map(called, names))}) need concatenate as the first layer",
            "use model.import, concatenate is not supported yet",
            of_key=True,
        )


def check_layer_shapes(model: ModelSection, placeholders: Placeholders) -> Iterator[Finding]:
    """Each layer can take what the one before it gives."""
    shapes = _shapes(model, placeholders)
    if isinstance(shapes, Misfit):
        assert model.layers is not None
        path: Path = ("model", "layers", shapes.layer)
        if shapes.key:
            path = (*path, model.layers[shapes.layer].kind, shapes.key)
        yield Finding(path, "SG305", shapes.message, shapes.hint)


def check_model_output(
    model: ModelSection, placeholders: Placeholders, train: Train
) -> Iterator[Finding]:
    """The last layer gives a logit for each class, or a number for each of the label's."""
    shapes = _shapes(model, placeholders)
    label = the_label(placeholders)
    if shapes is None or isinstance(shapes, Misfit) or label is None:
        return
    name, placeholder = label
    if train.loss == "sparse_categorical_crossentropy":
        if placeholder.classes is not None and shapes[-1] != (placeholder.classes,):
            message = (
                f"the layers give {show(shapes[-1])}, "
                f"{called(name)} needs [{placeholder.classes}], a logit for each class"
            )
            yield Finding(_last(model), "SG305", message)
    elif train.loss == "mse":
        wanted = _fixed(placeholder)
        if wanted is not None and prod(wanted) != prod(shapes[-1]):
            message = (
                f"the layers give {show(shapes[-1])}, but {called(name)} has "
                f"{prod(wanted)} {'value' if prod(wanted) == 1 else 'values'}"
            )
            yield Finding(_last(model), "SG305", message)


def check_logits(model: ModelSection, train: Train) -> Iterator[Finding]:
    """A crossentropy takes logits, which no activation has squeezed."""
    if "crossentropy" not in train.loss or model.layers is None:
        return
    for index, layer in reversed(list(enumerate(model.layers))):
        if isinstance(layer, Flatten | Reshape):
            continue
        activation = getattr(layer, "activation", "none")
        if activation != "none":
            yield Finding(
                ("model", "layers", index, layer.kind, "activation"),
                "SG303",
                f"the loss takes logits, but the last layer has the activation {activation}",
                "leave the activation out",
                severity="warning",
            )
        return


def _last(model: ModelSection) -> Path:
    assert model.layers is not None
    return ("model", "layers", len(model.layers) - 1)


def _shapes(model: ModelSection, placeholders: Placeholders) -> tuple[Shape, ...] | Misfit | None:
    """What the layers give; None where a mistake that has its own check hides it."""
    found = list(inputs(placeholders).values())
    if model.layers is None or len(found) != 1:
        return None
    shape = _fixed(found[0])
    layers = [layer for layer in model.layers if isinstance(layer, Computed)]
    if shape is None or len(layers) != len(model.layers):
        return None
    return output_shapes(layers, shape)


def _fixed(placeholder: Placeholder) -> Shape | None:
    """The shape that each batch has of it, padded or not; None where there is none."""
    pad = placeholder.pad
    length = pad.length if pad and not pad.buckets else None
    sizes = (length if size is None else size for size in placeholder.shape)
    fixed = tuple(size for size in sizes if size is not None)
    return fixed if len(fixed) == len(placeholder.shape) else None
