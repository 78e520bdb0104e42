"""Philox-4x32-10: random bits as a function of a counter and a key.

Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). A block of four 32-bit words
is ten rounds of multiplications of a 128-bit counter under a 64-bit key. There is no hidden state, so any part of a
stream can be drawn alone, by NumPy here and by generated code, with the same bits.

A state is three int64: the counter's low and high half, and the key. Leading axes are independent states.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import memory

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
LOWER = 0xFFFF_FFFF
WHOLE = 0xFFFF_FFFF_FFFF_FFFF
MASK = np.uint64(LOWER)
HALF = np.uint64(32)
# Blocks computed at a time: the working arrays stay in the processor's cache.
CHUNK = 16384
# Up to so many blocks of one state Python's integers are faster than fifty calls of NumPy.
FEW = 8


def words(state: Any, first: int, count: int) -> Any:
    """The blocks `first`, `first + 1`, ... of states: uint64 of shape `[2, ..., count]`.

    A block (w0, w1, w2, w3) is kept as two wide words, `w0 << 32 | w1` and `w2 << 32 | w3`.
    """
    if count <= FEW and state.ndim == 1 and type(state) is np.ndarray:
        return _few(state, first, count)
    low, high, key = (state[..., i : i + 1].astype(np.uint64) for i in range(3))
    counter = low + np.arange(first, first + count, dtype=np.uint64, like=state)
    pair = np.stack([counter, high + (counter < low)])
    return _encrypt(pair << HALF | pair >> HALF, np.stack([key, key >> HALF]))


def words_at(states: Any, blocks: Any) -> Any:
    """One block for each of n states, `[n, 3]`, or n blocks of one, `[1, 3]`: uint64 of shape `[2, n]`."""
    low, high, key = (states[:, i].astype(np.uint64) for i in range(3))
    counter = low + blocks
    pair = np.stack([counter, high + (counter < low)])
    return _encrypt(pair << HALF | pair >> HALF, np.stack([key, key >> HALF]))


def _encrypt(pair: Any, key: Any) -> Any:
    """The ten rounds, in place.

    A round makes (w0, w1) of the product of w2, whose upper half meets w1 and the key: in wide words,
    `product(w2) ^ wide << 32 ^ key << 32`. The key's own upper half is shifted out.
    """
    column = (2,) + (1,) * (pair.ndim - 1)
    factor = np.reshape(np.array(MULTIPLIERS, np.uint64, like=pair), column)
    bump = np.reshape(np.array(WEYL, np.uint64, like=pair), column)
    turn = np.reshape(np.arange(ROUNDS, dtype=np.uint64, like=pair), (ROUNDS,) + (1,) * pair.ndim)
    keys = key + bump * turn << HALF
    product = np.empty_like(pair)
    crossed = product[::-1]
    for i in range(ROUNDS):
        np.right_shift(pair, HALF, out=product)
        product *= factor
        pair <<= HALF
        pair ^= keys[i]
        pair ^= crossed
    return pair


def _few(state: Any, first: int, count: int) -> Any:
    low, high, key = (value & WHOLE for value in state.tolist())
    counter = (high << 64 | low) + first
    blocks = [block(counter + i, key) for i in range(count)]
    return np.array([[a << 32 | b for a, b, _, _ in blocks], [c << 32 | d for _, _, c, d in blocks]], np.uint64)


def block(counter: int, key: int) -> tuple[int, int, int, int]:
    """The four words at a 128-bit counter under a 64-bit key."""
    a, b, c, d = counter & LOWER, counter >> 32 & LOWER, counter >> 64 & LOWER, counter >> 96 & LOWER
    k, l = key & LOWER, key >> 32
    for _ in range(ROUNDS):
        p, q = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b, c, d = q >> 32 ^ b ^ k, q & LOWER, p >> 32 ^ d ^ l, p & LOWER
        k, l = k + WEYL[0] & LOWER, l + WEYL[1] & LOWER
    return a, b, c, d


Columns = list[Any]


def draw(
    state: Any,
    shape: tuple[int, ...],
    dtype: Any,
    per_block: int,
    convert: Callable[[Any], Columns],
    lead: tuple[int, ...] | None = None,
) -> Any:
    """An array of `lead + shape`, where `convert` makes `per_block` elements of the two wide words of each block."""
    lead = tuple(state.shape[:-1]) if lead is None else lead
    size = math.prod(shape)
    blocks = -(-size // per_block)
    drawn = np.empty((*lead, blocks, per_block), dtype, like=state)
    step = max(1, CHUNK // max(1, math.prod(lead)))

    def fill(first: int) -> None:
        count = min(step, blocks - first)
        for i, column in enumerate(convert(words(state, first, count))):
            drawn[..., first : first + count, i] = column

    starts = range(0, blocks, step)
    if len(starts) > 1 and type(state) is np.ndarray:
        memory.run(fill, starts)
    else:
        for first in starts:
            fill(first)
    flat = np.reshape(drawn, (*lead, blocks * per_block))
    return np.reshape(flat[..., :size], lead + shape)


def bits(state: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Integers of the whole range of a dtype of 32 or 64 bits."""
    if dtype.itemsize == 8:
        return draw(state, shape, dtype, 2, lambda wide: [wide[0].astype(dtype), wide[1].astype(dtype)])
    return draw(state, shape, dtype, 4, lambda wide: _narrow((wide >> HALF).astype(dtype), wide.astype(dtype)))


