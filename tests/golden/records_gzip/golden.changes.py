def decode(blocks):
    """All rows of consecutive blocks, in stored order."""
    blocks = tf.io.decode_compressed(blocks, "GZIP")
    rows = tf.strings.length(blocks) // data.ROW_BYTES
    columns, offset = [], 0
    for column in data.COLUMNS:
        size = column.dtype.itemsize * int(np.prod(column.shape))
        raw = tf.strings.reduce_join(tf.strings.substr(blocks, rows * offset, rows * size))
        columns.append(tf.reshape(tf.io.decode_raw(raw, column.dtype), (-1,) + column.shape))
        offset += size
    return Batch(*columns)
