"""Models as users write them, for each target; copied beside the specs that import them.

The two of a pair compute the same. Their first weights are given, so that they begin alike; those
of `drawn` are each framework's own.
"""

import numpy as np

try:
    import tensorflow.compat.v1 as tf
except ImportError:
    import tensorflow as tf


def rows():
    """Rows for whoever takes them from a function."""
    for row in range(37):
        words = ["a", "b", "c"][: row % 4]
        yield {"x": np.arange(3) / (row + 1), "words": " ".join(words), "label": row % 4}


def given(shape, dtype="float32"):
    return np.sin(np.arange(np.prod(shape))).reshape(shape).astype(dtype) / 2


def dense_tf14(x, units, name, **settings):
    shape = (int(x.shape[1]), units)
    first = tf.constant_initializer(given(shape))
    kernel = tf.get_variable(name + "/kernel", shape, initializer=first, **settings)
    bias = tf.get_variable(name + "/bias", units, initializer=tf.zeros_initializer())
    return tf.matmul(x, kernel) + bias


def drawn():
    """A layer's weights, as Keras draws them unless told otherwise."""
    import keras  # which TensorFlow 1.4 has not

    return keras.Sequential([keras.Input((3,)), keras.layers.Dense(4)])


def drawn_tf14(x, training):
    return tf.matmul(x, tf.get_variable("kernel", (3, 4)))


def one_input():
    import keras

    inputs = keras.Input((3,))
    regularizer = keras.regularizers.L2(0.01)
    hidden = keras.layers.Dense(5, "tanh", kernel_initializer=given, kernel_regularizer=regularizer)
    logits = keras.layers.Dense(4, kernel_initializer=given)
    return keras.Model(inputs, logits(keras.layers.LayerNormalization()(hidden(inputs))))


def one_input_tf14(x, training):
    def regularizer(weights):
        return 0.01 * tf.reduce_sum(tf.square(weights))

    hidden = tf.tanh(dense_tf14(x, 5, "hidden", regularizer=regularizer))
    scale = tf.get_variable("scale", 5, initializer=tf.ones_initializer())
    offset = tf.get_variable("offset", 5, initializer=tf.zeros_initializer())
    mean, variance = (tf.expand_dims(each, 1) for each in tf.nn.moments(hidden, [1]))
    hidden = tf.nn.batch_normalization(hidden, mean, variance, offset, scale, 1e-3)
    return dense_tf14(hidden, 4, "logits")


def several_inputs():
    """Takes any number of them, by name, in any shape."""
    import keras

    class SeveralInputs(keras.Model):
        def __init__(self):
            super().__init__()
            self.logits = keras.layers.Dense(4, kernel_initializer=given)

        def call(self, inputs, training=False):
            rows = [
                keras.ops.reshape(inputs[name], (-1, np.prod(inputs[name].shape[1:], dtype=int)))
                for name in sorted(inputs)
            ]
            return self.logits(keras.ops.softsign(keras.ops.concatenate(rows, axis=-1) / 100))

    return SeveralInputs()


def several_inputs_tf14(inputs, training):
    rows = [
        tf.reshape(inputs[name], (-1, np.prod(inputs[name].shape.as_list()[1:], dtype=int)))
        for name in sorted(inputs)
    ]
    return dense_tf14(tf.nn.softsign(tf.concat(rows, axis=-1) / 100), 4, "logits")
