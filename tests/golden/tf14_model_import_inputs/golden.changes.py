# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "Age in years": {"dtype": "int16", "shape": [], "role": "input"},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
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

BATCH_BYTES = 5632  # on the way to the device

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(
    image=("float64", (8,)),
    age_in_years=("float64", (1,)),
    label=("float64", (1,)),
    row_id=("float64", (1,)),
)

def to_wire(batch):
    """The batch as it travels to the device; the last one is padded."""
    missing = BATCH_SIZE - len(batch.row_id)
    if missing:
        padding = (np.stack([values] * missing) for values in data.PADDING)
        batch = Batch(*map(np.concatenate, zip(batch, padding)))
    return Batch(
        image=packed(batch.image),
        age_in_years=packed(batch.age_in_years),
        label=packed(batch.label),
        row_id=packed(batch.row_id),
    )

def build_model(seed):
    """The user's function, with its variables made, which all of its calls share."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")

    def model(inputs, training):
        with tf.variable_scope("golden", reuse=tf.AUTO_REUSE, use_resource=True):
            return function(inputs, training)

    inputs = {
        "image": tf.zeros((BATCH_SIZE,) + (8, 8)),
        "Age in years": tf.zeros((BATCH_SIZE,) + ()),
    }
    sys.path.insert(0, folder)
    try:
        tf.set_random_seed(seed)
        function = importlib.import_module("models").classifier
        logits = model(inputs, training=True)
        dtype, shape = logits.dtype.name, logits.shape
        made = len(tf.global_variables())
        model(inputs, training=False)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        raise UserError(f"model.import: {fault}; in {folder}") from error
    finally:
        sys.path.remove(folder)
    wanted = (BATCH_SIZE,) + (10,)
    if dtype != "float32" or not shape.is_compatible_with(wanted):
        raise UserError(f"model.import: gives {dtype} {shape}, not float32 {wanted}")
    if not tf.trainable_variables():
        raise UserError("model.import: has nothing to train")
    if len(tf.global_variables()) > made:
        raise UserError("model.import: each call makes new variables; tf.get_variable shares them")
    return model

def unpacked(words, stored, shape, dtype):
    """What travelled in words, in the dtype that the model computes in."""
    values = tf.cast(tf.bitcast(words, stored), dtype)
    size = int(np.prod(shape))
    values = tf.reshape(values, (BATCH_SIZE, -1))
    if values.shape[1] != size:
        values = values[:, :size]  # without what pads the last word
    return tf.reshape(values, (BATCH_SIZE,) + shape)

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return {
        "image": unpacked(batch.image, "uint8", (8, 8), tf.float32) * 0.0625,
        "Age in years": unpacked(batch.age_in_years, "int16", (), tf.float32),
    }

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""

    def stored(words, dtype, column):
        rows = words.view(dtype)[:, : int(np.prod(column.shape))].astype(column.dtype)
        return rows.reshape((-1,) + column.shape)

    return Batch(
        image=stored(batch.image, "uint8", data.COLUMNS.image),
        age_in_years=stored(batch.age_in_years, "int16", data.COLUMNS.age_in_years),
        label=stored(batch.label, "int64", data.COLUMNS.label),
        row_id=stored(batch.row_id, "int64", data.COLUMNS.row_id),
    )
