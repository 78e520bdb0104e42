"""Determinants under TensorFlow's names."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(7)
A = random.normal(size=(2, 3, 3))
C = A + 1j * random.normal(size=(2, 3, 3))
LEFT, RIGHT = np.linalg.qr(random.normal(size=(4, 4)))[0], np.linalg.qr(random.normal(size=(4, 4)))[0]


def with_singular_values(*values):
    return LEFT @ np.diag(values) @ RIGHT


@pytest.mark.parametrize("x", [A, C, A[0], np.zeros((0, 2, 2)), np.zeros((2, 0, 0))])
def test_values(x):
    np.testing.assert_allclose(tf.linalg.det(x), np.linalg.det(x))
    sign, log = tf.linalg.slogdet(x)
    np.testing.assert_allclose(sign.numpy() * np.exp(log.numpy()), np.linalg.det(x))
    assert sign.dtype is log.dtype is tf.as_dtype(x.dtype)


@pytest.mark.parametrize("x", [A, C, A[0], C[0]])
def test_gradients(x):
    check_grads(tf.linalg.det, (x,))
    check_grads(lambda x: list(tf.linalg.slogdet(x)), (x,))
    check_grads(lambda x: tf.linalg.logdet(x @ tf.linalg.adjoint(x) + np.eye(3)), (x,))


@pytest.mark.parametrize(
    "x",
    [
        np.ones((3, 3)),
        np.zeros((3, 3)),
        np.zeros((2, 2)),
        np.zeros((1, 1)),
        with_singular_values(1.0, 2.0, 3.0, 0.0),
        with_singular_values(1.0, 2.0, 0.0, 0.0),
        with_singular_values(1.0, 0.0, 0.0, 0.0),
        with_singular_values(1.0, 2.0, 3.0, 1e-12),
        with_singular_values(1.0, 2.0, 1e-11, 1e-13),
        with_singular_values(1.0, 2.0 - 1j, 3.0, 0.0),
        np.stack([np.eye(3), np.ones((3, 3))]),
    ],
)
def test_singular_matrices_have_two_derivatives(x):
    check_grads(tf.linalg.det, (x,), order=2)


def test_third_derivatives_of_invertible_matrices():
    check_grads(tf.linalg.det, (A[0],), order=3)
    check_grads(tf.linalg.det, (A[0, :2, :2],), order=3)


def test_gradient_is_the_matrix_of_cofactors():
    x = tf.constant([[1.0, 2.0], [2.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.det(x)
    np.testing.assert_allclose(tape.gradient(y, x), [[4.0, -2.0], [-2.0, 1.0]], rtol=1e-5)


def test_gradient_of_complex_determinants_is_conjugated():
    z = tf.constant([[1 + 2j, 0.5], [1j, 3 - 1j]])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.linalg.det(z)
    np.testing.assert_allclose(tape.gradient(y, z), np.conj([[3 - 1j, -1j], [-0.5, 1 + 2j]]))


def test_large_determinants_of_small_parts():
    # The product of the large singular values overflows, the determinant is 1.
    x = np.diag(np.repeat([1e3, 1e-3], 120))
    x[0, 0], x[-1, -1] = 1e12, 1e-12
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = tf.linalg.det(v)
    np.testing.assert_allclose(y, 1.0, rtol=1e-9)
    np.testing.assert_allclose(np.diag(tape.gradient(y, v)), 1 / np.diag(x), rtol=1e-6)


def test_singular_matrices_in_slogdet():
    sign, log = tf.linalg.slogdet(np.ones((2, 2)))
    assert (sign.numpy(), log.numpy()) == (0.0, -np.inf)
    x = tf.constant(np.ones((2, 2)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        log = tf.linalg.slogdet(x).log_abs_determinant
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tape.gradient(log, x)


def test_logdet_is_real_and_reads_the_lower_triangle():
    h = C[0] @ C[0].conj().T + np.eye(3)
    y = tf.linalg.logdet(np.tril(h))
    assert y.dtype is tf.float64
    np.testing.assert_allclose(y, np.linalg.slogdet(h)[1])
    assert np.isnan(tf.linalg.logdet(-np.eye(2)))
    assert tf.linalg.logdet(np.zeros((0, 0))).numpy() == 0.0


def test_nan_and_inf_stay():
    assert np.isnan(tf.linalg.det([[np.nan, 1.0], [1.0, 2.0]]))
    x = tf.constant([[[np.nan, 1.0], [1.0, 2.0]], [[1.0, np.inf], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.det(x)
    d = tape.gradient(y, x).numpy()
    assert np.isnan(d[0]).all()
    np.testing.assert_allclose(d[2], [[1, -1], [-1, 1]], rtol=1e-5)


@pytest.mark.parametrize("f", [tf.linalg.det, tf.linalg.slogdet, tf.linalg.logdet])
def test_refusals(f):
    with pytest.raises(ValueError, match="must be square"):
        f(np.ones((2, 3)))
    with pytest.raises(ValueError, match="rank 2 or more"):
        f(np.ones(3))
    with pytest.raises(TypeError, match="i32"):
        f(np.ones((2, 2), np.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32, float64"):
        f(np.ones((2, 2), np.float16))


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_determinants_of_matrices_with_nan_are_nan(place: tuple[int, int], dtype: str) -> None:
    """LAPACK takes a pivot that is NaN for a zero, and calls the matrix singular."""
    x = np.stack([np.eye(2), np.zeros((2, 2)), [[1, 2], [3, 4]]]).astype(dtype)
    x[(0, *place)] = np.nan
    for det in (tf.linalg.det, tf.function(tf.linalg.det)):
        np.testing.assert_allclose(det(x).numpy(), [np.nan, 0, -2])
    sign, log = tf.linalg.slogdet(x)
    np.testing.assert_allclose(np.real(sign.numpy()), [np.nan, 0, -1])
    np.testing.assert_allclose(np.real(log.numpy()), [np.nan, -np.inf, np.log(2)], rtol=1e-6)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ([[np.inf, 1.0], [1.0, 1.0]], np.inf),
        ([[-np.inf, 0.0], [0.0, 1.0]], -np.inf),
        ([[np.inf, 0.0], [np.inf, 1.0]], np.nan),
        ([[np.nan, 1.0], [1.0, 1.0]], np.nan),
        ([[0.0, np.nan], [0.0, 1.0]], np.nan),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_infinities_and_nan(matrix, expected, dtype):
    batch = tf.constant([matrix, [[1.0, 2.0], [3.0, 4.0]]], dtype)
    np.testing.assert_allclose(tf.linalg.det(batch).numpy(), [expected, -2.0], rtol=1e-5)
    sign, log = tf.linalg.slogdet(batch)
    np.testing.assert_allclose(log.numpy(), [np.log(np.abs(expected)), np.log(2.0)], rtol=1e-5)
    np.testing.assert_allclose(sign.numpy(), [np.sign(expected), -1.0], rtol=1e-5)
