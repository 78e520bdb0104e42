"""Distributions of gradtape's own: Kolmogorov and Smirnov agree, gradients flow, seeds decide."""

import numpy as np
import pytest
from scipy import stats

import gradtape as tf

COUNT = 20_000


def fits(numbers, distribution):
    return stats.kstest(np.asarray(numbers, np.float64).ravel(), distribution.cdf).pvalue > 1e-3


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (0.5, 0.5), (1.0, 1.0), (30.0, 4.0), (0.1, 2.0)])
def test_beta(a, b):
    tf.random.set_seed(1)
    assert fits(tf.random.beta([COUNT], a, b, tf.float64), stats.beta(a, b))
    assert fits(tf.random.stateless_beta([COUNT], [1, 2], a, b, tf.float64), stats.beta(a, b))


@pytest.mark.parametrize(("mean", "scale"), [(0.0, 1.0), (-2.0, 0.5), (10.0, 7.0)])
def test_laplace(mean, scale):
    tf.random.set_seed(1)
    assert fits(tf.random.laplace([COUNT], mean, scale), stats.laplace(mean, scale))
    assert fits(tf.random.stateless_laplace([COUNT], [1, 2], mean, scale), stats.laplace(mean, scale))


def test_multinomial_is_categorical():
    logits = [[0.0, 1.0, -1.0]]
    np.testing.assert_array_equal(
        tf.random.stateless_multinomial(logits, 50, [3, 4]), tf.random.stateless_categorical(logits, 50, [3, 4])
    )
    assert tf.random.multinomial(logits, 50, output_dtype=tf.int32).dtype is tf.int32


def test_gradient_of_an_expected_beta_number():
    a, b = tf.Variable(2.0, dtype=tf.float64), tf.Variable(3.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        mean = tf.reduce_mean(tf.random.stateless_beta([100_000], [5, 6], a, b, tf.float64))
    da, db = tape.gradient(mean, [a, b])
    np.testing.assert_allclose([float(da), float(db)], [3 / 25, -2 / 25], atol=5e-3)


def test_gradients_of_laplace_numbers():
    mean, scale = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.random.stateless_laplace([1000], [1, 2], mean, scale)
    dmean, dscale = tape.gradient(y, [mean, scale])
    assert float(dmean) == 1000.0
    np.testing.assert_allclose(float(dscale), np.sum((y.numpy() - 1.0) / 2.0), rtol=1e-4)


@pytest.mark.parametrize(
    "draw", [lambda: tf.random.beta([9], 2.0, 3.0, seed=7), lambda: tf.random.laplace([9], seed=7)]
)
def test_seeds(draw):
    tf.random.set_seed(1)
    first, second = draw().numpy(), draw().numpy()
    tf.random.set_seed(1)
    np.testing.assert_array_equal(draw(), first)
    assert not np.array_equal(first, second)


def test_narrow_dtypes_and_refusals():
    assert tf.random.laplace([3], dtype=tf.bfloat16).dtype is tf.bfloat16
    assert np.isfinite(np.asarray(tf.random.stateless_laplace([100_000], [1, 2], dtype=tf.float16), np.float32)).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        tf.random.laplace([3], dtype=tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        tf.random.beta([3], 1.0, 1.0, dtype=tf.int32)
