FEATURES = {
    "image": tf.io.FixedLenFeature((), tf.string),
    "label": tf.io.FixedLenFeature((), tf.int64),
    "row_id": tf.io.FixedLenFeature((), tf.int64),
}

def blocks_of(path):
    """The blocks of a shard, each some serialized Examples."""
    return tf.data.TFRecordDataset(path, data.COMPRESSION).batch(data.ROWS_PER_RECORD)

def decode(blocks):
    """All rows of consecutive blocks, in stored order."""
    values = tf.io.parse_example(blocks.values, FEATURES)
    return Batch(
        image=tf.reshape(tf.io.decode_raw(values["image"], tf.uint8), (-1, 8, 8)),
        label=values["label"],
        row_id=values["row_id"],
    )

def epoch_rows(seed, epoch, files, first_window, first_row):
    """The rows of an epoch from a row on, in its order: windows of blocks, each permuted."""

    def permuted(window, blocks):
        rows = decode(blocks)
        position = [seed, epoch, window, tf.size(rows.row_id)]
        order = tf.numpy_function(data.window_order, position, tf.int64)
        order = tf.ensure_shape(order, (None,))
        order = order[tf.where(window == first_window, first_row, 0) :]
        return Batch(*(tf.gather(values, order) for values in rows))

    blocks = tf.data.Dataset.from_tensor_slices(files).interleave(
        blocks_of,
        cycle_length=data.READ_CYCLE,
        block_length=1,
        num_parallel_calls=PARALLEL_CALLS,
        deterministic=True,
    )
    # The blocks of earlier windows are passed over as they are, undecoded.
    windows = blocks.skip(first_window * data.WINDOW_BLOCKS).ragged_batch(data.WINDOW_BLOCKS)
    return windows.enumerate(first_window).map(permuted, PARALLEL_CALLS)

def stored_batches(records, part):
    """All rows of a part, in stored order."""
    files = [path for path, _ in records.shards(part)]
    blocks = tf.data.Dataset.from_tensor_slices(files).flat_map(blocks_of)
    rows = blocks.ragged_batch(data.WINDOW_BLOCKS).map(decode, PARALLEL_CALLS)
    count = -(-records.rows(part) // BATCH_SIZE)
    return delivered(whole_batches(rows, records.rows(part)), count)

# gone: def column_of
