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

BATCH_BYTES = 6656  # on the way to the device

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(
    tensor=("float32", (2, 3)),
    lengths=("float64", (2,)),
    tokens=("float64", (5,)),
    flag=("float64", (1,)),
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
        tensor=batch.tensor,
        lengths=packed(batch.lengths),
        tokens=packed(batch.tokens),
        flag=packed(batch.flag.astype("uint8")),
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
        "tensor": tf.zeros((BATCH_SIZE,) + (2, 3)),
        "lengths": tf.zeros((BATCH_SIZE,) + (4,)),
        "tokens": tf.zeros((BATCH_SIZE,) + (5,)),
        "flag": tf.zeros((BATCH_SIZE,) + ()),
    }
    sys.path.insert(0, folder)
    try:
        tf.set_random_seed(seed)
        function = importlib.import_module("models").texts
        logits = model(inputs, training=True)
        dtype, shape = logits.dtype.name, logits.shape
        made = len(tf.global_variables())
        model(inputs, training=False)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        raise UserError(f"model.import: {fault}; in {folder}") from error
    finally:
        sys.path.remove(folder)
    wanted = (BATCH_SIZE,) + (3,)
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
        "tensor": batch.tensor,
        "lengths": unpacked(batch.lengths, "int32", (4,), tf.float32),
        "tokens": unpacked(batch.tokens, "int64", (5,), tf.float32),
        "flag": unpacked(batch.flag, "uint8", (), tf.float32),
    }

class Learner:
    def learn(self, batch):
        """One step: the mean loss of the rows and, where it is audited, what the model read."""
        known = len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        row_losses = losses(batch, self.model(model_input(batch), training=True))
        real = real_rows(batch)
        loss_sum = tf.reduce_sum(row_losses * real)
        loss = loss_sum / tf.reduce_sum(real)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)[known:]  # of moving averages
        if updates:
            fault = f"{updates[0].name} would learn from padding"
            raise UserError(f"model.import: {fault}; use train.last_batch: drop")
        objective = tf.add_n([loss] + tf.losses.get_regularization_losses())
        gradients = tf.gradients(objective, self.optimizer.weights)
        for weight, gradient in zip(self.optimizer.weights, gradients):
            if gradient is None:  # as in 1.4 also where tf.cond reads it
                fault = f"{weight.op.name} has no gradient"
                raise UserError(f"model.import: {fault}; read it before tf.cond, or leave it out")
        gradients = list(map(tf.convert_to_tensor, gradients))
        with tf.control_dependencies(gradients):  # no update overtakes what they read
            assigned = list(self.optimizer.updates(gradients))
            assigned.append(self.loss_sum.assign_add(tf.cast(loss_sum, tf.float64)))
        with tf.control_dependencies(updates + [variable.op for variable in assigned]):
            return tf.identity(loss), batch if self.audited else ()

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""

    def stored(words, dtype, column):
        rows = words.view(dtype)[:, : int(np.prod(column.shape))].astype(column.dtype)
        return rows.reshape((-1,) + column.shape)

    return Batch(
        tensor=batch.tensor,
        lengths=stored(batch.lengths, "int32", data.COLUMNS.lengths),
        tokens=stored(batch.tokens, "int64", data.COLUMNS.tokens),
        flag=stored(batch.flag, "uint8", data.COLUMNS.flag),
        label=stored(batch.label, "int64", data.COLUMNS.label),
        row_id=stored(batch.row_id, "int64", data.COLUMNS.row_id),
    )

# gone: import functools

# gone: def glorot

# gone: def kernel

# gone: def bias
