"""Samples of grey-scale morphology."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.morphology import Dilation2D, DilationWinner, TapSums, TapValues
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(7)
FLOATS = "float16 bfloat16 float32 float64"


def contest(x, w, strides, padding, dilations):
    """(place, [(sum, -number of tap)]) for every place and channel, written out."""
    size, window = x.shape[1:-1], w.shape[:-1]
    axes = zip(size, window, strides, padding, dilations, strict=True)
    out = [(n + low + high - (k - 1) * d - 1) // s + 1 for n, k, s, (low, high), d in axes]
    for n, i, j, c in np.ndindex(x.shape[0], *out, x.shape[-1]):
        sums = []
        for number, (a, b) in enumerate(np.ndindex(*window)):
            p = i * strides[0] + a * dilations[0] - padding[0][0]
            q = j * strides[1] + b * dilations[1] - padding[1][0]
            if 0 <= p < size[0] and 0 <= q < size[1]:
                sums.append((x[n, p, q, c] + w[a, b, c], -number))
        yield (n, i, j, c), sums


def dilated(x, w, **way):
    found = [(place, max(sums)[0]) for place, sums in contest(x, w, **way)]
    return _array(found, x.dtype)


def winners(x, w, **way):
    return _array([(place, -max(sums)[1]) for place, sums in contest(x, w, **way)], np.uint8)


def _array(found, dtype):
    y = np.zeros(np.max([place for place, _ in found], axis=0) + 1, dtype)
    for place, value in found:
        y[place] = value
    return y


def tap_sums(g, winner, taps):
    y = np.zeros((taps, g.shape[-1]))
    for place in np.ndindex(g.shape):
        y[winner[place], place[-1]] += g[place]
    return y


def tap_values(w, winner):
    y = np.zeros(winner.shape)
    for place in np.ndindex(winner.shape):
        y[place] = w[winner[place], place[-1]]
    return y


def situation(size, window, strides=(1, 1), padding=((0, 0), (0, 0)), dilations=(1, 1), dtypes="float32 float64"):
    x = random.permutation(np.arange(np.prod(size)) / 8).reshape(size)
    w = random.permutation(np.arange(np.prod(window)) / 64).reshape(window)
    way = {"strides": strides, "padding": padding, "dilations": dilations}
    sample(Dilation2D, x, w, reference=dilated, dtypes=dtypes, **way)
    sample(DilationWinner, x, w, reference=winners, dtypes=dtypes, **way)


situation((2, 3, 3, 2), (2, 2, 2), dtypes=FLOATS)
situation((1, 4, 3, 1), (2, 3, 1), strides=(2, 1), padding=((0, 1), (1, 1)))
situation((1, 4, 4, 2), (2, 2, 2), padding=((1, 1), (0, 0)), dilations=(2, 3))
sample(
    DilationWinner, np.zeros((1, 2, 2, 1)), np.zeros((2, 2, 1)), reference=winners, smooth=False,
    strides=(1, 1), padding=((1, 0), (0, 1)), dilations=(1, 1),
)  # fmt: skip

WINNER = random.integers(0, 3, (2, 2, 2)).astype(np.uint8)
sample(TapSums, random.normal(size=(2, 2, 2)), WINNER, reference=tap_sums, dtypes=FLOATS, taps=3)
sample(TapSums, np.zeros((0, 2)), np.zeros((0, 2), np.int32), reference=tap_sums, taps=2)
sample(TapValues, random.normal(size=(3, 2)), WINNER, reference=tap_values, dtypes=FLOATS)

WAY = {"strides": (1, 1), "padding": ((0, 0), (0, 0)), "dilations": (1, 1)}
X, W = np.ones((1, 3, 3, 2)), np.ones((2, 2, 2))
for op in (Dilation2D, DilationWinner):
    bad(op, X, W[..., :1], error=ShapeError, match="x is f64[1,3,3,2], w is f64[2,2,1]", **WAY)
    bad(op, X[0], W, error=ShapeError, match="x is f64[3,3,2]", **WAY)
    bad(
        op,
        X,
        np.ones((5, 2, 2)),
        error=ShapeError,
        match="a filter of [5, 2] does not fit into images of [3, 3]",
        **WAY,
    )
    bad(op, X, W.astype(np.float32), error=DTypeError, match="w is f32[2,2,2]", **WAY)
bad(TapSums, np.ones((2, 2)), WINNER, error=ShapeError, match="g is f64[2,2], winner is u8[2,2,2]", taps=3)
bad(TapSums, np.ones((2, 2)), np.ones((2, 2)), error=DTypeError, match="winner is f64[2,2]", taps=3)
bad(TapValues, np.ones((2, 3)), WINNER, error=ShapeError, match="w is f64[2,3], winner is u8[2,2,2]")
bad(TapValues, np.ones((2, 2)) > 0, WINNER, error=DTypeError, match="w is bool[2,2]")
