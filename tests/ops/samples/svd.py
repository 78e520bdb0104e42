"""Samples of singular values."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.svd import SingularValues, Svd
from gradtape.testing.sample import bad, sample
from ops.samples.eigen import each, jacobi, turned

DTYPES = "float32 float64 complex64 complex128"
random = np.random.default_rng(3)


def by_eigenvectors(x, full_matrices=False):
    """Right vectors are eigenvectors of `x^H x`, left ones follow; those that are left over are found by projection."""

    def one(a):
        m, n = a.shape
        if m < n:
            s, v, u = _tall(np.conj(a).T, full_matrices)
        else:
            s, u, v = _tall(a, full_matrices)
        k = len(s)
        if np.iscomplexobj(a):
            phases = turned(u)[0] / u[0]
            u, rest = u * phases, turned(v)
            v = np.concatenate([v[:, :k] * phases[:k], rest[:, k:]], axis=1)
        else:
            known, _, kh = np.linalg.svd(a, full_matrices=full_matrices)
            u, v = (w * np.sign(np.sum(w * other, axis=0)) for w, other in ((u, known), (v, kh.T)))
        return s, u, v

    return each(one, x)


def _tall(a, full_matrices):
    e, v = jacobi(np.conj(a).T @ a)
    s, v = np.sqrt(e[::-1]), v[:, ::-1]
    u = a @ v / s
    while full_matrices and u.shape[1] < len(a):
        candidates = np.eye(len(a)) - u @ np.conj(u).T
        best = candidates[:, np.argmax(np.sum(np.abs(candidates), axis=0))]
        u = np.concatenate([u, (best / np.sqrt(np.sum(np.abs(best) ** 2)))[:, None]], axis=1)
    return s, u, v


TALL, WIDE, SQUARE = (random.normal(size=shape) for shape in ((1, 3, 2), (1, 2, 3), (2, 2, 2)))

for x in (TALL, WIDE, SQUARE):
    sample(Svd, x, reference=by_eigenvectors, dtypes=DTYPES, tolerance=1e-11)
    sample(SingularValues, x, reference=lambda x: by_eigenvectors(x)[0], dtypes=DTYPES, tolerance=1e-11)
for x in (TALL, WIDE):
    sample(Svd, x, reference=by_eigenvectors, dtypes=DTYPES, tolerance=1e-11, full_matrices=True)
# Several vectors beyond the singular values: any basis of what is left.
sample(Svd, random.normal(size=(1, 4, 2)), full_matrices=True, smooth=False)
sample(Svd, np.array([[[-4.0]]]), reference=by_eigenvectors)
sample(Svd, np.zeros((2, 0, 3)))
sample(Svd, np.zeros((2, 3, 0)), full_matrices=True, smooth=False)
sample(SingularValues, np.zeros((0, 3)))


for op in (Svd, SingularValues):
    bad(op, np.ones(3), error=ShapeError, match="x is f64[3], and needs rank 2 or more")
    bad(op, np.eye(2, dtype=np.float16), error=DTypeError, match="must be float32, float64, complex64 and complex128")
    bad(op, np.eye(2, dtype=np.int32), error=DTypeError, match="x is i32[2,2]")
