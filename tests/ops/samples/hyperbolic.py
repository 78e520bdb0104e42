"""Samples of hyperbolic functions."""

import cmath
import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.hyperbolic import Acosh, Asinh, Atanh, Cosh, Sinh, Tanh
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
COMPLEX = "complex64 complex128"

POINTS = np.array([[1.25, -0.75, 0.25], [3.0, 0.5, -2.0]])
RATIOS = np.array([[0.25, -0.75, 0.5], [-0.125, 0.625, -0.9375]])
ABOVE_ONE = np.array([[1.25, 2.0, 7.5], [1.0625, 30.0, 3.0]])
Z = np.array([1.0 + 0.5j, -0.5 + 0.25j, 0.75 - 1.0j])

FUNCTIONS = {
    Sinh: (POINTS, math.sinh, cmath.sinh),
    Cosh: (POINTS, math.cosh, cmath.cosh),
    Tanh: (POINTS, math.tanh, cmath.tanh),
    Asinh: (POINTS, math.asinh, cmath.asinh),
    Acosh: (ABOVE_ONE, math.acosh, cmath.acosh),
    Atanh: (RATIOS, math.atanh, cmath.atanh),
}
for op, (points, real, complex_) in FUNCTIONS.items():
    sample(op, points, reference=np.vectorize(real), dtypes=REAL)
    sample(op, points[0, 0], reference=np.vectorize(real))
    sample(op, Z, reference=np.vectorize(complex_), dtypes=COMPLEX)
    bad(op, np.array([1, 2]), error=errors.DTypeError, match="must be floating point")

sample(Tanh, np.array([0.0, 30.0, -1000.0]), reference=np.vectorize(math.tanh), dtypes=REAL, smooth=False)
sample(Asinh, np.array([1e30, -1e30, 1e-20]), reference=np.vectorize(math.asinh), smooth=False)
sample(Acosh, np.array([1.0, 0.5]), reference=lambda x: np.array([0.0, np.nan]), smooth=False)
sample(Atanh, np.array([1.0, -1.0, 2.0]), reference=lambda x: np.array([np.inf, -np.inf, np.nan]), smooth=False)
