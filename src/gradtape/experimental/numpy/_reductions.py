"""Reductions of `tf.experimental.numpy`. Sums and products of integers are int64, means floating point."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradtape.arrays import movement, shapes
from gradtape.core import dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import asarray, inexact, named_dtype, promoted
from gradtape.math import _elementwise as elementwise
from gradtape.math import _reductions as reductions
from gradtape.math._conversion import cast
from gradtape.ops.family import dims


def _axis(axis: Any) -> Any:
    return list(axis) if isinstance(axis, tuple) else axis


def wide(a: Any, dtype: Any) -> Any:
    """The operand of a sum: in the given dtype, or integers in 64 bits."""
    a = asarray(a, dtype)
    if dtype is not None or not (a.dtype.is_integer or a.dtype.is_bool):
        return a
    return cast(a, dtypes.uint64 if a.dtype.is_unsigned else dtypes.int64)


def _real(a: Any, dtype: Any = None) -> Any:
    """What is averaged: in the given dtype, or integers in floating point."""
    return asarray(a, dtype) if dtype is not None else inexact(a)[0]


def _no_out(who: str, out: Any) -> None:
    if out is not None:
        raise ValueError(errors.compose(f"{who}: out must be None.", "tensors are immutable: use the result."))


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The sum over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to sum; integers by default in int64.
      keepdims: keep the axes with length 1.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    return reductions.reduce_sum(wide(a, dtype), _axis(axis), bool(keepdims))


def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The product over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to multiply; integers by default in int64.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.prod([2, 3, 4]))
    24
    """
    return reductions.reduce_prod(wide(a, dtype), _axis(axis), bool(keepdims))


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Tensor:
    """The mean over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to compute; integers by default in float64.
      out: None: tensors are immutable.
      keepdims: keep the axes with length 1.

    >>> float(tf.experimental.numpy.mean([1, 2]))
    1.5
    """
    _no_out("mean", out)
    return reductions.reduce_mean(_real(a, dtype), _axis(axis), bool(keepdims))


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = None) -> Tensor:
    """The variance over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to compute; integers by default in float64.
      out: None: tensors are immutable.
      ddof: what is taken off the number of elements that the sum is divided by.
      keepdims: keep the axes with length 1.

    >>> float(tf.experimental.numpy.var([1, 3], ddof=1))
    2.0
    """
    _no_out("var", out)
    wanted = None if dtype is None else named_dtype(dtype)
    if wanted is not None and wanted.is_integer:
        return cast(var(a, axis, None, None, ddof, keepdims), wanted)
    x, keep = _real(a, dtype), bool(keepdims)
    found = reductions.reduce_variance(x, _axis(axis), keep)
    if not ddof:
        return found
    count = _count(x, axis)
    return found * (count / (count - ddof) if count > ddof else math.inf)


def _count(x: Any, axis: Any) -> float:
    """How many elements a reduction takes together."""
    lengths = dims(x)
    axes = range(len(lengths)) if axis is None else [axis] if isinstance(axis, int) else axis
    return float(math.prod([lengths[k] for k in axes]))


