import functools

import struct

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "images", "path": "flowers"},
    "placeholders": {
        "image": {"dtype": "string", "shape": [32, 48, 3], "encoding": "image"},
        "label": {"dtype": "int64", "shape": [], "classes": 2},
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

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flowers")

Column = collections.namedtuple("Column", ["key", "dtype", "shape", "classes", "is_bytes"])

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("uint8"), (32, 48, 3), is_bytes=True),
    label=Column("label", np.dtype("int64"), (), classes=2),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

class Source:
    """Files of images; the class of each is the folder that it lies in."""

    def __init__(self, paths):
        self.files, names = [], []
        for path in paths:
            folders = class_folders(path)
            if not folders:
                raise UserError(f"{path}: no folder in it, and each class has one")
            for folder in folders:
                found = image_files(folder)
                if not found:
                    raise UserError(f"{folder}: no image in it; each class has some, or no folder")
                self.files += found
                names += [os.path.basename(folder)] * len(found)
        self.labels = self._numbered(names)
        if self.classes is not None and len(self.classes) != COLUMNS.label.classes:
            found, expected = len(self.classes), COLUMNS.label.classes
            raise UserError(f"{paths[0]}: {found} classes, but {COLUMNS.label.key} has {expected}")
        self.ids = np.arange(len(self.files))

    def where(self, row):
        """The place of a row, for a message."""
        return self.files[row]

    def read(self, column, ids):
        """A column of the rows `ids`: what is in the files, or the numbers that go with them."""
        if column != COLUMNS.image:
            return self.labels[ids]
        contents = np.empty(len(ids), object)
        for place, row in enumerate(ids):
            with open(self.files[row], "rb") as file:
                contents[place] = file.read()
        return contents

    def _numbered(self, names):
        """The number of each row's class: its place among all of them."""
        self.classes = sorted(set(names))
        numbers = {name: number for number, name in enumerate(self.classes)}
        return np.array([numbers[name] for name in names], int)

def class_folders(path):
    """The folders in one, sorted, but for hidden ones."""
    return sorted(e.path for e in os.scandir(path) if e.is_dir() and e.name[0] != ".")

def image_files(folder):
    """The images in a folder and below, sorted, but for hidden ones."""
    found = []
    for place, _, names in os.walk(folder):
        if "/." not in place[len(folder) :]:
            found += [os.path.join(place, name) for name in filter(is_image, names)]
    return sorted(found)

def identified(paths):
    """The files that the rows are made of."""
    folders = (folder for path in paths for folder in class_folders(path))
    return [file for folder in folders for file in image_files(folder)]

