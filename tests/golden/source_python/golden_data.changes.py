import copy

import importlib.util

import itertools

import traceback

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "python", "import": "rows:make", "import_path": "code"},
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
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "code")

class Progress:
    def update(self, done, size=0):
        """So much is done by now, of `size` bytes."""
        now = time.time()
        if now - self.shown > (0.1 if self.bar else 10):
            self.shown, seconds = now, now - self.began
            speed = f"{size / 1e6 / seconds:,.1f} MB/s" if size else f"{done / seconds:,.0f}/s"
            if self.total is None:
                text = f"{self.title}: {done:,}, {speed}"
            else:
                left = (self.total - done) * seconds / max(done, 1)
                text = f"{self.title}: {done:,} of {self.total:,}, {speed}, {left:,.0f} s left"
                text = (
                    f"[{'#' * (30 * done // max(self.total, 1)):.<30}] {text}" if self.bar else text
                )
            say(text, sys.stderr, "\x1b[K\r" if self.bar else "\n")

FUNCTION = RECIPE["source"]["import"]  # that yields the rows

def source_files(source):
    """The file that has the function; it is imported from the folder `source`, or as installed."""
    module = FUNCTION.partition(":")[0]
    outermost = module.partition(".")[0]
    if any(os.path.exists(os.path.join(source, outermost + end)) for end in (".py", "")):
        # What was imported by that name may be older, or of another folder.
        for name in [name for name in sys.modules if name.partition(".")[0] == outermost]:
            del sys.modules[name]
    importlib.invalidate_caches()
    sys.path.insert(0, source)
    try:
        path = str(importlib.util.find_spec(module).origin)
    except Exception as error:  # where there is none, or its package raises something
        fault = f"no module {module}; --source names another folder"
        raise UserError(f"{source}: {fault}") from error
    finally:
        sys.path.remove(source)
    inside = os.path.relpath(path, source)
    return existing([path if inside.startswith(os.pardir) else os.path.join(source, inside)])

CHUNK_ROWS = 512  # that are converted together

def in_chunks(rows):
    """Lists of CHUNK_ROWS of the rows; the last one has what is left."""
    return iter(lambda: list(itertools.islice(rows, CHUNK_ROWS)), [])

class Source:
    """Rows that a function yields, as mappings of placeholders to values."""

    def __init__(self, folder):
        self.folder, self.position = folder, 0  # rows so far

    def where(self, row):
        """The place of a row, for a message."""
        return f"{FUNCTION}: row {row}"

    def chunks(self):
        """Row ids, and the values of each of READ, of some hundred rows at a time."""
        for chunk in in_chunks(self._rows()):
            ids = np.arange(self.position, self.position + len(chunk))
            self.position += len(chunk)
            yield ids, [self._column(column, chunk, ids) for column in READ]
        if not self.position:
            raise UserError(f"{FUNCTION}: yields no rows")

    def _rows(self):
        """What the function yields, which may raise anything."""
        module, _, function = FUNCTION.partition(":")
        place = FUNCTION
        sys.path.insert(0, self.folder)
        try:
            for row, values in enumerate(getattr(importlib.import_module(module), function)()):
                if hasattr(values, "keys"):  # a row of its own: the function may fill it again
                    used = [column.key for column in READ if column.key in values]
                    values = {key: copy.deepcopy(values[key]) for key in used}
                yield values
                place = self.where(row + 1)
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            fault = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
            frames = traceback.extract_tb(error.__traceback__)
            own = [f for f in frames if f.filename.startswith(self.folder + os.sep)][-1:]
            where = "".join(f"{os.path.normpath(f.filename)}: line {f.lineno}" for f in own)
            raise UserError(f"{place}: {fault}; in {where or self.folder}") from error
        finally:
            sys.path.remove(self.folder)

    def _column(self, column, rows, ids):
        """What the rows `ids` hold for a placeholder."""
        values = [self._value(column, row, number) for number, row in zip(ids, rows)]
        arrays = [self._array(column, value, number) for number, value in zip(ids, values)]
        counts = np.array([array.size for array in arrays])
        numbers = self._numbers(column, arrays, np.repeat(ids, counts))
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
        raise UserError(f"{self.where(number)}: {column.key}: missing, and it has no default")

    def _array(self, column, value, number):
        """The value of a row as an array of the column's shape."""
        try:
            array = np.asarray(value)
        except Exception as error:  # what a value raises depends on what it is
            fault = f"{column.key}: holds {type(value).__name__}, which is no array"
            raise UserError(f"{self.where(number)}: {fault}") from error
        expected = column.shape
        if array.shape != expected:
            fault = f"{column.key}: shape {array.shape}, expected {expected}"
            raise UserError(f"{self.where(number)}: {fault}")
        return array

    def _numbers(self, column, arrays, ids):
        """All values of arrays, one behind the other; each is in the row of its place in `ids`."""
        numbers = np.empty(len(ids), column.dtype)
        # Integers and floats apart: as one array, large integers would be rounded.
        for dtype in dict.fromkeys(array.dtype for array in arrays if array.size):
            here = np.repeat(
                [array.dtype == dtype for array in arrays], [array.size for array in arrays]
            )
            values = np.concatenate([array.ravel() for array in arrays if array.dtype == dtype])
            numbers[here] = stored(self, column, values, ids[here])
        return numbers