def _narrow(upper: Any, lower: Any) -> Columns:
    """What became of the four narrow words, in the order of the block."""
    return [upper[0], lower[0], upper[1], lower[1]]


def uniform(state: Any, shape: tuple[int, ...], dtype: Any, digits: int) -> Any:
    """Numbers of [0, 1) with `digits` random bits, as many as the dtype's mantissa holds."""
    scale = dtype.type(2.0**-digits)

    def wide_floats(wide: Any) -> Columns:
        numbers = (wide >> np.uint64(64 - digits)).astype(dtype) * scale
        return [numbers[0], numbers[1]]

    def narrow_floats(wide: Any) -> Columns:
        upper = (wide >> np.uint64(64 - digits)).astype(np.int32)
        lower = ((wide & MASK) >> np.uint64(32 - digits)).astype(np.int32)
        return _narrow(upper.astype(dtype) * scale, lower.astype(dtype) * scale)

    if digits > 32:
        return draw(state, shape, dtype, 2, wide_floats)
    return draw(state, shape, dtype, 4, narrow_floats)


def normal(state: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Standard normal numbers, in pairs, by the method of Box and Muller; narrow dtypes are rounded from float32."""
    if dtype == np.float64:
        return draw(state, shape, dtype, 2, _normal_wide)
    return draw(state, shape, dtype, 4, _normal_narrow)


def _normal_narrow(wide: Any) -> Columns:
    # The radius takes a number that goes down to 2**-32: tails reach 6.7 standard deviations.
    fraction = (wide >> np.uint64(33)).astype(np.int32).astype(np.float32)
    fraction += np.float32(0.5)
    fraction *= np.float32(2.0**-31)
    angle = wide.astype(np.int32).astype(np.float32)
    angle *= np.float32(math.pi * 2.0**-31)
    return _narrow(*_polar(fraction, angle))


def _normal_wide(wide: Any) -> Columns:
    fraction = (wide[0] >> np.uint64(11)).astype(np.float64)
    fraction += 0.5
    fraction *= 2.0**-53
    angle = wide[1].astype(np.int64).astype(np.float64)
    angle *= math.pi * 2.0**-63
    return list(_polar(fraction, angle))


def _polar(fraction: Any, angle: Any) -> tuple[Any, Any]:
    radius = np.sqrt(np.log(fraction) * fraction.dtype.type(-2))
    return radius * np.cos(angle), radius * np.sin(angle)


def truncated_normal(state: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Standard normal numbers of (-2, 2), by the inverse of the distribution function: one word for one number."""
    from scipy.special import ndtri

    tail = 0.022750131948179195  # the probability of a number below -2
    inside = 1.0 - 2.0 * tail

    def wide_floats(wide: Any) -> Columns:
        numbers = ndtri(((wide >> np.uint64(11)).astype(np.float64) + 0.5) * (inside * 2.0**-53) + tail)
        return [numbers[0], numbers[1]]

    def narrow_floats(wide: Any) -> Columns:
        parts = (wide >> HALF, wide & MASK)
        return _narrow(*(ndtri((w.astype(np.float64) + 0.5) * (inside * 2.0**-32) + tail) for w in parts))

    if dtype == np.float64:
        return draw(state, shape, dtype, 2, wide_floats)
    return draw(state, shape, dtype, 4, narrow_floats)


def integers(state: Any, low: Any, high: Any, shape: tuple[int, ...], lead: tuple[int, ...]) -> Any:
    """Integers of [low, high), where the bounds broadcast to `lead`.

    A fraction of twice the width of the dtype is multiplied with the range: the least and the most probable number
    differ by less than one part in 2**32 (int32) or 2**64 (int64).
    """
    low, high = (np.reshape(bound, (*bound.shape, 1)) for bound in (low, high))
    dtype = low.dtype
    span = high.astype(np.uint64) - low.astype(np.uint64)

    def narrow(pair: Any) -> Columns:
        return [low + _scaled(word, span).astype(dtype) for word in (pair[0], pair[1])]

    def wide(pair: Any) -> Columns:
        product = pair[0] * span
        carry = product + _high_half(pair[1], span) < product
        return [low + (_high_half(pair[0], span) + carry).astype(dtype)]

    if dtype.itemsize == 8:
        return draw(state, shape, dtype, 1, wide, lead)
    return draw(state, shape, dtype, 2, narrow, lead)


def _scaled(word: Any, span: Any) -> Any:
    """The upper 64 bits of the product of a uint64 and one below 2**32."""
    return (word >> HALF) * span + ((word & MASK) * span >> HALF) >> HALF


def _high_half(a: Any, b: Any) -> Any:
    """The upper 64 bits of a product of two uint64."""
    a1, a0, b1, b0 = a >> HALF, a & MASK, b >> HALF, b & MASK
    middle = a1 * b0 + (a0 * b0 >> HALF)
    return a1 * b1 + (middle >> HALF) + (a0 * b1 + (middle & MASK) >> HALF)


def permutation(state: Any, size: int) -> Any:
    """The numbers from 0 to `size - 1` in the order of random keys.

    A number stands in the lower bits of its key, so that keys are sorted rather than their positions, which takes a
    fifth of the time, and all are different.
    """
    digits = np.uint64(max(0, size - 1).bit_length())
    keys = bits(state, (size,), np.dtype(np.uint64)) >> digits << digits
    keys = np.sort(keys | np.arange(size, dtype=np.uint64, like=state), axis=-1)
    return (keys & (np.uint64(1) << digits) - np.uint64(1)).astype(np.int64)


def skip(state: Any, count: int) -> Any:
    """States whose counter is `count` blocks further."""
    if state.ndim == 1 and type(state) is np.ndarray:
        low, high, key = state.tolist()
        moved = ((high & WHOLE) << 64 | low & WHOLE) + count
        return np.array([moved & WHOLE, moved >> 64 & WHOLE, key & WHOLE], np.uint64).astype(np.int64)
    low, high, key = (state[..., i].astype(np.uint64) for i in range(3))
    moved = low + np.uint64(count & WHOLE)
    high = high + (moved < low) + np.uint64(count >> 64 & WHOLE)
    return np.stack([moved, high, key], axis=-1).astype(np.int64)


def from_seed(seed: Any) -> Any:
    """States of pairs of integers: the pair is scrambled into a key and the counter's upper half."""
    pair = seed.astype(np.int64)
    zeros = np.zeros_like(pair[..., :1])
    scrambled = words(np.concatenate([pair, zeros], axis=-1), 0, 1).astype(np.int64)
    return np.concatenate([zeros, scrambled[0], scrambled[1]], axis=-1)
