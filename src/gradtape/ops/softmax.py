"""Softmax and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core.op import Op, declare
from gradtape.core.shape import Spec, normalize_axis
from gradtape.ops.exponential import Exp
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.reduction import ReduceSum, rounded, wide
from gradtape.ops.summation import total


class Normalizer(Op):
    """Normalises along one axis; the shape stays."""

    kinds = "fV"
    lower = NO_LOWERING

    def infer(self, x: Spec, *, axis: int) -> Spec:
        normalize_axis(axis, x.rank, self.name)
        return Spec(x.shape, self.check_dtypes(x))

    def kernel(self, x: Any, *, axis: int) -> Any:
        return rounded(self.normalize(wide(x), axis), x.dtype) if x.size else x

    def normalize(self, x: Any, axis: int) -> Any:
        """The result for float32 and float64."""
        raise NotImplementedError

    def batch(self, batched: tuple[bool, ...], x: Any, *, axis: int) -> Any:
        return self(x, axis=axis + 1)


@declare("softmax")
class Softmax(Normalizer):
    """exp(x) over its sum along an axis."""

    def normalize(self, x: Any, axis: int) -> Any:
        y = below_peak(x, axis)
        np.exp(y, out=y)
        y /= total(y, (axis,), keepdims=True)
        return y

    def vjp(self, dy: Any, y: Any, *, axis: int) -> Any:
        return ((dy - ReduceSum(dy * y, axis=(axis,), keepdims=True)) * y,)


@declare("log_softmax")
class LogSoftmax(Normalizer):
    """x minus the logarithm of the sum of exp(x) along an axis."""

    def normalize(self, x: Any, axis: int) -> Any:
        y = below_peak(x, axis)
        y -= np.log(total(np.exp(y), (axis,), keepdims=True))
        return y

    def vjp(self, dy: Any, y: Any, *, axis: int) -> Any:
        return (dy - Exp(y) * ReduceSum(dy, axis=(axis,), keepdims=True),)


def below_peak(x: Any, axis: int) -> Any:
    """A new array, C-ordered: x minus its largest value along an axis, so that exp does not overflow."""
    if type(x) is np.ndarray:
        return np.subtract(x, np.maximum.reduce(x, axis, keepdims=True), order="C")
    return x - np.max(x, axis=axis, keepdims=True)
