"""Elementwise functions of `tf.experimental.numpy`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.array_op import on_arrays
from gradtape.arrays import creation
from gradtape.arrays.shapes import shape
from gradtape.core import dtypes, errors
from gradtape.core.shape import Spec, broadcast
from gradtape.core.tensor import Tensor
from gradtape.experimental.numpy._families import binary, unary
from gradtape.experimental.numpy._promotion import asarray, default_float, inexact, promoted
from gradtape.math import _conversion as conversion
from gradtape.math import _elementwise as elementwise
from gradtape.math import _reductions as reductions
from gradtape.math import _special_functions as special_functions
from gradtape.math._conversion import cast


def real(val: Any) -> Tensor:
    """The real part.

    Args:
      val: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.real([1 + 2j]).numpy()
    array([1.])
    """
    return conversion.real(asarray(val))


def imag(val: Any) -> Tensor:
    """The imaginary part.

    Args:
      val: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.imag([1 + 2j]).numpy()
    array([2.])
    """
    val = asarray(val)
    return elementwise.logical_xor(val, val) if val.dtype.is_bool else conversion.imag(val)


def _absolute(x: Any) -> Any:
    return x if x.dtype.is_bool or x.dtype.is_unsigned else elementwise.abs(x)


def _kept(x: Any) -> Any:
    return x


def _truth(x: Any) -> Any:
    return x if x.dtype.is_bool else cast(x, dtypes.bool_)


def _is_finite(x: Any) -> Any:
    return elementwise.is_finite(x) if x.dtype.is_floating or x.dtype.is_complex else elementwise.equal(x, x)


def _is_infinite(x: Any) -> Any:
    return elementwise.is_inf(x) if x.dtype.is_floating or x.dtype.is_complex else elementwise.not_equal(x, x)


def _is_nan(x: Any) -> Any:
    return elementwise.not_equal(x, x)


def _infinity(sign: float) -> Any:
    def test(x: Any) -> Any:
        return elementwise.equal(x, sign * math.inf) if x.dtype.is_floating else elementwise.not_equal(x, x)

    return test


def _cube_root(x: Any) -> Any:
    return elementwise.sign(x) * elementwise.pow(elementwise.abs(x), 1.0 / 3.0)


def _truncated(x: Any) -> Any:
    return elementwise.where(x < 0, elementwise.ceil(x), elementwise.floor(x))


def _sign_bit(x: Any) -> Any:
    # The sign of a zero shows in the infinity that its reciprocal is.
    if x.dtype.is_floating:
        return elementwise.less(elementwise.where(elementwise.equal(x, 0), 1.0 / x, x), 0)
    return creation.fill(shape(x), False) if x.dtype.is_bool else elementwise.less(x, 0)


def _imaginary_is(zero: bool) -> Any:
    def test(x: Any) -> Any:
        if not x.dtype.is_complex:
            return creation.fill(shape(x), zero)
        part = conversion.imag(x)
        return elementwise.equal(part, 0) if zero else elementwise.not_equal(part, 0)

    return test


abs = unary("abs", _absolute, "|x|.", "[-1, 2] -> array([1, 2])", False)
absolute = unary("absolute", _absolute, "|x|.", "[-1.5] -> array([1.5])", False)
fabs = unary("fabs", _absolute, "|x|, as floating point numbers.", "[-1] -> array([1.])")
positive = unary("positive", _kept, "x itself.", "[-1, 2] -> array([-1,  2])", False)
negative = unary("negative", elementwise.negative, "-x.", "[-1, 2] -> array([ 1, -2])", False)
square = unary("square", elementwise.square, "x².", "[3, -4] -> array([ 9, 16])", False)
conj = unary("conj", conversion.conj, "The complex conjugate.", "[1j] -> array([0.-1.j])", False)
conjugate = unary("conjugate", conversion.conj, "The complex conjugate.", "[2j] -> array([0.-2.j])", False)
reciprocal = unary("reciprocal", elementwise.reciprocal, "1 / x.", "[2, 4] -> array([0.5 , 0.25])")
sqrt = unary("sqrt", elementwise.sqrt, "The square root.", "[4, 9] -> array([2., 3.])")
cbrt = unary("cbrt", _cube_root, "The cube root.", "[8.0, -1.0] -> array([ 2., -1.])")
exp = unary("exp", elementwise.exp, "eˣ.", "[0] -> array([1.])")
exp2 = unary("exp2", lambda x: elementwise.pow(2.0, x), "2ˣ.", "[0] -> array([1.])")
expm1 = unary("expm1", elementwise.expm1, "eˣ - 1, exact near zero.", "[0] -> array([0.])")
log = unary("log", elementwise.log, "The natural logarithm.", "[1] -> array([0.])")
log2 = unary("log2", lambda x: elementwise.log(x) / math.log(2.0), "The logarithm to base 2.", "[2] -> array([1.])")
log10 = unary(
    "log10", lambda x: elementwise.log(x) / math.log(10.0), "The logarithm to base 10.", "[10] -> array([1.])"
)
log1p = unary("log1p", elementwise.log1p, "log(1 + x), exact near zero.", "[0] -> array([0.])")
sin = unary("sin", elementwise.sin, "The sine.", "[0] -> array([0.])")
cos = unary("cos", elementwise.cos, "The cosine.", "[0] -> array([1.])")
tan = unary("tan", elementwise.tan, "The tangent.", "[0] -> array([0.])")
arcsin = unary("arcsin", elementwise.asin, "The inverse sine.", "[0] -> array([0.])")
arccos = unary("arccos", elementwise.acos, "The inverse cosine.", "[1] -> array([0.])")
arctan = unary("arctan", elementwise.atan, "The inverse tangent.", "[0] -> array([0.])")
sinh = unary("sinh", elementwise.sinh, "The hyperbolic sine.", "[0] -> array([0.])")
cosh = unary("cosh", elementwise.cosh, "The hyperbolic cosine.", "[0] -> array([1.])")
tanh = unary("tanh", elementwise.tanh, "The hyperbolic tangent.", "[0] -> array([0.])")
arcsinh = unary("arcsinh", elementwise.asinh, "The inverse hyperbolic sine.", "[0] -> array([0.])")
arccosh = unary("arccosh", elementwise.acosh, "The inverse hyperbolic cosine.", "[1] -> array([0.])")
arctanh = unary("arctanh", elementwise.atanh, "The inverse hyperbolic tangent.", "[0] -> array([0.])")
sinc = unary("sinc", special_functions.sinc, "sin(πx) / πx.", "[0] -> array([1.])")
deg2rad = unary("deg2rad", lambda x: x * (math.pi / 180.0), "Degrees in radians.", "[0.0] -> array([0.])")
rad2deg = unary("rad2deg", lambda x: x * (180.0 / math.pi), "Radians in degrees.", "[np.pi] -> array([180.])")
floor = unary(
    "floor", elementwise.floor, "The largest whole number that is not above.", "[1.7, -1.2] -> array([ 1., -2.])"
)
ceil = unary(
    "ceil", elementwise.ceil, "The smallest whole number that is not below.", "[1.2, -1.7] -> array([ 2., -1.])"
)
fix = unary("fix", _truncated, "The whole number toward zero.", "[1.7, -1.7] -> array([ 1., -1.])")
bitwise_not = unary("bitwise_not", lambda x: ~x, "The bits inverted.", "[5, -1] -> array([-6,  0])", False)
logical_not = unary(
    "logical_not", lambda x: ~_truth(x), "True where x is zero.", "[0, 2] -> array([ True, False])", False
)
isfinite = unary(
    "isfinite", _is_finite, "True where x is a finite number.", "[np.inf, 1] -> array([False,  True])", False
)
isinf = unary("isinf", _is_infinite, "True where x is infinite.", "[np.inf, 1] -> array([ True, False])", False)
isnan = unary("isnan", _is_nan, "True where x is not a number.", "[np.nan, 1] -> array([ True, False])", False)
isposinf = unary("isposinf", _infinity(1.0), "True where x is +∞.", "[np.inf, -np.inf] -> array([ True, False])", False)
isneginf = unary(
    "isneginf", _infinity(-1.0), "True where x is -∞.", "[np.inf, -np.inf] -> array([False,  True])", False
)
isreal = unary(
    "isreal", _imaginary_is(True), "True where the imaginary part is 0.", "[1j, 1] -> array([False,  True])", False
)
iscomplex = unary(
    "iscomplex",
    _imaginary_is(False),
    "True where the imaginary part is not 0.",
    "[1j, 1] -> array([ True, False])",
    False,
)
signbit = unary("signbit", _sign_bit, "True where the sign is negative.", "[-1.0, 0.0] -> array([ True, False])", False)


def _on_bools(function: Any, on_bools: Any) -> Any:
    return lambda a, b: (on_bools if a.dtype.is_bool else function)(a, b)


def _of_truth(function: Any) -> Any:
    return lambda a, b: function(_truth(a), _truth(b))


def _remainder(a: Any, b: Any) -> Any:
    return elementwise.floormod(*[cast(x, dtypes.int8) if x.dtype.is_bool else x for x in (a, b)])


def _quotient(a: Any, b: Any) -> Any:
    return elementwise.floordiv(*[cast(x, dtypes.int8) if x.dtype.is_bool else x for x in (a, b)])


def _power(a: Any, b: Any) -> Any:
    return elementwise.pow(a, b)


def _divided(a: Any, b: Any) -> Any:
    if a.dtype.is_bool:
        a, b = [cast(x, default_float()) for x in (a, b)]
    return elementwise.truediv(a, b)


def _hypotenuse(a: Any, b: Any) -> Any:
    # Scaled by the larger one, so that squares do not overflow.
    largest = elementwise.maximum(elementwise.abs(a), elementwise.abs(b))
    scale = elementwise.where(
        elementwise.equal(largest, 0.0), elementwise.divide_no_nan(largest, largest) + 1.0, largest
    )
    return elementwise.where(
        elementwise.equal(largest, 0.0),
        largest,
        scale * elementwise.sqrt(elementwise.square(a / scale) + elementwise.square(b / scale)),
    )


def _step(x: Any, at_zero: Any) -> Any:
    low, high = x - x, x - x + 1.0
    return elementwise.where(
        x < 0, low, elementwise.where(x > 0, high, elementwise.where(elementwise.equal(x, 0), at_zero + low, x))
    )


def _logaddexp2(a: Any, b: Any) -> Any:
    two = math.log(2.0)
    return special_functions.logaddexp(a * two, b * two) / two


def _same(a: Spec, b: Spec) -> Spec:
    shape = broadcast(a.shape, b.shape)
    if shape is None or not a.dtype.is_integer:
        raise errors.build(
            errors.ShapeError if shape is None else errors.DTypeError,
            f"gcd, lcm: x1 and x2 must be integers, got {a} and {b}.",
            "give integers of shapes that broadcast.",
        )
    return Spec(shape, a.dtype)


@on_arrays(_same)
def _gcd(a: Any, b: Any) -> Any:
    return np.gcd(a, b)


@on_arrays(_same)
def _lcm(a: Any, b: Any) -> Any:
    return np.lcm(a, b)


add = binary("add", _on_bools(elementwise.add, elementwise.logical_or), "x1 + x2.", "[1, 2], 0.5 -> array([1.5, 2.5])")
subtract = binary("subtract", elementwise.subtract, "x1 - x2.", "[1, 2], 1 -> array([0, 1])")
multiply = binary(
    "multiply", _on_bools(elementwise.multiply, elementwise.logical_and), "x1 · x2.", "[1, 2], 3 -> array([3, 6])"
)
divide = binary("divide", _divided, "x1 / x2; integers give floating point numbers.", "[7, 8], 2 -> array([3.5, 4. ])")
true_divide = binary("true_divide", _divided, "x1 / x2, as `divide`.", "[7], 2 -> array([3.5])")
floor_divide = binary("floor_divide", _quotient, "x1 / x2, rounded down.", "[7, -7], 2 -> array([ 3, -4])")
mod = binary("mod", _remainder, "The remainder, with the sign of x2.", "[7, -7], 3 -> array([1, 2])")
remainder = binary("remainder", _remainder, "The remainder, as `mod`.", "[7, -7], 3 -> array([1, 2])")
power = binary("power", _power, "x1 to the power of x2.", "[2, 3], 2 -> array([4, 9])")
float_power = binary(
    "float_power", _power, "x1 to the power of x2, in floating point.", "[2, 3], 2 -> array([4., 9.])", True
)
maximum = binary(
    "maximum", _on_bools(elementwise.maximum, elementwise.logical_or), "The larger one.", "[1, 5], 3 -> array([3, 5])"
)
minimum = binary(
    "minimum", _on_bools(elementwise.minimum, elementwise.logical_and), "The smaller one.", "[1, 5], 3 -> array([1, 3])"
)
arctan2 = binary("arctan2", elementwise.atan2, "The angle of the point (x2, x1).", "[0], 1 -> array([0.])", True)
hypot = binary("hypot", _hypotenuse, "√(x1² + x2²).", "[3], 4 -> array([5.])", True)
heaviside = binary(
    "heaviside", _step, "0 below zero, 1 above, x2 at zero.", "[-1, 0, 2], 0.5 -> array([0. , 0.5, 1. ])", True
)
logaddexp = binary(
    "logaddexp", special_functions.logaddexp, "log(exp x1 + exp x2).", "[-np.inf], 0 -> array([0.])", True
)
logaddexp2 = binary("logaddexp2", _logaddexp2, "log2(2 ** x1 + 2 ** x2).", "[-np.inf], 0 -> array([0.])", True)
nextafter = binary(
    "nextafter", special_functions.nextafter, "The next number after x1 toward x2.", "[0.0], 0.0 -> array([0.])", True
)
gcd = binary("gcd", _gcd, "The greatest common divisor.", "[12, 18], 8 -> array([4, 2])")
lcm = binary("lcm", _lcm, "The least common multiple.", "[4, 6], 6 -> array([12,  6])")
equal = binary("equal", elementwise.equal, "True where both are equal.", "[1, 2], 2.0 -> array([False,  True])")
not_equal = binary(
    "not_equal", elementwise.not_equal, "True where they differ.", "[1, 2], 2.0 -> array([ True, False])"
)


def _compared(function: Any) -> Any:
    return lambda a, b: function(*[cast(x, dtypes.int8) if x.dtype.is_bool else x for x in (a, b)])


less = binary("less", _compared(elementwise.less), "x1 < x2.", "[1, 2], 2 -> array([ True, False])")
less_equal = binary("less_equal", _compared(elementwise.less_equal), "x1 ≤ x2.", "[1, 3], 2 -> array([ True, False])")
greater = binary("greater", _compared(elementwise.greater), "x1 > x2.", "[1, 3], 2 -> array([False,  True])")
greater_equal = binary(
    "greater_equal", _compared(elementwise.greater_equal), "x1 ≥ x2.", "[1, 2], 2 -> array([False,  True])"
)
logical_and = binary(
    "logical_and",
    _of_truth(elementwise.logical_and),
    "True where both are not zero.",
    "[0, 2], 3 -> array([False,  True])",
)
logical_or = binary(
    "logical_or", _of_truth(elementwise.logical_or), "True where one is not zero.", "[0, 2], 0 -> array([False,  True])"
)
logical_xor = binary(
    "logical_xor",
    _of_truth(elementwise.logical_xor),
    "True where just one is not zero.",
    "[0, 2], 3 -> array([ True, False])",
)
bitwise_and = binary("bitwise_and", lambda a, b: a & b, "The bits that both have.", "[6, 5], 3 -> array([2, 1])")
bitwise_or = binary("bitwise_or", lambda a, b: a | b, "The bits that one has.", "[6, 5], 3 -> array([7, 7])")
bitwise_xor = binary("bitwise_xor", lambda a, b: a ^ b, "The bits that just one has.", "[6, 5], 3 -> array([5, 6])")


def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """-1, 0 or 1; complex numbers divided by their absolute values.

    Args:
      x: numbers.
      out: None: tensors are immutable.
      where: None: use `tf.where`.
      **kwargs: none is taken.

    >>> tf.experimental.numpy.sign([-2.5, 0.0]).numpy()
    array([-1.,  0.])
    """
    if out is not None or where is not None or kwargs:
        raise ValueError(errors.compose("sign: arguments other than x are not taken.", "use tf.where for `where`."))
    return elementwise.sign(asarray(x))


def angle(z: Any, deg: bool = False) -> Tensor:
    """The angle of complex numbers.

    Args:
      z: numbers.
      deg: in degrees instead of radians.

    >>> tf.experimental.numpy.angle([1j, 1.0], deg=True).numpy()
    array([90.,  0.])
    """
    found = conversion.angle(inexact(z)[0])
    return found * (180.0 / math.pi) if deg else found


def around(a: Any, decimals: int = 0) -> Tensor:
    """The numbers rounded to a number of decimals; halves to the even neighbour.

    Args:
      a: numbers.
      decimals: how many; negative ones count digits in front of the point.

    >>> tf.experimental.numpy.around([1.25, 2.5], 1).numpy()
    array([1.2, 2.5])
    """
    given = asarray(a)
    own = given.dtype
    if own.is_integer and decimals >= 0:
        return given
    factor = 10.0**decimals
    x = given if own.is_floating or own.is_complex else cast(given, default_float())
    return cast(elementwise.round(x * factor) / factor if decimals else elementwise.round(x), own)


def round(a: Any, decimals: int = 0) -> Tensor:
    """As `around`.

    >>> tf.experimental.numpy.round([0.5, 1.5]).numpy()
    array([0., 2.])
    """
    return around(a, decimals)


def clip(a: Any, a_min: Any, a_max: Any) -> Tensor:
    """The numbers limited to a range.

    Args:
      a: numbers.
      a_min: the lower limit, or None.
      a_max: the upper limit, or None.

    >>> tf.experimental.numpy.clip([-3, 0, 3], -1, None).numpy()
    array([-1,  0,  3])
    """
    if a_min is None and a_max is None:
        raise ValueError(errors.compose("clip: a_min and a_max are both None.", "give at least one of them."))
    if a_min is not None:
        a = elementwise.maximum(*promoted(a, a_min))
    return a if a_max is None else elementwise.minimum(*promoted(a, a_max))


def divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """The quotient rounded down, and the remainder.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> [int(part) for part in tf.experimental.numpy.divmod(7, 2)]
    [3, 1]
    """
    return floor_divide(x1, x2), mod(x1, x2)


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """True where two numbers differ by no more than `atol + rtol · |b|`.

    Args:
      a: numbers.
      b: numbers, of a shape that broadcasts with the first.
      rtol: the relative tolerance.
      atol: the absolute tolerance.
      equal_nan: whether two NaN are alike.

    >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).numpy()
    array([ True, False])
    """
    a, b = promoted(a, b)
    alike = elementwise.equal(a, b)
    if a.dtype.is_floating or a.dtype.is_complex:
        near = elementwise.less_equal(elementwise.abs(a - b), atol + rtol * elementwise.abs(b))
        alike = alike | (near & elementwise.is_finite(a) & elementwise.is_finite(b))
        if equal_nan:
            alike = alike | (isnan(a) & isnan(b))
    return alike


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """True if `isclose` is true everywhere.

    >>> bool(tf.experimental.numpy.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9]))
    True
    """
    return reductions.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any) -> Tensor:
    """True if two arrays have the same shape and the same elements.

    >>> bool(tf.experimental.numpy.array_equal([1, 2], [1, 2]))
    True
    """
    a1, a2 = promoted(a1, a2)
    if tuple(a1.shape) != tuple(a2.shape):
        return asarray(False)
    return reductions.reduce_all(elementwise.equal(a1, a2))
