# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.core.tensor import Tensor as ndarray
from gradtape.experimental.numpy import random
from gradtape.experimental.numpy._behavior import experimental_enable_numpy_behavior
from gradtape.experimental.numpy._creation import arange
from gradtape.experimental.numpy._creation import broadcast_arrays
from gradtape.experimental.numpy._creation import copy
from gradtape.experimental.numpy._creation import empty
from gradtape.experimental.numpy._creation import empty_like
from gradtape.experimental.numpy._creation import full
from gradtape.experimental.numpy._creation import full_like
from gradtape.experimental.numpy._creation import geomspace
from gradtape.experimental.numpy._creation import ix_
from gradtape.experimental.numpy._creation import linspace
from gradtape.experimental.numpy._creation import logspace
from gradtape.experimental.numpy._creation import meshgrid
from gradtape.experimental.numpy._creation import ones_like
from gradtape.experimental.numpy._creation import zeros_like
from gradtape.experimental.numpy._elementwise import allclose
from gradtape.experimental.numpy._elementwise import angle
from gradtape.experimental.numpy._elementwise import around
from gradtape.experimental.numpy._elementwise import array_equal
from gradtape.experimental.numpy._elementwise import clip
from gradtape.experimental.numpy._elementwise import conj
from gradtape.experimental.numpy._elementwise import conjugate
from gradtape.experimental.numpy._elementwise import divmod
from gradtape.experimental.numpy._elementwise import isclose
from gradtape.experimental.numpy._elementwise import round
from gradtape.experimental.numpy._elementwise import sign
from gradtape.experimental.numpy._joining import append
from gradtape.experimental.numpy._joining import concatenate
from gradtape.experimental.numpy._joining import dsplit
from gradtape.experimental.numpy._joining import dstack
from gradtape.experimental.numpy._joining import hsplit
from gradtape.experimental.numpy._joining import hstack
from gradtape.experimental.numpy._joining import split
from gradtape.experimental.numpy._joining import stack
from gradtape.experimental.numpy._joining import vsplit
from gradtape.experimental.numpy._joining import vstack
from gradtape.experimental.numpy._matrices import diag
from gradtape.experimental.numpy._matrices import diag_indices
from gradtape.experimental.numpy._matrices import diagflat
from gradtape.experimental.numpy._matrices import diagonal
from gradtape.experimental.numpy._matrices import eye
from gradtape.experimental.numpy._matrices import identity
from gradtape.experimental.numpy._matrices import tri
from gradtape.experimental.numpy._matrices import tril
from gradtape.experimental.numpy._matrices import triu
from gradtape.experimental.numpy._matrices import vander
from gradtape.experimental.numpy._movement import atleast_1d
from gradtape.experimental.numpy._movement import atleast_2d
from gradtape.experimental.numpy._movement import atleast_3d
from gradtape.experimental.numpy._movement import broadcast_to
from gradtape.experimental.numpy._movement import expand_dims
from gradtape.experimental.numpy._movement import flatten
from gradtape.experimental.numpy._movement import flip
from gradtape.experimental.numpy._movement import fliplr
from gradtape.experimental.numpy._movement import flipud
from gradtape.experimental.numpy._movement import moveaxis
from gradtape.experimental.numpy._movement import ndim
from gradtape.experimental.numpy._movement import pad
from gradtape.experimental.numpy._movement import ravel
from gradtape.experimental.numpy._movement import repeat
from gradtape.experimental.numpy._movement import reshape
from gradtape.experimental.numpy._movement import roll
from gradtape.experimental.numpy._movement import rot90
from gradtape.experimental.numpy._movement import shape
from gradtape.experimental.numpy._movement import squeeze
from gradtape.experimental.numpy._movement import swapaxes
from gradtape.experimental.numpy._movement import tile
from gradtape.experimental.numpy._movement import transpose
from gradtape.experimental.numpy._ordering import argmax
from gradtape.experimental.numpy._ordering import argmin
from gradtape.experimental.numpy._ordering import argsort
from gradtape.experimental.numpy._ordering import cumprod
from gradtape.experimental.numpy._ordering import cumsum
from gradtape.experimental.numpy._ordering import diff
from gradtape.experimental.numpy._ordering import sort
from gradtape.experimental.numpy._products import cross
from gradtape.experimental.numpy._products import dot
from gradtape.experimental.numpy._products import einsum
from gradtape.experimental.numpy._products import inner
from gradtape.experimental.numpy._products import kron
from gradtape.experimental.numpy._products import matmul
from gradtape.experimental.numpy._products import outer
from gradtape.experimental.numpy._products import tensordot
from gradtape.experimental.numpy._products import trace
from gradtape.experimental.numpy._products import vdot
from gradtape.experimental.numpy._promotion import array
from gradtape.experimental.numpy._promotion import asanyarray
from gradtape.experimental.numpy._promotion import asarray
from gradtape.experimental.numpy._promotion import ascontiguousarray
from gradtape.experimental.numpy._promotion import finfo
from gradtape.experimental.numpy._promotion import iscomplexobj
from gradtape.experimental.numpy._promotion import isrealobj
from gradtape.experimental.numpy._promotion import isscalar
from gradtape.experimental.numpy._promotion import issubdtype
from gradtape.experimental.numpy._promotion import promote_types
from gradtape.experimental.numpy._promotion import result_type
from gradtape.experimental.numpy._reductions import average
from gradtape.experimental.numpy._reductions import count_nonzero
from gradtape.experimental.numpy._reductions import mean
from gradtape.experimental.numpy._reductions import polyval
from gradtape.experimental.numpy._reductions import size
from gradtape.experimental.numpy._reductions import var
from gradtape.experimental.numpy._selection import compress
from gradtape.experimental.numpy._selection import nonzero
from gradtape.experimental.numpy._selection import select
from gradtape.experimental.numpy._selection import take
from gradtape.experimental.numpy._selection import take_along_axis
from gradtape.experimental.numpy._selection import where
from typing import Any

