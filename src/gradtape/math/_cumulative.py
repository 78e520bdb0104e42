"""Cumulative functions: sums, products and log-sums of everything so far along an axis."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import tensor
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.ops import scan

__all__ = ["cumprod", "cumsum", "cumulative_logsumexp"]


def cumsum(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: str | None = None) -> Tensor:
    """The sums of all elements so far along an axis.

    Args:
      x: numbers.
      axis: an int; negative ones count from the end.
      exclusive: leave out the element at the place itself, so that the first sum is 0.
      reverse: sum from the end.
      name: ignored.

    Returns:
      A tensor like x.

    >>> tf.cumsum([1.0, 2.0, 3.0]).numpy()
    array([1., 3., 6.], dtype=float32)
    >>> tf.cumsum([1.0, 2.0, 3.0], exclusive=True, reverse=True).numpy()
    array([5., 3., 0.], dtype=float32)
    """
    return _scan(scan.CumSum, x, axis, exclusive, reverse)


def cumprod(x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: str | None = None) -> Tensor:
    """The products of all elements so far along an axis. The gradient is exact where elements are zero.

    Args:
      x: numbers.
      axis: an int; negative ones count from the end.
      exclusive: leave out the element at the place itself, so that the first product is 1.
      reverse: multiply from the end.
      name: ignored.

    Returns:
      A tensor like x.

    >>> tf.math.cumprod([2.0, 3.0, 4.0]).numpy()
    array([ 2.,  6., 24.], dtype=float32)
    """
    return _scan(scan.CumProd, x, axis, exclusive, reverse)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: Any = False, reverse: Any = False, name: str | None = None
) -> Tensor:
    """The logarithms of the sums of exponentials of all elements so far along an axis, computed without overflow.

    Args:
      x: floating point numbers.
      axis: an int; negative ones count from the end.
      exclusive: leave out the element at the place itself, so that the first result is -inf.
      reverse: sum from the end.
      name: ignored.

    Returns:
      A tensor like x.

    >>> tf.math.cumulative_logsumexp([1000.0, 1000.0, 0.0]).numpy()
    array([1000.    , 1000.6932, 1000.6932], dtype=float32)
    """
    return _scan(scan.CumulativeLogSumExp, x, axis, exclusive, reverse)


def _scan(op: Any, x: Any, axis: Any, exclusive: Any, reverse: Any) -> Tensor:
    x = tensor(x)
    place = normalize_axis(axis, x.ndim, op.name)
    result: Tensor = op(x, axis=place, exclusive=bool(exclusive), reverse=bool(reverse))
    return result
