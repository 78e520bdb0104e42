"""Samples of parts, conjugates, absolute values and angles of complex numbers."""

import cmath

import numpy as np

from gradtape.core import errors
from gradtape.ops.complex import Angle, Complex, ComplexAbs, Conj, Imag, Real
from gradtape.testing.sample import bad, sample

COMPLEX = "complex64 complex128"

Z = np.array([[1.0 + 2.0j, -0.5 + 0.25j, 3.0 - 1.0j], [0.5j, -2.0 - 1.0j, 0.75 + 0.0j]])
A = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
B = np.array([[0.75], [-1.5]])

PARTS = {
    Real: lambda z: z.real,
    Imag: lambda z: z.imag,
    ComplexAbs: lambda z: cmath.polar(z)[0],
    Angle: lambda z: cmath.polar(z)[1],
}
for op, function in PARTS.items():
    reference = np.vectorize(lambda z, f=function: f(complex(z)))
    sample(op, Z, reference=reference, dtypes=COMPLEX)
    sample(op, -1.5 + 0.5j, reference=reference, dtypes=COMPLEX)
    bad(op, A, error=errors.DTypeError, match="must be complex")

sample(ComplexAbs, np.array([0j, 3 - 4j]), reference=lambda z: np.array([0.0, 5.0]), dtypes=COMPLEX, smooth=False)

sample(Conj, Z, reference=np.vectorize(lambda z: complex(z.real, -z.imag)), dtypes=COMPLEX)
sample(Conj, A, reference=lambda x: x, dtypes="float16 float32 float64")
sample(Conj, np.array([3, -4]), reference=lambda x: x, dtypes="int32")
bad(Conj, np.array([True]), error=errors.DTypeError, match="bool")

pair = np.vectorize(complex)
sample(Complex, A, B, reference=pair)
sample(Complex, B, A, reference=pair)
sample(Complex, A, 0.5, reference=pair)
sample(Complex, 1.5, -0.5, reference=pair)
sample(Complex, np.array([1.0, 2.0]), np.array([np.inf, np.nan]), reference=pair, smooth=False)
bad(Complex, A, A.T.copy(), error=errors.ShapeError, match="do not broadcast")
bad(Complex, A, A.astype(np.float32), error=errors.DTypeError, match="dtypes differ")
bad(Complex, A.astype(np.float16), A.astype(np.float16), error=errors.DTypeError, match="float32 or float64")
