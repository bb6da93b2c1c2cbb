import importlib

# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "class": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "from": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "None": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "Global": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "1st": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "a-b": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "a b": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "naïve": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "__init__": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "日本": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "row_id": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "count": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        '"quoted" \\': {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "{{ plan }}": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "a_b": {
            "dtype": "float32",
            "shape": [],
            "role": "input",
            "encoding": "raw",
            "scale": 1.0,
            "offset": 0.0,
        },
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "raw",
            "classes": 10,
            "scale": 1.0,
            "offset": 0.0,
        },
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

BATCH_BYTES = 4864  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(
    class_="float32",
    from_="float32",
    none="float32",
    global_="float32",
    field_1st="float32",
    a_b="float32",
    a_b_2="float32",
    naive="float32",
    init="float32",
    field="float32",
    row_id_2="float32",
    count_="float32",
    quoted="float32",
    plan="float32",
    a_b_3="float32",
    label="int64",
    row_id="int64",
)

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
        model = importlib.import_module("models").classifier()
    except ImportError as error:
        raise UserError(f"model.import: {error}; looked in {folder}") from error
    finally:
        sys.path.remove(folder)
    outputs = model(
        {
            "class": tf.zeros((1, *())),
            "from": tf.zeros((1, *())),
            "None": tf.zeros((1, *())),
            "Global": tf.zeros((1, *())),
            "1st": tf.zeros((1, *())),
            "a-b": tf.zeros((1, *())),
            "a b": tf.zeros((1, *())),
            "naïve": tf.zeros((1, *())),
            "__init__": tf.zeros((1, *())),
            "日本": tf.zeros((1, *())),
            "row_id": tf.zeros((1, *())),
            "count": tf.zeros((1, *())),
            '"quoted" \\': tf.zeros((1, *())),
            "{{ plan }}": tf.zeros((1, *())),
            "a_b": tf.zeros((1, *())),
        }
    )
    if outputs.shape[1:] != (10,):
        raise UserError(f"model.import: gives {outputs.shape[1:]} for a row, not (10,)")
    for layer in layers_of(model):
        if isinstance(layer, keras.layers.BatchNormalization) and layer.trainable:
            raise UserError(
                f"model.import: {layer.name} would learn from padding; use train.last_batch: drop"
            )
    return model

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return {
        "class": tf.cast(batch.class_, tf.float32),
        "from": tf.cast(batch.from_, tf.float32),
        "None": tf.cast(batch.none, tf.float32),
        "Global": tf.cast(batch.global_, tf.float32),
        "1st": tf.cast(batch.field_1st, tf.float32),
        "a-b": tf.cast(batch.a_b, tf.float32),
        "a b": tf.cast(batch.a_b_2, tf.float32),
        "naïve": tf.cast(batch.naive, tf.float32),
        "__init__": tf.cast(batch.init, tf.float32),
        "日本": tf.cast(batch.field, tf.float32),
        "row_id": tf.cast(batch.row_id_2, tf.float32),
        "count": tf.cast(batch.count_, tf.float32),
        '"quoted" \\': tf.cast(batch.quoted, tf.float32),
        "{{ plan }}": tf.cast(batch.plan, tf.float32),
        "a_b": tf.cast(batch.a_b_3, tf.float32),
    }

class Learner:
    """The model, its optimizer, and the sum of the row losses of an epoch so far."""

    def __init__(self, device, seed, audited):
        self.device, self.audited, self.parts = device, audited, {}
        with tf.device(device):
            self.model = build_model(seed)
            self.optimizer = keras.optimizers.SGD(0.1, momentum=0.0, nesterov=False)
            self.optimizer.build(self.model.trainable_variables)
            self.loss_sum = tf.Variable(0.0, trainable=False, dtype=tf.float64)

    def learn(self, batch):
        """One step: the mean loss of the rows and, where it is audited, what the model read."""
        with tf.GradientTape() as tape:
            row_losses = losses(batch, self.model(model_input(batch), training=True))
            real = tf.cast(batch.row_id >= 0, tf.float32)
            loss_sum = tf.reduce_sum(row_losses * real)
            loss = loss_sum / tf.reduce_sum(real)
            objective = loss + sum(self.model.losses)  # regularization, if the model has any
        weights = self.model.trainable_variables
        gradients = tape.gradient(objective, weights)
        self.optimizer.apply(gradients, weights)
        self.loss_sum.assign_add(tf.cast(loss_sum, tf.float64))
        return loss, batch if self.audited else None

    @tf.function
    def sums(self, batch):
        """Of the real rows of a batch: loss and each metric, summed."""
        with tf.device(self.device):
            logits = self.model(model_input(batch), training=False)
            rows = [losses(batch, logits), *scores(batch, logits)]
            real = tf.cast(batch.row_id >= 0, tf.float64)
            return tf.stack([tf.reduce_sum(tf.cast(values, tf.float64) * real) for values in rows])

    def evaluate(self, records, part, stop):
        """Loss and metrics of a part, averaged over its rows; None where a stop signal came first."""
        if part not in self.parts:  # once: to make a data set takes longer than to read a small one
            self.parts[part] = stored_batches(records, part)
        sums = np.zeros(1 + len(METRICS))
        for batch in self.parts[part]:
            if stop.received:
                return None
            sums += self.sums(batch).numpy()
        return dict(zip(("loss", *METRICS), (sums / records.rows(part)).tolist()))

    def variables(self):
        """All that a checkpoint holds."""
        return [*self.model.variables, *self.optimizer.variables, self.loss_sum]

# gone: def glorot
