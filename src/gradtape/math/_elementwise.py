"""Elementwise functions of `tf`, `tf.math`, `tf.nn` and `tf.bitwise`. The lists at the end say what belongs where."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gradtape.api import families
from gradtape.api.arguments import items, tensor
from gradtape.api.families import apply, binary, pair, unary
from gradtape.core import errors
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.math._activations import (
    crelu,
    elu,
    gelu,
    leaky_relu,
    log_sigmoid,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softplus,
    softsign,
    swish,
)
from gradtape.math._conversion import angle, cast, complex, conj, imag, real, saturate_cast
from gradtape.ops import (
    arithmetic,
    comparison,
    division,
    exponential,
    hyperbolic,
    logical,
    operators,
    rounding,
    selection,
    trigonometric,
)
from gradtape.ops.activation import Erf
from gradtape.ops.complex import Complex, ComplexAbs, Conj

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "asin", "asinh", "atan", "atan2", "atanh",
    "bitwise_and", "bitwise_or", "bitwise_xor", "cast", "ceil", "clip_by_value", "complex", "conj", "cos", "cosh",
    "crelu", "divide", "divide_no_nan", "elu", "equal", "erf", "exp", "expm1", "floor", "floordiv", "floormod",
    "gelu", "greater", "greater_equal", "imag", "invert", "is_finite", "is_inf", "is_nan", "leaky_relu",
    "left_shift", "less", "less_equal", "log", "log1p", "log_sigmoid", "logical_and", "logical_not", "logical_or",
    "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan", "negative", "not_equal", "pow",
    "real", "realdiv", "reciprocal", "reciprocal_no_nan", "relu", "relu6", "right_shift", "rint", "round", "rsqrt",
    "saturate_cast", "scalar_mul", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "softplus", "softsign", "sqrt",
    "square", "squared_difference", "subtract", "swish", "tan", "tanh", "truediv", "truncatediv", "truncatemod",
    "where",
]  # fmt: skip

add = binary(arithmetic.Add, "tf.add([1.0, 2.0], 0.5).numpy() -> array([1.5, 2.5], dtype=float32)")
subtract = binary(arithmetic.Subtract, "tf.subtract([1.0, 2.0], 0.5).numpy() -> array([0.5, 1.5], dtype=float32)")
multiply = binary(arithmetic.Multiply, "tf.multiply([1.0, 2.0], 3).numpy() -> array([3., 6.], dtype=float32)")
multiply_no_nan = binary(
    arithmetic.MultiplyNoNan,
    "tf.math.multiply_no_nan([np.inf, 2.0], [0.0, 3.0]).numpy() -> array([0., 6.], dtype=float32)",
)
negative = unary(arithmetic.Negative, "tf.negative([1, -2]).numpy() -> array([-1,  2], dtype=int32)")
square = unary(arithmetic.Square, "tf.square([3.0, -4.0]).numpy() -> array([ 9., 16.], dtype=float32)")

divide = binary(
    division.Divide, "tf.divide([7, 1], 2).numpy() -> array([3.5, 0.5])", "divide", operators.coerce_to_divide
)
truediv = binary(
    division.Divide, "tf.truediv([7, 1], 2).numpy() -> array([3.5, 0.5])", "truediv", operators.coerce_to_divide
)
realdiv = binary(division.Divide, "tf.realdiv([7.0], 2.0).numpy() -> array([3.5], dtype=float32)", "realdiv")
divide_no_nan = binary(
    division.DivideNoNan,
    "tf.math.divide_no_nan([3.0, 1.0], [2.0, 0.0]).numpy() -> array([1.5, 0. ], dtype=float32)",
    coerce=operators.coerce_to_divide,
)
reciprocal = unary(division.Reciprocal, "tf.math.reciprocal([2.0, 4.0]).numpy() -> array([0.5 , 0.25], dtype=float32)")
floordiv = binary(division.FloorDiv, "tf.math.floordiv([7, -7], 2).numpy() -> array([ 3, -4], dtype=int32)")
floormod = binary(division.FloorMod, "tf.math.floormod([7, -7], 3).numpy() -> array([1, 2], dtype=int32)")
mod = binary(division.FloorMod, "tf.math.mod([7, -7], 3).numpy() -> array([1, 2], dtype=int32)", "mod")
truncatediv = binary(division.TruncateDiv, "tf.truncatediv([7, -7], 2).numpy() -> array([ 3, -3], dtype=int32)")
truncatemod = binary(division.TruncateMod, "tf.truncatemod([7, -7], 3).numpy() -> array([ 1, -1], dtype=int32)")

maximum = binary(selection.Maximum, "tf.maximum([1.0, 5.0], 3.0).numpy() -> array([3., 5.], dtype=float32)")
minimum = binary(selection.Minimum, "tf.minimum([1.0, 5.0], 3.0).numpy() -> array([1., 3.], dtype=float32)")

equal = binary(comparison.Equal, "tf.equal([1, 2], 2).numpy() -> array([False,  True])")
not_equal = binary(comparison.NotEqual, "tf.not_equal([1, 2], 2).numpy() -> array([ True, False])")
less = binary(comparison.Less, "tf.less([1, 2, 3], 2).numpy() -> array([ True, False, False])")
less_equal = binary(comparison.LessEqual, "tf.less_equal([1, 2, 3], 2).numpy() -> array([ True,  True, False])")
greater = binary(comparison.Greater, "tf.greater([1, 2, 3], 2).numpy() -> array([False, False,  True])")
greater_equal = binary(
    comparison.GreaterEqual, "tf.greater_equal([1, 2, 3], 2).numpy() -> array([False,  True,  True])"
)
is_nan = unary(comparison.IsNan, "tf.math.is_nan([np.nan, 1.0]).numpy() -> array([ True, False])")
is_inf = unary(comparison.IsInf, "tf.math.is_inf([np.inf, 1.0]).numpy() -> array([ True, False])")
is_finite = unary(comparison.IsFinite, "tf.math.is_finite([np.inf, 1.0]).numpy() -> array([False,  True])")

logical_and = binary(
    logical.LogicalAnd,
    "tf.logical_and([True, False], True).numpy() -> array([ True, False])",
    called=families.of_truths,
)
logical_or = binary(
    logical.LogicalOr,
    "tf.logical_or([True, False], True).numpy() -> array([ True,  True])",
    called=families.of_truths,
)
logical_xor = binary(
    logical.LogicalXor,
    "tf.math.logical_xor([True, False], True).numpy() -> array([False,  True])",
    called=families.of_truths,
)
logical_not = unary(
    logical.LogicalNot, "tf.logical_not([True, False]).numpy() -> array([False,  True])", made=families.truth_tensor
)
bitwise_and = binary(logical.BitwiseAnd, "tf.bitwise.bitwise_and([6, 5], 3).numpy() -> array([2, 1], dtype=int32)")
bitwise_or = binary(logical.BitwiseOr, "tf.bitwise.bitwise_or([6, 5], 3).numpy() -> array([7, 7], dtype=int32)")
bitwise_xor = binary(logical.BitwiseXor, "tf.bitwise.bitwise_xor([6, 5], 3).numpy() -> array([5, 6], dtype=int32)")
invert = unary(logical.Invert, "tf.bitwise.invert([5, -1]).numpy() -> array([-6,  0], dtype=int32)")
left_shift = binary(logical.LeftShift, "tf.bitwise.left_shift([1, 3], 2).numpy() -> array([ 4, 12], dtype=int32)")
right_shift = binary(logical.RightShift, "tf.bitwise.right_shift([4, -8], 2).numpy() -> array([ 1, -2], dtype=int32)")

exp = unary(exponential.Exp, "tf.exp([0.0, -np.inf]).numpy() -> array([1., 0.], dtype=float32)")
expm1 = unary(exponential.Expm1, "tf.math.expm1([0.0]).numpy() -> array([0.], dtype=float32)")
log = unary(exponential.Log, "tf.math.log([1.0, np.inf]).numpy() -> array([ 0., inf], dtype=float32)")
log1p = unary(exponential.Log1p, "tf.math.log1p([0.0]).numpy() -> array([0.], dtype=float32)")
sqrt = unary(exponential.Sqrt, "tf.sqrt([4.0, 9.0]).numpy() -> array([2., 3.], dtype=float32)")
rsqrt = unary(exponential.Rsqrt, "tf.math.rsqrt([4.0, 16.0]).numpy() -> array([0.5 , 0.25], dtype=float32)")

sin = unary(trigonometric.Sin, "tf.sin([0.0]).numpy() -> array([0.], dtype=float32)")
cos = unary(trigonometric.Cos, "tf.cos([0.0]).numpy() -> array([1.], dtype=float32)")
tan = unary(trigonometric.Tan, "tf.tan([0.0]).numpy() -> array([0.], dtype=float32)")
asin = unary(trigonometric.Asin, "tf.asin([0.0]).numpy() -> array([0.], dtype=float32)")
acos = unary(trigonometric.Acos, "tf.acos([1.0]).numpy() -> array([0.], dtype=float32)")
atan = unary(trigonometric.Atan, "tf.atan([0.0]).numpy() -> array([0.], dtype=float32)")
sinh = unary(hyperbolic.Sinh, "tf.sinh([0.0]).numpy() -> array([0.], dtype=float32)")
cosh = unary(hyperbolic.Cosh, "tf.cosh([0.0]).numpy() -> array([1.], dtype=float32)")
tanh = unary(hyperbolic.Tanh, "tf.tanh([0.0, 100.0]).numpy() -> array([0., 1.], dtype=float32)")
asinh = unary(hyperbolic.Asinh, "tf.asinh([0.0]).numpy() -> array([0.], dtype=float32)")
acosh = unary(hyperbolic.Acosh, "tf.acosh([1.0]).numpy() -> array([0.], dtype=float32)")
atanh = unary(hyperbolic.Atanh, "tf.atanh([0.0]).numpy() -> array([0.], dtype=float32)")
erf = unary(Erf, "tf.math.erf([0.0, 10.0]).numpy() -> array([0., 1.], dtype=float32)")

floor = unary(rounding.Floor, "tf.floor([1.7, -1.2]).numpy() -> array([ 1., -2.], dtype=float32)")
ceil = unary(rounding.Ceil, "tf.math.ceil([1.2, -1.7]).numpy() -> array([ 2., -1.], dtype=float32)")
rint = unary(rounding.Rint, "tf.math.rint([1.5, 2.5]).numpy() -> array([2., 2.], dtype=float32)")
round = unary(rounding.Round, "tf.round([1.5, 2.5]).numpy() -> array([2., 2.], dtype=float32)")


def abs(x: Any, name: str | None = None) -> Tensor:
    """The absolute value, elementwise; real for complex numbers. Its derivative at 0 is 0.

    Args:
      x: numbers.

    >>> tf.abs([-1.5, 2.0]).numpy()
    array([1.5, 2. ], dtype=float32)
    """
    result: Tensor = operators.absolute(tensor(x))
    return result


def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1 for real numbers; `x / |x|`, or 0, for complex numbers.

    Args:
      x: numbers.

    >>> tf.sign([-1.5, 0.0, 2.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """
    x = tensor(x)
    if not x.dtype.is_complex:
        return arithmetic.Sign(x)
    size = ComplexAbs(x)
    return division.DivideNoNan(x, Complex(size, selection.number(0, size)))


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x to the power y, elementwise. Where x is not positive, the derivative with respect to y is taken as 0.

    Args:
      x: numbers.
      y: of the same dtype, and a shape that broadcasts with the first. Integers must not be negative for integer x.

    >>> tf.pow([2.0, 3.0], 2).numpy()
    array([4., 9.], dtype=float32)
    """
    result: Tensor = apply(operators.power, x, y)
    return result


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The square of the difference, elementwise; of its absolute value for complex numbers.

    Args:
      x: numbers.
      y: of the same dtype, and a shape that broadcasts with the first.

    >>> tf.math.squared_difference([1.0, 5.0], 2.0).numpy()
    array([1., 9.], dtype=float32)
    """
    x, y = pair(x, y)
    if not x.dtype.is_complex:
        return arithmetic.SquaredDifference(x, y)
    d = x - y
    result: Tensor = d * Conj(d)
    return result


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), elementwise, from -pi to pi.

    Args:
      y: floating point.
      x: of the same dtype, and a shape that broadcasts with the first.

    >>> tf.atan2([0.0], 1.0).numpy()
    array([0.], dtype=float32)
    """
    return trigonometric.Atan2(*pair(y, x))


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, elementwise, and 0 where x is 0.

    Args:
      x: floating point or complex.

    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """
    x = tensor(x)
    return division.DivideNoNan(selection.number(1, x), x)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of x where the condition is true, of y where it is false; all three broadcast together.

    With the condition alone: the indices of the elements that are true, or not zero.

    Args:
      condition: bools; numbers too if it is alone.
      x: any dtype.
      y: of the same dtype.

    >>> tf.where([True, False], [1.0, 2.0], 0.0).numpy()
    array([1., 0.], dtype=float32)
    >>> tf.where([0, 3, 5]).numpy()
    array([[1],
           [2]])
    """
    if x is not None and isinstance(condition, (np.ndarray, np.generic)) and condition.dtype != bool:
        condition = condition.astype(bool)  # as TensorFlow: numbers of NumPy, but no tensors of numbers
    condition = tensor(condition)
    if x is None and y is None:
        return selection.WhereIndices(condition)
    if x is None or y is None:
        raise ValueError(
            errors.compose(
                "where: only one of x and y is given: x and y must be either both None or both non-None.",
                "give both, or neither for indices.",
            )
        )
    return selection.Where(condition, *pair(x, y))


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """The tensor limited to a range. The gradient passes inside it and on both limits.

    Args:
      t: real numbers; IndexedSlices give IndexedSlices.
      clip_value_min: a number, or a tensor that broadcasts to the shape of t.
      clip_value_max: a number, or a tensor that broadcasts to the shape of t.

    >>> tf.clip_by_value([-3.0, 0.5, 3.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    if isinstance(t, IndexedSlices):
        values = clip_by_value(t.values, clip_value_min, clip_value_max)
        return IndexedSlices(values, t.indices, t.dense_shape)  # type: ignore[return-value]
    t = tensor(t)
    return selection.ClipByValue(t, pair(t, clip_value_min)[1], pair(t, clip_value_max)[1])


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of tensors of one shape and dtype.

    Args:
      inputs: a list of tensors or IndexedSlices, or a tensor, whose slices are summed.

    >>> tf.add_n([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).numpy()
    array([ 9., 12.], dtype=float32)
    """
    if isinstance(inputs, (Tensor, Variable)) and not inputs.ndim:
        return tensor(inputs)
    terms = [tensor(x) for x in items(inputs, "add_n", "inputs")]
    if not terms:
        raise ValueError(errors.compose("add_n: there are no inputs.", "give a list of at least one tensor."))
    for i, term in enumerate(terms):
        if term.shape != terms[0].shape:
            raise errors.build(
                errors.ShapeError,
                f"add_n: shapes differ: inputs[0] is {terms[0].shape}, inputs[{i}] is {term.shape}.",
                "all must have one shape: use + to broadcast.",
            )
    return functools.reduce(arithmetic.Add, terms)


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of tensors of one shape and dtype, as `add_n`.

    Args:
      inputs: a list of tensors.
      shape: the shape they have, checked if it is given.
      tensor_dtype: the dtype they have, checked if it is given.

    >>> tf.math.accumulate_n([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([4., 6.], dtype=float32)
    """
    total = add_n(inputs)
    if shape is not None:
        total.shape.assert_is_compatible_with(shape)
    if tensor_dtype is not None and total.dtype != tensor_dtype:
        raise TypeError(
            errors.compose(
                f"accumulate_n: dtypes differ: the inputs are {total.dtype.name}, tensor_dtype is {tensor_dtype!r}."
            )
        )
    return total


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """A tensor, or IndexedSlices, times a scalar.

    Args:
      scalar: a number or a tensor of rank 0.
      x: numbers.

    >>> tf.scalar_mul(2.0, [1.0, 2.0]).numpy()
    array([2., 4.], dtype=float32)
    """
    if isinstance(x, IndexedSlices):
        return IndexedSlices(scalar_mul(scalar, x.values), x.indices, x.dense_shape)  # type: ignore[return-value]
    x, scalar = pair(tensor(x), scalar)
    if scalar.ndim:
        raise ValueError(
            errors.compose(
                f"scalar_mul: scalar must be a scalar, got shape {scalar.shape}.",
                "use tf.multiply for tensors.",
            )
        )
    product: Tensor = scalar * x
    return product


TOP = (
    "abs", "acos", "acosh", "add", "add_n", "asin", "asinh", "atan", "atan2", "atanh", "cast", "clip_by_value",
    "complex", "cos", "cosh", "divide", "equal", "exp", "floor", "greater", "greater_equal", "less", "less_equal",
    "logical_and", "logical_not", "logical_or", "maximum", "minimum", "multiply", "negative", "not_equal", "pow",
    "realdiv", "round", "saturate_cast", "scalar_mul", "sigmoid", "sign", "sin", "sinh", "sqrt", "square",
    "subtract", "tan", "tanh", "truediv", "truncatediv", "truncatemod", "where",
)  # fmt: skip
MATH = (
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "asin", "asinh", "atan", "atan2", "atanh",
    "ceil", "conj", "cos", "cosh", "divide", "divide_no_nan", "equal", "erf", "exp", "expm1", "floor", "floordiv",
    "floormod", "greater", "greater_equal", "imag", "is_finite", "is_inf", "is_nan", "less", "less_equal", "log",
    "log1p", "log_sigmoid", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod",
    "multiply", "multiply_no_nan", "negative", "not_equal", "pow", "real", "reciprocal", "reciprocal_no_nan",
    "rint", "round", "rsqrt", "scalar_mul", "sigmoid", "sign", "sin", "sinh", "softplus", "softsign", "sqrt",
    "square", "squared_difference", "subtract", "tan", "tanh", "truediv",
)  # fmt: skip
NN = (
    "crelu", "elu", "gelu", "leaky_relu", "relu", "relu6", "selu", "sigmoid", "silu", "softplus", "softsign", "swish",
    "tanh",
)  # fmt: skip
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift")
DTYPES = ("cast", "complex", "saturate_cast")
