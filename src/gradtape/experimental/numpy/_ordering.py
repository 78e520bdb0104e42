"""Along an axis of `tf.experimental.numpy`: scans, orders and differences."""

from __future__ import annotations

import functools
from typing import Any

from gradtape.arrays import sorting
from gradtape.core import dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import asarray
from gradtape.experimental.numpy._reductions import STATISTICS
from gradtape.math._conversion import cast
from gradtape.numpy_functions import selection
from gradtape.numpy_functions.statistics import along


def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """The cumulative sums along an axis.

    Args:
      a: numbers.
      axis: an int; None flattens first.
      dtype: in which to sum; integers by default in int64.

    >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6])
    """
    return STATISTICS.cumsum(a, axis, dtype)


def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Tensor:
    """The cumulative products along an axis.

    Args:
      a: numbers.
      axis: an int; None flattens first.
      dtype: in which to multiply; integers by default in int64.

    >>> tf.experimental.numpy.cumprod([1, 2, 3]).numpy()
    array([1, 2, 6])
    """
    return STATISTICS.cumprod(a, axis, dtype)


def argmax(a: Any, axis: Any = None) -> Tensor:
    """The position of the largest element; without an axis, in the flattened array.

    >>> int(tf.experimental.numpy.argmax([1, 9, 4]))
    1
    """
    return STATISTICS.argmax(a, axis)


def argmin(a: Any, axis: Any = None) -> Tensor:
    """The position of the smallest element; without an axis, in the flattened array.

    >>> int(tf.experimental.numpy.argmin([4, 9, 1]))
    2
    """
    return STATISTICS.argmin(a, axis)


def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The elements in ascending order along an axis.

    Args:
      a: real numbers.
      axis: an int; None flattens first.
      kind: any of NumPy's: the order is the same.
      order: None: there are no fields.

    >>> tf.experimental.numpy.sort([3, 1, 2]).numpy()
    array([1, 2, 3])
    """
    _check_order("sort", order)
    return along(sorting.sort, asarray(a), axis)


def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The positions that sort an axis in ascending order, as int64.

    Args:
      a: real numbers.
      axis: an int; None flattens first.
      kind: "quicksort" or "stable": the order is always stable.
      order: None: there are no fields.

    >>> tf.experimental.numpy.argsort([3, 1, 2]).numpy()
    array([1, 2, 0])
    """
    _check_order("argsort", order)
    if kind not in ("quicksort", "stable"):
        raise errors.build(
            ValueError,
            f"argsort: kind must be 'quicksort' or 'stable', got {kind!r}.",
            "leave it out: the order is always stable.",
        )
    found = along(functools.partial(sorting.argsort, stable=True), asarray(a), axis)
    return cast(found, dtypes.int64)


def _check_order(who: str, order: Any) -> None:
    if order is not None:
        raise errors.build(
            ValueError, f"{who}: order must be None, got {order!r}.", "tensors have no fields: leave it out."
        )


def diff(a: Any, n: int = 1, axis: int = -1) -> Tensor:
    """The differences of neighbours along an axis, n times.

    Args:
      a: numbers.
      n: how often.
      axis: an int.

    >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])
    """
    x = asarray(a)
    if n < 0:
        raise errors.build(ValueError, f"diff: n must not be negative, got {n}.", "use 0 or more.")
    return selection.diff(x, n, axis)
