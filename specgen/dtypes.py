"""Sizes of values, by the dtypes of the language that have one."""

from collections.abc import Mapping

# What a value can tell. In memory and on disk a bool takes a byte all the same.
BITS: Mapping[str, int] = {
    "bool": 1,
    "uint8": 8,
    "int8": 8,
    "uint16": 16,
    "int16": 16,
    "int32": 32,
    "int64": 64,
    "float16": 16,
    "float32": 32,
    "float64": 64,
}
ROW_ID_BYTES = 8  # an int64 rides along with each row
# What small whole numbers are packed into for TensorFlow 1.4, see specgen/plan/fields.py.
WORD, WORD_BYTES = "float64", 8


def item_bytes(dtype: str) -> int:
    """The bytes that one value takes."""
    return max(BITS[dtype], 8) // 8
