"""Samples of reductions."""

import functools
import math
import operator

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.ops.logsumexp import ReduceLogSumExp
from gradtape.ops.reduction import (
    CountNonzero,
    ReduceAll,
    ReduceAny,
    ReduceEuclideanNorm,
    ReduceMax,
    ReduceMean,
    ReduceMin,
    ReduceProd,
    ReduceSum,
)
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
ALL = REAL + " complex64 complex128"
INTEGER = "int8 int16 int32 int64 uint8"

CUBE = np.array([1.5, -0.75, 0.25, 3.0, 0.5, -2.0, 1.25, -1.75, 2.5, 0.875, -0.375, 1.0]).reshape(2, 3, 2)
VECTOR = np.array([0.5, -1.25, 2.0, 0.75, -0.625])
WHOLE = np.array([[3, 5, 7], [1, 4, 2]])
EMPTY = np.zeros((0, 3))
MASK = np.array([[True, False, True], [True, True, True]])
TEXT = np.array([["a", ""], ["", ""]])

SITUATIONS = [
    (CUBE, (0, 1, 2), False),
    (CUBE, (1,), False),
    (CUBE, (0, 2), False),
    (CUBE, (0, 2), True),
    (CUBE, (0,), False),
    (CUBE, (2,), True),
    (CUBE, (), False),
    (VECTOR, (0,), False),
    (0.5, (), False),
]


def by_rows(function):
    """A reference that collects the elements of each result in a list."""

    def reference(x, axis, keepdims, **params):
        kept = [n for i, n in enumerate(x.shape) if i not in axis]
        order = [i for i in range(x.ndim) if i not in axis] + list(axis)
        rows = np.transpose(x, order).reshape(math.prod(kept), math.prod(x.shape[a] for a in axis))
        results = np.array([function(row.tolist()) for row in rows])
        return results.reshape([1 if i in axis else n for i, n in enumerate(x.shape)] if keepdims else kept)

    return reference


def exact_sum(row):
    """The correctly rounded sum."""
    if any(isinstance(v, complex) for v in row):
        return complex(math.fsum(v.real for v in row), math.fsum(v.imag for v in row))
    return math.fsum(row)


def product(row):
    return functools.reduce(operator.mul, row, 1.0)


def log_sum_exp(row):
    top = max(row, default=-math.inf)
    if math.isinf(top):
        return top
    return top + math.log(math.fsum(math.exp(v - top) for v in row))


def norm(row):
    return math.hypot(*[abs(v) for v in row])


NUMBERS = {
    ReduceSum: exact_sum,
    ReduceMean: lambda row: exact_sum(row) / len(row) if row else math.nan,
    ReduceProd: product,
    ReduceEuclideanNorm: norm,
}
ORDERED = {
    ReduceMax: lambda row: max(row, default=-math.inf),
    ReduceMin: lambda row: min(row, default=math.inf),
    ReduceLogSumExp: log_sum_exp,
}

for op, function in {**NUMBERS, **ORDERED}.items():
    reference = by_rows(function)
    for k, (x, axis, keepdims) in enumerate(SITUATIONS):
        names = (ALL if op in NUMBERS else REAL) if k < 3 else "float32 float64"
        sample(op, x, axis=axis, keepdims=keepdims, reference=reference, dtypes=names)
    sample(op, EMPTY, axis=(0,), keepdims=False, reference=reference, smooth=False)
    sample(op, EMPTY, axis=(0, 1), keepdims=True, reference=reference, smooth=False)
    sample(op, EMPTY, axis=(1,), keepdims=False, reference=reference, smooth=False)
    bad(op, CUBE, axis=(3,), error=errors.RangeError, match="axis is 3, but the input has rank 3")
    bad(op, 0.5, axis=(0,), error=errors.RangeError, match="a scalar has no axes")
    bad(op, MASK, axis=(0,), error=errors.DTypeError, match="x is bool[2,3]")
    bad(op, TEXT, axis=(0,), error=errors.DTypeError, match="x is str[2,2]")

for op, function in {
    ReduceSum: sum, ReduceProd: math.prod, ReduceMax: max, ReduceMin: min,
    ReduceMean: lambda row: sum(row) // len(row), ReduceEuclideanNorm: lambda row: math.isqrt(sum(v * v for v in row)),
}.items():  # fmt: skip
    sample(op, WHOLE, axis=(1,), keepdims=False, reference=by_rows(function), dtypes=INTEGER)
sample(
    ReduceMean,
    np.array([-3, 0, -4]),
    axis=(0,),
    keepdims=False,
    reference=by_rows(lambda row: -2),
    dtypes="int32 int64",
)

# Zeros among the factors, ties among the extrema, infinities.
for factors in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 2.0, 0.0, 4.0, 5.0]):
    sample(ReduceProd, np.array(factors), axis=(0,), keepdims=False, reference=by_rows(product), dtypes=ALL)
TIES = np.array([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]])
for op in (ReduceMax, ReduceMin):
    sample(op, TIES, axis=(1,), keepdims=False, reference=by_rows(ORDERED[op]), dtypes=REAL, smooth=False)
EDGES = np.array([[-np.inf, -np.inf], [np.inf, 1.0], [-np.inf, 1.0], [1000.0, 999.0], [-1000.0, -1000.0]])
sample(ReduceLogSumExp, EDGES, axis=(1,), keepdims=False, reference=by_rows(log_sum_exp), dtypes=REAL, smooth=False)
bad(ReduceLogSumExp, WHOLE, axis=(0,), error=errors.DTypeError, match="must be floating point")
for op in (ReduceMax, ReduceMin, ReduceLogSumExp):
    bad(op, CUBE + 0j, axis=(0,), error=errors.DTypeError, match="c128[2,3,2]")

for op, function in ((ReduceAny, any), (ReduceAll, all)):
    for axis in ((0,), (1,), (0, 1), ()):
        sample(op, MASK, axis=axis, keepdims=False, reference=by_rows(function))
    sample(op, MASK, axis=(1,), keepdims=True, reference=by_rows(function))
    sample(op, np.zeros((0, 2), bool), axis=(0,), keepdims=False, reference=by_rows(function))
    sample(op, True, axis=(), keepdims=False, reference=lambda x, axis, keepdims: x)
    bad(op, WHOLE, axis=(0,), error=errors.DTypeError, match="must be bool")
    bad(op, MASK, axis=(2,), error=errors.RangeError, match="axis is 2")

filled = by_rows(lambda row: sum(1 for v in row if v))
for x in (WHOLE - 1, CUBE[0] - 0.5, MASK, TEXT):
    sample(CountNonzero, x, axis=(0,), keepdims=False, dtype=dtypes.int64, reference=filled)
sample(CountNonzero, WHOLE - 1, axis=(0, 1), keepdims=True, dtype=dtypes.int32, reference=filled)
sample(CountNonzero, CUBE - 0.5, axis=(0, 2), keepdims=False, dtype=dtypes.float32, reference=filled, dtypes=ALL)
bad(CountNonzero, WHOLE, axis=(2,), dtype=dtypes.int64, error=errors.RangeError, match="axis is 2")
