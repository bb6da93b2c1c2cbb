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

def write_records(folder, draft, old, options, stop):
    """Write the whole set aside, the manifest last, and put it in its place by renaming."""
    try:
        os.mkdir(draft)
        name, files = options.source, source_files(options.source)
        identity = source_identity(name, files, stop)
        write_json(os.path.join(draft, "source.json"), identity)
        source = Source(files)
        if not len(source.ids):
            raise UserError(f"{name}: has no rows")
        parts = split(source)
        manifest = {
            "recipe": RECIPE,
            "source": fingerprint([[entry[0], entry[3]] for entry in identity]),
            "rows": int(source.ids[-1]) + 1,  # with those that were skipped
            **certificate(name, source, parts),
            "parts": {},
        }
        for part, ids in parts.items():
            manifest["parts"][part] = write_part(draft, part, ids, source, stop)
        check_source(name, draft, "while it was read; prepare again", stop)
        write_json(
            os.path.join(draft, "manifest.json"), {**manifest, "digest": fingerprint(manifest)}
        )
        if os.path.exists(folder):
            os.rename(folder, old)
        os.rename(draft, folder)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
