"""Cumulative functions: sums, products and log-sums of everything so far along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.arguments import tensor
from gradtape.api.families import family
from gradtape.core.annotations import Axis, TensorLike
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.ops import scan


@family(
    "A tensor like x.",
    x="numbers.",
    axis="an int; negative ones count from the end.",
    exclusive="leave out the element at the place itself, so that the first sum is 0.",
    reverse="sum from the end.",
)
def _scan(who: str, op: Any) -> Callable[..., Tensor]:
    def function(
        x: TensorLike, axis: Axis = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
    ) -> Tensor:
        x = tensor(x)
        place = normalize_axis(axis, x.ndim, who)
        result: Tensor = op(x, axis=place, exclusive=bool(exclusive), reverse=bool(reverse))
        return result

    return function


cumsum = _scan(
    "cumsum",
    "The sums of all elements so far along an axis.",
    "tf.cumsum([1.0, 2.0, 3.0]).numpy() -> array([1., 3., 6.], dtype=float32)\n"
    "tf.cumsum([1.0, 2.0, 3.0], exclusive=True, reverse=True).numpy() -> array([5., 3., 0.], dtype=float32)",
    scan.CumSum,
)
cumprod = _scan(
    "cumprod",
    "The products of all elements so far along an axis. The gradient is exact where elements are zero.",
    "tf.math.cumprod([2.0, 3.0, 4.0]).numpy() -> array([ 2.,  6., 24.], dtype=float32)",
    scan.CumProd,
    exclusive="leave out the element at the place itself, so that the first product is 1.",
    reverse="multiply from the end.",
)
cumulative_logsumexp = _scan(
    "cumulative_logsumexp",
    "The logarithms of the sums of exponentials of all elements so far along an axis, computed without overflow.",
    "tf.math.cumulative_logsumexp([1000.0, 1000.0, 0.0]).numpy() -> "
    "array([1000.    , 1000.6932, 1000.6932], dtype=float32)",
    scan.CumulativeLogSumExp,
    x="floating point numbers.",
    exclusive="leave out the element at the place itself, so that the first result is -inf.",
)
