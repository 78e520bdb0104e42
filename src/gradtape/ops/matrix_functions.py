"""Functions of square matrices: exponential, logarithm, square root.

For an analytic f, the derivative L of f at A in the direction E stands in a corner of a larger matrix:

    f([[A, E], [0, A]]) = [[f(A), L], [0, f(A)]]

and the cotangent of A for a cotangent G of f(A) is the derivative at A^H in the direction G. So each op is all that its own
derivatives need, to any order. (Higham, "Functions of Matrices", 2008, sections 3.1 and 3.2.)
"""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import declare
from gradtape.core.shape import Spec, spec_of
from gradtape.ops import blas
from gradtape.ops.cast import Cast
from gradtape.ops.creation import ZerosLike
from gradtape.ops.family import dims
from gradtape.ops.joining import Concat
from gradtape.ops.reduction import ReduceMax, wide
from gradtape.ops.selection import Maximum, Where, number
from gradtape.ops.slicing import StridedSlice, whole
from gradtape.ops.solve import Inverting, adjoint
from gradtape.ops.stop_gradient import StopGradient


class MatrixFunction(Inverting):
    """An analytic function of square matrices, which is real for real matrices."""

    def infer(self, a: Spec) -> Spec:
        dtype = self.check_dtypes(a)
        self.check_square(a)
        return Spec(a.shape, dtype)

    def vjp(self, dy: Any, a: Any) -> Any:
        *lead, n, _ = dims(a)
        if not math.prod(dims(a)):
            return (dy,)
        scale = _scale(dy, a)
        corner, a = dy / scale, adjoint(a)
        top = Concat(a, corner, axis=len(lead) + 1)
        bottom = Concat(ZerosLike(a), a, axis=len(lead) + 1)
        whole_result = self(Concat(top, bottom, axis=len(lead)))
        return (scale * StridedSlice(whole_result, index=(*whole(tuple(lead)), (0, n, 1), (n, 2 * n, 1))),)

    def batch(self, batched: tuple[bool, ...], a: Any) -> Any:
        return self(a)

    def real(self, y: Any, a: Any, unit: float) -> Any:
        """A complex result in the dtype of a; raises if that is real and the result is not.

        Imaginary parts that are small beside the result, or beside `unit`, are rounding errors.
        """
        if a.dtype.kind == "c":
            return y.astype(a.dtype)
        if a.size and np.any(np.abs(np.imag(y)) > 1e-6 * (unit + np.max(np.abs(y), axis=(-2, -1), keepdims=True))):
            raise self.error(
                errors.InvalidArgumentError,
                f"the result for a real matrix is complex: a is {spec_of(a)}, with a negative eigenvalue, which is not supported.",
                "cast it first: tf.cast(a, tf.complex128).",
            )
        return np.real(y).astype(a.dtype)


def _scale(dy: Any, a: Any) -> Any:
    """A factor that makes a direction as large as the matrix: the result is accurate only where both are of one size.

    The derivative is linear in the direction, so the factor may count as a constant.
    """
    last = (a.ndim - 2, a.ndim - 1)
    size, asked = [ReduceMax(abs(StopGradient(x)), axis=last, keepdims=True) for x in (a, dy)]
    size = Maximum(size, number(1e-30, size))
    # Where the direction is zero, as in forward mode, the factor must not be.
    scale = Where(asked > 0.0, asked, size) / size
    return Cast(scale, dtype=dtypes.as_dtype(dy.dtype)) if dy.dtype.kind == "c" else scale


@declare("expm")
class Expm(MatrixFunction):
    """The exponentials of square matrices."""

    def kernel(self, a: Any) -> Any:
        y = exponential(wide(a))
        return y if y.dtype == a.dtype else y.astype(a.dtype)


@declare("logm")
class Logm(MatrixFunction):
    """The principal logarithms of square matrices. NaN for singular ones."""

    def kernel(self, a: Any) -> Any:
        return self.real(logarithm(wide(a)), a, 1.0)


@declare("sqrtm")
class Sqrtm(MatrixFunction):
    """The principal square roots of square matrices."""

    def kernel(self, a: Any) -> Any:
        return self.real(square_root(wide(a)), a, 0.0)


# Padé approximants of the exponential, and the 1-norms up to which they are exact to rounding.
# Higham 2005, "The scaling and squaring method for the matrix exponential revisited", tables 2.3 and 2.4.
_PADE = {
    7: (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0),
    13: (
        64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
        10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0,
    ),
}  # fmt: skip
_REACH = {7: 3.925724783138660, 13: 5.371920351148152}
_MOST_SQUARINGS = 1000


