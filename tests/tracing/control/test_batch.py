"""Branches and loops on many examples at once: vectorized_map, Jacobians."""

import functools

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

X = np.random.default_rng(0).uniform(0.2, 2.0, (4, 3))


def branch(x):
    return tf.cond(tf.reduce_sum(x) > 3.0, lambda: tf.sin(x), lambda: x * x)


def until(x):
    return tf.while_loop(lambda z: tf.reduce_sum(z) < 10.0, lambda z: (z * 1.3 + x * x,), [x])[0]


def counted(x):
    return tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, tf.sin(z) * x[::-1] + z), [0, x])[1]


def nested(x):
    def body(i, z):
        return i + 1, tf.while_loop(lambda w: tf.reduce_sum(w) < 4.0, lambda w: (w * 1.5 + x,), [z * 0.5])[0]

    return tf.while_loop(lambda i, z: i < 3, body, [0, x])[1]


FUNCTIONS = [branch, until, counted, nested]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("where", ["outside", "around", "inside"])
def test_map(function, where):
    inner = tf.function(function) if where == "inside" else function
    mapped = functools.partial(tf.vectorized_map, inner)
    if where == "around":
        mapped = tf.function(lambda x: tf.vectorized_map(function, x))
    np.testing.assert_allclose(mapped(tf.constant(X)), np.stack([function(tf.constant(row)) for row in X]))
    check_grads(mapped, (X,), order=1, modes=("rev",))


@pytest.mark.parametrize("function", [branch, until])
def test_second_order(function):
    check_grads(lambda x: tf.vectorized_map(function, x), (X[:2],), order=2)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_jacobian(function):
    x = tf.constant(X[0])

    def jacobian(f):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    wanted = jacobian(function)
    np.testing.assert_allclose(jacobian(tf.function(function)), wanted)
    np.testing.assert_allclose(tf.function(lambda: jacobian(function))(), wanted)


def test_scan_of_examples():
    f = tf.function(lambda x: tf.scan(lambda a, r: a * r + tf.sin(a), x))
    xs = np.random.default_rng(1).normal(size=(2, 4, 3))
    np.testing.assert_allclose(tf.vectorized_map(f, xs), np.stack([f(x) for x in xs]))
    check_grads(lambda x: tf.vectorized_map(f, x), (xs,), order=1)


def test_gradient_inside_the_map():
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = until(x)
        return tape.gradient(y, x)

    found = tf.vectorized_map(gradient, tf.constant(X))
    np.testing.assert_allclose(found, np.stack([gradient(tf.constant(row)) for row in X]))
