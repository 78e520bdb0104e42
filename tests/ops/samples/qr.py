"""Samples of the QR decomposition."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.qr import Qr
from gradtape.testing.sample import bad, sample
from ops.samples.eigen import aligned, each

DTYPES = "float32 float64 complex64 complex128"
random = np.random.default_rng(4)


def gram_schmidt(x, full_matrices=False):
    """Columns made orthogonal one after the other; the signs of the diagonal of r are those of Householder's method."""

    def one(a):
        m, n = a.shape
        known, triangle = np.linalg.qr(a, mode="complete" if full_matrices else "reduced")
        q = np.zeros((m, 0), a.dtype)
        candidates = [a[:, j] for j in range(min(m, n))] + ([*np.eye(m)] if full_matrices else [])
        for column in candidates:
            rest = column - q @ (np.conj(q).T @ column)
            rest = rest - q @ (np.conj(q).T @ rest)
            size = np.sqrt(np.sum(np.abs(rest) ** 2))
            if size > 1e-8 and q.shape[1] < m:
                q = np.concatenate([q, (rest / size)[:, None]], axis=1)
        k = min(m, n)
        first = q[:, :k] * np.sign(np.real(np.diag(triangle)))
        q = np.concatenate([first, aligned(q[:, k:], known[:, k:])], axis=1)
        return q, np.triu(np.conj(q).T @ a)

    return each(one, x)


TALL, WIDE, SQUARE = (random.normal(size=shape) for shape in ((1, 3, 2), (1, 2, 3), (2, 3, 3)))

for x in (TALL, WIDE, SQUARE):
    sample(Qr, x, reference=gram_schmidt, dtypes=DTYPES)
for x in (TALL, WIDE):
    sample(Qr, x, reference=gram_schmidt, dtypes=DTYPES, full_matrices=True)
# Several columns beyond those of x: any basis of what is left.
sample(Qr, random.normal(size=(1, 4, 2)), full_matrices=True, smooth=False)
sample(Qr, np.array([[[-4.0]]]), reference=gram_schmidt)
sample(Qr, np.zeros((2, 0, 3)))
sample(Qr, np.zeros((2, 3, 0)), full_matrices=True, smooth=False)

bad(Qr, np.ones(3), error=ShapeError, match="x is f64[3], and needs rank 2 or more")
bad(Qr, np.eye(2, dtype=np.float16), error=DTypeError, match="must be float32, float64, complex64 and complex128")
bad(Qr, np.eye(2, dtype=np.int32), error=DTypeError, match="x is i32[2,2]")
