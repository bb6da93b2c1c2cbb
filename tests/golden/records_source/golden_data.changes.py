# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "tfrecord", "pattern": "digits-*.tfrecord", "compression": "none"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {"method": "even", "parts": {"train": 1.0}},
    "records": {"format": "source", "rows_per_record": 256, "read_cycle": 4},
}

ROWS_PER_RECORD = RECIPE["records"]["rows_per_record"]  # consecutive ones, which are a block

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
    if head and found != "":
        looks = f"{path} looks like {found or 'plain records'}"
        raise UserError(f"{looks} but source.compression is none")
    return found

def column_of(source, column, examples, ids):
    """What Examples have for a column."""
    kinds = np.array([kind_of(features, column.key) for features in examples])
    result = np.empty((len(ids),) + column.shape, column.dtype)
    for kind in np.unique(kinds):  # else large integers beside floats would be rounded
        rows = np.flatnonzero(kinds == kind)
        if kind not in ("", source.kinds[column.key]):
            refuse(
                source, column, ids[rows[0]], f"{kind}, elsewhere it is {source.kinds[column.key]}"
            )
        if not kind:
            known = ", ".join(sorted(examples[rows[0]]))
            refuse(source, column, ids[rows[0]], f"no such feature; there are {known}")
        lists = [getattr(examples[row][column.key], kind).value for row in rows]
        if kind == "bytes_list":
            counts, values = from_bytes(source, column, lists, ids[rows])
        else:
            counts = np.array([len(values) for values in lists])
            values = np.array([value for values in lists for value in values], NUMBERS[kind])
        result[rows] = whole(source, column, values, counts, ids[rows])
    return result

def source_identity(source, files, stop, known=()):
    """Name, seen from `source`, bytes, time and SHA-256 of each file, if not in `known`."""
    known, identity = {tuple(entry[:3]): entry[3] for entry in known}, []
    for path in files:
        found = os.stat(path)
        size, modified = found.st_size, found.st_mtime_ns
        name = os.path.relpath(path, source)
        identity.append([name, size, modified, known.get((name, size, modified))])
    unknown = [(path, entry) for path, entry in zip(files, identity) if entry[3] is None]
    progress = Progress("bytes of the source", sum(size for _, (_, size, _, _) in unknown))
    done = [0]

    def digest(path, entry):
        _, is_all, entry[3] = framing(path)
        if is_all:
            return  # what frames the records tells them apart
        sha256 = hashlib.sha256()
        with open(path, "rb") as file:
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

PEEKED = 1000  # records, at most, that tell which kind of list a feature is

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
            parts["train"].append(shard)
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

def entry_of(source, rows, part, shards):
    """The manifest's entry of a part."""
    if not shards:
        raise UserError(f"{source}: of its {rows} rows {part} gets none")
    ids = np.concatenate([s["first"] + np.arange(rows_of(s)) for s in shards])
    return {"rows": len(ids), "ids": ids_digest(ids), "shards": shards}

def rows_of(shard):
    return sum(map(sum, shard["blocks"]))

def next_examples(path, records, first, rows):
    """The next serialized Examples of a file, of which the first has this number."""
    examples = [record for _, record in itertools.islice(records, rows)]
    if len(examples) < rows:
        fault = f"record {first + len(examples)}: gone since records were counted"
        raise UserError(f"{path}: {fault}; prepare --fresh counts them anew")
    return examples

def count_records(path, compression):
    """How many records a file has. UserError names the first that is damaged, or cut."""
    if not compression:
        rows, is_all, _ = framing(path)
        if is_all:
            return rows
    return sum(1 for _ in records_of(path, compression, is_whole(path, compression)))

def framing(path):
    """Of a file that is not deflated: its records, whether they are all of it, and a SHA-256.

    Only lengths and checksums are read.
    """
    size, at, rows, digest = os.path.getsize(path), 0, 0, hashlib.sha256()
    with open(path, "rb") as file:
        head = file.read(12)
        digest.update(head)
        while len(head) == 12:
            end = at + int.from_bytes(head[:8], "little") + FRAMING_BYTES
            if end > size:
                break
            file.seek(end - 4)
            tail = file.read(16)  # the checksum of the data, and the head of the next record
            digest.update(tail)
            at, rows, head = end, rows + 1, tail[4:]
    return rows, at == size, digest.hexdigest()

