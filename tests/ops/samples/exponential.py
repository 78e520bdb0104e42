"""Samples of exponentials, logarithms, roots and powers."""

import cmath
import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.exponential import Exp, Expm1, IntegerPow, Log, Log1p, Pow, Rsqrt, Sqrt
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
COMPLEX = "complex64 complex128"

MATRIX = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
POSITIVE = np.array([[0.25, 1.5, 3.0], [10.0, 0.75, 2.0]])
Z = np.array([1.0 + 2.0j, -0.5 + 0.25j, 0.75 - 1.0j])
WHOLE = np.array([[3, -5, 2], [1, 4, -2]])


def each(function, kind=np.float64):
    """A function of Python numbers as a function of arrays."""
    return np.vectorize(function, otypes=[kind])


sample(Exp, MATRIX, reference=each(math.exp), dtypes=REAL)
sample(Exp, -0.5, reference=each(math.exp))
sample(Exp, Z, reference=each(cmath.exp, complex), dtypes=COMPLEX)
sample(Exp, np.array([-np.inf, 1000.0, np.nan]), reference=lambda x: np.array([0.0, np.inf, np.nan]), smooth=False)

sample(Expm1, MATRIX, reference=each(math.expm1), dtypes=REAL)
sample(Expm1, np.array([1e-10, -1e-10, -30.0]), reference=each(math.expm1))
sample(Expm1, Z, reference=lambda z: np.exp(z) - 1, dtypes=COMPLEX)

sample(Log, POSITIVE, reference=each(math.log), dtypes=REAL)
sample(Log, 0.5, reference=each(math.log))
sample(Log, Z, reference=each(cmath.log, complex), dtypes=COMPLEX)
sample(Log, np.array([0.0, -1.0, np.inf]), reference=lambda x: np.array([-np.inf, np.nan, np.inf]), smooth=False)

sample(Log1p, POSITIVE - 0.5, reference=each(math.log1p), dtypes=REAL)
sample(Log1p, np.array([1e-10, -1e-10]), reference=each(math.log1p))
sample(Log1p, Z, reference=lambda z: np.log(1 + z), dtypes=COMPLEX)

sample(Sqrt, POSITIVE, reference=each(math.sqrt), dtypes=REAL)
sample(Sqrt, 2.0, reference=each(math.sqrt))
sample(Sqrt, Z, reference=each(cmath.sqrt, complex), dtypes=COMPLEX)
sample(Sqrt, np.array([0.0, -1.0]), reference=lambda x: np.array([0.0, np.nan]), smooth=False)

sample(Rsqrt, POSITIVE, reference=each(lambda x: math.pow(x, -0.5)), dtypes=REAL)
sample(Rsqrt, Z, reference=each(lambda z: 1 / cmath.sqrt(z), complex), dtypes=COMPLEX)
sample(Rsqrt, np.array([0.0, np.inf]), reference=lambda x: np.array([np.inf, 0.0]), smooth=False)

for op in (Exp, Expm1, Log, Log1p, Sqrt, Rsqrt):
    bad(op, WHOLE, error=errors.DTypeError, match="must be floating point")

power = each(math.pow)
sample(Pow, POSITIVE, np.array([2.5, -1.5, 0.5]), reference=power, dtypes=REAL)
sample(Pow, POSITIVE, np.array([[1.5], [-0.5]]), reference=power, dtypes=REAL)
sample(Pow, 1.5, MATRIX, reference=power)
sample(Pow, POSITIVE, 2.0, reference=power)
sample(Pow, Z, Z[:1] / 2, reference=each(lambda a, b: cmath.exp(b * cmath.log(a)), complex), dtypes=COMPLEX)
sample(Pow, WHOLE, np.array([3, 2, 0]), reference=each(pow, np.int64), dtypes="int16 int32 int64")
sample(
    Pow,
    np.array([0.0, 0.0, -2.0, -2.0]),
    np.array([0.0, 2.0, 3.0, 0.5]),
    reference=lambda a, b: np.array([1.0, 0.0, -8.0, np.nan]),
    dtypes=REAL,
    smooth=False,
)
bad(Pow, WHOLE, np.array([[-1], [2]]), error=errors.InvalidArgumentError, match="negative integer powers")
bad(Pow, POSITIVE, POSITIVE.T.copy(), error=errors.ShapeError, match="do not broadcast")
bad(Pow, POSITIVE, WHOLE, error=errors.DTypeError, match="dtypes differ")

for n in (1, 2, 3, 4, 7, 10):
    sample(IntegerPow, MATRIX, reference=lambda x, exponent: each(math.pow)(x, exponent), dtypes=REAL, exponent=n)
sample(IntegerPow, -1.5, reference=lambda x, exponent: -3.375, exponent=3)
sample(IntegerPow, np.array([0.0, 1.0]), reference=lambda x, exponent: x, exponent=3)
sample(IntegerPow, Z, reference=lambda z, exponent: np.exp(exponent * np.log(z)), dtypes=COMPLEX, exponent=5)
sample(
    IntegerPow, WHOLE, reference=lambda x, exponent: each(pow, np.int64)(x, exponent), dtypes="int16 int32", exponent=4
)
bad(IntegerPow, np.array([True]), error=errors.DTypeError, match="bool", exponent=3)
