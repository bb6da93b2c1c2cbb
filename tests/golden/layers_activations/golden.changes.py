# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {
        "layers": [
            "flatten",
            {"dense": {"units": 40, "activation": "relu", "use_bias": True}},
            {"dense": {"units": 30, "activation": "tanh", "use_bias": True}},
            {"dense": {"units": 20, "activation": "sigmoid", "use_bias": False}},
            {"dense": {"units": 20, "activation": "gelu", "use_bias": True}},
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
        keras.layers.Flatten(),
        keras.layers.Dense(
            40,
            activation="relu",
            kernel_initializer=functools.partial(glorot, seed, 1),
            name="dense_1",
        ),
        keras.layers.Dense(
            30,
            activation="tanh",
            kernel_initializer=functools.partial(glorot, seed, 2),
            name="dense_2",
        ),
        keras.layers.Dense(
            20,
            activation="sigmoid",
            use_bias=False,
            kernel_initializer=functools.partial(glorot, seed, 3),
            name="dense_3",
        ),
        keras.layers.Dense(
            20,
            activation="gelu",
            kernel_initializer=functools.partial(glorot, seed, 4),
            name="dense_4",
        ),
        keras.layers.Dense(
            10, kernel_initializer=functools.partial(glorot, seed, 5), name="dense_5"
        ),
    ]
    return keras.Sequential(layers, name="golden")
