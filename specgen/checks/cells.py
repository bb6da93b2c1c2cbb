"""Rules for the values of a row: texts, columns of a table, different lengths, what stands in."""

import struct
from collections.abc import Iterator
from math import prod

from specgen.checks.finding import Finding
from specgen.checks.roles import Placeholders, is_integer
from specgen.dtypes import BITS
from specgen.spec.placeholders import Placeholder
from specgen.spec.source import Csv, Python, Source, Tfrecord
from specgen.wording import shown

_TEXTS, _CODES = ("text", "tokens"), ("image", "tensor")
_NUMBERS = "a text needs a vocabulary or hash_buckets to become a number"
_FORMATS = {"float16": "e", "float32": "f", "float64": "d"}


def check_delimiter(source: Source) -> Iterator[Finding]:
    """What separates cells does not also enclose them."""
    if isinstance(source, Csv) and source.delimiter == '"':
        message = "quotation marks enclose cells, and cannot separate them"
        yield Finding(("source", "delimiter"), "SG205", message)


def check_encoding(source: Source, placeholders: Placeholders) -> Iterator[Finding]:
    """The source has values of that kind, and they become what the graph can hold."""
    for name, placeholder in placeholders.items():
        encoding, path = placeholder.encoding, ("placeholders", name, "encoding")
        if encoding in _TEXTS and not isinstance(source, Csv | Tfrecord | Python):
            yield Finding(
                path, "SG303", f"{source.kind} has no texts", "csv, tfrecord and python have"
            )
        elif encoding in _CODES and isinstance(source, Csv | Python):
            hint = "yield arrays" if isinstance(source, Python) else ""
            yield Finding(path, "SG303", f"{source.kind} has no encoded {encoding}s", hint)
        if placeholder.dtype == "string" and placeholder.role != "key" and encoding != "image":
            message = "only a key and an encoded image can be a string"
            hint = "encoding: text with a vocabulary or hash_buckets makes numbers of texts"
            yield Finding(("placeholders", name, "dtype"), "SG305", message, hint)


def check_columns(source: Source, placeholders: Placeholders) -> Iterator[Finding]:
    """The columns of a table fill the shape; tokens come out of one of them."""
    if not isinstance(source, Csv):
        return
    for name, placeholder in placeholders.items():
        if (placeholder.role == "key" and placeholder.shape) or placeholder.encoding in _CODES:
            continue  # which is wrong in itself
        columns, size = len(placeholder.columns or (name,)), _size(placeholder)
        path = ("placeholders", name, "columns" if placeholder.columns else "shape")
        if placeholder.encoding == "tokens" and columns > 1:
            yield Finding(path, "SG305", f"tokens come out of one column, not of {columns}")
        elif size is None and placeholder.encoding != "tokens":
            message = "a table has equally many columns in each row"
            yield Finding(path, "SG305", message, "encoding: tokens splits the text of one column")
        elif size is not None and placeholder.encoding != "tokens" and columns != size:
            number = "1 column does" if columns == 1 else f"{columns} columns do"
            message = f"{number} not fill the shape, which has {size} value{'s' * (size > 1)}"
            yield Finding(path, "SG305", message, "" if columns > 1 else "list them under columns")


def check_texts(source: Source, placeholders: Placeholders) -> Iterator[Finding]:
    """Texts become numbers in one way, and the dtype holds those."""
    for name, placeholder in placeholders.items():
        path = ("placeholders", name)
        vocabulary, buckets = placeholder.vocabulary, placeholder.hash_buckets
        if placeholder.encoding not in _TEXTS or placeholder.dtype == "string":
            continue
        if vocabulary is None and buckets is None:
            # The cells of a table are texts, and tokens in them may be those of numbers.
            if placeholder.encoding == "text" or not isinstance(source, Csv):
                yield Finding((*path, "encoding"), "SG303", _NUMBERS)
        elif vocabulary is not None and buckets is not None:
            message = "vocabulary says already what a text becomes"
            yield Finding((*path, "hash_buckets"), "SG303", message, "keep one of them", True)
        elif not is_integer(placeholder):
            message = f"texts become integers, not {placeholder.dtype}"
            yield Finding((*path, "dtype"), "SG305", message, "int64 holds all of them")
        else:
            yield from _check_numbers(path, placeholder)


