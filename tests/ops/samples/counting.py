"""Samples of counting."""

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.ops.counting import BinCount
from gradtape.testing.sample import bad, sample


def one_by_one(x, size, dtype, binary=False):
    y = np.zeros((*x.shape[:-1], size), dtype.numpy)
    for place in np.ndindex(x.shape):
        if 0 <= x[place] < size:
            y[(*place[:-1], x[place])] += 1
    return np.minimum(y, 1) if binary else y


NUMBERS = np.array([[1, 1, 3], [0, 5, 2]])
for binary in (False, True):
    sample(
        BinCount, NUMBERS, size=6, binary=binary, dtype=dtypes.int32, reference=one_by_one, dtypes="int8 int32 uint8"
    )
sample(BinCount, NUMBERS, size=3, dtype=dtypes.float32, reference=one_by_one, dtypes="int8 int32 uint64")
sample(BinCount, NUMBERS[0], size=8, dtype=dtypes.int64, reference=one_by_one)
sample(BinCount, np.zeros((2, 0), int), size=2, dtype=dtypes.int32, reference=one_by_one)
sample(BinCount, np.zeros((0, 3), int), size=0, dtype=dtypes.int32, reference=one_by_one)
bad(
    BinCount,
    np.int64(3),
    size=4,
    dtype=dtypes.int32,
    error=errors.ShapeError,
    match="x is i64[], and must not be a scalar",
)
bad(
    BinCount,
    NUMBERS,
    size=-1,
    dtype=dtypes.int32,
    error=errors.ShapeError,
    match="the size must not be negative, got -1",
)
bad(
    BinCount,
    NUMBERS - 1,
    size=3,
    dtype=dtypes.int32,
    error=errors.InvalidArgumentError,
    match="arr holds -1, and must not be negative",
)
bad(BinCount, np.array([1.0]), size=2, dtype=dtypes.int32, error=errors.DTypeError, match="x is f64[1]")
