"""Samples of scans."""

import math

import numpy as np

from gradtape.core import errors
from gradtape.ops.scan import CumProd, CumSum, CumulativeLogSumExp, CumulativeShare, LinearRecurrence
from gradtape.testing.sample import bad, sample

REAL = "float16 bfloat16 float32 float64"
ALL = REAL + " complex64 complex128"
ROW = np.array([0.5, -1.25, 2.0, 0.75])
TABLE = np.array([[1.5, -0.75, 0.25], [0.5, 2.0, -1.25]])
CUBE = np.linspace(-1.5, 1.75, 12).reshape(2, 3, 2)
FLAGS = [(exclusive, reverse) for exclusive in (False, True) for reverse in (False, True)]


def so_far(function):
    """A reference that collects the elements so far in a list."""

    def reference(x, axis, exclusive=False, reverse=False):
        rows = np.moveaxis(x, axis, -1)
        y = np.empty(rows.shape, rows.dtype)
        n = rows.shape[-1]
        for place in np.ndindex(rows.shape):
            *row, i = place
            seen = range(i + exclusive, n) if reverse else range(i + 1 - exclusive)
            y[place] = function([rows[(*row, k)].item() for k in seen])
        return np.moveaxis(y, -1, axis)

    return reference


def log_sum_exp(row):
    top = max(row, default=-math.inf)
    return top if math.isinf(top) else top + math.log(math.fsum(math.exp(v - top) for v in row))


NUMBERS = {CumSum: sum, CumProd: math.prod}
for op, function in {**NUMBERS, CumulativeLogSumExp: log_sum_exp}.items():
    names = ALL if op in NUMBERS else REAL
    # The log of no elements is -inf, which has no derivative.
    for exclusive, reverse in FLAGS:
        smooth = op in NUMBERS or not exclusive
        flags = {"exclusive": exclusive, "reverse": reverse}
        sample(op, ROW, axis=0, **flags, reference=so_far(function), dtypes=names, smooth=smooth)
        sample(op, TABLE, axis=1, **flags, reference=so_far(function), smooth=smooth)
    sample(op, CUBE, axis=1, reference=so_far(function))
    sample(op, TABLE, axis=0, reverse=True, reference=so_far(function))
    sample(op, np.zeros((2, 0)), axis=1, exclusive=True, reference=so_far(function))
    sample(op, np.ones((3, 1)), axis=1, exclusive=True, reference=so_far(function), smooth=False)
    bad(op, TABLE, axis=2, error=errors.RangeError, match="axis is 2, but the input has rank 2")
    bad(op, 0.5, axis=0, error=errors.RangeError, match="a scalar has no axes")
    bad(op, np.array([True]), axis=0, error=errors.DTypeError, match="x is bool[1]")
for op, function in NUMBERS.items():
    sample(op, np.array([[3, 5], [1, 2]]), axis=0, reference=so_far(function), dtypes="int8 int32 int64 uint8")
bad(CumulativeLogSumExp, np.array([1, 2]), axis=0, error=errors.DTypeError, match="must be floating point")

# Zeros among the factors; infinities; numbers far from each other and from zero.
for factors in ([0.0, 2.0, 3.0], [2.0, 0.0, 3.0, 0.0, 5.0]):
    for exclusive, reverse in FLAGS:
        sample(CumProd, np.array(factors), axis=0, exclusive=exclusive, reverse=reverse, reference=so_far(math.prod))
EDGES = np.array([-np.inf, -np.inf, 1.0, -np.inf, 2.0, np.inf, 1.0])
sample(CumulativeLogSumExp, EDGES, axis=0, reference=so_far(log_sum_exp), dtypes=REAL, smooth=False)
sample(
    CumulativeLogSumExp,
    np.array([9000.0, 9000.5, -9000.0, 9001.0]),
    axis=0,
    reference=so_far(log_sum_exp),
    smooth=False,
)


def shares(x, axis, reverse=False):
    """By quotients of exponentials."""
    powers = np.exp(np.moveaxis(x, axis, -1))
    powers = powers[..., ::-1] if reverse else powers
    share = powers / np.cumsum(powers, -1)
    share = np.moveaxis(share[..., ::-1] if reverse else share, -1, axis)
    return share, 1 - share


for x, axis, reverse in ((ROW, 0, False), (TABLE, 1, True), (TABLE, 0, False), (CUBE, 1, False)):
    sample(CumulativeShare, x, axis=axis, reverse=reverse, reference=shares, dtypes=REAL if x is ROW else "float64")
sample(CumulativeShare, np.zeros((0, 2)), axis=0, reference=shares)
bad(CumulativeShare, TABLE, axis=2, error=errors.RangeError, match="axis is 2")
bad(CumulativeShare, TABLE + 0j, axis=0, error=errors.DTypeError, match="c128[2,3]")


def step_by_step(a, b, axis, reverse=False):
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    y = np.zeros_like(b)
    places = list(range(len(b)))[:: -1 if reverse else 1]
    before = 0.0
    for i in places:
        before = y[i] = a[i] * before + b[i]
    return np.moveaxis(y, 0, axis)


for reverse in (False, True):
    sample(LinearRecurrence, ROW, ROW[::-1] + 1, axis=0, reverse=reverse, reference=step_by_step, dtypes=ALL)
    sample(LinearRecurrence, CUBE, np.cos(CUBE), axis=1, reverse=reverse, reference=step_by_step)
LONG = np.sin(np.arange(70.0)) * 1.2
sample(LinearRecurrence, LONG, np.cos(LONG), axis=0, reference=step_by_step)
sample(LinearRecurrence, np.zeros((2, 0)), np.zeros((2, 0)), axis=1, reference=step_by_step)
bad(LinearRecurrence, ROW, TABLE, axis=0, error=errors.ShapeError, match="a is f64[4], b is f64[2,3]")
bad(LinearRecurrence, ROW, ROW, axis=1, error=errors.RangeError, match="axis is 1")
bad(LinearRecurrence, np.array([1]), np.array([1]), axis=0, error=errors.DTypeError, match="a is i64[1]")
