# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "float32",
            "shape": [None],
            "role": "input",
            "scale": 0.0625,
            "pad": {"length": 64, "value": 0},
        },
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "text",
            "default": 2,
            "classes": 3,
            "vocabulary": ["a", "b"],
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

BATCH_BYTES = 17408  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="float32", label="int64", row_id="int64")

def build_model(seed):
    """Gives logits."""
    layers = [
        keras.Input((64,)),
        keras.layers.Flatten(),
        keras.layers.Dense(
            3, kernel_initializer=functools.partial(glorot, seed, 1), name="dense_1"
        ),
    ]
    return keras.Sequential(layers, name="golden")

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return batch.image * 0.0625
