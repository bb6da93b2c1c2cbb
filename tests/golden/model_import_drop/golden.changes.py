# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8], "role": "input", "scale": 0.0625},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {"import": "models:classifier"},
    "train": {
        "batch_size": 64,
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.0, "nesterov": False},
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "drop",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

def training_batches(records, seed, start, end, slow_ms=0):
    """The batches of steps `start` to `end` - 1, one data set over all their epochs."""
    steps = steps_an_epoch(records)

    def place(epoch):
        """Where the rows of an epoch that are left begin."""
        first_row = max(0, start - epoch * steps) * BATCH_SIZE
        return records.epoch(epoch, seed, first_row)

    def batches_of(epoch):
        files, window, row = tf.numpy_function(place, [epoch], [tf.string, tf.int64, tf.int64])
        rows = epoch_rows(seed, epoch, tf.ensure_shape(files, (None,)), window, row)
        return rows.rebatch(BATCH_SIZE, drop_remainder=True)

    # Not `from_generator`, beside which each large tensor gets fresh memory from the system:
    # 20 times the page faults, and a third more processor time for the whole pipeline.
    epochs = tf.data.Dataset.range(start // steps, -(-end // steps))
    return delivered(epochs.flat_map(batches_of).take(end - start), end - start, slow_ms)

def steps_an_epoch(records):
    return records.rows("train") // BATCH_SIZE

def build_model(seed):
    """The user's model, with its variables made."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")
    sys.path.insert(0, folder)
    try:
        keras.utils.set_random_seed(seed)
        model = importlib.import_module("models").classifier()
        outputs = model(tf.zeros((1, 8, 8)))
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
    return model

class Learner:
    def learn(self, batch):
        """One step: the mean loss of the rows and, where it is audited, what the model read."""
        with tf.GradientTape() as tape:
            row_losses = losses(batch, self.model(model_input(batch), training=True))
            loss_sum = tf.reduce_sum(row_losses)
            loss = loss_sum / BATCH_SIZE
            objective = loss + sum(self.model.losses)  # regularization, if the model has any
        weights = self.model.trainable_variables
        gradients = tape.gradient(objective, weights)
        self.optimizer.apply(gradients, weights)
        self.loss_sum.assign_add(tf.cast(loss_sum, tf.float64))
        return loss, batch if self.audited else None

def begin(options, stop, device):
    """The records, a new model, and the checkpoints that belong to both."""
    records = data.prepare(options, stop)
    if not steps_an_epoch(records):
        raise UserError(f"{records.folder}: too few rows for one batch of {BATCH_SIZE}")
    learner = Learner(device, options.seed, options.audit)
    recipe = {**data.RECIPE, **RECIPE, "train": {**RECIPE["train"], "seed": options.seed}}
    recipe["data"] = records.identity
    return records, learner, Checkpoints(os.path.join(options.workdir, "checkpoints"), recipe)

# gone: def layers_of
