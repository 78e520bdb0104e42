"""Samples of rounding."""

import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.rounding import Ceil, Floor, Rint, Round
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
POINTS = np.array([[1.25, -0.75, 0.5], [2.5, 3.0, -1.5]])

for op, function in {Floor: math.floor, Ceil: math.ceil, Rint: round, Round: round}.items():
    sample(op, POINTS, reference=np.vectorize(function, otypes=[np.float64]), dtypes=REAL)
    sample(op, -2.5, reference=np.vectorize(function, otypes=[np.float64]))
    sample(op, np.array([np.inf, np.nan, -0.0]), reference=lambda x: np.array([np.inf, np.nan, 0.0]))
    bad(op, np.array([1j]), error=errors.DTypeError, match="c128")

for op in (Floor, Ceil, Rint):
    bad(op, np.array([1, 2]), error=errors.DTypeError, match="must be floating point")
sample(Round, np.array([3, -4]), reference=lambda x: np.array([3, -4]), dtypes="int32 int64")
