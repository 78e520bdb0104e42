"""Samples of distributions with parameters. The references run the published algorithms number by number, in Python."""

import math

import numpy as np

from gradtape.core import dtypes
from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.random_categorical import CategoricalQuantile
from gradtape.ops.random_counts import RandomBinomial, RandomPoisson
from gradtape.ops.random_gamma import RandomGamma
from gradtape.ops.random_index import RandomIndexShuffle
from gradtape.ops.truncated_normal import TruncatedNormalQuantile
from gradtape.testing.sample import bad, sample
from ops.samples.random import WIDE, philox, signed

REAL = "float16 bfloat16 float32 float64"
STATE = np.array([5, -3, 1234])
STATES = np.array([[1, 2, 3], [4, 5, 6]])
F32, F64, I32 = dtypes.float32, dtypes.float64, dtypes.int32


def blocks(state, first, count):
    """Wide words of blocks of a state's stream."""
    low, high, key = (int(v) % WIDE for v in state)
    found = [philox((high * WIDE + low + first + i) % WIDE**2, key) for i in range(count)]
    return [w for a, b, c, d in found for w in ((a << 32) + b, (c << 32) + d)]


def fraction(word):
    return ((word >> 12) + 0.5) / 2.0**52


def one_by_one(propose, per_number):
    """A reference for states and parameters of any shape: each number is proposed until it is accepted."""

    def reference(state, *parameters, shape, **params):
        lead = state.shape[:-1]
        size = math.prod(shape)
        rows = np.reshape(state, (-1, 3))
        values = [np.broadcast_to(p, lead + shape).ravel() for p in parameters]
        found = []
        for place in range(len(rows) * size):
            own, attempt = [float(v[place]) for v in values], 0
            while True:
                first = (attempt * size + place % size) * per_number
                number = propose(blocks(rows[place // size], first, per_number), *own)
                if number is not None:
                    break
                attempt += 1
            found.append(number)
        return np.reshape(np.array(found), lead + shape)

    return reference


def marsaglia(words, alpha):
    u, v, accept, boost = words
    normal = math.sqrt(-2 * math.log(fraction(u))) * math.cos(signed(v, 64) * math.pi / 2.0**63)
    d = (alpha if alpha >= 1 else alpha + 1) - 1 / 3
    cube = (1 + normal / math.sqrt(9 * d)) ** 3
    if cube <= 0 or math.log(fraction(accept)) >= normal**2 / 2 + d - d * cube + d * math.log(cube):
        return None
    return d * cube * (fraction(boost) ** (1 / alpha) if alpha < 1 else 1.0)


def poisson(words, rate):
    if rate < 10:
        return searched(fraction(words[0]), [math.exp(-rate) * rate**k / math.factorial(k) for k in range(60)])
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    u, v = fraction(words[0]) - 0.5, fraction(words[1])
    us = 0.5 - abs(u)
    k = math.floor((2 * a / us + b) * u + rate + 0.43)
    if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
        return k
    if k < 0 or (us < 0.013 and v > us):
        return None
    hat = math.log(v) + math.log(1.1239 + 1.1328 / (b - 3.4)) - math.log(a / us**2 + b)
    return k if hat <= -rate + k * math.log(rate) - math.lgamma(k + 1) else None


def searched(u, masses):
    total = 0.0
    for k, mass in enumerate(masses):
        total += mass
        if u <= total:
            return k
    return len(masses) - 1


def binomial(words, n, p):
    if p > 0.5:
        other = binomial(words, n, 1 - p)
        return None if other is None else n - other
    if n * p < 10:
        return searched(
            fraction(words[0]), [math.comb(int(n), k) * p**k * (1 - p) ** (n - k) for k in range(int(n) + 1)]
        )
    deviation = math.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    u, v = fraction(words[0]) - 0.5, fraction(words[1])
    us = 0.5 - abs(u)
    k = math.floor((2 * a / us + b) * u + n * p + 0.5)
    if us >= 0.07 and v <= 0.92 - 4.2 / b:
        return k
    if k < 0 or k > n:
        return None
    mode = math.floor((n + 1) * p)
    ratio = math.comb(int(n), k) / math.comb(int(n), mode) * (p / (1 - p)) ** (k - mode)
    return k if v * (2.83 + 5.1 / b) * deviation / (a / us**2 + b) <= ratio else None


ALPHA = np.array([0.25, 1.0, 12.0])
gamma = one_by_one(marsaglia, 2)
sample(RandomGamma, STATE, ALPHA, shape=(3, 3), reference=gamma, dtypes=REAL, smooth=False)
sample(RandomGamma, STATE, 2.5, shape=(), reference=gamma, smooth=False)
sample(RandomGamma, STATES, np.array([[0.5], [3.0]]), shape=(4,), reference=gamma, smooth=False)
sample(RandomGamma, STATE, 2.5, shape=(2, 0), reference=gamma, smooth=False)
sample(RandomGamma, STATE, np.array([-1.0, np.nan, 0.0, np.inf]), shape=(4,), smooth=False,
       reference=lambda state, alpha, shape: np.array([np.nan, np.nan, 0.0, np.inf]))  # fmt: skip

for dtype in (F32, F64, I32, dtypes.int64, dtypes.bfloat16):
    sample(RandomPoisson, STATE, np.array([0.5, 9.0, 25.0]), shape=(4, 3), dtype=dtype,
           reference=lambda state, rate, shape, dtype: one_by_one(poisson, 1)(state, rate, shape=shape).astype(dtype.numpy))  # fmt: skip
    sample(RandomBinomial, STATE, np.array([5.0, 40.0, 100.0]), np.array([0.25, 0.75, 0.125]), shape=(4, 3), dtype=dtype,
           reference=lambda state, n, p, shape, dtype: one_by_one(binomial, 1)(state, n, p, shape=shape).astype(dtype.numpy))  # fmt: skip
sample(RandomPoisson, STATES, 30.0, shape=(3,), dtype=F32,
       reference=lambda state, rate, shape, dtype: one_by_one(poisson, 1)(state, rate, shape=shape))  # fmt: skip
sample(RandomPoisson, STATE, np.array([-1.0, 0.0, np.nan]), shape=(3,), dtype=F32,
       reference=lambda state, rate, shape, dtype: np.array([np.nan, 0.0, np.nan]))  # fmt: skip
sample(RandomBinomial, STATES, 50.0, 0.5, shape=(3,), dtype=F32,
       reference=lambda state, n, p, shape, dtype: one_by_one(binomial, 1)(state, n, p, shape=shape))  # fmt: skip
sample(RandomBinomial, STATE, np.array([-1.0, 7.0, 7.0, 0.0]), np.array([0.5, 1.5, 1.0, 0.5]), shape=(4,), dtype=F32,
       reference=lambda state, n, p, shape, dtype: np.array([0.0, 7.0, 7.0, 0.0]))  # fmt: skip


def looked_up(logits, u, dtype):
    lead = np.broadcast_shapes(logits.shape[:-1], u.shape[:-1])
    rows = zip(
        np.broadcast_to(logits, lead + logits.shape[-1:]).reshape(-1, logits.shape[-1]),
        np.broadcast_to(u, lead + u.shape[-1:]).reshape(-1, u.shape[-1]),
        strict=True,
    )
    found = [[searched_class(row, x) for x in xs] for row, xs in rows]
    return np.reshape(np.array(found, dtype.numpy), lead + u.shape[-1:])


def searched_class(logits, u):
    chances = [math.exp(x) for x in logits]
    total = 0.0
    for k, chance in enumerate(chances):
        total += chance
        if u * sum(chances) < total:
            return k
    raise AssertionError("u is not below 1.")


LOGITS = np.array([[0.5, -1.0, 2.0, 0.0, 1.0], [1.0, 0.25, -np.inf, 3.0, -np.inf]])
UNIFORM = np.array([[0.0, 0.25, 0.5, 0.99], [0.0, 0.125, 0.3125, 1 - 2.0**-53]])
for logits, u in ((LOGITS, UNIFORM), (LOGITS[:1], UNIFORM), (LOGITS[0], UNIFORM[0]), (LOGITS[:, :1], UNIFORM)):
    for dtype in (I32, dtypes.int64):
        sample(CategoricalQuantile, logits, u, dtype=dtype, dtypes="float64", reference=looked_up)
sample(
    CategoricalQuantile,
    LOGITS[:, :2],
    np.zeros([2, 0]),
    dtype=I32,
    reference=lambda *xs, dtype: np.zeros([2, 0], np.int32),
)


def truncated(u, low, high):
    """The quantile by bisection of the distribution function."""

    def below(z):
        return 0.5 * math.erfc(-z / math.sqrt(2)) if z < 0 else 1 - 0.5 * math.erfc(z / math.sqrt(2))

    left, right = max(low, -40.0), min(high, 40.0)
    wanted = below(low) + u * (below(high) - below(low))
    for _ in range(200):
        middle = 0.5 * (left + right)
        left, right = (middle, right) if below(middle) < wanted else (left, middle)
    return middle


truncated = np.vectorize(truncated, otypes=[np.float64])
U = np.array([0.125, 0.5, 0.8125])
sample(TruncatedNormalQuantile, U, np.array([[-1.0], [0.5]]), np.array([2.0, 1.5, 3.0]), reference=truncated,
       dtypes=REAL, tolerance=1e-10)  # fmt: skip
sample(TruncatedNormalQuantile, 0.25, -3.0, -2.5, reference=truncated, tolerance=1e-10)
sample(
    TruncatedNormalQuantile,
    U,
    -np.inf,
    np.array([0.5, np.inf, -1.0]),
    reference=truncated,
    tolerance=1e-10,
    smooth=False,
)
# Far out the distribution is exponential: the quantile is the bound minus log(1 - u) over the bound.
sample(TruncatedNormalQuantile, U, 1e6, np.inf, reference=lambda u, low, high: low - np.log1p(-u) / low, smooth=False,
       dtypes="float64")  # fmt: skip


def shuffled(index, seed, max_index, rounds):
    """A Feistel network on Python's integers."""
    low, high, key = (int(v) % WIDE for v in seed)
    keys = [philox((high * WIDE + low + i) % WIDE**2, key) for i in range(rounds // 2)]
    keys = [w for a, b, c, d in keys for w in ((a << 32) + b, (c << 32) + d)]
    half = -(-max(1, int(max_index).bit_length()) // 2)

    def mixed(w):
        w = (w ^ w >> 30) * 0xBF58476D1CE4E5B9 % WIDE
        w = (w ^ w >> 27) * 0x94D049BB133111EB % WIDE
        return w ^ w >> 31

    value = int(index)
    while True:
        left, right = value >> half, value % (1 << half)
        for k in keys:
            left, right = right, left ^ mixed(right ^ k) % (1 << half)
        value = (left << half) + right
        if value <= max_index:
            return value


def shuffle_reference(index, seed, max_index, rounds):
    rows = np.broadcast_shapes(index.shape, seed.shape[:-1], max_index.shape)
    each = zip(
        np.broadcast_to(index, rows).ravel(),
        np.broadcast_to(seed, (*rows, 3)).reshape(-1, 3),
        np.broadcast_to(max_index, rows).ravel(),
        strict=True,
    )
    return np.reshape(np.array([shuffled(i, s, m, rounds) for i, s, m in each], index.dtype), rows)


SEED = np.array([1, 2, 3])
for dtype in (np.int32, np.int64, np.uint64):
    sample(
        RandomIndexShuffle,
        np.arange(7, dtype=dtype),
        SEED,
        dtype(6),
        rounds=4,
        dtypes="int64",
        reference=shuffle_reference,
    )
sample(RandomIndexShuffle, np.arange(3), np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), np.array([2, 1000, 2**40]), rounds=6,
       dtypes="int64", reference=shuffle_reference)  # fmt: skip
sample(RandomIndexShuffle, np.int32(0), SEED, np.int32(0), rounds=4, dtypes="int64", reference=shuffle_reference)
sample(
    RandomIndexShuffle,
    np.uint64(2**63),
    SEED,
    np.uint64(2**64 - 1),
    rounds=4,
    dtypes="int64",
    reference=shuffle_reference,
)

bad(RandomGamma, STATE, np.ones([2]), shape=(3,), error=ShapeError, match="does not broadcast to the shape [3]")
bad(RandomGamma, STATE, np.int64(2), shape=(3,), error=DTypeError, match="dtype is int64")
bad(RandomGamma, STATE[:2], 1.0, shape=(3,), error=ShapeError, match="the state is")
bad(RandomPoisson, STATE, np.ones([2]), shape=(3,), dtype=F32, error=ShapeError, match="rate is f64[2]")
bad(RandomPoisson, STATE, 1.0, shape=(3,), dtype=dtypes.int8, error=DTypeError, match="dtype is int8")
bad(RandomPoisson, STATE, -1.0, shape=(3,), dtype=I32, error=InvalidArgumentError, match="rates must not be negative")
bad(RandomBinomial, STATE, np.ones([2]), 0.5, shape=(3,), dtype=F32, error=ShapeError, match="counts is f64[2]")
bad(
    RandomBinomial, STATE, 5.0, np.nan, shape=(3,), dtype=I32, error=InvalidArgumentError, match="counts must be finite"
)
bad(CategoricalQuantile, np.ones([2, 0]), UNIFORM, dtype=I32, error=ShapeError, match="at least one class")
bad(CategoricalQuantile, np.ones([3, 2]), UNIFORM, dtype=I32, error=ShapeError, match="logits is f64[3,2]")
bad(CategoricalQuantile, LOGITS, UNIFORM, dtype=F32, error=DTypeError, match="int32 or int64")
bad(CategoricalQuantile, LOGITS > 0, UNIFORM, dtype=I32, error=DTypeError, match="must be floating point")
bad(TruncatedNormalQuantile, U, np.zeros(2), 1.0, error=ShapeError, match="do not broadcast")
bad(TruncatedNormalQuantile, U, 0.0, np.float32(1.0), error=DTypeError, match="dtypes differ")
bad(TruncatedNormalQuantile, U, np.array([0.0, 1.5, 2.0]), np.array([1.0, 1.0, 3.0]), error=InvalidArgumentError,
    match="minvals must not be above")  # fmt: skip
bad(RandomIndexShuffle, np.int32(3), SEED[:2], np.int32(5), rounds=4, error=ShapeError, match="seed is i64[2]")
bad(
    RandomIndexShuffle,
    np.int32(3),
    SEED,
    np.int32(5),
    rounds=3,
    error=InvalidArgumentError,
    match="rounds must be even and at least 4, got 3",
)
bad(RandomIndexShuffle, np.int32(7), SEED, np.int32(5), rounds=4, error=InvalidArgumentError, match="must be from 0")
bad(RandomIndexShuffle, 3.0, SEED, np.int32(5), rounds=4, error=DTypeError, match="must be signed integers")
