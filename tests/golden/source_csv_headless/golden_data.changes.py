# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {
        "kind": "csv",
        "files": ["data/a.csv", "data/b.csv"],
        "on_error": "skip",
        "max_errors": 1,
        "header": False,
        "delimiter": ";",
        "missing": ["", "NA"],
    },
    "placeholders": {
        "image": {
            "dtype": "float32",
            "shape": [2, 2],
            "columns": ["0", "1", "2", "3"],
            "default": 0.5,
        },
        "label": {"dtype": "int64", "shape": [], "columns": ["4"], "classes": 10},
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

ROW_BYTES = 32

Column = collections.namedtuple(
    "Column", ["key", "dtype", "shape", "classes", "columns", "default"]
)

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("float32"), (2, 2), columns=("0", "1", "2", "3"), default=0.5),
    label=Column("label", np.dtype("int64"), (), classes=10, columns=("4",)),
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

DELIMITER = RECIPE["source"]["delimiter"]

MAX_ERRORS = RECIPE["source"]["max_errors"]  # damaged files of which the rest is left out

class Source:
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

    def _records(self, path):
        """The line that each record of a file begins in, and its cells."""
        with open(path, "rb") as file:
            csv.field_size_limit(2**31 - 1)  # of the longest cell, in characters
            reader = csv.reader(self._lines(path, file), strict=True, delimiter=DELIMITER)
            line, width, is_empty = 1, 0, True
            try:
                for cells in reader:
                    if cells and not width:
                        width = self._begin(path, line, cells)
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
                raise UserError(f"{path}: line 1: no row")

    def _begin(self, path, line, cells):
        """How many cells a row has. UserError where the columns are not those of the first file."""
        if not self.names:
            self._find_columns(path, line, [str(number) for number in range(len(cells))])
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
        self.names = names
        self.places = {c.key: [names.index(name) for name in c.columns] for c in READ}

    def _filled(self, column, texts, where):
        """The texts, with the column's default in the place of missing ones."""
        if MISSING.isdisjoint(texts):
            return texts
        if column.default is not None:
            return [str(column.default) if text in MISSING else text for text in texts]
        bad = next(number for number, text in enumerate(texts) if text in MISSING)
        fault = "missing, and it has no default"
        raise UserError(f"{where(bad)}: {column.key}: {fault}")

def spelt_all(dtype, texts):
    """The numbers as int64, float64 or bool, unless one of the texts spells none."""
    if "_" in "".join(texts):
        raise ValueError("1_000 would pass for a number")
    if dtype.kind == "f":
        return spelt_float(dtype, texts)
    return spelt_int(dtype, texts)

def spelt_float(dtype, texts):
    values = np.array(texts, "float64")
    with np.errstate(all="ignore"):
        rounded = values.astype(dtype)
    # A fraction may be rounded, a whole number may not.
    for number in np.flatnonzero(np.abs(values) > 2 ** np.finfo(dtype).nmant):
        digits = texts[number].strip().lstrip("+-")
        if digits.isdigit() and int(digits) != abs(float(rounded[number])):
            raise ValueError("the dtype rounds it")
    return values

# gone: def in_chunks
