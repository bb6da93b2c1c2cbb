HOST_PREFETCH = 8  # batches kept ready on the host

PARALLEL_CALLS = 3

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
        num_parallel_calls=min(PARALLEL_CALLS, data.READ_CYCLE),
        deterministic=True,
    )
    # The blocks of earlier windows are passed over as they are, undecoded.
    windows = blocks.skip(first_window * data.WINDOW_BLOCKS).batch(data.WINDOW_BLOCKS)
    return windows.enumerate(first_window).map(permuted, PARALLEL_CALLS)
