# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {"kind": "npz", "path": "data.npz"},
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [8, 8]},
        "label": {"dtype": "int16", "shape": []},
    },
    "splits": {
        "method": "even",
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

ROW_BYTES = 74

# A row as it is stored. row_id is its position in the source.
COLUMNS = Batch(
    image=Column("image", np.dtype("uint8"), (8, 8)),
    label=Column("label", np.dtype("int16"), ()),
    row_id=Column("row_id", np.dtype("int64"), ()),
)

def split(source):
    """Row ids of each part: consecutive rows, by the parts' fractions."""
    cuts = np.cumsum(largest_remainder(len(source.ids)))[:-1]
    return dict(zip(PARTS, np.split(source.ids, cuts)))

def write_part(folder, part, ids, source, stop):
    """Write the rows `ids` in this order; returns the manifest's entry of the part."""
    blocks = [ids[i : i + ROWS_PER_RECORD] for i in range(0, len(ids), ROWS_PER_RECORD)]
    blocks_a_shard = -(-len(blocks) // SHARDS)
    progress, shards = Progress(f"rows of {part}", len(ids)), []
    done = np.zeros(2, int)  # rows and bytes

    def wrote(rows, size):
        done[:] += rows, size
        progress.update(*done.tolist())
        stop.check()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for first in range(0, len(blocks), blocks_a_shard):
            name = f"{part}-{len(shards):05d}.tfrecord"
            path = os.path.join(folder, name)
            entries = write_shard(path, blocks[first : first + blocks_a_shard], source, pool, wrote)
            size = os.path.getsize(path)
            if size != sum(entry[2] + FRAMING_BYTES for entry in entries):
                raise UserError(f"{path}: only {size} bytes of it were written; is the disk full?")
            shards.append({"file": name, "bytes": size, "blocks": entries})
    progress.close()
    return {"rows": len(ids), "ids": ids_digest(ids), "shards": shards}

# gone: def dealt_by
