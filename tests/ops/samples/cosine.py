"""Samples of cosine transforms."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.dct import Dct
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(27)


def matrix(n, kind, ortho):
    """The matrix of a transform, by its definition."""
    k, i = np.arange(n)[:, None], np.arange(n)
    if kind == 1:
        m = 2.0 * np.cos(np.pi * k * i / (n - 1))
        m[:, [0, -1]] /= 2.0
        return m
    if kind == 2:
        m = 2.0 * np.cos(np.pi * k * (2 * i + 1) / (2 * n))
        return m * np.where(k == 0, np.sqrt(1 / (4 * n)), np.sqrt(1 / (2 * n))) if ortho else m
    if kind == 3:
        m = 2.0 * np.cos(np.pi * (2 * k + 1) * i / (2 * n))
        m[:, 0] = 1.0
        return m * np.where(i == 0, 1 / np.sqrt(n), 1 / np.sqrt(2 * n)) if ortho else m
    m = 2.0 * np.cos(np.pi * (2 * k + 1) * (2 * i + 1) / (4 * n))
    return m / np.sqrt(2 * n) if ortho else m


def product(x, kind, ortho=False, transposed=False):
    m = matrix(x.shape[-1], kind, ortho)
    return x @ (m if transposed else m.T)


for kind in (1, 2, 3, 4):
    sample(Dct, random.normal(size=(2, 5)), reference=product, kind=kind)
    sample(Dct, random.normal(size=4), reference=product, kind=kind, transposed=True)
for kind in (2, 3, 4):
    sample(Dct, random.normal(size=3), reference=product, kind=kind, ortho=True)
sample(Dct, random.normal(size=(2, 1)), reference=product, kind=2, transposed=True)
sample(Dct, random.normal(size=2), reference=product, kind=1, transposed=True)
sample(Dct, np.zeros((0, 3)), reference=lambda x, kind: x, kind=2)
bad(Dct, random.normal(size=3), error=InvalidArgumentError, match="kind must be 1, 2, 3 or 4, got 5", kind=5)
bad(Dct, random.normal(size=(2, 1)), error=ShapeError, match="must have 2 elements", kind=1)
bad(Dct, np.ones(3, np.float16), error=DTypeError, match="x must be float32 or float64, got f16[3]", kind=2)
bad(Dct, np.ones(3, complex), error=DTypeError, match="x is c128[3]", kind=2)
