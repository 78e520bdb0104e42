"""Samples of layer normalisation. The references are loops over rows."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.normalization import LayerNormalization, LayerNormalizationGrad
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(11)
REALS = "float16 bfloat16 float32 float64"


def normal(*shape):
    return random.normal(size=shape)


def by_row(x, scale, offset, epsilon):
    """Row by row, with the moments of NumPy."""
    rows = x.reshape(-1, x.shape[-1])
    factors = [1 / np.sqrt(np.var(row) + epsilon) for row in rows]
    normalized = np.reshape([(row - np.mean(row)) * f for row, f in zip(rows, factors, strict=True)], x.shape)
    return normalized * scale + offset, normalized, np.reshape(factors, (*x.shape[:-1], 1))


def by_matrices(g, h, factor, scale):
    """With the matrix of each row in full."""
    n = h.shape[-1]
    rows = zip(g.reshape(-1, n), h.reshape(-1, n), factor.reshape(-1), strict=True)
    dx = [f * (np.eye(n) - np.ones((n, n)) / n - np.outer(r, r) / n) @ (scale * c) for c, r, f in rows]
    lead = tuple(range(g.ndim - 1))
    return np.reshape(dx, h.shape), np.sum(g * h, axis=lead), np.sum(g, axis=lead)


X = normal(2, 4)
sample(LayerNormalization, X, normal(4), normal(4), reference=by_row, dtypes=REALS, epsilon=0.1)
sample(LayerNormalization, normal(4), normal(4), normal(4), reference=by_row, epsilon=0.1)
sample(LayerNormalization, normal(2, 2, 3), normal(3), normal(3), reference=by_row, epsilon=0.01)
sample(LayerNormalization, normal(2, 1), normal(1), normal(1), reference=by_row, epsilon=0.1)
sample(LayerNormalization, normal(0, 3), normal(3), normal(3), epsilon=0.1)
bad(LayerNormalization, X, normal(3), normal(4), error=ShapeError, match="x is f64[2,4], scale is f64[3]", epsilon=0.1)
bad(LayerNormalization, X, normal(4), normal(2, 4), error=ShapeError, match="offset is f64[2,4]", epsilon=0.1)
bad(LayerNormalization, np.float64(1.0), normal(1), normal(1), error=ShapeError, match="x is f64[]", epsilon=0.1)
bad(LayerNormalization, np.ones((2, 2), int), *np.ones((2, 2), int), error=DTypeError, match="x is i64", epsilon=0.1)

sample(LayerNormalizationGrad, normal(2, 4), X, normal(2, 1), normal(4), reference=by_matrices, dtypes=REALS)
sample(LayerNormalizationGrad, normal(4), normal(4), normal(1), normal(4), reference=by_matrices)
sample(LayerNormalizationGrad, normal(2, 2, 3), normal(2, 2, 3), normal(2, 2, 1), normal(3), reference=by_matrices)
bad(LayerNormalizationGrad, normal(4), X, normal(2, 1), normal(4), error=ShapeError, match="g is f64[4], h is f64[2,4]")
bad(LayerNormalizationGrad, X, X, normal(2), normal(4), error=ShapeError, match="factor is f64[2]")
bad(LayerNormalizationGrad, X, X, normal(2, 1), normal(3), error=ShapeError, match="scale is f64[3]")
