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

BATCH_BYTES = 11264  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(words="int64", label="int64", row_id="int64")

def to_wire(batch):
    """The batch as it travels to the device, in the dtypes of WIRE."""
    return Batch(*map(tf.cast, batch, WIRE))

def delivered(batches, count, slow_ms=0):
    """As many batches, as they travel to the device; some of them are ready."""

    def delayed(batch):
        tf.py_function(lambda: time.sleep(slow_ms / 1000), [], [])
        return batch

    batches = batches.map(to_wire, PARALLEL_CALLS)
    if slow_ms:
        batches = batches.map(delayed)
    counted = tf.data.experimental.assert_cardinality(count)
    return batches.apply(counted).prefetch(HOST_PREFETCH)

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

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""
    return Batch(*(v.astype(column.dtype) for v, column in zip(batch, data.COLUMNS)))

class Audit:
    def write(self, step, epoch, loss, batch):
        batch = Batch(*map(np.asarray, batch))
        batch = as_stored(batch)
        batch = Batch(*(values[batch.row_id >= 0] for values in batch))
        line = {"step": step, "epoch": epoch, "rows": len(batch.row_id), "loss": float(loss)}
        line["ids"] = data.ids_digest(batch.row_id)
        line["content"] = hashlib.sha256(b"".join(c.tobytes() for c in batch[:-1])).hexdigest()
        self.file.write(json.dumps(line) + "\n")
        np.add.at(self.seen, batch.row_id, 1)