class Spool:
    """The rows of a stream on the disk, a file for each column: they are read at random, however
    many there are. A stream gives chunks: row ids, and the values of each of READ.
    """

    def __init__(self, stream, folder, stop):
        os.mkdir(folder)
        paths = [os.path.join(folder, str(number)) for number in range(len(READ))]
        files = [open(path, "wb") for path in paths]
        self.where, chunks = stream.where, []
        progress = Progress("rows of the source", None)  # nobody knows how many there will be
        try:
            for ids, columns in stream.chunks():
                stop.check()
                chunks.append(ids)
                for file, column, values in zip(files, READ, columns):
                    values = stored(stream, column, values, ids)
                    file.write(values.tobytes())
                progress.update(stream.position)
        finally:
            progress.close()
            for file in files:
                file.close()
        self.ids = np.concatenate(chunks) if chunks else np.arange(0)
        shapes = [(len(self.ids),) + column.shape for column in READ]
        self.columns = {}
        if len(self.ids):
            for path, shape, column in zip(paths, shapes, READ):
                self.columns[column.key] = np.memmap(path, column.dtype, "r", 0, shape)

    def read(self, column, ids):
        """A column of the rows `ids`."""
        return self.columns[column.key][np.searchsorted(self.ids, ids)]

def write_records(folder, draft, old, options, stop):
    """Write the whole set aside, the manifest last, and put it in its place by renaming."""
    try:
        os.mkdir(draft)
        name, files = options.source, source_files(options.source)
        identity = source_identity(name, files, stop)
        write_json(os.path.join(draft, "source.json"), identity)
        source = Source(name)
        source = Spool(source, os.path.join(draft, "spool"), stop)
        if not len(source.ids):
            raise UserError(f"{name}: has no rows")
        parts = split(source)
        manifest = {
            "recipe": RECIPE,
            "source": fingerprint([[entry[0], entry[3]] for entry in identity]),
            "rows": int(source.ids[-1]) + 1,  # with those that were skipped
            **certificate(name, source, parts),
            "parts": {},
        }
        for part, ids in parts.items():
            rank = ["train", "validation", "test"].index(part)
            ids = ids[seeded(SPLITS_SEED, rank).permutation(len(ids))]
            manifest["parts"][part] = write_part(draft, part, ids, source, stop)
        shutil.rmtree(os.path.join(draft, "spool"))
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

# gone: import zipfile

# gone: class Source def read

# gone: def arrays_of

# gone: def load

# gone: def in_memory

# gone: def mapped

# gone: def bytes_in_memory
