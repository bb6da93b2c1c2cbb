# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [2, 2],
            "role": "input",
            "columns": ["a", "b", "c", "d"],
            "scale": 0.0625,
        },
        "fold": {"dtype": "bool", "shape": [], "role": "key"},
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
