# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "writer": {"dtype": "string", "shape": []},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "hash",
        "by": "writer",
        "parts": {"train": 0.8, "validation": 0.1, "test": 0.1},
        "seed": 7,
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

Column = collections.namedtuple("Column", ["key", "dtype", "shape", "classes", "is_bytes"])

# What the rows are dealt by; no model reads it.
KEY = Column("writer", np.dtype("object"), (), is_bytes=True)

READ = COLUMNS[:-1] + (KEY,)  # from the source

def stored(source, column, values, ids):
    """Values of the rows `ids` in the column's dtype. UserError names a row that does not fit."""

    def refuse(bad, fault):
        for place in np.argwhere(bad)[:1]:
            where = f"{source.where(ids[place[0]])}: {column.key}"
            raise UserError(f"{where}: {values[tuple(place)]} {fault}")

    if column.dtype.kind == "O":
        return as_bytes(source, column, values, ids)
    if values.dtype.kind not in "biuf":
        where = source.where(ids[0])
        raise UserError(f"{where}: {column.key}: holds {values.dtype}, not numbers")
    result, fits = values, True
    if values.dtype != column.dtype:
        with np.errstate(all="ignore"):
            result = values.astype(column.dtype)
            if not values.dtype.kind == column.dtype.kind == "f":
                fits = (result.astype(values.dtype) == values) & ((result < 0) == (values < 0))
    if column.dtype.kind == "f":
        fits &= np.isfinite(result)  # a narrower float is rounded; nothing else may change
    refuse(np.logical_not(fits), f"does not fit {column.dtype}")
    if column.classes:
        refuse((result < 0) | (result >= column.classes), f"is not in 0 to {column.classes - 1}")
    return result

def as_bytes(source, column, values, ids):
    """Texts in UTF-8, and bytes as they are. UserError names a row that has neither."""
    result = np.empty(len(ids), object)
    for row, value in enumerate(values):
        if not isinstance(value, (str, bytes)):
            fault = f"holds {type(value).__name__}, not a text"
            raise UserError(f"{source.where(ids[row])}: {column.key}: {fault}")
        result[row] = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return result

def split(source):
    """Row ids of each part, ascending. A row's key alone says which, so more rows move none."""
    keys = dealt_by(source)
    seed = b"%d:" % SPLITS_SEED
    starts = b"".join(hashlib.sha256(seed + key).digest()[:8] for key in keys)
    places = np.frombuffer(starts, ">u8") / 2.0**64
    edges = np.cumsum(list(PARTS.values()))
    numbers = np.minimum(np.searchsorted(edges, places, side="right"), len(PARTS) - 1)
    return {part: source.ids[numbers == number] for number, part in enumerate(PARTS)}

def dealt_by(source):
    """What the rows are dealt by, of all rows."""
    column = KEY
    pieces = np.array_split(source.ids, 1 + len(source.ids) // 65536)
    return np.concatenate([read_column(source, column, ids) for ids in pieces])

def packed(source, ids):
    """The rows `ids` as one record: a column behind the other, the ids last."""
    columns = [read_column(source, column, ids) for column in READ[:-1]]
    return b"".join(map(np.ascontiguousarray, [*columns, ids.astype("int64")]))

# gone: def largest_remainder
