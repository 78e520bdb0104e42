# Written by tools/stubs.py.
# ruff: noqa
from gradtape.arrays.indexing import in_top_k
from gradtape.arrays.sorting import ApproxTopK
from gradtape.arrays.sorting import invert_permutation
from gradtape.arrays.sorting import is_non_decreasing
from gradtape.arrays.sorting import is_strictly_increasing
from gradtape.arrays.sorting import top_k
from gradtape.core.annotations import Axis
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.linalg._products import l2_normalize
from gradtape.math import special
from gradtape.math._conversion import angle
from gradtape.math._conversion import conj
from gradtape.math._conversion import imag
from gradtape.math._conversion import real
from gradtape.math._elementwise import abs
from gradtape.math._elementwise import accumulate_n
from gradtape.math._elementwise import add_n
from gradtape.math._elementwise import atan2
from gradtape.math._elementwise import pow
from gradtape.math._elementwise import reciprocal_no_nan
from gradtape.math._elementwise import scalar_mul
from gradtape.math._elementwise import sign
from gradtape.math._elementwise import squared_difference
from gradtape.math._histograms import bincount
from gradtape.math._histograms import confusion_matrix
from gradtape.math._quantiles import median
from gradtape.math._quantiles import percentile
from gradtape.math._quantiles import quantile
from gradtape.math._reductions import count_nonzero
from gradtape.math._reductions import reduce_std
from gradtape.math._reductions import reduce_variance
from gradtape.math._reductions import zero_fraction
from gradtape.math._sobol import sobol_sample
from gradtape.math._special_functions import betainc
from gradtape.math._special_functions import lbeta
from gradtape.math._special_functions import logaddexp
from gradtape.math._special_functions import nextafter
from gradtape.math._special_functions import polyval
from gradtape.math._special_functions import zeta
from gradtape.nn import log_softmax
from gradtape.nn import softmax
from typing import Any

__all__ = [
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "approx_max_k",
    "approx_min_k",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "betainc",
    "bincount",
    "ceil",
    "confusion_matrix",
    "conj",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "digamma",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "erfc",
    "erfcinv",
    "erfinv",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "igamma",
    "igammac",
    "imag",
    "in_top_k",
    "invert_permutation",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_strictly_increasing",
    "l2_normalize",
    "lbeta",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "log_sigmoid",
    "log_softmax",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "median",
    "minimum",
    "mod",
    "multiply",
    "multiply_no_nan",
    "ndtri",
    "negative",
    "nextafter",
    "not_equal",
    "percentile",
    "polygamma",
    "polyval",
    "pow",
    "quantile",
    "real",
    "reciprocal",
    "reciprocal_no_nan",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "round",
    "rsqrt",
    "scalar_mul",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "sigmoid",
    "sign",
    "sin",
    "sinc",
    "sinh",
    "sobol_sample",
    "softmax",
    "softplus",
    "softsign",
    "special",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "top_k",
    "truediv",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "xdivy",
    "xlog1py",
    "xlogy",
    "zero_fraction",
    "zeta",
]

def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse cosine, elementwise, from 0 to pi.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.acos([1.0]).numpy()
    array([0.], dtype=float32)
    """

def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine, elementwise; not negative.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.acosh([1.0]).numpy()
    array([0.], dtype=float32)
    """

def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The sum, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, complex, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.add([1.0, 2.0], 0.5).numpy()
    array([1.5, 2.5], dtype=float32)
    """

def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: Any = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest elements along an axis and where they are. They are the exact ones.

    Args:
      operand: floating point numbers.
      k: how many.
      reduction_dimension: the axis.
      recall_target: ignored.
      reduction_input_size_override: ignored.
      aggregate_to_topk: ignored.
      name: ignored.

    Returns:
      The pair `values`, `indices`.

    >>> tf.math.approx_max_k([4.0, 1.0, 3.0], k=2).values.numpy()
    array([4., 3.], dtype=float32)
    """

