"""Models as users write them; copied beside the specs that import them."""

import math

import keras


def one_input():
    inputs = keras.Input((3,))
    hidden = keras.layers.Dense(5, "tanh", kernel_regularizer=keras.regularizers.L2(0.01))(inputs)
    return keras.Model(inputs, keras.layers.Dense(4)(keras.layers.LayerNormalization()(hidden)))


class SeveralInputs(keras.Model):
    """Takes any number of them, by name, in any shape."""

    def __init__(self):
        super().__init__()
        self.logits = keras.layers.Dense(4)

    def call(self, inputs, training=False):
        rows = [
            keras.ops.reshape(inputs[name], (-1, math.prod(inputs[name].shape[1:])))
            for name in sorted(inputs)
        ]
        return self.logits(keras.ops.concatenate(rows, axis=-1) / 100)


def several_inputs():
    return SeveralInputs()
