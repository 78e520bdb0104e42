"""Samples of comparisons and of tests for NaN and infinity."""

import math
import operator

import numpy as np

from gradtape.core import errors
from gradtape.ops.comparison import (
    Equal,
    Greater,
    GreaterEqual,
    IsFinite,
    IsInf,
    IsNan,
    Less,
    LessEqual,
    NotEqual,
)
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
INTEGER = "int8 int32 int64"

A = np.array([[1.0, -2.0, np.nan], [0.5, 3.0, -np.inf]])
B = np.array([1.0, 0.5, 3.0])
COLUMN = np.array([[1.0], [0.5]])
WHOLE = np.array([[3, -5, 7], [1, 4, -2]])

ORDER = {Less: operator.lt, LessEqual: operator.le, Greater: operator.gt, GreaterEqual: operator.ge}
EQUALITY = {Equal: operator.eq, NotEqual: operator.ne}

for op, function in (ORDER | EQUALITY).items():
    reference = np.vectorize(function, otypes=[bool])
    sample(op, A, B, reference=reference, dtypes=REAL)
    sample(op, A, COLUMN, reference=reference)
    sample(op, 0.5, A, reference=reference)
    sample(op, 0.5, 0.5, reference=reference, dtypes=REAL)
    sample(op, WHOLE, WHOLE[:, :1], reference=reference, dtypes=INTEGER)
    bad(op, A, A.T.copy(), error=errors.ShapeError, match="do not broadcast")
    bad(op, A, WHOLE, error=errors.DTypeError, match="dtypes differ")

for op, function in EQUALITY.items():
    z = np.array([1.0 + 2.0j, 1.0 - 2.0j])
    words = np.array([b"a", b"b"], object)
    reference = np.vectorize(function, otypes=[bool])
    sample(op, z, z.conj()[:1], reference=reference, dtypes="complex64 complex128")
    sample(op, np.array([True, False]), np.array([True, True]), reference=reference)
    sample(op, words, np.array([b"a", b"c"], object), reference=reference)

for op in ORDER:
    bad(op, np.array([1j]), np.array([1j]), error=errors.DTypeError, match="c128")
    bad(op, np.array([True]), np.array([True]), error=errors.DTypeError, match="bool")

ODD = np.array([[0.0, -np.inf, np.nan], [np.inf, -1.5, 6.0e4]])
for op, function in {IsNan: math.isnan, IsInf: math.isinf, IsFinite: math.isfinite}.items():
    sample(op, ODD, reference=np.vectorize(function), dtypes=REAL)
    sample(op, np.nan, reference=np.vectorize(function))
    bad(op, WHOLE, error=errors.DTypeError, match="must be floating point")
