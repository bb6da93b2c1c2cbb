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

Batch = collections.namedtuple("Batch", ["image", "left_handed", "label", "row_id"])

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("uint8"), (8, 8), None),
    left_handed=Column("left_handed", np.dtype("bool"), (), None),
    label=Column("label", np.dtype("int64"), (), 10),
    row_id=Column("row_id", np.dtype("int64"), (), None),
)

ROW_BYTES = 81

def split(source):
    """Row ids of each part, ascending. Each class is divided in the same proportions."""
    labels = read_column(source, COLUMNS.left_handed, np.arange(source.rows))
    pieces = {part: [] for part in PARTS}
    for rank, value in enumerate(np.unique(labels)):
        ids = np.flatnonzero(labels == value)
        ids = ids[seeded(SPLITS_SEED, rank).permutation(len(ids))]
        cuts = np.cumsum(largest_remainder(len(ids)))[:-1]
        for part, piece in zip(PARTS, np.split(ids, cuts)):
            pieces[part].append(piece)
    return {part: np.sort(np.concatenate(piece)) for part, piece in pieces.items()}
