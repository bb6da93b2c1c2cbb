# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {
        "kind": "csv",
        "path": "data.csv",
        "header": True,
        "delimiter": ",",
        "missing": [""],
    },
    "placeholders": {
        "image": {
            "dtype": "int16",
            "shape": [None],
            "encoding": "tokens",
            "pad": {"length": 50, "value": -1},
            "hash_buckets": 1000,
        },
        "who": {"dtype": "string", "shape": []},
        "label": {
            "dtype": "int64",
            "shape": [],
            "encoding": "text",
            "classes": 3,
            "vocabulary": ["a", "b", "c"],
        },
    },
    "splits": {
        "method": "group",
        "by": "who",
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

ROW_BYTES = 116

Column = collections.namedtuple(
    "Column",
    [
        "key",
        "dtype",
        "shape",
        "classes",
        "columns",
        "encoding",
        "pad",
        "widths",
        "hash_buckets",
        "vocabulary",
        "is_bytes",
    ],
)

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column(
        "image",
        np.dtype("int16"),
        (50,),
        columns=("image",),
        encoding="tokens",
        pad=-1,
        widths=(8, 16, 32, 50),
        hash_buckets=1000,
    ),
    label=Column(
        "label",
        np.dtype("int64"),
        (),
        classes=3,
        columns=("label",),
        encoding="text",
        vocabulary=("a", "b", "c"),
    ),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

# What pads the last batch, with the row id -1. Neither of zeros alone nor, in the narrowest batch,
# of what pads a row: a model that divides by the spread or the length of one would make them NaN.
PADDING = ([1, 0] if c.pad == 0 else [0, 1] for c in COLUMNS)

PADDING = (np.resize(v, (1,) + c.shape).astype(c.dtype)[0] for v, c in zip(PADDING, COLUMNS))

PADDING = Batch(*PADDING)._replace(row_id=np.int64(-1))
