import glob

import itertools

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "tfrecord", "pattern": "digits-*.tfrecord", "compression": "auto"},
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
        "format": "packed",
        "rows_per_record": 256,
        "shards": 8,
        "read_cycle": 4,
        "order": "shuffled",
        "compression": "none",
    },
}

# The folder that relative paths start from.
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")

def source_files(source):
    """The files that match, sorted. UserError where there are none."""
    pattern = RECIPE["source"]["pattern"]
    inside = os.path.normpath(os.path.join(glob.escape(source), pattern))
    found = sorted(filter(os.path.isfile, glob.glob(inside, recursive=True)))
    if not found:
        raise UserError(f"{source}: no file in it matches {pattern}; --source names another folder")
    return found

CHUNK_ROWS = 512  # that are converted together

def in_chunks(rows):
    """Lists of CHUNK_ROWS of the rows; the last one has what is left."""
    return iter(lambda: list(itertools.islice(rows, CHUNK_ROWS)), [])

class Source:
    """TFRecord files, read from one end to the other; each record is a tf.train.Example, a row."""

    def __init__(self, paths):
        self.paths, self.sizes = paths, {path: os.path.getsize(path) for path in paths}
        self.compressions = {path: compression_of(path) for path in paths}
        self.bytes, self.position, self.rows = sum(map(self.sizes.get, paths)), 0, 0
        self.chunk_places = []  # of each chunk: its first row, its file, and the record's number

    def where(self, row):
        """The place of a row, for a message."""
        firsts = [first for first, _, _ in self.chunk_places]
        place = np.searchsorted(firsts, row, side="right") - 1
        first, path, number = self.chunk_places[place]
        return f"{path}: record {number + row - first}"

    def chunks(self):
        """Row ids, and the values of each of READ, of some hundred rows at a time."""
        for path in self.paths:
            for chunk in in_chunks(self._records(path)):
                lines, rows = zip(*chunk)
                ids = self._numbered(path, lines)
                yield ids, self._values(rows, ids)

    def _numbered(self, path, numbers):
        """The ids of the next rows of a file, the records of these numbers."""
        self.chunk_places.append((self.rows, path, numbers[0]))
        self.rows += len(numbers)
        return np.arange(self.rows - len(numbers), self.rows)

    def _records(self, path):
        """The number of each record of a file, and the record."""
        begin, number, compression = self.position, None, self.compressions[path]
        records = records_of(path, compression, is_whole(path, compression))
        for number, (offset, record) in enumerate(records):
            self.position = begin + min(offset, self.sizes[path])
            yield number, record
        self.position = begin + self.sizes[path]
        if number is None:
            say(f"{path}: warning: it has no records", sys.stderr)

    def _values(self, records, ids):
        """The values of each of READ."""
        return parsed(self, READ, records, ids)

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
    return found