@overridable
def exponential(a: Any) -> Any:
    """The exponentials of matrices, by scaling, a Padé approximant and squaring."""
    n = a.shape[-1]
    if not a.size:
        return a.copy()
    degree = 7 if a.dtype.char in "fF" else 13
    mean = np.trace(a, axis1=-2, axis2=-1)[..., np.newaxis, np.newaxis] / a.dtype.type(n)
    one = np.eye(n, dtype=a.dtype)
    a = a - mean * one
    norm = np.max(np.sum(np.abs(a), axis=-2), axis=-1)
    with np.errstate(all="ignore"):
        squarings = np.ceil(np.log2(np.maximum(norm / _REACH[degree], 1.0)))
        squarings = np.where(np.isfinite(squarings), np.minimum(squarings, _MOST_SQUARINGS), 0.0)
        shrink = np.exp2(-squarings).astype(norm.dtype)[..., np.newaxis, np.newaxis]
        even, odd = _pade_terms(a * shrink, one, _PADE[degree])
        y = blas.solve(even - odd, even + odd) * np.exp(mean * shrink)
        for i in range(int(np.max(squarings))):
            y = np.where((squarings > i)[..., np.newaxis, np.newaxis], y @ y, y)
    return y


def _pade_terms(a: Any, one: Any, b: tuple[float, ...]) -> tuple[Any, Any]:
    """The even and the odd part of the numerator; the denominator has the other sign between them."""
    square = a @ a
    even, odd = b[0] * one, b[1] * one
    power = one
    for i in range(2, len(b), 2):
        power = power @ square if i > 2 else square
        even = even + b[i] * power
        odd = odd + b[i + 1] * power
    return even, a @ odd


@overridable
def logarithm(a: Any) -> Any:
    """The principal logarithms of matrices, complex."""
    return _each(_log, a)


@overridable
def square_root(a: Any) -> Any:
    """The principal square roots of matrices, complex."""
    return _each(_sqrt, a)


def _each(function: Any, a: Any) -> Any:
    """A function of one matrix on each of an array; NaN where a matrix is not finite."""
    n = a.shape[-1]
    y = np.full((math.prod(a.shape[:-2]), n, n), complex("nan+nanj"))
    if y.size:
        for i, x in enumerate(a.reshape(y.shape)):
            if np.all(np.isfinite(x)):
                y[i] = function(x)
    return y.reshape(a.shape)


def _sqrt(a: Any) -> Any:
    """The square root of one matrix, without SciPy's remarks about singular ones."""
    from scipy.linalg import sqrtm

    disp = inspect.signature(sqrtm).parameters.get("disp")
    if disp is not None and disp.default is True:
        return sqrtm(a, disp=False)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sqrtm(a)


# The points and weights of Gauss and Legendre on [0, 1] give the diagonal Padé approximants of log(1 + x).
_POINTS, _WEIGHTS = [0.5 * v for v in np.polynomial.legendre.leggauss(7)]
_POINTS = _POINTS + 0.5
_NEAR_ONE = 0.2642960831111435


def _log(a: Any) -> Any:
    """The logarithm of one matrix: square roots of its Schur factor until it is near 1, then a Padé approximant.

    Al-Mohy & Higham 2012, "Improved inverse scaling and squaring algorithms for the matrix logarithm". What is
    subtracted from 1 on the diagonal is computed from the eigenvalues, without cancellation.
    """
    from scipy.linalg import schur

    n = a.shape[-1]
    triangle, basis = schur(a.astype(np.complex128), output="complex")
    values = np.diagonal(triangle)
    if np.any(values == 0):
        return np.full((n, n), complex("nan+nanj"))
    logs = np.log(values)
    near, one, roots = triangle, np.eye(n), 0
    while np.max(np.sum(np.abs(near - one), axis=0)) > _NEAR_ONE and roots < _MOST_SQUARINGS:
        # Older versions of SciPy return extended precision.
        near, roots = np.triu(_sqrt(near)).astype(np.complex128), roots + 1
    scale = 2.0**roots
    rest = np.triu(near, 1) + np.diag(np.expm1(logs / scale))
    y = sum(w * blas.solve(one + x * rest, rest) for x, w in zip(_POINTS, _WEIGHTS, strict=True)) * scale
    y = np.triu(y, 1) + np.diag(logs)
    return basis @ y @ np.conj(basis.T)
