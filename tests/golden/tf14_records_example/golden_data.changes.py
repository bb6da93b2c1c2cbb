import itertools

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "stratified",
        "by": "label",
        "parts": {"train": 0.8, "validation": 0.1, "test": 0.1},
        "seed": 0,
    },
    "records": {
        "format": "example",
        "rows_per_record": 100,
        "shards": 8,
        "read_cycle": 4,
        "order": "shuffled",
        "compression": "none",
    },
}

ROWS_PER_RECORD = RECIPE["records"]["rows_per_record"]  # consecutive ones, which are a block

WINDOW_BLOCKS = 82  # blocks whose 8200 rows are shuffled together

OPTIONS = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.NONE)

# The list of an Example that a column is in; bytes are its values, little-endian.
LISTS = Batch(image="bytes_list", label="int64_list", row_id="int64_list")

def write_shard(path, blocks, source, pool, wrote):
    """Write blocks of row ids, a row as an Example; returns an entry of the manifest for each."""
    with tf.python_io.TFRecordWriter(path, OPTIONS) as writer:
        for examples in in_order(pool, lambda ids: examples_of(source, ids), blocks):
            for example in examples:
                writer.write(example)
            wrote(len(examples), sum(map(len, examples)))
    check_written(path, sum(map(len, blocks)))
    return [[len(ids)] for ids in blocks]

def check_written(path, rows):
    """Read it again: what a full disk cuts off, the writer need not tell."""
    whole = 0
    try:
        for _ in iterated(path, OPTIONS):
            whole += 1
    except tf.errors.DataLossError:
        pass
    if whole != rows:
        fault = f"only {whole} of its {rows} records were written"
        raise UserError(f"{path}: {fault}; is the disk full?")

def examples_of(source, ids):
    """The rows `ids` as serialized Examples."""
    columns = [read_column(source, column, ids) for column in READ] + [ids]
    return [example_of(row) for row in zip(*columns)]

def example_of(row):
    """A row as a serialized Example."""
    features = {c.key: feature(kind, value) for c, kind, value in zip(COLUMNS, LISTS, row)}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

def feature(kind, value):
    """A value as a feature of this kind of list."""
    if kind == "bytes_list":
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.tobytes()]))
    values = value.ravel().astype("int64").tolist()
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

def records_of_shard(path):
    """The records of a shard, one after the other. UserError names one that is damaged."""
    number = offset = 0
    try:
        for record in iterated(path, OPTIONS):
            yield record
            number, offset = number + 1, offset + len(record) + FRAMING_BYTES
    except tf.errors.DataLossError as error:
        fault = f"damaged record {number} at byte {offset}"
        raise UserError(f"{path}: {fault}; prepare --fresh makes it anew") from error

def write_part(folder, part, ids, source, stop):
    """Write the rows `ids` in this order; returns the manifest's entry of the part."""
    blocks = [ids[i : i + ROWS_PER_RECORD] for i in range(0, len(ids), ROWS_PER_RECORD)]
    blocks_a_shard = -(-len(blocks) // SHARDS)
    progress, shards = Progress(f"rows of {part}", len(ids)), []
    done = np.zeros(2, int)  # rows and bytes

    def wrote(rows, size):
        done[:] += rows, size
        progress.update(*done.tolist())
        stop.check()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for first in range(0, len(blocks), blocks_a_shard):
            name = f"{part}-{len(shards):05d}.tfrecord"
            path = os.path.join(folder, name)
            entries = write_shard(path, blocks[first : first + blocks_a_shard], source, pool, wrote)
            size = os.path.getsize(path)
            shards.append({"file": name, "bytes": size, "blocks": entries})
    progress.close()
    pieces = np.array_split(np.sort(ids), 1 + len(ids) // 65536)
    labels = (read_column(source, COLUMNS.label, piece) for piece in pieces)
    classes = sum(np.bincount(piece, minlength=COLUMNS.label.classes) for piece in labels)
    return {
        "rows": len(ids),
        "classes": classes.tolist(),  # rows of each
        "ids": ids_digest(ids),
        "shards": shards,
    }

class Records:
    def check_blocks(self, stop):
        """Read all of it; UserError names the first damaged record."""
        for path, _ in self.shards(*self.parts):
            for _ in records_of_shard(path):
                stop.check()

def read_windows(windows, first):
    """The blocks of each window from a first one on, as serialized Examples."""
    passed, opened = collections.Counter(), {}
    for path, (rows,) in itertools.chain(*windows[:first]):
        passed[path] += rows
    for window in windows[first:]:
        blocks = []
        for path, (rows,) in window:
            if path not in opened:
                opened[path] = itertools.islice(records_of_shard(path), passed[path], None)
            blocks.append(list(itertools.islice(opened[path], rows)))
        yield blocks

def decode(examples):
    """The rows of serialized Examples."""
    features = [tf.train.Example.FromString(example).features.feature for example in examples]
    return Batch(*(values_of(features, *both) for both in zip(COLUMNS, LISTS)))

def values_of(features, column, kind):
    """The values of a column, of which each row is a list of this kind."""
    rows = [getattr(each[column.key], kind).value for each in features]
    if kind == "bytes_list":
        values = np.frombuffer(b"".join(row[0] for row in rows), column.dtype)
    else:
        values = np.array([value for row in rows for value in row], column.dtype)
    return values.reshape((-1,) + column.shape)

def read_ahead(blocks, first, skipped, order, threads):
    """The rows of each window from a first one on, and their order; threads parse the next one."""
    windows = [blocks[i : i + WINDOW_BLOCKS] for i in range(0, len(blocks), WINDOW_BLOCKS)]
    reading = read_windows(windows, first)
    with ThreadPoolExecutor(threads) as pool:
        coming = pool.map(decode, next(reading))
        for number in range(first, len(windows)):
            ready, coming = list(coming), pool.map(decode, next(reading, ()))
            rows = Batch(*map(np.concatenate, zip(*ready)))
            yield rows, order(number, len(rows.row_id))[skipped if number == first else 0 :]

# gone: import zlib

# gone: ROW_BYTES

# gone: def checksummed

# gone: def packed

# gone: def damaged

# gone: def read_block
