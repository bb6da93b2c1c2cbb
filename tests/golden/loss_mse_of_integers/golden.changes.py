# All that the weights depend on beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "model": {
        "layers": ["flatten", {"dense": {"units": 1, "activation": "none", "use_bias": True}}]
    },
    "train": {
        "batch_size": 64,
        "optimizer": {"name": "sgd", "learning_rate": 0.1, "momentum": 0.0, "nesterov": False},
        "loss": "mse",
        "shuffle": {"kind": "window", "rows": 8192},
        "last_batch": "keep",
        "seed": 0,
        "precision": "float32",
        "validate_every": 1,
    },
}

METRICS = ()

# The dtypes that travel to the device and wait there.
WIRE = Batch(image="uint8", label="int16", row_id="int64")

def build_model(seed):
    return keras.Sequential(
        [
            keras.Input((8, 8)),
            keras.layers.Flatten(),
            keras.layers.Dense(
                1,
                kernel_initializer=drawn(seed, 1),
                name="dense_1",
            ),
        ]
    )

def losses(batch, outputs):
    """The loss of each row: the mean of its squared errors."""
    targets = tf.reshape(tf.cast(batch.label, tf.float32), (BATCH_SIZE, -1))
    return tf.reduce_mean(tf.square(tf.reshape(outputs, (BATCH_SIZE, -1)) - targets), axis=-1)

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
        weights = self.model.trainable_variables
        gradients = tape.gradient(loss, weights)
        self.optimizer.apply(gradients, weights)
        self.loss_sum.assign_add(tf.cast(loss_sum, tf.float64))
        return loss, batch if self.audited else None

    @tf.function
    def sums(self, batch):
        """Of the real rows of a batch: loss, summed."""
        real = tf.cast(batch.row_id >= 0, tf.float32)
        with tf.device(self.device):
            logits = self.model(model_input(batch), training=False)
            rows = [losses(batch, logits)]
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
        "bytes_per_second": 4736 / seconds["fused"],
    }
    write_json(os.path.join(options.workdir, "measure.json"), result)
    for name, value in seconds.items():
        print(f"{name:5} {1e3 * value:9.3f} ms a step, spread {1e3 * spread[name]:.3f}")
    print(f"overlap efficiency {result['overlap_efficiency']}, bound by {result['bound']}")

# gone: def scores
