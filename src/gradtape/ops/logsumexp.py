"""The logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.family import Reduction, dims, reduced_shape
from gradtape.ops.movement import Reshape
from gradtape.ops.reduction import count, from_rows, in_wide, keep, rounded, to_rows
from gradtape.ops.softmax import Softmax
from gradtape.ops.summation import total, wide


@declare("reduce_logsumexp")
class ReduceLogSumExp(Reduction):
    """log(sum(exp(x))) over axes, without overflow; -inf where all are -inf, inf where one is inf."""

    kinds = "fV"

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        work = wide(x)
        top = np.maximum.reduce(work, axis, keepdims=True, initial=-np.inf)
        top = np.where(np.isfinite(top), top, work.dtype.type(0))
        y = np.log(total(np.exp(work - top), axis, True)) + top
        return rounded(y if keepdims else Reshape(y, shape=reduced_shape(x.shape, axis, False)), x.dtype)

    def vjp(self, dy: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        shape = dims(x)
        # Not exp(x - y): where y is large, its last digit is worth several percent of the weights.
        if len(axis) == 1:
            weights = Softmax(x, axis=axis[0])
        elif axis:
            weights = from_rows(Softmax(to_rows(x, axis), axis=0), shape, axis)
        else:
            return (dy,)
        return (keep(dy, shape, axis, keepdims) * weights,)

    def expand(self, build: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        """The parts of the kernel."""
        over = {"axis": axis, "keepdims": True}
        work = in_wide(build, x)
        if not axis or not count(x.spec.shape, axis):
            return None
        top = build("reduce_max", work, **over)
        top = build("where", build("is_finite", top), top, build.number(0, top))
        total = build("reduce_sum", build("exp", build("subtract", work, top)), axis=axis, keepdims=keepdims)
        if not keepdims:
            top = build("reshape", top, shape=total.spec.shape)
        return build.cast(build("add", build("log", total), top), x.spec.dtype)
