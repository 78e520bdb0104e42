"""Jacobians and maps in functions that are traced for unknown sizes equal those of known sizes."""

import logging

import numpy as np
import pytest

import gradtape as tf

X = np.linspace(0.5, 2.0, 12, dtype=np.float32).reshape(3, 4)
SHAPES = [None, [None, None], [3, None], [None, 4]]
FUNCTIONS = {
    "elementwise": lambda x: tf.sin(x) * x,
    "sum": lambda x: tf.reduce_sum(x * x, -1),
    "product": lambda x: x @ tf.ones([4, 2]),
    "softmax": tf.nn.softmax,
    "scalar": lambda x: tf.reduce_prod(x),
}


def jacobian(function, method="jacobian", **options):
    def compute(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return getattr(tape, method)(y, x, **options)

    return compute


def check(compute, shape, x=X):
    """The function for a shape gives what it gives eagerly, for two sizes."""
    staged = tf.function(compute, input_signature=[tf.TensorSpec(shape)])
    np.testing.assert_allclose(staged(x), compute(tf.constant(x)), rtol=2e-5, atol=1e-5)
    if shape is None or shape[0] is None:
        fewer = x[:2]
        np.testing.assert_allclose(staged(fewer), compute(tf.constant(fewer)), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobian(name, shape):
    check(jacobian(FUNCTIONS[name]), shape)


@pytest.mark.parametrize("shape", SHAPES[1:], ids=str)
@pytest.mark.parametrize("name", ["elementwise", "product", "softmax"])
def test_batch_jacobian(name, shape):
    check(jacobian(FUNCTIONS[name], "batch_jacobian"), shape)


def test_a_loop_over_rows_needs_no_persistent_tape_in_functions():
    compute = jacobian(tf.sin, experimental_use_pfor=False)
    for shape in ([None, None], [3, 4]):
        staged = tf.function(compute, input_signature=[tf.TensorSpec(shape)])
        np.testing.assert_allclose(staged(X), jacobian(tf.sin)(tf.constant(X)), rtol=1e-6)


@pytest.mark.parametrize("shape", [None, [None]], ids=str)
def test_hessian_and_its_derivative(shape, caplog):
    def hessian(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.sin(x) * x) * x[0]
            d = inner.gradient(y, x)
        return outer.jacobian(d, x)

    def third(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(hessian(x) ** 2)
        return tape.gradient(y, x)

    with caplog.at_level(logging.WARNING):
        check(hessian, shape, X[0])
        check(third, shape, X[0])
    assert not caplog.records  # nothing is said of gradients that nobody asked for


def test_several_sources_some_of_them_unconnected():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec(None)])
    def compute(x, other):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, other])
            y = x * x
        none = tape.jacobian(y, {"x": x, "other": other})
        assert none["other"] is None
        zeros = tape.jacobian(y, other, unconnected_gradients="zero")
        return none["x"], zeros

    found, zeros = compute(X[0], X)
    np.testing.assert_allclose(found, np.diag(2 * X[0]))
    assert zeros.shape == (4, 3, 4)
    assert not np.any(zeros.numpy())


def test_a_tape_is_used_up():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def compute(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.jacobian(y, x)
        with pytest.raises(RuntimeError, match="non-persistent"):
            tape.gradient(y, x)
        return y

    compute(X[0])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_jacobians_of_mapped_examples(shape):
    check(lambda x: tf.vectorized_map(jacobian(lambda row: tf.sin(row) * tf.reduce_sum(row)), x), shape)


@pytest.mark.parametrize("axis", [0, -1, [0, 1]], ids=str)
def test_axes_that_are_tensors_of_unknown_rank(axis):
    staged = tf.function(
        lambda x, over: tf.reduce_sum(x, over), input_signature=[tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)]
    )
    np.testing.assert_allclose(staged(X, axis), X.sum(tuple(np.ravel(axis))), rtol=1e-6)
