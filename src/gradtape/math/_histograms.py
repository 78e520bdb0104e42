"""Counts and histograms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.ops.counting import BinCount, refuse_negative
from gradtape.ops.creation import Fill
from gradtape.ops.family import dims
from gradtape.ops.indexing import ScatterRows
from gradtape.ops.joining import Stack
from gradtape.ops.movement import Reshape
from gradtape.ops.rounding import Floor
from gradtape.ops.scatter import ScatterNd
from gradtape.ops.selection import Maximum, Minimum, number
from gradtape.ops.slicing import StridedSlice


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """The number of occurrences of each number from 0 on, or the sum of their weights.

    Args:
      arr: integers, none of them negative.
      weights: a tensor of the shape of `arr`; its gradient is that of the numbers' sums.
      minlength: at least so many numbers are counted.
      maxlength: only numbers below this are counted.
      dtype: of the counts; sums of weights have the dtype of the weights.
      axis: None or 0 to count all elements; -1 to count those of each row, for a vector or matrix.
      binary_output: only whether a number occurs: 1 or 0.

    Returns:
      A vector of counts, as long as the largest number asks for; for axis=-1 one such row for each row.

    >>> tf.math.bincount([1, 1, 3]).numpy()
    array([0, 2, 0, 1], dtype=int32)
    >>> tf.math.bincount([1, 1, 3], weights=[0.5, 0.25, 2.0]).numpy()
    array([0.  , 0.75, 0.  , 2.  ], dtype=float32)
    """
    if axis not in (None, 0, -1):
        raise ValueError(errors.compose(f"bincount: axis must be None, 0 or -1, got {axis!r}.", "use None, 0 or -1."))
    if binary_output and weights is not None:
        raise ValueError(errors.compose("bincount: binary_output and weights are both given.", "give one of them."))
    x = tensor(arr)
    x = x if x.dtype.is_integer else CastToDiscrete(x, dtype=dtypes.int32)
    shape = dims(x)
    if axis != -1 or not shape:
        x = Reshape(x, shape=(math.prod(shape),))
    if x.ndim > 2:
        raise errors.build(
            errors.ShapeError, f"bincount: arr is {spec_of(x)}, but axis=-1 takes vectors and matrices.", "reshape it."
        )
    size = length(x, minlength, maxlength)
    if weights is None:
        return BinCount(x, size=size, binary=bool(binary_output), dtype=dtypes.as_dtype(dtype))
    weights = tensor(weights)
    if dims(weights) != shape:
        raise errors.build(
            errors.ShapeError,
            f"bincount: weights is {spec_of(weights)}, but arr has shape {list(shape)}.",
            "give one weight for each number.",
        )
    # One more place takes the weights of numbers that are not counted; negative ones are refused.
    last = x.ndim - 1
    places = Minimum(CastToDiscrete(x, dtype=dtypes.int64), wrap(np.int64(size)))
    sums = ScatterRows(places, Reshape(weights, shape=dims(x)), rows=size + 1, axis=last, batch_dims=last)
    return StridedSlice(sums, index=tuple([(0, n, 1) for n in (*dims(x)[:-1], size)]))


def length(x: Any, minlength: Any, maxlength: Any) -> int:
    """The number of counted values."""
    least = 0 if minlength is None else integer(minlength, "bincount", "minlength")
    most = math.inf if maxlength is None else integer(maxlength, "bincount", "maxlength")
    if most < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"bincount: maxlength must not be negative, got {most}.",
            "use 0 or more.",
        )
    if type(x) is not Tensor and least >= most:
        return int(most)  # the size is known without the values, which differ from example to example
    numbers = np.asarray(host(x._array))
    refuse_negative(numbers)
    return int(min(max(least, int(numbers.max()) + 1 if numbers.size else 0), most))


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """The index of the bin of each value, for bins of equal width.

    Args:
      values: real numbers.
      value_range: a pair: where the first bin starts and where the last one ends. Values outside fall into those.
      nbins: how many bins there are.
      dtype: int32 or int64.

    Returns:
      Integers in the shape of the values. There is no gradient.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4, 4], dtype=int32)
    """
    return _bins("histogram_fixed_width_bins", values, value_range, nbins, dtype)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """The number of values in each bin, for bins of equal width.

    Args:
      values: real numbers.
      value_range: a pair: where the first bin starts and where the last one ends. Values outside fall into those.
      nbins: how many bins there are.
      dtype: int32 or int64.

    Returns:
      A vector of `nbins` counts. There is no gradient.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)
    """
    bins = _bins("histogram_fixed_width", values, value_range, nbins, dtype)
    flat = Reshape(bins, shape=(math.prod(dims(bins)),))
    size = integer(nbins, "histogram_fixed_width", "nbins")
    return BinCount(flat, size=size, dtype=dtypes.as_dtype(dtype))


def _bins(who: str, values: Any, value_range: Any, nbins: Any, dtype: Any) -> Tensor:
    x, wanted, count = tensor(values), dtypes.as_dtype(dtype), integer(nbins, who, "nbins")
    limits = np.asarray(convert.like(value_range, x.dtype)).astype(np.float64)
    if limits.shape != (2,) or not limits[0] < limits[1]:
        raise errors.build(
            errors.ShapeError if limits.shape != (2,) else errors.InvalidArgumentError,
            f"{who}: value_range must be a pair, the smaller limit first, got {limits.tolist()}.",
            "give a pair, the smaller limit first.",
        )
    if count <= 0:
        raise errors.build(
            errors.InvalidArgumentError, f"{who}: nbins must be at least 1, got {count}.", "use at least one bin."
        )
    if wanted not in (dtypes.int32, dtypes.int64):
        raise errors.build(
            errors.DTypeError, f"{who}: dtype must be int32 or int64, got {wanted.name}.", "use int32 or int64."
        )
    # In float64 for all dtypes, so that a value is in the bin whose limits it lies between.
    low, high = limits.tolist()
    places = Floor((Cast(x, dtype=dtypes.float64) - low) / ((high - low) / count))
    if type(places) is Tensor and np.isnan(np.asarray(host(places._array))).any():
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: values must not hold nan.",
            "filter them: x[~tf.math.is_nan(x)].",
        )
    places = Minimum(Maximum(places, number(0, places)), number(count - 1, places))
    return CastToDiscrete(places, dtype=wanted)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The confusion matrix of labels and predictions: `y[i, j]` counts label i with prediction j.

    Args:
      labels: class numbers `[n]`.
      predictions: class numbers `[n]`. One of the two may be `[n, 1]`.
      num_classes: how many classes there are; by default as many as the largest number asks for.
      weights: what each pair counts, `[n]`, in place of 1. It has a gradient if `dtype` is floating.
      dtype: of the result.

    Returns:
      A matrix `[num_classes, num_classes]`.

    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)
    """
    pair = [_classes(name, value) for name, value in (("labels", labels), ("predictions", predictions))]
    pair = _squeezed(pair)
    if dims(pair[0]) != dims(pair[1]):
        raise errors.build(
            errors.ShapeError,
            f"confusion_matrix: shapes differ: labels is {spec_of(pair[0])}, predictions is {spec_of(pair[1])}.",
            "give one prediction for each label.",
        )
    n = _class_count(pair, num_classes)
    own = dtypes.as_dtype(dtype)
    shape = dims(pair[0])
    counted = Fill(wrap(own.numpy.type(1)), shape=shape) if weights is None else _pair_weights(weights, shape, own)
    # Not a count of label * n + prediction: numbers that are out of range must be refused, in functions too.
    return ScatterNd(Stack(*pair, axis=len(shape)), counted, shape=(n, n))


