import importlib

# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "string",
            "shape": [8, 8, 3],
            "role": "input",
            "encoding": "image",
            "image": {"resize": [8, 8], "crop": "none", "exact": False, "scaled_decode": False},
        },
        "weight_kg": {"dtype": "float16", "shape": [], "role": "input"},
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 10},
    },
    "model": {"import": "models:pictures"},
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

DECODED_AT_ONCE = 2 * os.cpu_count()  # images: one on each core, and one that waits for it

BATCH_BYTES = 13440  # on the way to the device

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="uint8", weight_kg="float16", label="int64", row_id="int64")

FEATURES = {
    "image": tf.io.FixedLenFeature((), tf.string),
    "weight_kg": tf.io.FixedLenFeature((), tf.float32),
    "label": tf.io.FixedLenFeature((), tf.int64),
    "row_id": tf.io.FixedLenFeature((), tf.int64),
}

def decode(blocks):
    """All rows of consecutive blocks, in stored order."""
    values = tf.io.parse_example(blocks.values, FEATURES)
    return Batch(
        image=values["image"],
        weight_kg=tf.cast(values["weight_kg"], tf.float16),
        label=values["label"],
        row_id=values["row_id"],
    )

def decoded_rows(rows):
    """Rows one by one, their images as arrays; some are decoded at the same time."""

    def decoded(row):
        image = data.decode_image(row.image, tf.strings.substr(row.image, 0, 2))
        image = whole_numbers(tf.image.resize(image, (8, 8)))
        return row._replace(image=tf.ensure_shape(image, (8, 8, 3)))

    return rows.unbatch().map(decoded, DECODED_AT_ONCE)

def whole_numbers(pixels):
    """Floats from 0 to 255 as uint8, halves to even: tf.round and tf.cast in one pass.

    With 1.5 * 2**23 added, float32 has no bits for a fraction, and the lowest ones are the number.
    """
    return tf.cast(tf.bitcast(pixels + 1.5 * 2.0**23, tf.int32), tf.uint8)

def whole_batches(rows, count):
    """Batches of all `count` rows; the last one is padded."""
    padding = tf.data.Dataset.from_tensors(data.PADDING).repeat(-count % BATCH_SIZE)
    return rows.concatenate(padding).batch(BATCH_SIZE, drop_remainder=True)

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
        rows = decoded_rows(rows)
        return whole_batches(rows, records.rows("train"))

    # Not `from_generator`, beside which each large tensor gets fresh memory from the system:
    # 20 times the page faults, and a third more processor time for the whole pipeline.
    epochs = tf.data.Dataset.range(start // steps, -(-end // steps))
    return delivered(epochs.flat_map(batches_of).take(end - start), end - start, slow_ms)

def stored_batches(records, part):
    """All rows of a part, in stored order."""
    files = [path for path, _ in records.shards(part)]
    blocks = tf.data.Dataset.from_tensor_slices(files).flat_map(blocks_of)
    rows = blocks.ragged_batch(data.WINDOW_BLOCKS).map(decode, PARALLEL_CALLS)
    rows = decoded_rows(rows)
    count = -(-records.rows(part) // BATCH_SIZE)
    return delivered(whole_batches(rows, records.rows(part)), count)

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
        model = importlib.import_module("models").pictures()
        outputs = model({"image": tf.zeros((1, 8, 8, 3)), "weight_kg": tf.zeros((1,))})
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
        "image": tf.cast(batch.image, tf.float32),
        "weight_kg": tf.cast(batch.weight_kg, tf.float32),
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

# gone: import functools

# gone: def glorot
