"""Reductions and running sums of NumPy, in the dtypes of a policy.

`axis` is an int, several ints, or None for all of them; the parameters after it are those of the clients, in any order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gradtape as tf
from gradtape.core import dtypes
from gradtape.core.tensor import Tensor
from gradtape.numpy_functions.policy import Policy
from gradtape.ops.family import dims


class Statistics:
    """The functions for a policy; they are methods, whose names are NumPy's."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def sum(self, x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Tensor:
        """The sum over axes."""
        return tf.reduce_sum(self._policy.summed(x, dtype), _axes(axis), bool(keepdims))

    def prod(self, x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Tensor:
        """The product over axes."""
        return tf.reduce_prod(self._policy.summed(x, dtype), _axes(axis), bool(keepdims))

    def mean(self, x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Tensor:
        """The mean over axes."""
        return tf.reduce_mean(self._policy.averaged(x, dtype), _axes(axis), bool(keepdims))

    def var(self, x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None, ddof: int = 0) -> Tensor:
        """The variance over axes; `ddof` is taken off the number that the sum is divided by."""
        x, back = self._policy.precise(self._policy.averaged(x, dtype))
        found = tf.math.reduce_variance(x, _axes(axis), bool(keepdims))
        if ddof:
            count = count_of(x, axis)
            found *= count / (count - ddof) if count > ddof else math.inf
        return back(found)

    def std(self, x: Any, axis: Any = None, keepdims: Any = False, ddof: int = 0) -> Tensor:
        """The standard deviation over axes; `ddof` as in the variance."""
        if ddof:
            return tf.sqrt(self.var(x, axis, keepdims, ddof=ddof))
        x, back = self._policy.precise(self._policy.averaged(x))
        return back(tf.math.reduce_std(x, _axes(axis), bool(keepdims)))

    def max(self, x: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
        """The largest element over axes."""
        return self._extreme(tf.reduce_max, tf.reduce_any, x, axis, keepdims)

    def min(self, x: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
        """The smallest element over axes."""
        return self._extreme(tf.reduce_min, tf.reduce_all, x, axis, keepdims)

    def _extreme(self, of_numbers: Any, of_bools: Any, x: Any, axis: Any, keepdims: Any) -> Tensor:
        (x,) = self._policy.arrays(x)
        found: Tensor = (of_bools if x.dtype.is_bool else of_numbers)(x, _axes(axis), bool(keepdims))
        return found

    def ptp(self, x: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
        """The difference of the largest and the smallest element over axes."""
        return self.max(x, axis, keepdims) - self.min(x, axis, keepdims)

    def all(self, x: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
        """True where all elements over axes are not zero."""
        return tf.reduce_all(self._policy.truths(x)[0], _axes(axis), bool(keepdims))

    def any(self, x: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
        """True where an element over axes is not zero."""
        return tf.reduce_any(self._policy.truths(x)[0], _axes(axis), bool(keepdims))

    def count_nonzero(self, x: Any, axis: Any = None) -> Tensor:
        """The number of elements over axes that are not zero."""
        (x,) = self._policy.arrays(x)
        is_there = tf.not_equal(x, 0) if x.dtype.is_complex else tf.cast(x, dtypes.bool_)
        return tf.reduce_sum(tf.cast(is_there, self._policy.index), _axes(axis))

    def cumsum(self, x: Any, axis: Any = None, dtype: Any = None) -> Tensor:
        """The sums of the first elements along an axis."""
        return along(tf.cumsum, self._policy.accumulated(x, dtype), axis)

    def cumprod(self, x: Any, axis: Any = None, dtype: Any = None) -> Tensor:
        """The products of the first elements along an axis."""
        return along(tf.math.cumprod, self._policy.accumulated(x, dtype), axis)

    def argmax(self, x: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
        """The position of the largest element along an axis."""
        return self._position(tf.argmax, x, axis, keepdims)

    def argmin(self, x: Any, axis: Any = None, keepdims: Any = False) -> Tensor:
        """The position of the smallest element along an axis."""
        return self._position(tf.argmin, x, axis, keepdims)

    def _position(self, find: Callable[..., Any], x: Any, axis: Any, keepdims: Any) -> Tensor:
        (x,) = self._policy.arrays(x)
        if x.dtype.is_bool:
            x = tf.cast(x, dtypes.int32)
        place = along(lambda x, axis: find(x, axis, self._policy.index), x, axis)
        if not keepdims:
            return place
        return tf.reshape(place, (1,) * x.ndim) if axis is None else tf.expand_dims(place, axis)

    def filled(self, x: Any, value: float) -> Tensor:
        """The numbers with another in place of NaN; integers have none."""
        (x,) = self._policy.arrays(x)
        is_inexact = x.dtype.is_floating or x.dtype.is_complex
        return tf.where(tf.not_equal(x, x), tf.constant(value, x.dtype), x) if is_inexact else x

    def nansum(self, x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Tensor:
        """The sum over axes, with NaN as 0."""
        return self.sum(self.filled(x, 0.0), axis, keepdims, dtype)

    def nanprod(self, x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Tensor:
        """The product over axes, with NaN as 1."""
        return self.prod(self.filled(x, 1.0), axis, keepdims, dtype)

    def nanmean(self, x: Any, axis: Any = None, keepdims: Any = False, dtype: Any = None) -> Tensor:
        """The mean over axes of the elements that are not NaN."""
        (x,) = self._policy.arrays(x)
        numbers, back = self._policy.precise(self._policy.averaged(self.filled(x, 0.0), dtype))
        count = tf.reduce_sum(tf.cast(tf.equal(x, x), numbers.dtype), _axes(axis), bool(keepdims))
        return back(tf.reduce_sum(numbers, _axes(axis), bool(keepdims)) / count)


def along(function: Callable[..., Any], x: Any, axis: Any) -> Tensor:
    """What a function gives along an axis; without one, along all elements."""
    is_scalar = not x.ndim and axis in (0, -1)  # which NumPy takes for a vector of one element
    found: Tensor = function(tf.reshape(x, [-1]), 0) if axis is None or is_scalar else function(x, axis)
    return found


def count_of(x: Any, axis: Any) -> float:
    """The number of elements that a reduction takes together."""
    lengths = dims(x)
    axes = range(len(lengths)) if axis is None else [axis] if isinstance(axis, int) else axis
    return float(math.prod([lengths[k] for k in axes]))


def _axes(axis: Any) -> Any:
    return list(axis) if isinstance(axis, tuple) else axis
