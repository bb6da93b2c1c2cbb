import glob

# All that the stored bytes depend on; its fingerprint names the folder of the records.
RECIPE = {
    "source": {
        "kind": "csv",
        "pattern": "data/**/*.csv",
        "header": True,
        "delimiter": ",",
        "missing": [""],
    },
    "placeholders": {
        "image": {"dtype": "uint8", "shape": [2, 2], "columns": ["a", "b", "c", "d"]},
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

# The folder that relative paths start from.
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".")

def source_files(source):
    """The files that match, sorted. UserError where there are none."""
    pattern = RECIPE["source"]["pattern"]
    inside = os.path.normpath(os.path.join(glob.escape(source), pattern))
    found = sorted(filter(os.path.isfile, glob.glob(inside, recursive=True)))
    if not found:
        raise UserError(f"{source}: no file in it matches {pattern}; --source names another folder")
    return found

# gone: def existing
