# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "tfrecord", "compression": "auto"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "given",
        "parts": {"train": "train.tfrecord", "validation": "val.tfrecord", "test": "test.tfrecord"},
    },
    "records": {"format": "source", "rows_per_record": 100, "read_cycle": 4},
}

WINDOW_BLOCKS = 82  # blocks whose 8200 rows are decoded together

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

def compression_of(path):
    """GZIP, ZLIB, or "" for none: how a file is deflated, by its content."""
    with open(path, "rb") as file:
        head = file.read(12)
    found = ""
    if head[:2] == b"\x1f\x8b":
        found = "GZIP"
    elif head[:1] == b"\x78" and int.from_bytes(head[:2], "big") % 31 == 0:  # RFC 1950
        found = "ZLIB"
    if found and masked_crc32c(head[:8]) == int.from_bytes(head[8:], "little"):
        found = ""  # a length and its checksum: only the length begins like that
    return found

def in_place(source, files, stop):
    """What the manifest says of files that stay as they are: rows, kinds of features, and parts.

    Each file is a shard; its blocks are runs of records.
    """
    parts = {part: [] for part in PARTS}
    progress = Progress("files of the source", len(files))
    rows = 0
    for number, path in enumerate(files):
        stop.check()
        compression = compression_of(path)
        count = count_records(path, compression)
        blocks = [[min(ROWS_PER_RECORD, count - i)] for i in range(0, count, ROWS_PER_RECORD)]
        shard = {"file": number, "bytes": os.path.getsize(path), "compression": compression}
        shard.update(first=rows, blocks=blocks)
        if count:
            parts[list(PARTS)[number]].append(shard)
        else:
            say(f"{path}: warning: it has no records", sys.stderr)
        rows += count
        progress.update(number + 1)
    progress.close()
    shards = [shard for part in PARTS for shard in parts[part]]
    if not shards:
        raise UserError(f"{source}: has no rows")
    kinds = kinds_of([(files[s["file"]], s["compression"], rows_of(s)) for s in shards])
    entries = {part: entry_of(source, rows, part, parts[part]) for part in PARTS}
    certificate = {"disjoint": True, "complete": True}  # as each file is of one part
    return {"rows": rows, "kinds": kinds, **certificate, "parts": entries}

class Records:
    def blocks(self, epoch, seed):
        """Path and manifest entry of each block of an epoch, in the order of reading."""
        return self.stored_blocks("train")

# gone: import glob

# gone: READ_CYCLE

# gone: class Records def block_numbers

# gone: def window_order
