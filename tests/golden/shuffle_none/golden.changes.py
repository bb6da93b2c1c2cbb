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

def epoch_rows(files, first_window, first_row):
    """The rows of an epoch from a row on, as they are stored."""

    def rest(window, blocks):
        rows = decode(blocks)
        return Batch(*(values[tf.where(window == first_window, first_row, 0) :] for values in rows))

    # The blocks of earlier windows are passed over as they are, undecoded.
    blocks = tf.data.TFRecordDataset(files).skip(first_window * data.WINDOW_BLOCKS)
    return blocks.batch(data.WINDOW_BLOCKS).enumerate(first_window).map(rest, PARALLEL_CALLS)

def training_batches(records, seed, start, end, slow_ms=0):
    """The batches of steps `start` to `end` - 1, one data set over all their epochs."""
    steps = steps_an_epoch(records)

    def epochs():
        for epoch in range(start // steps, -(-end // steps)):
            first_row = max(0, start - epoch * steps) * BATCH_SIZE
            yield (epoch, *records.epoch(first_row))

    def batches_of(*epoch):
        rows = epoch_rows(*epoch[1:])
        return whole_batches(rows, records.rows("train"))

    def delayed(batch):
        tf.py_function(lambda: time.sleep(slow_ms / 1000), [], [])
        return batch

    number = tf.TensorSpec((), tf.int64)
    signature = (number, tf.TensorSpec((None,), tf.string), number, number)
    batches = tf.data.Dataset.from_generator(epochs, output_signature=signature)
    batches = batches.flat_map(batches_of).take(end - start)
    if slow_ms:
        batches = batches.map(delayed)
    counted = tf.data.experimental.assert_cardinality(end - start)
    return batches.apply(counted).prefetch(HOST_PREFETCH)
