# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "python", "import": "rows:make"},
    "placeholders": {
        "image": {"dtype": "float32", "shape": [None], "pad": {"length": 64, "value": 0}},
        "label": {
            "dtype": "int64",
            "shape": [],
            "encoding": "text",
            "default": 2,
            "classes": 3,
            "vocabulary": ["a", "b"],
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

# The folder that relative paths start from.
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")

ROW_BYTES = 272

Column = collections.namedtuple(
    "Column", ["key", "dtype", "shape", "classes", "pad", "encoding", "default", "vocabulary"]
)

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("float32"), (64,), pad=0),
    label=Column(
        "label", np.dtype("int64"), (), classes=3, encoding="text", default=2, vocabulary=("a", "b")
    ),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

class Source:
    def __init__(self, folder):
        self.folder, self.position = folder, 0  # rows so far
        self.texts = text_columns()

    def _column(self, column, rows, ids):
        """What the rows `ids` hold for a placeholder."""
        values = [self._value(column, row, number) for number, row in zip(ids, rows)]
        arrays = [self._array(column, value, number) for number, value in zip(ids, values)]
        counts = np.array([array.size for array in arrays])
        numbers = self._numbers(column, arrays, np.repeat(ids, counts))
        if column.pad is not None:
            return padded(self, column, numbers, counts, ids)
        return numbers.reshape((-1,) + column.shape)

    def _value(self, column, row, number):
        """What a row has for a placeholder."""
        try:
            value = row[column.key]
        except LookupError:
            value = None
        except Exception as error:
            fault = f"is {type(row).__name__}, not a mapping of keys to values"
            raise UserError(f"{self.where(number)}: {fault}") from error
        if value is not None:
            return value
        if column.default is not None:
            shape = column.shape if column.pad is None else (1,)
            if column.key in self.texts:
                return np.full(shape, None)  # for which Texts has the default
            return np.full(shape, column.default)
        raise UserError(f"{self.where(number)}: {column.key}: missing, and it has no default")

    def _array(self, column, value, number):
        """The value of a row as an array of the column's shape."""
        if column.encoding == "tokens" and isinstance(value, (str, bytes)):
            value = value.split()
        try:
            array = np.asarray(value, object if column.key in self.texts else None)
        except Exception as error:  # what a value raises depends on what it is
            fault = f"{column.key}: holds {type(value).__name__}, which is no array"
            raise UserError(f"{self.where(number)}: {fault}") from error
        expected = column.shape if column.pad is None else (array.size,)
        if array.shape != expected:
            fault = f"{column.key}: shape {array.shape}, expected {expected}"
            raise UserError(f"{self.where(number)}: {fault}")
        return array

    def _numbers(self, column, arrays, ids):
        """All values of arrays, one behind the other; each is in the row of its place in `ids`."""
        if column.key in self.texts:
            texts = [text for array in arrays for text in array.ravel()]
            texts = [self._text(column, text, number) for number, text in zip(ids, texts)]
            return self.texts[column.key].numbers(texts, lambda number: self.where(ids[number]))
        numbers = np.empty(len(ids), column.dtype)
        # Integers and floats apart: as one array, large integers would be rounded.
        for dtype in dict.fromkeys(array.dtype for array in arrays if array.size):
            here = np.repeat(
                [array.dtype == dtype for array in arrays], [array.size for array in arrays]
            )
            values = np.concatenate([array.ravel() for array in arrays if array.dtype == dtype])
            numbers[here] = stored(self, column, values, ids[here])
        return numbers

    def _text(self, column, value, number):
        """A text of a row, be it in bytes; None is a missing one."""
        try:
            value = value.decode() if isinstance(value, bytes) else value
        except UnicodeDecodeError as error:
            fault = f"{column.key}: not UTF-8: {error.reason}"
            raise UserError(f"{self.where(number)}: {fault}") from error
        if value is None or isinstance(value, str):
            return value
        fault = f"{column.key}: holds {type(value).__name__}, not a text"
        raise UserError(f"{self.where(number)}: {fault}")

def text_columns():
    """The Texts of each column whose texts are numbers in the records, by its key."""
    return {column.key: Texts(column) for column in READ if column.vocabulary}

class Texts:
    """The numbers that stand for the texts of a column."""

    def __init__(self, column):
        self.column = column
        self.places = {text: place for place, text in enumerate(vocabulary(column))}

    def numbers(self, texts, where):
        """An int64 for each text, None being a missing one; where(i) is the place of one."""
        known = self.places
        numbers = [known.get(text, self.column.default) for text in texts]
        if None in numbers:
            bad = numbers.index(None)
            fault = "missing" if texts[bad] is None else f"{texts[bad]!r} is not in its vocabulary"
            raise UserError(f"{where(bad)}: {self.column.key}: {fault}, and it has no default")
        return np.array(numbers, "int64")

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
