"""Samples of the recursions of CTC. The references add up paths one by one, or multiply by matrices."""

import itertools

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.ctc import CtcAlphas, CtcScan
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(12)
REALS = "float16 bfloat16 float32 float64"


def normal(*shape):
    return random.normal(size=shape)


def by_paths(emissions, skips):
    """Each path on its own."""
    frames, states = emissions.shape[0], emissions.shape[-1]
    tables = emissions.reshape(frames, -1, states)
    result = np.zeros_like(tables)
    for b, skip in enumerate(skips.reshape(-1, states)):
        for t in range(frames):
            for path in itertools.product(range(states), repeat=t + 1):
                steps = [j - i for i, j in itertools.pairwise(path)]
                is_path = path[0] < 2 and all(
                    k in (0, 1) or (k == 2 and skip[j]) for k, j in zip(steps, path[1:], strict=True)
                )
                if is_path:
                    result[t, b, path[-1]] += np.exp(sum(tables[i, b, s] for i, s in enumerate(path)))
    with np.errstate(divide="ignore"):
        return np.log(result).reshape(emissions.shape)


def by_matrices(x, weights, reverse):
    """One matrix over all frames and states, inverted."""
    frames, states = x.shape[0], x.shape[-1]
    columns = x.reshape(frames, -1, states)
    w = weights.reshape(3, frames - 1, columns.shape[1], states)
    result = np.zeros_like(columns)
    for b in range(columns.shape[1]):
        matrix = np.eye(frames * states)
        for t, s, k in itertools.product(range(1, frames), range(states), range(3)):
            if s >= k:
                matrix[t * states + s, (t - 1) * states + s - k] -= w[k, t - 1, b, s]
        solved = np.linalg.solve(matrix.T if reverse else matrix, columns[:, b].ravel())
        result[:, b] = solved.reshape(frames, states)
    return result.reshape(x.shape)


SKIPS = np.array([[False, False, False, True, False], [False, False, False, False, False]])
# With two states all are reachable, and differences are finite.
sample(CtcAlphas, normal(3, 2, 2), np.zeros((2, 2), bool), reference=by_paths, dtypes=REALS)
sample(CtcAlphas, normal(4, 1), np.zeros(1, bool), reference=by_paths)
sample(CtcAlphas, normal(4, 2, 5), SKIPS, reference=by_paths, dtypes=REALS, smooth=False)
sample(CtcAlphas, normal(1, 2, 3), np.zeros((2, 3), bool), reference=by_paths, smooth=False)
sample(CtcAlphas, normal(0, 2, 3), np.zeros((2, 3), bool), smooth=False)
bad(
    CtcAlphas, normal(3, 2, 2), np.zeros((2, 3), bool), error=ShapeError, match="emissions is f64[3,2,2], skips is bool"
)
bad(CtcAlphas, normal(3, 2), np.zeros(2), error=DTypeError, match="floating and bool")
bad(CtcAlphas, np.ones((3, 2), int), np.zeros(2, bool), error=DTypeError, match="emissions is i64[3,2]")

for reverse in (False, True):
    sample(CtcScan, normal(3, 2, 4), normal(3, 2, 2, 4), reference=by_matrices, dtypes=REALS, reverse=reverse)
    sample(CtcScan, normal(2, 1), normal(3, 1, 1), reference=by_matrices, reverse=reverse)
    sample(CtcScan, normal(1, 3), normal(3, 0, 3), reference=by_matrices, reverse=reverse)
bad(
    CtcScan,
    normal(3, 4),
    normal(3, 3, 4),
    error=ShapeError,
    match="x is f64[3,4], weights is f64[3,3,4]",
    reverse=False,
)
bad(CtcScan, normal(3, 4), normal(2, 2, 4), error=ShapeError, match="[3, time - 1, ..., states]", reverse=True)
