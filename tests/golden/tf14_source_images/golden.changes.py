# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [32, 48, 3],
            "role": "input",
            "encoding": "image",
            "scale": 0.00392156862745098,
            "image": {"resize": [32, 48], "crop": "none", "exact": False, "scaled_decode": False},
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

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(image=("float64", (576,)), label=("float64", (1,)), row_id=("float64", (1,)))

def build_model(seed):
    """Gives logits."""
    with tf.variable_scope("golden", use_resource=True):
        kernel_1 = kernel(1, "dense_1", (4608, 2), seed)
        bias_1 = bias("dense_1", 2)

    def model(x, training):
        x = tf.reshape(x, (BATCH_SIZE, 4608))
        x = tf.matmul(x, kernel_1)
        x = x + bias_1
        return tf.identity(x, "logits")

    return model

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return unpacked(batch.image, "uint8", (32, 48, 3), tf.float32) * 0.00392156862745098
