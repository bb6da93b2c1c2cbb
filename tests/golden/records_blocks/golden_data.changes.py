# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
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
        "rows_per_record": 100,
        "shards": 2,
        "read_cycle": 1,
        "order": "shuffled",
        "compression": "none",
    },
}

WINDOW_BLOCKS = 82  # blocks whose 8200 rows are shuffled together
