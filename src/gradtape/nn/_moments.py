"""Means and variances from weights, and from sums. `tf.nn.moments` itself is in `nn/_softmax`."""

from __future__ import annotations

import math
from typing import Any

from gradtape.api.arguments import axes as normalized_axes
from gradtape.api.arguments import tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import broadcast, spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.arithmetic import Square, SquaredDifference
from gradtape.ops.cast import Cast
from gradtape.ops.division import DivideNoNan
from gradtape.ops.family import dims, reduced_shape
from gradtape.ops.movement import BroadcastTo, Reshape
from gradtape.ops.reduction import ReduceSum


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: Any = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The weighted mean and variance over axes.

    Both are 0 where the weights add up to 0. float16 and bfloat16 are computed in float32.

    Args:
      x: floating point numbers.
      axes: a list of ints, or an int.
      frequency_weights: weights that broadcast against x.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      The pair (mean, variance).

    >>> mean, variance = tf.nn.weighted_moments([1.0, 4.0], axes=[0], frequency_weights=[2.0, 1.0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(2.0))
    """
    x, weights = tensor(x), tensor(frequency_weights)
    _check_floating("weighted_moments", x)
    shape = broadcast(dims(x), dims(weights))
    if shape is None:
        raise errors.build(
            errors.ShapeError,
            f"weighted_moments: shapes do not broadcast: x is {spec_of(x)}, frequency_weights is {spec_of(weights)}.",
            "give one weight per element, or per slice.",
        )
    over = normalized_axes(axes, len(shape), "weighted_moments")
    dtype, work = x.dtype, _wide(x.dtype)
    x, weights = (v if v.dtype is work else Cast(v, dtype=work) for v in (x, weights))
    total = ReduceSum(BroadcastTo(weights, shape=shape), axis=over, keepdims=True)
    mean = DivideNoNan(ReduceSum(weights * x, axis=over, keepdims=True), total)
    variance = DivideNoNan(ReduceSum(weights * SquaredDifference(x, mean), axis=over, keepdims=True), total)
    kept = reduced_shape(shape, over, bool(keepdims))
    first, second = (_rounded(Reshape(y, shape=kept), dtype) for y in (mean, variance))
    return first, second


def _check_floating(who: str, x: Any) -> None:
    if not x.dtype.is_floating:
        raise errors.build(
            errors.DTypeError, f"{who}: x is {spec_of(x)}, and must be floating point.", "use tf.cast(x, tf.float32)."
        )


def _wide(dtype: dtypes.DType) -> dtypes.DType:
    return dtypes.float32 if dtype.is_floating and dtype.size < 4 else dtype


def _rounded(y: Any, dtype: dtypes.DType) -> Any:
    return y if y.dtype is dtype else Cast(y, dtype=dtype)


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: Any = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Sufficient statistics for the mean and variance over axes, for `tf.nn.normalize_moments`.

    Args:
      x: numbers.
      axes: a list of ints, or an int.
      shift: what to subtract from x first: a guess of the mean, against cancellation. None for nothing.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      How many elements each result is made of, their sum, the sum of their squares, and the shift.

    >>> count, total, squares, shift = tf.nn.sufficient_statistics([1.0, 2.0, 4.0], axes=[0])
    >>> count.numpy(), total.numpy(), squares.numpy(), shift
    (np.float32(3.0), np.float32(7.0), np.float32(21.0), None)
    """
    x = tensor(x)
    over = normalized_axes(axes, x.ndim, "sufficient_statistics")
    count = convert.convert_to_tensor(math.prod([dims(x)[a] for a in over]), x.dtype)
    if shift is None:
        moved, squares = x, Square(x)
    else:
        shift = convert.like(shift, x.dtype)
        moved, squares = x - shift, SquaredDifference(x, shift)
    total, total_squares = (ReduceSum(v, axis=over, keepdims=bool(keepdims)) for v in (moved, squares))
    return count, total, total_squares, shift


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance, from the result of `tf.nn.sufficient_statistics`.

    Args:
      counts: how many elements there are.
      mean_ss: the sum of the elements, less the shift.
      variance_ss: the sum of their squares, less the shift.
      shift: the shift, or None.

    Returns:
      The pair (mean, variance).

    >>> mean, variance = tf.nn.normalize_moments(*tf.nn.sufficient_statistics([1.0, 3.0], axes=[0]))
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(1.0))
    """
    total = tensor(mean_ss)
    count, squares = (convert.like(v, total.dtype) for v in (counts, variance_ss))
    mean = total / count
    variance = squares / count - Square(mean)
    return mean if shift is None else mean + convert.like(shift, total.dtype), variance
