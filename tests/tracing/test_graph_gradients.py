"""tf.gradients and tf.hessians."""

import numpy as np
import pytest

import gradtape as tf


def traced(function):
    return tf.function(function, autograph=False)


def test_arguments_variables_and_what_lies_between():
    w = tf.Variable(3.0)

    @traced
    def f(x):
        y = x * w
        z = tf.sin(y) * y
        return tf.gradients(z, [x, y, w])

    x = 2.0
    dz = np.cos(6.0) * 6.0 + np.sin(6.0)
    np.testing.assert_allclose(f(tf.constant(x)), [3.0 * dz, dz, 2.0 * dz], rtol=1e-5)


def test_cotangents_and_sums():
    f = traced(lambda x: tf.gradients([x * x, x], x, grad_ys=[None, x]))
    np.testing.assert_allclose(f(tf.constant([1.0, 2.0]))[0], [3.0, 6.0])


def test_constants():
    @traced
    def f(x):
        y = x * x
        z = y * x
        return tf.gradients(z, x), tf.gradients(z, x, stop_gradients=[y])

    whole, stopped = f(tf.constant(3.0))
    assert (float(whole[0]), float(stopped[0])) == (27.0, 9.0)


def test_unconnected():
    @traced
    def f(x, y):
        return tf.gradients(x * 2.0, [x, y]), tf.gradients(x * 2.0, y, unconnected_gradients="zero")

    (a, b), (c,) = f(tf.constant(1.0), tf.constant([1.0, 2.0]))
    assert (float(a), b, c.numpy().tolist()) == (2.0, None, [0.0, 0.0])


def test_of_a_gradient():
    f = traced(lambda x: tf.gradients(tf.gradients(x**3, x), x)[0])
    assert float(f(tf.constant(2.0))) == 12.0


def test_hessians():
    @traced
    def f(x, y):
        return tf.hessians(tf.reduce_sum(x**3) + tf.reduce_sum(x) * tf.reduce_sum(y**2), [x, y])

    a, b = f(tf.constant([1.0, 2.0]), tf.constant([[1.0]]))
    np.testing.assert_allclose(a, [[6.0, 0.0], [0.0, 12.0]])
    np.testing.assert_allclose(b, [[[[6.0]]]])


def test_outer_tape():
    f = traced(lambda x: tf.gradients(x**3, x)[0])
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == 12.0


def test_outside_of_functions():
    x = tf.constant(1.0)
    for function in (tf.gradients, tf.hessians):
        with pytest.raises(RuntimeError, match=r"not supported when eager execution is enabled. Use tf.GradientTape"):
            function(x, x)


@pytest.mark.filterwarnings("ignore:vectorized_map")
def test_in_a_map_of_examples():
    """Of each example, with respect to the example and to a tensor that all share."""
    shared = tf.constant(3.0)

    @tf.function
    def f(rows):
        return tf.vectorized_map(lambda x: tf.gradients(x * x * shared, [x, shared]), rows)

    by_row, by_shared = f(tf.constant([1.0, 2.0]))
    assert by_row.numpy().tolist() == [6.0, 12.0]
    assert by_shared.numpy().tolist() == [1.0, 4.0]


def test_gradients_through_functions_around():
    """Sources and what was computed from them belong to outer functions. The numbers are TensorFlow's."""

    @tf.function
    def outer():
        a, b = tf.constant(1.0), tf.constant(2.0)
        product = a * b

        @tf.function
        def middle():
            same = tf.identity(a)

            @tf.function
            def inner():
                ys = [tf.identity(same), tf.identity(b), tf.identity(product), a]
                return tf.gradients(ys, [a, b])

            return inner()

        return middle()

    assert [g.numpy() for g in outer()] == [4.0, 2.0]

    @tf.function
    def of_arguments(x):
        factor = tf.constant(4.0)
        y = factor * x

        @tf.function
        def inner():
            return tf.cond(x > 0, lambda: tf.gradients(y * y, [factor, x]), lambda: [y, y])

        return inner()

    assert [g.numpy() for g in of_arguments(tf.constant(5.0))] == [200.0, 160.0]

    square = tf.function(lambda y: y * y)

    @tf.function
    def of_calls(x):
        factor = tf.constant(2.0)
        z = square(factor * x)
        return tf.function(lambda: tf.gradients(z + factor, [factor, x]))()

    assert [g.numpy() for g in of_calls(tf.constant(5.0))] == [101.0, 40.0]


def test_cotangents_of_rows_need_no_dense_shape():
    """The target has the shape."""

    @tf.function
    def f(x):
        y = 2.0 * x
        return tf.gradients(y, x, grad_ys=tf.IndexedSlices(tf.constant([[1.0, 3.0]]), tf.constant([1])))[0]

    assert f(tf.zeros([3, 2])).numpy().tolist() == [[0.0, 0.0], [2.0, 6.0], [0.0, 0.0]]