def _classes(name: str, value: Any) -> Any:
    x = CastToDiscrete(tensor(value), dtype=dtypes.int64)
    if type(x) is Tensor and x._array.size and np.min(host(x._array)) < 0:
        raise errors.build(
            errors.InvalidArgumentError,
            f"confusion_matrix: `{name}` contains negative values, such as {int(np.min(host(x._array)))}; classes must not be negative.",
            "number the classes from 0.",
        )
    return x


def _squeezed(pair: list[Any]) -> list[Any]:
    """The two, without the last axis of length 1 that one of them has and the other has not."""
    ranks = [x.ndim for x in pair]
    return [
        Reshape(x, shape=dims(x)[:-1]) if rank == min(ranks) + 1 and dims(x)[-1] == 1 else x
        for x, rank in zip(pair, ranks, strict=True)
    ]


def _class_count(pair: list[Any], num_classes: Any) -> int:
    if num_classes is None:
        return max([int(np.max(host(x._array), initial=-1)) for x in pair]) + 1
    n = integer(num_classes, "confusion_matrix", "num_classes")
    for name, x in zip(("labels", "predictions"), pair, strict=True):
        if type(x) is Tensor and x._array.size and np.max(host(x._array)) >= n:
            raise errors.build(
                errors.RangeError,
                f"confusion_matrix: `{name}` out of bound: classes must be below num_classes, which is {n}, got {int(np.max(host(x._array)))}.",
                "number the classes from 0 to num_classes - 1, or give a larger num_classes.",
            )
    return n


def _pair_weights(weights: Any, shape: tuple[int, ...], dtype: dtypes.DType) -> Any:
    x = tensor(weights)
    if dims(x) != shape:
        raise errors.build(
            errors.ShapeError,
            f"confusion_matrix: weights is {spec_of(x)}, but labels have shape {list(shape)}.",
            "give one weight for each pair.",
        )
    return x if x.dtype is dtype else (CastToDiscrete if dtype.is_integer else Cast)(x, dtype=dtype)
