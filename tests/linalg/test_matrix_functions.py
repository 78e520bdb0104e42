"""Functions of matrices under TensorFlow's names."""

import numpy as np
import pytest
import scipy.linalg

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(34)
A = random.normal(size=(2, 3, 3)) * 0.5 + 2.0 * np.eye(3)
C = A + 0.3j * random.normal(size=(2, 3, 3))


@pytest.mark.parametrize("x", [A, C])
@pytest.mark.parametrize("name", ["expm", "logm", "sqrtm"])
def test_against_scipy(name, x):
    got = getattr(tf.linalg, name)(x)
    np.testing.assert_allclose(got, [getattr(scipy.linalg, name)(m) for m in x], rtol=1e-12, atol=1e-14)
    assert got.dtype == x.dtype


@pytest.mark.parametrize("scale", [1e-6, 1.0, 30.0, 100.0])
def test_expm_over_scales(scale):
    symmetric = A[0] + A[0].T
    values, vectors = np.linalg.eigh(scale * (symmetric - 3.0 * np.eye(3)))
    want = vectors @ np.diag(np.exp(values)) @ vectors.T
    got = tf.linalg.expm(scale * (symmetric - 3.0 * np.eye(3))).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12 * np.max(np.abs(want)))


def test_expm_of_a_stiff_rate_matrix():
    rates = np.array([[-3000.0, 3000.0, 0.0], [1.0, -2.0, 1.0], [0.0, 5e-4, -5e-4]])
    got = tf.linalg.expm(rates).numpy()
    np.testing.assert_allclose(got.sum(-1), 1.0, rtol=1e-10)
    np.testing.assert_allclose(got, scipy.linalg.expm(rates), rtol=1e-9)
    assert np.all(np.isnan(tf.linalg.expm(np.full((2, 2), np.nan))))


def test_logm_of_matrices_far_from_one():
    _, vectors = np.linalg.eigh(A[0] + A[0].T)
    far, want = [vectors @ np.diag(v) @ vectors.T for v in ([1e-2, 1.0, 1e2], [-np.log(100), 0, np.log(100)])]
    np.testing.assert_allclose(tf.linalg.logm(far), want, rtol=1e-10)
    assert np.all(np.isnan(tf.linalg.logm(np.zeros((2, 2)))))


def test_negative_eigenvalues_need_a_complex_dtype():
    minus = -np.eye(2)
    for function in (tf.linalg.logm, tf.linalg.sqrtm):
        with pytest.raises(tf.errors.InvalidArgumentError, match="cast it first"):
            function(minus)
    np.testing.assert_allclose(tf.linalg.sqrtm(minus + 0j), 1j * np.eye(2))
    np.testing.assert_allclose(tf.linalg.logm(minus + 0j), np.pi * 1j * np.eye(2), atol=1e-15)


def test_gradients():
    for function in (tf.linalg.expm, tf.linalg.logm, tf.linalg.sqrtm):
        check_grads(function, (A[0, :2, :2],), order=3, modes=("rev",), rtol=1e-5)
    check_grads(lambda x: tf.linalg.matrix_power(x, 5), (C[0],))
    check_grads(lambda x: tf.linalg.matrix_power(x, -2), (A,))


def test_gradient_is_right_for_cotangents_of_any_size():
    x = tf.constant(A[0])
    for size in (1e-12, 1.0, 1e12):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.linalg.logm(x)
        got = tape.gradient(y, x, output_gradients=size * tf.ones_like(y))
        np.testing.assert_allclose(got / size, _log_gradient(A[0]), rtol=1e-10)


def _log_gradient(a):
    """The gradient of the sum of the elements of log a, by divided differences of the eigenvalues."""
    values, vectors = np.linalg.eig(a.T)
    inverse = np.linalg.inv(vectors)
    apart = values[:, None] - values
    quotients = np.where(
        apart == 0, 1 / values, (np.log(values + 0j)[:, None] - np.log(values + 0j)) / np.where(apart == 0, 1.0, apart)
    )
    return (vectors @ (quotients * (inverse @ np.ones_like(a) @ vectors)) @ inverse).real


def test_matrix_power():
    for n in (0, 1, 2, 7, -1, -3):
        np.testing.assert_allclose(tf.linalg.matrix_power(A, n), np.linalg.matrix_power(A, n), rtol=1e-12)
    assert tf.linalg.matrix_power([[1, 1], [0, 1]], 3).numpy().tolist() == [[1, 3], [0, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="square"):
        tf.linalg.matrix_power(A[:, :2], 2)


def test_vectorized_map():
    np.testing.assert_allclose(tf.vectorized_map(tf.linalg.sqrtm, tf.constant(A)), tf.linalg.sqrtm(A))
