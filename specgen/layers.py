"""What shape each layer gives, by TensorFlow's arithmetic; for the checks and the plan.

The layers of a spec and the shape of one row in, a shape for each layer out, or the first misfit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from specgen.spec.model import Conv2D, Dense, Flatten, MaxPool2D, Reshape

Shape = tuple[int, ...]

# The others are refused earlier, by the support table.
Computed = Flatten | Reshape | Dense | Conv2D | MaxPool2D


@dataclass(frozen=True)
class Misfit:
    """A layer that cannot take what comes before it: its place, and the key at fault or ""."""

    layer: int
    key: str
    message: str
    hint: str = ""


def output_shapes(layers: Sequence[Computed], input_shape: Shape) -> tuple[Shape, ...] | Misfit:
    """The shape of one row after each layer, where `input_shape` is that of one row before."""
    shapes: list[Shape] = []
    shape = input_shape
    for index, layer in enumerate(layers):
        misfit = _misfit(index, layer, shape)
        if misfit:
            return misfit
        shape = _output_shape(layer, shape)
        shapes.append(shape)
    return tuple(shapes)


def _output_shape(layer: Computed, shape: Shape) -> Shape:
    match layer:
        case Flatten():
            return (prod(shape),)
        case Reshape():
            return layer.shape
        case Dense():
            return (*shape[:-1], layer.units)
        case Conv2D():
            return (*_windows(layer, shape), layer.filters)
        case MaxPool2D():
            return (*_windows(layer, shape), shape[-1])


def _misfit(index: int, layer: Computed, shape: Shape) -> Misfit | None:
    match layer:
        case Reshape() if prod(layer.shape) != prod(shape):
            counts = (
                f"{show(shape)} has {prod(shape)} values, {show(layer.shape)} {prod(layer.shape)}"
            )
            return Misfit(index, "shape", counts)
        case Dense() if not shape:
            return Misfit(index, "", "dense needs an axis, but gets []", "put flatten before it")
        case Conv2D() | MaxPool2D() if len(shape) != 3:
            wanted = f"{layer.kind} needs [height, width, channels], but gets {show(shape)}"
            return Misfit(index, "", wanted, _with_channels(shape))
        case Conv2D() | MaxPool2D() if min(_windows(layer, shape)) < 1:
            key, window, _ = _window(layer)
            size = f"a window of {show(window)} does not fit into {show(shape[:2])}"
            return Misfit(index, key, size, "make it smaller, or use padding: same")
    return None


def _with_channels(shape: Shape) -> str:
    return f"put reshape: {{shape: {show((*shape, 1))}}} before it" if len(shape) == 2 else ""


def _windows(layer: Conv2D | MaxPool2D, shape: Shape) -> Shape:
    """How many windows there are along the height and the width; below 1 where they do not fit."""
    _, window, strides = _window(layer)
    lost = (0, 0) if layer.padding == "same" else (window[0] - 1, window[1] - 1)
    return tuple(-((lost[axis] - shape[axis]) // strides[axis]) for axis in range(2))


def _window(layer: Conv2D | MaxPool2D) -> tuple[str, Shape, Shape]:
    """The key that gives the window, its height and width, and how far it moves along them."""
    if isinstance(layer, Conv2D):
        return "kernel_size", _pair(layer.kernel_size), _pair(layer.strides)
    return "pool_size", _pair(layer.pool_size), _pair(layer.strides or layer.pool_size)


def window_of(layer: Computed) -> tuple[Shape, Shape] | tuple[None, None]:
    """Height and width of the window, and how far it moves along them; None where there is none."""
    return _window(layer)[1:] if isinstance(layer, Conv2D | MaxPool2D) else (None, None)


def kernel_shape(layer: Computed, shape: Shape) -> Shape | None:
    """The shape of the weights but for the bias, where `shape` is that of a row before it."""
    match layer:
        case Dense():
            return (shape[-1], layer.units)
        case Conv2D():
            return (*_pair(layer.kernel_size), shape[-1], layer.filters)
    return None


def _pair(sizes: int | tuple[int, int]) -> tuple[int, int]:
    return (sizes, sizes) if isinstance(sizes, int) else sizes


def show(shape: Sequence[int]) -> str:
    """The shape as a spec writes it."""
    return f"[{', '.join(map(str, shape))}]"
