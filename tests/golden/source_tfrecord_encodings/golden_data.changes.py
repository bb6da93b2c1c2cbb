# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {
        "kind": "tfrecord",
        "files": ["a.tfrecord", "b.tfrecord"],
        "on_error": "skip",
        "max_errors": 1,
        "compression": "zlib",
    },
    "placeholders": {
        "tensor": {"dtype": "float32", "shape": [2, 3], "encoding": "tensor"},
        "lengths": {"dtype": "int32", "shape": [None], "pad": {"length": 4, "value": -1}},
        "tokens": {
            "dtype": "int64",
            "shape": [None],
            "encoding": "tokens",
            "pad": {"length": 5, "value": 0},
            "hash_buckets": 100,
        },
        "flag": {"dtype": "bool", "shape": [], "default": False},
        "label": {
            "dtype": "int64",
            "shape": [],
            "encoding": "text",
            "classes": 3,
            "vocabulary": ["cat", "dog", "fish"],
        },
    },
    "splits": {
        "method": "even",
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

ROW_BYTES = 97

Batch = collections.namedtuple("Batch", ["tensor", "lengths", "tokens", "flag", "label", "row_id"])

Column = collections.namedtuple(
    "Column",
    [
        "key",
        "dtype",
        "shape",
        "classes",
        "encoding",
        "pad",
        "hash_buckets",
        "default",
        "vocabulary",
    ],
)

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    tensor=Column("tensor", np.dtype("float32"), (2, 3), encoding="tensor"),
    lengths=Column("lengths", np.dtype("int32"), (4,), pad=-1),
    tokens=Column("tokens", np.dtype("int64"), (5,), encoding="tokens", pad=0, hash_buckets=100),
    flag=Column("flag", np.dtype("bool"), (), default=False),
    label=Column(
        "label",
        np.dtype("int64"),
        (),
        classes=3,
        encoding="text",
        vocabulary=("cat", "dog", "fish"),
    ),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

def source_files(source):
    """The files that the rows are in, in their order. UserError names one that is missing."""
    return existing([located(source, path) for path in RECIPE["source"]["files"]])

def located(source, path):
    """A path of the spec; a relative one starts from the folder `source`."""
    return path if "://" in path else os.path.normpath(os.path.join(source, path))

def existing(paths):
    for path in paths:
        if not os.path.exists(path):
            raise UserError(f"{path}: no such file; --source names another")
    real = [os.path.realpath(path) for path in paths]
    for number, path in enumerate(paths):
        if real[number] in real[:number]:
            raise UserError(f"{path}: the same file as {paths[real.index(real[number])]}")
    return paths

MAX_ERRORS = RECIPE["source"]["max_errors"]  # damaged files of which the rest is left out

CHUNK_ROWS = 512  # that are parsed together

class Source:
    def __init__(self, paths):
        self.paths, self.sizes = paths, {path: os.path.getsize(path) for path in paths}
        self.compressions = {path: compression_of(path) for path in paths}
        self.bytes, self.position, self.rows = sum(map(self.sizes.get, paths)), 0, 0
        self.chunk_places = []  # of each chunk: its first row, its file, and the record's number
        self.texts = text_columns()

    def chunks(self):
        """Row ids, and the values of each of READ, of some hundred rows at a time.

        What follows a damaged row in its file is left out; its id stays free.
        """
        skipped = 0
        for path in self.paths:
            records, fault, chunk = self._records(path), None, [None]
            while chunk and not fault:
                chunk = []
                try:
                    chunk.extend(itertools.islice(records, CHUNK_ROWS))
                except UserError as error:
                    fault = error
                if chunk:
                    lines, rows = zip(*chunk)
                    ids = self._numbered(path, lines)
                    good, values, error = self._good_values(rows, ids)
                    yield ids[:good], values
                    self.rows, fault = ids[0] + good, error or fault
            if fault:
                self.rows, skipped = self.rows + 1, skipped + 1
                if skipped > MAX_ERRORS:
                    raise UserError(f"{fault}; source.max_errors is {MAX_ERRORS}")
                say(f"{fault}; the rest of the file is skipped", sys.stderr)

    def _good_values(self, rows, ids):
        """How many rows precede the first that cannot be stored, their values, and its fault."""
        good, bad, size, values, fault = 0, len(rows) + 1, len(rows), [], None
        while bad - good > 1:
            try:
                here = self._values(rows[:size], ids[:size])
                values = [stored(self, c, each, ids[:size]) for c, each in zip(READ, here)]
                good = size
            except UserError as error:
                bad, fault = size, error
            size = (good + bad) // 2
        return good, values, fault

def compression_of(path):
    """GZIP, ZLIB, or "" for none: how a file is deflated, by its content."""
    with open(path, "rb") as file:
        head = file.read(12)
    found = ""
    if head[:2] == b"\x1f\x8b":
        found = "GZIP"
    elif head[:1] == b"\x78" and int.from_bytes(head[:2], "big") % 31 == 0:  # RFC 1950
        found = "ZLIB"
    if found and masked_crc32c(head[:8]) == int.from_bytes(head[8:], "little"):
        found = ""  # a length and its checksum: only the length begins like that
    if head and found != "ZLIB":
        looks = f"{path} looks like {found or 'plain records'}"
        raise UserError(f"{looks} but source.compression is zlib")
    return found

def records_of(path, compression, is_whole=True):
    """Each record of a TFRecord file and the byte, inflated, that it begins at.

    UserError names one that is damaged; where the file is not whole, the first that is not there.
    """
    kinds = tf.python_io.TFRecordCompressionType
    known = {"": kinds.NONE, "GZIP": kinds.GZIP, "ZLIB": kinds.ZLIB}
    number = offset = 0
    try:
        for record in iterated(path, tf.python_io.TFRecordOptions(known[compression])):
            yield offset, record
            number, offset = number + 1, offset + len(record) + FRAMING_BYTES
        if not compression and offset != os.path.getsize(path):
            is_whole = False  # TensorFlow takes a piece of a length for the end
    except tf.errors.DataLossError:
        is_whole = False
    if not is_whole:
        inflated = " of what is inflated" if compression else ""
        raise UserError(f"{path}: record {number}: damaged at byte {offset}{inflated}")

def column_of(source, column, examples, ids):
    """What Examples have for a column."""
    kinds = np.array([kind_of(features, column.key) for features in examples])
    result = np.empty((len(ids),) + column.shape, column.dtype)
    for kind in np.unique(kinds):  # else large integers beside floats would be rounded
        rows = np.flatnonzero(kinds == kind)
        if not kind:
            if column.default is not None:
                result[rows] = column.default if column.pad is None else column.pad
                if column.pad is not None:
                    result[rows, 0] = column.default  # the one value
                continue
            known = ", ".join(sorted(examples[rows[0]]))
            refuse(source, column, ids[rows[0]], f"no such feature; there are {known}")
        lists = [getattr(examples[row][column.key], kind).value for row in rows]
        if kind == "bytes_list":
            counts, values = from_bytes(source, column, lists, ids[rows])
        elif column.key in source.texts:
            refuse(source, column, ids[rows[0]], f"{kind}, expected bytes_list")
        else:
            counts = np.array([len(values) for values in lists])
            values = np.array([value for values in lists for value in values], NUMBERS[kind])
        result[rows] = whole(source, column, values, counts, ids[rows])
    return result

def whole(source, column, values, counts, ids):
    """The rows out of their values, one behind the other; counts: how many each has."""
    if column.pad is not None:
        return padded(source, column, values, counts, ids)
    expected = int(np.prod(column.shape))
    for row in np.flatnonzero(counts != expected)[:1]:
        refuse(source, column, ids[row], f"{counts[row]} values, expected {expected}")
    return stored(source, column, values.reshape((-1,) + column.shape), ids)

def from_bytes(source, column, lists, ids):
    """How many values each list of bytes stands for, and all of them."""
    if column.key in source.texts:
        return numbers_of_texts(source, column, lists, ids)
    pieces = contents(source, column, lists, ids)
    if column.encoding == "tensor":
        arrays = [tensor(source, column, *both) for both in zip(pieces, ids)]
        return np.array([array.size for array in arrays]), np.concatenate(arrays)
    dtype = np.dtype("uint8") if column.dtype.kind == "b" else column.dtype.newbyteorder("<")
    sizes = np.array([len(piece) for piece in pieces])
    for row in np.flatnonzero(sizes % dtype.itemsize)[:1]:
        refuse(
            source, column, ids[row], f"{sizes[row]} bytes are no whole values of {column.dtype}"
        )
    return sizes // dtype.itemsize, np.frombuffer(b"".join(pieces), dtype)

TENSOR = type(tf.make_tensor_proto(0))  # tf.TensorProto, which has no public name in 1.4

def tensor(source, column, content, row):
    """The values of a serialized TensorProto, as they are stored."""
    try:
        array = tf.make_ndarray(TENSOR.FromString(content))
    except Exception:  # which one depends on the protobuf library
        refuse(source, column, row, "no serialized tf.TensorProto")
    expected = column.shape if column.pad is None else (array.size,)
    if array.shape != expected:
        refuse(source, column, row, f"shape {array.shape}, expected {expected}")
    return stored(source, column, array.ravel(), np.repeat(row, array.size))

def numbers_of_texts(source, column, lists, ids):
    """How many texts each list has, and the numbers of all."""
    texts = []
    for values, row in zip(lists, ids):
        try:
            texts.append([value.decode("utf-8") for value in values])
        except UnicodeDecodeError as error:
            refuse(source, column, row, f"not UTF-8: {error.reason}")
    if column.encoding == "tokens":
        texts = [" ".join(each).split() for each in texts]
    counts = np.array([len(each) for each in texts])
    rows = np.repeat(ids, counts)
    flat = [text for each in texts for text in each]
    return counts, source.texts[column.key].numbers(flat, lambda place: source.where(rows[place]))

def text_columns():
    """The Texts of each column whose texts are numbers in the records, by its key."""
    return {c.key: Texts(c) for c in READ if c.vocabulary or c.hash_buckets}

class Texts:
    """The numbers that stand for the texts of a column."""

    def __init__(self, column):
        self.column = column
        self.places = {text: place for place, text in enumerate(vocabulary(column))}

    def numbers(self, texts, where):
        """An int64 for each text, None being a missing one; where(i) is the place of one."""
        known = self.buckets(texts) if self.column.hash_buckets else self.places
        numbers = [known.get(text, self.column.default) for text in texts]
        if None in numbers:
            bad = numbers.index(None)
            fault = "missing" if texts[bad] is None else f"{texts[bad]!r} is not in its vocabulary"
            raise UserError(f"{where(bad)}: {self.column.key}: {fault}, and it has no default")
        return np.array(numbers, "int64")

    def buckets(self, texts):
        """The bucket of each text: 8 bytes of its SHA-256, big-endian, modulo their number."""
        buckets = {}
        for text in {text for text in texts if text is not None}:
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
            buckets[text] = int.from_bytes(digest[:8], "big") % self.column.hash_buckets
        return buckets

def vocabulary(column):
    """The texts of a column's vocabulary, in their order; none where it has none."""
    return column.vocabulary or ()

def padded(source, column, values, counts, ids):
    """Rows of different lengths as one array, in the column's dtype: pads what a row is short of.

    values: those of all rows, one behind the other; counts: how many each of the rows `ids` has.
    UserError names a row that is too long, or has a value that does not fit.
    """
    length = column.shape[0]
    for row in np.flatnonzero(counts > length)[:1]:
        fault = f"{counts[row]} values, pad.length is {length}"
        raise UserError(f"{source.where(ids[row])}: {column.key}: {fault}")
    result = np.full((len(ids), length), column.pad, column.dtype)
    result[np.arange(length) < counts[:, None]] = stored(
        source, column, values, np.repeat(ids, counts)
    )
    return result

def split(source):
    """Row ids of each part: consecutive rows, by the parts' fractions."""
    cuts = np.cumsum(largest_remainder(len(source.ids)))[:-1]
    return dict(zip(PARTS, np.split(source.ids, cuts)))

# gone: import glob

# gone: def in_chunks

# gone: def dealt_by
