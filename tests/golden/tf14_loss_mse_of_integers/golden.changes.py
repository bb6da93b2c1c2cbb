# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "label": {"dtype": "int16", "shape": [], "role": "label"},
    },
    "model": {
        "layers": ["flatten", {"dense": {"units": 1, "activation": "none", "use_bias": True}}]
    },
    "train": {
        "batch_size": 64,
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.0, "nesterov": False},
        "loss": "mse",
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

METRICS = ()

def build_model(seed):
    """Gives logits."""
    with tf.variable_scope("golden", use_resource=True):
        kernel_1 = kernel(1, "dense_1", (64, 1), seed)
        bias_1 = bias("dense_1", 1)

    def model(x, training):
        x = tf.reshape(x, (BATCH_SIZE, 64))
        x = tf.matmul(x, kernel_1)
        x = x + bias_1
        return tf.identity(x, "logits")

    return model

def unpacked(words, stored, shape, dtype):
    """What travelled in words, in the dtype that the model computes in."""
    values = tf.cast(tf.bitcast(words, stored), dtype)
    size = int(np.prod(shape))
    values = tf.reshape(values, (BATCH_SIZE, -1))
    if values.shape[1] != size:
        values = values[:, :size]  # without what pads the last word
    return tf.reshape(values, (BATCH_SIZE,) + shape)

def losses(batch, outputs):
    """The loss of each row: the mean of its squared errors."""
    targets = tf.reshape(unpacked(batch.label, "int16", (), tf.float32), (BATCH_SIZE, -1))
    return tf.reduce_mean(tf.square(tf.reshape(outputs, (BATCH_SIZE, -1)) - targets), axis=1)

class Learner:
    def _sums(self, batch):
        """Of the real rows of a batch: loss, summed."""
        logits = self.model(model_input(batch), training=False)
        rows = [losses(batch, logits)]
        real = tf.cast(real_rows(batch), tf.float64)
        return tf.stack([tf.reduce_sum(tf.cast(values, tf.float64) * real) for values in rows])

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""

    def stored(words, dtype, column):
        rows = words.view(dtype)[:, : int(np.prod(column.shape))].astype(column.dtype)
        return rows.reshape((-1,) + column.shape)

    return Batch(
        image=stored(batch.image, "uint8", data.COLUMNS.image),
        label=stored(batch.label, "int16", data.COLUMNS.label),
        row_id=stored(batch.row_id, "int64", data.COLUMNS.row_id),
    )

# gone: def scores
