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
    with tf.variable_scope("golden", use_resource=True):
        kernel_1 = kernel(1, "dense_1", (64, 40), seed)
        bias_1 = bias("dense_1", 40)
        kernel_2 = kernel(2, "dense_2", (40, 30), seed)
        bias_2 = bias("dense_2", 30)
        kernel_3 = kernel(3, "dense_3", (30, 20), seed)
        kernel_4 = kernel(4, "dense_4", (20, 20), seed)
        bias_4 = bias("dense_4", 20)
        kernel_5 = kernel(5, "dense_5", (20, 10), seed)
        bias_5 = bias("dense_5", 10)

    def model(x, training):
        x = tf.reshape(x, (BATCH_SIZE, 64))
        x = tf.matmul(x, kernel_1)
        x = x + bias_1
        x = tf.nn.relu(x)
        x = tf.matmul(x, kernel_2)
        x = x + bias_2
        x = tf.nn.tanh(x)
        x = tf.matmul(x, kernel_3)
        x = tf.nn.sigmoid(x)
        x = tf.matmul(x, kernel_4)
        x = x + bias_4
        x = 0.5 * x * (1 + tf.erf(x / 2**0.5))
        x = tf.matmul(x, kernel_5)
        x = x + bias_5
        return tf.identity(x, "logits")

    return model
