import functools

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "given",
        "parts": {"train": "train.npz", "test": "sub/test.npz"},
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
    """The file of each part, in their order. UserError names one that is missing."""
    return existing([located(source, path) for path in PARTS.values()])

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

class Source:
    """The arrays of .npz files; their first axis counts the rows."""

    def __init__(self, paths):
        self.paths, self.files, self.dtypes, held = paths, [], {}, 0
        for path in paths:
            self.files.append(arrays_of([path] * len(READ), held))
            held += bytes_in_memory(self.files[-1])
        for column in READ:
            dtypes = [arrays[column.key].dtype for arrays in self.files]
            for path, dtype in zip(paths, dtypes):
                if dtype.kind != dtypes[0].kind:
                    fault = f"holds {dtype}, but that of {paths[0]} {dtypes[0]}"
                    raise UserError(f"{path}: {column.key}: {fault}")
            self.dtypes[column.key] = functools.reduce(np.promote_types, dtypes)
        self.counts = [len(arrays[READ[0].key]) for arrays in self.files]
        self.ends = np.cumsum(self.counts)
        self.ids = np.arange(self.ends[-1])

    def where(self, row):
        """The place of a row, for a message."""
        number = int(np.searchsorted(self.ends, row, side="right"))
        return f"{self.paths[number]}: row {row - self.ends[number] + self.counts[number]}"

    def read(self, column, ids):
        """A column of the rows `ids`, in the dtype of the files."""
        values = np.empty((len(ids),) + column.shape, self.dtypes[column.key])
        numbers = np.searchsorted(self.ends, ids, side="right")
        for number in np.unique(numbers):
            here = numbers == number
            first = self.ends[number] - self.counts[number]
            values[here] = self.files[number][column.key][ids[here] - first]
        return values

def split(source):
    """Row ids of each part: the rows of its own file."""
    return dict(zip(PARTS, np.split(source.ids, np.cumsum(source.counts)[:-1])))

# gone: def largest_remainder

# gone: def dealt_by
