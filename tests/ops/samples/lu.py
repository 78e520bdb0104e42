"""Samples of the LU decomposition."""

import numpy as np

from gradtape.core import dtypes
from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.lu import Lu
from gradtape.testing.sample import bad, sample
from ops.samples.eigen import each

DTYPES = "float32 float64 complex64 complex128"


def elimination(x, index_dtype=dtypes.int32):
    """Gauss's elimination, which takes the largest pivot."""

    def one(a):
        a, p = a.copy(), np.arange(len(a))
        for j in range(len(a)):
            best = j + np.argmax(np.abs(a[j:, j]))
            a[[j, best]], p[[j, best]] = a[[best, j]], p[[best, j]]
            for i in range(j + 1, len(a)):
                a[i, j] /= a[j, j]
                a[i, j + 1 :] -= a[i, j] * a[j, j + 1 :]
        return a, p

    return each(one, x)


THREE = np.array([[[1.0, 2.0, 0.5], [4.0, -1.0, 3.0], [-2.0, 5.0, 6.0]], [[3.0, 1, 1], [1, 2, 0], [0.5, 1, -4]]])

sample(Lu, np.array([[[1.0, 2.0], [3.0, 5.0]]]), reference=elimination, dtypes=DTYPES)
sample(Lu, THREE, reference=elimination, dtypes=DTYPES, index_dtype=dtypes.int64)
sample(Lu, np.array([[[4.0]]]), reference=elimination)
sample(Lu, np.zeros((2, 0, 0)))
sample(Lu, np.zeros((0, 2, 2)))

bad(Lu, np.ones((2, 3)), error=ShapeError, match="Input matrix must be square: x is f64[2,3]")
bad(Lu, np.ones(3), error=ShapeError, match="x is f64[3], and needs rank 2 or more")
bad(Lu, np.eye(2, dtype=np.float16), error=DTypeError, match="must be float32, float64, complex64 and complex128")
bad(Lu, np.zeros((1, 1)), error=InvalidArgumentError, match="Input is not invertible: x is f64[1,1]")
bad(Lu, np.full((1, 1), np.nan), error=InvalidArgumentError, match="Input is not invertible")
