"""Samples of systems with band matrices."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.banded import BandedSolve
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(23)
FLOATS = "float32 float64 complex64 complex128"


def normal(*shape):
    return random.normal(size=shape)


def bands(*shape, main):
    x = normal(*shape)
    x[..., main, :] += 4.0
    return x


def dense(x, b, k, adjoint=False, perturb=False):
    """The solution with the whole matrix, filled element by element."""
    n = x.shape[-1]
    a = np.zeros((*x.shape[:-2], n, n), x.dtype)
    for i in range(n):
        for j in range(n):
            if k[0] <= j - i <= k[1]:
                a[..., i, j] = x[..., k[1] - (j - i), i]
    return np.linalg.solve(np.moveaxis(np.conj(a), -1, -2) if adjoint else a, b)


sample(BandedSolve, bands(3, 4, main=1), normal(4, 2), reference=dense, dtypes=FLOATS, k=(-1, 1))
sample(BandedSolve, bands(2, 3, 3, main=1), normal(2, 3, 1), reference=dense, dtypes=FLOATS, k=(-1, 1), adjoint=True)
sample(BandedSolve, bands(2, 4, main=0), normal(3, 4, 1), reference=dense, dtypes=FLOATS, k=(-1, 0))
sample(BandedSolve, bands(2, 1, 3, 4, main=2), normal(3, 4, 1), reference=dense, k=(0, 2), adjoint=True)
sample(BandedSolve, bands(4, 5, main=1), normal(5, 1), reference=dense, dtypes=FLOATS, k=(-2, 1))
sample(BandedSolve, bands(3, 4, main=1), normal(4, 1), reference=dense, dtypes=FLOATS, k=(-1, 1), perturb=True)
sample(BandedSolve, bands(3, 1, main=1), normal(1, 1), reference=dense, k=(-1, 1))
sample(BandedSolve, bands(3, 4, main=1), normal(4, 0), reference=dense, k=(-1, 1))
bad(BandedSolve, normal(2, 4), normal(4, 1), error=ShapeError, match="must be [..., 3, n]", k=(-1, 1))
bad(BandedSolve, normal(3, 4), normal(4), error=ShapeError, match="b is f64[4]", k=(-1, 1))
bad(
    BandedSolve,
    normal(3, 4),
    normal(4, 1),
    error=InvalidArgumentError,
    match="the band must hold the main diagonal, got k = (1, 3)",
    k=(1, 3),
)
bad(BandedSolve, np.ones((1, 2), np.float16), np.ones((2, 1), np.float16), error=DTypeError, match="f16", k=(0, 0))
