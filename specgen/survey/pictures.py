"""What the first bytes of an encoded image say of its size: JPEG, PNG, GIF and BMP."""

import struct

# Of JPEG: segments that give the size, and those without a length.
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_BARE = {0x01, *range(0xD0, 0xD9)}
_BITMAP_HEADS = {40, 52, 56, 64, 108, 124}
_GREY = {0, 4}  # kinds of PNG

Size = tuple[int, int, int]


def size_of(data: bytes) -> Size | None:
    """Height, width and channels; None for what is no image, or where its beginning is too short.

    Channels are 1 for grey and 3 for all other images, as TensorFlow decodes them for a model.
    """
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            width, height, _, kind = struct.unpack_from(">IIBB", data, 16)
            return height, width, 1 if kind in _GREY else 3
        if data.startswith((b"GIF87a", b"GIF89a")):
            width, height = struct.unpack_from("<HH", data, 6)
            return height, width, 3
        if data.startswith(b"BM") and struct.unpack_from("<I", data, 14)[0] in _BITMAP_HEADS:
            width, height = struct.unpack_from("<ii", data, 18)
            return abs(height), width, 3  # from the top down where it is negative
        if data.startswith(b"\xff\xd8\xff"):
            return _jpeg_size(data)
    except (struct.error, IndexError):
        pass
    return None


def _jpeg_size(data: bytes) -> Size:
    place = 2
    while True:
        kind = data[place + 1]
        if kind == 0xFF:  # fills up
            place += 1
        elif kind in _FRAMES:
            height, width, channels = struct.unpack_from(">HHB", data, place + 5)
            return height, width, 1 if channels == 1 else 3
        else:
            (length,) = (0,) if kind in _BARE else struct.unpack_from(">H", data, place + 2)
            place += 2 + length
