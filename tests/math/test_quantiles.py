"""Quantiles: NumPy's definitions, with gradients."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

X = np.random.default_rng(7).normal(size=(3, 4, 2))
METHODS = ["linear", "lower", "higher", "midpoint", "nearest"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_same_as_numpy(method, axis):
    for q in (0.0, 30.0, 50, 100, [[10.0, 99.0], [25.0, 62.5]]):
        for keepdims in (False, True):
            y = tf.math.percentile(X, q, axis, method, keepdims)
            wanted = np.percentile(X, q, axis, method=method, keepdims=keepdims)
            np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-12)
    np.testing.assert_allclose(tf.math.quantile(X, 0.3, axis).numpy(), np.quantile(X, 0.3, axis), rtol=1e-12)


def test_median():
    for axis in (None, 0, 1, (0, 1)):
        np.testing.assert_allclose(tf.math.median(X, axis).numpy(), np.median(X, axis), rtol=1e-12)
    assert tf.math.median([[5.0], [1.0], [2.0]], axis=0, keepdims=True).numpy().tolist() == [[2.0]]
    assert tf.math.median(3.0).numpy() == 3.0


@pytest.mark.parametrize("method", METHODS)
def test_gradients(method):
    check_grads(lambda x: tf.math.percentile(x, [20.0, 65.0], axis=1, method=method) ** 2, [X], order=2)
    check_grads(lambda x: tf.math.median(x, axis=(0, 1)) ** 2, [X], order=2)


def test_weights_of_the_neighbours():
    x = tf.Variable([10.0, 0.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.math.quantile(x, 0.625)
    assert y.numpy() == 5.5
    assert tape.gradient(y, x).numpy().tolist() == [0.25, 0.0, 0.75]


def test_dtypes():
    assert tf.math.median(tf.constant([1, 2], tf.int32)).numpy() == 1.5
    assert tf.math.median([1, 2]).dtype == tf.float64
    assert tf.math.percentile([5, 1, 3], 50, method="lower").dtype == tf.int32
    assert tf.math.median(tf.constant([1, 2], tf.bfloat16)).dtype == tf.bfloat16


def test_extreme_values():
    assert tf.math.median(np.array([1.7e308, 1.6e308])).numpy() == pytest.approx(1.65e308)
    assert tf.math.median([np.inf, np.inf]).numpy() == np.inf
    np.testing.assert_array_equal(tf.math.median([[1.0, np.nan, 2.0], [1.0, 3.0, 2.0]], axis=1).numpy(), [np.nan, 2.0])


def test_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="no median of no elements"):
        tf.math.median(np.zeros((0, 2)), axis=0)
    with pytest.raises(IndexError, match="use numbers from 0 to 100"):
        tf.math.percentile([1.0], 101)
    with pytest.raises(ValueError, match="method must be one of linear, lower, higher, midpoint, nearest, got 'cubic'"):
        tf.math.quantile([1.0], 0.5, method="cubic")
    with pytest.raises(TypeError, match=r"x must hold real numbers, got c128\[1\]"):
        tf.math.median([1j])
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis is 1"):
        tf.math.median([1.0], axis=1)


def test_mapped():
    np.testing.assert_allclose(tf.vectorized_map(tf.math.median, X).numpy(), np.median(X, axis=(1, 2)))
