import importlib

# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "tensor": {"dtype": "float32", "shape": [2, 3], "role": "input", "encoding": "tensor"},
        "lengths": {
            "dtype": "int32",
            "shape": [None],
            "role": "input",
            "pad": {"length": 4, "value": -1},
        },
        "tokens": {
            "dtype": "int64",
            "shape": [None],
            "role": "input",
            "encoding": "tokens",
            "pad": {"length": 5, "value": 0},
            "hash_buckets": 100,
        },
        "flag": {"dtype": "bool", "shape": [], "role": "input", "default": False},
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "text",
            "classes": 3,
            "vocabulary": ["cat", "dog", "fish"],
        },
    },
    "model": {"import": "models:texts"},
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

BATCH_BYTES = 7232  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(
    tensor="float32", lengths="int64", tokens="int64", flag="bool", label="int64", row_id="int64"
)

def column_of(raw, column):
    """The values of a column out of their bytes."""
    if column.dtype == bool:  # which `bitcast` does not know
        return tf.reshape(tf.cast(raw, tf.bool), (-1,) + column.shape)
    size = column.dtype.itemsize
    values = tf.bitcast(tf.reshape(raw, (-1, size)) if size > 1 else raw, column.dtype)
    return tf.reshape(values, (-1,) + column.shape)

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

def layers_of(model):
    """The layers of a model and of the models in it."""
    for layer in getattr(model, "layers", []):
        yield layer
        yield from layers_of(layer)

def build_model(seed):
    """The user's model, with its variables made."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")
    sys.path.insert(0, folder)
    try:
        keras.utils.set_random_seed(seed)
        model = importlib.import_module("models").texts()
        outputs = model(
            {
                "tensor": tf.zeros((1, 2, 3)),
                "lengths": tf.zeros((1, 4)),
                "tokens": tf.zeros((1, 5)),
                "flag": tf.zeros((1,)),
            }
        )
        dtype, shape = outputs.dtype.name, tuple(outputs.shape)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        raise UserError(f"model.import: {fault}; in {folder}") from error
    finally:
        sys.path.remove(folder)
    wanted = (1,) + (3,)
    if dtype != "float32" or shape != wanted:
        raise UserError(f"model.import: gives {dtype} {shape} for a row, not float32 {wanted}")
    if not model.trainable_variables:
        raise UserError("model.import: has nothing to train")
    for layer in layers_of(model):
        if isinstance(layer, keras.layers.BatchNormalization) and layer.trainable:
            raise UserError(
                f"model.import: {layer.name} would learn from padding; use train.last_batch: drop"
            )
    return model

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return {
        "tensor": batch.tensor,
        "lengths": tf.cast(batch.lengths, tf.float32),
        "tokens": tf.cast(batch.tokens, tf.float32),
        "flag": tf.cast(batch.flag, tf.float32),
    }

class Learner:
    def learn(self, batch):
        """One step: the mean loss of the rows and, where it is audited, what the model read."""
        with tf.GradientTape() as tape:
            row_losses = losses(batch, self.model(model_input(batch), training=True))
            real = real_rows(batch)
            loss_sum = tf.reduce_sum(row_losses * real)
            loss = loss_sum / tf.reduce_sum(real)
            objective = loss + sum(self.model.losses)  # regularization, if the model has any
        weights = self.model.trainable_variables
        gradients = tape.gradient(objective, weights)
        self.optimizer.apply(gradients, weights)
        self.loss_sum.assign_add(tf.cast(loss_sum, tf.float64))
        return loss, batch if self.audited else None

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

# gone: import functools

# gone: def glorot
