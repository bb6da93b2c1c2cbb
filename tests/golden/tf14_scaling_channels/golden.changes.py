# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [8, 8, 3],
            "role": "input",
            "scale": [0.25, 0.5, 1.0],
            "offset": -0.5,
            "mean": 0.25,
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

BATCH_BYTES = 13312  # on the way to the device

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(image=("float64", (24,)), label=("float64", (1,)), row_id=("float64", (1,)))

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
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return (
        unpacked(batch.image, "uint8", (8, 8, 3), tf.float32) * np.float32([0.25, 0.5, 1.0])
        + -0.5
        - 0.25
    ) / np.float32([1.0, 2.0, 4.0])
