"""Linear operators, against NumPy on the dense matrices, which are written down independently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.linalg

import gradtape as tf
from gradtape.testing import check_grads

L = tf.linalg
random = np.random.default_rng(3)
FULL = random.normal(size=(3, 3)) + 3 * np.eye(3)
TALL = random.normal(size=(3, 2))
SPD = FULL @ FULL.T
BATCH = random.normal(size=(2, 3, 3)) + 3 * np.eye(3)
COMPLEX = FULL + 1j * random.normal(size=(3, 3))
DIAG = np.array([1.5, -2.0, 0.5])
POSITIVE = np.array([1.5, 2.0, 0.5])
UNIT = np.array([1.0, 2.0, 2.0]) / 3.0
COL, ROW = np.array([3.0, 1.0, 0.5]), np.array([9.0, -1.0, 0.25])
UPPER, MAIN, LOWER = np.array([1.0, 2.0, 9.0]), np.array([4.0, 5.0, 6.0]), np.array([9.0, 0.5, 0.25])
TRIDIAGONAL = np.array([[4.0, 1.0, 0.0], [0.5, 5.0, 2.0], [0.0, 0.25, 6.0]])
KERNEL = np.array([3.0, 1.0, 0.5])
PICTURE = np.array([[4.0, 1.0, 0.5], [0.25, 0.5, 1.0]])


def full(matrix: Any, **flags: Any) -> Any:
    return L.LinearOperatorFullMatrix(matrix, **flags)


def wrapped(kernel: Any) -> Any:
    """The matrix of a convolution that wraps around, column by column."""
    columns = [np.roll(kernel, np.unravel_index(i, kernel.shape), range(kernel.ndim)) for i in range(kernel.size)]
    return np.stack([c.reshape(-1) for c in columns], -1)


def spectrum(kernel: Any) -> Any:
    return tf.constant(np.fft.fftn(kernel))


class Case(NamedTuple):
    name: str
    make: Callable[[], Any]
    dense: Any


DIAGONAL = np.diag(DIAG)
CASES = [
    Case("full", lambda: full(FULL), FULL),
    Case("full batch", lambda: full(BATCH), BATCH),
    Case("full complex", lambda: full(COMPLEX), COMPLEX),
    Case("full spd", lambda: full(SPD, is_self_adjoint=True, is_positive_definite=True), SPD),
    Case("triangular", lambda: L.LinearOperatorLowerTriangular(FULL), np.tril(FULL)),
    Case("diag", lambda: L.LinearOperatorDiag(DIAG), DIAGONAL),
    Case("diag positive", lambda: L.LinearOperatorDiag(POSITIVE, is_positive_definite=True), np.diag(POSITIVE)),
    Case("diag complex", lambda: L.LinearOperatorDiag(DIAG + 1j), np.diag(DIAG + 1j)),
    Case("identity", lambda: L.LinearOperatorIdentity(3, dtype=tf.float64), np.eye(3)),
    Case("identities", lambda: L.LinearOperatorIdentity(3, [2], tf.float64), np.stack([np.eye(3)] * 2)),
    Case("scaled", lambda: L.LinearOperatorScaledIdentity(3, tf.constant(2.5, tf.float64)), 2.5 * np.eye(3)),
    Case("composition", lambda: L.LinearOperatorComposition([full(FULL), L.LinearOperatorDiag(DIAG)]), FULL @ DIAGONAL),
    Case("tall composition", lambda: full(TALL.T) @ full(TALL), TALL.T @ TALL),
    Case("adjoint", lambda: L.LinearOperatorAdjoint(full(COMPLEX)), COMPLEX.conj().T),
    Case("inversion", lambda: L.LinearOperatorInversion(full(FULL)), np.linalg.inv(FULL)),
    Case("kronecker", lambda: L.LinearOperatorKronecker([full(FULL), full(FULL[:2, :2])]), np.kron(FULL, FULL[:2, :2])),
    Case("three factors", lambda: L.LinearOperatorKronecker([full(FULL[:2, :2]), L.LinearOperatorDiag(DIAG), full(SPD)]),
         np.kron(np.kron(FULL[:2, :2], DIAGONAL), SPD)),
    Case("blocks", lambda: L.LinearOperatorBlockDiag([full(FULL), L.LinearOperatorDiag(DIAG)]),
         scipy.linalg.block_diag(FULL, DIAGONAL)),
    Case("lower blocks", lambda: L.LinearOperatorBlockLowerTriangular([[full(FULL)], [full(TALL.T), full(SPD[:2, :2])]]),
         np.block([[FULL, np.zeros((3, 2))], [TALL.T, SPD[:2, :2]]])),
    Case("low rank", lambda: L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(POSITIVE), TALL),
         np.diag(POSITIVE) + TALL @ TALL.T),
    Case("low rank, all parts", lambda: L.LinearOperatorLowRankUpdate(full(FULL), TALL, [2.0, 3.0], 2 * TALL[::-1]),
         FULL + TALL @ np.diag([2.0, 3.0]) @ (2 * TALL[::-1]).T),
    Case("toeplitz", lambda: L.LinearOperatorToeplitz(COL, ROW), scipy.linalg.toeplitz(COL, ROW)),
    Case("tridiag", lambda: L.LinearOperatorTridiag([UPPER, MAIN, LOWER]), TRIDIAGONAL),
    Case("tridiag sequence", lambda: L.LinearOperatorTridiag([UPPER[:2], MAIN, LOWER[1:]], "sequence"), TRIDIAGONAL),
    Case("tridiag matrix", lambda: L.LinearOperatorTridiag(TRIDIAGONAL, "matrix"), TRIDIAGONAL),
    Case("householder", lambda: L.LinearOperatorHouseholder(2.0 * UNIT), np.eye(3) - 2 * np.outer(UNIT, UNIT)),
    Case("permutation", lambda: L.LinearOperatorPermutation([2, 0, 1], tf.float64), np.eye(3)[[2, 0, 1]]),
    Case("circulant", lambda: L.LinearOperatorCirculant(spectrum(KERNEL), tf.float64), wrapped(KERNEL)),
    Case("circulant 2D", lambda: L.LinearOperatorCirculant2D(spectrum(PICTURE), tf.float64), wrapped(PICTURE)),
    Case("circulant 3D", lambda: L.LinearOperatorCirculant3D(spectrum(PICTURE[None]), tf.float64), wrapped(PICTURE[None])),
]  # fmt: skip
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def columns(case: Case, rows: int) -> Any:
    x = np.random.default_rng(5).normal(size=(*case.dense.shape[:-2], rows, 2))
    return x.astype(case.dense.dtype)


@EACH
def test_matrix(case: Case) -> None:
    operator, dense = case.make(), case.dense
    close(operator.to_dense(), dense)
    assert operator.shape == dense.shape
    assert operator.batch_shape == dense.shape[:-2]
    assert operator.tensor_rank == dense.ndim
    assert (operator.range_dimension, operator.domain_dimension) == dense.shape[-2:]
    np.testing.assert_array_equal(operator.shape_tensor(), dense.shape)
    close(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
    close(operator.trace(), np.trace(dense, axis1=-2, axis2=-1))
    close(operator.add_to_tensor(dense), 2 * dense)


@EACH
def test_products(case: Case) -> None:
    operator, dense = case.make(), case.dense
    x, y = columns(case, dense.shape[-1]), columns(case, dense.shape[-2])
    adjoint = np.conj(np.swapaxes(dense, -1, -2))
    close(operator.matmul(x), dense @ x)
    close(operator @ x, dense @ x)
    close(operator.matmul(y, adjoint=True), adjoint @ y)
    close(operator.matmul(np.conj(np.swapaxes(x, -1, -2)), adjoint_arg=True), dense @ x)
    close(operator.matvec(x[..., 0]), (dense @ x)[..., 0])
    close(operator.adjoint().matmul(y), adjoint @ y)
    close(operator.H.to_dense(), adjoint)
    close(tf.function(lambda x: operator.matmul(x))(tf.constant(x)), dense @ x)


@EACH
def test_solutions(case: Case) -> None:
    operator, dense = case.make(), case.dense
    x = columns(case, dense.shape[-1])
    adjoint = np.conj(np.swapaxes(dense, -1, -2))
    close(operator.solve(x), np.linalg.solve(dense, x))
    close(operator.solve(x, adjoint=True), np.linalg.solve(adjoint, x))
    close(operator.solvevec(x[..., 0]), np.linalg.solve(dense, x)[..., 0])
    close(operator.inverse().matmul(x), np.linalg.solve(dense, x))
    close(operator.inverse().to_dense(), np.linalg.inv(dense))
    close(operator.inverse().solve(x), dense @ x)


@EACH
def test_numbers(case: Case) -> None:
    operator, dense = case.make(), case.dense
    close(operator.determinant(), np.linalg.det(dense))
    close(operator.log_abs_determinant(), np.linalg.slogdet(dense)[1])
    close(operator.cond(), np.linalg.cond(dense))
    close(operator.inverse().determinant(), 1 / np.linalg.det(dense))
    if operator.is_self_adjoint:
        close(np.sort(operator.eigvals(), -1), np.linalg.eigvalsh(dense))
    if operator.is_self_adjoint and operator.is_positive_definite:
        close(operator.cholesky().to_dense(), np.linalg.cholesky(dense))
    operator.assert_non_singular()


@pytest.mark.parametrize(
    ("build", "parameters"),
    [
        (L.LinearOperatorFullMatrix, [FULL]),
        (L.LinearOperatorLowerTriangular, [FULL]),
        (L.LinearOperatorDiag, [DIAG]),
        (lambda m: L.LinearOperatorScaledIdentity(3, m), [np.float64(2.0)]),
        (lambda d, u: L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(d), u), [POSITIVE, TALL]),
        (L.LinearOperatorToeplitz, [COL, ROW]),
        (lambda d: L.LinearOperatorTridiag(d), [np.stack([UPPER, MAIN, LOWER])]),
        (L.LinearOperatorHouseholder, [UNIT]),
        (lambda s: L.LinearOperatorCirculant(s, tf.float64), [np.array([3.0, 1.0, 1.0])]),
        (lambda a, d: L.LinearOperatorKronecker([full(a), L.LinearOperatorDiag(d)]), [FULL[:2, :2], DIAG]),
        (lambda a, d: L.LinearOperatorBlockDiag([full(a), L.LinearOperatorDiag(d)]), [FULL[:2, :2], DIAG]),
    ],
)
def test_gradients(build: Any, parameters: list[Any]) -> None:
    size = build(*parameters).shape[-1]
    x = np.random.default_rng(6).normal(size=(size, 1))

    def f(x: Any, *parts: Any) -> Any:
        operator = build(*parts)
        return (
            tf.reduce_sum(tf.sin(operator.matmul(x)))
            + tf.reduce_sum(operator.solve(x))
            + operator.log_abs_determinant()
        )

    check_grads(f, [x, *parameters], order=1)


def test_variables_are_read_when_used() -> None:
    diag = tf.Variable([1.0, 2.0])
    operator = L.LinearOperatorDiag(diag)
    diag.assign([3.0, 4.0])
    close(operator.matvec([1.0, 1.0]), [3.0, 4.0])
    assert operator.trainable_variables == (diag,) or operator.trainable_variables[0] is diag
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(operator.matvec([1.0, 2.0]))
    close(tape.gradient(y, diag), [1.0, 2.0])


def test_zeros() -> None:
    zero = L.LinearOperatorZeros(2, 3, dtype=tf.float64, is_square=False)
    close(zero.to_dense(), np.zeros((2, 3)))
    close(zero.matmul(np.ones((3, 1))), np.zeros((2, 1)))
    close(zero.adjoint().to_dense(), np.zeros((3, 2)))
    assert float(L.LinearOperatorZeros(2).determinant()) == 0.0
    with pytest.raises(ValueError, match="singular"):
        L.LinearOperatorZeros(2).inverse()
    with pytest.raises(NotImplementedError, match="singular"):
        L.LinearOperatorZeros(2).solvevec([1.0, 1.0])


def test_products_of_operators() -> None:
    diagonal = L.LinearOperatorDiag(DIAG)
    assert isinstance(diagonal @ diagonal, L.LinearOperatorDiag)
    identity = L.LinearOperatorIdentity(3, dtype=tf.float64)
    assert identity @ diagonal is diagonal
    close(full(FULL).solve(diagonal).to_dense(), np.linalg.solve(FULL, DIAGONAL))
    close(full(FULL).matmul(diagonal, adjoint=True, adjoint_arg=True).to_dense(), FULL.T @ DIAGONAL)


def test_batches_broadcast() -> None:
    x = np.ones((3, 1))
    close(full(BATCH).matmul(x), BATCH @ x)
    close(L.LinearOperatorIdentity(3, [2], tf.float64).matmul(x), np.ones((2, 3, 1)))
    close(
        L.LinearOperatorPermutation([[2, 0, 1], [0, 1, 2]], tf.float64).matvec(np.arange(3.0)), [[2, 0, 1], [0, 1, 2]]
    )
    both = L.LinearOperatorBlockDiag([full(BATCH), full(FULL)])
    assert both.shape == [2, 6, 6]
    close(both.matmul(np.ones((6, 1)))[1, 3:], FULL @ x)


def test_bad_input() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="with 3 rows"):
        full(FULL).matmul(np.ones((2, 1)))
    with pytest.raises(NotImplementedError, match="expected to not be square"):
        full(TALL).solve(np.ones((3, 1)))
    with pytest.raises(ValueError, match="Not a positive definite"):
        full(SPD).cholesky()
    with pytest.raises(NotImplementedError, match="self-adjoint"):
        full(FULL).eigvals()
    with pytest.raises(ValueError, match="always non-singular"):
        full(SPD, is_positive_definite=True, is_non_singular=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="as many columns"):
        L.LinearOperatorComposition([full(FULL), full(TALL.T)])
    with pytest.raises(ValueError, match="non-empty"):
        L.LinearOperatorKronecker([])
    with pytest.raises(TypeError, match="same dtype"):
        L.LinearOperatorBlockDiag([full(FULL), full(FULL.astype(np.float32))])
    with pytest.raises(ValueError, match="must contain `2` blocks"):
        L.LinearOperatorBlockLowerTriangular([[full(FULL)], [full(FULL)]])
    with pytest.raises(TypeError, match="pass integers"):
        L.LinearOperatorPermutation([0.0, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not equal to its adjoint"):
        full(FULL).assert_self_adjoint()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular"):
        full(np.array([[1.0, 1.0], [1.0, 1.0]])).assert_non_singular()


def test_products_of_one_structure_keep_it():
    la = tf.linalg
    diag, scaled = la.LinearOperatorDiag([1.0, 2.0]), la.LinearOperatorScaledIdentity(2, 3.0)
    lower = la.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]])
    circle = la.LinearOperatorCirculant([1.0, 4.0])
    blocks = la.LinearOperatorBlockDiag([diag, scaled])
    cases = [
        (diag, scaled, la.LinearOperatorDiag),
        (scaled, scaled, la.LinearOperatorScaledIdentity),
        (lower, diag, la.LinearOperatorLowerTriangular),
        (diag, lower, la.LinearOperatorLowerTriangular),
        (la.LinearOperatorZeros(2), lower, la.LinearOperatorZeros),
        (circle, circle, la.LinearOperatorCirculant),
        (blocks, blocks, la.LinearOperatorBlockDiag),
        (lower, lower, la.LinearOperatorComposition),
    ]
    for left, right, kind in cases:
        found = left @ right
        assert type(found) is kind
        np.testing.assert_allclose(found.to_dense(), left.to_dense() @ right.to_dense(), rtol=1e-6)


def test_arguments_that_do_not_fit():
    la = tf.linalg
    for make in (
        lambda: la.LinearOperatorPermutation([0, 0, 1]),
        lambda: la.LinearOperatorPermutation(0),
        lambda: la.LinearOperatorHouseholder(1.0),
        lambda: la.LinearOperatorToeplitz([1.0, 2.0], [1.0]),
        lambda: la.LinearOperatorCirculant(1.0),
        lambda: la.LinearOperatorCirculant2D([1.0]),
        lambda: la.LinearOperatorZeros(2, 3),
        lambda: la.LinearOperatorIdentity([2]),
        lambda: la.LinearOperatorIdentity(2, batch_shape=2),
        lambda: la.LinearOperatorLowRankUpdate(la.LinearOperatorIdentity(3), tf.ones([2, 1])),
        lambda: la.LinearOperatorLowRankUpdate(la.LinearOperatorIdentity(3), tf.ones([3, 1]), [1.0, 2.0]),
    ):
        with pytest.raises(ValueError):
            make()
    with pytest.raises(TypeError, match="got int32"):
        la.LinearOperatorFullMatrix(tf.ones([2, 2], tf.int32))
    with pytest.raises(TypeError, match="dtypes differ: LinearOperatorIdentity is float32, the argument is float64"):
        la.LinearOperatorIdentity(2).matmul(tf.ones([2, 1], tf.float64))


class Exponential(tf.Module):
    """Stands for the exponential of a variable, as libraries' transformed variables do."""

    def __init__(self, start):
        super().__init__()
        self.inner = tf.Variable(start)

    shape = property(lambda self: self.inner.shape)
    dtype = property(lambda self: self.inner.dtype)


