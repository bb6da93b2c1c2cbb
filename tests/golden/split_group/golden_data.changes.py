# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "writer": {"dtype": "int32", "shape": []},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "group",
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

# What the rows are dealt by; no model reads it.
KEY = Column("writer", np.dtype("int32"), ())

READ = COLUMNS[:-1] + (KEY,)  # from the source

def split(source):
    """Row ids of each part, ascending. Whole groups, in a seeded order, to whom most is lacking."""
    groups, group_of_row = np.unique(dealt_by(source), return_inverse=True)
    sizes = np.bincount(group_of_row).tolist()
    lacking = [share * len(source.ids) for share in PARTS.values()]
    part_of_group = np.zeros(len(groups), int)
    for group in seeded(SPLITS_SEED).permutation(len(groups)).tolist():
        number = lacking.index(max(lacking))  # a tie goes to the earlier part
        part_of_group[group] = number
        lacking[number] -= sizes[group]
    numbers = part_of_group[group_of_row]
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