def kinds_of(shards):
    """The kind of list that the feature of each column is, by its key: the first records tell."""
    kinds, features = {}, {}
    records = (
        (f"{path}: record {number}", record)
        for path, compression, rows in shards
        for number, (_, record) in zip(range(rows), records_of(path, compression))
    )
    for where, record in itertools.islice(records, PEEKED):
        features = features_of(record)
        if not features:
            raise UserError(f"{where}: no tf.train.Example with features")
        for column in READ:
            kind = column.key in features and features[column.key].WhichOneof("kind")
            if kind:
                kinds.setdefault(column.key, kind)
        if len(kinds) == len(READ):
            break
    for column in READ:
        if column.key not in kinds:
            fault = f"no such feature; there are {', '.join(sorted(features))}"
            raise UserError(f"{shards[0][0]}: {column.key}: {fault}")
    return kinds

def write_records(folder, draft, old, options, stop):
    """Write the whole set aside, the manifest last, and put it in its place by renaming."""
    try:
        os.mkdir(draft)
        name, files = options.source, source_files(options.source)
        identity = source_identity(name, files, stop)
        write_json(os.path.join(draft, "source.json"), identity)
        manifest = {
            "recipe": RECIPE,
            "source": fingerprint([[entry[0], entry[3]] for entry in identity]),
            **in_place(name, files, stop),
        }
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

class Records:
    """TFRecord files in place: which records are a block, in which order an epoch reads them."""

    def __init__(self, folder, files):
        self.folder, self.files = folder, files
        try:
            with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
                self.manifest = json.load(file)
            if self.manifest.pop("digest") != fingerprint(self.manifest):
                raise ValueError("something in it has changed")
            self.written = self.written_at()
            self.parts = self.manifest["parts"]
            self.identity = {key: self.manifest[key] for key in ("rows", "source")}
            self.kinds = self.manifest["kinds"]  # of list that the feature of each key is
        except (OSError, ValueError, KeyError, TypeError) as error:
            fault = "its manifest is damaged"
            raise UserError(f"{folder}: {fault}; prepare --fresh makes it anew") from error

    def check_written(self):
        """UserError if other rows took its place since it was opened: some may have been read."""
        if self.written_at() != self.written:
            now = Records(self.folder, self.files)
            if now.identity != self.identity:
                raise UserError(f"{self.folder}: other rows took its place while it was read")
            self.written = now.written

    def shards(self, *parts):
        """Number and manifest entry of each file, in the order of the source."""
        return [(shard["file"], shard) for part in parts for shard in self.parts[part]["shards"]]

    def where(self, row):
        """The place of a row, for a message."""
        shards = self.shards(*self.parts)
        firsts = [shard["first"] for _, shard in shards]
        number, shard = shards[np.searchsorted(firsts, row, side="right") - 1]
        return f"{self.files[number]}: record {row - shard['first']}"

    def opening(self, numbers):
        """Of files by their numbers: paths, compressions, ids of their first rows."""
        shards = dict(self.shards(*self.parts))
        files = [(self.files[n], shards[n]["compression"], shards[n]["first"]) for n in numbers]
        return tuple(map(np.array, zip(*files)))

    def stored_blocks(self, part):
        """Number of the file and manifest entry of each block of a part, in stored order."""
        return [(path, entry) for path, shard in self.shards(part) for entry in shard["blocks"]]

    def block_numbers(self, epoch, seed):
        """The blocks of an epoch in the order of reading, by their place in stored order.

        The files that are read in rotation may have different numbers of blocks; the next ones are
        begun when the last of them has ended.
        """
        counts = [len(shard["blocks"]) for _, shard in self.shards("train")]
        shards = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
        shards = [shards[i] for i in seeded(seed, epoch).permutation(len(shards))]
        numbers = []
        for first in range(0, len(shards), READ_CYCLE):
            cycle = shards[first : first + READ_CYCLE]
            for turn in range(max(map(len, cycle))):
                numbers += [shard[turn] for shard in cycle if turn < len(shard)]
        return numbers

    def blocks(self, epoch, seed):
        """File and manifest entry of each block of an epoch, in the order of reading."""
        stored = self.stored_blocks("train")
        return [stored[number] for number in self.block_numbers(epoch, seed)]

    def epoch(self, epoch, seed, first_row):
        """How to read an epoch from a row on: files, window to begin with, rows to drop from it."""
        blocks = self.blocks(epoch, seed)
        rows = [entry[0] for _, entry in blocks]
        windows = [sum(rows[i : i + WINDOW_BLOCKS]) for i in range(0, len(rows), WINDOW_BLOCKS)]
        window = int(np.searchsorted(np.cumsum(windows), first_row, side="right"))
        files = self.opening(dict.fromkeys(number for number, _ in blocks))
        return files, window, first_row - sum(windows[:window])

    def check_blocks(self, stop):
        """Read all of it; UserError names the first record that is damaged, or does not fit."""
        for number, shard in self.shards(*self.parts):
            path, first = self.files[number], shard["first"]
            records, passed = records_of(path, shard["compression"]), 0
            for (rows,) in shard["blocks"]:
                stop.check()
                examples = next_examples(path, records, passed, rows)
                parsed(self, READ, examples, first + passed + np.arange(rows))
                passed += rows

