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
        "who": {"dtype": "string", "shape": [], "role": "key"},
        "label": {
            "dtype": "int64",
            "shape": [],
            "role": "label",
            "encoding": "text",
            "classes": 3,
            "vocabulary": ["a", "b", "c"],
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

BATCH_BYTES = 7680  # on the way to the device, at the most

# What travels to the device and waits there: dtype and shape of a row. Whole numbers go in words of
# eight bytes, which pass for float64: TensorFlow 1.4 keeps no variables of integers on a GPU.
WIRE = Batch(image=("float64", (None,)), label=("float64", (1,)), row_id=("float64", (1,)))

def trimmed(values, column, row_id):
    """Values in the least of the column's widths beyond which rows have padding alone."""
    bits = f"i{column.dtype.itemsize}"  # by which -0 is not 0
    pad = np.array(column.pad, column.dtype).view(bits)
    used = np.any((values.view(bits) != pad)[row_id >= 0], axis=0)
    longest = np.max(np.flatnonzero(used), initial=-1) + 1
    width = next(width for width in column.widths if width >= longest)
    return np.ascontiguousarray(values[:, :width])

def to_wire(batch):
    """The batch as it travels to the device, trimmed; the last one is padded."""
    missing = BATCH_SIZE - len(batch.row_id)
    if missing:
        padding = (np.stack([values] * missing) for values in data.PADDING)
        batch = Batch(*map(np.concatenate, zip(batch, padding)))
    batch = batch._replace(image=trimmed(batch.image, data.COLUMNS.image, batch.row_id))
    return Batch(image=packed(batch.image), label=packed(batch.label), row_id=packed(batch.row_id))

class Feeder:
    def __init__(self, learn, device):
        def buffer(name):
            return Batch(*(variable(f"{name}/{n}", *wire) for n, wire in WIRE._asdict().items()))

        def variable(name, dtype, shape):
            # Of no width yet: each batch brings its own.
            zeros = tf.zeros([BATCH_SIZE] + [size or 0 for size in shape], dtype)
            return tf.get_variable(
                name,
                initializer=tf.placeholder_with_default(zeros, (BATCH_SIZE,) + shape),
                validate_shape=False,
                trainable=False,
                collections=[tf.GraphKeys.LOCAL_VARIABLES],
                use_resource=True,  # whose reads are snapshots
            )

        self.device = device
        with tf.device("CPU:0"):
            self.input = Input()
            self.use_a = tf.placeholder(tf.bool, ())
        with tf.device(device):
            self.a, self.b = buffer("a"), buffer("b")
            with branches_in_graph():
                # Made in the branches: what is made outside of them always runs.
                batch = tf.cond(self.use_a, lambda: self._read(self.a), lambda: self._read(self.b))
                with tf.device("CPU:0"):  # where a copy need not ask the device whose turn it is
                    filled = tf.cond(
                        self.use_a, lambda: self._fill(self.b), lambda: self._fill(self.a)
                    )
            self.step = learn(Batch(*batch))
        self.fill_only = filled.op  # nothing that has a value to carry back to the host
        initializer = tf.local_variables_initializer()
        tf.get_default_graph().finalize()
        self.places = self._initialize(initializer)

def build_model(seed):
    """The user's function, with its variables made, which all of its calls share."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")

    def model(inputs, training):
        with tf.variable_scope("golden", reuse=tf.AUTO_REUSE, use_resource=True):
            return function(inputs, training)

    # Batches differ in width: the model takes any, and the least.
    inputs = tf.placeholder_with_default(tf.zeros((BATCH_SIZE,) + (50,)), (BATCH_SIZE,) + (None,))
    narrowest = tf.zeros((BATCH_SIZE,) + (8,))
    sys.path.insert(0, folder)
    try:
        tf.set_random_seed(seed)
        function = importlib.import_module("package.models").classifier
        logits = model(inputs, training=True)
        dtype, shape = logits.dtype.name, logits.shape
        made = len(tf.global_variables())
        model(narrowest, training=False)
    except Exception as error:  # the user's code may raise anything
        fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        fault = f"{fault}; it has to take rows of any width (pad.buckets)"
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

def unpacked_in_part(words, stored, length, dtype):
    """The same of values that are trimmed, as many as have travelled, and up to `length`."""
    values = tf.cast(tf.bitcast(words, stored), dtype)
    return tf.reshape(values, (BATCH_SIZE, -1))[:, :length]

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return unpacked_in_part(batch.image, "int16", 50, tf.float32)

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

def full_length(values, column):
    """Values in the column's dtype, with the padding that was trimmed."""
    values = values[:, : column.shape[0]].astype(column.dtype)
    cells = (0, 0), (0, column.shape[0] - values.shape[1])
    return np.pad(values, cells, "constant", constant_values=column.pad)

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""

    def stored(words, dtype, column):
        rows = words.view(dtype)[:, : int(np.prod(column.shape))].astype(column.dtype)
        return rows.reshape((-1,) + column.shape)

    return Batch(
        image=full_length(batch.image.view("int16"), data.COLUMNS.image),
        label=stored(batch.label, "int64", data.COLUMNS.label),
        row_id=stored(batch.row_id, "int64", data.COLUMNS.row_id),
    )

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
                began = time.perf_counter()
                for _ in range(steps):
                    step()
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

# gone: def kernel

# gone: def bias
