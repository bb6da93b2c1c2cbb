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


def rows_of_any_length():
    """Rows that are short, long, of padding alone, and without any words."""
    for row in range(37):
        count = (3, 9, 1, 5, 0, 4, 8)[row % 7] if row % 4 else 2
        words = " ".join(map(str, range(row, row + count)))
        yield {"words": words, "label": row % 4}


def masked_mean():
    """Of the embeddings of words, whose padding is -1; takes any number of them."""
    import keras

    class MaskedMean(keras.Model):
        def __init__(self):
            super().__init__()
            self.table = keras.layers.Embedding(50, 5, embeddings_initializer=given)
            self.logits = keras.layers.Dense(4, kernel_initializer=given)

        def call(self, words, training=False):
            real = keras.ops.expand_dims(keras.ops.cast(words >= 0, "float32"), -1)
            vectors = self.table(keras.ops.maximum(words, 0)) * real
            count = keras.ops.maximum(keras.ops.sum(real, 1), 1)
            return self.logits(keras.ops.sum(vectors, 1) / count)

    return MaskedMean()


def masked_mean_tf14(words, training):
    first = tf.constant_initializer(given((50, 5)))
    table = tf.get_variable("table", (50, 5), initializer=first)
    real = tf.expand_dims(tf.cast(words >= 0, tf.float32), -1)
    vectors = tf.gather(table, tf.cast(tf.maximum(words, 0.0), tf.int32)) * real
    count = tf.maximum(tf.reduce_sum(real, 1), 1.0)
    return dense_tf14(tf.reduce_sum(vectors, 1) / count, 4, "logits")


DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "int32", "int64"]
DTYPES += ["float16", "float32", "float64"]


def rows_of_each_dtype():
    """A value of any length up to 24 for each: mostly short, some long, some of no cell at all.

    0, which pads them, is also among the values, and so is the -0 of floats.
    """
    random = np.random.RandomState(3)
    for row in range(43):
        values = {"label": row % 4}
        for dtype in DTYPES:
            length = random.randint(0, 25 if random.randint(9) == 0 else 6)
            numbers = random.randint(0, 2, length) * random.randint(1, 100, length)
            values[dtype] = numbers.astype(dtype)
            if dtype.startswith("float"):
                values[dtype][numbers == 0] *= -1
        yield values


def sums():
    """Takes rows of any lengths, padded by 0, which adds nothing."""
    import keras

    class Sums(keras.Model):
        def __init__(self):
            super().__init__()
            self.logits = keras.layers.Dense(4, kernel_initializer=given)

        def call(self, inputs, training=False):
            found = [keras.ops.sum(inputs[name], 1) for name in sorted(inputs)]
            return self.logits(keras.ops.softsign(keras.ops.stack(found, axis=1) / 100))

    return Sums()


def sums_tf14(inputs, training):
    found = [tf.reduce_sum(inputs[name], 1) for name in sorted(inputs)]
    return dense_tf14(tf.nn.softsign(tf.stack(found, axis=1) / 100), 4, "logits")


def of_one_width():
    """Whose weights are for words of the full length."""
    import keras

    return keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(4)])


def of_one_width_tf14(words, training):
    return dense_tf14(words, 4, "logits")


def wide_windows():
    """Whose windows are wider than the narrowest batch."""
    import keras

    layers = [
        keras.layers.Reshape((-1, 1)),
        keras.layers.Conv1D(4, 10),
        keras.layers.GlobalMaxPooling1D(),
    ]
    return keras.Sequential(layers)


def wide_windows_tf14(words, training):
    kernel = tf.get_variable("kernel", (1, 10, 1, 4))
    images = tf.expand_dims(tf.expand_dims(words, 1), 3)
    return tf.reduce_max(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], "VALID"), [1, 2])
