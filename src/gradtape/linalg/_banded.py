"""Band matrices: `tf.linalg.tridiagonal_solve`, `tridiagonal_matmul`, `banded_triangular_solve`.

A tridiagonal matrix is given in one of three formats: "compact", a tensor `[..., 3, n]` of the diagonals above, on and below
the main one, in which an element stands in the place of its row; "sequence", these three as separate tensors, of which the
outer ones may have length n - 1; or "matrix", the whole matrix, of which the rest is ignored.
"""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import tensor
from gradtape.api.families import pair
from gradtape.core import convert, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.banded import BandedSolve
from gradtape.ops.diagonal import DiagPart
from gradtape.ops.family import conj, dims
from gradtape.ops.joining import Stack
from gradtape.ops.movement import Reshape
from gradtape.ops.slicing import StridedSlice, StridedSliceGrad, whole
from gradtape.ops.solve import swapped


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solutions x of triangular systems `a @ x = rhs`, where only some diagonals of a are not zero.

    Args:
      bands: these diagonals as rows `[..., k, n]`, with each element in the place of its row: the main diagonal is the
        first if `lower`, and the last otherwise.
      rhs: right-hand sides `[..., n]` or `[..., n, m]` of the same dtype; leading axes broadcast.
      lower: the diagonals lie below the main one, or else above.
      adjoint: take the conjugate transpose of the matrix.

    Returns:
      A tensor like `rhs`.

    >>> tf.linalg.banded_triangular_solve([[2.0, 2.0], [0.0, 1.0]], [[2.0], [5.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    held, b = map(tensor, pair(bands, rhs))
    if held.ndim < 2:
        raise errors.build(
            errors.ShapeError,
            f"banded_triangular_solve: bands is {spec_of(held)}, and needs rank 2 or more.",
            "give the diagonals as rows [..., k, n].",
        )
    others = dims(held)[-2] - 1
    return _solved(held, b, k=(-others, 0) if lower else (0, others), adjoint=bool(adjoint))


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solutions x of tridiagonal systems `a @ x = rhs`.

    Args:
      diagonals: the matrices, in one of three formats.
      rhs: right-hand sides `[..., n]` or `[..., n, k]` of the same dtype; leading axes broadcast.
      diagonals_format: "compact", one tensor `[..., 3, n]` of the diagonals above, on and below the main one, each
        element in the place of its row; "sequence", these as three tensors, of which the outer ones may have n - 1
        elements; or "matrix", matrices `[..., n, n]`.
      transpose_rhs: `rhs` is given as `[..., k, n]`.
      conjugate_rhs: take the complex conjugate of `rhs`.
      partial_pivoting: ignored: rows are always exchanged where that is more accurate.
      perturb_singular: replace pivots close to zero by small ones, so that singular systems have a finite result.

    Returns:
      A tensor `[..., n]` or `[..., n, k]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit.

    >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [3.0, 3.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    if perturb_singular and not partial_pivoting:
        raise errors.build(
            errors.ConversionError,
            "tridiagonal_solve: perturb_singular is true, but partial_pivoting is not.",
            "leave partial_pivoting at its default.",
        )
    held, b = map(tensor, pair(_compact(diagonals, diagonals_format, "tridiagonal_solve"), rhs))
    if conjugate_rhs:
        b = conj(b)
    if transpose_rhs and b.ndim >= held.ndim:
        b = swapped(b)
    return _solved(held, b, k=(-1, 1), perturb=bool(perturb_singular))


def _solved(bands: Any, b: Any, **params: Any) -> Tensor:
    """The solutions; right-hand sides that are vectors, by their rank, give vectors."""
    if b.ndim != bands.ndim - 1:
        return BandedSolve(bands, b, **params)
    y = BandedSolve(bands, Reshape(b, shape=(*dims(b), 1)), **params)
    return Reshape(y, shape=dims(y)[:-1])


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """The products of tridiagonal matrices and matrices.

    Args:
      diagonals: the tridiagonal matrices, in one of three formats.
      rhs: matrices `[..., n, k]` of the same dtype; leading axes broadcast.
      diagonals_format: "compact", one tensor `[..., 3, n]` of the diagonals above, on and below the main one, each
        element in the place of its row; "sequence", these as three tensors, of which the outer ones may have n - 1
        elements; or "matrix", matrices `[..., n, n]`.

    Returns:
      A tensor `[..., n, k]`.

    >>> tf.linalg.tridiagonal_matmul([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]], [[1.0], [10.0]]).numpy()
    array([[12.],
           [21.]], dtype=float32)
    """
    held, b = map(tensor, pair(_compact(diagonals, diagonals_format, "tridiagonal_matmul"), rhs))
    n = dims(held)[-1]
    if b.ndim < 2 or dims(b)[-2] != n:
        raise errors.build(
            errors.ShapeError,
            f"tridiagonal_matmul: rhs is {spec_of(b)}, and must be [..., {n}, k].",
            "give as many rows as the tridiagonal matrix has columns.",
        )
    above, main, below = [_row(held, i) for i in range(3)]
    y: Tensor = main * b
    if n > 1:
        y = y + above * _moved(b, 1) + below * _moved(b, -1)
    return y


def _row(held: Any, i: int) -> Any:
    """A diagonal as a column, to be multiplied with the rows of a matrix."""
    *lead, _, n = dims(held)
    row = StridedSlice(held, index=(*whole(tuple(lead)), i))
    return Reshape(row, shape=(*lead, n, 1))


def _moved(b: Any, d: int) -> Any:
    """Matrices with row i + d in place of row i, and zeros beyond the last row."""
    *lead, n, _ = shape = dims(b)
    outer = whole(tuple(lead))
    start, stop = max(d, 0), n + min(d, 0)
    rows = StridedSlice(b, index=(*outer, (start, stop, 1)))
    return StridedSliceGrad(rows, shape=tuple(shape), index=(*outer, (start - d, stop - d, 1)))


def _compact(diagonals: Any, diagonals_format: str, what: str) -> Any:
    """Tridiagonal matrices in the compact format."""
    if diagonals_format == "sequence":
        return _stacked(diagonals, what)
    if diagonals_format not in ("compact", "matrix"):
        raise errors.build(
            errors.ConversionError,
            f'{what}: diagonals_format must be "compact", "sequence" or "matrix", got {diagonals_format!r}.',
            'use "compact", "sequence" or "matrix".',
        )
    held = tensor(diagonals)
    shape = dims(held)
    if diagonals_format == "matrix":
        if len(shape) < 2 or shape[-1] != shape[-2]:
            raise _misshapen(what, held, "[..., n, n]")
        if shape[-1] > 1:
            return DiagPart(held, k=(-1, 1), align="LEFT_RIGHT")
        return StridedSliceGrad(held, shape=(*shape[:-2], 3, shape[-1]), index=(*whole(shape[:-2]), (1, 2, 1)))
    if len(shape) < 2 or shape[-2] != 3:
        raise _misshapen(what, held, "[..., 3, n]")
    return held


def _stacked(diagonals: Any, what: str) -> Any:
    """Three diagonals in the compact format."""
    if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
        raise errors.build(
            errors.ConversionError,
            f"{what}: diagonals must be a sequence of three tensors.",
            "give the diagonals above, on and below the main one.",
        )
    main = tensor(diagonals[1])
    n = dims(main)[-1] if main.ndim else 0
    rows = []
    for i, d in enumerate(diagonals):
        row = main if i == 1 else convert.like(tensor(d) if hasattr(d, "dtype") else d, main.dtype)
        if dims(row)[-1:] == (n - 1,) and i != 1:
            lead = dims(row)[:-1]
            place = (0, n - 1, 1) if i == 0 else (1, n, 1)
            row = StridedSliceGrad(row, shape=(*lead, n), index=(*whole(lead), place))
        if dims(row) != dims(main) or not row.ndim:
            raise _misshapen(what, row, f"{list(dims(main))}, or one shorter,", f"diagonals[{i}]")
        rows.append(row)
    return Stack(*rows, axis=main.ndim - 1)


def _misshapen(what: str, x: Any, wanted: str, name: str = "diagonals") -> Exception:
    return errors.build(
        errors.ShapeError,
        f"{what}: {name} is {spec_of(x)}, and must be {wanted} in this format.",
        "see diagonals_format.",
    )
