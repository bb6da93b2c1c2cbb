# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "class": {"dtype": "float32", "shape": []},
        "from": {"dtype": "float32", "shape": []},
        "None": {"dtype": "float32", "shape": []},
        "Global": {"dtype": "float32", "shape": []},
        "1st": {"dtype": "float32", "shape": []},
        "a-b": {"dtype": "float32", "shape": []},
        "a b": {"dtype": "float32", "shape": []},
        "naïve": {"dtype": "float32", "shape": []},
        "__init__": {"dtype": "float32", "shape": []},
        "日本": {"dtype": "float32", "shape": []},
        "row_id": {"dtype": "float32", "shape": []},
        "count": {"dtype": "float32", "shape": []},
        '"quoted" \\': {"dtype": "float32", "shape": []},
        "{{ plan }}": {"dtype": "float32", "shape": []},
        "a_b": {"dtype": "float32", "shape": []},
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

ROW_BYTES = 76

Batch = collections.namedtuple(
    "Batch",
    [
        "class_",
        "from_",
        "none",
        "global_",
        "field_1st",
        "a_b",
        "a_b_2",
        "naive",
        "init",
        "field",
        "row_id_2",
        "count_",
        "quoted",
        "plan",
        "a_b_3",
        "label",
        "row_id",
    ],
)

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    class_=Column("class", np.dtype("float32"), ()),
    from_=Column("from", np.dtype("float32"), ()),
    none=Column("None", np.dtype("float32"), ()),
    global_=Column("Global", np.dtype("float32"), ()),
    field_1st=Column("1st", np.dtype("float32"), ()),
    a_b=Column("a-b", np.dtype("float32"), ()),
    a_b_2=Column("a b", np.dtype("float32"), ()),
    naive=Column("naïve", np.dtype("float32"), ()),
    init=Column("__init__", np.dtype("float32"), ()),
    field=Column("日本", np.dtype("float32"), ()),
    row_id_2=Column("row_id", np.dtype("float32"), ()),
    count_=Column("count", np.dtype("float32"), ()),
    quoted=Column('"quoted" \\', np.dtype("float32"), ()),
    plan=Column("{{ plan }}", np.dtype("float32"), ()),
    a_b_3=Column("a_b", np.dtype("float32"), ()),
    label=Column("label", np.dtype("int64"), (), classes=10),
    row_id=Column("row_id", np.dtype("int64"), ()),
)
