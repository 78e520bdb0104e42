"""Means and variances, and what they are computed from."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

X = np.random.default_rng(3).normal(size=(4, 3, 2))
W = np.random.default_rng(4).uniform(0.5, 2.0, size=(4, 1, 2))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", [[0], [0, 1], [-1], [0, 1, 2], 1])
def test_weighted_moments(axes, keepdims):
    over = tuple(axes) if isinstance(axes, list) else axes
    wanted = np.average(X, over, np.broadcast_to(W, X.shape), keepdims=True)
    spread = np.average((X - wanted) ** 2, over, np.broadcast_to(W, X.shape), keepdims=keepdims)
    mean, variance = tf.nn.weighted_moments(X, axes, W, keepdims=keepdims)
    np.testing.assert_allclose(mean.numpy().ravel(), wanted.ravel(), rtol=1e-12)
    np.testing.assert_allclose(variance.numpy(), spread, rtol=1e-12)


def test_gradients():
    check_grads(lambda x, w: tf.nn.weighted_moments(x, [0, 1], w), [X, W], order=2)
    check_grads(lambda x: tf.nn.moments(x, [0, 2]), [X], order=3)
    check_grads(lambda x, s: tf.nn.sufficient_statistics(x, [0], s)[1:3], [X, 0.5], order=2)
    check_grads(lambda n, a, b, s: tf.nn.normalize_moments(n, a, b, s), [4.0, X[0], X[1] ** 2, 0.5], order=2)


def test_second_order_of_moments():
    # TensorFlow takes the mean inside the variance for a constant, and gets 2 / n on the diagonal.
    x = tf.Variable([1.0, 2.0, 6.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            _, variance = tf.nn.moments(x, [0])
        d = inner.gradient(variance, x)
    wanted = 2 / 3 * (np.eye(3) - np.full((3, 3), 1 / 3))
    np.testing.assert_allclose(outer.jacobian(d, x).numpy(), wanted, atol=1e-6)


def test_no_weight():
    mean, variance = tf.nn.weighted_moments(X, [0], 0.0)
    assert not mean.numpy().any()
    assert not variance.numpy().any()
    for weights in (1.0, np.ones(2), np.ones((4, 1, 1), np.int32)):
        np.testing.assert_allclose(tf.nn.weighted_moments(X, [0], weights)[1].numpy(), np.var(X, 0), rtol=1e-12)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_narrow_dtypes(dtype):
    x = tf.constant([200.0, 201.0, 202.0, 203.0], dtype)
    for mean, variance in (tf.nn.moments(x, [0]), tf.nn.weighted_moments(x, [0], 1.0)):
        assert (mean.dtype, variance.dtype) == (dtype, dtype)
        assert variance.numpy() == 1.25
    assert tf.math.reduce_variance(x).numpy() == 1.25
    assert abs(float(tf.math.reduce_std(x)) - 1.25**0.5) < 0.01


def test_statistics_and_back():
    for shift in (None, 1.5):
        count, total, squares, kept = tf.nn.sufficient_statistics(X, [0, 2], shift, keepdims=True)
        assert count.numpy() == 8
        np.testing.assert_allclose(total.numpy(), np.sum(X - (shift or 0), (0, 2), keepdims=True), rtol=1e-10)
        mean, variance = tf.nn.normalize_moments(count, total, squares, kept)
        np.testing.assert_allclose(mean.numpy(), np.mean(X, (0, 2), keepdims=True), rtol=1e-10)
        np.testing.assert_allclose(variance.numpy(), np.var(X, (0, 2), keepdims=True), rtol=1e-10)
    assert tf.nn.sufficient_statistics([[1, 2], [3, 4]], [0])[2].numpy().tolist() == [10, 20]


def test_refused():
    with pytest.raises(TypeError, match="x is i32"):
        tf.nn.weighted_moments([1, 2], [0], 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast"):
        tf.nn.weighted_moments([1.0, 2.0], [0], [1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis is 1"):
        tf.nn.sufficient_statistics([1.0], [1])


def test_norms_over_the_whole_range():
    for scale in (1e30, 1e-30, 1e37):
        x = tf.Variable(np.float32(scale) * np.float32([3.0, 4.0]))
        for norm in (tf.math.reduce_euclidean_norm, tf.norm):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = norm(x)
                d = inner.gradient(y, x)
            np.testing.assert_allclose(y.numpy(), 5 * scale, rtol=1e-6)
            np.testing.assert_allclose(d.numpy(), [0.6, 0.8], rtol=1e-6)
            wanted = np.array([[0.128, -0.096], [-0.096, 0.072]]) / scale
            np.testing.assert_allclose(outer.jacobian(d, x).numpy(), wanted, rtol=1e-5)
        np.testing.assert_allclose(tf.math.reduce_std(x).numpy(), scale / 2, rtol=1e-6)
