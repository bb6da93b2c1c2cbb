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

def arrays_of(paths, held=0):
    """The array of each of READ from its file, by its name; so many bytes are in memory already."""
    arrays = {}
    for path, column in zip(paths, READ):
        key = column.key
        try:
            arrays[key] = load(path, held)
        except UserError as error:
            raise UserError(f"{path}: {key}: {error}") from error
        except Exception as error:  # what NumPy raises depends on where the damage is
            raise UserError(f"{path}: {key}: cannot be read: {error}") from error
        held += arrays[key].nbytes
        rows = (arrays[READ[0].key].shape or (1,))[0]
        shape, expected = arrays[key].shape, (rows,) + column.shape
        if shape != expected:
            raise UserError(f"{path}: {key}: shape {shape}, expected {expected}")
    return arrays

def load(path, held):
    """The array of an .npy file: in memory where it is small, else on the disk."""
    with open(path, "rb") as file:
        if held + os.path.getsize(path) > SMALL:
            return on_disk(file)
        return np.lib.format.read_array(file, allow_pickle=False)

# gone: import zipfile

# gone: def in_memory
