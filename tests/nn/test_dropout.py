"""Dropout: how much is dropped, what is scaled, and what is refused."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

ONES = np.ones((100, 100), np.float32)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_part_that_is_dropped(rate, dtype):
    y = tf.cast(tf.nn.dropout(tf.cast(ONES, dtype), rate, seed=3), tf.float64).numpy()
    kept = y != 0
    assert abs(np.mean(~kept) - rate) < 0.02
    np.testing.assert_allclose(y[kept], 1 / (1 - rate), rtol=2e-2 if "16" in dtype else 1e-6)


def test_a_rate_of_zero_gives_the_tensor_itself():
    x = tf.constant(ONES)
    assert tf.nn.dropout(x, 0) is x
    assert tf.nn.dropout(x, 0.0) is x
    np.testing.assert_array_equal(tf.nn.dropout(x, tf.constant(0.0)), ONES)


@pytest.mark.parametrize(
    ("x", "rate", "words"),
    [
        ([1.0], 1.0, "range [0, 1). Received: rate=1.0"),
        ([1.0], -0.1, "range [0, 1). Received: rate=-0.1"),
        ([1.0], True, "range [0, 1)"),
        ([1.0], "a", "must be a scalar or scalar tensor. Received: rate=a"),
        ([1.0], None, "must be a scalar or scalar tensor"),
        ([1], 0.5, "must be a floating point tensor"),
        ([1.0], np.array([0.5, 0.5], np.float32), "must have rank 0"),
        ([1.0], np.array(0.5), "must be compatible with `rate.dtype`"),
    ],
)
def test_refusals(x, rate, words):
    with pytest.raises(ValueError) as caught:
        tf.nn.dropout(x, rate)
    assert words in str(caught.value)


@pytest.mark.parametrize("shape", [[100, 1], [None, 1], [1, 100], tf.TensorShape([100, 1]), [100]])
def test_noise_shape(shape):
    y = tf.nn.dropout(ONES, 0.5, noise_shape=shape, seed=1).numpy()
    axis = 1 if list(shape)[-1] == 1 else 0
    assert (y == np.take(y, [0], axis=axis)).all()
    assert set(np.unique(y)) == {0.0, 2.0}


def test_a_noise_shape_that_does_not_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.dropout(ONES, 0.5, noise_shape=[3, 1])


def test_what_is_dropped_is_zero_whatever_it_was():
    y = tf.nn.dropout(tf.fill([2000], np.nan), 0.5).numpy()
    assert set(y[~np.isnan(y)]) == {0.0}
    assert 800 < np.isnan(y).sum() < 1200


def test_seeds():
    tf.random.set_seed(1)
    a, b = tf.nn.dropout(ONES, 0.5), tf.nn.dropout(ONES, 0.5)
    tf.random.set_seed(1)
    np.testing.assert_array_equal(a, tf.nn.dropout(ONES, 0.5))
    assert (a != b).numpy().any()


def test_the_gradient_goes_where_the_value_went():
    x = tf.Variable(ONES)
    with tf.GradientTape() as tape:
        y = tf.nn.dropout(x, 0.75)
    np.testing.assert_array_equal(tape.gradient(y, x), y)


def test_the_rate_has_a_gradient():
    def f(x, rate):
        return tf.nn.experimental.stateless_dropout(x, rate, seed=[1, 2])

    check_grads(f, (np.linspace(1.0, 2.0, 9), np.float64(0.4)))


def test_stateless():
    f = tf.nn.experimental.stateless_dropout
    np.testing.assert_array_equal(f(ONES, 0.5, seed=[1, 2]), f(ONES, 0.5, seed=[1, 2], rng_alg="philox"))
    assert (f(ONES, 0.5, seed=[1, 2]) != f(ONES, 0.5, seed=[1, 3])).numpy().any()
    with pytest.raises(ValueError, match="unsupported value foo"):
        f(ONES, 0.5, seed=[1, 2], rng_alg="foo")


def test_general():
    asked = []

    def sampler(shape, dtype):
        asked.append((list(shape), dtype))
        return tf.constant([[0.25], [0.75]])

    y = tf.nn.experimental.general_dropout(tf.ones([2, 3]), 0.5, sampler, noise_shape=[2, 1])
    assert y.numpy().tolist() == [[0.0] * 3, [2.0] * 3]
    assert asked == [([2, 1], tf.float32)]


def test_examples_of_a_map_are_dropped_each_on_its_own():
    y = tf.vectorized_map(lambda x: tf.nn.dropout(x, 0.5), tf.constant(ONES)).numpy()
    assert len({row.tobytes() for row in y}) > 90
