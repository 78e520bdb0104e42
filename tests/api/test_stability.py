"""Losses and what they are made of, over the whole range of float32: value, first and second derivative.

The references are closed formulas in float64, in forms that do not cancel.
"""

import numpy as np
import pytest
import scipy.special

import gradtape as tf

FAR = np.array(
    [-3e38, -1e20, -1e4, -100.0, -88.0, -50.0, -17.0, -3.0, 0.0, 1e-30, 3.0, 17.0, 50.0, 88.0, 100.0, 1e4, 1e20, 3e38]
)
expit = scipy.special.expit


def derivatives(f, x):
    """A function of a vector and the first two derivatives of the sum of its results, in float32."""
    x = tf.constant(x, tf.float32)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    return [v.numpy() for v in (y, first, second)]


def close(got, wanted):
    """Equal to a few units in the last place, where float32 has them."""
    with np.errstate(over="ignore"):
        wanted = np.asarray(wanted).astype(np.float32)
    np.testing.assert_allclose(got, wanted, rtol=2e-6, atol=1e-37)


@pytest.mark.parametrize(
    ("f", "formulas"),
    [
        (tf.nn.softplus, (lambda x: np.logaddexp(0.0, x), expit, lambda x: expit(x) * expit(-x))),
        (
            tf.math.log_sigmoid,
            (lambda x: -np.logaddexp(0.0, -x), lambda x: expit(-x), lambda x: -expit(x) * expit(-x)),
        ),
        (
            lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x), x),
            (lambda x: np.logaddexp(0.0, -x), lambda x: -expit(-x), lambda x: expit(x) * expit(-x)),
        ),
        (
            lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.zeros_like(x), x),
            (lambda x: np.logaddexp(0.0, x), expit, lambda x: expit(x) * expit(-x)),
        ),
        (
            lambda x: tf.nn.weighted_cross_entropy_with_logits(tf.ones_like(x), x, 2.0),
            (lambda x: 2 * np.logaddexp(0.0, -x), lambda x: -2 * expit(-x), lambda x: 2 * expit(x) * expit(-x)),
        ),
    ],
    ids=["softplus", "log_sigmoid", "right", "wrong", "weighted"],
)
def test_elementwise(f, formulas):
    for got, formula in zip(derivatives(f, FAR), formulas, strict=True):
        close(got, formula(FAR.astype(np.float32).astype(np.float64)))


ROWS = [
    [3e38, -3e38, 0.0],
    [3e38, 3e38, 3e38],
    [-3e38, -3e38, -3e38],
    [1e4, 1e4 - 5.0, -1e4],
    [0.0, 100.0, 50.0],
    [-200.0, -203.0, -201.0],
    [-np.inf, 1.0, 2.0],
]


@pytest.mark.parametrize("row", ROWS)
def test_rows(row):
    x = np.array(row)
    p = scipy.special.softmax(x)
    hessian = np.diag(p) - np.outer(p, p)
    weights = np.array([2.0, -1.0, 0.5])
    value, first, second = derivatives(lambda x: tf.reduce_logsumexp(x), x)
    close(value, scipy.special.logsumexp(x))
    close(first, p)
    np.testing.assert_allclose(second, hessian.sum(axis=0), atol=1e-6)
    value, first, second = derivatives(lambda x: tf.nn.softmax(x) * weights.astype(np.float32), x)
    close(value, p * weights)
    np.testing.assert_allclose(first, hessian @ weights, atol=1e-6)
    assert np.isfinite(second).all()


@pytest.mark.parametrize("row", ROWS[:-1])
def test_rows_of_logarithms(row):
    x = np.array(row)
    p = scipy.special.softmax(x)
    labels = np.array([0.25, 0.5, 0.25], np.float32)
    value, first, second = derivatives(tf.nn.log_softmax, x)
    close(value, scipy.special.log_softmax(x.astype(np.float32).astype(np.longdouble)))
    np.testing.assert_allclose(first, 1.0 - 3.0 * p, atol=1e-6)
    assert np.isfinite(second).all()
    _, first, second = derivatives(lambda x: tf.nn.softmax_cross_entropy_with_logits(labels, x), x)
    np.testing.assert_allclose(first, p - labels, atol=1e-6)
    assert np.isfinite(second).all()
    value, first, second = derivatives(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(0, x), x)
    np.testing.assert_allclose(first, p - [1.0, 0.0, 0.0], atol=1e-6)
    assert np.isfinite(second).all()


@pytest.mark.parametrize("shift", [0.0, 200.0, -200.0, 3e38])
def test_large_rows_need_their_largest_element_only_sometimes(shift):
    x = np.random.default_rng(1).normal(size=(400, 300)) * 5.0
    x[7] += shift
    x = x.astype(np.float32)
    g = np.random.default_rng(2).normal(size=x.shape).astype(np.float32)
    p = scipy.special.softmax(x.astype(np.float64), axis=-1)
    t = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(t)
        y = tf.nn.softmax(t)
    np.testing.assert_allclose(y, p, rtol=3e-6, atol=1e-37)
    wanted = p * (g - np.sum(p * g, axis=-1, keepdims=True))
    np.testing.assert_allclose(tape.gradient(y, t, output_gradients=tf.constant(g)), wanted, atol=1e-6)


def test_softmax_of_large_rows_with_nan_and_infinity():
    x = np.zeros((400, 300), np.float32)
    x[0, 0], x[1, 1], x[2] = np.nan, np.inf, -np.inf
    y = tf.nn.softmax(x).numpy()
    assert np.isnan(y[:3]).all()
    np.testing.assert_allclose(y[3:], 1 / 300, rtol=1e-6)


def test_second_order_of_softmax_cross_entropy_in_its_labels():
    """The derivative in the logits is softmax(logits) - labels, as TensorFlow's, also for labels that do not add up to one."""
    labels, logits = tf.constant([0.2, 0.3, 0.7]), tf.constant([0.5, -1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(labels)
        with tf.GradientTape() as inner:
            inner.watch(logits)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        first = inner.gradient(loss, logits)
    np.testing.assert_allclose(first, scipy.special.softmax(logits.numpy()) - labels.numpy(), rtol=1e-5)
    np.testing.assert_array_equal(outer.jacobian(first, labels), -np.eye(3))
