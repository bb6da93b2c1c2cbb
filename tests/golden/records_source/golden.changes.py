LISTS = {"int64_list": tf.int64, "float_list": tf.float32, "bytes_list": tf.string}

def blocks_of(path, compression, first):
    """The blocks of a file: the id of the first row of each, and its serialized Examples."""
    examples = tf.data.TFRecordDataset(path, compression).batch(data.ROWS_PER_RECORD)
    return tf.data.Dataset.zip((tf.data.Dataset.counter(first, data.ROWS_PER_RECORD), examples))

def decoder(records):
    """What makes rows of blocks. Where one does not fit, its error makes `data.run` look for it."""
    features = {c.key: feature(c, records.kinds[c.key]) for c in data.READ}

    def decode(firsts, examples):
        """All rows of consecutive blocks, in their order."""
        ids = tf.ragged.range(firsts, firsts + examples.row_lengths()).values
        examples = examples.values
        values = tf.io.parse_example(examples, features)
        return Batch(*(stored(values[column.key], column) for column in data.READ), ids)

    return decode

def feature(column, kind):
    """How to parse the feature of a column."""
    shape = () if kind == "bytes_list" else column.shape
    return tf.io.FixedLenFeature(shape, LISTS[kind])

def stored(values, column):
    """The values of whole rows as a column has them; an error where one does not fit."""
    if values.dtype == tf.string:
        dtype = tf.uint8 if column.dtype.kind == "b" else column.dtype
        values = tf.io.decode_raw(values, dtype)
        values = tf.ensure_shape(values, (None, int(np.prod(column.shape))))
    return tf.reshape(fitting(values, column), (-1,) + column.shape)

def fitting(values, column):
    """The values in the dtype of a column; an error where one is not in it."""
    result, fits = tf.cast(values, column.dtype), []
    if not (values.dtype.is_floating and result.dtype.is_floating):
        fits.append(tf.cast(result, values.dtype) == values)
    if result.dtype.is_floating:
        fits.append(tf.math.is_finite(result))
    if column.classes:
        fits.append((result >= 0) & (result < column.classes))
    with tf.control_dependencies(
        [tf.debugging.Assert(tf.reduce_all(f), [column.key]) for f in fits]
    ):
        return tf.identity(result)

def epoch_rows(decode, seed, epoch, files, first_window, first_row):
    """The rows of an epoch from a row on, in its order: windows of blocks, each permuted."""

    def permuted(window, blocks):
        rows = decode(*blocks)
        position = [seed, epoch, window, tf.size(rows.row_id)]
        order = tf.numpy_function(data.window_order, position, tf.int64)
        order = tf.ensure_shape(order, (None,))
        order = order[tf.where(window == first_window, first_row, 0) :]
        return Batch(*(tf.gather(values, order) for values in rows))

    def in_rotation(*files):
        return tf.data.Dataset.from_tensor_slices(files).interleave(
            blocks_of,
            cycle_length=data.READ_CYCLE,
            block_length=1,
            num_parallel_calls=PARALLEL_CALLS,
            deterministic=True,
        )

    # Some files after the other: no file takes the place of a shorter one that has ended.
    blocks = tf.data.Dataset.from_tensor_slices(files).batch(data.READ_CYCLE).flat_map(in_rotation)
    # The blocks of earlier windows are passed over as they are, undecoded.
    windows = blocks.skip(first_window * data.WINDOW_BLOCKS).ragged_batch(data.WINDOW_BLOCKS)
    return windows.enumerate(first_window).map(permuted, PARALLEL_CALLS)

def training_batches(records, seed, start, end, slow_ms=0):
    """The batches of steps `start` to `end` - 1, one data set over all their epochs."""
    steps = steps_an_epoch(records)
    decode = decoder(records)

    def place(epoch):
        """Where the rows of an epoch that are left begin."""
        first_row = max(0, start - epoch * steps) * BATCH_SIZE
        files, window, row = records.epoch(epoch, seed, first_row)
        return (*files, window, row)

    def batches_of(epoch):
        dtypes = [tf.string, tf.string, tf.int64, tf.int64, tf.int64]
        *files, window, row = tf.numpy_function(place, [epoch], dtypes)
        files = tuple(tf.ensure_shape(each, (None,)) for each in files)
        rows = epoch_rows(decode, seed, epoch, files, window, row)
        return whole_batches(rows, records.rows("train"))

    # Not `from_generator`, beside which each large tensor gets fresh memory from the system:
    # 20 times the page faults, and a third more processor time for the whole pipeline.
    epochs = tf.data.Dataset.range(start // steps, -(-end // steps))
    return delivered(epochs.flat_map(batches_of).take(end - start), end - start, slow_ms)

def stored_batches(records, part):
    """All rows of a part, in stored order."""
    files, decode = records.opening(number for number, _ in records.shards(part)), decoder(records)
    blocks = tf.data.Dataset.from_tensor_slices(files).flat_map(blocks_of)
    rows = blocks.ragged_batch(data.WINDOW_BLOCKS).map(decode, PARALLEL_CALLS)
    count = -(-records.rows(part) // BATCH_SIZE)
    return delivered(whole_batches(rows, records.rows(part)), count)

class Run:
    def end_epoch(self):
        """Add the epoch to the history; a longer run may complete one that --steps cut short."""
        state, learner = self.state, self.learner
        epoch, done = divmod(state["step"] - 1, self.steps)
        rows = min((done + 1) * BATCH_SIZE, self.records.rows("train"))
        record = {"epoch": epoch, "steps": done + 1, "rows": rows}
        record["train_loss"] = learner.epoch_loss() / rows
        record["validation"] = None
        if self.stop.received:
            return  # the next run ends it
        state["history"][epoch:] = [record]
        if done + 1 == self.steps:
            learner.begin_epoch()
            if self.audit:
                self.audit.end_epoch(rows)
        data.say(f"epoch {epoch}: train loss {record['train_loss']:.4f}")

    def report(self):
        """Evaluate, and write weights.npz and report.json."""
        state, last = self.state, self.state["history"][-1]
        rows = sum(epoch["rows"] for epoch in state["history"])
        result = {
            "name": "golden",
            "variant": "default",
            "target": "tf2",
            "method": "two_variable",
            "batch_size": BATCH_SIZE,
            "epochs": state["step"] // self.steps,
            "steps": state["step"],
            "rows_trained": rows,
            "splits": {part: self.records.rows(part) for part in self.records.parts},
            "history": state["history"],
            "train_loss": last["train_loss"],
            "validation": last["validation"],
            "test": None,
            "seconds": state["seconds"],
            "rows_per_second": rows / state["seconds"],
            "stall_fraction": state["waited"] and state["waited"] / state["seconds"],
            "placement": self.feeder.placement(),
        }
        if self.audit:
            result.update(self.audit.summary(state["step"]))
        weights = self.learner.named_weights()
        write_whole(self.path("weights.npz"), lambda file: np.savez(file, **weights))
        write_json(self.path("report.json"), result)
        data.say(f"{self.options.workdir}: report.json, weights.npz")

# gone: def decode

# gone: def column_of
