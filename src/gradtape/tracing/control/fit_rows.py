"""FIT_ROWS: an array with as many rows as another one, which a loop that ended early, or an array that grew, leaves to its derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import InstanceOp
from gradtape.ops.family import NO_LOWERING, dims
from gradtape.tracing.control.stacking import REPEAT, TURN
from gradtape.tracing.control.varied import Varied


class FitRows(InstanceOp):
    """x with as many rows as another tensor: without the last ones, or with rows of zeros behind."""

    name = "fit_rows"
    inputs = ("x", "like")
    homogeneous = False
    any_size = True
    differentiable = True
    takes_needs = False
    residuals = (("x", ""),)
    lower = NO_LOWERING

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        return (values[0],)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> tuple[Any, None]:
        return FIT_ROWS(dy, residuals[0]), None

    def infer(self, x: Any, like: Any) -> Any:
        return type(x)((like.shape[0], *x.shape[1:]), x.dtype)

    def kernel(self, x: Any, like: Any) -> Any:
        if isinstance(x, Varied):
            return x.fitted(len(like))
        if len(x) >= len(like):
            return x[: len(like)]
        return np.concatenate([x, np.zeros_like(x, shape=(len(like) - len(x), *x.shape[1:]))])

    def batch(self, batched: tuple[bool, ...], x: Any, like: Any) -> Any:
        size = dims(x if batched[0] else like)[0]
        x, like = [TURN(v, axis=0) if flag and v.ndim > 1 else v for v, flag in zip((x, like), batched, strict=True)]
        y = FIT_ROWS(x, like)
        return TURN(y, axis=0) if batched[0] else REPEAT(y, size=size)


FIT_ROWS = FitRows()
