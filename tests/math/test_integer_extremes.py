"""Reductions of integers at their extremes against Python's integers, which do not wrap, eagerly and in functions."""

import math
import operator
from functools import reduce
from itertools import accumulate

import numpy as np
import pytest

import gradtape as tf

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
IDS = [2, 0, 2, 0, 0]


def wrapped(value: int, dtype: str) -> int:
    """A Python integer as the dtype holds it: modulo its range."""
    low, bits = tf.as_dtype(dtype).min, 8 * tf.as_dtype(dtype).size
    return (value - low) % (1 << bits) + low


def mean(row: list[int]) -> int:
    """The mean rounded toward zero."""
    total = sum(row)
    return abs(total) // len(row) * (1 if total >= 0 else -1)


def wrapped_mean(row: list[int], dtype: str) -> int:
    """The mean; the sum of 64-bit integers wraps, as TensorFlow's does."""
    total = wrapped(sum(row), dtype) if tf.as_dtype(dtype).size == 8 else sum(row)
    return abs(total) // len(row) * (1 if total >= 0 else -1)


def segments(row: list[int], join, empty: int) -> list[int]:
    """What `join` makes of the numbers of a row with the same id."""
    members = [[v for v, i in zip(row, IDS, strict=True) if i == k] for k in range(4)]
    return [join(m) if m else empty for m in members]


EXACT = {
    "reduce_sum": (lambda x: tf.reduce_sum(x, 1), sum),
    "reduce_prod": (lambda x: tf.reduce_prod(x, 1), math.prod),
    "reduce_max": (lambda x: tf.reduce_max(x, 1), max),
    "reduce_min": (lambda x: tf.reduce_min(x, 1), min),
    "cumsum": (lambda x: tf.cumsum(x, 1), lambda r: list(accumulate(r))),
    "cumprod": (lambda x: tf.math.cumprod(x, 1), lambda r: list(accumulate(r, operator.mul))),
    "add_n": (lambda x: tf.add_n([x, x, x]), lambda r: [3 * v for v in r]),
    "reverse_cumsum": (lambda x: tf.cumsum(x, 1, reverse=True), lambda r: list(accumulate(r[::-1]))[::-1]),
    "unsorted_segment_sum": (
        lambda x: tf.transpose(tf.math.unsorted_segment_sum(tf.transpose(x), IDS, 4)),
        lambda r: segments(r, sum, 0),
    ),
    "unsorted_segment_prod": (
        lambda x: tf.transpose(tf.math.unsorted_segment_prod(tf.transpose(x), IDS, 4)),
        lambda r: segments(r, math.prod, 1),
    ),
    "segment_sum": (
        lambda x: tf.transpose(tf.math.segment_sum(tf.transpose(x), sorted(IDS))),
        lambda r: [sum(r[:3]), 0, sum(r[3:])],
    ),
    "matmul": (lambda x: tf.matmul(x, tf.ones([5, 2], x.dtype)), lambda r: [sum(r)] * 2),
    "fold": (lambda x: reduce(operator.add, tf.unstack(x, axis=1)), sum),
}  # fmt: skip


def samples(dtype: str, random: np.random.Generator, rows: int) -> list[list[int]]:
    """Rows of extremes, their neighbours, and numbers between them."""
    low, high = tf.as_dtype(dtype).min, tf.as_dtype(dtype).max
    edges = [low, low + 1, high, high - 1, 0, 1, high // 2, -1 if low else 2]
    return [[high] * 5, [low] * 5] + [[edges[i] for i in random.integers(0, len(edges), 5)] for _ in range(rows)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_results_are_those_of_python_modulo_the_range(name, dtype, random):
    ours, exact = EXACT[name]
    rows = samples(dtype, random, 30)
    wanted = [[wrapped(v, dtype) for v in r] if isinstance(r, list) else wrapped(r, dtype) for r in map(exact, rows)]
    x = tf.constant(rows, dtype)
    for way in (ours, tf.function(ours)):
        assert way(x).numpy().tolist() == wanted


@pytest.mark.parametrize("dtype", DTYPES)
def test_means_do_not_wrap(dtype, random):
    rows = samples(dtype, random, 30)
    wanted = [wrapped_mean(r, dtype) for r in rows]
    x = tf.constant(rows, dtype)
    for way in (tf.reduce_mean, tf.function(tf.reduce_mean)):
        assert way(x, 1).numpy().tolist() == wanted
        assert way(tf.transpose(x), 0).numpy().tolist() == wanted
        assert way(tf.reshape(x, [-1, 5, 1]), [1, 2]).numpy().tolist() == wanted


@pytest.mark.parametrize("dtype", DTYPES[:6])
def test_means_of_many_integers_do_not_wrap(dtype):
    # So many that native code takes over, eagerly too.
    high, low = tf.as_dtype(dtype).max, tf.as_dtype(dtype).min
    x = tf.constant(np.tile(np.array([high, high, high, low, low + 1], dtype), 60_000))
    wanted = mean([high, high, high, low, low + 1])
    for _ in range(3):
        assert int(tf.reduce_mean(x)) == int(tf.function(tf.reduce_mean)(x)) == wanted


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_moments_of_integers_do_not_wrap(dtype):
    x = tf.fill([3], tf.constant(2**30, dtype))
    assert [int(m) for m in tf.nn.moments(x, [0])] == [2**30, 0]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32", "uint64"])
def test_moments_whose_squares_would_wrap_are_refused(dtype):
    x = tf.cast([[0, 100], [3, 4]], dtype)
    for way in (lambda x: tf.nn.moments(x, [1]), tf.function(lambda x: tf.nn.moments(x, [1]))):
        with pytest.raises(TypeError, match="squares would wrap"):
            way(x)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_positions_of_extremes_pass_over_nan(name, dtype, random):
    rows = random.integers(-3, 4, (40, 7)).astype(np.float64)
    rows[random.random(rows.shape) < 0.4] = np.nan
    sign = 1 if name == "argmax" else -1
    wanted = [int(np.argmax(np.where(np.isnan(r), -np.inf, sign * r))) for r in rows]
    x, function = tf.cast(rows, dtype), getattr(tf, name)
    for way in (function, tf.function(function)):
        assert way(x, 1).numpy().tolist() == wanted
        assert way(tf.transpose(x), 0).numpy().tolist() == wanted


@pytest.mark.parametrize("function", [tf.norm, tf.math.reduce_std])
def test_singular_gradients_vanish_under_a_zero_cotangent(function):
    def gradient(x, factor):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x) * factor
        return tape.gradient(y, x)

    for way in (gradient, tf.function(gradient)):
        assert way(tf.zeros([3]), 0.0).numpy().tolist() == [0.0] * 3
        assert np.isnan(way(tf.zeros([3]), 1.0).numpy()).all()
