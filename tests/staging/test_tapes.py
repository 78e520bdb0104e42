"""Tapes and functions: inside, outside, both; to any order; with custom gradients, sparse gradients and accumulators."""

import numpy as np
import pytest

import gradtape as tf


def close(found, wanted):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-5, atol=1e-6)


def objective(x, w):
    return tf.reduce_sum(tf.tanh(x * w) ** 2 + x * w)


X, W = tf.constant([0.1, 0.5, -0.3]), tf.Variable([1.0, 2.0, 0.5])


def derivatives(function):
    """The first three derivatives along a fixed direction, by x and by w."""
    with tf.GradientTape() as third:
        third.watch(X)
        with tf.GradientTape() as second:
            second.watch(X)
            with tf.GradientTape() as first:
                first.watch(X)
                y = function(X, W)
            g = first.gradient(y, [X, W])
            s = tf.reduce_sum(g[0] * g[0]) + tf.reduce_sum(g[1] * g[1])
        h = second.gradient(s, [X, W])
        t = tf.reduce_sum(h[0] * h[0]) + tf.reduce_sum(h[1] * h[1])
    return [*g, *h, *third.gradient(t, [X, W])]


def test_tapes_outside_to_third_order():
    for found, wanted in zip(derivatives(tf.function(objective)), derivatives(objective), strict=True):
        close(found, wanted)


def test_tape_inside():
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = objective(x, W)
        return tape.gradient(y, [x, W])

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = objective(X, W)
    for found, wanted in zip(gradient(X), tape.gradient(y, [X, W]), strict=True):
        close(found, wanted)


def test_tape_inside_and_outside():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        return tape.gradient(y, x)

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = slope(x)
    close(tape.gradient(y, x), [12.0, 18.0])


def test_nested_tapes_inside():
    @tf.function
    def curvature(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.sin(x))
            g = inner.gradient(y, x)
        return outer.gradient(g, x)

    close(curvature(X), -np.sin(X.numpy()))


def test_captured_variables_are_watched_and_listed():
    used, unused = tf.Variable(2.0), tf.Variable(3.0)
    f = tf.function(lambda x: (x * used, unused + 0.0)[0])
    with tf.GradientTape() as tape:
        y = f(tf.constant(4.0))
    assert float(tape.gradient(y, used)) == 4.0
    assert tape.watched_variables() == (used, unused)


def test_captured_constant_can_be_watched():
    c = tf.constant(3.0)
    f = tf.function(lambda x: x * c * c)
    f(tf.constant(1.0))
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(tf.constant(2.0))
    assert float(tape.gradient(y, c)) == 12.0


def test_connectivity_is_decided_for_the_whole_call():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    f = tf.function(lambda a, b: (2.0 * a, 3.0 * b))
    with tf.GradientTape() as tape:
        first, _ = f(a.read_value(), b.read_value())
    assert float(tape.gradient(first, b)) == 0.0


def test_argument_that_reaches_nothing_has_no_gradient():
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    f = tf.function(lambda x, y: (x * 2.0, tf.stop_gradient(y)))
    with tf.GradientTape() as tape:
        z, _ = f(x.read_value(), y.read_value())
    assert tape.gradient(z, y) is None


def test_custom_gradient_is_used_from_inside_and_outside():
    @tf.custom_gradient
    def clipped(x):
        return x * 1.0, lambda dy: dy * 100.0

    f = tf.function(lambda x: clipped(x) * 2.0)
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = f(x.read_value())
    assert float(tape.gradient(y, x)) == 200.0

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x)
        return tape.gradient(y, x)

    assert float(inside(tf.constant(1.0))) == 100.0


def test_rows_of_an_embedding_in_a_training_step():
    table = tf.Variable(np.ones((5, 2), np.float32))

    @tf.function
    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        g = tape.gradient(loss, table)
        table.assign_sub(0.1 * tf.convert_to_tensor(g))
        return loss

    assert float(step(tf.constant([1, 1, 3]))) == 6.0
    close(table[:, 0], [1.0, 0.6, 1.0, 0.8, 1.0])


def test_gradient_of_a_function_that_calls_one():
    inner = tf.function(lambda x: x * x)
    outer = tf.function(lambda x: tf.reduce_sum(inner(x) * inner(x)))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = outer(X)
    close(tape.gradient(y, X), 4 * X.numpy() ** 3)


def test_jacobian_through_a_function():
    f = tf.function(lambda x: tf.sin(x) * tf.reduce_sum(x))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    x = X.numpy()
    close(tape.jacobian(y, X), np.diag(np.cos(x)) * x.sum() + np.sin(x)[:, None])


def test_jacobian_inside_a_function():
    @tf.function
    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    x = X.numpy()
    close(jacobian(X), np.diag(np.cos(x)) * x.sum() + np.sin(x)[:, None])


def test_forward_accumulator_outside_and_inside():
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(x)))
    with tf.autodiff.ForwardAccumulator(X, tf.ones(3)) as accumulator:
        y = f(X)
    close(accumulator.jvp(y), np.cos(X.numpy()).sum())

    @tf.function
    def tangent(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones(3)) as accumulator:
            y = tf.reduce_sum(tf.sin(x))
        return accumulator.jvp(y)

    close(tangent(X), np.cos(X.numpy()).sum())


def test_persistent_tape_over_a_function():
    f = tf.function(lambda x: (x * x, x * 3.0))
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        a, b = f(x.read_value())
    assert (float(tape.gradient(a, x)), float(tape.gradient(b, x))) == (4.0, 3.0)


def test_tape_that_leaks_out_is_an_error():
    tapes = []

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tapes.append((tape, y, x))
        return y

    f(tf.constant(1.0))
    tape, y, x = tapes[0]
    with pytest.raises(TypeError, match="out of scope"):
        tape.gradient(y, x)


def test_recompute_grad_inside():
    dense = tf.recompute_grad(lambda x: tf.tanh(x * W))
    f = tf.function(lambda x: tf.reduce_sum(dense(x)))
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    found = tape.gradient(y, [X, W])
    t = np.tanh(X.numpy() * W.numpy())
    close(found[0], (1 - t * t) * W.numpy())
    close(found[1], (1 - t * t) * X.numpy())
