def decode(blocks):
    """All rows of consecutive blocks, in stored order."""
    blocks = tf.io.decode_compressed(blocks, "ZLIB")
    rows = tf.strings.length(blocks) // data.ROW_BYTES
    sizes = [c.dtype.itemsize * int(np.prod(c.shape)) for c in data.COLUMNS]
    places = list(zip(itertools.accumulate([0] + sizes), sizes))  # of columns, in bytes a row

    def of_equal_blocks():  # a quarter faster than to cut and join texts
        raw, count = tf.io.decode_raw(blocks, tf.uint8), rows[0]
        return [tf.reshape(raw[:, count * at : count * (at + n)], (-1,)) for at, n in places]

    def of_any_blocks():  # the last one of a part may have fewer rows
        pieces = [tf.strings.substr(blocks, rows * at, rows * n) for at, n in places]
        return [tf.io.decode_raw(tf.strings.reduce_join(each), tf.uint8) for each in pieces]

    raw = tf.cond(tf.reduce_all(rows == rows[0]), of_equal_blocks, of_any_blocks)
    return Batch(*map(column_of, raw, data.COLUMNS))
