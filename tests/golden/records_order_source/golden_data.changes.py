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
        "order": "source",
        "compression": "none",
    },
}

def write_records(folder, options, stop):
    """Write the whole set aside, the manifest last, and put it in its place by renaming."""
    source, identity = Source(options.source), source_identity(options.source, None)
    if not source.rows:
        raise UserError(f"{source.name}: has no rows")
    draft, old = folder + ".draft", folder + ".old"
    manifest = {"recipe": RECIPE, "source": identity, "rows": source.rows, "parts": {}}
    shutil.rmtree(draft, ignore_errors=True)  # of a process that was killed
    try:
        os.mkdir(draft)
        for part, ids in split(source).items():
            if not len(ids):
                raise UserError(f"{source.name}: of its {source.rows} rows {part} gets none")
            manifest["parts"][part] = write_part(draft, part, ids, source, stop)
        with open(os.path.join(draft, "manifest.json"), "w", encoding="utf-8") as file:
            json.dump({**manifest, "digest": fingerprint(manifest)}, file)
        shutil.rmtree(old, ignore_errors=True)
        if os.path.exists(folder):
            os.rename(folder, old)  # whoever reads it still has its open files
        os.rename(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
