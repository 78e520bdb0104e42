"""Samples of random draws, with Philox in plain Python as the reference."""

import math
import statistics

import numpy as np

from gradtape.core import dtypes
from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.random import (
    RandomBits,
    RandomIntegers,
    RandomNormal,
    RandomPermutation,
    RandomSkip,
    RandomState,
    RandomTruncatedNormal,
    RandomUniform,
)
from gradtape.testing.sample import bad, sample

WORD = 1 << 32
WIDE = 1 << 64


def philox(counter, key):
    """The four words of a block, by the round function of the paper."""
    x = [counter >> 32 * i & (WORD - 1) for i in range(4)]
    k = [key % WORD, key // WORD]
    for _ in range(10):
        (hi0, lo0), (hi1, lo1) = divmod(x[0] * 0xD2511F53, WORD), divmod(x[2] * 0xCD9E8D57, WORD)
        x = [hi1 ^ x[1] ^ k[0], lo1, hi0 ^ x[3] ^ k[1], lo0]
        k = [(k[0] + 0x9E3779B9) % WORD, (k[1] + 0xBB67AE85) % WORD]
    return x


def words(state, count):
    """The first 32-bit words of a state's stream."""
    low, high, key = (int(v) % WIDE for v in state)
    blocks = -(-count // 4)
    return [w for i in range(blocks) for w in philox((high * WIDE + low + i) % WIDE**2, key)][:count]


def wide_words(state, count):
    """The same as 64-bit words."""
    narrow = words(state, 2 * count)
    return [a * WORD + b for a, b in zip(narrow[::2], narrow[1::2], strict=True)]


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


def per_state(draw):
    """A reference for states with leading axes, from one for a single state; elements are put into the shape."""

    def reference(state, *more, shape=(), **params):
        rows = [draw(s, *more, count=math.prod(shape), **params) for s in np.reshape(state, (-1, state.shape[-1]))]
        return np.reshape(np.array(rows), state.shape[:-1] + shape)

    return reference


def bits(state, count, dtype):
    found = words(state, count) if dtype.size == 4 else wide_words(state, count)
    return np.array(found, np.uint64).astype(dtype.numpy)


def uniform(state, count, dtype):
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype.name]
    width = 64 if dtype is dtypes.float64 else 32
    found = wide_words(state, count) if width == 64 else words(state, count)
    return [(w >> (width - digits)) / 2.0**digits for w in found]


def normal(state, count, dtype):
    if dtype is dtypes.float64:
        found = wide_words(state, count + count % 2)
        fraction = [((w >> 11) + 0.5) / 2.0**53 for w in found[::2]]
        angle = [signed(w, 64) * math.pi / 2.0**63 for w in found[1::2]]
    else:
        found = words(state, count + count % 2)
        fraction = [((w >> 1) + 0.5) / 2.0**31 for w in found[::2]]
        angle = [signed(w, 32) * math.pi / 2.0**31 for w in found[1::2]]
    pairs = [(math.sqrt(-2.0 * math.log(f)), a) for f, a in zip(fraction, angle, strict=True)]
    return [v for r, a in pairs for v in (r * math.cos(a), r * math.sin(a))][:count]


def truncated_normal(state, count, dtype):
    standard = statistics.NormalDist()
    tail = standard.cdf(-2.0)
    if dtype is dtypes.float64:
        fractions = [((w >> 11) + 0.5) / 2.0**53 for w in wide_words(state, count)]
    else:
        fractions = [(w + 0.5) / 2.0**32 for w in words(state, count)]
    return [standard.inv_cdf(tail + f * (1.0 - 2.0 * tail)) for f in fractions]


def integers(state, low, high, count):
    span = int(high) - int(low)
    if np.asarray(low).dtype == np.int64:
        found = wide_words(state, 2 * count)
        return [int(low) + ((a * WIDE + b) * span >> 128) for a, b in zip(found[::2], found[1::2], strict=True)]
    return [int(low) + (w * span >> 64) for w in wide_words(state, count)]


def permutation(state, count):
    digits = max(0, count - 1).bit_length()
    keys = [(key >> digits, i) for i, key in enumerate(wide_words(state, count))]
    return [i for _, i in sorted(keys)]


def skipped(state, count, delta):
    low, high, key = (int(v) % WIDE for v in state)
    moved = (high * WIDE + low + delta) % WIDE**2
    return [signed(v, 64) for v in (moved % WIDE, moved // WIDE, key)]


def seeded(seed, count):
    low, high = (int(v) % WIDE for v in seed)
    a, b, c, d = philox(high * WIDE + low, 0)
    return [0, signed(a * WORD + b, 64), signed(c * WORD + d, 64)]


STATE = np.array([5, -3, 1234])
EDGE = np.array([-2, -1, -(2**63)])  # the counter overflows
STATES = np.array([[1, 2, 3], [4, 5, 6]])
F16, BF16, F32, F64 = dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64

for state in (STATE, EDGE, STATES, STATES.reshape(1, 2, 3)):
    for dtype in (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64):
        sample(RandomBits, state, shape=(11,), dtype=dtype, dtypes="int64", reference=per_state(bits))
for shape in ((), (3,), (0,), (2, 0), (5, 9)):
    sample(RandomBits, STATE, shape=shape, dtype=dtypes.uint32, dtypes="int64", reference=per_state(bits))

# Rounding to the dtype is what separates these from the references.
for dtype, tolerance in ((F16, 2e-3), (BF16, 2e-2), (F32, 1e-6), (F64, 1e-12)):
    for shape in ((), (3,), (7, 6), (0,)):
        for op, reference in ((RandomUniform, uniform), (RandomNormal, normal)):
            sample(
                op, STATE, shape=shape, dtype=dtype, dtypes="int64", reference=per_state(reference), tolerance=tolerance
            )
    for op, reference in ((RandomUniform, uniform), (RandomNormal, normal)):
        sample(op, STATES, shape=(5,), dtype=dtype, dtypes="int64", reference=per_state(reference), tolerance=tolerance)
    for state, shape in ((STATE, (3, 3)), (STATES, (4,)), (STATE, ())):
        sample(
            RandomTruncatedNormal, state, shape=shape, dtype=dtype, dtypes="int64",
            reference=per_state(truncated_normal), tolerance=10 * tolerance,
        )  # fmt: skip

INT32, INT64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
for low, high in ((0, 10), (-5, -4), INT32):
    sample(
        RandomIntegers, STATE, np.int32(low), np.int32(high), shape=(9,), dtypes="int64", reference=per_state(integers)
    )
for low, high in ((0, 10), (-7, 2**40), INT64):
    sample(
        RandomIntegers,
        STATE,
        np.int64(low),
        np.int64(high),
        shape=(2, 3),
        dtypes="int64",
        reference=per_state(integers),
    )
sample(RandomIntegers, STATES, np.int32(3), np.int32(50), shape=(4,), dtypes="int64", reference=per_state(integers))
sample(RandomIntegers, STATE, np.int32(3), np.int32(50), shape=(), dtypes="int64", reference=per_state(integers))

for state in (STATE, STATES):
    for size in (0, 1, 7):
        sample(
            RandomPermutation, state, size=size, dtypes="int64",
            reference=lambda state, size: per_state(permutation)(state, shape=(size,)),
        )  # fmt: skip

for state in (STATE, EDGE, STATES):
    for count in (0, 1, 2**70 + 5):
        sample(
            RandomSkip, state, count=count, dtypes="int64",
            reference=lambda state, count: per_state(skipped)(state, shape=(3,), delta=count)
            if state.ndim > 1
            else np.array(skipped(state, 3, count)),
        )  # fmt: skip

for seed in (np.array([1, 2]), np.array([-1, -(2**31)], np.int32), np.array([[1, 2], [3, 4], [5, 6]])):
    sample(RandomState, seed, dtypes="int64", reference=lambda seed: per_state(seeded)(seed, shape=(3,)))

for op, params in (
    (RandomBits, {"shape": (2,), "dtype": dtypes.uint32}),
    (RandomUniform, {"shape": (2,), "dtype": F32}),
    (RandomNormal, {"shape": (2,), "dtype": F32}),
    (RandomTruncatedNormal, {"shape": (2,), "dtype": F32}),
    (RandomPermutation, {"size": 3}),
    (RandomSkip, {"count": 3}),
):
    bad(op, np.array([1, 2]), error=ShapeError, match="must be i64", **params)
    bad(op, np.array([1.0, 2.0, 3.0]), error=InvalidArgumentError, match="state", **params)
bad(RandomBits, STATE, shape=(2,), dtype=F32, error=DTypeError, match="dtype is float32")
for op in (RandomUniform, RandomNormal, RandomTruncatedNormal):
    bad(op, STATE, shape=(2,), dtype=dtypes.int32, error=DTypeError, match="dtype is int32")
bad(RandomIntegers, STATE, np.int32(0), np.int64(5), shape=(2,), error=DTypeError, match="dtypes differ")
bad(RandomIntegers, STATE, np.int8(0), np.int8(5), shape=(2,), error=DTypeError, match="dtype is int8")
bad(
    RandomIntegers, STATE, np.array([1, 2], np.int32), np.array([3, 4, 5], np.int32), shape=(2,),
    error=ShapeError, match="must be scalars",
)  # fmt: skip
bad(RandomState, np.array([1, 2, 3]), error=ShapeError, match="must be i32")
bad(RandomState, np.array([1.0, 2.0]), error=DTypeError, match="must be i32")
