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
        "compression": "zlib",
        "level": 9,
    },
}

LEVEL = RECIPE["records"]["level"]  # of zlib

def write_part(folder, part, ids, source, stop):
    """Write the rows `ids` in this order; returns the manifest's entry of the part."""
    blocks = [ids[i : i + ROWS_PER_RECORD] for i in range(0, len(ids), ROWS_PER_RECORD)]
    blocks_a_shard = -(-len(blocks) // SHARDS)
    progress = Progress(f"rows of {part}", len(ids))
    shards, done = [], 0
    for first in range(0, len(blocks), blocks_a_shard):
        name = f"{part}-{len(shards):05d}.tfrecord"
        entries, offset = [], 0
        with tf.python_io.TFRecordWriter(os.path.join(folder, name)) as writer:
            for block in blocks[first : first + blocks_a_shard]:
                stop.check()
                columns = [read_column(source, column, block) for column in COLUMNS[:-1]]
                record = b"".join(c.tobytes() for c in columns + [block.astype("int64")])
                record = zlib.compress(record, LEVEL)
                writer.write(record)
                entries.append([offset, len(record), len(block), zlib.crc32(record)])
                offset += len(record) + FRAMING_BYTES
                done += len(block)
                progress.update(done)
        shards.append({"file": name, "bytes": offset, "blocks": entries})
    progress.close()
    return {"rows": len(ids), "ids": ids_digest(ids), "shards": shards}

def read_block(path, entry):
    """The stored bytes of a block, of which the manifest has an entry; UserError if damaged."""
    offset, size, _, checksum = entry
    with open(path, "rb") as file:
        file.seek(offset + 12)  # past the length and its checksum
        block = file.read(size)
    if zlib.crc32(block) != checksum:
        raise damaged(path, offset)
    return zlib.decompress(block)
