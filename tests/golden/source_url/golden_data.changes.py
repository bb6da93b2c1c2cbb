# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "gs://bucket/data.npz"},
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

SOURCE = "gs://bucket/data.npz"

def existing(paths):
    for path in paths:
        try:
            is_there = tf.gfile.Exists(path)
        except tf.errors.OpError as error:
            raise UserError(f"{path}: {error.message}") from error
        if not is_there:
            raise UserError(f"{path}: no such file; --source names another")
    return paths

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

# gone: def mapped
