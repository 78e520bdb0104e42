"""Samples of the Cholesky decomposition."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.cholesky import Cholesky
from gradtape.testing.sample import bad, sample

DTYPES = "float32 float64 complex64 complex128"


def by_columns(x):
    """The textbook's algorithm on each lower triangle; of the diagonal the real part counts."""
    y = np.zeros_like(x)
    for at in np.ndindex(x.shape[:-2]):
        a, l = x[at], y[at]
        for j in range(len(a)):
            l[j, j] = np.sqrt(np.real(a[j, j]) - sum(abs(l[j, k]) ** 2 for k in range(j)))
            for i in range(j + 1, len(a)):
                l[i, j] = (a[i, j] - sum(l[i, k] * np.conj(l[j, k]) for k in range(j))) / l[j, j]
    return y


# The upper triangles hold something else, so that the derivative is that of the lower ones.
SMALL = np.array([[2.0, 7.0], [0.7, 3.0]])
THREE = np.array([[4.0, 9.0, -9.0], [1.0, 3.0, 8.0], [0.5, -0.2, 2.0]])

sample(Cholesky, SMALL[None], reference=by_columns, dtypes=DTYPES)
sample(Cholesky, np.stack([THREE, 2 * np.eye(3) - 0.1 * THREE]), reference=by_columns, dtypes=DTYPES)
sample(Cholesky, np.array([[[4.0]]]), reference=by_columns)
sample(Cholesky, np.zeros((2, 0, 0)), reference=by_columns)
# A Hermitian matrix has a Hermitian gradient, which differences along other directions do not see.
sample(Cholesky, np.array([[[2.0, 1.0], [1.0, 3.0]]]), reference=by_columns, smooth=False)

bad(Cholesky, np.ones((2, 3)), error=ShapeError, match="Input matrix must be square: x is f64[2,3]")
bad(Cholesky, np.ones(3), error=ShapeError, match="x is f64[3], and needs rank 2 or more")
bad(Cholesky, np.eye(2, dtype=np.float16), error=DTypeError, match="must be float32, float64, complex64 and complex128")
bad(Cholesky, np.eye(2, dtype=np.int32), error=DTypeError, match="x is i32[2,2]")
