"""Quantiles, in NumPy's definitions. TensorFlow has no such functions: these are gradtape's own, and have gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import axes, tensor
from gradtape.core import dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.cast import Cast
from gradtape.ops.comparison import Equal, IsNan
from gradtape.ops.family import dims, reduced_shape
from gradtape.ops.indexing import Gather
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.selection import Where
from gradtape.ops.slicing import StridedSlice, whole
from gradtape.ops.sorting import Sort

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The values below which given fractions of the elements lie, as `np.quantile` defines them.

    The gradient goes to the elements that the quantile lies between, by their weights. A function of gradtape's own.

    Args:
      x: real numbers. The mean of two integers is floating point.
      q: fractions from 0 to 1: a number, or an array of any shape. They have no gradient.
      axis: an int, or a list of ints, over which to look; None (the default) means all axes.
      method: what to take between two elements: `"linear"` interpolates, `"lower"`, `"higher"` and `"nearest"` take one
        of them, `"midpoint"` their mean.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      A tensor of shape `q.shape + reduced shape of x`; nan where there is a nan among the elements.

    >>> tf.math.quantile([1.0, 2.0, 3.0, 4.0], [0.25, 0.5]).numpy()
    array([1.75, 2.5 ], dtype=float32)
    """
    return _quantiles("quantile", x, q, 1.0, axis, method, keepdims)


def percentile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The values below which given percentages of the elements lie, as `np.percentile` defines them.

    The gradient goes to the elements that the percentile lies between, by their weights. A function of gradtape's own.

    Args:
      x: real numbers. The mean of two integers is floating point.
      q: percentages from 0 to 100: a number, or an array of any shape. They have no gradient.
      axis: an int, or a list of ints, over which to look; None (the default) means all axes.
      method: what to take between two elements: `"linear"` interpolates, `"lower"`, `"higher"` and `"nearest"` take one
        of them, `"midpoint"` their mean.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      A tensor of shape `q.shape + reduced shape of x`; nan where there is a nan among the elements.

    >>> tf.math.percentile([[1.0, 2.0], [5.0, 4.0]], 75, axis=0).numpy()
    array([4. , 3.5], dtype=float32)
    """
    return _quantiles("percentile", x, q, 100.0, axis, method, keepdims)


def median(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The middle element over axes, or the mean of the two middle ones. A function of gradtape's own.

    Args:
      x: real numbers. The mean of two integers is floating point.
      axis: an int, or a list of ints, over which to look; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      A tensor; nan where there is a nan among the elements.

    >>> tf.math.median([3.0, 1.0, 10.0, 2.0]).numpy()
    np.float32(2.5)
    """
    return _quantiles("median", x, 0.5, 1.0, axis, "linear", keepdims)


def _quantiles(who: str, x: Any, q: Any, whole_is: float, axis: Any, method: str, keepdims: bool) -> Tensor:
    x = tensor(x)
    over = axes(axis, x.ndim, who)
    shape = dims(x)
    kept = tuple([i for i in range(len(shape)) if i not in over])
    n = math.prod([shape[i] for i in over])
    fractions = _fractions(who, q, whole_is)
    _check(who, x, n, method)
    if x.dtype.is_integer and method in ("linear", "midpoint"):
        x = Cast(x, dtype=dtypes.float32 if x.dtype.size <= 2 else dtypes.float64)
    rows = Reshape(Transpose(x, perm=(*kept, *over)), shape=(*[shape[i] for i in kept], n))
    y = _between(Sort(rows), fractions.reshape(-1) * (n - 1), method)
    last = y.ndim - 1
    y = Transpose(y, perm=(last, *range(last)))
    return Reshape(y, shape=(*fractions.shape, *reduced_shape(shape, over, bool(keepdims))))


def _fractions(who: str, q: Any, whole_is: float) -> Any:
    fractions = np.asarray(q, np.float64) / whole_is
    if not np.all((fractions >= 0) & (fractions <= 1)):
        raise errors.build(
            errors.RangeError,
            f"{who}: q must be from 0 to {whole_is:g}, got {np.asarray(q).tolist()}.",
            f"use numbers from 0 to {whole_is:g}.",
        )
    return fractions


def _check(who: str, x: Any, n: int, method: str) -> None:
    if x.dtype.kind not in "fViu":
        raise errors.build(
            errors.DTypeError,
            f"{who}: x must hold real numbers, got {spec_of(x)}.",
            "use tf.math.real(x) or tf.cast(x, tf.float32).",
        )
    if not n:
        raise errors.build(
            errors.ShapeError,
            f"{who}: x must not be empty, got {spec_of(x)}: there is no {who} of no elements.",
            "check the mask or slice that x comes from.",
        )
    if method not in _METHODS:
        raise ValueError(
            errors.compose(
                f"{who}: method must be one of {', '.join(_METHODS)}, got {method!r}.",
                f"use one of {', '.join(_METHODS)}.",
            )
        )


def _between(ordered: Any, places: Any, method: str) -> Any:
    """Values at fractional places along the sorted last axis, which becomes an axis of places."""
    last = ordered.ndim - 1
    n = dims(ordered)[-1]
    low, high = np.floor(places), np.ceil(places)
    # Halves are rounded to even places, as in NumPy.
    chosen = {"lower": low, "higher": high, "nearest": np.rint(places)}.get(method)
    if chosen is not None:
        y = _at(ordered, chosen)
    else:
        part = places - low if method == "linear" else np.where(low == high, 0.0, 0.5)
        below, above = _at(ordered, low), _at(ordered, high)
        # In this form nothing overflows; equal neighbours, infinite ones too, are taken as they are.
        mixed = below * _weights(1.0 - part, ordered) + above * _weights(part, ordered)
        y = Where(Equal(below, above), below, mixed)
    if ordered.dtype.is_integer:
        return y
    largest = StridedSlice(ordered, index=(*whole(dims(ordered)[:last]), (n - 1, n, 1)))
    return Where(IsNan(largest), largest, y)


def _at(ordered: Any, places: Any) -> Any:
    return Gather(ordered, wrap(places.astype(np.int64)), axis=ordered.ndim - 1)


def _weights(part: Any, like: Any) -> Any:
    return wrap(part.astype(like.dtype.numpy))
