"""`tf.gradients` with respect to tensors that are no arguments: constants made in the function, and tensors from outside."""

import numpy as np
import pytest

import gradtape as tf


def test_constants_made_inside():
    traces = []

    @tf.function
    def f(x):
        traces.append(1)
        w, c = tf.constant([1.0, 2.0]), tf.zeros([2]) + 1.0
        y = tf.reduce_sum(w * w * x) + tf.reduce_sum(c * x)
        return tf.gradients(y, [w, x, c])

    for x in (3.0, 5.0):
        dw, dx, dc = f(tf.constant(x))
        np.testing.assert_allclose(dw, [2 * x, 4 * x])
        np.testing.assert_allclose(dx, 7.0)
        np.testing.assert_allclose(dc, [x, x])
    assert len(traces) == 2  # the second time with a node for each op on a constant, and then no more


def test_captured_tensors():
    c = tf.constant(3.0)
    assert float(tf.function(lambda: tf.gradients(c * c * 2.0, [c])[0])()) == 12.0
    assert float(tf.function(lambda x: tf.gradients(c * x, [c])[0])(tf.constant(5.0))) == 5.0


def test_second_derivatives_of_constants():
    @tf.function
    def f():
        c = tf.constant(3.0)
        (d,) = tf.gradients(c**3, c)
        return tf.gradients(d, c)[0]

    assert float(f()) == 18.0


def test_what_is_not_connected_has_no_gradient():
    @tf.function
    def f(x):
        c = tf.constant(3.0)
        assert tf.gradients(x * x, c) == [None]
        return tf.gradients(x * x, c, unconnected_gradients="zero")[0]

    assert float(f(tf.constant(2.0))) == 0.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.zeros([2]),
        lambda: tf.ones([2]),
        lambda: tf.fill([2], 3.0),
        lambda: tf.linspace(0.0, 1.0, 2),
        lambda: tf.cast(tf.constant([1, 2]), tf.float32),
        lambda: tf.stop_gradient(tf.ones([2])),
        lambda: tf.reshape(tf.zeros([2, 1]), [2]),
    ],
)
def test_whatever_a_function_makes(make):
    @tf.function
    def f():
        x = make()
        return x, tf.gradients(tf.reduce_sum((x - 1.0) ** 2), x)[0]

    x, slope = f()
    np.testing.assert_allclose(slope, 2 * (x.numpy() - 1), rtol=1e-6)


def test_in_a_loop():
    @tf.function
    def f():
        def body(i, x):
            return i + 1, x - 0.1 * tf.gradients(tf.reduce_sum((x - 1.0) ** 2), x)[0]

        return tf.while_loop(lambda i, x: i < 5, body, (0, tf.zeros([2])))[1]

    np.testing.assert_allclose(f(), [0.67232, 0.67232], rtol=1e-5)
