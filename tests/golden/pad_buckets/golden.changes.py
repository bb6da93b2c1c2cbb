import importlib

# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "int16",
            "shape": [None],
            "role": "input",
            "encoding": "tokens",
            "pad": {"length": 50, "value": -1, "buckets": [8, 16, 32]},
            "hash_buckets": 1000,
        },
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "text",
            "default": 9,
            "classes": 10,
            "vocabulary": "classes.txt",
        },
    },
    "model": {"import": "package.models:classifier"},
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

BATCH_BYTES = 7424  # on the way to the device, at the most

# Each batch is as wide as its rows need, of the widths of the column: that is None.
SHAPES = Batch(image=(BATCH_SIZE, None), label=(BATCH_SIZE,), row_id=(BATCH_SIZE,))

SIGNATURE = Batch(*map(tf.TensorSpec, SHAPES, WIRE))  # with which no width is traced anew

def trimmed(values, column, row_id):
    """Values in the least of the column's widths beyond which rows have padding alone."""
    cells, pad = values, np.array(column.pad, column.dtype)
    used = tf.reduce_any((cells != pad) & (row_id >= 0)[:, None], axis=0)
    longest = tf.reduce_max(tf.where(used, tf.range(1, column.widths[-1] + 1), 0))
    widths = tf.constant(column.widths)
    return values[:, : tf.reduce_min(tf.boolean_mask(widths, widths >= longest))]

def to_wire(batch):
    """The batch as it travels to the device, trimmed, in the dtypes of WIRE."""
    batch = batch._replace(image=trimmed(batch.image, data.COLUMNS.image, batch.row_id))
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

class Feeder:
    def __init__(self, learn, device):
        def buffer():
            return Batch(*map(variable, SIGNATURE))

        def variable(wire):
            # Of no width yet: each batch brings its own.
            zeros = tf.zeros([size or 0 for size in wire.shape], wire.dtype)
            return tf.Variable(zeros, trainable=False, shape=wire.shape)

        self.learn, self.device = learn, device
        with tf.device(device):
            self.a, self.b = buffer(), buffer()
        for name, found in self.placement().items():
            if found != device:  # each step would copy once more, and nothing overlap
                raise UserError(f"buffer {name} is on {found}, not on {device}")
        with tf.device("CPU:0"):  # where tf.cond reads its predicate
            self.use_a, self.use_b = tf.constant(True), tf.constant(False)
        self.fill_and_train = tf.function(self._fill_and_train)
        self.fill_only = tf.function(self._fill)  # for the first batch
        self.train_only = tf.function(self._train)  # for the last one

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
        model = importlib.import_module("package.models").classifier()
        model(tf.zeros((1, 50)))
        # Batches differ in width: the model takes any, and the least.
        tf.function(model.__call__).get_concrete_function(tf.TensorSpec((1, None)))
        outputs = model(tf.zeros((1, 8)))
        dtype, shape = outputs.dtype.name, tuple(outputs.shape)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        fault = f"{fault}; it has to take rows of any width (pad.buckets)"
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

    @tf.function(input_signature=[SIGNATURE])
    def sums(self, batch):
        """Of the real rows of a batch: loss and each metric, summed."""
        with tf.device(self.device):
            logits = self.model(model_input(batch), training=False)
            rows = [losses(batch, logits), *scores(batch, logits)]
            real = tf.cast(real_rows(batch), tf.float64)
            return tf.stack([tf.reduce_sum(tf.cast(values, tf.float64) * real) for values in rows])

def full_length(values, column):
    """Values in the column's dtype, with the padding that was trimmed."""
    values = values[:, : column.shape[0]].astype(column.dtype)
    cells = (0, 0), (0, column.shape[0] - values.shape[1])
    return np.pad(values, cells, "constant", constant_values=column.pad)

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""
    batch = batch._replace(image=full_length(batch.image, data.COLUMNS.image))
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

def measure(options, stop):
    """Time filling alone, training alone and both together, in rounds that interleave."""
    rounds, steps, warm = 7, 20, HOST_PREFETCH + 2
    with contextlib.ExitStack() as stack:
        device = stack.enter_context(device_for(options.threads))
        records, learner, _ = begin(options, stop, device)
        feeder = stack.enter_context(contextlib.closing(Feeder(learner.learn, device)))
        batches = 1 + (1 + rounds) * 2 * (warm + steps)
        feeder.start(training_batches(records, options.seed, 0, batches, options.slow_input))
        work = {"fill": feeder.fill, "train": feeder.train, "fused": feeder.advance}
        times = {name: [] for name in work}
        for _ in range(1 + rounds):  # the first one makes ready
            for name, step in work.items():
                for _ in range(warm):  # what the host has ready by now would flatter
                    step()
                tf.test.experimental.sync_devices()
                began = time.perf_counter()
                for _ in range(steps):
                    step()
                tf.test.experimental.sync_devices()
                times[name].append((time.perf_counter() - began) / steps)
                stop.check()
        placement = feeder.placement()
    seconds = {name: float(np.median(values[1:])) for name, values in times.items()}
    quarters = {name: np.percentile(values[1:], [25, 75]) for name, values in times.items()}
    spread = {name: float(high - low) for name, (low, high) in quarters.items()}
    smaller, larger = sorted([seconds["fill"], seconds["train"]])
    hidden = smaller + larger - seconds["fused"]
    result = {
        "method": "two_variable",
        "placement": placement,
        "rounds": rounds,
        "steps_a_round": steps,
        "seconds_a_step": seconds,
        "spread": spread,
        # 1 hides all of the smaller time, 0 nothing; null where the spread would decide.
        "overlap_efficiency": hidden / smaller if smaller > max(spread.values()) else None,
        "speedup": (smaller + larger) / seconds["fused"],
        "best_speedup": (smaller + larger) / larger,
        "bound": "input" if seconds["fill"] > seconds["train"] else "training",
        "most_bytes_per_second": BATCH_BYTES / seconds["fused"],  # were all batches the widest
    }
    write_json(os.path.join(options.workdir, "measure.json"), result)
    for name, value in seconds.items():
        data.say(f"{name:5} {1e3 * value:9.3f} ms a step, spread {1e3 * spread[name]:.3f}")
    data.say(f"overlap efficiency {result['overlap_efficiency']}, bound by {result['bound']}")

# gone: import functools

# gone: def glorot
