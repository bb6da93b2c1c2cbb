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
        "rows_per_record": 256,
        "shards": 8,
        "read_cycle": 4,
        "order": "shuffled",
        "compression": "gzip",
        "level": 6,
    },
}

LEVEL = RECIPE["records"]["level"]  # of gzip

def packed(source, ids):
    """The rows `ids` as one record: a column behind the other, the ids last."""
    columns = [read_column(source, column, ids) for column in READ]
    record = b"".join(map(np.ascontiguousarray, [*columns, ids.astype("int64")]))
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return deflate.compress(record) + deflate.flush()

def summary(records):
    """Rows of each part, and bytes on the disk."""
    rows = {part: records.rows(part) for part in records.parts}
    size = sum(shard["bytes"] for _, shard in records.shards(*records.parts))
    text = ", ".join(f"{part} {count:,}" for part, count in rows.items())
    whole = ROW_BYTES * sum(rows.values())
    saved = f"gzip saved {1 - size / whole:.0%} of {whole / 1e6:,.1f} MB"
    return f"{text} rows; {size / 1e6:,.1f} MB on disk, {saved}"