def masked_crc32c(content):
    """The checksum of TFRecord files, bit by bit: enough for the first few bytes."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF

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
        fault = f"damaged at byte {offset}{inflated}"
        remedy = "source.on_error: skip leaves out the rest of the file"
        raise UserError(f"{path}: record {number}: {fault}; {remedy}")

def is_whole(path, compression):
    """Whether a file that is deflated ends as it should, which TensorFlow does not look at.

    UserError where it goes on there: TensorFlow 1.4 would never come to an end.
    """
    if not compression:
        return True
    inflate = zlib.decompressobj(32 + zlib.MAX_WBITS)
    with open(path, "rb") as file:
        try:
            while not inflate.eof:
                chunk = file.read(1 << 16)
                if not chunk:
                    return False
                inflate.decompress(chunk)
        except zlib.error:
            return False
        if inflate.unused_data or file.read(1):
            raise UserError(f"{path}: goes on behind its {compression} stream, which has to be all")
    return True

NUMBERS = {"int64_list": "int64", "float_list": "float32"}  # what is in which kind of list

def parsed(source, columns, records, ids):
    """The columns in the serialized Examples of the rows `ids`, as they are stored.

    UserError names a row that lacks a feature, or whose values do not fit.
    """
    examples = [features_of(record) for record in records]
    for features, row in zip(examples, ids):
        if not features:
            raise UserError(f"{source.where(row)}: no tf.train.Example with features")
    return [column_of(source, column, examples, ids) for column in columns]

def features_of(record):
    """The features of a serialized Example by their keys; none where it is something else."""
    try:
        return tf.train.Example.FromString(record).features.feature
    except Exception:  # which one depends on the protobuf library
        return {}

def kind_of(features, key):
    """The kind of list that a feature is; "" where it is missing."""
    return features[key].WhichOneof("kind") or "" if key in features else ""

def column_of(source, column, examples, ids):
    """What Examples have for a column."""
    kinds = np.array([kind_of(features, column.key) for features in examples])
    result = np.empty((len(ids),) + column.shape, column.dtype)
    for kind in np.unique(kinds):  # else large integers beside floats would be rounded
        rows = np.flatnonzero(kinds == kind)
        if not kind:
            known = ", ".join(sorted(examples[rows[0]]))
            refuse(source, column, ids[rows[0]], f"no such feature; there are {known}")
        lists = [getattr(examples[row][column.key], kind).value for row in rows]
        if kind == "bytes_list":
            counts, values = from_bytes(source, column, lists, ids[rows])
        else:
            counts = np.array([len(values) for values in lists])
            values = np.array([value for values in lists for value in values], NUMBERS[kind])
        result[rows] = whole(source, column, values, counts, ids[rows])
    return result

def whole(source, column, values, counts, ids):
    """The rows out of their values, one behind the other; counts: how many each has."""
    expected = int(np.prod(column.shape))
    for row in np.flatnonzero(counts != expected)[:1]:
        refuse(source, column, ids[row], f"{counts[row]} values, expected {expected}")
    return stored(source, column, values.reshape((-1,) + column.shape), ids)

def from_bytes(source, column, lists, ids):
    """How many values each list of bytes stands for, and all of them."""
    pieces = contents(source, column, lists, ids)
    dtype = column.dtype.newbyteorder("<")
    sizes = np.array([len(piece) for piece in pieces])
    for row in np.flatnonzero(sizes % dtype.itemsize)[:1]:
        refuse(
            source, column, ids[row], f"{sizes[row]} bytes are no whole values of {column.dtype}"
        )
    return sizes // dtype.itemsize, np.frombuffer(b"".join(pieces), dtype)

def contents(source, column, lists, ids):
    """The one value of each list of bytes."""
    for row, values in zip(ids, lists):
        if len(values) != 1:
            refuse(source, column, row, f"{len(values)} values of bytes, expected 1")
    return [values[0] for values in lists]

def refuse(source, column, row, fault):
    raise UserError(f"{source.where(row)}: {column.key}: {fault}")

class Spool:
    """The rows of a stream on the disk, a file for each column: they are read at random, however
    many there are. A stream gives chunks: row ids, and the values of each of READ.
    """

    def __init__(self, stream, folder, stop):
        os.mkdir(folder)
        paths = [os.path.join(folder, str(number)) for number in range(len(READ))]
        files = [open(path, "wb") for path in paths]
        self.where, chunks = stream.where, []
        progress = Progress("bytes of the source", stream.bytes)
        try:
            for ids, columns in stream.chunks():
                stop.check()
                chunks.append(ids)
                for file, column, values in zip(files, READ, columns):
                    values = stored(stream, column, values, ids)
                    file.write(values.tobytes())
                progress.update(stream.position, stream.position)
        finally:
            progress.close()
            for file in files:
                file.close()
        self.ids = np.concatenate(chunks) if chunks else np.arange(0)
        shapes = [(len(self.ids),) + column.shape for column in READ]
        self.columns = {}
        if len(self.ids):
            for path, shape, column in zip(paths, shapes, READ):
                self.columns[column.key] = np.memmap(path, column.dtype, "r", 0, shape)

    def read(self, column, ids):
        """A column of the rows `ids`."""
        return self.columns[column.key][np.searchsorted(self.ids, ids)]

def write_records(folder, draft, old, options, stop):
    """Write the whole set aside, the manifest last, and put it in its place by renaming."""
    try:
        os.mkdir(draft)
        name, files = options.source, source_files(options.source)
        identity = source_identity(name, files, stop)
        write_json(os.path.join(draft, "source.json"), identity)
        source = Source(files)
        source = Spool(source, os.path.join(draft, "spool"), stop)
        if not len(source.ids):
            raise UserError(f"{name}: has no rows")
        parts = split(source)
        manifest = {
            "recipe": RECIPE,
            "source": fingerprint([[entry[0], entry[3]] for entry in identity]),
            "rows": int(source.ids[-1]) + 1,  # with those that were skipped
            **certificate(name, source, parts),
            "parts": {},
        }
        for part, ids in parts.items():
            rank = ["train", "validation", "test"].index(part)
            ids = ids[seeded(SPLITS_SEED, rank).permutation(len(ids))]
            manifest["parts"][part] = write_part(draft, part, ids, source, stop)
        shutil.rmtree(os.path.join(draft, "spool"))
        check_source(name, draft, "while it was read; prepare again", stop)
        write_json(
            os.path.join(draft, "manifest.json"), {**manifest, "digest": fingerprint(manifest)}
        )
        if os.path.exists(folder):
            os.rename(folder, old)
        os.rename(draft, folder)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)

# gone: import zipfile

# gone: def existing

# gone: class Source def read

# gone: def arrays_of

# gone: def load

# gone: def in_memory

# gone: def mapped

# gone: def bytes_in_memory
