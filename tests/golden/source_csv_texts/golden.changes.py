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

BATCH_BYTES = 2048  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="int16", label="int64", row_id="int64")

def build_model(seed):
    """Gives logits."""
    layers = [
        keras.Input((8,)),
        keras.layers.Flatten(),
        keras.layers.Dense(
            10, kernel_initializer=functools.partial(glorot, seed, 1), name="dense_1"
        ),
    ]
    return keras.Sequential(layers, name="golden")

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return tf.cast(batch.image, tf.float32)
