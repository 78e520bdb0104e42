"""Samples of functions of matrices."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.matrix_functions import Expm, Logm, Sqrtm
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(25)
FLOATS = "float32 float64 complex64 complex128"


def spectral(function):
    """A function of matrices by their eigenvectors."""

    def reference(a):
        values, vectors = np.linalg.eig(a)
        y = vectors @ (function(values.astype(complex))[..., np.newaxis] * np.linalg.inv(vectors))
        return y if np.iscomplexobj(a) else y.real

    return reference


def series(a):
    """The exponential by its series."""
    y = term = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    for i in range(1, 80):
        term = term @ a / i
        y = y + term
    return y


def matrix(*shape):
    return random.normal(size=shape) * 0.5 + 2.0 * np.eye(shape[-1])


NILPOTENT = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])

sample(Expm, matrix(3, 3) - 2.0 * np.eye(3), reference=series, dtypes=FLOATS)
sample(Expm, matrix(2, 2, 2), reference=series, dtypes=FLOATS + " float16 bfloat16")
sample(Expm, NILPOTENT, reference=series, dtypes=FLOATS)
sample(Expm, np.zeros((2, 2)), reference=series)
sample(Expm, np.array([[[0.0, 40.0], [-40.0, 0.0]], [[0.1, 0.0], [0.2, 0.3]]]), reference=spectral(np.exp))
sample(Expm, np.zeros((0, 2, 2)), reference=lambda a: a)
bad(Expm, random.normal(size=(2, 3)), error=ShapeError, match="a is f64[2,3]")
bad(Expm, np.ones((2, 2), np.int32), error=DTypeError, match="a is i32[2,2]")

sample(Logm, matrix(3, 3), reference=spectral(np.log), dtypes=FLOATS)
sample(Logm, matrix(2, 2, 2), reference=spectral(np.log), dtypes=FLOATS)
sample(Logm, np.array([[1.0, 4.0], [0.0, 1.0]]), reference=lambda a: np.array([[0.0, 4.0], [0.0, 0.0]]))
sample(Logm, np.zeros((2, 0, 0)), reference=lambda a: a)
bad(Logm, random.normal(size=3), error=ShapeError, match="a is f64[3]")
bad(Logm, np.full((1, 1), -1.0), error=InvalidArgumentError, match="the result for a real matrix is complex")

sample(Sqrtm, matrix(3, 3), reference=spectral(np.sqrt), dtypes=FLOATS)
sample(Sqrtm, matrix(2, 2, 2), reference=spectral(np.sqrt), dtypes=FLOATS)
sample(Sqrtm, np.array([[1.0, 4.0], [0.0, 1.0]]), reference=lambda a: np.array([[1.0, 2.0], [0.0, 1.0]]))
bad(Sqrtm, random.normal(size=(2, 3)), error=ShapeError, match="a is f64[2,3]")
bad(Sqrtm, np.full((1, 1), -1.0), error=InvalidArgumentError, match="cast it first: tf.cast(a, tf.complex128)")
