# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "words": {"dtype": "int32", "shape": [20], "role": "input"},
        "label": {"dtype": "int32", "shape": [], "role": "label", "classes": 10},
    },
    "model": {"layers": [{"dense": {"units": 10, "activation": "none", "use_bias": True}}]},
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

BATCH_BYTES = 5888  # on the way to the device

def build_model(seed):
    """Gives logits."""
    layers = [
        keras.Input((20,)),
        keras.layers.Dense(
            10, kernel_initializer=functools.partial(glorot, seed, 0), name="dense_0"
        ),
    ]
    return keras.Sequential(layers, name="golden")

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return tf.cast(batch.words, tf.float32)

def losses(batch, outputs):
    """The loss of each row."""
    labels = tf.cast(batch.label, tf.int64)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=outputs)

def scores(batch, logits):
    """Each of METRICS, for each row."""
    return [tf.equal(tf.argmax(logits, axis=1), tf.cast(batch.label, tf.int64))]
