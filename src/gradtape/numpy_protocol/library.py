"""NumPy functions whose ops are loaded when they are first used: scans, sorting, statistics, linear algebra, Fourier."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.arrays import movement, sorting
from gradtape.core.variable import Variable
from gradtape.linalg import _decompositions as decompositions
from gradtape.linalg import _determinants as determinants
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg import _einsum as einsum
from gradtape.linalg import _matrix_functions as matrix_functions
from gradtape.linalg import _products as products
from gradtape.linalg import _solvers as solvers
from gradtape.math import _cumulative as cumulative
from gradtape.math import _histograms as histograms
from gradtape.math import _quantiles as quantiles
from gradtape.math import _special_functions as special_functions
from gradtape.numpy_protocol.operands import NotCovered
from gradtape.signal import _fftnd as fftnd


def _only(**given: Any) -> None:
    """NotCovered if an argument was given that ours does not have."""
    if any(value is not None and value is not np._NoValue for value in given.values()):
        raise NotCovered


def _value(x: Any) -> Any:
    return x._read() if isinstance(x, Variable) else x


def _scan(function: Callable[..., Any]) -> Callable[..., Any]:
    def scan(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        _only(dtype=dtype, out=out)
        return function(movement.reshape(a, [-1]), 0) if axis is None else function(a, operator.index(axis))

    return scan


def _ordered(function: Callable[..., Any]) -> Callable[..., Any]:
    def order(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
        _only(order=order)
        return function(movement.reshape(a, [-1]), -1) if axis is None else function(a, axis)

    return order


def _quantile(function: Callable[..., Any]) -> Callable[..., Any]:
    def find(
        a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
        keepdims: bool = False, **more: Any,
    ) -> Any:  # fmt: skip
        _only(out=out, **more)
        return function(a, q, axis=axis, method=method, keepdims=bool(keepdims))

    return find


def _median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    _only(out=out)
    return quantiles.median(a, axis=axis, keepdims=bool(keepdims))


def _einsum(subscripts: Any, *operands: Any, out: Any = None, **more: Any) -> Any:
    _only(out=out, **{k: v for k, v in more.items() if k != "optimize"})
    if not isinstance(subscripts, str):
        raise NotCovered
    return einsum.einsum(subscripts, *operands)


def _solve(a: Any, b: Any) -> Any:
    if b.ndim == 1:
        return movement.squeeze(solvers.solve(a, movement.expand_dims(b, -1)), [-1])
    return solvers.solve(a, b)


def _lower(function: Callable[..., Any]) -> Callable[..., Any]:
    def decompose(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
        if UPLO != "L":
            raise NotCovered
        return function(a)

    return decompose


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    if hermitian:
        raise NotCovered
    if not compute_uv:
        return decompositions.svd(a, compute_uv=False)
    s, u, v = decompositions.svd(a, full_matrices=full_matrices)
    return u, s, diagonals.adjoint(v)


def _qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete"):
        raise NotCovered
    return decompositions.qr(a, full_matrices=mode == "complete")


def _slogdet(a: Any) -> Any:
    if _value(a).dtype.is_complex:
        raise NotCovered  # NumPy's logarithm is real, TensorFlow's complex
    return determinants.slogdet(a)


def _diag(v: Any, k: int = 0) -> Any:
    return diagonals.diag(v, k=k) if v.ndim == 1 else diagonals.diag_part(v, k=k)


def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    _only(dtype=dtype, out=out)
    if offset or (axis1, axis2) not in ((0, 1), (-2, -1)) or (a.ndim > 2 and axis1 == 0):
        raise NotCovered
    return diagonals.trace(a)


def _cross(a: Any, b: Any, **more: Any) -> Any:
    if more or tuple(a.shape)[-1:] != (3,) or tuple(b.shape)[-1:] != (3,):
        raise NotCovered
    return diagonals.cross(a, b)


def _transform(function: Callable[..., Any], is_complex: bool) -> Callable[..., Any]:
    """`np.fft.fft` and the like: one axis."""

    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
        _only(out=out)
        if is_complex and not _value(a).dtype.is_complex:
            raise NotCovered
        return function(a, None if n is None else [n], [axis], norm)

    return transform


def _transforms(function: Callable[..., Any], is_complex: bool, default: Any) -> Callable[..., Any]:
    """`np.fft.fftn`, `np.fft.fft2` and the like: several axes."""

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        _only(out=out)
        if is_complex and not _value(a).dtype.is_complex:
            raise NotCovered
        return function(a, s, list(range(a.ndim)) if axes is None else list(axes), norm)

    return transform


def _polyval(p: Any, x: Any) -> Any:
    return special_functions.polyval(list(p), x)


def _bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    return histograms.bincount(x, weights=weights, minlength=minlength)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    kind = "euclidean" if ord is None else ord
    if axis is None and ord is not None:
        axis = None if x.ndim == 1 else tuple(range(x.ndim))
        if x.ndim > 2:
            raise NotCovered
    return products.norm(x, ord=kind, axis=axis, keepdims=keepdims)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.cumsum: _scan(cumulative.cumsum), np.cumprod: _scan(cumulative.cumprod),
    np.sort: _ordered(sorting.sort), np.argsort: _ordered(sorting.argsort),
    np.median: _median, np.percentile: _quantile(quantiles.percentile), np.quantile: _quantile(quantiles.quantile),
    np.bincount: _bincount, np.einsum: _einsum, np.sinc: special_functions.sinc, np.i0: special_functions.bessel_i0, np.polyval: _polyval,
    np.linalg.inv: solvers.inv, np.linalg.solve: _solve, np.linalg.pinv: lambda a, rcond=None: decompositions.pinv(a, rcond),
    np.linalg.matrix_power: matrix_functions.matrix_power, np.linalg.cholesky: lambda a: decompositions.cholesky(a),
    np.linalg.det: determinants.det, np.linalg.slogdet: _slogdet, np.linalg.eigh: _lower(decompositions.eigh),
    np.linalg.eigvalsh: _lower(decompositions.eigvalsh), np.linalg.eig: decompositions.eig,
    np.linalg.eigvals: decompositions.eigvals, np.linalg.svd: _svd, np.linalg.qr: _qr, np.linalg.norm: _norm,
    np.trace: _trace, np.diag: _diag, np.cross: _cross,
    np.fft.fft: _transform(fftnd.fftnd, True), np.fft.ifft: _transform(fftnd.ifftnd, True),
    np.fft.rfft: _transform(fftnd.rfftnd, False), np.fft.irfft: _transform(fftnd.irfftnd, True),
    np.fft.fft2: _transforms(fftnd.fftnd, True, (-2, -1)),
    np.fft.ifft2: _transforms(fftnd.ifftnd, True, (-2, -1)),
    np.fft.rfft2: _transforms(fftnd.rfftnd, False, (-2, -1)),
    np.fft.irfft2: _transforms(fftnd.irfftnd, True, (-2, -1)),
    np.fft.fftn: _transforms(fftnd.fftnd, True, None), np.fft.ifftn: _transforms(fftnd.ifftnd, True, None),
    np.fft.rfftn: _transforms(fftnd.rfftnd, False, None),
    np.fft.irfftn: _transforms(fftnd.irfftnd, True, None),
    np.fft.fftshift: fftnd.fftshift, np.fft.ifftshift: fftnd.ifftshift,
}  # fmt: skip
