# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "words": {"dtype": "int32", "shape": [20]},
        "label": {"dtype": "int32", "shape": [], "classes": 10},
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

ROW_BYTES = 92

Batch = collections.namedtuple("Batch", ["words", "label", "row_id"])

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    words=Column("words", np.dtype("int32"), (20,)),
    label=Column("label", np.dtype("int32"), (), classes=10),
    row_id=Column("row_id", np.dtype("int64"), ()),
)
