"""`tf.norm` in all orders: derivatives, complex numbers, and matrices."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(8)
A = random.normal(size=(2, 3, 4))
C = A + 1j * random.normal(size=(2, 3, 4))


def gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


@pytest.mark.parametrize("x", [A, C], ids=["real", "complex"])
@pytest.mark.parametrize("order", ["euclidean", 1, 2, 3, 0.5, 2.5, np.inf])
@pytest.mark.parametrize("axis", [0, -1])
def test_vectors(x, order, axis):
    wanted = np.linalg.norm(x, 2 if order == "euclidean" else order, axis=axis)
    np.testing.assert_allclose(tf.norm(x, order, axis), wanted)
    assert tf.norm(x, order, axis, keepdims=True).shape == np.expand_dims(wanted, axis).shape
    check_grads(lambda x: tf.norm(x, order, axis), (x,))


@pytest.mark.parametrize("x", [A, C], ids=["real", "complex"])
@pytest.mark.parametrize("order", ["euclidean", "fro", 1, 2, np.inf])
@pytest.mark.parametrize("axis", [(0, 1), (1, 2), [2, 0], (-1, -2)])
def test_matrices(x, order, axis):
    wanted = np.linalg.norm(x, "fro" if order == "euclidean" else order, axis=tuple(axis))
    np.testing.assert_allclose(tf.norm(x, order, axis), wanted)
    kept = tf.norm(x, order, axis, keepdims=True)
    assert kept.shape == tuple(1 if i in [a % 3 for a in axis] else n for i, n in enumerate(x.shape))
    np.testing.assert_allclose(np.ravel(kept), wanted)
    check_grads(lambda x: tf.norm(x, order, axis), (x,))


def test_dtypes_of_complex_norms_are_tensorflows():
    # The Euclidean norm keeps the dtype, all others are real.
    z = C.astype(np.complex64)
    assert tf.norm(z).dtype is tf.norm(z, 2, axis=0).dtype is tf.norm(z, "fro", axis=(0, 1)).dtype is tf.complex64
    assert (
        tf.norm(z, 2, axis=(0, 1)).dtype is tf.norm(z, 3).dtype is tf.norm(z, np.inf, axis=(0, 1)).dtype is tf.float32
    )


def test_gradient_of_the_spectral_norm_is_tensorflows():
    d = gradient(lambda x: tf.norm(x, 2, axis=(0, 1)), np.array([[2.0, 1.0], [1.0, 3.0]]))
    np.testing.assert_allclose(d, [[0.2763932, 0.4472136], [0.4472136, 0.7236068]], rtol=1e-6)


def test_spectral_norm_with_equal_singular_values_shares_the_gradient():
    np.testing.assert_allclose(gradient(lambda x: tf.norm(x, 2, axis=(0, 1)), np.eye(2)), 0.5 * np.eye(2), atol=1e-15)


def test_ties_and_zeros_are_tensorflows():
    np.testing.assert_allclose(gradient(lambda x: tf.norm(x, np.inf), np.array([1.0, -1.0])), [0.5, -0.5])
    np.testing.assert_allclose(gradient(lambda x: tf.norm(x, 3), np.array([0.0, 1.0])), [0.0, 1.0])
    assert np.isnan(gradient(lambda x: tf.norm(x, 3), np.zeros(2))).all()


@pytest.mark.parametrize(
    ("order", "axis"), [(3, (0, 1)), (-1, (0, 1)), ("nuc", (0, 1)), (0, None), (-np.inf, 0), ("fro", 0)]
)
def test_refusals(order, axis):
    kind = "matrix" if isinstance(axis, tuple) else "vector"
    with pytest.raises(ValueError, match=f"supported {kind} norm"):
        tf.norm(A, order, axis)


def test_the_spectral_norm_has_no_half_precision():
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32, float64"):
        tf.norm(A.astype(np.float16), 2, axis=(0, 1))