def prepare(options, stop, fresh=False):
    """The records of this recipe below options.records, made where they are not there yet."""
    folder = os.path.join(options.records, fingerprint(RECIPE)[:16])
    manifest, draft, old = os.path.join(folder, "manifest.json"), folder + ".draft", folder + ".old"
    if fresh or not os.path.exists(manifest) or os.path.exists(draft) or os.path.exists(old):
        try:
            os.makedirs(options.records, exist_ok=True)
            with open(folder + ".lock", "w") as lock:
                wait_for(lock, folder, stop)  # one process writes; the others find it done
                if os.path.exists(old) and not os.path.exists(folder):
                    os.rename(old, folder)  # a process was killed between its two renamings
                for left in (draft, old):  # by a process that was killed
                    shutil.rmtree(left, ignore_errors=True)
                if fresh or not os.path.exists(manifest):
                    write_records(folder, draft, old, options, stop)
        except tf.errors.OpError as error:
            raise UserError(error.message) from error
        except OSError as error:
            raise UserError(f"{error.filename or folder}: {error.strerror or error}") from error
    records = Records(folder, source_files(options.source))
    check_source(options.source, folder, f"since; prepare --fresh makes {folder} anew", stop)
    say(f"{folder}: {summary(records)}")
    return records

def summary(records):
    """Rows of each part, and bytes on the disk."""
    rows = {part: records.rows(part) for part in records.parts}
    size = sum(shard["bytes"] for _, shard in records.shards(*records.parts))
    text = ", ".join(f"{part} {count:,}" for part, count in rows.items())
    return f"{text} rows in place; {size / 1e6:,.1f} MB"

# What a record that is damaged, or does not fit, comes to while TensorFlow reads it.
READ_ERRORS = (
    tf.errors.DataLossError,
    tf.errors.FailedPreconditionError,  # there are fewer than were counted
    tf.errors.InvalidArgumentError,
    tf.errors.UnknownError,
    UnicodeDecodeError,  # of a message that quotes the record
)

def run(command, options, stop):
    """The exit status of a command; one line on stderr for what its user can mend."""
    stop = stop or StopSignals()
    try:
        try:
            command(options, stop)
        except READ_ERRORS:
            prepare(options, stop).check_blocks(
                stop
            )  # names the file, the record and what is wrong
            raise
    except OSError as error:
        say(f"{error.filename}: {error.strerror}" if error.filename else str(error), sys.stderr)
        return 2
    except (UserError, *FILE_ERRORS) as error:
        say(str(error).split("\n")[0], sys.stderr)
        return 2
    return 0

# gone: SPLITS_SEED

# gone: SHARDS

# gone: ROW_BYTES

# gone: CHUNK_ROWS

# gone: def in_chunks

# gone: class Source

# gone: class Source def __init__

# gone: class Source def where

# gone: class Source def chunks

# gone: class Source def _numbered

# gone: class Source def _records

# gone: class Source def _values

# gone: def read_column

# gone: class Spool

# gone: class Spool def __init__

# gone: class Spool def read

# gone: # -- Splits ---------------------------------------------------------------------------------------

# gone: def largest_remainder

# gone: def split

# gone: def dealt_by

# gone: def write_shard

# gone: def checksummed

# gone: def packed

# gone: def in_order

# gone: def write_part

# gone: def certificate

# gone: class Records def _block_numbers

# gone: def damaged
