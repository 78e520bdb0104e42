"""Isotonic regression: the nearest sequence that only falls, or only rises."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.array_protocol import overridable
from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec
from gradtape.ops.creation import OnesLike
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.ops.segment import SegmentGather, UnsortedSegmentSum
from gradtape.ops.selection import Maximum, number


@declare("isotonic_regression")
class IsotonicRegression(Op):
    """The monotonic sequence along the last axis with the least squared distance from x, and the block of each element.

    It is constant on blocks, where it is the mean of x; so is the cotangent.
    """

    kinds = "fV"
    outputs = ("y", "segments")
    takes_none = True
    lower = NO_LOWERING

    def infer(self, x: Spec, *, decreasing: bool = True) -> tuple[Spec, Spec]:
        dtype = self.check_dtypes(x)
        if not x.rank:
            raise self.error(
                errors.ShapeError, f"x is {x}, and must not be a scalar.", "there must be at least one axis."
            )
        return Spec(x.shape, dtype), Spec(x.shape, dtypes.int32)

    def kernel(self, x: Any, *, decreasing: bool = True) -> Any:
        y, segments = pooled(x.astype(np.float64), decreasing)
        return y.astype(x.dtype), segments

    def vjp(self, dy: Any, segments: Any, *, decreasing: bool = True) -> Any:
        shape = dims(segments)
        params = {"segments": shape[-1], "batch_dims": len(shape) - 1}
        totals, counts = (UnsortedSegmentSum(v, segments, **params) for v in (dy[0], OnesLike(dy[0])))
        means = totals / Maximum(counts, number(1, counts))
        return (SegmentGather(means, segments, batch_dims=len(shape) - 1),)

    def batch(self, batched: tuple[bool, ...], x: Any, **params: Any) -> Any:
        return self(x, **params)


@overridable
def pooled(x: Any, decreasing: bool) -> Any:
    """The regression of each row, by SciPy's pool adjacent violators, and the number of each element's block."""
    from scipy.optimize import isotonic_regression

    count, n = math.prod(x.shape[:-1]), x.shape[-1]
    rows = x.reshape(count, n)
    y, segments = np.empty(rows.shape), np.empty(rows.shape, np.int32)
    for i, row in enumerate(rows if n else ()):
        found = isotonic_regression(row, increasing=not decreasing)
        y[i] = found.x
        segments[i] = np.cumsum(_starts(row - found.x, found.blocks)) - 1
    return y.reshape(x.shape), segments.reshape(x.shape)


def _starts(residual: Any, blocks: Any) -> Any:
    """Where blocks start. SciPy joins neighbours of equal value; where what came before adds up to the value, they part."""
    starts = np.zeros(residual.shape, bool)
    starts[blocks[:-1]] = True
    so_far = np.cumsum(residual)
    before = np.repeat(so_far[blocks[:-1]] - residual[blocks[:-1]], np.diff(blocks))
    starts[1:] |= (so_far - before)[:-1] == 0
    return starts
