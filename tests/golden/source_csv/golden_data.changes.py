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
        "image": {"dtype": "uint8", "shape": [2, 2], "columns": ["a", "b", "c", "d"]},
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

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data.csv")

ROW_BYTES = 20

Column = collections.namedtuple("Column", ["key", "dtype", "shape", "classes", "columns"])

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("uint8"), (2, 2), columns=("a", "b", "c", "d")),
    label=Column("label", np.dtype("int64"), (), classes=10, columns=("label",)),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

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
        numbers = self._numbers(column, texts, np.repeat(ids, len(places)))
        return numbers.reshape((-1,) + column.shape)

    def _numbers(self, column, texts, ids):
        """The number that each text stands for; it is in the row of the same place in `ids`."""
        where = self._cells(column, ids)
        return spelt(column, self._filled(column, texts, where), where)

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

def spelt(column, texts, where):
    """The numbers that texts spell. UserError names a text that spells none of the column's dtype.

    where(i) is the place of a text, for a message.
    """
    try:
        return spelt_all(column.dtype, texts)
    except (KeyError, OverflowError, ValueError):
        values = []  # of each alone
    for number, text in enumerate(texts):
        try:
            values.append(spelt_all(column.dtype, [text]))
        except (KeyError, OverflowError, ValueError) as error:
            fault = f"{text!r} is no {column.dtype}"
            raise UserError(f"{where(number)}: {column.key}: {fault}") from error
    return np.concatenate(values)

def spelt_all(dtype, texts):
    """The numbers as int64, float64 or bool, unless one of the texts spells none."""
    if "_" in "".join(texts):
        raise ValueError("1_000 would pass for a number")
    return spelt_int(dtype, texts)

def spelt_int(dtype, texts):
    try:
        return np.array(texts, "int64")
    except ValueError:  # perhaps there is a 2.0
        values = np.array(texts, "float64")
        if not ((np.abs(values) < 2**53) & (values == np.floor(values))).all():
            raise
        return values.astype("int64")

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

# gone: class Source def read

# gone: def arrays_of

# gone: def load

# gone: def in_memory

# gone: def mapped

# gone: def bytes_in_memory