__all__ = [
    "abs",
    "absolute",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "around",
    "array",
    "array_equal",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "average",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bool_",
    "broadcast_arrays",
    "broadcast_to",
    "cbrt",
    "ceil",
    "clip",
    "complex128",
    "complex64",
    "complex_",
    "compress",
    "concatenate",
    "conj",
    "conjugate",
    "copy",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cumprod",
    "cumsum",
    "deg2rad",
    "diag",
    "diag_indices",
    "diagflat",
    "diagonal",
    "diff",
    "divide",
    "divmod",
    "dot",
    "dsplit",
    "dstack",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "exp2",
    "expand_dims",
    "experimental_enable_numpy_behavior",
    "expm1",
    "eye",
    "fabs",
    "finfo",
    "fix",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "float_",
    "float_power",
    "floor",
    "floor_divide",
    "full",
    "full_like",
    "gcd",
    "geomspace",
    "greater",
    "greater_equal",
    "heaviside",
    "hsplit",
    "hstack",
    "hypot",
    "identity",
    "iinfo",
    "imag",
    "inexact",
    "inf",
    "inner",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "issubdtype",
    "ix_",
    "kron",
    "lcm",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "matmul",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "moveaxis",
    "multiply",
    "nanmean",
    "nanprod",
    "nansum",
    "ndarray",
    "ndim",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "object_",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "pi",
    "polyval",
    "positive",
    "power",
    "prod",
    "promote_types",
    "ptp",
    "rad2deg",
    "random",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "rot90",
    "round",
    "select",
    "shape",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "size",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "string_",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "trace",
    "transpose",
    "tri",
    "tril",
    "triu",
    "true_divide",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unicode_",
    "vander",
    "var",
    "vdot",
    "vsplit",
    "vstack",
    "where",
    "zeros",
    "zeros_like",
]
bool_: type
complex128: type
complex64: type
complex_: type
e: float
float16: type
float32: type
float64: type
float_: type
iinfo: type
inexact: type
inf: float
int16: type
int32: type
int64: type
int8: type
int_: type
newaxis: None
object_: type
pi: float
string_: type
uint16: type
uint32: type
uint64: type
uint8: type
unicode_: type

def abs(x: TensorLike) -> Tensor:
    """|x|.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.abs([-1, 2]).numpy()
    array([1, 2])
    """

def absolute(x: TensorLike) -> Tensor:
    """|x|.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.absolute([-1.5]).numpy()
    array([1.5])
    """

