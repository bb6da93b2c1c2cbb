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
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "text",
            "default": 9,
            "classes": 10,
            "vocabulary": "classes.txt",
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

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="float32", label="int64", row_id="int64")

def to_wire(batch):
    """The batch as it travels to the device: trimmed, scaled, in the dtypes of WIRE."""
    batch = batch._replace(image=trimmed(batch.image, data.COLUMNS.image, batch.row_id))
    batch = Batch(*map(tf.cast, batch, WIRE))
    return batch._replace(image=batch.image * 0.0625)

def model_input(batch):
    """What the model takes; it was cast and scaled on the host."""
    return batch.image

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""
    batch = batch._replace(image=np.rint(batch.image.astype("float64") / 0.0625))
    batch = batch._replace(image=full_length(batch.image, data.COLUMNS.image))
    return Batch(*(v.astype(column.dtype) for v, column in zip(batch, data.COLUMNS)))