def std(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The standard deviation over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> float(tf.experimental.numpy.std([1, 3]))
    1.0
    """
    return reductions.reduce_std(_real(a), _axis(axis), bool(keepdims))


def _extreme(name: str, function: Callable[..., Any], on_bools: Callable[..., Any], has_out: bool, word: str) -> Any:
    def of(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
        a = asarray(a)
        return (on_bools if a.dtype.is_bool else function)(a, _axis(axis), bool(keepdims))

    def of_with_out(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
        _no_out(name, out)
        return of(a, axis, keepdims)

    made = of_with_out if has_out else of
    made.__name__ = made.__qualname__ = name
    made.__doc__ = (
        f"The {word} element over axes.\n\nArgs:\n  a: real numbers.\n"
        f"  axis: an int, a tuple of ints, or None for all.\n  keepdims: keep the axes with length 1.\n\n"
        f">>> int(tf.experimental.numpy.{name}([3, 3]))\n3\n"
    )
    return made


max: Any = _extreme("max", reductions.reduce_max, reductions.reduce_any, False, "largest")
amax: Any = _extreme("amax", reductions.reduce_max, reductions.reduce_any, True, "largest")
min: Any = _extreme("min", reductions.reduce_min, reductions.reduce_all, False, "smallest")
amin: Any = _extreme("amin", reductions.reduce_min, reductions.reduce_all, True, "smallest")


def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The difference of the largest and the smallest element over axes.

    Args:
      a: real numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.ptp([3, 9, 5]))
    6
    """
    result: Tensor = max(a, axis, keepdims) - min(a, axis, keepdims)
    return result


def all(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """True if all elements over axes are not zero.

    Args:
      a: numbers or bools.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> bool(tf.experimental.numpy.all([1, 0]))
    False
    """
    return reductions.reduce_all(cast(asarray(a), dtypes.bool_), _axis(axis), bool(keepdims))


def any(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """True if an element over axes is not zero.

    Args:
      a: numbers or bools.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> bool(tf.experimental.numpy.any([1, 0]))
    True
    """
    return reductions.reduce_any(cast(asarray(a), dtypes.bool_), _axis(axis), bool(keepdims))


def count_nonzero(a: Any, axis: Any = None) -> Tensor:
    """How many elements over axes are not zero.

    Args:
      a: numbers or bools.
      axis: an int, a tuple of ints, or None for all.

    >>> int(tf.experimental.numpy.count_nonzero([1, 0, 5]))
    2
    """
    return reductions.count_nonzero(asarray(a), _axis(axis))


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The weighted mean over an axis.

    Args:
      a: numbers.
      axis: an int, or None for all elements.
      weights: of the shape of `a`, or a vector for the axis; None for equal ones.
      returned: return the pair of the mean and the sum of the weights.

    >>> float(tf.experimental.numpy.average([1, 3], weights=[3, 1]))
    1.5
    """
    if weights is None:
        x = _real(a)
        found = reductions.reduce_mean(x, axis)
        return (found, found - found + _count(x, axis)) if returned else found
    x, w = inexact(a, weights)
    if w.ndim != x.ndim:
        if axis is None or w.ndim != 1:
            raise TypeError(
                errors.compose("average: axis must be given when the shapes of a and weights differ.", "give axis.")
            )
        place = normalize_axis(axis, x.ndim, "average")
        w = movement.reshape(w, [-1 if k == place else 1 for k in range(x.ndim)]) + 0.0 * x
    total = reductions.reduce_sum(w, axis)
    found = reductions.reduce_sum(x * w, axis) / total
    return (found, total) if returned else found


def _without_nan(a: Any, instead: float) -> tuple[Any, Any]:
    """The numbers with another in place of NaN, and where those were."""
    a = asarray(a)
    missing = elementwise.not_equal(a, a)
    return (elementwise.where(missing, instead, a) if a.dtype.is_floating or a.dtype.is_complex else a), missing


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The sum over axes, with NaN as 0.

    >>> float(tf.experimental.numpy.nansum([1.0, np.nan]))
    1.0
    """
    return sum(_without_nan(a, 0.0)[0], axis, dtype, keepdims)


def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The product over axes, with NaN as 1.

    >>> float(tf.experimental.numpy.nanprod([2.0, np.nan]))
    2.0
    """
    return prod(_without_nan(a, 1.0)[0], axis, dtype, keepdims)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The mean over axes of the elements that are not NaN.

    >>> float(tf.experimental.numpy.nanmean([1.0, np.nan, 3.0]))
    2.0
    """
    x, missing = _without_nan(a, 0.0)
    x = _real(x, dtype)
    count = reductions.reduce_sum(cast(~missing, x.dtype), _axis(axis), bool(keepdims))
    return reductions.reduce_sum(x, _axis(axis), bool(keepdims)) / count


def size(x: Any, axis: Any = None) -> Any:
    """The number of elements, or the length of an axis: an int, or a tensor where a function does not know it yet.

    >>> tf.experimental.numpy.size([[1, 2, 3]], axis=1)
    3
    """
    x = asarray(x)
    if x.get_shape().rank is None:
        return shapes.size(x) if axis is None else shapes.shape(x)[axis]
    known = x.shape.num_elements() if axis is None else x.shape[axis]
    if known is not None:
        return known
    return shapes.size(x) if axis is None else shapes.shape(x)[axis]


def polyval(p: Any, x: Any) -> Tensor:
    """A polynomial at points.

    Args:
      p: a vector of coefficients, the highest power first.
      x: where.

    >>> int(tf.experimental.numpy.polyval([1, 2, 3], 2))
    11
    """
    p, x = promoted(p, x)
    found: Tensor = x - x
    for coefficient in movement.unstack(p):
        found = found * x + coefficient
    return found