def is_image(name):
    endings = (".jpg", ".jpeg", ".png", ".gif", ".bmp")
    return name.lower().endswith(endings) and not name.startswith(".")

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

    def from_jpeg(size, ratio):
        return tf.image.decode_jpeg(contents, 3, ratio=ratio)

    def from_scaled_jpeg():
        """At 1/8, 1/4 or 1/2, where that is not smaller than what it is resized to."""
        size = tf.image.extract_jpeg_shape(contents, tf.int64)[:2]
        large = [tf.reduce_all(-(-size // ratio) >= (32, 48)) for ratio in (8, 4, 2)]
        decoders = [functools.partial(from_jpeg, size, ratio) for ratio in (8, 4, 2)]
        return tf.case(list(zip(large, decoders)), functools.partial(from_jpeg, size, 1))

    def from_others():
        return tf.cond(
            tf.equal(begins, b"BM"),
            lambda: tf.image.decode_bmp(contents, 3),
            lambda: tf.image.decode_jpeg(contents, 3),  # PNG and GIF as well
        )

    is_jpeg = tf.equal(begins, b"\xff\xd8")
    return tf.cond(is_jpeg, from_scaled_jpeg, from_others)

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

def check_source(source, folder, advice, stop):
    """UserError if a file is not what it was when the records in `folder` were made."""
    try:
        files = identified(source_files(source))
    except UserError:
        if source != SOURCE:
            raise
        return  # the records are enough
    path = os.path.join(folder, "source.json")
    try:
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
        before = {name: sha256 for name, _, _, sha256 in known}
    except (OSError, ValueError, TypeError) as error:
        fault = "its source.json is damaged"
        raise UserError(f"{folder}: {fault}; prepare --fresh makes it anew") from error
    identity = source_identity(source, files, stop, known)
    now = {name: sha256 for name, _, _, sha256 in identity}
    paths = {name: path for (name, _, _, _), path in zip(identity, files)}
    for name in [*now, *before]:
        if now.get(name) != before.get(name):
            change = "gone" if name not in now else "new" if name not in before else "changed"
            place = paths.get(name, os.path.normpath(os.path.join(source, name)))
            raise UserError(f"{place}: {change} {advice}")
    if identity != known:  # other times of the same files, which need no second look
        with contextlib.suppress(OSError):  # where nothing can be written
            write_json(f"{path}.{os.getpid()}", identity)
            os.replace(f"{path}.{os.getpid()}", path)

def packed(source, ids):
    """The rows `ids` as one record: a column behind the other, the ids last."""
    columns = [read_column(source, column, ids) for column in READ]
    # What is encoded: the lengths of all, and all the bytes. The number of rows comes first.
    pieces = [np.int64(len(ids)).tobytes()]
    for column, values in zip(COLUMNS, columns):
        if column.is_bytes:
            pieces.append(np.array([len(value) for value in values], "int64").tobytes())
            pieces.extend(values)
        else:
            pieces.append(values.tobytes())
    return b"".join([*pieces, ids.astype("int64").tobytes()])

def write_records(folder, draft, old, options, stop):
    """Write the whole set aside, the manifest last, and put it in its place by renaming."""
    try:
        os.mkdir(draft)
        name, files = options.source, source_files(options.source)
        identity = source_identity(name, identified(files), stop)
        write_json(os.path.join(draft, "source.json"), identity)
        source = Source(files)
        if not len(source.ids):
            raise UserError(f"{name}: has no rows")
        parts = split(source)
        manifest = {
            "recipe": RECIPE,
            "source": fingerprint([[entry[0], entry[3]] for entry in identity]),
            "rows": int(source.ids[-1]) + 1,  # with those that were skipped
            "classes": source.classes,  # by their numbers; None where the source has numbers itself
            **certificate(name, source, parts),
            "parts": {},
        }
        for part, ids in parts.items():
            rank = ["train", "validation", "test"].index(part)
            ids = ids[seeded(SPLITS_SEED, rank).permutation(len(ids))]
            manifest["parts"][part] = write_part(draft, part, ids, source, stop)
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
        try:
            return Source(source_files(self.source)).where(row)
        except (UserError, OSError):
            return f"{self.folder}: row {row}"

    def check_images(self):
        """Decode all; UserError names the first one that is damaged."""
        for part in self.parts:
            for path, entry in self.stored_blocks(part):
                rows = decode([read_block(path, entry)])
                for column, values in zip(COLUMNS, rows):
                    if column.is_bytes:
                        stored_images(self, column, values, rows.row_id)

def read_block(path, entry):
    """The stored bytes of a block, of which the manifest has an entry; UserError if damaged."""
    _, offset, size, checksum = entry
    with open(path, "rb") as file:
        file.seek(offset + 12)  # past the length and its checksum
        block = file.read(size)
    if zlib.crc32(block) != checksum:
        raise damaged(path, offset)
    return block

def decode(blocks):
    """All rows of consecutive blocks, in stored order; what is encoded stays so."""
    pieces = []
    for block in blocks:
        rows, offset = int(np.frombuffer(block, "int64", 1)[0]), 8
        pieces.append([])
        for column in COLUMNS:
            if column.is_bytes:
                sizes = np.frombuffer(block, "int64", rows, offset)
                ends = offset + sizes.nbytes + np.cumsum(sizes)
                values = np.empty(rows, object)
                for row, (size, end) in enumerate(zip(sizes.tolist(), ends.tolist())):
                    values[row] = block[end - size : end]
                offset = int(ends[-1])
            else:
                size = int(np.prod(column.shape))
                values = np.frombuffer(block, column.dtype, rows * size, offset)
                values = values.reshape((rows,) + column.shape)
                offset += values.nbytes
            pieces[-1].append(values)
    return Batch(*map(np.concatenate, zip(*pieces)))

def prepare(options, stop, fresh=False):
    """The records of this recipe below options.records, made where they are not there yet."""
    folder = os.path.join(options.records, fingerprint(RECIPE)[:16])
    manifest, draft, old = os.path.join(folder, "manifest.json"), folder + ".draft", folder + ".old"
    if fresh or not os.path.exists(manifest) or os.path.exists(draft) or os.path.exists(old):
        try:
            os.makedirs(options.records, exist_ok=True)
            with open(folder + ".lock", "w") as lock:
                wait_for(lock, folder, stop)  # one process writes; the others find it done
                if os.path.exists(old) and not os.path.exists(folder):
                    os.rename(old, folder)  # a process was killed between its two renamings
                for left in (draft, old):  # by a process that was killed
                    shutil.rmtree(left, ignore_errors=True)
                if fresh or not os.path.exists(manifest):
                    write_records(folder, draft, old, options, stop)
        except tf.errors.OpError as error:
            raise UserError(error.message) from error
        except OSError as error:
            raise UserError(f"{error.filename or folder}: {error.strerror or error}") from error
    records = Records(folder)
    records.source = options.source
    check_source(options.source, folder, f"since; prepare --fresh makes {folder} anew", stop)
    say(f"{folder}: {summary(records)}")
    return records

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

# gone: ROW_BYTES

# gone: def arrays_of

# gone: def load

# gone: def in_memory

# gone: def mapped

# gone: def bytes_in_memory
