"""Output shapes agree with TensorFlow's, and a layer that does not fit is named."""

from itertools import product
from typing import Any

import pytest

from specgen.layers import Computed, Misfit, Shape, output_shapes
from specgen.spec.model import Conv2D, Dense, Flatten, MaxPool2D, Reshape


def conv2d(**parameters: Any) -> Conv2D:
    return Conv2D.model_validate(parameters)


def max_pool2d(**parameters: Any) -> MaxPool2D:
    return MaxPool2D.model_validate(parameters)


@pytest.mark.parametrize(
    ("layers", "given", "shapes"),
    [
        ([], (8, 8), ()),
        ([Flatten()], (8, 8), ((64,),)),
        ([Flatten()], (), ((1,),)),
        ([Reshape(shape=(4, 16))], (8, 8), ((4, 16),)),
        ([Dense(units=3)], (8, 5), ((8, 3),)),
        (
            [conv2d(filters=4, kernel_size=3), max_pool2d(), Flatten(), Dense(units=10)],
            (8, 8, 1),
            ((6, 6, 4), (3, 3, 4), (36,), (10,)),
        ),
        ([conv2d(filters=4, kernel_size=[3, 1], strides=[2, 1])], (8, 6, 3), ((3, 6, 4),)),
        ([conv2d(filters=4, kernel_size=9, padding="same")], (8, 8, 1), ((8, 8, 4),)),
        ([max_pool2d(pool_size=3, padding="same")], (8, 8, 2), ((3, 3, 2),)),
        ([max_pool2d(pool_size=3, strides=1)], (8, 8, 2), ((6, 6, 2),)),
    ],
)
def test_output_shapes(layers: list[Computed], given: Shape, shapes: tuple[Shape, ...]) -> None:
    assert output_shapes(layers, given) == shapes


@pytest.mark.parametrize(
    ("layers", "given", "misfit"),
    [
        (
            [Flatten(), Reshape(shape=(7, 9))],
            (8, 8),
            Misfit(1, "shape", "[64] has 64 values, [7, 9] 63"),
        ),
        (
            [Dense(units=3)],
            (),
            Misfit(0, "", "dense needs an axis, but gets []", "put flatten before it"),
        ),
        (
            [conv2d(filters=4, kernel_size=3)],
            (8, 8),
            Misfit(
                0,
                "",
                "conv2d needs [height, width, channels], but gets [8, 8]",
                "put reshape: {shape: [8, 8, 1]} before it",
            ),
        ),
        (
            [Flatten(), max_pool2d()],
            (8, 8),
            Misfit(1, "", "max_pool2d needs [height, width, channels], but gets [64]"),
        ),
        (
            [conv2d(filters=4, kernel_size=[3, 9])],
            (8, 8, 1),
            Misfit(
                0,
                "kernel_size",
                "a window of [3, 9] does not fit into [8, 8]",
                "make it smaller, or use padding: same",
            ),
        ),
        (
            [max_pool2d(), max_pool2d(pool_size=5, strides=7)],
            (8, 8, 1),
            Misfit(
                1,
                "pool_size",
                "a window of [5, 5] does not fit into [4, 4]",
                "make it smaller, or use padding: same",
            ),
        ),
    ],
)
def test_misfits(layers: list[Computed], given: Shape, misfit: Misfit) -> None:
    assert output_shapes(layers, given) == misfit


def test_windows_are_tensorflows() -> None:
    keras: Any = pytest.importorskip("keras")
    for size, window, stride, padding in product(
        range(1, 9), (1, 2, 3, 5), (1, 2, 3), ("valid", "same")
    ):
        parameters: Any = {"strides": stride, "padding": padding}
        pairs: list[tuple[Any, Computed]] = [
            (
                keras.layers.Conv2D(2, window, **parameters),
                conv2d(filters=2, kernel_size=window, **parameters),
            ),
            (
                keras.layers.MaxPooling2D(window, **parameters),
                max_pool2d(pool_size=window, **parameters),
            ),
        ]
        for theirs, ours in pairs:
            shapes = output_shapes([ours], (size, 8, 1))
            if padding == "valid" and window > size:
                assert isinstance(shapes, Misfit)
            else:
                assert shapes == (theirs.compute_output_shape((None, size, 8, 1))[1:],)
