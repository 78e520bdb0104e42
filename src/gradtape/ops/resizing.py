"""Sampling on another grid along one axis: a linear map, whose gradient is the transposed map.

Images are resized by two of these, one after the other. The matrix has few entries in each row, and the kernel's work is
to reach it with long rows of memory: two taps are gathered and mixed, more are products of small matrices along the band.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import errors, memory
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops import blas, resize_weights
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.resize_weights import Sampling
from gradtape.ops.summation import wide
from gradtape.ops.workspace import room

_SHORT = 16  # runs of fewer elements are part of the matrix, or gathered one by one: NumPy has quicker loops for that
# Products of this many multiplications or fewer are made by one thread: for small ones OpenBLAS would wait for others
# longer than they take.
_SMALL = 1 << 18
_THREADED = 1 << 17  # elements of a result from which threads pay
_CACHED = 1 << 15  # elements to work on at once, so that they stay in the cache


@declare("resample")
class Resample(Op):
    """x on another grid along an axis; `transposed` is the map back that gradients take."""

    kinds = "fV"
    validate = True
    lower = NO_LOWERING

    def infer(self, x: Spec, *, axis: int, sampling: Sampling, transposed: bool = False) -> Spec:
        dtype = self.check_dtypes(x)
        before, after = (sampling.source, sampling.target)[:: -1 if transposed else 1]
        if axis >= x.rank or x.shape[axis] != before:
            raise self.error(
                errors.ShapeError,
                f"x is {x}, and must have length {before} along axis {axis}.",
                "the grid that is sampled must be that of x.",
            )
        if min(before, after) < 1 or sampling.method not in resize_weights.METHODS:
            raise self.error(
                errors.ShapeError,
                f"the sampling cannot be {sampling}.",
                "grids have at least one place; check the method too.",
            )
        return Spec((*x.shape[:axis], after, *x.shape[axis + 1 :]), dtype)

    def kernel(self, x: Any, *, axis: int, sampling: Sampling, transposed: bool = False) -> Any:
        lead, n, inner = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
        rows = np.reshape(wide(x), (math.prod(lead), n, math.prod(inner)))
        m = sampling.source if transposed else sampling.target
        if type(rows) is not np.ndarray or not rows.size:
            y = blas.matmul(np.array(resize_weights.table(sampling, transposed), dtype=rows.dtype, like=rows), rows)
        elif sampling.method == "bilinear" and not (sampling.antialias or transposed):
            y = _mixed(rows, sampling)
        else:
            y = _banded(rows, sampling, transposed, m)
        return np.reshape(y, (*lead, m, *inner)).astype(x.dtype, copy=False)

    def vjp(self, dy: Any, *, axis: int, sampling: Sampling, transposed: bool = False) -> Any:
        return (Resample(dy, axis=axis, sampling=sampling, transposed=not transposed),)

    def batch(
        self, batched: tuple[bool, ...], x: Any, *, axis: int, sampling: Sampling, transposed: bool = False
    ) -> Any:
        return self(x, axis=axis + 1, sampling=sampling, transposed=transposed)


def _mixed(x: Any, sampling: Sampling) -> Any:
    """Two taps: the second is weighed against the first, so that what is constant stays so exactly."""
    places, weights = resize_weights.taps(sampling)
    lead, n, inner = x.shape
    result = room((lead, sampling.target, inner), x.dtype)
    share: Any = weights[:, 1:].astype(x.dtype)
    y = result
    if inner < _SHORT:
        places = (places[:, None] * inner + np.arange(inner)[:, None]).reshape(-1, 2)
        x, y, share = x.reshape(lead, n * inner), result.reshape(lead, -1), np.repeat(share, inner)
    step = max(1, _CACHED * lead // result.size)

    def compute(i: int) -> None:
        # All places exist; but without `clip` NumPy would gather into a buffer first.
        first = np.take(x[i : i + step], places[:, 0], axis=1, out=y[i : i + step], mode="clip")
        second = np.take(x[i : i + step], places[:, 1], axis=1, mode="clip")
        second -= first
        second *= share
        first += second

    _in_parts(compute, range(0, lead, step), result.size)
    return result


def _banded(x: Any, sampling: Sampling, transposed: bool, m: int) -> Any:
    """Small products, band by band. A zero in a band meets elements that it should not see, and must not spread a nan."""
    lead, n, inner = x.shape
    result = room((lead, m, inner), x.dtype)
    bands = resize_weights.bands(sampling, transposed, x.dtype.char, inner if inner < _SHORT else 0)

    def compute(i: int) -> None:
        start, stop, first, last, weights = bands[i]
        if inner < _SHORT:
            flat, target = x.reshape(lead, n * inner), result.reshape(lead, m * inner)
            _rows_times(flat[:, first * inner : last * inner], weights, target[:, start * inner : stop * inner])
            return
        step = max(1, _SMALL // weights.size)
        for k in range(0, inner, step):
            blas.matmul(weights, x[:, first:last, k : k + step], out=result[:, start:stop, k : k + step])

    _in_parts(compute, range(len(bands)), result.size)
    return result if np.all(np.isfinite(result)) else _entry_by_entry(x, sampling, transposed, m)


def _in_parts(compute: Callable[[int], None], parts: range, size: int) -> None:
    """All parts of a result of that size; on several threads if it is large."""
    if size >= _THREADED and len(parts) > 1:
        memory.run(compute, parts)
        return
    for part in parts:
        compute(part)


def _rows_times(a: Any, b: Any, out: Any) -> None:
    """The product of matrices, written to `out`, a few rows of `a` at a time."""
    step = max(1, _SMALL // b.size)
    even = len(a) // step * step
    if even:
        # Splitting the first axis makes views, also of `out`.
        blas.matmul(a[:even].reshape(-1, step, a.shape[1]), b, out=out[:even].reshape(-1, step, out.shape[1]))
    if even < len(a):
        blas.matmul(a[even:], b, out=out[even:])


def _entry_by_entry(x: Any, sampling: Sampling, transposed: bool, m: int) -> Any:
    rows, columns, weights = resize_weights.entries(sampling, transposed)
    result = np.zeros((m, x.shape[0], x.shape[2]), x.dtype)
    np.add.at(result, rows, np.swapaxes(x, 0, 1)[columns] * weights.astype(x.dtype)[:, None, None])
    return np.swapaxes(result, 0, 1)
