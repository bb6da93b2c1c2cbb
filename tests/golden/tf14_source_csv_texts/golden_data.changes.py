import csv

import difflib

import itertools

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
        "who": {"dtype": "string", "shape": []},
        "label": {
            "dtype": "int64",
            "shape": [],
            "encoding": "text",
            "classes": 3,
            "vocabulary": ["a", "b", "c"],
        },
    },
    "splits": {
        "method": "group",
        "by": "who",
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

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data.csv")

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
        "vocabulary",
        "is_bytes",
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
        classes=3,
        columns=("label",),
        encoding="text",
        vocabulary=("a", "b", "c"),
    ),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

# What the rows are dealt by; no model reads it.
KEY = Column("who", np.dtype("object"), (), columns=("who",), is_bytes=True)

READ = COLUMNS[:-1] + (KEY,)  # from the source

MISSING = frozenset(RECIPE["source"]["missing"])  # the texts that stand for a missing value

CHUNK_ROWS = 512  # that are converted together

def in_chunks(rows):
    """Lists of CHUNK_ROWS of the rows; the last one has what is left."""
    return iter(lambda: list(itertools.islice(rows, CHUNK_ROWS)), [])

class Source:
    """Tables in UTF-8, read from one end to the other. A record is a row, a blank line is none."""

    def __init__(self, paths):
        self.paths, self.bytes = paths, sum(os.path.getsize(path) for path in paths)
        self.position, self.rows = 0, 0  # bytes and rows, read so far
        self.chunk_places = []  # of each chunk: its first row, its file, and the line of each row
        self.names, self.places = None, {}  # of all columns; of those that are read, by placeholder
        self.texts = text_columns()

    def where(self, row):
        """The place of a row, for a message: the line that it begins in."""
        firsts = [first for first, _, _ in self.chunk_places]
        first, path, lines = self.chunk_places[np.searchsorted(firsts, row, side="right") - 1]
        return f"{path}: line {lines[row - first]}"

    def chunks(self):
        """Row ids, and the values of each of READ, of some hundred rows at a time."""
        for path in self.paths:
            for chunk in in_chunks(self._records(path)):
                lines, rows = zip(*chunk)
                ids = self._numbered(path, lines)
                yield ids, self._values(rows, ids)

    def _numbered(self, path, lines):
        """The ids of the next rows of a file, which begin in these lines."""
        self.chunk_places.append((self.rows, path, np.array(lines)))
        self.rows += len(lines)
        return np.arange(self.rows - len(lines), self.rows)

    def _records(self, path):
        """The line that each record of a file begins in, and its cells."""
        with open(path, "rb") as file:
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

    def _lines(self, path, file):
        """The lines of a file as texts."""
        for number, line in enumerate(file, 1):
            self.position += len(line)
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise UserError(f"{path}: line {number}: not UTF-8: {error.reason}") from error
            if "\0" in text:
                raise UserError(f"{path}: line {number}: holds a NUL, which is no text")
            yield text

    def _begin(self, path, line, cells):
        """How many cells a row has. UserError where the columns are not those of the first file."""
        if not self.names:
            self._find_columns(path, line, cells)
        for ours, first in itertools.zip_longest(cells, self.names, fillvalue=""):
            if ours != first:
                fault = f"column {ours!r} where {self.first} has {first!r}"
                raise UserError(f"{path}: line {line}: {fault}")
        return len(self.names)

    def _find_columns(self, path, line, names):
        """Where the columns are that are read. UserError names one that is not there, or twice."""
        for name in (name for column in READ for name in column.columns):
            if names.count(name) > 1:
                raise UserError(f"{path}: line {line}: {names.count(name)} columns {name!r}")
            if name not in names:
                near = [
                    f"did you mean {each!r}?" for each in difflib.get_close_matches(name, names, 1)
                ]
                near = near or [f"there are {', '.join(map(repr, names))}"]
                raise UserError(f"{path}: line {line}: no column {name!r}; {near[0]}")
        self.first = path
        self.names = names
        self.places = {c.key: [names.index(name) for name in c.columns] for c in READ}

    def _values(self, rows, ids):
        """The values of each of READ, of rows of cells."""
        return [self._column(column, rows, ids) for column in READ]

    def _column(self, column, rows, ids):
        """What the rows `ids` hold for a placeholder, out of all their cells."""
        places = self.places[column.key]
        texts = [cells[place] for cells in rows for place in places]
        if column.dtype.kind == "O":
            return self._filled(column, texts, self._cells(column, ids))
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

    def _cells(self, column, ids):
        """A function for the place of a text by its number: the texts of a row are side by side."""
        names = column.columns

        def where(number):
            name = names[number % len(names)]
            return self.where(ids[number]) + (f": column {name!r}" if name != column.key else "")

        return where

    def _filled(self, column, texts, where):
        """The texts, with the column's default in the place of missing ones."""
        if MISSING.isdisjoint(texts):
            return texts
        bad = next(number for number, text in enumerate(texts) if text in MISSING)
        fault = "missing, and it has no default"
        raise UserError(f"{where(bad)}: {column.key}: {fault}")

def malformed(error):
    """What the csv module found wrong with a table."""
    if "new-line character" in str(error):
        return "a CR alone ends no line; LF does, or CR and LF"
    return f"no record of a table: {error}"

def stored(source, column, values, ids):
    """Values of the rows `ids` in the column's dtype. UserError names a row that does not fit."""

    def refuse(bad, fault):
        for place in np.argwhere(bad)[:1]:
            where = f"{source.where(ids[place[0]])}: {column.key}"
            raise UserError(f"{where}: {values[tuple(place)]} {fault}")

    if column.dtype.kind == "O":
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
        numbers = [known.get(text) for text in texts]
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
                    if column.is_bytes:
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
                if column.is_bytes:
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

def split(source):
    """Row ids of each part, ascending. Whole groups, in a seeded order, to whom most is lacking."""
    groups, group_of_row = np.unique(dealt_by(source), return_inverse=True)
    sizes = np.bincount(group_of_row).tolist()
    lacking = [share * len(source.ids) for share in PARTS.values()]
    part_of_group = np.zeros(len(groups), int)
    for group in seeded(SPLITS_SEED).permutation(len(groups)).tolist():
        number = lacking.index(max(lacking))  # a tie goes to the earlier part
        part_of_group[group] = number
        lacking[number] -= sizes[group]
    numbers = part_of_group[group_of_row]
    return {part: source.ids[numbers == number] for number, part in enumerate(PARTS)}

def dealt_by(source):
    """What the rows are dealt by, of all rows."""
    column = KEY
    pieces = np.array_split(source.ids, 1 + len(source.ids) // 65536)
    return np.concatenate([read_column(source, column, ids) for ids in pieces])

def packed(source, ids):
    """The rows `ids` as one record: a column behind the other, the ids last."""
    columns = [read_column(source, column, ids) for column in READ[:-1]]
    return b"".join(map(np.ascontiguousarray, [*columns, ids.astype("int64")]))

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

# gone: class Source def read

# gone: def arrays_of

# gone: def load

# gone: def in_memory

# gone: def mapped

# gone: def bytes_in_memory

# gone: def largest_remainder
