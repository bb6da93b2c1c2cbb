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
    with tf.variable_scope("golden", use_resource=True):
        kernel_1 = kernel(1, "conv2d_1", (3, 3, 1, 8), seed)
        bias_1 = bias("conv2d_1", 8)
        kernel_3 = kernel(3, "conv2d_3", (2, 1, 8, 16), seed)
        kernel_6 = kernel(6, "dense_6", (96, 10), seed)
        bias_6 = bias("dense_6", 10)

    def model(x, training):
        x = tf.reshape(x, (BATCH_SIZE, 8, 8, 1))
        x = tf.nn.conv2d(x, kernel_1, [1, 1, 1, 1], "SAME")
        x = x + bias_1
        x = tf.nn.relu(x)
        x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        x = tf.nn.conv2d(x, kernel_3, [1, 1, 2, 1], "VALID")
        x = tf.nn.max_pool(x, [1, 3, 2, 1], [1, 1, 1, 1], "SAME")
        x = tf.reshape(x, (BATCH_SIZE, 96))
        x = tf.matmul(x, kernel_6)
        x = x + bias_6
        return tf.identity(x, "logits")

    return model
