"""Image files for tests, and what TensorFlow's own functions make of them."""

import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from making import Spec

CLASSES = 2
FOLDERS: Spec = {  # a change of the spec of TFRecords
    "name": "pictures",
    "source": {"kind": "images", "path": "../data", "pattern": None},
    "placeholders": {
        "x": {"dtype": "uint8", "shape": [9, 7, 3], "encoding": "image"},
        "label": {"classes": CLASSES},
    },
    "model": {"layers": ["flatten", {"dense": {"units": CLASSES}}]},
    "records": {"order": "source", "rows_per_record": 4},
}
TABLE: Spec = {"source": {"path": "../data/table.csv"}}
Image = Mapping[str, Any]


def drawn(height: int, width: int, channels: int = 3, seed: int = 0) -> np.ndarray:
    """Pixels with edges and slopes, of few enough colours for a GIF."""
    random = np.random.RandomState(seed)
    coarse = random.randint(0, 4, (-(-height // 3), -(-width // 3), channels)) * 60
    fine = random.randint(0, 2, (height, width, 1)) * 20
    whole = np.repeat(np.repeat(coarse, 3, axis=0), 3, axis=1)[:height, :width]
    return (whole + fine).astype("uint8")


def jpeg(pixels: np.ndarray) -> bytes:
    return bytes(tf.io.encode_jpeg(pixels, quality=90).numpy())


def png(pixels: np.ndarray) -> bytes:
    return bytes(tf.io.encode_png(pixels).numpy())


def bmp(pixels: np.ndarray) -> bytes:
    """Lines from the last to the first, each filled up to four bytes, blue first."""
    height, width, _ = pixels.shape
    lines = np.zeros((height, -(-width * 3 // 4) * 4), "uint8")
    lines[:, : width * 3] = pixels[::-1, :, ::-1].reshape(height, -1)
    body = lines.tobytes()
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(body), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + head + body


def gif(pixels: np.ndarray) -> bytes:
    """Not deflated: the table of codes is cleared before they become longer than a byte."""
    height, width, _ = pixels.shape
    colours, places = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    assert len(colours) <= 128
    palette = colours.astype("uint8").tobytes().ljust(128 * 3, b"\0")
    codes = places.astype("uint8").tobytes()
    body = b"".join(b"\x80" + codes[i : i + 120] for i in range(0, len(codes), 120)) + b"\x81"
    blocks = (body[i : i + 255] for i in range(0, len(body), 255))
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF6, 0, 0) + palette
    frame = b"," + struct.pack("<HHHHBB", 0, 0, width, height, 0, 7)
    return head + frame + b"".join(bytes([len(each)]) + each for each in blocks) + b"\0;"


FORMATS: Mapping[str, Callable[[np.ndarray], bytes]] = {
    "jpg": jpeg,
    "png": png,
    "gif": gif,
    "bmp": bmp,
}


def expected(
    content: bytes, shape: list[int], draw: tuple[int, int] | None = None, **image: Any
) -> np.ndarray:
    """The pixels by the language's definition: decoded, cut, resized, rounded.

    draw: two numbers below 2**32 that say where a window lies; None for one in the middle.
    """
    height, width, channels = shape
    if content.startswith(b"\xff\xd8"):
        size, ratio = tf.io.extract_jpeg_shape(content)[:2].numpy(), 1
        if image.get("scaled_decode"):
            ratio = next((r for r in (8, 4, 2) if np.all(-(-size // r) >= shape[:2])), 1)
        how = {"ratio": ratio, "dct_method": "INTEGER_ACCURATE" if image.get("exact") else ""}
        if "crop" in image:
            window = window_of(-(-size // ratio), image, shape, draw)
            # Beside its edges that is not what is there in the whole: colours are spread by less.
            pixels = tf.io.decode_and_crop_jpeg(content, window, channels, **how)
        else:
            pixels = tf.io.decode_jpeg(content, channels, **how)
    else:
        pixels = tf.io.decode_image(content, channels, expand_animations=False)
        if "crop" in image:
            top, left, tall, wide = window_of(np.array(pixels.shape[:2]), image, shape, draw)
            pixels = pixels[top : top + tall, left : left + wide]
    if "resize" in image:
        pixels = tf.cast(tf.round(tf.image.resize(pixels, [height, width])), tf.uint8)
    return pixels.numpy()


def window_of(
    size: np.ndarray, image: Image, shape: list[int], draw: tuple[int, int] | None
) -> list[int]:
    """Top, left, height and width of what is kept of a height and a width."""
    height, width, _ = shape
    kept = np.minimum(size, [height, width])
    if "resize" in image:
        kept = np.minimum(size, [size[1] * height // width, size[0] * width // height])
        kept = np.maximum(kept, 1)
    free = (size - kept).tolist()
    corner = [n // 2 for n in free]
    if draw:
        corner = [d * (n + 1) // 2**32 for d, n in zip(draw, free, strict=True)]
    return [*corner, *kept.tolist()]


def draws(seed: int, epoch: int, row: int) -> tuple[int, int]:
    """Where the window of a row lies in an epoch: splitmix64, in whole numbers."""
    start = int(np.random.RandomState([seed, epoch]).randint(2**32, dtype="uint64")) << 32
    found = []
    for number in (2 * row, 2 * row + 1):
        x = (start + number) * 0x9E3779B97F4A7C15 % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        found.append((x ^ (x >> 31)) >> 32)
    return found[0], found[1]
