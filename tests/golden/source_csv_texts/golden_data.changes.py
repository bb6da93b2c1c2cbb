# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {
        "kind": "csv",
        "path": "data.csv",
        "header": True,
        "delimiter": ",",
        "missing": [""],
    },
    "placeholders": {
        "image": {
            "dtype": "int16",
            "shape": [None],
            "encoding": "tokens",
            "pad": {"length": 8, "value": -1},
            "hash_buckets": 1000,
        },
        "label": {
            "dtype": "int64",
            "shape": [],
            "encoding": "text",
            "default": 9,
            "classes": 10,
            "vocabulary": "classes.txt",
        },
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

SPEC_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")

ROW_BYTES = 32

Column = collections.namedtuple(
    "Column",
    [
        "key",
        "dtype",
        "shape",
        "classes",
        "columns",
        "encoding",
        "pad",
        "hash_buckets",
        "default",
        "vocabulary",
    ],
)

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column(
        "image",
        np.dtype("int16"),
        (8,),
        columns=("image",),
        encoding="tokens",
        pad=-1,
        hash_buckets=1000,
    ),
    label=Column(
        "label",
        np.dtype("int64"),
        (),
        classes=10,
        columns=("label",),
        encoding="text",
        default=9,
        vocabulary="classes.txt",
    ),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

class Source:
    def __init__(self, paths):
        self.paths, self.bytes = paths, sum(os.path.getsize(path) for path in paths)
        self.position, self.rows = 0, 0  # bytes and rows, read so far
        self.chunk_places = []  # of each chunk: its first row, its file, and the line of each row
        self.names, self.places = None, {}  # of all columns; of those that are read, by placeholder
        self.texts = text_columns()

    def _column(self, column, rows, ids):
        """What the rows `ids` hold for a placeholder, out of all their cells."""
        places = self.places[column.key]
        texts = [cells[place] for cells in rows for place in places]
        if column.encoding == "tokens":
            tokens = [text.split() for text in texts]
            counts = np.array([len(each) for each in tokens])
            texts = [text for each in tokens for text in each]
            numbers = self._numbers(column, texts, np.repeat(ids, counts))
            return padded(self, column, numbers, counts, ids)
        numbers = self._numbers(column, texts, np.repeat(ids, len(places)))
        return numbers.reshape((-1,) + column.shape)

    def _numbers(self, column, texts, ids):
        """The number that each text stands for; it is in the row of the same place in `ids`."""
        where = self._cells(column, ids)
        known = [None if text in MISSING else text for text in texts]
        return self.texts[column.key].numbers(known, where)

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
    if not isinstance(column.vocabulary, str):
        return column.vocabulary or ()
    path = vocabulary_file(column)
    try:
        with open(path, encoding="utf-8-sig") as file:
            texts = file.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        fault = "not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UserError(f"{path}: the vocabulary of {column.key}: {fault}") from error
    texts = texts[:-1] if texts[-1] == "" else texts  # what follows the end of the last line
    if not texts:
        raise UserError(f"{path}: the vocabulary of {column.key}: has no line, and each is a text")
    lines = {text: line for line, text in reversed(list(enumerate(texts, 1)))}
    for line, text in enumerate(texts, 1):
        if lines[text] != line:
            raise UserError(f"{path}: line {line}: {text!r} stands in line {lines[text]} already")
    return texts

def vocabulary_file(column):
    """The path of a column's vocabulary, which is said relative to the spec."""
    return os.path.join(SPEC_FOLDER, column.vocabulary)

def vocabulary_files():
    """The files of all vocabularies. UserError names one that is missing."""
    paths = {vocabulary_file(c): c.key for c in READ if isinstance(c.vocabulary, str)}
    for path, key in paths.items():
        if not os.path.exists(path):
            raise UserError(f"{path}: no such file; it is the vocabulary of {key}")
    return list(paths)

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

def source_identity(source, files, stop, known=()):
    """Name, seen from `source`, bytes, time and SHA-256 of each file, if not in `known`."""
    known, identity = {tuple(entry[:3]): entry[3] for entry in known}, []
    vocabularies = vocabulary_files()
    for path in files:
        found = os.stat(path)
        size, modified = found.st_size, found.st_mtime_ns
        start = SPEC_FOLDER if path in vocabularies else source
        name = os.path.relpath(path, start)
        identity.append([name, size, modified, known.get((name, size, modified))])
    unknown = [(path, entry) for path, entry in zip(files, identity) if entry[3] is None]
    progress = Progress("bytes of the source", sum(size for _, (_, size, _, _) in unknown))
    done = [0]

    def digest(path, entry):
        sha256 = hashlib.sha256()
        with open(path, "rb") as file:
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

def check_source(source, folder, advice, stop):
    """UserError if a file is not what it was when the records in `folder` were made."""
    try:
        files = source_files(source) + vocabulary_files()
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

def write_records(folder, draft, old, options, stop):
    """Write the whole set aside, the manifest last, and put it in its place by renaming."""
    try:
        os.mkdir(draft)
        name, files = options.source, source_files(options.source)
        identity = source_identity(name, files + vocabulary_files(), stop)
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

# gone: class Source def _filled

# gone: def spelt

# gone: def spelt_all

# gone: def spelt_int