def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: Any = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` smallest elements along an axis and where they are. They are the exact ones.

    Args:
      operand: floating point numbers.
      k: how many.
      reduction_dimension: the axis.
      recall_target: ignored.
      reduction_input_size_override: ignored.
      aggregate_to_topk: ignored.
      name: ignored.

    Returns:
      The pair `values`, `indices`.

    >>> tf.math.approx_min_k([4.0, 1.0, 3.0], k=2).values.numpy()
    array([1., 3.], dtype=float32)
    """

def argmax(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> Tensor:
    """The position of the largest value along an axis; of equal ones the first.

    Args:
      input: real numbers or bools.
      axis: an int; the first axis by default.
      output_type: int16, uint16, int32 or int64.
      name: ignored.

    Returns:
      Integers, in the shape of the input without the axis. There is no gradient.

    >>> tf.argmax([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy()
    array([1, 0])
    """

def argmin(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> Tensor:
    """The position of the smallest value along an axis; of equal ones the first.

    Args:
      input: real numbers or bools.
      axis: an int; the first axis by default.
      output_type: int16, uint16, int32 or int64.
      name: ignored.

    Returns:
      Integers, in the shape of the input without the axis. There is no gradient.

    >>> tf.argmin([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy()
    array([0, 1])
    """

def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse sine, elementwise, from -pi/2 to pi/2.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.asin([0.0]).numpy()
    array([0.], dtype=float32)
    """

def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.asinh([0.0]).numpy()
    array([0.], dtype=float32)
    """

def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse tangent, elementwise, from -pi/2 to pi/2.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.atan([0.0]).numpy()
    array([0.], dtype=float32)
    """

def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.atanh([0.0]).numpy()
    array([0.], dtype=float32)
    """

def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.bessel_i0(0.0))
    1.0
    """

def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind times exp(-|x|), of order 0, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.bessel_i0e(0.0))
    1.0
    """

def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 1, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.bessel_i1(0.0))
    0.0
    """

def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind times exp(-|x|), of order 1, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.bessel_i1e(0.0))
    0.0
    """

def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest integer that is not below x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.], dtype=float32)
    """

def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.cos([0.0]).numpy()
    array([1.], dtype=float32)
    """

def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.cosh([0.0]).numpy()
    array([1.], dtype=float32)
    """

def cumprod(
    x: TensorLike, axis: Axis = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
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

def cumsum(
    x: TensorLike, axis: Axis = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
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

def cumulative_logsumexp(
    x: TensorLike, axis: Axis = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
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

def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of the logarithm of the gamma function, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.digamma([1.0]).numpy().round(4)
    array([-0.5772], dtype=float32)
    """

def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient of floating point or complex numbers, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.divide([7, 1], 2).numpy()
    array([3.5, 0.5])
    """

def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient, elementwise, and zero where the divisor is zero.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy()
    array([1.5, 0. ], dtype=float32)
    """

def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where the inputs are equal, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, complex, signed integers, unsigned integers, bool or string.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.equal([1, 2], 2).numpy()
    array([False,  True])
    """

def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.erf([0.0, 10.0]).numpy()
    array([0., 1.], dtype=float32)
    """

def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 minus the error function, elementwise; accurate where that is close to 1.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.erfc([0.0, np.inf]).numpy()
    array([1., 0.], dtype=float32)
    """

def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose complementary error function is x, elementwise; accurate where x is close to 0.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.erfcinv([2.0, 0.0]).numpy()
    array([-inf,  inf], dtype=float32)
    """

def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The number whose error function is x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.erfinv([0.0, 1.0]).numpy()
    array([ 0., inf], dtype=float32)
    """

def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.exp([0.0, -np.inf]).numpy()
    array([1., 0.], dtype=float32)
    """

def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power x, minus 1, elementwise; accurate near 0.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.math.expm1([0.0]).numpy()
    array([0.], dtype=float32)
    """

def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest integer that is not above x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.floor([1.7, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)
    """

def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient rounded down, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.floordiv([7, -7], 2).numpy()
    array([ 3, -4], dtype=int32)
    """

def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of the division rounded down, elementwise: it has the sign of the divisor.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.floormod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """

def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where the first input is greater than the second, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """

def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where the first input is greater than or equal to the second, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """

def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower regularised incomplete gamma function P(a, x), elementwise. Gradients flow to both arguments.

    Args:
      a: the shape of the gamma distribution.
      x: where; of the same dtype, and a shape that broadcasts.
      name: ignored.

    >>> tf.math.igamma(1.0, [0.0, np.inf]).numpy()
    array([0., 1.], dtype=float32)
    """

def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper regularised incomplete gamma function 1 - P(a, x), elementwise. Gradients flow to both arguments.

    Args:
      a: the shape of the gamma distribution.
      x: where; of the same dtype, and a shape that broadcasts.
      name: ignored.

    >>> tf.math.igammac(1.0, [0.0, np.inf]).numpy()
    array([1., 0.], dtype=float32)
    """

def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is neither infinite nor NaN, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.is_finite([np.inf, 1.0]).numpy()
    array([False,  True])
    """

def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is infinite, of either sign, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.is_inf([np.inf, 1.0]).numpy()
    array([ True, False])
    """

def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is NaN, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.is_nan([np.nan, 1.0]).numpy()
    array([ True, False])
    """

def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where the first input is less than the second, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """

def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where the first input is less than or equal to the second, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """

def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.lgamma([1.0, 0.0]).numpy()
    array([ 0., inf], dtype=float32)
    """

def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.math.log([1.0, np.inf]).numpy()
    array([ 0., inf], dtype=float32)
    """

def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm of 1 + x, elementwise; accurate near 0.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.math.log1p([0.0]).numpy()
    array([0.], dtype=float32)
    """

def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the sigmoid, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.log_sigmoid([-100.0]).numpy()
    array([-100.], dtype=float32)
    """

def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where both inputs are true, elementwise.

    Args:
      x: a tensor, or a value that becomes one: bool.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.logical_and([True, False], True).numpy()
    array([ True, False])
    """

def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """True where x is false, elementwise.

    Args:
      x: a tensor, or a value that becomes one: bool.
      name: ignored.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """

def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where one input or both are true, elementwise.

    Args:
      x: a tensor, or a value that becomes one: bool.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.logical_or([True, False], True).numpy()
    array([ True,  True])
    """

def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where exactly one input is true, elementwise.

    Args:
      x: a tensor, or a value that becomes one: bool.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.logical_xor([True, False], True).numpy()
    array([False,  True])
    """

def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of two, elementwise; NaN if one is NaN. Equal elements give their gradient to the first input.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.maximum([1.0, 5.0], 3.0).numpy()
    array([3., 5.], dtype=float32)
    """

def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of two, elementwise; NaN if one is NaN. Equal elements give their gradient to the first input.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.minimum([1.0, 5.0], 3.0).numpy()
    array([1., 3.], dtype=float32)
    """

def mod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of the division rounded down, elementwise: it has the sign of the divisor.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.mod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """

def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The product, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, complex, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.multiply([1.0, 2.0], 3).numpy()
    array([3., 6.], dtype=float32)
    """

def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The product, elementwise, and zero where the second factor is zero, whatever the first is.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0]).numpy()
    array([0., 6.], dtype=float32)
    """

def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The quantile of the standard normal distribution at x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.ndtri([0.5, 1.0]).numpy()
    array([ 0., inf], dtype=float32)
    """

def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, complex or signed integers.
      name: ignored.

    >>> tf.negative([1, -2]).numpy()
    array([-1,  2], dtype=int32)
    """

def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """True where the inputs are not equal, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, complex, signed integers, unsigned integers, bool or string.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.not_equal([1, 2], 2).numpy()
    array([ True, False])
    """

def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of order a of the digamma function at x, elementwise. Gradients flow to x.

    Args:
      a: whole numbers >= 0, as floats; the result is NaN elsewhere.
      x: where; of the same dtype, and a shape that broadcasts.
      name: ignored.

    >>> tf.math.polygamma(1.0, [1.0]).numpy().round(4)
    array([1.6449], dtype=float32)
    """

def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """

def reduce_all(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """True where every element over the axes is true.

    Args:
      input_tensor: bools.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of bools.

    >>> tf.reduce_all([[True, True], [True, False]], axis=1).numpy()
    array([ True, False])
    """

def reduce_any(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """True where one element over the axes is true.

    Args:
      input_tensor: bools.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of bools.

    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """

def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares over axes. Its gradient at zero is nan.

    Args:
      input_tensor: numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """

def reduce_logsumexp(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials over axes, computed without overflow.

    Args:
      input_tensor: floating point numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.reduce_logsumexp([0.0, 1000.0]).numpy()
    np.float32(1000.0)
    """

def reduce_max(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The largest element over axes. Elements that tie share the gradient equally.

    Args:
      input_tensor: real numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.reduce_max([[1, 4], [3, 2]], axis=1).numpy()
    array([4, 3], dtype=int32)
    """

def reduce_mean(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean of elements over axes. The mean of integers is an integer, rounded toward zero.

    Args:
      input_tensor: numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(2.5)
    """

def reduce_min(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The smallest element over axes. Elements that tie share the gradient equally.

    Args:
      input_tensor: real numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.reduce_min([[1, 4], [3, 2]], axis=1).numpy()
    array([1, 2], dtype=int32)
    """

def reduce_prod(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The product of elements over axes. Its gradient is exact where elements are zero.

    Args:
      input_tensor: numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.reduce_prod([2.0, 3.0, 4.0]).numpy()
    np.float32(24.0)
    """

def reduce_sum(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The sum of elements over axes.

    Args:
      input_tensor: numbers.
      axis: an int, or a list of ints; negative ones count from the end; None (the default) means all axes.
      keepdims: keep the reduced axes, with length 1.
      name: ignored.

    Returns:
      A tensor of the same dtype.

    >>> tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([4., 6.], dtype=float32)
    """

def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest integer, elementwise; halves go to the even one.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.rint([1.5, 2.5]).numpy()
    array([2., 2.], dtype=float32)
    """

def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest integer, elementwise; halves go to the even one, and integers stay.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      name: ignored.

    >>> tf.round([1.5, 2.5]).numpy()
    array([2., 2.], dtype=float32)
    """

def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x), elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.math.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """

def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The largest of slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_max([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([4., 3.], dtype=float32)
    """

def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The means of slices of `data` with the same id. Those of integers are rounded toward zero.

    Args:
      data: numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_mean([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([2.5, 3. ], dtype=float32)
    """

def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The smallest of slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_min([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([1., 3.], dtype=float32)
    """

def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The products of slices of `data` with the same id. The gradient is exact where
    elements are zero.

    Args:
      data: numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 1 for those that do not occur.

    >>> tf.math.segment_prod([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([4., 3.], dtype=float32)
    """

def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The sums of slices of `data` with the same id.

    Args:
      data: numbers, with at least one axis.
      segment_ids: a vector of ids, one for each slice along the first axis. They count from 0 and never fall.
      name: ignored.

    Returns:
      One slice for each id up to the last; 0 for those that do not occur.

    >>> tf.math.segment_sum([1.0, 4.0, 3.0], [0, 0, 1]).numpy()
    array([5., 3.], dtype=float32)
    """

def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.sigmoid([0.0, 100.0]).numpy()
    array([0.5, 1. ], dtype=float32)
    """

def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.sin([0.0]).numpy()
    array([0.], dtype=float32)
    """

def sinc(x: TensorLike, name: str | None = None) -> Tensor:
    """sin(pi x) / (pi x), elementwise, and 1 at 0; or its derivative of some order.

    The derivatives are computed as such, since quotients lose their digits near 0.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.sinc([0.0, 0.5]).numpy().round(4)
    array([1.    , 0.6366], dtype=float32)
    """

def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.sinh([0.0]).numpy()
    array([0.], dtype=float32)
    """

def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(x)), elementwise.

    Args:
      features: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.nn.softplus([100.0, -1000.0]).numpy()
    array([100.,   0.], dtype=float32)
    """

def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """x / (1 + |x|), elementwise.

    Args:
      features: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.nn.softsign([1.0, -3.0]).numpy()
    array([ 0.5 , -0.75], dtype=float32)
    """

def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """

def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, complex, signed integers or unsigned integers.
      name: ignored.

    >>> tf.square([3.0, -4.0]).numpy()
    array([ 9., 16.], dtype=float32)
    """

def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The first input minus the second, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, complex, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.subtract([1.0, 2.0], 0.5).numpy()
    array([0.5, 1.5], dtype=float32)
    """

def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.tan([0.0]).numpy()
    array([0.], dtype=float32)
    """

def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      name: ignored.

    >>> tf.tanh([0.0, 100.0]).numpy()
    array([0., 1.], dtype=float32)
    """

def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient of floating point or complex numbers, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.truediv([7, 1], 2).numpy()
    array([3.5, 0.5])
    """

def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The largest of elements or slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; the least finite value for those without members.

    >>> tf.math.unsorted_segment_max([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 3.], dtype=float32)
    """

def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The means of elements or slices of `data` with the same id.

    Args:
      data: numbers; integers give floating point.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 0 for those without members.

    >>> tf.math.unsorted_segment_mean([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 2.], dtype=float32)
    """

def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The smallest of elements or slices of `data` with the same id. Those that tie share the gradient equally.

    Args:
      data: real numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; the largest finite value for those without members.

    >>> tf.math.unsorted_segment_min([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 1.], dtype=float32)
    """

def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The products of elements or slices of `data` with the same id. The gradient is exact where
    elements are zero.

    Args:
      data: numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 1 for those without members.

    >>> tf.math.unsorted_segment_prod([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 3.], dtype=float32)
    """

def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sums, divided by the square roots of how many they are, of elements or slices of `data` with the same id.

    Args:
      data: floating point or complex numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 0 for those without members.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4.       , 2.828427], dtype=float32)
    """

def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sums of elements or slices of `data` with the same id.

    Args:
      data: numbers.
      segment_ids: integers below `num_segments`, in the shape of the first axes of `data`; negative ones leave out.
      num_segments: how many segments there are.
      name: ignored.

    Returns:
      One element or slice for each segment; 0 for those without members.

    >>> tf.math.unsorted_segment_sum([1.0, 4.0, 3.0], [1, 0, 1], 2).numpy()
    array([4., 4.], dtype=float32)
    """

def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, elementwise, and 0 where x is 0.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """

def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(1 + y), elementwise, and 0 where x is 0; accurate where y is close to 0.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)
    """

def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), elementwise, and 0 where x is 0.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.math.xlogy([0.0, 2.0], [0.0, 1.0]).numpy()
    array([0., 0.], dtype=float32)
    """
