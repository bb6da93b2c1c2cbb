# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "float32",
            "shape": [2, 2],
            "role": "input",
            "columns": ["0", "1", "2", "3"],
            "default": 0.5,
            "scale": 0.0625,
        },
        "label": {"dtype": "int64", "shape": [], "role": "label", "columns": ["4"], "classes": 10},
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
WIRE = Batch(image="float32", label="int64", row_id="int64")

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return batch.image * 0.0625
