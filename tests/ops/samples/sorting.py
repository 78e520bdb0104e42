"""Samples of sorting."""

from itertools import pairwise

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.ops.isotonic import IsotonicRegression
from gradtape.ops.sorting import ArgSort, Sort, TopK, UniquePositions
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
INTEGER = "int8 int16 int32 int64 uint8 uint32"
ROW = np.array([0.5, -1.25, 2.0, 0.75, -3.0])
TABLE = np.array([[1.5, -0.75, 0.25, 4.0], [0.5, 2.0, -1.25, 1.0]])
TIES = np.array([[1.0, 3.0, 1.0, 3.0], [2.0, 2.0, 2.0, 2.0]])
UNORDERED = np.array([1.0, np.nan, -np.inf, np.inf, 0.0, np.nan, -1.0])
WHOLE = np.array([3, 5, 0, 5, 7, 3])
CUBE = np.sin(np.arange(12.0) * 2).reshape(2, 2, 3)


def by_python(x, descending):
    """The order of each row, by Python's stable sort; NaN counts as the largest."""
    order = np.empty(x.shape, int)
    for place in np.ndindex(x.shape[:-1]):
        row = x[place].tolist()
        keys = [(v != v, v if v == v else 0) for v in row]
        order[place] = sorted(range(len(row)), key=keys.__getitem__)
        if descending:
            # Reversed twice, so that equal elements keep their order.
            backward = sorted(range(len(row) - 1, -1, -1), key=keys.__getitem__)
            order[place] = backward[::-1]
    return order


def sorted_rows(x, descending=False):
    return np.take_along_axis(x, by_python(x, descending), -1)


def positions(x, descending=False, output_type=dtypes.int32):
    return by_python(x, descending).astype(output_type.numpy)


def largest(x, k, index_type):
    order = by_python(x, True)[..., :k]
    return np.take_along_axis(x, order, -1), order.astype(index_type.numpy)


for descending in (False, True):
    for x in (ROW, TABLE, CUBE, np.zeros((2, 0)), np.zeros((0, 3)), np.ones((2, 1))):
        names = REAL if x is ROW else "float32 float64"
        sample(Sort, x, descending=descending, reference=sorted_rows, dtypes=names)
        sample(ArgSort, x, descending=descending, output_type=dtypes.int32, reference=positions, dtypes=names)
    sample(Sort, UNORDERED, descending=descending, reference=sorted_rows, dtypes=REAL, smooth=False)
    sample(ArgSort, UNORDERED, descending=descending, output_type=dtypes.int64, reference=positions, dtypes=REAL)
    sample(ArgSort, TIES, descending=descending, output_type=dtypes.int32, reference=positions)
    sample(Sort, WHOLE, descending=descending, reference=sorted_rows, dtypes=INTEGER)
    sample(ArgSort, WHOLE, descending=descending, output_type=dtypes.int64, reference=positions, dtypes=INTEGER)

for k in (0, 1, 3, 4):
    sample(TopK, TABLE, k=k, index_type=dtypes.int32, reference=largest)
sample(TopK, ROW, k=2, index_type=dtypes.int64, reference=largest, dtypes=REAL)
sample(TopK, CUBE, k=2, index_type=dtypes.int16, reference=largest)
sample(TopK, TIES, k=2, index_type=dtypes.int32, reference=largest, smooth=False)
sample(TopK, UNORDERED, k=3, index_type=dtypes.int32, reference=largest, dtypes=REAL, smooth=False)
sample(TopK, WHOLE, k=3, index_type=dtypes.int32, reference=largest, dtypes=INTEGER)
bad(TopK, TABLE, k=5, index_type=dtypes.int32, error=errors.ShapeError, match="input must have at least k columns")
bad(TopK, TABLE, k=-1, index_type=dtypes.int32, error=errors.ShapeError, match="use a k from 0 to 4")

for op, params in ((Sort, {}), (ArgSort, {"output_type": dtypes.int32}), (TopK, {"k": 1, "index_type": dtypes.int32})):
    bad(op, 0.5, **params, error=errors.ShapeError, match="x is f64[], and must not be a scalar")
    bad(op, ROW + 0j, **params, error=errors.DTypeError, match="x is c128[5]")
    bad(op, np.array([True]), **params, error=errors.DTypeError, match="x is bool[1]")


def numbering(x, output_type):
    """By comparison of each element with those found so far."""
    first, index, count = [], [], []
    for i, v in enumerate(x.tolist()):
        number = next((k for k, j in enumerate(first) if x.tolist()[j] == v), len(first))
        if number == len(first):
            first.append(i)
            count.append(0)
        index.append(number)
        count[number] += 1
    return [np.array(v, output_type.numpy) for v in (first, index, count)]


for x in (WHOLE, np.array([2.5, -1.0, 2.5, 0.0, -0.0]), np.array([True, False, True]), np.array(["b", "a", "b", ""])):
    sample(UniquePositions, x, output_type=dtypes.int32, reference=numbering)
sample(UniquePositions, WHOLE, output_type=dtypes.int64, reference=numbering, dtypes=INTEGER)
sample(UniquePositions, np.array([1j, 2.0, 1j]), output_type=dtypes.int64, reference=numbering, dtypes="complex128")
sample(UniquePositions, np.zeros(0), output_type=dtypes.int32, reference=numbering)
sample(UniquePositions, UNORDERED, output_type=dtypes.int32, reference=numbering, dtypes=REAL)
bad(
    UniquePositions,
    TABLE,
    output_type=dtypes.int32,
    error=errors.ShapeError,
    match="x is f64[2,4], and must be a vector",
)


def by_minimax(x, decreasing):
    """Each value is the smallest, over ends behind it, of the largest mean from a start before it; or the other way round."""
    y, blocks = np.empty(x.shape), np.zeros(x.shape, np.int32)
    sign = -1.0 if decreasing else 1.0
    for place in np.ndindex(x.shape[:-1]):
        row = sign * x[place]
        n = len(row)
        fit = [min(max(np.mean(row[i : j + 1]) for i in range(k + 1)) for j in range(k, n)) for k in range(n)]
        y[place] = sign * np.array(fit)
        blocks[place] = np.cumsum([0, *[abs(b - a) > 1e-9 for a, b in pairwise(fit)]])[:n]
    return y, blocks


for decreasing in (True, False):
    sample(IsotonicRegression, ROW + np.arange(5) / 16, decreasing=decreasing, reference=by_minimax, dtypes=REAL)
    sample(IsotonicRegression, TABLE, decreasing=decreasing, reference=by_minimax)
    sample(IsotonicRegression, CUBE, decreasing=decreasing, reference=by_minimax)
sample(IsotonicRegression, np.zeros((2, 0)), decreasing=True, reference=by_minimax)
bad(IsotonicRegression, 0.5, decreasing=True, error=errors.ShapeError, match="x is f64[], and must not be a scalar")
bad(IsotonicRegression, WHOLE, decreasing=True, error=errors.DTypeError, match="x is i64[6]")
