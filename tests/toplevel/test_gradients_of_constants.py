"""`tf.gradients` with respect to tensors that are no arguments: constants made in the function, and tensors from outside."""

import numpy as np

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
