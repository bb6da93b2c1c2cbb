# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [8, 8, 3],
            "role": "input",
            "scale": 0.25,
            "offset": 0.5,
            "mean": [0.1, 0.2, 0.3],
            "std": [1.0, 2.0, 4.0],
        },
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {
        "layers": ["flatten", {"dense": {"units": 10, "activation": "none", "use_bias": True}}]
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

BATCH_BYTES = 50176  # on the way to the device

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(image=("float32", (8, 8, 3)), label=("float64", (1,)), row_id=("float64", (1,)))

def to_wire(batch):
    """The batch as it travels to the device; the last one is padded."""
    missing = BATCH_SIZE - len(batch.row_id)
    if missing:
        padding = (np.stack([values] * missing) for values in data.PADDING)
        batch = Batch(*map(np.concatenate, zip(batch, padding)))
    return Batch(
        image=(batch.image.astype("float32") * 0.25 + 0.5 - np.float32([0.1, 0.2, 0.3]))
        / np.float32([1.0, 2.0, 4.0]),
        label=packed(batch.label),
        row_id=packed(batch.row_id),
    )

def build_model(seed):
    """Gives logits."""
    with tf.variable_scope("golden", use_resource=True):
        kernel_1 = kernel(1, "dense_1", (192, 10), seed)
        bias_1 = bias("dense_1", 10)

    def model(x, training):
        x = tf.reshape(x, (BATCH_SIZE, 192))
        x = tf.matmul(x, kernel_1)
        x = x + bias_1
        return tf.identity(x, "logits")

    return model

def model_input(batch):
    """What the model takes; it was cast and scaled on the host."""
    return batch.image

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""

    def stored(words, dtype, column):
        rows = words.view(dtype)[:, : int(np.prod(column.shape))].astype(column.dtype)
        return rows.reshape((-1,) + column.shape)

    return Batch(
        image=np.rint(
            (batch.image.astype("float64") * [1.0, 2.0, 4.0] + [0.1, 0.2, 0.3] - 0.5) / 0.25
        ).astype("uint8"),
        label=stored(batch.label, "int64", data.COLUMNS.label),
        row_id=stored(batch.row_id, "int64", data.COLUMNS.row_id),
    )
