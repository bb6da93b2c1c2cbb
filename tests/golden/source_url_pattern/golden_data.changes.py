import functools

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "pattern": "gs://bucket/*.npz"},
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
    """The files that match, sorted. UserError where there are none."""
    pattern = RECIPE["source"]["pattern"]
    try:
        found = sorted(tf.gfile.Glob(pattern))
    except tf.errors.OpError as error:
        raise UserError(f"{pattern}: {error.message}") from error
    if not found:
        raise UserError(f"{pattern}: no file matches")
    return found

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

def load(path, key, held):
    """An array of an .npz file, in memory."""
    with tf.gfile.GFile(path, "rb") as whole, zipfile.ZipFile(whole) as archive:
        names = [name[:-4] for name in archive.namelist() if name.endswith(".npy")]
        if key not in names:
            raise UserError(f"not in the file, which has {', '.join(names)}")
        member = archive.getinfo(f"{key}.npy")
        with archive.open(member) as file:
            return in_memory(file, member.file_size, held)

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

# gone: def existing

# gone: def mapped
