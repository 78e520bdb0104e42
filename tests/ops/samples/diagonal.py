"""Samples of diagonals and bands."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, RangeError, ShapeError
from gradtape.ops.diagonal import BandPart, Diag, DiagPart
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(22)
ALL = "float16 bfloat16 float32 float64 complex64 complex128 int32"


def normal(*shape):
    return random.normal(size=shape)


def band(x, lower, upper):
    """Element by element."""
    y = np.zeros_like(x)
    for *at, i, j in np.ndindex(x.shape):
        if (lower < 0 or i - j <= lower) and (upper < 0 or j - i <= upper):
            y[(*at, i, j)] = x[(*at, i, j)]
    return y


def places(k, shape, align):
    """Where each element of a matrix is held in a band: (i, j, row, column)."""
    rows, columns = shape
    diagonals = {d: [(i, i + d) for i in range(rows) if 0 <= i + d < columns] for d in range(k[0], k[1] + 1)}
    longest = max(map(len, diagonals.values()))
    for d, own in diagonals.items():
        side = align.split("_")[d < 0]
        for n, (i, j) in enumerate(own):
            yield i, j, k[1] - d, n + (longest - len(own) if side == "RIGHT" else 0)


def taken(x, k, align="RIGHT_LEFT"):
    found = list(places(k, x.shape[-2:], align))
    longest = max(len([f for f in found if f[2] == row]) for row in range(k[1] - k[0] + 1))
    y = np.zeros((*x.shape[:-2], k[1] - k[0] + 1, longest), x.dtype)
    for i, j, row, column in found:
        y[..., row, column] = x[..., i, j]
    return y[..., 0, :] if k[0] == k[1] else y


def placed(x, k, shape, align="RIGHT_LEFT"):
    x = x[..., np.newaxis, :] if k[0] == k[1] else x
    y = np.zeros((*x.shape[:-2], *shape), x.dtype)
    for i, j, row, column in places(k, shape, align):
        y[..., i, j] = x[..., row, column]
    return y


sample(BandPart, normal(3, 4), reference=band, dtypes=ALL, lower=1, upper=0)
sample(BandPart, normal(2, 3, 3), reference=band, dtypes=ALL, lower=-1, upper=1)
sample(BandPart, normal(4, 2), reference=band, lower=0, upper=-1)
sample(BandPart, normal(2, 2), reference=band, lower=-1, upper=-1)
sample(BandPart, normal(0, 3), reference=band, lower=0, upper=0)
bad(BandPart, normal(3), error=ShapeError, match="x is f64[3], and needs rank 2", lower=0, upper=0)
bad(BandPart, normal(2, 3), error=RangeError, match="lower is 3, but x is f64[2,3] and has 2 rows", lower=3, upper=0)

sample(DiagPart, normal(3, 4), reference=taken, dtypes=ALL, k=(0, 0))
sample(DiagPart, normal(2, 4, 3), reference=taken, k=(-2, -2))
sample(DiagPart, normal(3, 4), reference=taken, dtypes=ALL, k=(-1, 2))
sample(DiagPart, normal(2, 4, 3), reference=taken, k=(-3, 1), align="LEFT_RIGHT")
sample(DiagPart, normal(3, 3), reference=taken, k=(1, 2), align="LEFT_LEFT")
sample(DiagPart, normal(2, 4), reference=taken, k=(-1, 3), align="RIGHT_RIGHT")
bad(DiagPart, normal(3), error=ShapeError, match="x is f64[3], and needs rank 2", k=(0, 0))
bad(DiagPart, normal(2, 3), error=InvalidArgumentError, match="diagonals from -1 to 2", k=(0, 3))
bad(DiagPart, normal(2, 3), error=InvalidArgumentError, match="the diagonals in k must rise, got (1, 0)", k=(1, 0))
bad(DiagPart, normal(2, 3), error=InvalidArgumentError, match="got 'LEFT'", k=(0, 1), align="LEFT")

sample(Diag, normal(3), reference=placed, dtypes=ALL, k=(0, 0), shape=(3, 3))
sample(Diag, normal(2, 2), reference=placed, dtypes=ALL, k=(-1, -1), shape=(3, 4))
sample(Diag, normal(3, 3), reference=placed, k=(-1, 1), shape=(3, 3))
sample(Diag, normal(2, 4, 3), reference=placed, k=(-2, 1), shape=(4, 3), align="LEFT_RIGHT")
sample(Diag, normal(2, 2), reference=placed, k=(1, 2), shape=(3, 3), align="LEFT_LEFT")
sample(Diag, normal(0, 2), reference=placed, k=(0, 0), shape=(2, 2))
bad(Diag, normal(3), error=ShapeError, match="x is f64[3], but the diagonals (0, 0)", k=(0, 0), shape=(2, 2))
bad(Diag, normal(2, 3), error=InvalidArgumentError, match="k is (2, 3)", k=(2, 3), shape=(3, 3))
bad(Diag, np.array([b"a"], object), error=DTypeError, match="x is str[1]", k=(0, 0), shape=(1, 1))
