"""Samples of eigenvalues and eigenvectors."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.eigen import Eig, Eigh, Eigvalsh
from gradtape.testing.sample import bad, sample

DTYPES = "float32 float64 complex64 complex128"


def each(function, x):
    """A function of one matrix on every matrix, its results stacked."""
    found = [function(x[at]) for at in np.ndindex(x.shape[:-2])]
    return [np.reshape(np.stack(part), x.shape[:-2] + part[0].shape) for part in zip(*found, strict=True)]


def turned(v):
    """Columns multiplied by a phase, so that their first element of at least half the largest size is positive."""
    v = v.copy()
    for j in range(v.shape[1]):
        large = next(i for i in range(len(v)) if abs(v[i, j]) >= 0.5 * max(abs(v[:, j])))
        v[:, j] *= abs(v[large, j]) / v[large, j]
    return v


def aligned(v, other):
    """Real columns with the signs of others; complex ones with our phases."""
    return turned(v) if np.iscomplexobj(v) else v * np.sign(np.sum(v * other, axis=0))


def jacobi(x):
    """Eigenvalues and eigenvectors of the Hermitian matrix with a lower triangle, by rotations that clear one element."""
    a = np.tril(x, -1) + np.conj(np.tril(x, -1)).T + np.diag(np.real(np.diag(x)))
    n, v = len(a), np.eye(len(a), dtype=a.dtype)
    for _ in range(12):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p, q]) < 1e-300:
                    continue
                phase = a[p, q] / abs(a[p, q])
                angle = 0.5 * np.arctan2(2 * abs(a[p, q]), np.real(a[q, q] - a[p, p]))
                c, s = np.cos(angle), np.sin(angle)
                turn = np.eye(n, dtype=a.dtype)
                turn[[p, p, q, q], [p, q, p, q]] = [c, s * phase, -s * np.conj(phase), c]
                a, v = np.conj(turn).T @ a @ turn, v @ turn
    order = np.argsort(np.real(np.diag(a)))
    return np.real(np.diag(a))[order], v[:, order]


def hermitian(x):
    def one(a):
        e, v = jacobi(a)
        return e, aligned(v, np.linalg.eigh(a)[1])

    return each(one, x)


def general(x):
    """Roots of the characteristic polynomial; vectors are the last rows of the cofactors of `x - e`, made by hand."""

    def one(a):
        n, a = len(a), a.astype(complex)
        roots = np.roots([1.0, -a[0, 0]] if n == 1 else _polynomial(a))
        wanted = np.linalg.eig(a if np.iscomplexobj(x) else np.real(a))[0]
        e = np.array([roots[np.argmin(abs(roots - w))] for w in wanted])
        vectors = np.stack([_null_vector(a - value * np.eye(n)) for value in e], axis=-1)
        return e, turned(vectors / np.sqrt(np.sum(np.abs(vectors) ** 2, axis=0)))

    return each(one, x)


def _polynomial(a):
    if len(a) == 2:
        return [1.0, -np.trace(a), _det(a)]
    minors = sum(a[i, i] * a[j, j] - a[i, j] * a[j, i] for i in range(3) for j in range(i))
    return [1.0, -np.trace(a), minors, -_det(a)]


def _det(a):
    if len(a) == 2:
        return a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    return np.sum(a[0] * np.cross(a[1], a[2]))


def _null_vector(b):
    if len(b) == 1:
        return np.ones(1, complex)
    return np.array([b[0, 1], -b[0, 0]]) if len(b) == 2 else np.cross(b[0], b[1])


TWO = np.array([[[2.0, 9.0], [0.5, 1.0]]])
THREE = np.array([[[1.0, 7.0, 7.0], [0.6, -2.0, 7.0], [0.3, -0.8, 3.0]], [[0.5, 0, 0], [1, 0.1, 0], [-1, 0.7, 0.2]]])

for op, reference in ((Eigh, hermitian), (Eigvalsh, lambda x: hermitian(x)[0])):
    sample(op, TWO, reference=reference, dtypes=DTYPES)
    sample(op, THREE, reference=reference, dtypes=DTYPES)
    sample(op, np.array([[[4.0]]]), reference=reference)
    sample(op, np.zeros((2, 0, 0)))

sample(Eig, TWO, reference=general, dtypes=DTYPES)
# A conjugate pair. (Of a complex multiple of the matrix LAPACK gives it in either order.)
sample(Eig, np.array([[[0.3, -1.0], [2.0, 1.1]]]), reference=general)
sample(Eig, np.array([[[1.0, 2.0, 0.3], [0.6, -2.0, 0.5], [0.3, -0.8, 4.0]]]), reference=general, dtypes=DTYPES)
sample(Eig, np.array([[[4.0]]]), reference=general)
sample(Eig, np.zeros((2, 0, 0)))

for op in (Eigh, Eigvalsh, Eig):
    bad(op, np.ones((2, 3)), error=ShapeError, match="Input matrix must be square: x is f64[2,3]")
    bad(op, np.ones(3), error=ShapeError, match="x is f64[3], and needs rank 2 or more")
    bad(op, np.eye(2, dtype=np.float16), error=DTypeError, match="must be float32, float64, complex64 and complex128")
    bad(op, np.full((2, 2), np.nan), error=InvalidArgumentError, match="was not successful: x is f64[2,2]")
    bad(op, np.array([[1.0, 0.0], [np.inf, 1.0]]), error=InvalidArgumentError, match="The input might not be valid")
