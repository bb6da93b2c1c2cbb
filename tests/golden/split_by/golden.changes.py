import importlib

# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "uint8",
            "shape": [8, 8],
            "role": "input",
            "encoding": "raw",
            "scale": 0.0625,
            "offset": 0.0,
        },
        "left_handed": {
            "dtype": "bool",
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

BATCH_BYTES = 5184  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="uint8", left_handed="bool", label="int64", row_id="int64")

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
    outputs = model({"image": tf.zeros((1, *(8, 8))), "left_handed": tf.zeros((1, *()))})
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
        "image": tf.cast(batch.image, tf.float32) * 0.0625,
        "left_handed": tf.cast(batch.left_handed, tf.float32),
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
