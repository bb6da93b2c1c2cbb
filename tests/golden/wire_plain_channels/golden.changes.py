# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [8, 8, 3],
            "role": "input",
            "scale": 0.25,
            "offset": 0.5,
            "mean": [0.1, 0.2, 0.3],
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

BATCH_BYTES = 50176  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="float32", label="int64", row_id="int64")

def to_wire(batch):
    """The batch as it travels to the device: scaled, in the dtypes of WIRE."""
    batch = Batch(*map(tf.cast, batch, WIRE))
    return batch._replace(
        image=(batch.image * 0.25 + 0.5 - np.float32([0.1, 0.2, 0.3])) / np.float32([1.0, 2.0, 4.0])
    )

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
        keras.Input((8, 8, 3)),
        keras.layers.Flatten(),
        keras.layers.Dense(
            10, kernel_initializer=functools.partial(glorot, seed, 1), name="dense_1"
        ),
    ]
    return keras.Sequential(layers, name="golden")

def model_input(batch):
    """What the model takes; it was cast and scaled on the host."""
    return batch.image

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""
    batch = batch._replace(
        image=np.rint(
            (batch.image.astype("float64") * [1.0, 2.0, 4.0] + [0.1, 0.2, 0.3] - 0.5) / 0.25
        )
    )
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
