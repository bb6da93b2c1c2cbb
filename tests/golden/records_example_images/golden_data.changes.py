import functools

import itertools

import struct

import zlib

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "tfrecord", "path": "pictures.tfrecord", "compression": "auto"},
    "placeholders": {
        "image": {"dtype": "string", "shape": [8, 8, 3], "encoding": "image"},
        "weight_kg": {"dtype": "float16", "shape": []},
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
        "rows_per_record": 256,
        "shards": 8,
        "read_cycle": 4,
        "order": "shuffled",
        "compression": "none",
    },
}

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures.tfrecord")

COMPRESSION = ""  # of each file: none

Batch = collections.namedtuple("Batch", ["image", "weight_kg", "label", "row_id"])

Column = collections.namedtuple("Column", ["key", "dtype", "shape", "classes", "is_bytes"])

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("uint8"), (8, 8, 3), is_bytes=True),
    weight_kg=Column("weight_kg", np.dtype("float16"), ()),
    label=Column("label", np.dtype("int64"), (), classes=10),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

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
        raise UserError(f"{path}: record {number}: damaged at byte {offset}{inflated}")

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
    takes_bytes = column.dtype.kind == "O" or column.key in DECODERS
    if takes_bytes:
        result = np.empty(len(ids), object)
    for kind in np.unique(kinds):  # else large integers beside floats would be rounded
        rows = np.flatnonzero(kinds == kind)
        if not kind:
            known = ", ".join(sorted(examples[rows[0]]))
            refuse(source, column, ids[rows[0]], f"no such feature; there are {known}")
        lists = [getattr(examples[row][column.key], kind).value for row in rows]
        if kind == "bytes_list":
            if takes_bytes:
                result[rows] = contents(source, column, lists, ids[rows])
                continue
            counts, values = from_bytes(source, column, lists, ids[rows])
        elif takes_bytes:
            refuse(source, column, ids[rows[0]], f"{kind}, expected bytes_list")
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

def read_column(source, column, ids):
    """A column of the rows `ids` as it is stored. UserError names a row that does not fit."""
    values = stored(source, column, source.read(column, ids), ids)
    return stored_images(source, column, values, ids) if column.key in DECODERS else values

def stored(source, column, values, ids):
    """Values of the rows `ids` in the column's dtype. UserError names a row that does not fit."""

    def refuse(bad, fault):
        for place in np.argwhere(bad)[:1]:
            where = f"{source.where(ids[place[0]])}: {column.key}"
            raise UserError(f"{where}: {values[tuple(place)]} {fault}")

    if column.dtype.kind == "O" or column.key in DECODERS:
        return as_bytes(source, column, values, ids)
    if values.dtype.kind not in "biuf":
        where = source.where(ids[0])
        raise UserError(f"{where}: {column.key}: holds {values.dtype}, not numbers")
    result, fits = values, True
    if values.dtype != column.dtype:
        with np.errstate(all="ignore"):
            result = values.astype(column.dtype)
            if not values.dtype.kind == column.dtype.kind == "f":
                fits = (result.astype(values.dtype) == values) & ((result < 0) == (values < 0))
    if column.dtype.kind == "f":
        fits &= np.isfinite(result)  # a narrower float is rounded; nothing else may change
    refuse(np.logical_not(fits), f"does not fit {column.dtype}")
    if column.classes:
        refuse((result < 0) | (result >= column.classes), f"is not in 0 to {column.classes - 1}")
    return result

def as_bytes(source, column, values, ids):
    """Texts in UTF-8, and bytes as they are. UserError names a row that has neither."""
    result = np.empty(len(ids), object)
    for row, value in enumerate(values):
        if not isinstance(value, (str, bytes)):
            fault = f"holds {type(value).__name__}, not a text"
            raise UserError(f"{source.where(ids[row])}: {column.key}: {fault}")
        result[row] = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return result

# -- Images ---------------------------------------------------------------------------------------

def decode_image(contents, begins):
    """Operations for the pixels that are kept of an image, which begins with two bytes."""
    return tf.cond(
        tf.equal(begins, b"BM"),
        lambda: tf.image.decode_bmp(contents, 3),
        lambda: tf.image.decode_jpeg(contents, 3),  # PNG and GIF as well
    )

# What decodes the values of a column, by its key.
DECODERS = {"image": decode_image}

FORMATS = (b"\xff\xd8", b"\x89PNG", b"GIF8", b"BM")  # how their files begin

class ImageDecoder:
    """Decodes one image at a time, in a graph and a session of its own."""

    def __init__(self):
        graph = tf.Graph()
        with graph.as_default():
            self.contents = tf.placeholder(tf.string, ())
            self.begins = tf.placeholder(tf.string, ())  # with two bytes
            self.pixels = {"image": decode_image(self.contents, self.begins)}
        # Threads of its own: those that sessions share may all be waiting for what is decoded here.
        # And no GPU, whose memory it would take.
        config = tf.ConfigProto(use_per_session_threads=True, device_count={"GPU": 0})
        self.session = tf.Session(graph=graph, config=config)

    def kept(self, column, contents, where, row):
        """The pixels that are kept of the image in a row. UserError says why there are none."""
        try:
            if not contents.startswith(FORMATS):
                raise ValueError("no JPEG, PNG, GIF or BMP image" if contents else "an empty image")
            if contents.startswith(b"BM") and len(contents) < bitmap_bytes(contents):
                raise ValueError("a BMP image that is cut")  # TensorFlow 1.4 would read past it
            fed = {self.contents: contents, self.begins: contents[:2]}
            return self.session.run(self.pixels[column.key], fed)
        except (ValueError, tf.errors.OpError) as error:
            fault = str(error).split("\n\t [[")[0].split("\n")[-1]  # without the operation
            raise UserError(f"{where(row)}: {column.key}: {fault}") from error