class Shapeless(Exponential):
    """Tells its shape only when it is computed."""

    shape = tf.TensorShape(None)


tf.register_tensor_conversion_function(
    Exponential, lambda value, dtype=None, name=None, as_ref=False: tf.exp(value.inner)
)


@pytest.mark.parametrize(
    ("make", "start"),
    [
        (tf.linalg.LinearOperatorDiag, [0.1, 0.2]),
        (tf.linalg.LinearOperatorFullMatrix, [[0.1, 0.2], [0.3, 0.4]]),
        (tf.linalg.LinearOperatorLowerTriangular, [[0.1, 0.0], [0.3, 0.4]]),
        (lambda m: tf.linalg.LinearOperatorScaledIdentity(2, m), 0.3),
        (lambda m: tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorIdentity(2), m), [[0.1], [0.2]]),
        (lambda m: tf.linalg.LinearOperatorToeplitz(m, [1.1, 0.5]), [0.1, 0.2]),
        (tf.linalg.LinearOperatorHouseholder, [0.1, 0.2]),
    ],
    ids=["diag", "full", "tril", "scaled", "low rank", "toeplitz", "householder"],
)
@pytest.mark.parametrize("kind", [Exponential, Shapeless])
def test_modules_that_stand_for_tensors_are_read_when_they_are_used(make, start, kind):
    module = kind(start)
    operator, x = make(module), tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(operator.matmul(x) ** 2)
    found = tape.gradient(y, module.inner)
    with tf.GradientTape() as tape:
        again = tf.reduce_sum(make(tf.exp(module.inner)).matmul(x) ** 2)
    np.testing.assert_allclose(found, tape.gradient(again, module.inner), rtol=1e-5)
    assert float(tf.reduce_max(tf.abs(found))) > 0
    module.inner.assign(tf.zeros_like(module.inner))
    np.testing.assert_allclose(operator.to_dense(), make(tf.exp(module.inner)).to_dense(), rtol=1e-6)


