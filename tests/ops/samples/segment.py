"""Samples of reductions over segments."""

import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.segment import (
    SegmentGather,
    UnsortedSegmentMax,
    UnsortedSegmentMin,
    UnsortedSegmentProd,
    UnsortedSegmentSum,
)
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
ALL = REAL + " complex64 complex128"
ROW = np.array([0.5, -1.25, 2.0, 0.75, -3.0])
TABLE = np.array([[1.5, -0.75], [0.5, 2.0], [-1.25, 1.0]])
CUBE = np.sin(np.arange(12.0) * 2).reshape(2, 3, 2)
IDS = np.array([2, 0, 2, 0, 2])


def by_members(function):
    """A reference that collects the members of each segment in a list."""

    def reference(data, ids, segments, batch_dims=0):
        if batch_dims:
            return np.stack([reference(d, i, segments, batch_dims - 1) for d, i in zip(data, ids, strict=True)])
        rows = data.reshape(ids.size, math.prod(data.shape[ids.ndim :]))
        y = np.empty((segments, rows.shape[1]), data.dtype)
        for s, column in np.ndindex(y.shape):
            members = [row[column].item() for row, i in zip(rows, ids.ravel(), strict=True) if i == s]
            y[s, column] = function(members)
        return y.reshape(segments, *data.shape[ids.ndim :])

    return reference


# Without members extrema are the limits of the dtype, which the tests of the functions see to.
NUMBERS = {UnsortedSegmentSum: sum, UnsortedSegmentProd: math.prod}
for op, function in {**NUMBERS, UnsortedSegmentMax: max, UnsortedSegmentMin: min}.items():
    reference, free = by_members(function), op in NUMBERS
    sample(op, ROW, np.array([1, 0, 1, 0, 1]), segments=2, reference=reference, dtypes=ALL if free else REAL)
    sample(op, ROW, np.array([1, -1, 1, 0, -7]), segments=2, reference=reference)
    sample(op, TABLE, np.array([0, 1, 0]), segments=2, reference=reference)
    sample(op, CUBE, np.array([[0, 1, 1], [0, 0, -1]]), segments=2, reference=reference)
    sample(op, CUBE, np.array([[0, 1, 1], [1, 0, 0]]), segments=2, batch_dims=1, reference=reference)
    sample(op, CUBE, np.int64(0), segments=1, reference=reference)
    sample(op, np.array([3, 5, 2]), np.array([1, 0, 1]), segments=2, reference=reference)
    sample(op, np.zeros((0, 2)), np.zeros(0, int), segments=0, reference=reference)
    bad(op, ROW, IDS, segments=2, error=errors.RangeError, match="segment_ids[0] = 2 is out of range [0, 2)")
    bad(op, ROW, IDS[1:], segments=3, error=errors.ShapeError, match="data is f64[5], segment_ids is i64[4]")
    bad(op, ROW, ROW, segments=3, error=errors.DTypeError, match="segment_ids is f64[5], and must be integers")
    bad(op, ROW > 0, IDS, segments=3, error=errors.DTypeError, match="data is bool[5]")
    bad(op, ROW, IDS, segments=-1, error=errors.ShapeError, match="num_segments must not be negative, got -1")
for op, function in NUMBERS.items():
    sample(op, ROW, IDS, segments=4, reference=by_members(function))
    sample(op, np.zeros((0, 2)), np.zeros(0, int), segments=3, reference=by_members(function))
    sample(op, ROW, np.full(5, -1), segments=0, reference=by_members(function))

# Zeros among the factors, ties among the extrema.
for factors in ([0.0, 2.0, 3.0, 4.0, 5.0], [0.0, 2.0, 0.0, 0.0, 5.0]):
    sample(UnsortedSegmentProd, np.array(factors), IDS, segments=3, reference=by_members(math.prod), dtypes=ALL)
for op, function in ((UnsortedSegmentMax, max), (UnsortedSegmentMin, min)):
    ties, ids = np.array([2.0, 1.0, 2.0, 2.0, 1.0]), np.array([0, 1, 0, 1, 1])
    sample(op, ties, ids, segments=2, reference=by_members(function), dtypes=REAL, smooth=False)
    bad(op, ROW + 0j, IDS, segments=3, error=errors.DTypeError, match="data is c128[5]")


def members_of(y, ids, batch_dims=0):
    if batch_dims:
        return np.stack([members_of(v, i, batch_dims - 1) for v, i in zip(y, ids, strict=True)])
    flat = [y[i] if i >= 0 else np.zeros_like(y[0]) for i in ids.ravel()]
    return np.array(flat, y.dtype).reshape(*ids.shape, *y.shape[1:])


sample(SegmentGather, TABLE, np.array([2, -1, 0, 2]), reference=members_of, dtypes=ALL)
sample(SegmentGather, ROW, np.array([[4, 0], [1, -3]]), reference=members_of)
sample(SegmentGather, CUBE, np.array([[2, -1], [0, 1]]), batch_dims=1, reference=members_of)
sample(SegmentGather, ROW, np.zeros(0, int), reference=members_of)
bad(SegmentGather, ROW, np.array([5]), error=errors.RangeError, match="segment_ids[0] = 5")
bad(SegmentGather, ROW, ROW, error=errors.DTypeError, match="segment_ids is f64[5]")
bad(SegmentGather, ROW, IDS, batch_dims=1, error=errors.ShapeError, match="batch_dims is 1")
