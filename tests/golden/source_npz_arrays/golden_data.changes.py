# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "arrays": {"image": "image.npy", "label": "label.npy"}},
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
    """The file of each column, in their order. UserError names one that is missing."""
    arrays = RECIPE["source"]["arrays"]
    return existing([located(source, arrays[column.key]) for column in READ])

def located(source, path):
    """A path of the spec; a relative one starts from the folder `source`."""
    return path if "://" in path else os.path.normpath(os.path.join(source, path))

class Source:
    """Arrays in .npy files; their first axis counts the rows."""

    def __init__(self, paths):
        self.name = ", ".join(paths)
        self.arrays = arrays_of(paths)
        self.ids = np.arange(len(self.arrays[READ[0].key]))

def arrays_of(paths):
    """The array of each of READ from its file, by its name, mapped."""
    arrays = {}
    for path, column in zip(paths, READ):
        key = column.key
        try:
            arrays[key] = np.lib.format.open_memmap(path, mode="r")
        except Exception as error:  # what NumPy raises depends on where the damage is
            raise UserError(f"{path}: {key}: cannot be read: {error}") from error
        rows = (arrays[READ[0].key].shape or (1,))[0]
        shape, expected = arrays[key].shape, (rows,) + column.shape
        if shape != expected:
            raise UserError(f"{path}: {key}: shape {shape}, expected {expected}")
    return arrays

# gone: import zipfile

# gone: def load

# gone: def in_memory

# gone: def mapped

# gone: def bytes_in_memory
