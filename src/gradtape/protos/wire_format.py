"""The wire format of protocol buffers: fields as tags and values, numbers as varints.

A message is a sequence of fields. Each begins with a varint of `number << 3 | kind`, where the kind tells how the value is
written: 0 a varint, 1 eight bytes, 2 a length and as many bytes, 5 four bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5

_MASK = (1 << 64) - 1
# Fewer bytes than this are quicker in a loop of Python.
_SHORT = 48


class WireError(ValueError):
    """The bytes are not a message."""


def varint(value: int) -> bytes:
    """An integer in groups of seven bits, the lowest first; negative ones as their two's complement of 64 bits."""
    value &= _MASK
    if value < 128:
        return bytes((value,))
    groups = bytearray()
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def signed(value: int) -> int:
    """The int64 whose two's complement an unsigned integer is."""
    return value - (1 << 64) if value >> 63 else value


def tag(number: int, kind: int) -> bytes:
    """What stands before a value."""
    return varint(number << 3 | kind)


def delimited(number: int, data: bytes) -> bytes:
    """A field of bytes."""
    return b"".join([tag(number, BYTES), varint(len(data)), data])


def read_varint(data: bytes, place: int) -> tuple[int, int]:
    """An unsigned integer, and the place behind it."""
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise WireError("a number is cut off or too long")
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & _MASK, place
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """Number, kind and value of each field: an unsigned int for varints, bytes for the others."""
    place, end = 0, len(data)
    while place < end:
        head, place = read_varint(data, place)
        kind = head & 7
        if kind == VARINT:
            value, place = read_varint(data, place)
            yield head >> 3, kind, value
            continue
        if kind == BYTES:
            size, place = read_varint(data, place)
        elif kind in (EIGHT, FOUR):
            size = 8 if kind == EIGHT else 4
        else:
            raise WireError(f"there is no kind of field {kind}")
        if place + size > end or not head >> 3:
            raise WireError("a field is cut off or has no number")
        yield head >> 3, kind, data[place : place + size]
        place += size


def packed_varints(values: Any) -> bytes:
    """Integers as varints, one after the other."""
    array = np.asarray(values)
    if array.dtype.kind == "u":
        array = array.astype(np.uint64)
    else:
        array = array.astype(np.int64).view(np.uint64)
    if array.size < 8:
        return b"".join([varint(int(v)) for v in array])
    shifts = np.arange(10, dtype=np.uint64) * np.uint64(7)
    groups = array[:, None] >> shifts
    last = np.maximum((groups != 0).sum(1), 1)
    used = np.arange(10) < last[:, None]
    more = np.arange(10) < last[:, None] - 1
    marked = groups.astype(np.uint8) & 127 | np.where(more, np.uint8(128), np.uint8(0))
    return bytes(marked[used])


def unpacked_varints(data: bytes) -> Any:
    """The integers of `packed_varints`, as int64."""
    if len(data) < _SHORT:
        values, place = [], 0
        while place < len(data):
            value, place = read_varint(data, place)
            values.append(signed(value))
        return np.array(values, np.int64)
    groups = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(groups < 128)
    if not ends.size or ends[-1] != groups.size - 1:
        raise WireError("a number is cut off")
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if int(lengths.max()) > 10:
        raise WireError("a number is too long")
    position = np.arange(groups.size) - np.repeat(starts, lengths)
    parts = (groups & 127).astype(np.uint64) << (position * 7).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)
