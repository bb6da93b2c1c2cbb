# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "int16",
            "shape": [None],
            "role": "input",
            "encoding": "tokens",
            "scale": 0.0625,
            "pad": {"length": 50, "value": -1, "buckets": [8, 16, 32]},
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
    "model": {"import": "package.models:classifier"},
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

BATCH_BYTES = 13824  # on the way to the device, at the most

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(image=("float32", (None,)), label=("float64", (1,)), row_id=("float64", (1,)))

def to_wire(batch):
    """The batch as it travels to the device, trimmed; the last one is padded."""
    missing = BATCH_SIZE - len(batch.row_id)
    if missing:
        padding = (np.stack([values] * missing) for values in data.PADDING)
        batch = Batch(*map(np.concatenate, zip(batch, padding)))
    batch = batch._replace(image=trimmed(batch.image, data.COLUMNS.image, batch.row_id))
    return Batch(
        image=batch.image.astype("float32") * 0.0625,
        label=packed(batch.label),
        row_id=packed(batch.row_id),
    )

def unpacked(words, stored, shape, dtype):
    """What travelled in words, in the dtype that the model computes in."""
    values = tf.cast(tf.bitcast(words, stored), dtype)
    return tf.reshape(values, (BATCH_SIZE,) + shape)

def model_input(batch):
    """What the model takes; it was cast and scaled on the host."""
    return batch.image

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""

    def stored(words, dtype, column):
        rows = words.view(dtype)[:, : int(np.prod(column.shape))].astype(column.dtype)
        return rows.reshape((-1,) + column.shape)

    return Batch(
        image=full_length(np.rint(batch.image.astype("float64") / 0.0625), data.COLUMNS.image),
        label=stored(batch.label, "int64", data.COLUMNS.label),
        row_id=stored(batch.row_id, "int64", data.COLUMNS.row_id),
    )

# gone: def unpacked_in_part
