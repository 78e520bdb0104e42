"""PNG files: writing all of them, and reading those of 16 bits, which Pillow cuts to 8.

A row of an image is filtered before it is compressed: each byte is replaced by its difference to a guess from its
neighbours, which are those of the pixel on the left, the one above, and the one above that.
"""

from __future__ import annotations

import struct
import sys
import zlib
from typing import Any

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}
_CHANNELS = {colour: channels for channels, colour in _COLOURS.items()}
_UP = 2


class PngError(ValueError):
    """The bytes are not a PNG file, or use an unsupported feature."""


def encode(image: Any, level: int = -1) -> bytes:
    """The PNG file of an image `[height, width, channels]` of uint8 or uint16, with 1 to 4 channels."""
    height, width, channels = image.shape
    depth = 8 * image.dtype.itemsize
    rows = np.ascontiguousarray(image.astype(image.dtype.newbyteorder(">"), copy=False)).view(np.uint8)
    rows = rows.reshape(height, -1)
    # The difference to the row above can be taken of all rows at once.
    filtered = np.empty((height, rows.shape[1] + 1), np.uint8)
    filtered[:, 0] = _UP
    filtered[:1, 1:] = rows[:1]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, depth, _COLOURS[channels], 0, 0, 0)
    data = zlib.compress(filtered.tobytes(), level)
    return b"".join([SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", data), _chunk(b"IEND", b"")])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join([struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(kind + data))])


def bit_depth(data: bytes) -> int:
    """The number of bits per channel of a PNG file."""
    return data[24] if data[:8] == SIGNATURE and data[12:16] == b"IHDR" and len(data) > 25 else 0


def decode16(data: bytes) -> Any:
    """The image in a PNG file of 16 bits: uint16 `[height, width, channels]`."""
    chunks = _chunks(data)
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if depth != 16 or colour not in _CHANNELS:
        raise PngError("it does not have 16 bits")
    if interlaced:
        raise PngError("images of 16 bits must not be interlaced")
    channels = _CHANNELS[colour]
    size = 2 * channels * width
    whole = height * (size + 1)
    try:
        # No more than the pixels: what follows them may be without end.
        raw = np.frombuffer(zlib.decompressobj().decompress(chunks[b"IDAT"], min(whole + 1, sys.maxsize)), np.uint8)
    except zlib.error as problem:
        raise PngError(str(problem)) from None
    if raw.size != whole:
        raise PngError("there are too few pixels, or too many")
    rows = raw.reshape(height, size + 1)
    restored = _unfiltered(rows[:, 0], rows[:, 1:].reshape(height, width, 2 * channels))
    return np.ascontiguousarray(restored).view(">u2").astype(np.uint16)


def _chunks(data: bytes) -> dict[bytes, bytes]:
    """The contents of chunks by their kind; those of one kind are joined."""
    found: dict[bytes, bytes] = {}
    place = len(SIGNATURE)
    while place + 12 <= len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        content = data[place + 8 : place + 8 + size]
        if len(content) < size:
            break
        found[kind] = found.get(kind, b"") + content
        place += size + 12
    if b"IHDR" not in found or b"IDAT" not in found or len(found[b"IHDR"]) != 13:
        raise PngError("it is cut off")
    return found


def _unfiltered(filters: Any, rows: Any) -> Any:
    """Rows of pixels (as bytes) before they were filtered.

    A pixel needs those on its left, above it, and left above. So all pixels of a diagonal can be restored at once: in step t
    the pixel t - i of each row i.
    """
    height, width, size = rows.shape
    if int(filters.max(initial=0)) > 4:
        raise PngError("there is no such filter")
    # With a row of zeros above and a pixel of zeros on the left, which are the guesses at the edges.
    whole = np.zeros((height + 1, width + 1, size), np.int32)
    for step in range(height + width - 1):
        i = np.arange(max(0, step - width + 1), min(height, step + 1))
        j = step - i
        left, above, corner = whole[i + 1, j], whole[i, j + 1], whole[i, j]
        kinds = filters[i][:, None]
        guess = np.select(
            [kinds == 1, kinds == 2, kinds == 3, kinds == 4],
            [left, above, (left + above) // 2, _paeth(left, above, corner)],
            0,
        )
        whole[i + 1, j + 1] = (rows[i, j] + guess) & 255
    return whole[1:, 1:].astype(np.uint8)


def _paeth(left: Any, above: Any, corner: Any) -> Any:
    """Of the three neighbours, the one that is nearest to left + above - corner."""
    estimate = left + above - corner
    a, b, c = np.abs(estimate - left), np.abs(estimate - above), np.abs(estimate - corner)
    return np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))
