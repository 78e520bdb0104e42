"""Reductions of `tf.experimental.numpy`. Sums and products of integers are int64, means floating point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.api.families import Family, family
from gradtape.arrays import movement, shapes
from gradtape.core import errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._promotion import POLICY, asarray, inexact, named_dtype, promoted
from gradtape.math import _reductions as reductions
from gradtape.math._conversion import cast
from gradtape.numpy_functions.statistics import Statistics, count_of

Function = Callable[..., Tensor]
STATISTICS = Statistics(POLICY)
_TEXTS = {
    "a": "numbers.",
    "axis": "an int, a tuple of ints, or None for all.",
    "dtype": "in which to compute; integers by default in 64 bits.",
    "out": "None: tensors are immutable.",
    "keepdims": "keep the axes with length 1.",
}


@family("", **_TEXTS)
def _reduction(who: str, reduce: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
        return reduce(a, axis, keepdims)

    return function


def _typed(kept: bool | None) -> Family[Tensor]:
    """Those with a dtype; they differ in the default of `keepdims`."""

    @family("", **_TEXTS)
    def template(who: str, reduce: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def function(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = kept) -> Tensor:
            return reduce(a, axis, keepdims, dtype)

        return function

    return template


@family("", **_TEXTS)
def _extreme(who: str, reduce: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Tensor:
        _no_out(who, out)
        return reduce(a, axis, keepdims)

    return function


def _no_out(who: str, out: Any) -> None:
    if out is not None:
        raise errors.build(ValueError, f"{who}: out must be None.", "tensors are immutable: use the result.")


_sum, _nansum = _typed(None), _typed(False)
_TNP = "tf.experimental.numpy"
sum: Function = _sum(
    "sum", "The sum over axes.", f"{_TNP}.sum([[1, 2], [3, 4]], axis=0).numpy() -> array([4, 6])", STATISTICS.sum
)
prod: Function = _sum("prod", "The product over axes.", f"int({_TNP}.prod([2, 3, 4])) -> 24", STATISTICS.prod)
nansum: Function = _nansum(
    "nansum", "The sum over axes, with NaN as 0.", f"float({_TNP}.nansum([1.0, np.nan])) -> 1.0", STATISTICS.nansum
)
nanprod: Function = _nansum(
    "nanprod",
    "The product over axes, with NaN as 1.",
    f"float({_TNP}.nanprod([2.0, np.nan])) -> 2.0",
    STATISTICS.nanprod,
)
nanmean: Function = _sum(
    "nanmean",
    "The mean over axes of the elements that are not NaN.",
    f"float({_TNP}.nanmean([1.0, np.nan, 3.0])) -> 2.0",
    STATISTICS.nanmean,
)
std: Function = _reduction(
    "std", "The standard deviation over axes.", f"float({_TNP}.std([1, 3])) -> 1.0", STATISTICS.std
)
max: Function = _reduction("max", "The largest element over axes.", f"int({_TNP}.max([3, 3])) -> 3", STATISTICS.max)
min: Function = _reduction("min", "The smallest element over axes.", f"int({_TNP}.min([3, 3])) -> 3", STATISTICS.min)
amax: Function = _extreme("amax", "The largest element over axes.", f"int({_TNP}.amax([3, 3])) -> 3", STATISTICS.max)
amin: Function = _extreme("amin", "The smallest element over axes.", f"int({_TNP}.amin([3, 3])) -> 3", STATISTICS.min)
ptp: Function = _reduction(
    "ptp",
    "The difference of the largest and the smallest element over axes.",
    f"int({_TNP}.ptp([3, 9, 5])) -> 6",
    STATISTICS.ptp,
)
all: Function = _reduction(
    "all", "True if all elements over axes are not zero.", f"bool({_TNP}.all([1, 0])) -> False", STATISTICS.all
)
any: Function = _reduction(
    "any", "True if an element over axes is not zero.", f"bool({_TNP}.any([1, 0])) -> True", STATISTICS.any
)


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
    return STATISTICS.mean(a, axis, keepdims, dtype)


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
        return cast(STATISTICS.var(a, axis, keepdims, None, ddof), wanted)
    return STATISTICS.var(a, axis, keepdims, dtype, ddof)


def count_nonzero(a: Any, axis: Any = None) -> Tensor:
    """The number of elements over axes that are not zero.

    Args:
      a: numbers or bools.
      axis: an int, a tuple of ints, or None for all.

    >>> int(tf.experimental.numpy.count_nonzero([1, 0, 5]))
    2
    """
    return STATISTICS.count_nonzero(a, axis)


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
        x = POLICY.averaged(a)
        found = reductions.reduce_mean(x, axis)
        return (found, found - found + count_of(x, axis)) if returned else found
    x, w = inexact(a, weights)
    if w.ndim != x.ndim:
        if axis is None or w.ndim != 1:
            raise errors.build(
                errors.ShapeError,
                f"average: weights has shape {w.shape}, a has shape {x.shape}: these do not match.",
                "give weights in the shape of a, or a vector and the axis that it belongs to.",
            )
        place = normalize_axis(axis, x.ndim, "average")
        w = movement.reshape(w, [-1 if k == place else 1 for k in range(x.ndim)])
        w = movement.broadcast_to(w, shapes.shape(x))
    total = reductions.reduce_sum(w, axis)
    found = reductions.reduce_sum(x * w, axis) / total
    return (found, total) if returned else found


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