def test_complex_operators_are_positive_definite_by_real_parts():
    for kind in (tf.linalg.LinearOperatorDiag, tf.linalg.LinearOperatorCirculant):
        kind(np.array([1.0, 2.0, 3.0], np.complex64)).assert_positive_definite()
        with pytest.raises(tf.errors.InvalidArgumentError, match="not positive definite"):
            kind(np.array([1.0, -2.0, 3.0], np.complex64)).assert_positive_definite()
    tf.linalg.LinearOperatorDiag(np.array([1.0, 2.0 + 1j], np.complex64)).assert_positive_definite()


def test_a_real_spectrum_is_self_adjoint():
    with pytest.raises(ValueError, match="always corresponds to a self-adjoint operator"):
        tf.linalg.LinearOperatorCirculant(np.ones(3, np.float32), tf.float32, is_self_adjoint=False)


def test_gradients_of_an_operator_are_those_of_its_tensors():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        diag = tf.linalg.LinearOperatorDiag
        whole = tf.linalg.LinearOperatorComposition([diag(v * v), diag(v)])
    assert tape.gradient(whole, v).numpy().tolist() == [3.0, 5.0]  # TensorFlow's: d(sum(v * v) + sum(v)) / dv


def test_a_real_part_of_zero_is_not_positive():
    spectrum = np.array([6.0, 4.0, 2j], np.complex64)
    for kind in (tf.linalg.LinearOperatorDiag, tf.linalg.LinearOperatorCirculant):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Not positive definite"):
            kind(spectrum).assert_positive_definite()
        kind(spectrum).assert_non_singular()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Singular operator"):
            kind(0 * spectrum).assert_non_singular()


def test_the_diagonal_of_a_correction_is_an_operator():
    base = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    given = tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]], [3.0], is_diag_update_positive=True)
    assert given.diag_operator.to_dense().numpy().tolist() == [[3.0]]
    assert given.diag_operator.is_positive_definite
    plain = tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [1.0]])
    assert plain.diag_operator.to_dense().numpy().tolist() == [[1.0]]