def add(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 + x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.add([1, 2], 0.5).numpy()
    array([1.5, 2.5])
    """

def all(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """True if all elements over axes are not zero.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> bool(tf.experimental.numpy.all([1, 0]))
    False
    """

def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Tensor:
    """The largest element over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      out: None: tensors are immutable.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.amax([3, 3]))
    3
    """

def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Tensor:
    """The smallest element over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      out: None: tensors are immutable.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.amin([3, 3]))
    3
    """

def any(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """True if an element over axes is not zero.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> bool(tf.experimental.numpy.any([1, 0]))
    True
    """

def arccos(x: TensorLike) -> Tensor:
    """The inverse cosine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.arccos([1]).numpy()
    array([0.])
    """

def arccosh(x: TensorLike) -> Tensor:
    """The inverse hyperbolic cosine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.arccosh([1]).numpy()
    array([0.])
    """

def arcsin(x: TensorLike) -> Tensor:
    """The inverse sine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.arcsin([0]).numpy()
    array([0.])
    """

def arcsinh(x: TensorLike) -> Tensor:
    """The inverse hyperbolic sine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.arcsinh([0]).numpy()
    array([0.])
    """

def arctan(x: TensorLike) -> Tensor:
    """The inverse tangent.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.arctan([0]).numpy()
    array([0.])
    """

def arctan2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The angle of the point (x2, x1).

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.arctan2([0], 1).numpy()
    array([0.])
    """

def arctanh(x: TensorLike) -> Tensor:
    """The inverse hyperbolic tangent.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.arctanh([0]).numpy()
    array([0.])
    """

def bitwise_and(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits that both have.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.bitwise_and([6, 5], 3).numpy()
    array([2, 1])
    """

def bitwise_not(x: TensorLike) -> Tensor:
    """The bits inverted.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.bitwise_not([5, -1]).numpy()
    array([-6,  0])
    """

def bitwise_or(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits that one has.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.bitwise_or([6, 5], 3).numpy()
    array([7, 7])
    """

def bitwise_xor(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits that just one has.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.bitwise_xor([6, 5], 3).numpy()
    array([5, 6])
    """

def cbrt(x: TensorLike) -> Tensor:
    """The cube root.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.cbrt([8.0, -1.0]).numpy()
    array([ 2., -1.])
    """

def ceil(x: TensorLike) -> Tensor:
    """The smallest whole number that is not below.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.])
    """

def cos(x: TensorLike) -> Tensor:
    """The cosine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.cos([0]).numpy()
    array([1.])
    """

def cosh(x: TensorLike) -> Tensor:
    """The hyperbolic cosine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.cosh([0]).numpy()
    array([1.])
    """

def deg2rad(x: TensorLike) -> Tensor:
    """Degrees in radians.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.deg2rad([0.0]).numpy()
    array([0.])
    """

def divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 / x2; integers give floating point numbers.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.divide([7, 8], 2).numpy()
    array([3.5, 4. ])
    """

def equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """True where both are equal.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.equal([1, 2], 2.0).numpy()
    array([False,  True])
    """

def exp(x: TensorLike) -> Tensor:
    """eˣ.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.exp([0]).numpy()
    array([1.])
    """

def exp2(x: TensorLike) -> Tensor:
    """2ˣ.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.exp2([0]).numpy()
    array([1.])
    """

def expm1(x: TensorLike) -> Tensor:
    """eˣ - 1, exact near zero.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.expm1([0]).numpy()
    array([0.])
    """

def fabs(x: TensorLike) -> Tensor:
    """|x|, as floating point numbers.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.fabs([-1]).numpy()
    array([1.])
    """

def fix(x: TensorLike) -> Tensor:
    """The whole number toward zero.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.fix([1.7, -1.7]).numpy()
    array([ 1., -1.])
    """

