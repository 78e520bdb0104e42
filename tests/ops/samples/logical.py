"""Samples of logic on bools and bits, and of shifts."""

import numpy as np

from gradtape.core import errors
from gradtape.ops.logical import (
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    Invert,
    LeftShift,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogicalXor,
    RightShift,
)
from gradtape.testing.sample import bad, sample

INTEGER = "int8 int16 int32 int64"
UNSIGNED = "uint8 uint16 uint32 uint64"

P = np.array([[True], [False]])
Q = np.array([True, False, True])

LOGICAL = {
    LogicalAnd: lambda a, b: bool(a and b),
    LogicalOr: lambda a, b: bool(a or b),
    LogicalXor: lambda a, b: bool(a) is not bool(b),
}
for op, function in LOGICAL.items():
    reference = np.vectorize(function, otypes=[bool])
    sample(op, P, Q, reference=reference)
    sample(op, True, Q, reference=reference)
    sample(op, True, False, reference=reference)
    bad(op, np.array([1, 0]), np.array([1, 1]), error=errors.DTypeError, match="must be bool")
    bad(op, P, np.array([1, 0]), error=errors.DTypeError, match="must be bool")
    bad(op, Q, np.array([True, False]), error=errors.ShapeError, match="do not broadcast")

sample(LogicalNot, P, reference=lambda x: np.array([[False], [True]]))
sample(LogicalNot, True, reference=lambda x: False)
bad(LogicalNot, np.array([1.0]), error=errors.DTypeError, match="must be bool")

A = np.array([[6, 3, 85], [1, 127, 0]])
B = np.array([3, 5, 15])


def by_bits(table):
    """A bitwise function from what it does to two bits, for numbers below 128."""

    def function(a, b):
        return sum(table((int(a) >> i) & 1, (int(b) >> i) & 1) << i for i in range(7))

    return np.vectorize(function, otypes=[np.int64])


BITWISE = {BitwiseAnd: min, BitwiseOr: max, BitwiseXor: lambda a, b: int(a != b)}
for op, table in BITWISE.items():
    sample(op, A, B, reference=by_bits(table), dtypes=f"{INTEGER} {UNSIGNED}")
    sample(op, 6, A, reference=by_bits(table), dtypes=INTEGER)
    bad(op, P, P, error=errors.DTypeError, match="signed")
    bad(op, A, np.array([1.0]), error=errors.DTypeError, match="f64")
    bad(op, A, np.array([1, 2]), error=errors.ShapeError, match="do not broadcast")

sample(Invert, np.array([[0, 1], [-1, 100]]), reference=lambda x: -x - 1, dtypes=INTEGER)
sample(Invert, np.array([0, 1, 255], np.uint8), reference=lambda x: np.array([255, 254, 0]))
bad(Invert, np.array([1.0]), error=errors.DTypeError, match="f64")

# Shifts beyond the width, and negative ones, are limited to it.
sample(
    LeftShift, A, np.array([0, 1, 0]), reference=lambda a, b: np.array([[6, 6, 85], [1, 254, 0]]), dtypes="int16 int32"
)
sample(
    LeftShift, np.array([1, 3], np.int32), np.array([40, -2], np.int32), reference=lambda a, b: np.array([-(2**31), 3])
)
sample(RightShift, np.array([-8, 100]), np.array([1, 3]), reference=lambda a, b: np.array([-4, 12]), dtypes=INTEGER)
sample(RightShift, np.array([-8, 100]), np.array([70, -1]), reference=lambda a, b: np.array([-1, 100]), dtypes=INTEGER)
sample(RightShift, np.array([200], np.uint8), np.array([3], np.uint8), reference=lambda a, b: np.array([25]))
for op in (LeftShift, RightShift):
    bad(op, np.array([1.0]), np.array([1.0]), error=errors.DTypeError, match="f64")
    bad(op, A, np.array([1, 2]), error=errors.ShapeError, match="do not broadcast")
