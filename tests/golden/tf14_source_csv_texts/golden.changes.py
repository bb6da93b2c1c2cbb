# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "int16",
            "shape": [None],
            "role": "input",
            "encoding": "tokens",
            "pad": {"length": 8, "value": -1},
            "hash_buckets": 1000,
        },
        "who": {"dtype": "string", "shape": [], "role": "key"},
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "text",
            "classes": 3,
            "vocabulary": ["a", "b", "c"],
        },
    },
    "model": {
        "layers": ["flatten", {"dense": {"units": 3, "activation": "none", "use_bias": True}}]
    },
    "train": {
        "batch_size": 64,
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.0, "nesterov": False},
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

BATCH_BYTES = 2048  # on the way to the device

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(image=("float64", (2,)), label=("float64", (1,)), row_id=("float64", (1,)))

def build_model(seed):
    """Gives logits."""
    with tf.variable_scope("golden", use_resource=True):
        kernel_1 = kernel(1, "dense_1", (8, 3), seed)
        bias_1 = bias("dense_1", 3)

    def model(x, training):
        x = tf.reshape(x, (BATCH_SIZE, 8))
        x = tf.matmul(x, kernel_1)
        x = x + bias_1
        return tf.identity(x, "logits")

    return model

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return unpacked(batch.image, "int16", (8,), tf.float32)

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""

    def stored(words, dtype, column):
        rows = words.view(dtype)[:, : int(np.prod(column.shape))].astype(column.dtype)
        return rows.reshape((-1,) + column.shape)

    return Batch(
        image=stored(batch.image, "int16", data.COLUMNS.image),
        label=stored(batch.label, "int64", data.COLUMNS.label),
        row_id=stored(batch.row_id, "int64", data.COLUMNS.row_id),
    )
