"""Samples of sums, products, squares and signs."""

import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.arithmetic import (
    Abs,
    Add,
    AddStrings,
    Multiply,
    MultiplyNoNan,
    Negative,
    Sign,
    Square,
    SquaredDifference,
    Subtract,
)
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
COMPLEX = "complex64 complex128"
INTEGER = "int8 int16 int32 int64"

VECTOR = np.array([0.5, -1.25, 2.0])
MATRIX = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
COLUMN = np.array([[0.75], [-1.5]])
Z = np.array([1.0 + 2.0j, -0.5 + 0.25j, 3.0 - 1.0j])
W = np.array([[0.5 - 1.5j], [2.0 + 0.75j]])
WHOLE = np.array([[3, -5, 7], [1, 4, -2]])

BINARY = {
    Add: lambda a, b: math.fsum((a, b)),
    Subtract: lambda a, b: math.fsum((a, -b)),
    Multiply: lambda a, b: math.prod((a, b)),
    SquaredDifference: lambda a, b: math.dist((a,), (b,)) ** 2,
}

for op, function in BINARY.items():
    reference = np.vectorize(function, otypes=[np.float64])
    sample(op, VECTOR, VECTOR[::-1].copy(), reference=reference, dtypes=REAL)
    sample(op, MATRIX, COLUMN, reference=reference, dtypes=REAL)
    sample(op, COLUMN, VECTOR, reference=reference)
    sample(op, 1.5, MATRIX, reference=reference)
    sample(op, 1.5, -0.25, reference=reference, dtypes=REAL)
    sample(op, WHOLE, WHOLE[:, :1], reference=np.vectorize(lambda a, b, f=function: int(f(a, b))), dtypes=INTEGER)
    bad(op, MATRIX, MATRIX.T.copy(), error=errors.ShapeError, match="do not broadcast")
    bad(op, MATRIX, COLUMN.astype(np.float32), error=errors.DTypeError, match="dtypes differ")
    bad(op, np.array([True]), np.array([False]), error=errors.DTypeError, match="bool")

for op, function in ((Add, np.add), (Subtract, np.subtract)):
    sample(op, Z, W, reference=lambda a, b, f=function: f(a.real, b.real) + 1j * f(a.imag, b.imag), dtypes=COMPLEX)


def complex_product(a, b):
    return (a.real * b.real - a.imag * b.imag) + 1j * (a.real * b.imag + a.imag * b.real)


sample(Multiply, Z, W, reference=complex_product, dtypes=COMPLEX)
sample(MultiplyNoNan, MATRIX, COLUMN, reference=np.multiply, dtypes=REAL)
sample(MultiplyNoNan, Z, W, reference=complex_product, dtypes=COMPLEX)
sample(
    MultiplyNoNan,
    np.array([np.nan, np.inf, 2.0, 0.0]),
    np.array([0.0, 0.0, 3.0, 5.0]),
    reference=lambda a, b: np.array([0.0, 0.0, 6.0, 0.0]),
    dtypes=REAL,
    smooth=False,
)
bad(MultiplyNoNan, MATRIX, MATRIX.T.copy(), error=errors.ShapeError, match="do not broadcast")
bad(MultiplyNoNan, WHOLE, WHOLE, error=errors.DTypeError, match="must be floating point")

sample(Negative, MATRIX, reference=lambda x: np.array([[-1.5, 0.75, -0.25], [-3.0, -0.5, 2.0]]), dtypes=REAL)
sample(Negative, WHOLE, reference=lambda x: 0 - x, dtypes=INTEGER)
sample(Negative, Z, reference=lambda z: 0 - z, dtypes=COMPLEX)
bad(Negative, np.array([1, 2], np.uint8), error=errors.DTypeError, match="u8")

sample(Square, MATRIX, reference=np.vectorize(lambda x: math.pow(x, 2)), dtypes=REAL)
sample(Square, -3.0, reference=lambda x: 9.0)
sample(Square, WHOLE, reference=lambda x: np.power(x, 2), dtypes=INTEGER)
sample(Square, Z, reference=lambda z: complex_product(z, z), dtypes=COMPLEX)
bad(Square, np.array([True]), error=errors.DTypeError, match="bool")

sample(Abs, MATRIX, reference=np.vectorize(math.fabs), dtypes=REAL)
sample(Abs, np.array([0.0, -0.0, -np.inf, np.nan]), reference=np.vectorize(math.fabs), smooth=False)
sample(Abs, WHOLE, reference=np.vectorize(abs), dtypes=INTEGER)
bad(Abs, Z, error=errors.DTypeError, match="c128")

SIGNS = np.array([-2.5, 0.0, 3.0, np.nan])
sample(Sign, MATRIX, reference=np.vectorize(lambda x: math.copysign(1.0, x)), dtypes=REAL)
sample(Sign, SIGNS, reference=lambda x: np.array([-1.0, 0.0, 1.0, np.nan]), dtypes=REAL, smooth=False)
sample(Sign, np.array([-7, 0, 9]), reference=lambda x: np.array([-1, 0, 1]), dtypes=INTEGER)
bad(Sign, np.array([True]), error=errors.DTypeError, match="bool")

WORDS = np.array([[b"a", b"bc"], [b"", b"d"]], object)
joined = np.frompyfunc(lambda a, b: b"".join([a, b]), 2, 1)
sample(AddStrings, WORDS, WORDS[:, ::-1], reference=joined)
sample(AddStrings, WORDS, WORDS[:1, 1:], reference=joined)
bad(AddStrings, WORDS, np.array([b"a", b"b", b"c"], object), error=errors.ShapeError, match="do not broadcast")
bad(AddStrings, np.array([1.0]), np.array([1.0]), error=errors.DTypeError, match="string")
