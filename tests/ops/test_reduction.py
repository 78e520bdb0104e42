"""Edges of reductions: nothing to reduce, zeros, ties, infinities, narrow dtypes."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads


def gradient(function, value):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


def hessian(function, value):
    x = tf.constant(value)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        first = tape.gradient(y, x)
    return outer.jacobian(first, x).numpy()


@pytest.mark.parametrize(
    ("function", "wanted", "whole"),
    [
        (tf.reduce_sum, 0.0, 0),
        (tf.reduce_prod, 1.0, 1),
        (tf.reduce_max, -np.inf, -(2**31)),
        (tf.reduce_min, np.inf, 2**31 - 1),
        (tf.reduce_mean, np.nan, 0),
        (tf.math.reduce_euclidean_norm, 0.0, 0),
    ],
)
def test_of_nothing(function, wanted, whole):
    np.testing.assert_equal(function(tf.zeros([0])).numpy(), np.float32(wanted))
    np.testing.assert_equal(function(tf.zeros([0, 2]), axis=0).numpy(), np.full(2, wanted, np.float32))
    assert function(tf.zeros([2, 0]), axis=0).shape == [0]
    np.testing.assert_equal(function(tf.zeros([0], tf.int32)).numpy(), np.int32(whole))


def test_gradient_of_nothing():
    x = tf.zeros([0, 3])
    for function in (tf.reduce_sum, tf.reduce_mean, tf.reduce_prod, tf.reduce_max):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, axis=0)
        assert tape.gradient(y, x).shape == [0, 3]


def test_other_things_of_nothing():
    assert tf.reduce_logsumexp(tf.zeros([0])).numpy() == -np.inf
    assert not tf.reduce_any(tf.zeros([0], tf.bool)).numpy()
    assert tf.reduce_all(tf.zeros([0], tf.bool)).numpy()
    assert tf.math.count_nonzero(tf.zeros([0])).numpy() == 0
    assert np.isnan(tf.math.zero_fraction(tf.zeros([0])).numpy())


def test_ties_share_the_gradient():
    np.testing.assert_array_equal(gradient(tf.reduce_max, [1.0, 1.0, 0.0]), [0.5, 0.5, 0.0])
    np.testing.assert_array_equal(gradient(tf.reduce_min, [[0.0, 0.0], [0.0, 0.0]]), np.full((2, 2), 0.25))
    rows = gradient(lambda x: tf.reduce_max(x, axis=1), [[1.0, 2.0, 2.0], [3.0, 1.0, 2.0]])
    np.testing.assert_array_equal(rows, [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])


def test_extrema_of_nan():
    assert np.isnan(tf.reduce_max([1.0, np.nan, 3.0]).numpy())
    assert np.isnan(tf.reduce_min([1.0, np.nan, 3.0]).numpy())
    assert np.isnan(gradient(tf.reduce_max, [np.nan, 1.0])).all()


@pytest.mark.parametrize(
    ("factors", "wanted"),
    [([0.0, 2.0, 3.0], [6, 0, 0]), ([0.0, 0.0, 3.0], [0, 0, 0]), ([4.0, 0.0, 3.0, 2.0, 1.0], [0, 24, 0, 0, 0])],
)
def test_products_with_zeros(factors, wanted):
    np.testing.assert_array_equal(gradient(tf.reduce_prod, factors), wanted)


@pytest.mark.parametrize("factors", [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0, 5.0], [0.0, 0.0, 0.0], [2.0, 3.0, 0.0, 4.0, 5.0]])
def test_second_derivative_of_products_with_zeros(factors):
    n = len(factors)
    wanted = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                wanted[i, j] = np.prod([f for k, f in enumerate(factors) if k not in (i, j)])
    np.testing.assert_array_equal(hessian(tf.reduce_prod, factors), wanted)


def test_product_over_several_axes():
    x = np.linspace(-1.0, 2.0, 30).reshape(2, 3, 5)
    x[0, 1, 2] = 0.0
    check_grads(lambda t: tf.reduce_prod(t, axis=[0, 2]), [x], order=2)


def test_logsumexp_is_stable():
    np.testing.assert_allclose(tf.reduce_logsumexp([1000.0, 1000.0]).numpy(), 1000.0 + np.log(2.0), rtol=1e-6)
    np.testing.assert_allclose(tf.reduce_logsumexp([-1000.0, -1000.0]).numpy(), -1000.0 + np.log(2.0), rtol=1e-6)
    assert tf.reduce_logsumexp([-np.inf, -np.inf]).numpy() == -np.inf
    assert tf.reduce_logsumexp([np.inf, 1.0]).numpy() == np.inf
    assert tf.reduce_logsumexp([-np.inf, 1.0]).numpy() == 1.0
    np.testing.assert_array_equal(gradient(tf.reduce_logsumexp, [-np.inf, 1.0]), [0.0, 1.0])


@pytest.mark.parametrize("axis", [None, 1, [0, 2], []])
def test_gradient_of_logsumexp_of_large_numbers(axis):
    # exp(x - y) would be wrong in the second digit here.
    x = np.array([0.25, -1.0, 0.5, 2.0, 0.125, 1.0, -0.5, 1.5]).reshape(2, 2, 2)
    far = gradient(lambda t: tf.reduce_logsumexp(t, axis=axis), (x + 65536.0).astype(np.float32))
    near = gradient(lambda t: tf.reduce_logsumexp(t, axis=axis), (np.round(x * 128) / 128).astype(np.float32))
    np.testing.assert_allclose(far, near, rtol=1e-5)


def test_norm_and_std_at_their_kinks():
    assert np.isnan(gradient(tf.math.reduce_euclidean_norm, [0.0, 0.0])).all()
    assert np.isnan(gradient(tf.math.reduce_std, [1.0, 1.0])).all()


def test_norm_of_complex_numbers_is_real():
    y = tf.math.reduce_euclidean_norm([3j, 4.0])
    assert y.dtype == tf.complex128
    assert y.numpy() == 5.0
    np.testing.assert_allclose(gradient(tf.math.reduce_euclidean_norm, [3j, 4.0 + 0j]), [0.6j, 0.8])


def test_integers():
    assert tf.reduce_mean([-3, 0]).numpy() == -1
    assert tf.reduce_mean([3, 4]).numpy() == 3
    assert tf.math.reduce_euclidean_norm([3, 5]).numpy() == 5
    small = tf.fill([300], tf.constant(1, tf.int8))
    assert tf.reduce_sum(small).numpy() == np.int8(300 - 256)
    assert tf.reduce_sum(small).dtype == tf.int8


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_narrow_floats_are_summed_in_float32(dtype):
    ones = tf.ones([4096], dtype)
    assert float(tf.reduce_sum(ones)) == 4096.0
    assert float(tf.reduce_mean(ones * 40.0)) == 40.0  # the sum alone is more than float16 holds
    assert float(tf.reduce_logsumexp(tf.zeros([4096], dtype))) == pytest.approx(np.log(4096.0), rel=1e-2)
    assert float(tf.math.reduce_euclidean_norm(ones)) == 64.0
    assert tf.reduce_sum(ones).dtype == dtype


def test_gradient_of_a_sum_can_be_used_everywhere():
    x = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x)
    g = tape.gradient(y, x)
    copy = g.numpy()
    copy[0, 0] = 5.0
    np.testing.assert_array_equal(g.numpy(), np.ones((2, 3)))
    x.assign(g)
    x[0].assign([2.0, 3.0, 4.0])
    np.testing.assert_array_equal(x.numpy(), [[2, 3, 4], [1, 1, 1]])
    x.assign_add(g)
    for value in (g[0], tf.reshape(g, [3, 2]), tf.transpose(g), tf.concat([g, g], 0), tf.matmul(g, tf.transpose(g))):
        assert np.all(value.numpy() >= 1.0)
