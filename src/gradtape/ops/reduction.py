"""Reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import declare
from gradtape.ops.family import Reduction, reduced_shape
from gradtape.ops.movement import BroadcastTo, Reshape


def spread(dy: Any, shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool) -> Any:
    """A value with reduced axes, as wide as the input again."""
    if not keepdims:
        dy = Reshape(dy, shape=reduced_shape(shape, axis, True))
    return BroadcastTo(dy, shape=shape)


@declare("reduce_sum")
class ReduceSum(Reduction):
    """The sum over axes. NumPy's pairwise summation keeps float32 sums accurate."""

    def kernel(self, x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)

    def vjp(self, dy: Any, x_shape: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        return (spread(dy, x_shape, axis, keepdims),)
