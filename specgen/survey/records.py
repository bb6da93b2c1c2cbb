"""TFRecord files, and what protobuf has written into their records, read in plain Python.

TensorFlow takes seconds to start, and whoever writes a spec need not have it. Checksums of lengths
tell other files apart; those of the values are left to the scripts.
"""

import io
import math
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any

from specgen.dtypes import item_bytes

_PIECE = 1 << 16  # bytes that are read at once
_GZIP_OR_ZLIB = 47
# What the key of a field says of its value: an integer, a length and bytes, or a size of its own.
_VARINT, _SIZED, _FIXED = 0, 2, {1: 8, 5: 4}
_LISTS = {1: "bytes_list", 2: "float_list", 3: "int64_list"}
_DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    9: "int64",
    10: "bool",
    17: "uint16",
    19: "float16",
}

Values = list[Any]  # bytes, float or int


class RecordError(Exception):
    """Bytes that are not in the format."""


# -- Files ----------------------------------------------------------------------------------------


def records(path: Path) -> Iterator[memoryview]:
    """The records of a file, however it is compressed. RecordError where one is damaged."""
    with path.open("rb") as file:
        head = file.read(12)
        file.seek(0)
        is_plain = not head or _is_length(head)
        plain: IO[bytes] = file if is_plain else io.BufferedReader(_Inflated(file))
        try:
            while head := plain.read(12):
                if not _is_length(head):
                    raise RecordError
                (size,) = struct.unpack_from("<Q", head)
                value = plain.read(size + 4)
                if len(value) != size + 4:
                    raise RecordError
                yield memoryview(value)[:size]
        except (EOFError, zlib.error):
            raise RecordError from None


class _Inflated(io.RawIOBase):
    """What a file of gzip or zlib holds."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.inflate = file, zlib.decompressobj(_GZIP_OR_ZLIB)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = b""
        while not (found or self.inflate.eof):
            piece = self.inflate.unconsumed_tail or self.file.read(_PIECE)
            if not piece:
                raise EOFError
            found = self.inflate.decompress(piece, len(buffer))
        buffer[: len(found)] = found
        return len(found)


def _is_length(head: bytes) -> bool:
    """Whether 12 bytes are the length of a record and its masked CRC-32C."""
    crc = 0xFFFFFFFF
    for byte in head[:8]:
        crc = (crc >> 8) ^ _crc_of(crc & 0xFF ^ byte)
    crc ^= 0xFFFFFFFF
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    return head[8:] == struct.pack("<I", masked)


@cache
def _crc_of(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


# -- Messages -------------------------------------------------------------------------------------


def features_of(record: memoryview) -> dict[str, tuple[str, Values]]:
    """The kind and the values of each feature of a tf.train.Example; other bytes have none."""
    found: dict[str, tuple[str, Values]] = {}
    try:
        for entry in (entry for features in _all(record, 1) for entry in _all(features, 1)):
            parts = dict(_fields(entry))
            name = bytes(parts.get(1, b"")).decode("utf-8")
            for number, data in _fields(parts.get(2, memoryview(b""))):
                if number in _LISTS:
                    found[name] = _LISTS[number], _values(_LISTS[number], data)
    except (IndexError, KeyError, ValueError, struct.error):
        return {}
    return found


def tensor_of(value: bytes) -> tuple[str, tuple[int, ...]] | None:
    """The dtype and the shape of what tf.io.serialize_tensor has made; None for other bytes."""
    try:
        fields = dict(_fields(memoryview(value)))
        (number,) = _integers(fields[1])
        axes = [dict(_fields(axis)) for axis in _all(fields[2], 2)]
        shape = tuple(size for axis in axes for size in _integers(axis[1]))
        dtype, content = _DTYPES[number], fields[4]
    except (IndexError, KeyError, ValueError):
        return None
    return (dtype, shape) if len(content) == item_bytes(dtype) * math.prod(shape) else None


def _values(kind: str, data: memoryview) -> Values:
    """The values of a list; numbers are packed together, or stand one by one."""
    if kind == "bytes_list":
        return list(map(bytes, _all(data, 1)))
    packed = b"".join(_all(data, 1))
    if kind == "float_list":
        return list(struct.unpack(f"<{len(packed) // 4}f", packed))
    return _integers(packed)


def _all(data: memoryview, number: int) -> Iterator[memoryview]:
    """The values of each field that has this number."""
    return (value for each, value in _fields(data) if each == number)


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The number and the bytes of each field, without their length."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        if key & 7 == _VARINT:
            _, end = _varint(data, place)
        elif key & 7 == _SIZED:
            size, place = _varint(data, place)
            end = place + size
        else:
            end = place + _FIXED[key & 7]
        if end > len(data):
            raise IndexError
        yield key >> 3, data[place:end]
        place = end


def _integers(packed: bytes | memoryview) -> list[int]:
    place, numbers = 0, []
    while place < len(packed):
        number, place = _varint(packed, place)
        numbers.append(number - (number >> 63 << 64))  # two's complement
    return numbers


def _varint(data: bytes | memoryview, place: int) -> tuple[int, int]:
    """The integer at a place, seven bits in each byte, and the place behind it."""
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
        shift += 7
