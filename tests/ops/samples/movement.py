"""Samples of ops that move elements."""

import numpy as np

from gradtape.core import errors
from gradtape.ops.movement import BroadcastTo, Identity, Reshape, Roll, Tile, Transpose
from gradtape.testing.sample import bad, sample

ALL = "float16 bfloat16 float32 float64 complex64 complex128"
WHOLE = np.arange(12).reshape(3, 4)
CUBE = np.linspace(-1.5, 2.0, 24).reshape(2, 3, 4)
VECTOR = np.array([0.5, -1.25, 2.0])
EMPTY = np.zeros((0, 3))
TEXT = np.array([["a", "b"], ["c", "d"]])


def by_places(shape_of, place_of):
    """A reference that looks up, for each place of the result, the place in x that it shows."""

    def reference(x, **params):
        result = np.empty(shape_of(x, **params), x.dtype)
        for place in np.ndindex(*result.shape):
            result[place] = x[place_of(x, place, **params)]
        return result

    return reference


same = by_places(lambda x: x.shape, lambda x, place: place)
reshaped = by_places(
    lambda x, shape: shape, lambda x, place, shape: np.unravel_index(np.ravel_multi_index(place, shape), x.shape)
)
transposed = by_places(
    lambda x, perm: [x.shape[p] for p in perm],
    lambda x, place, perm: tuple(place[perm.index(a)] for a in range(x.ndim)),
)
broadcasted = by_places(
    lambda x, shape: shape,
    lambda x, place, shape: tuple(
        0 if n == 1 else i for n, i in zip(x.shape, place[len(shape) - x.ndim :], strict=True)
    ),
)
tiled = by_places(
    lambda x, multiples: [m * n for m, n in zip(multiples, x.shape, strict=True)],
    lambda x, place, multiples: tuple(i % n for i, n in zip(place, x.shape, strict=True)),
)


def rolled(x, shift, axis):
    def place_of(x, place):
        place = list(place)
        for s, a in zip(shift, axis, strict=True):
            place[a] = (place[a] - s) % x.shape[a]
        return tuple(place)

    return by_places(lambda x: x.shape, place_of)(x)


sample(Identity, CUBE, reference=same, dtypes=ALL)
sample(Identity, 0.5, reference=lambda x: x, dtypes=ALL)
sample(Identity, TEXT, reference=same)

sample(Reshape, CUBE, shape=(4, 6), reference=reshaped, dtypes=ALL)
sample(Reshape, CUBE, shape=(24,), reference=reshaped)
sample(Reshape, 0.5, shape=(1, 1), reference=lambda x, shape: [[x]])
sample(Reshape, np.array([[0.5]]), shape=(), reference=lambda x, shape: x[0, 0])
sample(Reshape, EMPTY, shape=(3, 0, 2), reference=reshaped)
sample(Reshape, WHOLE, shape=(2, 6), reference=reshaped, dtypes="int8 int32 int64 uint8")
sample(Reshape, TEXT, shape=(4,), reference=reshaped)
bad(Reshape, CUBE, shape=(5, 5), error=errors.ShapeError, match="tensor with 24 values, but the requested shape has 25")
bad(Reshape, 0.5, shape=(0,), error=errors.ShapeError, match="tensor with 1 values, but the requested shape has 0")

sample(Transpose, CUBE, perm=(2, 0, 1), reference=transposed, dtypes=ALL)
sample(Transpose, CUBE[0], perm=(1, 0), reference=transposed)
sample(Transpose, CUBE, perm=(0, 1, 2), reference=transposed)
sample(Transpose, 0.5, perm=(), reference=lambda x, perm: x)
sample(Transpose, EMPTY, perm=(1, 0), reference=transposed)
sample(Transpose, WHOLE, perm=(1, 0), reference=transposed, dtypes="int16 int64")
bad(Transpose, CUBE, perm=(0, 1), error=errors.ShapeError, match="perm is [0, 1], but x is f64[2,3,4]")
bad(Transpose, CUBE, perm=(0, 1, 1), error=errors.ShapeError, match="name each axis from 0 to 2 once")
bad(Transpose, CUBE, perm=(0, 1, 5), error=errors.ShapeError, match="perm is [0, 1, 5]")
bad(Transpose, 0.5, perm=(0,), error=errors.ShapeError, match="give perm=[]")

sample(BroadcastTo, VECTOR, shape=(2, 3), reference=broadcasted, dtypes=ALL)
sample(BroadcastTo, CUBE[:, :1], shape=(2, 5, 4), reference=broadcasted)
sample(BroadcastTo, CUBE[:1, :, :1], shape=(2, 2, 3, 3), reference=broadcasted)
sample(BroadcastTo, 0.5, shape=(2, 3), reference=lambda x, shape: [[x] * 3] * 2, dtypes=ALL)
sample(BroadcastTo, 0.5, shape=(), reference=lambda x, shape: x)
sample(BroadcastTo, 0.5, shape=(2, 0), reference=lambda x, shape: [[], []])
sample(BroadcastTo, VECTOR[:1], shape=(0,), reference=lambda x, shape: [])
sample(BroadcastTo, WHOLE[:1], shape=(2, 4), reference=broadcasted, dtypes="int32 uint8")
bad(BroadcastTo, VECTOR, shape=(3, 2), error=errors.ShapeError, match="f64[3], which does not broadcast to [3,2]")
bad(BroadcastTo, VECTOR, shape=(1,), error=errors.ShapeError, match="does not broadcast to [1]")
bad(BroadcastTo, CUBE, shape=(3, 4), error=errors.ShapeError, match="does not broadcast to [3,4]")

sample(Tile, CUBE, multiples=(2, 1, 3), reference=tiled, dtypes=ALL)
sample(Tile, VECTOR, multiples=(1,), reference=tiled)
sample(Tile, VECTOR, multiples=(0,), reference=tiled)
sample(Tile, EMPTY, multiples=(2, 2), reference=tiled)
sample(Tile, 0.5, multiples=(), reference=lambda x, multiples: x)
sample(Tile, WHOLE, multiples=(1, 2), reference=tiled, dtypes="int32 uint8")
bad(Tile, CUBE, multiples=(2,), error=errors.ShapeError, match="multiples has 1 entries, but x is f64[2,3,4]")
bad(Tile, VECTOR, multiples=(2, 2), error=errors.ShapeError, match="multiples has 2 entries")
bad(Tile, VECTOR, multiples=(-1,), error=errors.ShapeError, match="must not be negative")

sample(Roll, CUBE, shift=(1, -2), axis=(0, 2), reference=rolled, dtypes=ALL)
sample(Roll, VECTOR, shift=(7,), axis=(0,), reference=rolled)
sample(Roll, CUBE, shift=(1, 1), axis=(1, 1), reference=rolled)
sample(Roll, EMPTY, shift=(1,), axis=(0,), reference=lambda x, shift, axis: x)
sample(Roll, WHOLE, shift=(1,), axis=(1,), reference=rolled, dtypes="int32 uint8")
bad(Roll, 0.5, shift=(1,), axis=(0,), error=errors.ShapeError, match="a scalar")
bad(Roll, VECTOR, shift=(1,), axis=(1,), error=errors.RangeError, match="axis is 1, but the input has rank 1")
bad(Roll, CUBE, shift=(1,), axis=(0, 1), error=errors.ShapeError, match="one shift per axis")
