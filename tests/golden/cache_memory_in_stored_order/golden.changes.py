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

THREADS = os.cpu_count()  # of the input pipeline

class Rows:
    """All rows of a part in memory, in stored order; behind them, one that pads a batch."""

    def __init__(self, records, part):
        rows = list(records.held(part, None, THREADS))
        self.count, self.columns = len(rows[0]) - 1, []
        while rows:  # one at a time, for each may be in memory twice here
            self.columns.append(tf.convert_to_tensor(rows.pop(0)))

    def batches(self, order):
        """The places of the rows in an order, a line a batch; the last one is padded."""
        missing = -len(order) % BATCH_SIZE
        return np.append(order, np.repeat(self.count, missing)).reshape((-1, BATCH_SIZE))

    def gathered(self, places):
        return Batch(*(tf.gather(values, places) for values in self.columns))

def training_batches(records, seed, start, end, slow_ms=0):
    """The batches of steps `start` to `end` - 1, one data set over all their epochs."""
    steps, rows = steps_an_epoch(records), Rows(records, "train")

    def places_of(epoch):
        first = max(0, start - epoch * steps)
        return rows.batches(records.order(epoch, seed))[first:steps]

    def batches_of(epoch):
        places = tf.numpy_function(places_of, [epoch], tf.int64)
        return tf.data.Dataset.from_tensor_slices(tf.ensure_shape(places, (None, BATCH_SIZE)))

    # Not `from_generator`, beside which each large tensor gets fresh memory from the system.
    epochs = tf.data.Dataset.range(start // steps, -(-end // steps))
    places = epochs.flat_map(batches_of).take(end - start)
    return delivered(places.map(rows.gathered, PARALLEL_CALLS), end - start, slow_ms)

def stored_batches(records, part):
    """All rows of a part, in stored order."""
    rows = Rows(records, part)
    places = rows.batches(np.arange(rows.count))
    batches = tf.data.Dataset.from_tensor_slices(places).map(rows.gathered, PARALLEL_CALLS)
    return delivered(batches, len(places))

# gone: def blocks_of

# gone: def decode

# gone: def column_of

# gone: def whole_batches

# gone: def epoch_rows
