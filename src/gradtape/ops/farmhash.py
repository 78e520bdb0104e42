"""FarmHash's 64-bit fingerprint of rows of bytes, all rows at once.

The algorithm is that of Geoff Pike's FarmHash (`farmhash::Fingerprint64`), whose results are fixed for all time. Rows of one
array have one length, so they take the same branches, and every step is arithmetic on a vector of `uint64`, modulo 2**64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

_K0, _K1, _K2 = np.uint64(0xC3A5C85C97CB3127), np.uint64(0xB492B66FBE98F273), np.uint64(0x9AE16A3B2F90404F)
_SEED = 81
_BLOCK = 64


class Row(NamedTuple):
    """Rows of bytes `[count, length]`, and reading of words from them; negative places count from the end."""

    data: Any

    def word(self, at: int, size: int = 8) -> Any:
        """The little-endian number of `size` bytes at a place of every row."""
        at += self.data.shape[1] if at < 0 else 0
        return np.ascontiguousarray(self.data[:, at : at + size]).view(f"<u{size}")[:, 0].astype(np.uint64)


def fingerprint64(data: Any) -> Any:
    """`[count]` of uint64: the fingerprint of each row of `[count, length]` bytes."""
    row, length = Row(data), data.shape[1]
    with np.errstate(over="ignore"):
        if length <= 16:
            return _upto_16(row, length)
        if length <= 32:
            return _upto_32(row, length)
        return _upto_64(row, length) if length <= _BLOCK else _longer(row, length)


def _number(value: int) -> Any:
    return np.uint64(value % 2**64)


def _rotate(x: Any, by: int) -> Any:
    return (x >> np.uint64(by)) | (x << np.uint64(64 - by))


def _mix(x: Any) -> Any:
    return x ^ (x >> np.uint64(47))


def _pair(u: Any, v: Any, factor: Any) -> Any:
    """Two words hashed to one."""
    return _mix((v ^ _mix((u ^ v) * factor)) * factor) * factor


def _factor(length: int) -> Any:
    return _number(int(_K2) + 2 * length)


def _upto_16(row: Row, length: int) -> Any:
    factor = _factor(length)
    if length >= 8:
        a, b = row.word(0) + _K2, row.word(-8)
        return _pair(_rotate(b, 37) * factor + a, (_rotate(a, 25) + b) * factor, factor)
    if length >= 4:
        return _pair(_number(length) + (row.word(0, 4) << np.uint64(3)), row.word(-4, 4), factor)
    if length:
        first, middle, last = row.word(0, 1), row.word(length // 2, 1), row.word(-1, 1)
        y, z = first + (middle << np.uint64(8)), _number(length) + (last << np.uint64(2))
        return _mix(y * _K2 ^ z * _K0) * _K2
    return np.full(len(row.data), _K2)


def _ends(row: Row, factor: Any) -> tuple[Any, Any, Any, Any]:
    """Two words of the beginning and two of the end, as rows of 17 to 64 bytes use them."""
    return row.word(0), row.word(8), row.word(-8) * factor, row.word(-16) * _K2


def _upto_32(row: Row, length: int) -> Any:
    factor = _factor(length)
    a, b, c, d = _ends(row, factor)
    a = a * _K1
    return _pair(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, factor)


def _upto_64(row: Row, length: int) -> Any:
    factor = _factor(length)
    a, b, c, d = _ends(row, factor)
    a = a * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _pair(y, a + _rotate(b + _K2, 18) + c, factor)
    e, f = row.word(16) * factor, row.word(24)
    g, h = (y + row.word(-32)) * factor, (z + row.word(-24)) * factor
    return _pair(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, factor)


class State(NamedTuple):
    """The state carried from block to block."""

    x: Any
    y: Any
    z: Any
    v: tuple[Any, Any]
    w: tuple[Any, Any]


def _longer(row: Row, length: int) -> Any:
    y = _number(_SEED * int(_K1) + 113)
    z = _mix(_number(int(y) * int(_K2) + 113)) * _K2
    zero = np.zeros(len(row.data), np.uint64)
    state = State(_number(_SEED * int(_K2)) + row.word(0), zero + y, zero + z, (zero, zero), (zero, zero))
    for start in range(0, (length - 1) // _BLOCK * _BLOCK, _BLOCK):
        state = _absorb(row, start, state, _K1, np.uint64(1))
    x, y, z, v, w = state
    factor = _K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    first = w[0] + _number((length - 1) % _BLOCK)
    v = v[0] + first, v[1]
    w = first + v[0], w[1]
    x, y, z, v, w = _absorb(row, length - _BLOCK, State(x, y, z, v, w), factor, np.uint64(9))
    return _pair(_pair(v[0], w[0], factor) + _mix(y) * _K0 + z, _pair(v[1], w[1], factor) + x, factor)


def _absorb(row: Row, at: int, state: State, factor: Any, weight: Any) -> State:
    """The state after one block of 64 bytes."""
    x, y, z, v, w = state
    x = _rotate(x + y + v[0] + row.word(at + 8), 37) * factor
    y = _rotate(y + v[1] + row.word(at + 48), 42) * factor
    x = x ^ w[1] * weight
    y = y + v[0] * weight + row.word(at + 40)
    z = _rotate(z + w[0], 33) * factor
    v, w = _half(row, at, v[1] * factor, x + w[0]), _half(row, at + 32, z + w[1], y + row.word(at + 16))
    return State(z, y, x, v, w)


def _half(row: Row, at: int, a: Any, b: Any) -> tuple[Any, Any]:
    """32 bytes and two seeds hashed to two words."""
    p, q, r, s = (row.word(at + 8 * i) for i in range(4))
    a = a + p
    b = _rotate(b + a + s, 21)
    c = a
    a = a + q + r
    return a + s, b + _rotate(a, 44) + c
