"""Linear systems with band matrices, stored as the diagonals of the band.

`bands[..., r, i]` is the element in row i on the diagonal `k[1] - r`, counted upwards from the main one, where the band
reaches from the diagonal `k[0]` to `k[1]`. Places that lie outside of the matrix are not read.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, broadcast
from gradtape.ops.family import NO_LOWERING, align, conj, dims, unbroadcast, unbroadcast_to
from gradtape.ops.joining import Stack
from gradtape.ops.reduction import ReduceSum
from gradtape.ops.slicing import StridedSlice, StridedSliceGrad, whole
from gradtape.ops.solve import by_columns


@declare("banded_solve")
class BandedSolve(Op):
    """y with `a y = b`, or with `a^H y = b`, for a band matrix a; nan if it is singular and not triangular. Leading axes broadcast.

    With `perturb`, pivots close to zero are replaced by small ones, so that singular systems have a finite result.
    """

    kinds = "fc"
    validate = True
    lower = NO_LOWERING

    def infer(self, bands: Spec, b: Spec, *, k: tuple[int, int], adjoint: bool = False, perturb: bool = False) -> Spec:
        dtype = self.check_dtypes(bands, b)
        if not k[0] <= 0 <= k[1]:
            raise self.error(
                errors.InvalidArgumentError,
                f"the band must hold the main diagonal, got k = {k}.",
                "give the lowest diagonal, 0 or less, and the highest, 0 or more.",
            )
        if bands.rank < 2 or bands.shape[-2] != k[1] - k[0] + 1:
            raise self.error(
                errors.ShapeError,
                f"bands is {bands}, and must be [..., {k[1] - k[0] + 1}, n] for the diagonals from {k[0]} to {k[1]}.",
                "give one row per diagonal, the highest first.",
            )
        lead = broadcast(bands.shape[:-2], b.shape[:-2])
        if b.rank < 2 or b.shape[-2] != bands.shape[-1] or lead is None:
            raise self.error(
                errors.ShapeError,
                f"bands is {bands}, b is {b}, and b must hold matrices of {bands.shape[-1]} rows.",
                "leading dimensions must broadcast; give a vector as a matrix of one column: b[..., tf.newaxis].",
            )
        if dtype.size < 4:
            raise self.error(errors.DTypeError, f"bands must be floating point, got {bands}.", "cast it to tf.float32.")
        return Spec((*lead, *b.shape[-2:]), dtype)

    def kernel(self, bands: Any, b: Any, *, k: tuple[int, int], adjoint: bool = False, perturb: bool = False) -> Any:
        return by_columns(solve_bands, bands, b, k, bool(adjoint), bool(perturb))

    def vjp(
        self,
        dy: Any,
        bands: Any,
        b_shape: Any,
        y: Any,
        *,
        k: tuple[int, int],
        adjoint: bool = False,
        perturb: bool = False,
        needs: Any,
    ) -> Any:
        db = BandedSolve(bands, dy, k=k, adjoint=not adjoint, perturb=perturb)
        dbands = None
        if needs[0]:
            # da = -db y^H, or its adjoint; only what lies in the band is computed.
            left, right = (y, db) if adjoint else (db, y)
            rows = [_diagonal(left, conj(right), d) for d in range(k[1], k[0] - 1, -1)]
            dbands = unbroadcast(-Stack(*rows, axis=db.ndim - 2), bands)
        return dbands, unbroadcast_to(db, b_shape) if needs[1] else None

    def batch(self, batched: tuple[bool, ...], *inputs: Any, **params: Any) -> Any:
        return self(*align(batched, inputs), **params)


def _diagonal(a: Any, b: Any, d: int) -> Any:
    """A diagonal of the product of a and the transpose of b, each element in its row's place, zeros elsewhere."""
    *lead, n, _ = dims(a)
    first, last = within(d, n)
    products = StridedSlice(a, index=(*whole(tuple(lead)), (first, last, 1))) * StridedSlice(
        b, index=(*whole(tuple(lead)), (first + d, last + d, 1))
    )
    sums = ReduceSum(products, axis=(a.ndim - 1,), keepdims=False)
    return StridedSliceGrad(sums, shape=(*lead, n), index=(*whole(tuple(lead)), (first, last, 1)))


