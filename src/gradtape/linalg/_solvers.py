"""Linear systems: `tf.linalg.solve`, `inv`, `lstsq`, and solutions from triangular, Cholesky and LU factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.api.families import pair
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import broadcast, spec_of
from gradtape.core.tensor import Tensor, host
from gradtape.linalg._banded import banded_triangular_solve, tridiagonal_matmul, tridiagonal_solve
from gradtape.linalg._diagonals import set_diag
from gradtape.ops.cast import Cast
from gradtape.ops.diagonal import BandPart
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.pseudo_inverse import PseudoInverse
from gradtape.ops.scatter import ScatterNd
from gradtape.ops.solve import MatrixInverse, MatrixSolve, TriangularSolve, adjoint

__all__ = [
    "banded_triangular_solve",
    "cholesky_solve",
    "inv",
    "lstsq",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "solve",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of square matrices.

    Args:
      input: matrices `[..., n, n]`.
      adjoint: invert the conjugate transposes instead.

    Returns:
      A tensor of the same shape.

    Raises:
      tf.errors.InvalidArgumentError: a matrix is singular.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    return MatrixInverse(tensor(input), adjoint=bool(adjoint))


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solutions x of the linear systems `matrix @ x = rhs`.

    Args:
      matrix: matrices `[..., n, n]`.
      rhs: right-hand sides `[..., n, k]` of the same dtype; leading axes broadcast.
      adjoint: take the conjugate transposes of the matrices instead.

    Returns:
      A tensor `[..., n, k]`.

    Raises:
      tf.errors.InvalidArgumentError: a matrix is singular.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]]).numpy()
    array([[0.5 ],
           [0.25]], dtype=float32)
    """
    return MatrixSolve(*pair(matrix, rhs), adjoint=bool(adjoint))


