# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [32, 48, 3],
            "role": "input",
            "encoding": "image",
            "scale": 0.00392156862745098,
            "image": {"resize": [32, 48], "crop": "center", "exact": True, "scaled_decode": False},
        },
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 2},
    },
    "model": {
        "layers": ["flatten", {"dense": {"units": 2, "activation": "none", "use_bias": True}}]
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

BATCH_BYTES = 295936  # on the way to the device

def build_model(seed):
    """Gives logits."""
    layers = [
        keras.Input((32, 48, 3)),
        keras.layers.Flatten(),
        keras.layers.Dense(
            2, kernel_initializer=functools.partial(glorot, seed, 1), name="dense_1"
        ),
    ]
    return keras.Sequential(layers, name="golden")

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return tf.cast(batch.image, tf.float32) * 0.00392156862745098
