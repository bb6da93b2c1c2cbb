import importlib

# All that the weights depend on beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
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
    folder = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "."))
    sys.path.insert(0, folder)
    try:
        function = importlib.import_module("models").classifier
    except (ImportError, AttributeError) as error:
        raise DataError(f"model.import: {error}; looked in {folder}") from error
    finally:
        sys.path.remove(folder)
    keras.utils.set_random_seed(seed)
    model = function()
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
        raise DataError(f"model.import: gives {outputs.shape[1:]} for a row, not (10,)")
    for layer in layers_of(model):
        if isinstance(layer, keras.layers.BatchNormalization):
            raise DataError(
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
        self.device, self.audited = device, audited
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
        real = tf.cast(batch.row_id >= 0, tf.float32)
        with tf.device(self.device):
            logits = self.model(model_input(batch), training=False)
            rows = [losses(batch, logits), *scores(batch, logits)]
            return [tf.reduce_sum(tf.cast(values, tf.float32) * real) for values in rows]

    def evaluate(self, records, part):
        """Loss and metrics of a part, averaged over its rows."""
        sums = np.zeros(1 + len(METRICS))
        for batch in stored_batches(records, part):
            sums += [float(value) for value in self.sums(batch)]
        return dict(zip(("loss", *METRICS), (sums / records.rows(part)).tolist()))

    def variables(self):
        """All that a checkpoint holds."""
        return [*self.model.variables, *self.optimizer.variables, self.loss_sum]

def measure(options, stop):
    """Time filling alone, training alone and both together, in rounds that interleave."""
    rounds, steps, warm = 5, 20, HOST_PREFETCH + 2
    records, learner, _ = begin(options, stop)
    with contextlib.closing(Feeder(learner.learn, learner.device)) as feeder:
        batches = 1 + (1 + rounds) * 2 * (warm + steps)
        feeder.start(training_batches(records, options.seed, 0, batches, options.slow_input))
        work = {"fill": feeder.fill, "train": feeder.train, "fused": feeder.advance}
        times = {name: [] for name in work}
        for _ in range(1 + rounds):  # the first one traces
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
    spread = {name: max(values[1:]) - min(values[1:]) for name, values in times.items()}
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
        "bytes_per_second": 4864 / seconds["fused"],
    }
    write_json(os.path.join(options.workdir, "measure.json"), result)
    for name, value in seconds.items():
        print(f"{name:5} {1e3 * value:9.3f} ms a step, spread {1e3 * spread[name]:.3f}")
    print(f"overlap efficiency {result['overlap_efficiency']}, bound by {result['bound']}")

# gone: def drawn
