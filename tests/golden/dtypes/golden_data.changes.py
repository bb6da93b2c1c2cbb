# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "flag": {"dtype": "bool", "shape": []},
        "byte": {"dtype": "uint8", "shape": []},
        "small": {"dtype": "int8", "shape": []},
        "word": {"dtype": "uint16", "shape": []},
        "short": {"dtype": "int16", "shape": []},
        "count": {"dtype": "int32", "shape": []},
        "id": {"dtype": "int64", "shape": []},
        "half": {"dtype": "float16", "shape": []},
        "single": {"dtype": "float32", "shape": []},
        "double": {"dtype": "float64", "shape": []},
        "label": {"dtype": "uint8", "shape": [], "classes": 10},
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

ROW_BYTES = 42

Batch = collections.namedtuple(
    "Batch",
    [
        "flag",
        "byte",
        "small",
        "word",
        "short",
        "count_",
        "id_",
        "half",
        "single",
        "double",
        "label",
        "row_id",
    ],
)

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    flag=Column("flag", np.dtype("bool"), ()),
    byte=Column("byte", np.dtype("uint8"), ()),
    small=Column("small", np.dtype("int8"), ()),
    word=Column("word", np.dtype("uint16"), ()),
    short=Column("short", np.dtype("int16"), ()),
    count_=Column("count", np.dtype("int32"), ()),
    id_=Column("id", np.dtype("int64"), ()),
    half=Column("half", np.dtype("float16"), ()),
    single=Column("single", np.dtype("float32"), ()),
    double=Column("double", np.dtype("float64"), ()),
    label=Column("label", np.dtype("uint8"), (), classes=10),
    row_id=Column("row_id", np.dtype("int64"), ()),
)
