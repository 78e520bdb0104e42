"""Cumulative functions: axes, flags, zeros, extreme values."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IAE = tf.errors.InvalidArgumentError
X = np.sin(np.arange(24.0)).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_same_as_numpy(axis):
    np.testing.assert_allclose(tf.cumsum(X, axis).numpy(), np.cumsum(X, axis), rtol=1e-12)
    np.testing.assert_allclose(tf.math.cumprod(X, axis).numpy(), np.cumprod(X, axis), rtol=1e-12)
    wanted = np.log(np.cumsum(np.exp(X), axis))
    np.testing.assert_allclose(tf.math.cumulative_logsumexp(X, axis).numpy(), wanted, rtol=1e-12)


def test_flags():
    row = [2.0, 3.0, 4.0]
    assert tf.cumsum(row, exclusive=True).numpy().tolist() == [0, 2, 5]
    assert tf.cumsum(row, reverse=True).numpy().tolist() == [9, 7, 4]
    assert tf.math.cumprod(row, exclusive=True).numpy().tolist() == [1, 2, 6]
    assert tf.math.cumprod(row, exclusive=True, reverse=True).numpy().tolist() == [12, 4, 1]
    assert tf.math.cumulative_logsumexp(row, exclusive=True).numpy()[0] == -np.inf
    assert tf.cumsum is tf.math.cumsum


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_gradients(exclusive, reverse):
    flags = {"exclusive": exclusive, "reverse": reverse}
    check_grads(lambda x: tf.cumsum(x, 1, **flags), [X], order=2)
    check_grads(lambda x: tf.math.cumprod(x, -1, **flags), [X], order=2)
    # Without the place where the sum has no elements: there the result is -inf.
    kept = slice(None) if not exclusive else slice(0, -1) if reverse else slice(1, None)
    check_grads(lambda x: tf.math.cumulative_logsumexp(x, 2, **flags)[..., kept], [X], order=2)


def test_third_order_at_zeros():
    check_grads(tf.math.cumprod, [np.array([0.0, 2.0, 0.0, 3.0, 0.0])], order=3)


def test_product_of_many_factors():
    # Long enough for the blocks in which its gradient is computed.
    x = 1 + np.sin(np.arange(300.0)) / 100
    x[[7, 200]] = 0.0
    with tf.GradientTape() as tape:
        v = tf.Variable(x)
        y = tf.reduce_sum(tf.math.cumprod(v))
    wanted = [sum(np.prod(np.delete(x[: k + 1], i)) for k in range(i, 300)) for i in range(300)]
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), wanted, rtol=1e-11, atol=1e-11)


def test_products_that_overflow_elsewhere():
    with tf.GradientTape() as tape:
        x = tf.Variable(np.full(400, 1e3))
        first = tf.math.cumprod(x)[0]
    assert tape.gradient(first, x).numpy().tolist() == [1.0] + [0.0] * 399


def test_logsumexp_keeps_its_digits_far_from_zero():
    x = np.array([9000.0, 9001.0, 8999.5, 9002.0])
    with tf.GradientTape() as tape:
        near, far = tf.Variable(x - 9000, dtype=tf.float32), tf.Variable(x, dtype=tf.float32)
        results = [tf.reduce_sum(tf.math.cumulative_logsumexp(v)) for v in (near, far)]
    at_zero, away = tape.gradient(results, [near, far])
    np.testing.assert_allclose(away.numpy(), at_zero.numpy(), rtol=1e-6)


def test_logsumexp_of_infinities_has_no_nan():
    with tf.GradientTape() as tape:
        x = tf.Variable([-np.inf, -np.inf, 1.0, -np.inf, 2.0])
        y = tf.math.cumulative_logsumexp(x)
    assert y.numpy().tolist()[:3] == [-np.inf, -np.inf, 1.0]
    d = tape.gradient(y, x).numpy()
    assert np.isfinite(d).all()
    share = np.exp(1.0) / (np.exp(1.0) + np.exp(2.0))
    np.testing.assert_allclose(d[2:], [2 + share, 0.0, 1 - share], rtol=1e-6)


def test_narrow_sums_are_rounded_once():
    x = np.full(4000, 1.0)
    assert tf.cumsum(tf.constant(x, tf.float16)).numpy()[-1] == 4000
    assert tf.cumsum(tf.constant(x, tf.bfloat16)).dtype == tf.bfloat16


def test_refused():
    for f in (tf.cumsum, tf.math.cumprod, tf.math.cumulative_logsumexp):
        with pytest.raises(IAE, match="a scalar has no axes"):
            f(1.0)
        with pytest.raises(IAE, match="axis is 2"):
            f([[1.0]], axis=2)
        with pytest.raises(TypeError, match="bool"):
            f([True])
    with pytest.raises(TypeError, match="i32"):
        tf.math.cumulative_logsumexp([1, 2])


def test_mapped():
    y = tf.vectorized_map(lambda row: tf.math.cumprod(row, reverse=True), X[0])
    np.testing.assert_allclose(y.numpy(), np.cumprod(X[0][:, ::-1], 1)[:, ::-1])


@pytest.mark.parametrize("shape", [(300, 400), (2, 300, 200), (1, 300), (0, 300), (70000,)])
@pytest.mark.parametrize("exclusive", [False, True])
def test_large_arrays(shape, exclusive):
    x = np.sin(np.arange(np.prod(shape, dtype=float))).reshape(shape)
    for axis in range(len(shape)):
        wanted = np.flip(np.cumsum(np.flip(x, axis), axis), axis)
        y = tf.cumsum(x, axis, exclusive=exclusive, reverse=True).numpy()
        np.testing.assert_allclose(y, wanted - x if exclusive else wanted, atol=1e-10)
