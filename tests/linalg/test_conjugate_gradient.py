"""The method of conjugate gradients."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(33)
HALF = random.normal(size=(4, 4))
A = HALF @ HALF.T + 4.0 * np.eye(4)
B = random.normal(size=(3, 4))


class Matrix:
    """The least that an operator needs."""

    def __init__(self, matrix):
        self.matrix = matrix
        self.shape = tuple(matrix.shape)

    def matvec(self, x):
        return tf.linalg.matvec(self.matrix, x)


def solve(*arguments, **options):
    return tf.linalg.experimental.conjugate_gradient(*arguments, **options)


def test_solution_and_state():
    state = solve(Matrix(A), tf.constant(B), tol=1e-12)
    assert state._fields == ("i", "x", "r", "p", "gamma")
    np.testing.assert_allclose(state.x, np.linalg.solve(A, B.T).T)
    np.testing.assert_allclose(state.r, B - state.x.numpy() @ A, atol=1e-10)
    np.testing.assert_allclose(state.gamma, np.sum(state.r.numpy() ** 2, -1), atol=1e-20)
    assert state.i.dtype is tf.int32
    assert 1 <= int(state.i) <= 8


def test_few_steps_and_a_start():
    assert int(solve(Matrix(A), tf.constant(B), max_iter=2).i) == 2
    exact = np.linalg.solve(A, B.T).T
    assert int(solve(Matrix(A), tf.constant(B), x=exact).i) == 0
    # A right-hand side of zeros is solved from the start, and stays so while the others take their steps.
    assert np.all(np.isfinite(solve(Matrix(A), tf.constant(B * [[0.0], [1.0], [1.0]])).x))


def test_preconditioner():
    state = solve(Matrix(A), tf.constant(B), preconditioner=Matrix(np.linalg.inv(A)), tol=1e-9)
    assert int(state.i) == 1
    np.testing.assert_allclose(state.x, np.linalg.solve(A, B.T).T)


def test_batch_of_operators():
    stack = np.stack([A, 2.0 * A])
    np.testing.assert_allclose(
        solve(Matrix(stack), tf.constant(B[0]), tol=1e-12).x, np.linalg.solve(stack, B[0][:, None])[..., 0]
    )


def test_complex():
    c = A + 1j * (HALF - HALF.T)
    np.testing.assert_allclose(solve(Matrix(c), tf.constant(B + 1j), tol=1e-12).x, np.linalg.solve(c, (B + 1j).T).T)


def test_gradients_and_vectorized_map():
    check_grads(
        lambda a, b: solve(Matrix(a + tf.transpose(a)), b, tol=0.0, max_iter=4).x, (A, B[0]), order=1, rtol=1e-5
    )
    got = tf.vectorized_map(lambda b: solve(Matrix(A), b, tol=1e-12).x, tf.constant(B))
    np.testing.assert_allclose(got, np.linalg.solve(A, B.T).T)


def test_refusals():
    operator = Matrix(A)
    operator.is_positive_definite = None
    with pytest.raises(ValueError, match=r"operator\.is_positive_definite must be True, got None"):
        solve(operator, B)
    with pytest.raises(ValueError, match="give vectors"):
        solve(Matrix(A), B[:, :3])
