"""Samples of trigonometric functions."""

import cmath
import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.trigonometric import Acos, Asin, Atan, Atan2, Cos, Sin, Tan
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
COMPLEX = "complex64 complex128"

ANGLES = np.array([[1.25, -0.75, 0.25], [3.0, 0.5, -2.0]])
RATIOS = np.array([[0.25, -0.75, 0.5], [-0.125, 0.625, -0.9375]])
Z = np.array([1.0 + 0.5j, -0.5 + 0.25j, 0.75 - 1.0j])

FUNCTIONS = {
    Sin: (ANGLES, math.sin, cmath.sin),
    Cos: (ANGLES, math.cos, cmath.cos),
    Tan: (ANGLES, math.tan, cmath.tan),
    Asin: (RATIOS, math.asin, cmath.asin),
    Acos: (RATIOS, math.acos, cmath.acos),
    Atan: (ANGLES, math.atan, cmath.atan),
}
for op, (points, real, complex_) in FUNCTIONS.items():
    sample(op, points, reference=np.vectorize(real), dtypes=REAL)
    sample(op, -0.5, reference=np.vectorize(real))
    sample(op, Z, reference=np.vectorize(complex_), dtypes=COMPLEX)
    bad(op, np.array([1, 2]), error=errors.DTypeError, match="must be floating point")

sample(Sin, np.array([0.0, np.pi, 1e4]), reference=np.vectorize(math.sin), smooth=False)
sample(Asin, np.array([1.0, -1.0, 1.5]), reference=lambda x: np.array([np.pi / 2, -np.pi / 2, np.nan]), smooth=False)
sample(Atan, np.array([np.inf, -np.inf]), reference=lambda x: np.array([np.pi / 2, -np.pi / 2]), smooth=False)

angle = np.vectorize(math.atan2)
sample(Atan2, ANGLES, np.array([1.0, -2.0, 0.5]), reference=angle, dtypes=REAL)
sample(Atan2, np.array([[1.0], [-1.0]]), ANGLES, reference=angle)
sample(Atan2, -0.5, -1.5, reference=angle, dtypes=REAL)
sample(Atan2, np.array([0.0, 0.0, -0.0]), np.array([0.0, -1.0, -1.0]), reference=angle, smooth=False)
bad(Atan2, ANGLES, ANGLES.T.copy(), error=errors.ShapeError, match="do not broadcast")
bad(Atan2, Z, Z, error=errors.DTypeError, match="c128")
