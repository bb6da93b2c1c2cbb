# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "left_handed": {"dtype": "bool", "shape": []},
        "label": {"dtype": "int64", "shape": [], "classes": 10},
    },
    "splits": {
        "method": "stratified",
        "by": "left_handed",
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

ROW_BYTES = 81

Batch = collections.namedtuple("Batch", ["image", "left_handed", "label", "row_id"])

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("uint8"), (8, 8)),
    left_handed=Column("left_handed", np.dtype("bool"), ()),
    label=Column("label", np.dtype("int64"), (), classes=10),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

def dealt_by(source):
    """What the rows are dealt by, of all rows."""
    column = COLUMNS.left_handed
    pieces = np.array_split(source.ids, 1 + len(source.ids) // 65536)
    return np.concatenate([read_column(source, column, ids) for ids in pieces])