def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solutions x of triangular systems `matrix @ x = rhs`, by substitution.

    Args:
      matrix: matrices `[..., n, n]`, of which only one triangle is read.
      rhs: right-hand sides `[..., n, k]` of the same dtype; leading axes broadcast.
      lower: read the lower triangles, or else the upper ones.
      adjoint: take the conjugate transposes of the triangular matrices.

    Returns:
      A tensor `[..., n, k]`.

    Raises:
      tf.errors.InvalidArgumentError: there is a zero on a diagonal.

    >>> tf.linalg.triangular_solve([[2.0, 9.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    return TriangularSolve(*pair(matrix, rhs), lower=bool(lower), adjoint=bool(adjoint))


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The solutions x of `a @ x = rhs`, given the Cholesky factors of the matrices a.

    Args:
      chol: lower triangular matrices `[..., n, n]`, as from `tf.linalg.cholesky`.
      rhs: right-hand sides `[..., n, k]` of the same dtype; leading axes broadcast.

    Returns:
      A tensor `[..., n, k]`.

    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[8.0], [3.0]]).numpy()
    array([[2.],
           [3.]], dtype=float32)
    """
    factor, b = pair(chol, rhs)
    inner = TriangularSolve(factor, b, lower=True, adjoint=False)
    return TriangularSolve(factor, inner, lower=True, adjoint=True)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """The least-squares solution x of `matrix @ x = rhs`; the one of smallest norm if there are many.

    Args:
      matrix: matrices `[..., m, n]`.
      rhs: right-hand sides `[..., m, k]` of the same dtype; leading axes broadcast.
      l2_regularizer: how much the squared norm of x counts beside the squared error.
      fast: solve the normal equations, for matrices of full rank that are not ill-conditioned. Otherwise the
        pseudo-inverse is used, which takes any matrix, and `l2_regularizer` is ignored.

    Returns:
      A tensor `[..., n, k]`.

    Raises:
      tf.errors.InvalidArgumentError: a matrix has not full rank, with `fast` and without a regularizer.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(4)
    array([[2.]], dtype=float32)
    """
    a, b = map(tensor, pair(matrix, rhs))
    if a.ndim < 2 or b.ndim < 2 or dims(a)[-2] != dims(b)[-2]:
        raise errors.build(
            errors.ShapeError,
            f"lstsq: matrix is {spec_of(a)}, rhs is {spec_of(b)}, and both must be matrices with as many rows.",
            "give a vector as a matrix of one column: rhs[..., tf.newaxis].",
        )
    rows, columns = dims(a)[-2:]
    if not fast:
        rcond = max(rows, columns) * (float(np.finfo(a.dtype.numpy).eps) if a.dtype.kind in "fc" else 2.0**-7)
        return MatMul(PseudoInverse(a, rcond=rcond), b)
    dagger = adjoint(a)
    wide = rows < columns
    gram = _regularized(MatMul(a, dagger) if wide else MatMul(dagger, a), l2_regularizer)
    try:
        if wide:
            return MatMul(dagger, MatrixSolve(gram, b, adjoint=False))
        return MatrixSolve(gram, MatMul(dagger, b), adjoint=False)
    except errors.InvalidArgumentError as problem:
        if isinstance(problem, (ValueError, TypeError)):
            raise
        raise errors.build(
            errors.InvalidArgumentError,
            f"lstsq: Input matrix was rank deficient or ill-conditioned: matrix is {spec_of(a)}.",
            "set fast=False, or give an l2_regularizer above 0.",
        ) from None


def _regularized(gram: Any, weight: Any) -> Any:
    """Square matrices with a number added to the main diagonals."""
    if isinstance(weight, (int, float)) and weight == 0:
        return gram
    weight = convert.like(weight, gram.dtype.real_dtype)
    if weight.dtype is not gram.dtype:
        weight = Cast(weight, dtype=gram.dtype)
    return gram + weight * _identity(dims(gram)[-1], gram.dtype)


def _identity(n: int, dtype: dtypes.DType) -> Tensor:
    return convert.convert_to_tensor(np.eye(n, dtype=dtype.numpy))


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The solutions x of `a @ x = rhs`, given the LU factors of the matrices a.

    Args:
      lower_upper: `[..., n, n]`, both factors in one matrix, as from `tf.linalg.lu`.
      perm: `[..., n]`, the order in which the rows of `a` were taken, as from `tf.linalg.lu`.
      rhs: right-hand sides `[..., n, k]`; leading axes broadcast.
      validate_args: also check that `perm` is a permutation.

    Returns:
      A tensor `[..., n, k]`.

    >>> tf.linalg.lu_solve([[2.0, 1.0], [0.5, 1.5]], [1, 0], [[3.0], [3.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    factors, b = map(tensor, pair(lower_upper, rhs))
    order = _permutation("lu_solve", factors, perm, validate_args)
    lead = broadcast(dims(order)[:-1], dims(b)[:-2])
    if b.ndim < 2 or dims(b)[-2] != dims(order)[-1] or lead is None:
        raise errors.build(
            errors.ShapeError,
            f"lu_solve: lower_upper is {spec_of(factors)}, rhs is {spec_of(b)}, and rhs must be [..., "
            f"{dims(order)[-1]}, k].",
            "leading dimensions must broadcast; give a vector as a matrix of one column: rhs[..., tf.newaxis].",
        )
    order = BroadcastTo(order, shape=(*lead, dims(order)[-1]))
    b = BroadcastTo(b, shape=(*lead, *dims(b)[-2:]))
    permuted = Gather(b, order, axis=len(lead), batch_dims=len(lead))
    inner = TriangularSolve(_unit_lower(factors), permuted, lower=True, adjoint=False)
    return TriangularSolve(factors, inner, lower=False, adjoint=False)


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverses of matrices, given their LU factors.

    Args:
      lower_upper: `[..., n, n]`, both factors in one matrix, as from `tf.linalg.lu`.
      perm: `[..., n]`, the order in which the rows were taken, as from `tf.linalg.lu`.
      validate_args: also check that `perm` is a permutation.

    Returns:
      A tensor `[..., n, n]`.

    >>> tf.linalg.lu_matrix_inverse([[2.0, 0.0], [0.0, 4.0]], [1, 0]).numpy()
    array([[0.  , 0.5 ],
           [0.25, 0.  ]], dtype=float32)
    """
    factors = tensor(lower_upper)
    _permutation("lu_matrix_inverse", factors, perm, False)
    return lu_solve(factors, perm, _identity(dims(factors)[-1], factors.dtype), validate_args)


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrices that have given LU factors.

    Args:
      lower_upper: `[..., n, n]`, both factors in one matrix, as from `tf.linalg.lu`.
      perm: `[..., n]`, the order in which the rows were taken, as from `tf.linalg.lu`.
      validate_args: also check that `perm` is a permutation.

    Returns:
      A tensor `[..., n, n]`.

    >>> tf.linalg.lu_reconstruct([[2.0, 1.0], [0.5, 1.5]], [1, 0]).numpy()
    array([[1., 2.],
           [2., 1.]], dtype=float32)
    """
    factors = tensor(lower_upper)
    order = _permutation("lu_reconstruct", factors, perm, validate_args)
    lower = BandPart(_unit_lower(factors), lower=-1, upper=0)
    product = MatMul(lower, BandPart(factors, lower=0, upper=-1))
    shape = dims(product)
    places = Reshape(order, shape=(*dims(order), 1))
    return ScatterNd(places, product, shape=shape, batch_dims=len(shape) - 2)


def _permutation(what: str, factors: Any, perm: Any, validate: bool) -> Any:
    """The order of the rows as a tensor, checked against the factors."""
    order = perm if isinstance(perm, Tensor) else convert.convert_to_tensor(perm)
    shape = dims(factors)
    if len(shape) < 2 or shape[-1] != shape[-2] or dims(order) != shape[:-1] or order.dtype.kind not in "iu":
        raise errors.build(
            errors.ShapeError,
            f"{what}: lower_upper is {spec_of(factors)}, perm is {spec_of(order)}, and they must be [..., n, n] and "
            "integers [..., n].",
            "give both as tf.linalg.lu returns them.",
        )
    if validate and not np.array_equal(np.sort(host(order), -1), np.broadcast_to(np.arange(shape[-1]), shape[:-1])):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{what}: perm is {host(order).tolist()}, and must be a permutation.",
            "name each row once.",
        )
    return order


def _unit_lower(factors: Any) -> Any:
    """The factors with the ones that are not stored on the diagonals of the lower ones."""
    return set_diag(factors, convert.convert_to_tensor(np.ones(dims(factors)[:-1], factors.dtype.numpy)))