def within(d: int, n: int) -> tuple[int, int]:
    """The range of rows in which a diagonal of a square matrix has elements."""
    first = min(max(0, -d), n)
    return first, max(first, n - max(0, d))


@overridable
def solve_bands(bands: Any, b: Any, k: tuple[int, int], is_adjoint: bool, perturb: bool) -> Any:
    """The solutions of systems with band matrices. Singular ones give nan, or an error if they are triangular."""
    lead = np.broadcast_shapes(bands.shape[:-2], b.shape[:-2])
    if is_adjoint:
        bands, k = _adjoint(bands, k), (-k[1], -k[0])
    n, columns = b.shape[-2:]
    count = math.prod(lead)
    y = np.empty((count, n, columns), b.dtype)
    if y.size:
        solver = _solver(k, n, b.dtype, perturb)
        held = np.broadcast_to(_by_column(bands, k), (*lead, *bands.shape[-2:])).reshape(count, -1, n)
        b = np.broadcast_to(b, (*lead, n, columns)).reshape(count, n, columns)
        for i in range(count):
            y[i], info = solver(held[i], b[i])
            if info and 0 in k:
                raise errors.build(
                    errors.InvalidArgumentError,
                    "banded_triangular_solve: Input matrix is not invertible: its main diagonal has a zero.",
                    "look for the zero: the main diagonal is the first row of bands if lower, and the last otherwise.",
                )
            if info:
                y[i] = np.nan
    return y.reshape(*lead, n, columns)


def _adjoint(bands: Any, k: tuple[int, int]) -> Any:
    """The bands of conjugate transposes."""
    result = np.zeros_like(bands)
    for row, d in enumerate(range(k[1], k[0] - 1, -1)):
        first, last = within(d, bands.shape[-1])
        result[..., d - k[0], first + d : last + d] = np.conj(bands[..., row, first:last])
    return result


def _by_column(bands: Any, k: tuple[int, int]) -> Any:
    """The bands as LAPACK holds them: elements in the places of their columns."""
    result = np.zeros_like(bands)
    for row, d in enumerate(range(k[1], k[0] - 1, -1)):
        first, last = within(d, bands.shape[-1])
        result[..., row, first + d : last + d] = bands[..., row, first:last]
    return result


def _solver(k: tuple[int, int], n: int, dtype: Any, perturb: bool) -> Any:
    """A function of one matrix and its right-hand sides that gives the solution and LAPACK's `info`."""
    from scipy.linalg.lapack import get_lapack_funcs

    below, above = -k[0], k[1]
    if perturb:
        factor, solve = get_lapack_funcs(("gbtrf", "gbtrs"), dtype=dtype)
        return lambda held, b: _perturbed(factor, solve, held, b, below, above)
    if not below or not above:
        (tbtrs,) = get_lapack_funcs(("tbtrs",), dtype=dtype)
        return lambda held, b: tbtrs(held, b, "L" if below else "U")
    if below == above == 1 and n > 1:
        (gtsv,) = get_lapack_funcs(("gtsv",), dtype=dtype)
        return lambda held, b: gtsv(held[2, :-1], held[1], held[0, 1:], b)[3:]
    (gbsv,) = get_lapack_funcs(("gbsv",), dtype=dtype)
    return lambda held, b: gbsv(below, above, _with_room(held, below), b)[2:]


def _with_room(held: Any, below: int) -> Any:
    """The bands below rows that the factors will fill."""
    return np.concatenate([np.zeros_like(held, shape=(below, held.shape[-1])), held])


def _perturbed(factor: Any, solve: Any, held: Any, b: Any, below: int, above: int) -> Any:
    """The solution with pivots that are not smaller than rounding errors."""
    factors, pivots, _ = factor(_with_room(held, below), below, above)
    upper = factors[: below + above + 1]
    least = np.finfo(b.dtype).eps * np.max(np.abs(upper)) or np.finfo(b.dtype).tiny
    diagonal = upper[-1]
    diagonal[np.abs(diagonal) < least] = least
    return solve(factors, below, above, b, pivots)
