# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "fold": {"dtype": "int8", "shape": []},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "given",
        "by": "fold",
        "parts": {"train": 0, "validation": 1, "test": 2},
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

# What the rows are dealt by; no model reads it.
KEY = Column("fold", np.dtype("int8"), ())

READ = COLUMNS[:-1] + (KEY,)  # from the source

def split(source):
    """Row ids of each part, ascending: those whose value is, as text, the part's own."""
    values, value_of_row = np.unique(dealt_by(source), return_inverse=True)
    texts = list(map(str, values))
    parts = [str(value) for value in PARTS.values()]
    part_of_value = np.array([parts.index(text) if text in parts else -1 for text in texts])
    numbers = part_of_value[value_of_row]
    for stray in np.flatnonzero(numbers < 0)[:1]:
        fault = f"{texts[value_of_row[stray]]!r} is not the value of a part: {', '.join(parts)}"
        raise UserError(f"{source.where(source.ids[stray])}: {RECIPE['splits']['by']}: {fault}")
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
