"""Samples of divisions and remainders."""

import fractions
import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.division import Divide, DivideNoNan, FloorDiv, FloorMod, Reciprocal, TruncateDiv, TruncateMod
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
COMPLEX = "complex64 complex128"
INTEGER = "int8 int16 int32 int64"

VECTOR = np.array([0.5, -1.25, 2.0])
MATRIX = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
COLUMN = np.array([[0.75], [-1.5]])
Z = np.array([1.0 + 2.0j, -0.5 + 0.25j, 3.0 - 1.0j])
W = np.array([[0.5 - 1.5j], [2.0 + 0.75j]])


@np.vectorize
def quotient(a, b):
    """a / b by rational arithmetic, rounded once."""
    return float(fractions.Fraction(a) / fractions.Fraction(b))


def complex_quotient(a, b):
    size = b.real**2 + b.imag**2
    return ((a.real * b.real + a.imag * b.imag) + 1j * (a.imag * b.real - a.real * b.imag)) / size


for op in (Divide, DivideNoNan):
    sample(op, VECTOR, VECTOR[::-1].copy(), reference=quotient, dtypes=REAL)
    sample(op, MATRIX, COLUMN, reference=quotient, dtypes=REAL)
    sample(op, 1.5, MATRIX, reference=quotient)
    sample(op, MATRIX, 0.75, reference=quotient)
    sample(op, Z, W, reference=complex_quotient, dtypes=COMPLEX)
    bad(op, MATRIX, MATRIX.T.copy(), error=errors.ShapeError, match="do not broadcast")
    bad(op, np.array([1, 2]), np.array([1, 2]), error=errors.DTypeError, match="must be floating point")

ZEROS = np.array([0.0, 1.0, -1.0, 6.0]), np.array([0.0, 0.0, 0.0, 2.0])
sample(Divide, *ZEROS, reference=lambda a, b: np.array([np.nan, np.inf, -np.inf, 3.0]), dtypes=REAL, smooth=False)
sample(DivideNoNan, *ZEROS, reference=lambda a, b: np.array([0.0, 0.0, 0.0, 3.0]), dtypes=REAL, smooth=False)

sample(Reciprocal, MATRIX, reference=lambda x: quotient(np.ones_like(x), x), dtypes=REAL)
sample(Reciprocal, Z, reference=lambda z: complex_quotient(np.ones_like(z), z), dtypes=COMPLEX)
bad(Reciprocal, np.array([1, 2]), error=errors.DTypeError, match="must be floating point")

# Quotients well away from whole numbers, so that the remainders are smooth.
A = np.array([[7.25, -7.25, 3.5], [-0.625, 9.75, -5.25]])
B = np.array([2.0, -3.0, 1.0625])
WHOLE = np.array([[7, -7, 9], [-8, 6, 0]])
DIVISORS = np.array([2, -3, -4])

ROUNDED = {
    FloorDiv: lambda a, b: math.floor(fractions.Fraction(a) / fractions.Fraction(b)),
    TruncateDiv: lambda a, b: math.trunc(fractions.Fraction(a) / fractions.Fraction(b)),
    FloorMod: lambda a, b: a - b * math.floor(fractions.Fraction(a) / fractions.Fraction(b)),
    TruncateMod: lambda a, b: a - b * math.trunc(fractions.Fraction(a) / fractions.Fraction(b)),
}

for op, function in ROUNDED.items():
    floats = np.vectorize(function, otypes=[np.float64])
    integers = np.vectorize(lambda a, b, f=function: f(int(a), int(b)), otypes=[np.int64])
    sample(op, A, B, reference=floats, dtypes=REAL)
    sample(op, A, -2.0, reference=floats)
    sample(op, 7.25, B, reference=floats)
    sample(op, WHOLE, DIVISORS, reference=integers, dtypes=INTEGER)
    sample(op, np.array([7, 200], np.uint8), np.array([3, 7], np.uint8), reference=integers, dtypes="uint8 uint16")
    bad(op, np.array([1, 2]), np.array([1, 0]), error=errors.InvalidArgumentError, match="division by zero")
    bad(op, A, A.T.copy(), error=errors.ShapeError, match="do not broadcast")
    bad(op, Z, Z, error=errors.DTypeError, match="c128")

ODD = np.array([1.0, -1.0, 7.0, 5.0]), np.array([0.0, 0.0, np.inf, 0.1])
sample(FloorDiv, *ODD, reference=lambda a, b: np.array([np.inf, -np.inf, 0.0, 50.0]), smooth=False)
