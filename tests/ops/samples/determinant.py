"""Samples of determinants and cofactors."""

import itertools

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.determinant import Cofactor, CofactorDerivative, Det, Slogdet
from gradtape.testing.sample import bad, sample

DTYPES = "float32 float64 complex64 complex128"
random = np.random.default_rng(5)


def leibniz(x):
    """The sum over all permutations."""
    n, total = x.shape[-1], np.zeros(x.shape[:-2], x.dtype)
    for p in itertools.permutations(range(n)):
        swaps = sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        product = np.ones(x.shape[:-2], x.dtype)
        for i in range(n):
            product = product * x[..., i, p[i]]
        total = total + (-1) ** swaps * product
    return total


def minors(x):
    """The determinants of what is left without a row and a column."""
    y = np.zeros_like(x)
    for i, j in np.ndindex(x.shape[-2:]):
        y[..., i, j] = (-1) ** (i + j) * leibniz(np.delete(np.delete(x, i, -2), j, -1))
    return y


def row_by_row(x, change):
    """Cofactors are linear in each row but their own: the sum over the rows that change."""
    y = np.zeros_like(x)
    for i in range(x.shape[-2]):
        other = x.copy()
        other[..., i, :] = change[..., i, :]
        part = minors(other)
        part[..., i, :] = 0
        y = y + part
    return y


def phase_and_log(x):
    d = leibniz(x)
    size = np.abs(d)
    return d / size, np.log(size)


REGULAR = np.array([[[1.0, 2.0, 0.5], [0.4, -1.0, 3.0], [-2.0, 0.5, 1.5]], [[2.0, 1, 1], [1, 2, 0], [0.5, 1, -1.5]]])
TWO = np.array([[[1.0, 2.0], [3.0, 4.0]]])
# Of rank 2, 1 and 0.
RANKS = np.array([[[1.0, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 2, 3], [2, 4, 6], [-1, -2, -3]], [[0, 0, 0]] * 3])
CHANGE = random.normal(size=(2, 3, 3))

for op, reference in ((Det, leibniz), (Cofactor, minors), (Slogdet, phase_and_log)):
    sample(op, REGULAR, reference=reference, dtypes=DTYPES)
    sample(op, TWO, reference=reference, dtypes=DTYPES)
    sample(op, np.array([[[-4.0]]]), reference=reference)
    sample(op, np.zeros((2, 0, 0)))
sample(Det, RANKS, reference=leibniz, dtypes="float64 complex128", tolerance=1e-11)
# Third derivatives of the determinant are computed with the inverse.
sample(Cofactor, RANKS, reference=minors, dtypes="float64 complex128", smooth=False)

sample(CofactorDerivative, REGULAR, CHANGE, reference=row_by_row, dtypes=DTYPES)
sample(CofactorDerivative, TWO, TWO, reference=row_by_row, dtypes=DTYPES)
sample(CofactorDerivative, np.zeros((1, 2, 2)), TWO, reference=row_by_row, dtypes=DTYPES)

for op in (Det, Cofactor, Slogdet):
    bad(op, np.ones((2, 3)), error=ShapeError, match="Input matrix must be square: x is f64[2,3]")
    bad(op, np.ones(3), error=ShapeError, match="x is f64[3], and needs rank 2 or more")
    bad(op, np.eye(2, dtype=np.float16), error=DTypeError, match="must be float32, float64, complex64 and complex128")
bad(CofactorDerivative, np.ones((2, 3)), np.ones((2, 3)), error=ShapeError, match="must be square")
bad(CofactorDerivative, np.ones((2, 2)), np.ones((3, 3)), error=ShapeError, match="x is f64[2,2], change is f64[3,3]")