def float_power(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 to the power of x2, in floating point.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.float_power([2, 3], 2).numpy()
    array([4., 9.])
    """

def floor(x: TensorLike) -> Tensor:
    """The largest whole number that is not above.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.floor([1.7, -1.2]).numpy()
    array([ 1., -2.])
    """

def floor_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 / x2, rounded down.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.floor_divide([7, -7], 2).numpy()
    array([ 3, -4])
    """

def gcd(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The greatest common divisor.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.gcd([12, 18], 8).numpy()
    array([4, 2])
    """

def greater(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 > x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.greater([1, 3], 2).numpy()
    array([False,  True])
    """

def greater_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 ≥ x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.greater_equal([1, 2], 2).numpy()
    array([False,  True])
    """

def heaviside(x1: TensorLike, x2: TensorLike) -> Tensor:
    """0 below zero, 1 above, x2 at zero.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.heaviside([-1, 0, 2], 0.5).numpy()
    array([0. , 0.5, 1. ])
    """

def hypot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """√(x1² + x2²).

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.hypot([3], 4).numpy()
    array([5.])
    """

def imag(val: Any) -> Tensor:
    """The imaginary part.

    Args:
      val: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.imag([1 + 2j]).numpy()
    array([2.])
    """

def iscomplex(x: TensorLike) -> Tensor:
    """True where the imaginary part is not 0.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.iscomplex([1j, 1]).numpy()
    array([ True, False])
    """

def isfinite(x: TensorLike) -> Tensor:
    """True where x is a finite number.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.isfinite([np.inf, 1]).numpy()
    array([False,  True])
    """

def isinf(x: TensorLike) -> Tensor:
    """True where x is infinite.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.isinf([np.inf, 1]).numpy()
    array([ True, False])
    """

def isnan(x: TensorLike) -> Tensor:
    """True where x is not a number.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.isnan([np.nan, 1]).numpy()
    array([ True, False])
    """

def isneginf(x: TensorLike) -> Tensor:
    """True where x is -∞.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.isneginf([np.inf, -np.inf]).numpy()
    array([False,  True])
    """

def isposinf(x: TensorLike) -> Tensor:
    """True where x is +∞.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.isposinf([np.inf, -np.inf]).numpy()
    array([ True, False])
    """

def isreal(x: TensorLike) -> Tensor:
    """True where the imaginary part is 0.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.isreal([1j, 1]).numpy()
    array([False,  True])
    """

def lcm(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The least common multiple.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.lcm([4, 6], 6).numpy()
    array([12,  6])
    """

def less(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 < x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.less([1, 2], 2).numpy()
    array([ True, False])
    """

def less_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 ≤ x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.less_equal([1, 3], 2).numpy()
    array([ True, False])
    """

def log(x: TensorLike) -> Tensor:
    """The natural logarithm.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.log([1]).numpy()
    array([0.])
    """

def log10(x: TensorLike) -> Tensor:
    """The logarithm to base 10.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.log10([10]).numpy()
    array([1.])
    """

def log1p(x: TensorLike) -> Tensor:
    """log(1 + x), exact near zero.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.log1p([0]).numpy()
    array([0.])
    """

def log2(x: TensorLike) -> Tensor:
    """The logarithm to base 2.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.log2([2]).numpy()
    array([1.])
    """

def logaddexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """log(exp x1 + exp x2).

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.logaddexp([-np.inf], 0).numpy()
    array([0.])
    """

def logaddexp2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """log2(2 ** x1 + 2 ** x2).

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.logaddexp2([-np.inf], 0).numpy()
    array([0.])
    """

def logical_and(x1: TensorLike, x2: TensorLike) -> Tensor:
    """True where both are not zero.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.logical_and([0, 2], 3).numpy()
    array([False,  True])
    """

def logical_not(x: TensorLike) -> Tensor:
    """True where x is zero.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.logical_not([0, 2]).numpy()
    array([ True, False])
    """

def logical_or(x1: TensorLike, x2: TensorLike) -> Tensor:
    """True where one is not zero.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.logical_or([0, 2], 0).numpy()
    array([False,  True])
    """

def logical_xor(x1: TensorLike, x2: TensorLike) -> Tensor:
    """True where just one is not zero.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.logical_xor([0, 2], 3).numpy()
    array([ True, False])
    """

def max(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The largest element over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.max([3, 3]))
    3
    """

def maximum(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The larger one.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.maximum([1, 5], 3).numpy()
    array([3, 5])
    """

def min(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The smallest element over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.min([3, 3]))
    3
    """

def minimum(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The smaller one.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.minimum([1, 5], 3).numpy()
    array([1, 3])
    """

def mod(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The remainder, with the sign of x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.mod([7, -7], 3).numpy()
    array([1, 2])
    """

def multiply(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 · x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.multiply([1, 2], 3).numpy()
    array([3, 6])
    """

def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The mean over axes of the elements that are not NaN.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to compute; integers by default in 64 bits.
      keepdims: keep the axes with length 1.

    >>> float(tf.experimental.numpy.nanmean([1.0, np.nan, 3.0]))
    2.0
    """

def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The product over axes, with NaN as 1.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to compute; integers by default in 64 bits.
      keepdims: keep the axes with length 1.

    >>> float(tf.experimental.numpy.nanprod([2.0, np.nan]))
    2.0
    """

def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The sum over axes, with NaN as 0.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to compute; integers by default in 64 bits.
      keepdims: keep the axes with length 1.

    >>> float(tf.experimental.numpy.nansum([1.0, np.nan]))
    1.0
    """

def negative(x: TensorLike) -> Tensor:
    """-x.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.negative([-1, 2]).numpy()
    array([ 1, -2])
    """

def nextafter(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The next number after x1 toward x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.nextafter([0.0], 0.0).numpy()
    array([0.])
    """

def not_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """True where they differ.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.not_equal([1, 2], 2.0).numpy()
    array([ True, False])
    """

def ones(shape: Any, dtype: Any = ...) -> Tensor:
    """Ones.

    Args:
      shape: an int or a sequence of ints.
      dtype: float64 by default.

    >>> tf.experimental.numpy.ones((1, 2)).numpy()
    array([[1., 1.]])
    """

def positive(x: TensorLike) -> Tensor:
    """x itself.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.positive([-1, 2]).numpy()
    array([-1,  2])
    """

def power(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 to the power of x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.power([2, 3], 2).numpy()
    array([4, 9])
    """

def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The product over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to compute; integers by default in 64 bits.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.prod([2, 3, 4]))
    24
    """

def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The difference of the largest and the smallest element over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> int(tf.experimental.numpy.ptp([3, 9, 5]))
    6
    """

def rad2deg(x: TensorLike) -> Tensor:
    """Radians in degrees.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.rad2deg([np.pi]).numpy()
    array([180.])
    """

def real(val: Any) -> Tensor:
    """The real part.

    Args:
      val: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.real([1 + 2j]).numpy()
    array([1.])
    """

def reciprocal(x: TensorLike) -> Tensor:
    """1 / x.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.reciprocal([2, 4]).numpy()
    array([0.5 , 0.25])
    """

def remainder(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The remainder, as `mod`.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.remainder([7, -7], 3).numpy()
    array([1, 2])
    """

def signbit(x: TensorLike) -> Tensor:
    """True where the sign is negative.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.signbit([-1.0, 0.0]).numpy()
    array([ True, False])
    """

def sin(x: TensorLike) -> Tensor:
    """The sine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.sin([0]).numpy()
    array([0.])
    """

def sinc(x: TensorLike) -> Tensor:
    """sin(πx) / πx.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.sinc([0]).numpy()
    array([1.])
    """

def sinh(x: TensorLike) -> Tensor:
    """The hyperbolic sine.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.sinh([0]).numpy()
    array([0.])
    """

def sqrt(x: TensorLike) -> Tensor:
    """The square root.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.sqrt([4, 9]).numpy()
    array([2., 3.])
    """

def square(x: TensorLike) -> Tensor:
    """x².

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.square([3, -4]).numpy()
    array([ 9, 16])
    """

def std(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """The standard deviation over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      keepdims: keep the axes with length 1.

    >>> float(tf.experimental.numpy.std([1, 3]))
    1.0
    """

def subtract(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 - x2.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.subtract([1, 2], 1).numpy()
    array([0, 1])
    """

def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The sum over axes.

    Args:
      a: numbers.
      axis: an int, a tuple of ints, or None for all.
      dtype: in which to compute; integers by default in 64 bits.
      keepdims: keep the axes with length 1.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """

def tan(x: TensorLike) -> Tensor:
    """The tangent.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.tan([0]).numpy()
    array([0.])
    """

def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent.

    Args:
      x: numbers: a tensor, an array, or a value that becomes one.

    >>> tf.experimental.numpy.tanh([0]).numpy()
    array([0.])
    """

def true_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 / x2, as `divide`.

    Args:
      x1: numbers.
      x2: numbers, of a shape that broadcasts with the first.

    >>> tf.experimental.numpy.true_divide([7], 2).numpy()
    array([3.5])
    """

def zeros(shape: Any, dtype: Any = ...) -> Tensor:
    """Zeros.

    Args:
      shape: an int or a sequence of ints.
      dtype: float64 by default.

    >>> tf.experimental.numpy.zeros(2).numpy()
    array([0., 0.])
    """
