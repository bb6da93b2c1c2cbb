# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "flag": {"dtype": "bool", "shape": [], "role": "input"},
        "byte": {"dtype": "uint8", "shape": [], "role": "input"},
        "small": {"dtype": "int8", "shape": [], "role": "input"},
        "word": {"dtype": "uint16", "shape": [], "role": "input"},
        "short": {"dtype": "int16", "shape": [], "role": "input"},
        "count": {"dtype": "int32", "shape": [], "role": "input"},
        "id": {"dtype": "int64", "shape": [], "role": "input"},
        "half": {"dtype": "float16", "shape": [], "role": "input"},
        "single": {"dtype": "float32", "shape": [], "role": "input"},
        "double": {"dtype": "float64", "shape": [], "role": "input"},
        "label": {"dtype": "uint8", "shape": [], "role": "label", "classes": 10},
    },
    "model": {"import": "models:classifier"},
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

BATCH_BYTES = 2944  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(
    flag="bool",
    byte="uint8",
    small="int8",
    word="uint16",
    short="int16",
    count_="int64",
    id_="int64",
    half="float16",
    single="float32",
    double="float64",
    label="uint8",
    row_id="int64",
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

def build_model(seed):
    """The user's model, with its variables made."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")
    sys.path.insert(0, folder)
    try:
        keras.utils.set_random_seed(seed)
        model = importlib.import_module("models").classifier()
        outputs = model(
            {
                "flag": tf.zeros((1,)),
                "byte": tf.zeros((1,)),
                "small": tf.zeros((1,)),
                "word": tf.zeros((1,)),
                "short": tf.zeros((1,)),
                "count": tf.zeros((1,)),
                "id": tf.zeros((1,)),
                "half": tf.zeros((1,)),
                "single": tf.zeros((1,)),
                "double": tf.zeros((1,)),
            }
        )
        dtype, shape = outputs.dtype.name, tuple(outputs.shape)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        raise UserError(f"model.import: {fault}; in {folder}") from error
    finally:
        sys.path.remove(folder)
    wanted = (1,) + (10,)
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
        "flag": tf.cast(batch.flag, tf.float32),
        "byte": tf.cast(batch.byte, tf.float32),
        "small": tf.cast(batch.small, tf.float32),
        "word": tf.cast(batch.word, tf.float32),
        "short": tf.cast(batch.short, tf.float32),
        "count": tf.cast(batch.count_, tf.float32),
        "id": tf.cast(batch.id_, tf.float32),
        "half": tf.cast(batch.half, tf.float32),
        "single": batch.single,
        "double": tf.cast(batch.double, tf.float32),
    }

def losses(batch, outputs):
    """The loss of each row."""
    labels = tf.cast(batch.label, tf.int64)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=outputs)

def scores(batch, logits):
    """Each of METRICS, for each row."""
    return [tf.equal(tf.argmax(logits, axis=1), tf.cast(batch.label, tf.int64))]

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
