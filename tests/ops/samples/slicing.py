"""Samples of slices, reversal and padding."""

import itertools

import numpy as np

from gradtape.core import errors
from gradtape.ops.slicing import Pad, Reverse, StridedSlice, StridedSliceGrad
from gradtape.testing.sample import bad, sample

ALL = "float16 bfloat16 float32 float64 complex64 complex128"
CUBE = np.linspace(-1.5, 2.0, 24).reshape(2, 3, 4)
VECTOR = np.array([0.5, -1.25, 2.0, 4.0])
WHOLE = np.arange(12).reshape(3, 4)
TEXT = np.array(["a", "b", "c"])


def places(shape, index):
    """For each axis the places that an index names, and which axes stay."""
    full = [*index, *[(0, n, 1) for n in shape[len(index) :]]]
    named = [[e] if isinstance(e, int) else list(range(*e)) for e in full]
    return named, [len(p) for p, e in zip(named, full, strict=True) if not isinstance(e, int)]


def sliced(x, index):
    named, shape = places(x.shape, index)
    return np.array([x[place] for place in itertools.product(*named)], x.dtype).reshape(shape)


def scattered(dy, shape, index):
    result = np.zeros(shape, dy.dtype)
    for place, value in zip(itertools.product(*places(shape, index)[0]), np.ravel(dy), strict=True):
        result[place] = value
    return result


INDICES = [
    (1,),
    ((0, 2, 1), 1),
    ((0, 2, 1), (1, 3, 1), (0, 4, 2)),
    ((1, -1, -1), 2, (3, 0, -2)),
    (1, 2, 3),
    (),
    ((1, 1, 1),),
]
for k, index in enumerate(INDICES):
    sample(StridedSlice, CUBE, index=index, reference=sliced, dtypes=ALL if k < 2 else "float32 float64")
    part = sliced(CUBE, index)
    sample(
        StridedSliceGrad, part, shape=CUBE.shape, index=index, reference=scattered,
        dtypes=ALL if k < 2 else "float32 float64",
    )  # fmt: skip
sample(StridedSlice, 0.5, index=(), reference=lambda x, index: x)
sample(StridedSlice, WHOLE, index=((0, 3, 2),), reference=sliced, dtypes="int32 uint8")
sample(StridedSlice, TEXT, index=((1, 3, 1),), reference=sliced)
bad(StridedSlice, CUBE, index=(2,), error=errors.RangeError, match="index 2 of dimension 0 is out of bounds")
bad(
    StridedSlice,
    CUBE,
    index=(0, 0, 4),
    error=errors.RangeError,
    match="dimension 2 is out of bounds for x, which is f64[2,3,4]",
)
bad(
    StridedSlice,
    CUBE,
    index=(0, 0, 0, 0),
    error=errors.RangeError,
    match="there are 4 indices, but x, which is f64[2,3,4], has only rank 3",
)
bad(StridedSliceGrad, VECTOR, shape=(6,), index=((0, 3, 1),), error=errors.ShapeError, match="has shape [3]")
bad(StridedSliceGrad, TEXT, shape=(6,), index=((0, 3, 1),), error=errors.DTypeError, match="str[3]")


def reversed_(x, axis):
    for a in axis:
        x = np.stack([np.take(x, i, a) for i in reversed(range(x.shape[a]))], a) if x.size else x
    return x


sample(Reverse, CUBE, axis=(0, 2), reference=reversed_, dtypes=ALL)
sample(Reverse, VECTOR, axis=(0,), reference=reversed_)
sample(Reverse, VECTOR, axis=(), reference=reversed_)
sample(Reverse, CUBE[:0], axis=(0, 1), reference=reversed_)
sample(Reverse, WHOLE, axis=(1,), reference=reversed_, dtypes="int32 uint8")
bad(Reverse, CUBE, axis=(3,), error=errors.RangeError, match="axis is 3")
bad(Reverse, CUBE, axis=(0, 0), error=errors.ShapeError, match="names an axis twice")

sides = ((1, 2), (0, 0), (0, 1))
sample(Pad, CUBE, paddings=sides, reference=lambda x, paddings: np.pad(x, paddings, constant_values=0), dtypes=ALL)
sample(
    Pad, VECTOR, paddings=((2, 1),), mode="constant", value=-1.5,
    reference=lambda x, paddings, mode, value: [value, value, *x, value],
)  # fmt: skip
sample(Pad, CUBE[:0], paddings=((1, 0), (0, 0), (0, 0)), reference=lambda x, paddings: np.zeros((1, 3, 4)))
sample(Pad, 0.5, paddings=(), reference=lambda x, paddings: x)
sample(
    Pad, WHOLE, paddings=((0, 1), (1, 0)), mode="constant", value=7, dtypes="int32 uint8",
    reference=lambda x, paddings, mode, value: np.pad(x, paddings, constant_values=value),
)  # fmt: skip
sample(
    Pad, TEXT, paddings=((1, 0),), mode="constant", value=b"-",
    reference=lambda x, paddings, mode, value: np.array([value, *x], object),
)  # fmt: skip


def mirrored(x, paddings, mode):
    """Each index walks back from the mirrors."""
    skip = 1 if mode == "reflect" else 0
    for axis, (before, after) in enumerate(paddings):
        n = x.shape[axis]
        order = []
        for i in range(-before, n + after):
            order.append(-i - 1 + skip if i < 0 else 2 * n - i - 1 - skip if i >= n else i)
        x = np.take(x, order, axis)
    return x


for mode, most in (("reflect", ((1, 1), (2, 1), (0, 3))), ("symmetric", ((2, 1), (3, 0), (1, 4)))):
    sample(Pad, CUBE, paddings=most, mode=mode, reference=mirrored, dtypes=ALL)
    sample(Pad, VECTOR, paddings=((0, 2),), mode=mode, reference=mirrored)
    sample(Pad, WHOLE, paddings=((1, 1), (0, 0)), mode=mode, reference=mirrored, dtypes="int32 uint8")
    bad(Pad, VECTOR, paddings=((5, 0),), mode=mode, error=errors.ShapeError, match="paddings[0] is [5, 0]")
bad(Pad, VECTOR, paddings=((4, 0),), mode="reflect", error=errors.ShapeError, match="from 0 to 3 for mode 'reflect'")
bad(Pad, VECTOR, paddings=((-1, 0),), error=errors.ShapeError, match="not be negative")
bad(Pad, CUBE, paddings=((1, 1),), error=errors.ShapeError, match="paddings has 1 pairs, but x is f64[2,3,4]")
