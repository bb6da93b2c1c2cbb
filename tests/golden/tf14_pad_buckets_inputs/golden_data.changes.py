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
        "weights": {
            "dtype": "float32",
            "shape": [None],
            "encoding": "tokens",
            "pad": {"length": 64, "value": 0},
        },
        "more": {"dtype": "float32", "shape": [3], "columns": ["a", "b", "c"]},
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

ROW_BYTES = 384

Batch = collections.namedtuple("Batch", ["image", "weights", "more", "label", "row_id"])

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
    weights=Column(
        "weights",
        np.dtype("float32"),
        (64,),
        columns=("weights",),
        encoding="tokens",
        pad=0,
        widths=(1, 8, 64),
    ),
    more=Column("more", np.dtype("float32"), (3,), columns=("a", "b", "c")),
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

class Source:
    def _numbers(self, column, texts, ids):
        """The number that each text stands for; it is in the row of the same place in `ids`."""
        where = self._cells(column, ids)
        if column.key in self.texts:
            known = [None if text in MISSING else text for text in texts]
            return self.texts[column.key].numbers(known, where)
        return spelt(column, self._filled(column, texts, where), where)

def spelt(column, texts, where):
    """The numbers that texts spell. UserError names a text that spells none of the column's dtype.

    where(i) is the place of a text, for a message.
    """
    try:
        return spelt_all(column.dtype, texts)
    except (KeyError, OverflowError, ValueError):
        values = []  # of each alone
    for number, text in enumerate(texts):
        try:
            values.append(spelt_all(column.dtype, [text]))
        except (KeyError, OverflowError, ValueError) as error:
            fault = f"{text!r} is no {column.dtype}"
            raise UserError(f"{where(number)}: {column.key}: {fault}") from error
    return np.concatenate(values)

def spelt_all(dtype, texts):
    """The numbers as int64, float64 or bool, unless one of the texts spells none."""
    if "_" in "".join(texts):
        raise ValueError("1_000 would pass for a number")
    return spelt_float(dtype, texts)

def spelt_float(dtype, texts):
    values = np.array(texts, "float64")
    with np.errstate(all="ignore"):
        rounded = values.astype(dtype)
    # A fraction may be rounded, a whole number may not.
    for number in np.flatnonzero(np.abs(values) > 2 ** np.finfo(dtype).nmant):
        digits = texts[number].strip().lstrip("+-")
        if digits.isdigit() and int(digits) != abs(float(rounded[number])):
            raise ValueError("the dtype rounds it")
    return values
