"""Functions of `tf.linalg` on operators, lists of blocks, and what operators refuse."""

import numpy as np
import pytest

import gradtape as tf

MATRIX = np.array([[4.0, 1.0], [2.0, 3.0]], np.float32)
X = np.array([[1.0], [2.0]], np.float32)


@pytest.fixture
def operator():
    return tf.linalg.LinearOperatorFullMatrix(MATRIX)


def test_products(operator):
    np.testing.assert_allclose(tf.linalg.matmul(operator, X), MATRIX @ X)
    np.testing.assert_allclose(tf.matmul(operator, X, adjoint_a=True), MATRIX.T @ X)
    np.testing.assert_allclose(tf.matmul(X.T, operator), X.T @ MATRIX)
    np.testing.assert_allclose(tf.matmul(X.T, operator, adjoint_b=True), X.T @ MATRIX.T)
    np.testing.assert_allclose(tf.linalg.matvec(operator, X[:, 0]), MATRIX @ X[:, 0])
    np.testing.assert_allclose(tf.linalg.matmul(operator, operator).to_dense(), MATRIX @ MATRIX)
    np.testing.assert_allclose(tf.matmul(MATRIX, X), MATRIX @ X)


def test_functions(operator):
    np.testing.assert_allclose(tf.linalg.inv(operator).to_dense(), np.linalg.inv(MATRIX), rtol=1e-5)
    np.testing.assert_allclose(tf.linalg.adjoint(operator).to_dense(), MATRIX.T)
    np.testing.assert_allclose(tf.linalg.solve(operator, X), np.linalg.solve(MATRIX, X), rtol=1e-5)
    np.testing.assert_allclose(tf.linalg.det(operator), 10.0, rtol=1e-5)
    np.testing.assert_allclose(tf.linalg.logdet(operator), np.log(10.0), rtol=1e-5)
    assert float(tf.linalg.trace(operator)) == 7.0
    assert tf.linalg.diag_part(operator).numpy().tolist() == [4.0, 3.0]


def test_transposition_is_refused(operator):
    with pytest.raises(ValueError, match="transposed"):
        tf.matmul(operator, X, transpose_a=True)


@pytest.mark.parametrize("adjoint", [False, True])
def test_lists_of_blocks(operator, adjoint):
    one = tf.linalg.LinearOperatorDiag([2.0])
    link = tf.linalg.LinearOperatorFullMatrix([[1.0, 5.0]])
    for blocks, sizes in (
        (tf.linalg.LinearOperatorBlockDiag([operator, one]), (2, 1)),
        (tf.linalg.LinearOperatorBlockLowerTriangular([[operator], [link, one]]), (2, 1)),
    ):
        parts = [np.ones((n, 2), np.float32) * n for n in sizes]
        whole = blocks.matmul(np.concatenate(parts), adjoint=adjoint)
        found = blocks.matmul(parts, adjoint=adjoint)
        assert [p.shape[0] for p in found] == list(sizes)
        np.testing.assert_allclose(tf.concat(found, 0), whole)
        back = blocks.solve(found, adjoint=adjoint)
        np.testing.assert_allclose(tf.concat(back, 0), np.concatenate(parts), rtol=1e-5)


def test_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive definite"):
        tf.linalg.LinearOperatorDiag([1.0, -1.0]).assert_positive_definite()
    tf.linalg.LinearOperatorDiag([1.0, 2.0]).assert_positive_definite()
    for make in (tf.linalg.LinearOperatorFullMatrix, tf.linalg.LinearOperatorLowerTriangular):
        with pytest.raises(ValueError, match="rank 2"):
            make([1.0])
    with pytest.raises(ValueError, match="rank 1"):
        tf.linalg.LinearOperatorDiag(1.0)
    with pytest.raises(TypeError, match="integer"):
        tf.linalg.LinearOperatorIdentity(2.0)
    with pytest.raises(NotImplementedError, match="singular"):
        tf.linalg.LinearOperatorFullMatrix([[1.0]], is_non_singular=False).solve([[1.0]])
