# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {
        "kind": "csv",
        "path": "gs://bucket/data.csv",
        "header": True,
        "delimiter": ",",
        "missing": [""],
    },
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [2, 2], "columns": ["a", "b", "c", "d"]},
        "fold": {"dtype": "bool", "shape": []},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "stratified",
        "by": "fold",
        "parts": {"train": 0.8, "validation": 0.1, "test": 0.1},
        "seed": 0,
    },
    "records": {
        "format": "packed",
        "rows_per_record": 256,
        "shards": 8,
        "read_cycle": 4,
        "order": "shuffled",
        "compression": "none",
    },
}

SOURCE = "gs://bucket/data.csv"

# What the rows are dealt by; no model reads it.
KEY = Column("fold", np.dtype("bool"), (), columns=("fold",))

READ = COLUMNS[:-1] + (KEY,)  # from the source

def existing(paths):
    for path in paths:
        try:
            is_there = tf.gfile.Exists(path)
        except tf.errors.OpError as error:
            raise UserError(f"{path}: {error.message}") from error
        if not is_there:
            raise UserError(f"{path}: no such file; --source names another")
    return paths

class Source:
    def __init__(self, paths):
        self.paths, self.bytes = paths, sum(tf.gfile.Stat(path).length for path in paths)
        self.position, self.rows = 0, 0  # bytes and rows, read so far
        self.chunk_places = []  # of each chunk: its first row, its file, and the line of each row
        self.names, self.places = None, {}  # of all columns; of those that are read, by placeholder

    def _records(self, path):
        """The line that each record of a file begins in, and its cells."""
        with tf.gfile.GFile(path, "rb") as file:
            csv.field_size_limit(2**31 - 1)  # of the longest cell, in characters
            reader = csv.reader(self._lines(path, file), strict=True)
            line, width, is_empty = 1, 0, True
            try:
                for cells in reader:
                    if cells and not width:
                        width = self._begin(path, line, cells)
                        cells = []  # which are no row
                    if cells:
                        if len(cells) != width:
                            fault = f"{len(cells)} instead of {width} cells"
                            raise UserError(f"{path}: line {line}: {fault}")
                        is_empty = False
                        yield line, cells
                    line = reader.line_num + 1
            except csv.Error as error:
                raise UserError(f"{path}: line {line}: {malformed(error)}") from error
            if is_empty:
                raise UserError(f"{path}: line 1: no row below a header")

def spelt_all(dtype, texts):
    """The numbers as int64, float64 or bool, unless one of the texts spells none."""
    if "_" in "".join(texts):
        raise ValueError("1_000 would pass for a number")
    if dtype.kind == "b":
        return spelt_bool(dtype, texts)
    return spelt_int(dtype, texts)

def spelt_bool(dtype, texts):
    truth = {"true": True, "1": True, "false": False, "0": False}
    return np.array([truth[text.strip().lower()] for text in texts], dtype)

def source_identity(source, files, stop, known=()):
    """Name, seen from `source`, bytes, time and SHA-256 of each file, if not in `known`."""
    known, identity = {tuple(entry[:3]): entry[3] for entry in known}, []
    for path in files:
        found = tf.gfile.Stat(path)
        size, modified = found.length, found.mtime_nsec
        name = path if "://" in path else os.path.relpath(path, source)
        identity.append([name, size, modified, known.get((name, size, modified))])
    unknown = [(path, entry) for path, entry in zip(files, identity) if entry[3] is None]
    progress = Progress("bytes of the source", sum(size for _, (_, size, _, _) in unknown))
    done = [0]

    def digest(path, entry):
        sha256 = hashlib.sha256()
        with tf.gfile.GFile(path, "rb") as file:
            for chunk in iter(lambda: file.read(1 << 20), b""):
                sha256.update(chunk)
                done[0] += len(chunk)
                progress.update(done[0], done[0])
                stop.check()
        entry[3] = sha256.hexdigest()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(digest, *zip(*unknown)))
    progress.close()
    return identity

def dealt_by(source):
    """What the rows are dealt by, of all rows."""
    column = KEY
    pieces = np.array_split(source.ids, 1 + len(source.ids) // 65536)
    return np.concatenate([read_column(source, column, ids) for ids in pieces])

def packed(source, ids):
    """The rows `ids` as one record: a column behind the other, the ids last."""
    columns = [read_column(source, column, ids) for column in READ[:-1]]
    return b"".join(map(np.ascontiguousarray, [*columns, ids.astype("int64")]))
