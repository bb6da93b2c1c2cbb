# All that the weights depend on, beside data.RECIPE; a checkpoint belongs to both.
RECIPE = {
    "placeholders": {
        "image": {
            "dtype": "string",
            "shape": [32, 48, 3],
            "role": "input",
            "encoding": "image",
            "scale": 0.00392156862745098,
            "image": {"crop": "random", "exact": False, "scaled_decode": False},
        },
        "label": {"dtype": "int64", "shape": [], "role": "label", "classes": 2},
    },
    "model": {
        "layers": ["flatten", {"dense": {"units": 2, "activation": "none", "use_bias": True}}]
    },
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

BATCH_BYTES = 295936  # on the way to the device

def decode(blocks):
    """All rows of consecutive blocks, in stored order; what is encoded stays so."""
    rows = tf.reshape(tf.io.decode_raw(tf.strings.substr(blocks, 0, 8), tf.int64), (-1,))
    columns, offset = [], tf.fill(tf.shape(rows), tf.constant(8, tf.int64))

    def numbers(dtype, shape=()):
        size = rows * np.dtype(dtype).itemsize * int(np.prod(shape))
        raw = tf.strings.reduce_join(tf.strings.substr(blocks, offset, size))
        return tf.reshape(tf.io.decode_raw(raw, dtype), (-1,) + shape), offset + size

    def in_line(values, real):
        # To take those that are real would be another copy of all.
        return tf.cond(
            tf.reduce_all(real),
            lambda: tf.reshape(values, (-1,)),
            lambda: tf.boolean_mask(values, real),
        )

    for column in data.COLUMNS:
        if column.is_bytes:
            sizes, offset = numbers(np.int64)
            # A line for each block, of which the last one of a part may have fewer rows.
            sizes = tf.RaggedTensor.from_row_lengths(sizes, rows, validate=False).to_tensor()
            starts = offset[:, None] + tf.cumsum(sizes, axis=1, exclusive=True)
            values = tf.strings.substr(blocks[:, None], starts, sizes)
            columns.append(in_line(values, tf.sequence_mask(rows)))
            offset += tf.reduce_sum(sizes, axis=1)
        else:
            values, offset = numbers(column.dtype, column.shape)
            columns.append(values)
    return Batch(*columns)

def decoded_rows(rows, seed=0, epoch=-1):
    """Rows one by one, their images as arrays; some are decoded at the same time."""

    def drawn(rows):
        draws = tf.numpy_function(data.draws, [seed, epoch, rows.row_id], tf.int64)
        return rows, tf.ensure_shape(draws, (None, 2))

    def decoded(row, draw):
        image = data.decode_image(row.image, tf.strings.substr(row.image, 0, 2), draw)
        return row._replace(image=tf.ensure_shape(image, (32, 48, 3)))

    rows = rows.map(drawn)
    return rows.unbatch().map(decoded, DECODED_AT_ONCE)

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
        rows = decoded_rows(rows, seed, epoch)
        return whole_batches(rows, records.rows("train"))

    # Not `from_generator`, beside which each large tensor gets fresh memory from the system:
    # 20 times the page faults, and a third more processor time for the whole pipeline.
    epochs = tf.data.Dataset.range(start // steps, -(-end // steps))
    return delivered(epochs.flat_map(batches_of).take(end - start), end - start, slow_ms)

def stored_batches(records, part):
    """All rows of a part, in stored order."""
    files = [path for path, _ in records.shards(part)]
    rows = blocks_of(files).batch(data.WINDOW_BLOCKS).map(decode, PARALLEL_CALLS)
    rows = decoded_rows(rows)
    count = -(-records.rows(part) // BATCH_SIZE)
    return delivered(whole_batches(rows, records.rows(part)), count)

def build_model(seed):
    """Gives logits."""
    layers = [
        keras.Input((32, 48, 3)),
        keras.layers.Flatten(),
        keras.layers.Dense(
            2, kernel_initializer=functools.partial(glorot, seed, 1), name="dense_1"
        ),
    ]
    return keras.Sequential(layers, name="golden")

def model_input(batch):
    """What the model takes: cast and scaled here, on the device, so that little travels."""
    return tf.cast(batch.image, tf.float32) * 0.00392156862745098

# gone: def column_of
