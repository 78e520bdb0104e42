"""Reductions that leave nan out."""

from __future__ import annotations

import math
from typing import Any

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, widened
from gradtape.keras_backend.ops.numpy import elementwise, reductions, statistics

_filled = reductions.STATISTICS.filled
nansum, nanprod = reductions.STATISTICS.nansum, reductions.STATISTICS.nanprod
nanmean = reductions.STATISTICS.nanmean


def nancumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The cumulative sum, ignoring NaN."""
    return reductions.cumsum(_filled(x, 0.0), axis, dtype)


def nancumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The cumulative product, ignoring NaN."""
    return reductions.cumprod(_filled(x, 1.0), axis, dtype)


def nanmax(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The largest that is not nan."""
    return _nan_if_empty(x, reductions.max(_filled(x, -math.inf), axis, keepdims), axis, keepdims)


def nanmin(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The smallest that is not nan."""
    return _nan_if_empty(x, reductions.min(_filled(x, math.inf), axis, keepdims), axis, keepdims)


def _nan_if_empty(x: Any, result: Any, axis: Any, keepdims: Any) -> Any:
    """The result, or nan where all elements are nan."""
    x = convert_to_tensor(x)
    if axis == ():
        return x
    if x.dtype.kind in "iub":
        return result
    empty = tf.reduce_all(elementwise.isnan(x), axis=axis, keepdims=keepdims)
    return tf.where(empty, convert_to_tensor(math.nan, x.dtype), result)


def nanargmax(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The index of the largest element that is not nan; -1 where all are nan."""
    return _place(reductions.argmax, x, -math.inf, axis, keepdims)


def nanargmin(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The index of the smallest element that is not nan; -1 where all are nan."""
    return _place(reductions.argmin, x, math.inf, axis, keepdims)


def _place(find: Any, x: Any, beyond: Any, axis: Any, keepdims: Any) -> Any:
    x = convert_to_tensor(x)
    place = find(_filled(x, beyond), axis, keepdims)
    if x.dtype.kind in "iub":
        return place
    empty = tf.reduce_all(elementwise.isnan(x), axis=axis, keepdims=keepdims)
    return tf.where(empty, convert_to_tensor(-1, place.dtype), place)


def _count(x: Any, axis: Any, keepdims: Any) -> Any:
    numbers = cast_tensor(tf.logical_not(elementwise.isnan(x)), x.dtype)
    return tf.reduce_sum(numbers, axis=axis, keepdims=keepdims)


def nanvar(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The variance, ignoring NaN."""
    x, back = widened(as_float(x))
    if axis == ():
        return back(tf.where(elementwise.isnan(x), x, tf.zeros_like(x)))
    centred = _filled(x - nanmean(x, axis, True), 0.0)
    squares = tf.reduce_sum(tf.square(tf.abs(centred)), axis=axis, keepdims=keepdims)
    return back(squares / cast_tensor(_count(x, axis, keepdims), squares.dtype))


def nanstd(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The standard deviation, ignoring NaN."""
    return tf.sqrt(nanvar(x, axis, keepdims))


def nanmedian(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The median, ignoring NaN."""
    return nanquantile(x, 0.5, axis, "linear", keepdims)


def nanpercentile(x: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False) -> Any:
    """Percentiles, ignoring NaN."""
    return nanquantile(x, convert_to_tensor(q, "float32") / 100.0, axis, method, keepdims)


def nanquantile(x: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False) -> Any:
    """Quantiles, ignoring NaN."""
    return statistics.quantile_of_sorted(as_float(x), q, axis, method, keepdims, skip_nan=True)
