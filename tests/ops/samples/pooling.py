"""Samples of pooling."""

import numpy as np

from gradtape.core import dtypes
from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.pooling import AvgPool, AvgPoolGradient, MaxPool, PoolPick, PoolPlace, PoolPositions, PoolWinner
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(6)
FLOATS = "float16 bfloat16 float32 float64"


def seen(size, window, strides, padding, dilations):
    """For each place, the (number of tap, position) pairs inside the input, written out."""
    axes = zip(size, window, strides, padding, dilations, strict=True)
    out = [(n + low + high - (k - 1) * d - 1) // s + 1 for n, k, s, (low, high), d in axes]
    for place in np.ndindex(*out):
        pairs = []
        for number, tap in enumerate(np.ndindex(*window)):
            way = zip(place, tap, strides, padding, dilations, strict=True)
            position = tuple([o * s + k * d - low for o, k, s, (low, _), d in way])
            if all(0 <= p < n for p, n in zip(position, size, strict=True)):
                pairs.append((number, position))
        yield place, pairs


def filled(size, way, value, dtype):
    """An array with `value(place, pairs)` at each place."""
    found = [(place, value(place, pairs)) for place, pairs in seen(size, **way)]
    out = [max([place[i] for place, _ in found], default=-1) + 1 for i in range(len(size))]
    y = np.zeros(out, dtype)
    for place, one in found:
        y[place] = one
    return y


def first_best(x, pairs):
    return max(pairs, key=lambda pair: (x[pair[1]], -pair[0]))


def maxima(x, **way):
    return filled(x.shape, way, lambda place, pairs: max([x[p] for _, p in pairs]), x.dtype)


def winners(x, **way):
    return filled(x.shape, way, lambda place, pairs: first_best(x, pairs)[0], np.uint8)


def means(x, **way):
    return filled(x.shape, way, lambda place, pairs: sum([x[p] for _, p in pairs]) / len(pairs), x.dtype)


def picked(x, winner, **way):
    return filled(x.shape, way, lambda place, pairs: x[dict(pairs)[int(winner[place])]], x.dtype)


def placed(g, winner, *, size, **way):
    x = np.zeros(size, g.dtype)
    for place, pairs in seen(size, **way):
        x[dict(pairs)[int(winner[place])]] += g[place]
    return x


def shared(g, *, size, **way):
    x = np.zeros(size, g.dtype)
    for place, pairs in seen(size, **way):
        for _, position in pairs:
            x[position] += g[place] / len(pairs)
    return x


def positions(winner, *, size, first, output_type, **way):
    def one(place, pairs):
        return np.ravel_multi_index(dict(pairs)[int(winner[place])][first:], size[first:])

    return filled(size, way, one, output_type.numpy)


def situation(size, window, strides=None, padding=None, dilations=None, dtypes_="float32 float64"):
    """A sample of every op."""
    rank = len(size)
    way = {
        "window": window,
        "strides": strides or (1,) * rank,
        "padding": padding or ((0, 0),) * rank,
        "dilations": dilations or (1,) * rank,
    }
    x = random.permutation(np.arange(np.prod(size)) / 8 - 2).reshape(size)
    winner = winners(x, **way)
    g = random.normal(size=winner.shape)
    sample(MaxPool, x, reference=maxima, dtypes=dtypes_, **way)
    sample(PoolWinner, x, reference=winners, dtypes=dtypes_, **way)
    sample(PoolPick, x, winner, reference=picked, dtypes=dtypes_, **way)
    sample(PoolPlace, g, winner, reference=placed, dtypes=dtypes_, size=size, **way)
    sample(AvgPool, x, reference=means, dtypes=dtypes_, **way)
    sample(AvgPoolGradient, g, reference=shared, dtypes=dtypes_, size=size, **way)
    first, kind = [(0, dtypes.int32), (1, dtypes.int64)][rank % 2]
    sample(PoolPositions, winner, reference=positions, size=size, first=first, output_type=kind, **way)


situation((2, 4, 4, 2), (1, 2, 2, 1), strides=(1, 2, 2, 1), dtypes_=FLOATS)
situation((1, 4, 3, 2), (1, 3, 2, 1), strides=(1, 2, 1, 1), padding=((0, 0), (1, 1), (0, 1), (0, 0)))
situation((2, 5), (1, 2), padding=((0, 0), (1, 0)), dilations=(1, 2))
situation((2, 3, 3), (1, 3, 3))
situation((2, 3), (2, 2), strides=(1, 3))
situation((2, 2, 5), (1, 1, 2), strides=(1, 1, 3))
sample(
    MaxPool, random.integers(-9, 9, (2, 4)), reference=maxima, dtypes="int32 uint8",
    window=(1, 2), strides=(1, 2), padding=((0, 0), (0, 0)), dilations=(1, 1),
)  # fmt: skip
# Ties go to the first.
for tied in (np.zeros((1, 4)), np.array([[1.0, 2.0, 2.0, 2.0]]), np.full((1, 4), -np.inf)):
    sample(
        PoolWinner, tied, reference=winners, smooth=False,
        window=(1, 3), strides=(1, 1), padding=((0, 0), (1, 1)), dilations=(1, 1),
    )  # fmt: skip
sample(
    MaxPool, np.zeros((0, 4)), reference=lambda x, **way: np.zeros((0, 2)),
    window=(1, 2), strides=(1, 2), padding=((0, 0), (0, 0)), dilations=(1, 1),
)  # fmt: skip
sample(
    AvgPool, np.zeros((2, 2)), reference=lambda x, **way: np.zeros((2, 0)),
    window=(1, 3), strides=(1, 1), padding=((0, 0), (0, 0)), dilations=(1, 1),
)  # fmt: skip

WAY = {"window": (1, 2), "strides": (1, 2), "padding": ((0, 0), (0, 0)), "dilations": (1, 1)}
X, WINNER, G = np.ones((2, 4)), np.zeros((2, 2), np.uint8), np.ones((2, 2))
for op in (MaxPool, PoolWinner, AvgPool):
    bad(op, X[0], error=ShapeError, match="got [1, 2] for shape [4]", **WAY)
    bad(op, X, error=ShapeError, match="does not fit into an input of shape [2, 4]", **{**WAY, "window": (1, 7)})
    bad(op, X, error=ShapeError, match="a window of [1, 0]", **{**WAY, "window": (1, 0)})
    bad(
        op, X, error=ShapeError, match="padding of [2, 0] on axis 1 lets a window of 2 see nothing else",
        **{**WAY, "padding": ((0, 0), (2, 0))},
    )  # fmt: skip
    bad(op, X > 0, error=DTypeError, match="x is bool[2,4]", **WAY)
bad(PoolPick, X, WINNER[:1], error=ShapeError, match="winner is u8[1,2], but the window has [2, 2] places", **WAY)
bad(PoolPick, X, G, error=DTypeError, match="winner is f64[2,2], and must be integers", **WAY)
bad(PoolPick, X > 0, WINNER, error=DTypeError, match="x is bool[2,4]", **WAY)
bad(PoolPlace, G[:1], WINNER, error=ShapeError, match="g is f64[1,2], winner is u8[2,2]", size=(2, 4), **WAY)
bad(PoolPlace, G, G, error=DTypeError, match="winner is f64[2,2]", size=(2, 4), **WAY)
bad(AvgPoolGradient, G, error=ShapeError, match="has [2, 3] places in [2, 6]", size=(2, 6), **WAY)
bad(
    PoolPositions, WINNER, error=ShapeError, match="has [2, 3] places in [2, 6]", size=(2, 6), first=0,
    output_type=dtypes.int64, **WAY,
)  # fmt: skip