@functools.lru_cache(maxsize=None)
def image_decoder():
    """The one decoder, made when it is needed."""
    return ImageDecoder()

def bitmap_bytes(contents):
    """The bytes of a BMP file by its own account."""
    head = contents[:30].ljust(30, b"\xff")
    offset, width, height, bits = struct.unpack("<10x I 4x ii 2x H", head)
    return offset + abs(height) * ((width * bits + 31) // 32 * 4)

def stored_images(source, column, contents, ids):
    """The values of the rows `ids` as they are stored. UserError names one that is damaged."""
    decoder = image_decoder()
    kept = (decoder.kept(column, c, source.where, row) for c, row in zip(contents, ids))
    collections.deque(kept, maxlen=0)  # decoded, and let go
    return contents

class Spool:
    """The rows of a stream on the disk, a file for each column: they are read at random, however
    many there are. A stream gives chunks: row ids, and the values of each of READ.
    """

    def __init__(self, stream, folder, stop):
        os.mkdir(folder)
        paths = [os.path.join(folder, str(number)) for number in range(len(READ))]
        files = [open(path, "wb") for path in paths]
        self.where, chunks = stream.where, []
        sizes = [[] for _ in READ]  # of the values that are bytes
        progress = Progress("bytes of the source", stream.bytes)
        try:
            for ids, columns in stream.chunks():
                stop.check()
                chunks.append(ids)
                for size, file, column, values in zip(sizes, files, READ, columns):
                    values = stored(stream, column, values, ids)
                    if values.dtype.kind == "O":
                        size.append([len(value) for value in values])
                        file.write(b"".join(values))
                    else:
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
            for path, shape, column, size in zip(paths, shapes, READ, sizes):
                if size:
                    self.columns[column.key] = Pieces(path, np.cumsum(np.concatenate(size)))
                else:
                    self.columns[column.key] = np.memmap(path, column.dtype, "r", 0, shape)

    def read(self, column, ids):
        """A column of the rows `ids`."""
        return self.columns[column.key][np.searchsorted(self.ids, ids)]

class Pieces:
    """Values of different sizes, one behind the other in a file; `ends` are in bytes."""

    def __init__(self, path, ends):
        self.path, self.ends = path, np.concatenate([[0], ends])

    def __getitem__(self, positions):
        values = np.empty(len(positions), object)
        with open(self.path, "rb") as file:
            for number, position in enumerate(positions):
                file.seek(self.ends[position])
                values[number] = file.read(self.ends[position + 1] - self.ends[position])
        return values

OPTIONS = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.NONE)

# The list of an Example that a column is in; bytes are its values, little-endian, or an image.
LISTS = Batch(image="bytes_list", weight_kg="float_list", label="int64_list", row_id="int64_list")

def feature(kind, value):
    """A value as a feature of this kind of list."""
    if kind == "bytes_list":
        content = value if isinstance(value, bytes) else value.tobytes()
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[content]))
    if kind == "float_list":
        return tf.train.Feature(float_list=tf.train.FloatList(value=value.ravel().tolist()))
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

class Records:
    def where(self, row):
        """The place of a row, for a message: in the source, as long as that is there."""
        return f"{self.folder}: row {row}"

    def check_images(self):
        """Decode all; UserError names the first one that is damaged."""
        for part in self.parts:
            for examples in itertools.chain(*read_windows([self.stored_blocks(part)], 0)):
                rows = decode(examples)
                for column, values in zip(COLUMNS, rows):
                    if column.is_bytes:
                        stored_images(self, column, values, rows.row_id)

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
    if column.is_bytes:
        values = np.empty(len(rows), object)
        values[:] = [row[0] for row in rows]
        return values
    if kind == "bytes_list":
        values = np.frombuffer(b"".join(row[0] for row in rows), column.dtype)
    else:
        values = np.array([value for row in rows for value in row], column.dtype)
    return values.reshape((-1,) + column.shape)

def run(command, options, stop):
    """The exit status of a command; one line on stderr for what its user can mend."""
    stop = stop or StopSignals()
    try:
        try:
            command(options, stop)
        except tf.errors.DataLossError:
            prepare(options, stop).check_blocks(stop)  # names the file and the record
            raise
        except tf.errors.InvalidArgumentError:
            prepare(options, stop).check_images()  # names the row, where it is about an image
            raise
    except OSError as error:
        say(f"{error.filename}: {error.strerror}" if error.filename else str(error), sys.stderr)
        return 2
    except (UserError, *FILE_ERRORS) as error:
        say(str(error).split("\n")[0], sys.stderr)
        return 2
    return 0

# gone: import zipfile

# gone: class Source def read

# gone: def arrays_of

# gone: def load

# gone: def in_memory

# gone: def mapped

# gone: def bytes_in_memory
