"""Samples of attention. The references go query by query."""

import itertools

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.attention import Attention, AttentionGrad, CausalScores
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(13)
REALS = "float16 bfloat16 float32 float64"


def normal(*shape):
    return random.normal(size=shape)


def by_query(q, k, v, bias, scale, causal):
    """Each query on its own, with Python's sums."""
    result = np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype)
    biases = np.broadcast_to(bias, (*q.shape[:-1], k.shape[-2]))
    for *head, i in np.ndindex(*q.shape[:-1]):
        here = tuple(head)
        scores = [scale * np.sum(q[(*here, i)] * key) + b for key, b in zip(k[here], biases[(*here, i)], strict=True)]
        weights = [0.0 if causal and j > i else np.exp(s) for j, s in enumerate(scores)]
        if sum(weights):
            result[(*here, i)] = sum(w * value for w, value in zip(weights, v[here], strict=True)) / sum(weights)
    return result


def by_steps(g, q, k, v, bias, scale, causal, biased):
    """Cotangents by complex steps."""
    arrays = [q, k, v, bias]
    found = []
    for n, x in enumerate(arrays):
        d = np.zeros(x.size)
        for i in range(x.size if n < 3 or biased else 0):
            moved = [a.astype(complex) for a in arrays]
            moved[n].ravel()[i] += 1e-30j
            d[i] = np.sum(g * by_query(*moved, scale, causal).imag) / 1e-30
        found.append(d.reshape(x.shape))
    return tuple(found)


Q, K, V = normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 2)
NONE = np.zeros((1, 1))
MASKED = np.where(random.random((2, 3, 5)) < 0.3, -np.inf, normal(2, 3, 5))
MASKED[0, 1] = -np.inf
for causal, bias in itertools.product((False, True), (NONE, normal(3, 5))):
    sample(Attention, Q, K, V, bias, reference=by_query, dtypes=REALS, scale=0.5, causal=causal)
sample(Attention, Q, K, V, normal(2, 1, 5), reference=by_query, scale=0.5, causal=False)
sample(Attention, Q[0], K[0], V[0], normal(3, 1), reference=by_query, scale=0.5, causal=False)
sample(Attention, Q, K, V, MASKED, reference=by_query, dtypes=REALS, scale=0.5, causal=False, smooth=False)
sample(
    Attention,
    normal(1, 2, 3, 4),
    normal(1, 2, 5, 4),
    normal(1, 2, 5, 2),
    NONE,
    reference=by_query,
    scale=1.0,
    causal=False,
)
sample(Attention, Q, K[:, :1], V[:, :1], normal(3, 1), reference=by_query, scale=0.5, causal=False)
sample(Attention, Q, K[:, :0], V[:, :0], NONE, reference=by_query, scale=0.5, causal=False)
bad(
    Attention,
    Q,
    K[:, :, :3],
    V,
    NONE,
    error=ShapeError,
    match="q is f64[2,3,4], k is f64[2,5,3]",
    scale=1.0,
    causal=False,
)
bad(Attention, Q, K, V[:, :4], NONE, error=ShapeError, match="v is f64[2,4,2]", scale=1.0, causal=False)
bad(Attention, Q, K, V, normal(3, 4), error=ShapeError, match="bias is f64[3,4]", scale=1.0, causal=False)
bad(Attention, Q, K, V, np.zeros((1, 1), int), error=DTypeError, match="bias is i64[1,1]", scale=1.0, causal=False)

G = normal(2, 3, 2)
sample(AttentionGrad, G, Q, K, V, NONE, reference=by_steps, dtypes=REALS, scale=0.5, causal=True, biased=False)
sample(AttentionGrad, G, Q, K, V, normal(1, 5), reference=by_steps, scale=0.5, causal=False, biased=True)
sample(AttentionGrad, G, Q, K, V, normal(2, 1, 5), reference=by_steps, scale=0.5, causal=False, biased=True)
bad(
    AttentionGrad,
    G[:, :2],
    Q,
    K,
    V,
    NONE,
    error=ShapeError,
    match="g is f64[2,2,2]",
    scale=1.0,
    causal=False,
    biased=True,
)


def up_to_diagonal(x, value):
    result = np.array(x)
    for *_, i, j in (index := list(np.ndindex(*x.shape))):
        if j > i:
            result[..., i, j] = value
    return result if index else x


sample(CausalScores, normal(2, 3, 4), reference=up_to_diagonal, dtypes=REALS, value=0.5)
sample(CausalScores, normal(3, 2), reference=up_to_diagonal, value=0.0)
bad(CausalScores, normal(3), error=ShapeError, match="x must have rank 2 or more, got f64[3]", value=0.0)
bad(CausalScores, np.ones((2, 2), int), error=DTypeError, match="x is i64[2,2]", value=0.0)
