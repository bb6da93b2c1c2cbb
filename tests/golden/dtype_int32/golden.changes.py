# All that the weights depend on beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "model": {"layers": [{"dense": {"units": 10, "activation": "none", "use_bias": True}}]},
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
WIRE = Batch(words="int64", label="int64", row_id="int64")

def to_wire(batch):
    """The batch as it travels to the device, in the dtypes of WIRE."""
    return Batch(*map(tf.cast, batch, WIRE))

def training_batches(records, seed, start, stop, slow_ms=0):
    """The batches of steps `start` to `stop` - 1, one data set over all their epochs."""
    steps = steps_an_epoch(records)

    def epochs():
        for epoch in range(start // steps, -(-stop // steps)):
            first_row = max(0, start - epoch * steps) * BATCH_SIZE
            yield (epoch, *records.epoch(epoch, seed, first_row))

    def batches_of(*epoch):
        return epoch_rows(seed, *epoch).rebatch(BATCH_SIZE).map(pad)

    def delayed(batch):
        def sleep(row_id):
            time.sleep(slow_ms / 1000)
            return row_id

        row_id = tf.numpy_function(sleep, [batch.row_id], tf.int64)
        return batch._replace(row_id=tf.ensure_shape(row_id, (BATCH_SIZE,)))

    number = tf.TensorSpec((), tf.int64)
    signature = (number, tf.TensorSpec((None,), tf.string), number, number)
    batches = tf.data.Dataset.from_generator(epochs, output_signature=signature)
    batches = batches.flat_map(batches_of)
    batches = batches.map(to_wire)
    if slow_ms:
        batches = batches.map(delayed)
    count = tf.data.experimental.assert_cardinality(stop - start)
    return batches.take(stop - start).apply(count).prefetch(HOST_PREFETCH)

def stored_batches(records, part):
    """All rows of a part, in stored order."""
    blocks = tf.data.TFRecordDataset(records.files(part)).batch(data.WINDOW_BLOCKS)
    batches = blocks.map(decode, PARALLEL_CALLS).rebatch(BATCH_SIZE).map(pad).map(to_wire)
    return batches.prefetch(HOST_PREFETCH)

def build_model(seed):
    return keras.Sequential(
        [
            keras.Input((20,)),
            keras.layers.Dense(
                10,
                kernel_initializer=drawn(seed, 0),
                name="dense_0",
            ),
        ]
    )

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return tf.cast(batch.words, tf.float32)

def as_stored(batch):
    """What travelled, back in the dtypes of the records."""
    return Batch(*(v.astype(column.dtype) for v, column in zip(batch, data.COLUMNS)))

class Audit:
    """audit.jsonl: a line on what the model read at each step."""

    def __init__(self, workdir, records, step, saved):
        self.path = os.path.join(workdir, "audit.jsonl")
        self.seen = saved.get("seen", np.zeros(records.manifest["rows"], "uint8"))
        self.once = saved.get("once", np.zeros(0, bool))  # for each complete epoch
        kept = 0  # bytes up to the checkpoint
        if step and os.path.exists(self.path):
            with open(self.path, "rb") as file:
                kept = sum(map(len, file.readlines()[:step]))
        os.makedirs(workdir, exist_ok=True)
        self.file = open(self.path, "a", encoding="utf-8")
        self.file.truncate(kept)

    def write(self, step, epoch, loss, batch):
        batch = Batch(*(values.numpy()[batch.row_id.numpy() >= 0] for values in batch))
        batch = as_stored(batch)
        line = {"step": step, "epoch": epoch, "rows": len(batch.row_id), "loss": float(loss)}
        line["ids"] = data.ids_digest(batch.row_id)
        line["content"] = hashlib.sha256(b"".join(c.tobytes() for c in batch[:-1])).hexdigest()
        self.file.write(json.dumps(line) + "\n")
        np.add.at(self.seen, batch.row_id, 1)

    def end_epoch(self, rows):
        self.once = np.append(self.once, np.sum(self.seen == 1) == np.sum(self.seen) == rows)
        self.seen[:] = 0

    def arrays(self):
        """What a checkpoint keeps. The lines that belong to it reach the disk first."""
        self.file.flush()
        os.fsync(self.file.fileno())
        return {"seen": self.seen, "once": self.once}

    def summary(self, steps):
        """The digests of the run; null where not every step from 0 on was audited."""
        self.file.close()
        with open(self.path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        names = {"order_digest": "ids", "content_digest": "content"}
        if [line["step"] for line in lines] != list(range(steps)):
            return dict.fromkeys([*names, "rows_seen_once"])
        texts = {name: "".join(line[key] for line in lines) for name, key in names.items()}
        digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
        return {**digests, "rows_seen_once": bool(self.once.all()) if len(self.once) else None}

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
        "bytes_per_second": 11264 / seconds["fused"],
    }
    write_json(os.path.join(options.workdir, "measure.json"), result)
    for name, value in seconds.items():
        print(f"{name:5} {1e3 * value:9.3f} ms a step, spread {1e3 * spread[name]:.3f}")
    print(f"overlap efficiency {result['overlap_efficiency']}, bound by {result['bound']}")
