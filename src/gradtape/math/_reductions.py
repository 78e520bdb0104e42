"""Reductions: TensorFlow's `reduce_*` functions, in `tf` and `tf.math`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import axes, tensor
from gradtape.api.families import family
from gradtape.core import convert, dtypes, errors
from gradtape.core.annotations import Axis, TensorLike
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor
from gradtape.ops import logsumexp, reduction
from gradtape.ops.family import dims


@family("A tensor of the same dtype.", input_tensor="numbers.")
def _reduction(who: str, op: Any, as_input: Callable[[Any], Any] = tensor) -> Callable[..., Tensor]:
    def function(
        input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
    ) -> Tensor:
        x = as_input(input_tensor)
        result: Tensor = op(x, axis=axes(axis, x.ndim, who), keepdims=_flag(who, keepdims))
        return result

    return function


def _bools(value: Any) -> Any:
    """A tensor of bools; Python numbers are refused, as tensors of numbers are, but numbers of NumPy are not."""
    is_array = isinstance(value, (np.ndarray, np.generic))
    return value if hasattr(value, "dtype") and not is_array else convert.convert_to_tensor(value, dtypes.bool_)


reduce_sum = _reduction(
    "reduce_sum",
    "The sum of elements over axes.",
    "tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy() -> array([4., 6.], dtype=float32)",
    reduction.ReduceSum,
)
reduce_mean = _reduction(
    "reduce_mean",
    "The mean of elements over axes. The mean of integers is an integer, rounded toward zero.",
    "tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]]).numpy() -> np.float32(2.5)",
    reduction.ReduceMean,
)
reduce_max = _reduction(
    "reduce_max",
    "The largest element over axes. Elements that tie share the gradient equally.",
    "tf.reduce_max([[1, 4], [3, 2]], axis=1).numpy() -> array([4, 3], dtype=int32)",
    reduction.ReduceMax,
    input_tensor="real numbers.",
)
reduce_min = _reduction(
    "reduce_min",
    "The smallest element over axes. Elements that tie share the gradient equally.",
    "tf.reduce_min([[1, 4], [3, 2]], axis=1).numpy() -> array([1, 2], dtype=int32)",
    reduction.ReduceMin,
    input_tensor="real numbers.",
)
reduce_prod = _reduction(
    "reduce_prod",
    "The product of elements over axes. Its gradient is exact where elements are zero.",
    "tf.reduce_prod([2.0, 3.0, 4.0]).numpy() -> np.float32(24.0)",
    reduction.ReduceProd,
)
reduce_logsumexp = _reduction(
    "reduce_logsumexp",
    "The logarithm of the sum of exponentials over axes, computed without overflow.",
    "tf.reduce_logsumexp([0.0, 1000.0]).numpy() -> np.float32(1000.0)",
    logsumexp.ReduceLogSumExp,
    input_tensor="floating point numbers.",
)
reduce_euclidean_norm = _reduction(
    "reduce_euclidean_norm",
    "The square root of the sum of squares over axes. Its gradient at zero is nan.",
    "tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy() -> np.float32(5.0)",
    reduction.ReduceEuclideanNorm,
)
reduce_any = _reduction(
    "reduce_any",
    "True where one element over the axes is true.",
    "tf.reduce_any([[True, False], [False, False]], axis=1).numpy() -> array([ True, False])",
    reduction.ReduceAny,
    _bools,
    returns="A tensor of bools.",
    input_tensor="bools.",
)
reduce_all = _reduction(
    "reduce_all",
    "True where every element over the axes is true.",
    "tf.reduce_all([[True, True], [True, False]], axis=1).numpy() -> array([ True, False])",
    reduction.ReduceAll,
    _bools,
    returns="A tensor of bools.",
    input_tensor="bools.",
)


def _flag(who: str, keepdims: Any) -> bool:
    """`keepdims` as a bool; an array has no single truth value."""
    if not isinstance(keepdims, bool) and len(getattr(keepdims, "shape", ())):
        raise errors.build(
            ValueError,
            f"{who}: The truth value of keepdims is ambiguous: got {errors.brief(keepdims)}.",
            "use keepdims=True.",
        )
    return bool(keepdims)


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Tensor:
    """The mean squared distance from the mean over axes (divided by n, not n - 1).

    Args:
      input_tensor: floating point or complex numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      A tensor of the same dtype, real where the input is complex.

    >>> tf.math.reduce_variance([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x, deviation, over = _deviation(input_tensor, axis, "reduce_variance")
    if x.dtype.is_complex:
        squares = REGISTRY["real"](deviation * REGISTRY["conj"](deviation))
    else:
        squares = REGISTRY["square"](deviation)
    return _rounded(reduction.ReduceMean(squares, axis=over, keepdims=bool(keepdims)), x)


def _deviation(input_tensor: Any, axis: Any, what: str) -> tuple[Any, Any, tuple[int, ...]]:
    """The input, its distances from the mean, and the axes. Those of float16 and bfloat16 are float32, in which a mean
    has enough digits."""
    x = tensor(input_tensor)
    if x.dtype.kind not in "fVc":
        raise errors.build(
            errors.DTypeError,
            f"{what}: input_tensor must be either real or complex, got dtype {x.dtype.name}.",
            "the result is no integer: use tf.cast(x, tf.float32).",
        )
    over = axes(axis, x.ndim, what)
    work = REGISTRY["cast"](x, dtype=dtypes.float32) if x.dtype.is_floating and x.dtype.size < 4 else x
    return x, work - reduction.ReduceMean(work, axis=over, keepdims=True), over


def _rounded(y: Any, x: Any) -> Tensor:
    return y if y.dtype is x.dtype.real_dtype else REGISTRY["cast"](y, dtype=x.dtype)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Tensor:
    """The standard deviation over axes (divided by n, not n - 1).

    Its gradient is nan where all elements are equal, unless its cotangent is 0.

    Args:
      input_tensor: floating point or complex numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.

    Returns:
      A tensor of the same dtype, real where the input is complex.

    >>> tf.math.reduce_std([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x, deviation, over = _deviation(input_tensor, axis, "reduce_std")
    length = reduction.ReduceEuclideanNorm(deviation, axis=over, keepdims=bool(keepdims))
    if x.dtype.is_complex:
        length = REGISTRY["real"](length)
    # Not the root of the variance, which overflows for distances that a float can hold.
    return _rounded(length / math.sqrt(reduction.count(tuple(x.shape), over)), x)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: Any = None, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The number of elements over axes that are not zero (false, or the empty string).

    Args:
      input: numbers, bools or strings.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      dtype: of the result.

    Returns:
      A tensor of counts.

    >>> tf.math.count_nonzero([[0, 1, 0], [1, 1, 0]], axis=1).numpy()
    array([1, 2])
    """
    x = tensor(input)
    over = axes(axis, x.ndim, "count_nonzero")
    return reduction.CountNonzero(x, axis=over, keepdims=bool(keepdims), dtype=dtypes.as_dtype(dtype))


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The fraction of elements that are zero, as float32; nan of nothing.

    Args:
      value: numbers.

    Returns:
      A scalar.

    >>> tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy()
    np.float32(0.5)
    """
    x = tensor(value)
    return 1.0 - count_nonzero(x, dtype=dtypes.float32) / float(math.prod(dims(x)))
