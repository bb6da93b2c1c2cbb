# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "arrays": {"image": "gs://bucket/image.npy", "label": "label.npy"}},
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

def existing(paths):
    for path in paths:
        try:
            is_there = tf.gfile.Exists(path)
        except tf.errors.OpError as error:
            raise UserError(f"{path}: {error.message}") from error
        if not is_there:
            raise UserError(f"{path}: no such file; --source names another")
    return paths

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
            arrays[key] = load(path, held + bytes_in_memory(arrays))
        except UserError as error:
            raise UserError(f"{path}: {key}: {error}") from error
        except Exception as error:  # what NumPy raises depends on where the damage is
            raise UserError(f"{path}: {key}: cannot be read: {error}") from error
        rows = (arrays[READ[0].key].shape or (1,))[0]
        shape, expected = arrays[key].shape, (rows,) + column.shape
        if shape != expected:
            raise UserError(f"{path}: {key}: shape {shape}, expected {expected}")
    return arrays

def load(path, held):
    """The array of an .npy file, in memory."""
    with tf.gfile.GFile(path, "rb") as file:
        return in_memory(file, tf.gfile.Stat(path).length, held)

def in_memory(file, size, held):
    """The array of a file. UserError if half of the machine's memory does not hold it as well."""
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    if held + size > most:
        fault = f"{(held + size) / 1e6:,.0f} MB would be in memory, {most / 1e6:,.0f} MB may be"
        raise UserError(f"{fault}; on a local disk it could stay there")
    return np.lib.format.read_array(file, allow_pickle=False)

def bytes_in_memory(arrays):
    return sum(array.nbytes for array in arrays.values())

def source_identity(source, files, stop, known=()):
    """Name, seen from `source`, bytes, time and SHA-256 of each file, if not in `known`."""
    known, identity = {tuple(entry[:3]): entry[3] for entry in known}, []
    for path in files:
        found = tf.gfile.Stat(path)
        size, modified = found.length, found.mtime_nsec
        name = path if "://" in path else os.path.relpath(path, source)
        identity.append([name, size, modified, known.get((name, size, modified))])
    unknown = [(path, entry) for path, entry in zip(files, identity) if entry[3] is None]
    progress = Progress("bytes of the source", sum(size for _, (_, size, _, _) in unknown))
    done = [0]

    def digest(path, entry):
        sha256 = hashlib.sha256()
        with tf.gfile.GFile(path, "rb") as file:
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

# gone: import zipfile

# gone: def mapped