def _check_numbers(path: tuple[str, str], placeholder: Placeholder) -> Iterator[Finding]:
    """The numbers of texts lie in the dtype, and are the classes of a label."""
    vocabulary, classes = placeholder.vocabulary, placeholder.classes
    key, count = "hash_buckets", placeholder.hash_buckets or 0
    if isinstance(vocabulary, str):
        if "://" in vocabulary:
            message = "a vocabulary lies in a file of this machine"
            yield Finding((*path, "vocabulary"), "SG205", message)
        return
    if vocabulary is not None:
        key, count = "vocabulary", len(set(vocabulary))
        for number, text in enumerate(vocabulary):
            if text in vocabulary[:number]:
                message = f"{shown(text)} is in it already"
                yield Finding((*path, key, number), "SG303", message, "remove it", of_key=True)
    # What stands in for an unknown text may be one more.
    stand_in = placeholder.default
    most = max(count, stand_in + 1) if vocabulary and isinstance(stand_in, int) else count
    if not _fits(count - 1, placeholder.dtype):
        message = f"{placeholder.dtype} cannot hold {count - 1}"
        yield Finding((*path, key), "SG306", message, "choose a larger dtype")
    elif classes is not None and vocabulary and most != classes:
        message = f"the texts are {most} classes, not {classes}"
        yield Finding((*path, "classes"), "SG306", message)
    elif classes is not None and most > classes:
        message = f"{count} buckets are more than the {classes} classes"
        yield Finding((*path, key), "SG306", message)


def check_lengths(source: Source, placeholders: Placeholders) -> Iterator[Finding]:
    """Where rows differ in length, it is in their one axis, and they are padded."""
    for name, placeholder in placeholders.items():
        path, shape = ("placeholders", name), placeholder.shape
        if placeholder.role == "key" and shape:
            message = "a key is one value, of the shape []"
            yield Finding((*path, "shape"), "SG305", message, "leave the shape out")
        elif None not in shape:
            if placeholder.encoding == "tokens":
                message = "tokens may be few or many: the shape is [null]"
                yield Finding((*path, "shape"), "SG305", message, "pad: {length: N} fills it up")
        elif len(shape) > 1:
            message = "null stands alone: [null], one axis of any length"
            yield Finding((*path, "shape"), "SG305", message)
        elif not isinstance(source, Csv | Tfrecord | Python):
            message = f"the arrays of {source.kind} have one shape in all rows"
            yield Finding((*path, "shape"), "SG305", message)
        elif isinstance(source, Csv) and placeholder.encoding != "tokens":
            pass  # it is told already that columns do not vary
        elif placeholder.pad is None or placeholder.pad.length is None:
            message = "a variable shape needs the length that rows are padded to"
            below = ("pad",) if placeholder.pad is None else ("pad", "length")
            yield Finding((*path, *below), "SG202", message, "pad: {length: N}", of_key=True)


def check_stand_ins(placeholders: Placeholders) -> Iterator[Finding]:
    """What takes the place of missing values, and what pads, are of the dtype."""
    for name, placeholder in placeholders.items():
        path, dtype, classes = ("placeholders", name), placeholder.dtype, placeholder.classes
        default, pad = placeholder.default, placeholder.pad
        if pad is not None and not _fits(pad.value, dtype):
            yield Finding((*path, "pad", "value"), "SG305", f"{shown(pad.value)} is no {dtype}")
        if default is None:
            continue
        if not _fits(default, dtype):
            yield Finding((*path, "default"), "SG305", f"{shown(default)} is no {dtype}")
        elif classes and isinstance(default, int) and not 0 <= default < classes:
            message = f"{default} is none of the {classes} classes"
            yield Finding((*path, "default"), "SG306", message)


def _size(placeholder: Placeholder) -> int | None:
    """How many values a row has; None where that varies."""
    sizes = [size for size in placeholder.shape if size is not None]
    return None if None in placeholder.shape else prod(sizes)


def _fits(value: bool | int | float | str, dtype: str) -> bool:
    """Whether the dtype has the value, fractions rounded."""
    if isinstance(value, str) or dtype == "string":
        return isinstance(value, str) and dtype == "string"
    if dtype == "bool":
        return value in (0, 1)
    if isinstance(value, bool):
        return False
    if dtype in _FORMATS:
        try:
            (held,) = struct.unpack(_FORMATS[dtype], struct.pack(_FORMATS[dtype], value))
        except OverflowError:
            return False
        return isinstance(value, float) or held == value
    signed = not dtype.startswith("u")
    most = 2 ** (BITS[dtype] - signed)
    return isinstance(value, int) and -most * signed <= value < most
