"""autodiff.hvp, autodiff.hessian, autodiff.per_example_gradients."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

X = np.array([0.3, -1.2, 0.7])
V = np.array([1.0, 0.5, -2.0])


def quartic(x):
    return tf.reduce_sum(x**4) + tf.reduce_prod(x)


def quartic_hessian(x):
    a, b, c = x
    return np.diag(12 * x**2) + np.array([[0, c, b], [c, 0, a], [b, a, 0]])


def test_hessian():
    np.testing.assert_allclose(tf.autodiff.hessian(quartic, tf.constant(X)).numpy(), quartic_hessian(X), rtol=1e-12)


def test_hvp():
    found = tf.autodiff.hvp(quartic, tf.constant(X), V)
    np.testing.assert_allclose(found.numpy(), quartic_hessian(X) @ V, rtol=1e-12)


@pytest.mark.parametrize("make", [tf.Variable, tf.constant, np.asarray])
def test_kinds_of_values(make):
    x = make(X)
    assert tf.autodiff.hessian(quartic, x).shape == (3, 3)
    assert tf.autodiff.hvp(quartic, x, V).shape == (3,)


def test_several_arguments():
    a, b = tf.constant([1.0, 2.0]), tf.constant([[3.0]])

    def f(a, b):
        return tf.reduce_sum(a * a * b)

    blocks = tf.autodiff.hessian(f, [a, b])
    assert blocks[0][0].numpy().tolist() == [[6.0, 0.0], [0.0, 6.0]]
    assert blocks[0][1].shape == (2, 1, 1)
    assert blocks[0][1].numpy().ravel().tolist() == [2.0, 4.0]
    assert blocks[1][0].numpy().ravel().tolist() == [2.0, 4.0]
    assert blocks[1][1].numpy().tolist() == [[[[0.0]]]]
    products = tf.autodiff.hvp(f, [a, b], [tf.ones([2]), tf.ones([1, 1])])
    assert products[0].numpy().tolist() == [8.0, 10.0]
    assert products[1].numpy().tolist() == [[6.0]]


def test_dicts_are_one_argument():
    x = {"p": tf.constant(2.0), "q": tf.constant(3.0)}
    blocks = tf.autodiff.hessian(lambda d: d["p"] ** 2 * d["q"], x)
    assert {k: {n: float(h) for n, h in row.items()} for k, row in blocks.items()} == {
        "p": {"p": 6.0, "q": 4.0},
        "q": {"p": 4.0, "q": 0.0},
    }


def test_linear_functions_have_zeros():
    x = tf.constant([1.0, 2.0])
    assert not tf.autodiff.hessian(lambda x: tf.reduce_sum(x), x).numpy().any()
    assert tf.autodiff.hvp(lambda x: tf.reduce_sum(x), x, tf.ones([2])).numpy().tolist() == [0.0, 0.0]
    assert tf.autodiff.hvp(lambda x: tf.constant(1.0), x, tf.ones([2])).numpy().tolist() == [0.0, 0.0]


def test_variables_that_the_function_closes_over():
    w = tf.Variable([1.0, 2.0])
    found = tf.autodiff.hessian(lambda w: tf.reduce_sum(w**3), w)
    assert found.numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_hvp_is_differentiable():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        p = tf.autodiff.hvp(lambda x: tf.reduce_sum(x**4), x, tf.constant(V))
    np.testing.assert_allclose(tape.gradient(p, x).numpy(), 24 * X * V, rtol=1e-12)


def test_hvp_through_a_gather():
    table = tf.Variable(np.arange(6.0).reshape(3, 2))
    found = tf.autodiff.hvp(lambda t: tf.reduce_sum(tf.gather(t, [0, 0, 2]) ** 3), table, tf.ones([3, 2], tf.float64))
    want = 6 * np.arange(6.0).reshape(3, 2) * np.array([[2.0], [0.0], [1.0]])
    np.testing.assert_allclose(tf.convert_to_tensor(found).numpy(), want)


def test_per_example_gradients_equal_a_loop():
    random = np.random.default_rng(3)
    w, b = tf.Variable(random.normal(size=(4, 3))), tf.Variable(np.zeros(3))
    x, y = random.normal(size=(6, 4)), np.array([0, 2, 1, 1, 0, 2], np.int32)

    def loss(x, y):
        logits = tf.matmul(x[None, :], w)[0] + b
        return -tf.gather(tf.nn.log_softmax(logits), y)

    found = tf.autodiff.per_example_gradients(loss, {"w": w, "b": b}, x, y)
    assert found["w"].shape == (6, 4, 3)
    for i in range(6):
        with tf.GradientTape() as tape:
            value = loss(tf.constant(x[i]), tf.constant(y[i]))
        want = tape.gradient(value, {"w": w, "b": b})
        np.testing.assert_allclose(found["w"].numpy()[i], want["w"].numpy(), rtol=1e-12)
        np.testing.assert_allclose(found["b"].numpy()[i], want["b"].numpy(), rtol=1e-12)


def test_per_example_gradients_of_tensors_and_unused_variables():
    w, unused = tf.constant(2.0), tf.Variable([1.0, 2.0])
    found = tf.autodiff.per_example_gradients(lambda x: x * w, [w, unused], tf.constant([1.0, 2.0]))
    assert found[0].numpy().tolist() == [1.0, 2.0]
    assert found[1] is None
    found = tf.autodiff.per_example_gradients(
        lambda x: x * w, [w, unused], tf.constant([1.0, 2.0]), unconnected_gradients="zero"
    )
    assert found[1].numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]
