# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
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
        "shuffle": {"kind": "none"},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

def epoch_rows(seed, epoch, files, first_window, first_row):
    """The rows of an epoch from a row on, as they are stored."""

    def rest(window, blocks):
        rows = decode(blocks)
        return Batch(*(values[tf.where(window == first_window, first_row, 0) :] for values in rows))

    # The blocks of earlier windows are passed over as they are, undecoded.
    blocks = blocks_of(files).skip(first_window * data.WINDOW_BLOCKS)
    return blocks.batch(data.WINDOW_BLOCKS).enumerate(first_window).map(rest, PARALLEL_CALLS)
