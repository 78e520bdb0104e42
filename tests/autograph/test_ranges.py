"""Loops over ranges whose length is known when the function runs: they count, and no tensor of numbers is made."""

import numpy as np
import pytest

import gradtape as tf

BOUNDS = [(0, 5, 1), (2, 9, 3), (9, 1, -2), (3, 3, 1)]


@pytest.mark.parametrize(("start", "limit", "delta"), BOUNDS)
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("unknown", ["start", "limit", "both"])
def test_numbers(start, limit, delta, dtype, unknown):
    @tf.function
    def f(first, last):
        found = tf.zeros([], dtype)
        for i in tf.range(
            start if unknown == "limit" else first, limit if unknown == "start" else last, delta, dtype=dtype
        ):
            found = found * 10 + i
        return found

    expected = 0
    for i in range(start, limit, delta):
        expected = expected * 10 + i
    assert int(f(tf.constant(start, dtype), tf.constant(limit, dtype))) == expected
    nodes = f.get_concrete_function(tf.constant(0, dtype), tf.constant(0, dtype)).text("optimized_hlo")
    assert "= range" not in nodes


def test_what_else_is_done_with_the_range():
    @tf.function
    def f(n):
        numbers = tf.range(n)
        total = 0
        for i in numbers:
            if i == 4:
                break
            total += i
        for j in range(n):
            total += j
        return total, tf.reduce_sum(numbers)

    assert [int(x) for x in f(tf.constant(6))] == [21, 15]


def test_gradients():
    @tf.function
    def f(x, n):
        y = x
        for i in tf.range(1, n):
            y = y * x * tf.cast(i, tf.float32)
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(4))
    np.testing.assert_allclose([y, tape.gradient(y, x)], [6 * 2.0**4, 6 * 4 * 2.0**3])
