# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {
        "layers": [
            {"reshape": {"shape": [8, 8, 1]}},
            {
                "conv2d": {
                    "filters": 8,
                    "kernel_size": 3,
                    "strides": 1,
                    "padding": "same",
                    "activation": "relu",
                    "use_bias": True,
                }
            },
            {"max_pool2d": {"pool_size": 2, "padding": "valid"}},
            {
                "conv2d": {
                    "filters": 16,
                    "kernel_size": [2, 1],
                    "strides": [1, 2],
                    "padding": "valid",
                    "activation": "none",
                    "use_bias": False,
                }
            },
            {"max_pool2d": {"pool_size": [3, 2], "strides": 1, "padding": "same"}},
            "flatten",
            {"dense": {"units": 10, "activation": "none", "use_bias": True}},
        ]
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

def build_model(seed):
    """Gives logits."""
    layers = [
        keras.Input((8, 8)),
        keras.layers.Reshape((8, 8, 1)),
        keras.layers.Conv2D(
            8,
            3,
            padding="same",
            activation="relu",
            kernel_initializer=functools.partial(glorot, seed, 1),
            name="conv2d_1",
        ),
        keras.layers.MaxPooling2D(2, padding="valid"),
        keras.layers.Conv2D(
            16,
            (2, 1),
            strides=(1, 2),
            padding="valid",
            use_bias=False,
            kernel_initializer=functools.partial(glorot, seed, 3),
            name="conv2d_3",
        ),
        keras.layers.MaxPooling2D((3, 2), strides=1, padding="same"),
        keras.layers.Flatten(),
        keras.layers.Dense(
            10, kernel_initializer=functools.partial(glorot, seed, 6), name="dense_6"
        ),
    ]
    return keras.Sequential(layers, name="golden")
