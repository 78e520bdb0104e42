"""Linear systems under TensorFlow's names."""

import numpy as np
import pytest
import scipy.linalg

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(32)
A = random.normal(size=(2, 3, 3)) + 3.0 * np.eye(3)
B = random.normal(size=(2, 3, 2))
C = A + 1j * random.normal(size=(2, 3, 3))
D = B + 1j * random.normal(size=(2, 3, 2))
TALL = random.normal(size=(4, 2))
BANDS = random.normal(size=(3, 5)) + np.array([[0.0], [4.0], [0.0]])


def dagger(a):
    return np.conj(np.swapaxes(a, -1, -2))


def test_inv_and_solve():
    np.testing.assert_allclose(tf.linalg.inv(C) @ C, np.broadcast_to(np.eye(3), C.shape), atol=1e-14)
    np.testing.assert_allclose(tf.linalg.inv(C, adjoint=True), dagger(np.linalg.inv(C)))
    np.testing.assert_allclose(C @ tf.linalg.solve(C, D).numpy(), D)
    np.testing.assert_allclose(dagger(C) @ tf.linalg.solve(C, D, adjoint=True).numpy(), D)
    assert tf.linalg.solve(tf.constant(A, tf.float32), B).dtype is tf.float32


def test_singular_and_misshapen():
    singular = [[1.0, 2.0], [2.0, 4.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible") as caught:
        tf.linalg.inv(singular)
    assert str(caught.value).count("\n") == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible"):
        tf.linalg.solve(singular, [[1.0], [1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.linalg.inv([[np.nan, 1.0], [1.0, 2.0]])
    assert tf.linalg.triangular_solve([[1.0, 0.0], [2.0, 0.0]], [[1.0], [1.0]]).numpy().tolist() == [[1.0], [-np.inf]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="square"):
        tf.linalg.inv(TALL)


def test_triangular_solve():
    lower = np.tril(C)
    np.testing.assert_allclose(lower @ tf.linalg.triangular_solve(C, D).numpy(), D)
    np.testing.assert_allclose(dagger(lower) @ tf.linalg.triangular_solve(C, D, adjoint=True).numpy(), D)
    np.testing.assert_allclose(np.triu(A) @ tf.linalg.triangular_solve(A, B, lower=False).numpy(), B)


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize("size", [1, 8, 40])
def test_triangular_solve_of_any_size(count, size):
    a = random.normal(size=(count, size, size)) + 2.0 * size * np.eye(size)
    b = random.normal(size=(count, size, 2))
    for lower, adjoint in ((True, False), (False, True)):
        got = tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint)
        triangle = np.tril(a) if lower else np.triu(a)
        np.testing.assert_allclose(got, np.linalg.solve(dagger(triangle) if adjoint else triangle, b), rtol=1e-9)


def test_cholesky_solve():
    square = C @ dagger(C)
    got = tf.linalg.cholesky_solve(np.linalg.cholesky(square), D)
    np.testing.assert_allclose(square @ got.numpy(), D)


def test_gradients():
    check_grads(lambda a, b: tf.linalg.cholesky_solve(a, b), (A, B))
    check_grads(lambda a, b: tf.linalg.solve(a, b) ** 2, (A[0], B[0, :, :1]))
    check_grads(lambda a: tf.linalg.inv(a, adjoint=True), (C[0],))
    check_grads(lambda a, b: tf.linalg.lu_solve(a, [2, 0, 1], b), (A[0], B[0]))
    check_grads(lambda a: tf.linalg.lu_reconstruct(a, [2, 0, 1]), (A[0],))
    check_grads(lambda d, b: tf.linalg.tridiagonal_solve(d, b), (BANDS, random.normal(size=5)))
    check_grads(lambda d, b: tf.linalg.tridiagonal_matmul(d, b), (BANDS, random.normal(size=(5, 2))))
    check_grads(lambda d, b: tf.linalg.banded_triangular_solve(d + 4.0, b), (BANDS[:2], random.normal(size=(5, 2))))


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("shape", [(4, 2), (3, 3), (2, 4)])
def test_lstsq(shape, fast):
    a, b = random.normal(size=(2, *shape)), random.normal(size=(2, shape[0], 2))
    want = np.stack([np.linalg.lstsq(p, q, rcond=None)[0] for p, q in zip(a, b, strict=True)])
    np.testing.assert_allclose(tf.linalg.lstsq(a, b, fast=fast), want, rtol=1e-8)
    check_grads(lambda a, b: tf.linalg.lstsq(a, b, fast=fast), (a[0], b[0]), rtol=1e-5)
    c, d = a + 1j * random.normal(size=a.shape), b + 1j * random.normal(size=b.shape)
    want = np.stack([np.linalg.lstsq(p, q, rcond=None)[0] for p, q in zip(c, d, strict=True)])
    np.testing.assert_allclose(tf.linalg.lstsq(c, d, fast=fast), want, rtol=1e-8)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_lstsq_with_a_regularizer(shape):
    a, b = random.normal(size=shape), random.normal(size=(shape[0], 1))
    # The same as least squares with more equations, which ask for small elements.
    more = np.vstack([a, np.sqrt(0.3) * np.eye(shape[1])]), np.vstack([b, np.zeros((shape[1], 1))])
    np.testing.assert_allclose(tf.linalg.lstsq(a, b, l2_regularizer=0.3), np.linalg.lstsq(*more, rcond=None)[0])
    check_grads(lambda a, b, w: tf.linalg.lstsq(a, b, l2_regularizer=w), (a, b, 0.3))
    assert tf.linalg.lstsq(a + 0j, b + 0j, l2_regularizer=0.3).dtype is tf.complex128


def test_lstsq_of_low_rank():
    a, b = np.outer([1.0, 2.0, 3.0], [1.0, 1.0]), random.normal(size=(3, 1))
    np.testing.assert_allclose(tf.linalg.lstsq(a, b, fast=False), np.linalg.lstsq(a, b, rcond=None)[0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank deficient"):
        tf.linalg.lstsq(np.zeros((3, 2)), b)
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many rows"):
        tf.linalg.lstsq(a, b[:2])


def test_lu_functions():
    for matrix in (A[0], A):
        parts = [scipy.linalg.lu_factor(a) for a in matrix.reshape(-1, 3, 3)]
        lu = np.stack([p[0] for p in parts]).reshape(matrix.shape)
        orders = []
        for _, pivots in parts:
            order = np.arange(3)
            for i, j in enumerate(pivots):
                order[[i, j]] = order[[j, i]]
            orders.append(order)
        perm = np.stack(orders).reshape(matrix.shape[:-1]).astype(np.int32)
        np.testing.assert_allclose(tf.linalg.lu_reconstruct(lu, perm, validate_args=True), matrix)
        np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(lu, perm), np.linalg.inv(matrix))
        np.testing.assert_allclose(tf.linalg.lu_solve(lu, perm, B), np.linalg.solve(matrix, B))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"perm is \[0, 0, 1\], and must be a permutation"):
        tf.linalg.lu_solve(A[0], [0, 0, 1], B[0], validate_args=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"perm is i32\[2\]"):
        tf.linalg.lu_reconstruct(A[0], [0, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"rhs must be \[..., 3, k\]"):
        tf.linalg.lu_solve(A[0], [0, 1, 2], B[0, :2])


def tridiagonal(bands):
    above, main, below = bands
    return np.diag(main) + np.diag(above[:-1], 1) + np.diag(below[1:], -1)


def test_tridiagonal_formats():
    matrix = tridiagonal(BANDS)
    b = random.normal(size=(5, 2))
    above, main, below = BANDS
    for diagonals, form in (
        (BANDS, "compact"),
        ((above, main, below), "sequence"),
        ([above[:-1], main, below[1:]], "sequence"),
        (matrix + np.diag(np.ones(3), 2), "matrix"),
    ):
        np.testing.assert_allclose(tf.linalg.tridiagonal_solve(diagonals, b, form), np.linalg.solve(matrix, b))
        np.testing.assert_allclose(
            tf.linalg.tridiagonal_solve(diagonals, b[:, 0], form), np.linalg.solve(matrix, b)[:, 0]
        )
        np.testing.assert_allclose(tf.linalg.tridiagonal_matmul(diagonals, b, form), matrix @ b)
    transposed = tf.linalg.tridiagonal_solve(BANDS, b.T, transpose_rhs=True)
    np.testing.assert_allclose(transposed, np.linalg.solve(matrix, b))
    c = BANDS + 1j
    conjugated = tf.linalg.tridiagonal_solve(c, b * 1j, conjugate_rhs=True)
    np.testing.assert_allclose(conjugated, np.linalg.solve(tridiagonal(c), b * -1j))


def test_tridiagonal_batches_and_sizes():
    bands = np.stack([BANDS, 2.0 * BANDS])
    b = random.normal(size=(2, 5))
    want = [np.linalg.solve(tridiagonal(x), y) for x, y in zip(bands, b, strict=True)]
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(bands, b), want)
    assert tf.linalg.tridiagonal_solve([[[4.0]]], [[2.0]], "matrix").numpy().tolist() == [[0.5]]
    assert tf.linalg.tridiagonal_matmul([[4.0]], [[2.0]], "matrix").numpy().tolist() == [[8.0]]
    # A zero on the diagonal needs an exchange of rows.
    swap = [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    assert tf.linalg.tridiagonal_solve(swap, [1.0, 2.0], partial_pivoting=False).numpy().tolist() == [2.0, 1.0]


def test_tridiagonal_singular():
    singular = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    regular = [[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]]
    found = tf.linalg.tridiagonal_solve([singular, regular], [[3.0, 3.0], [3.0, 3.0]]).numpy()
    assert np.all(np.isnan(found[0]))
    assert found[1].tolist() == [1.0, 1.0]
    assert np.all(np.isfinite(tf.linalg.tridiagonal_solve(singular, [1.0, 2.0], perturb_singular=True)))
    with pytest.raises(ValueError, match="partial_pivoting is not"):
        tf.linalg.tridiagonal_solve(singular, [1.0, 2.0], partial_pivoting=False, perturb_singular=True)


def test_tridiagonal_refusals():
    with pytest.raises(ValueError, match=r"diagonals_format must be .* got 'band'"):
        tf.linalg.tridiagonal_solve(BANDS, BANDS[0], "band")
    with pytest.raises(ValueError, match="must be a sequence of three"):
        tf.linalg.tridiagonal_solve(BANDS[0], BANDS[0], "sequence")
    with pytest.raises(ValueError, match=r"diagonals\[2\] is f64\[3\]"):
        tf.linalg.tridiagonal_solve((BANDS[0], BANDS[1], BANDS[2, :3]), BANDS[0], "sequence")
    with pytest.raises(ValueError, match=r"must be \[..., n, n\]"):
        tf.linalg.tridiagonal_matmul(BANDS, BANDS[0], "matrix")
    with pytest.raises(ValueError, match=r"must be \[..., 3, n\]"):
        tf.linalg.tridiagonal_matmul(BANDS[:2], BANDS[0])
    with pytest.raises(ValueError, match=r"must be \[..., 5, k\]"):
        tf.linalg.tridiagonal_matmul(BANDS, BANDS)


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_banded_triangular_solve(lower, adjoint):
    c = random.normal(size=(2, 3, 5)) + 1j * random.normal(size=(2, 3, 5)) + 4.0
    b = random.normal(size=(2, 5, 2)) + 0j
    matrix = np.zeros((2, 5, 5), complex)
    for i in range(5):
        for j in range(5):
            row = i - j if lower else 2 - (j - i)
            if 0 <= row < 3 and (j <= i if lower else j >= i):
                matrix[:, i, j] = c[:, row, i]
    got = tf.linalg.banded_triangular_solve(c, b, lower=lower, adjoint=adjoint)
    np.testing.assert_allclose((dagger(matrix) if adjoint else matrix) @ got.numpy(), b, atol=1e-13)


def test_vectorized_map():
    got = tf.vectorized_map(lambda x: tf.linalg.solve(x[0], x[1]), (tf.constant(A), tf.constant(B)))
    np.testing.assert_allclose(got, np.linalg.solve(A, B))
    got = tf.vectorized_map(lambda b: tf.linalg.tridiagonal_solve(BANDS, b), tf.constant(BANDS))
    np.testing.assert_allclose(got, np.linalg.solve(tridiagonal(BANDS), BANDS.T).T)


@pytest.mark.parametrize("lower", [True, False])
def test_singular_triangular_bands(lower: bool) -> None:
    bands = np.array([[0.0, 1.0], [1.0, 1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible"):
        tf.linalg.banded_triangular_solve(bands if lower else bands[::-1], np.ones([2, 1]), lower=lower)
