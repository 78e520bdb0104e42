"""Samples of ops that join and part tensors."""

import itertools

import numpy as np

from gradtape.core import errors
from gradtape.ops.joining import Concat, Split, Stack, Unstack
from gradtape.testing.sample import bad, sample

ALL = "float16 bfloat16 float32 float64 complex64 complex128"
A = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
B = np.linspace(0.5, 4.0, 8).reshape(2, 4)
C = np.linspace(3.0, -3.0, 2).reshape(2, 1)
WHOLE = np.arange(6).reshape(2, 3)
TEXT = np.array(["a", "b"])


def concatenated(*values, axis):
    """Rows of nested lists, put together by Python."""
    lists = [np.moveaxis(v, axis, 0).tolist() for v in values]
    rest = np.moveaxis(values[0], axis, 0).shape[1:]
    return np.moveaxis(np.array(list(itertools.chain(*lists)), values[0].dtype).reshape(-1, *rest), 0, axis)


def stacked(*values, axis):
    return np.moveaxis(np.array([v.tolist() for v in values], values[0].dtype), 0, axis)


sample(Concat, A, B, C, axis=1, reference=concatenated, dtypes=ALL)
sample(Concat, A, A + 1.0, axis=0, reference=concatenated)
sample(Concat, A, axis=1, reference=concatenated)
sample(Concat, A, A[:0], A[:1], axis=0, reference=concatenated)
sample(Concat, WHOLE, WHOLE + 6, axis=1, reference=concatenated, dtypes="int32 uint8")
sample(Concat, TEXT, TEXT, axis=0, reference=concatenated)
bad(Concat, A, A[0], axis=0, error=errors.ShapeError, match="ranks differ: values[0] is f64[2,3], values[1] is f64[3]")
bad(Concat, A, A, B, axis=0, error=errors.ShapeError, match="off axis 0: values[0] is f64[2,3], values[2] is f64[2,4]")
bad(Concat, A, A, axis=2, error=errors.RangeError, match="axis is 2")
bad(Concat, 0.5, 0.5, axis=0, error=errors.ShapeError, match="use tf.stack for scalars")
bad(Concat, A, WHOLE, axis=0, error=errors.DTypeError, match="values[0] is f64[2,3], values[1] is i64[2,3]")

sample(Stack, A, A * 2.0, A - 1.0, axis=0, reference=stacked, dtypes=ALL)
sample(Stack, A, A * 2.0, axis=1, reference=stacked)
sample(Stack, A, A * 2.0, axis=2, reference=stacked)
sample(Stack, A, axis=0, reference=stacked)
sample(Stack, 0.5, -1.5, 2.5, axis=0, reference=stacked, dtypes=ALL)
sample(Stack, A[:0], A[:0], axis=1, reference=lambda a, b, axis: np.zeros((0, 2, 3)))
sample(Stack, WHOLE, WHOLE + 6, axis=1, reference=stacked, dtypes="int32 uint8")
sample(Stack, TEXT, TEXT, axis=0, reference=stacked)
bad(Stack, A, A, B, axis=0, error=errors.ShapeError, match="values[0] is f64[2,3], values[2] is f64[2,4]")
bad(Stack, A, A, axis=3, error=errors.RangeError, match="axis is 3")
bad(Stack, A, WHOLE, axis=0, error=errors.DTypeError, match="dtypes differ")


def split(x, sizes, axis):
    stops = np.cumsum(sizes)
    return tuple(np.take(x, range(stop - size, stop), axis) for size, stop in zip(sizes, stops, strict=True))


sample(Split, B, sizes=(1, 3), axis=1, reference=split, dtypes=ALL)
sample(Split, B, sizes=(2, 0, 2), axis=1, reference=split)
sample(Split, B, sizes=(2,), axis=0, reference=split)
sample(Split, A[:0], sizes=(0, 0), axis=0, reference=split)
sample(Split, WHOLE, sizes=(1, 1), axis=0, reference=split, dtypes="int32 uint8")
sample(Split, TEXT, sizes=(1, 1), axis=0, reference=split)
bad(Split, B, sizes=(1, 2), axis=1, error=errors.ShapeError, match="sizes [1, 2] do not make up axis 1 of x")
bad(Split, B, sizes=(5, -1), axis=1, error=errors.ShapeError, match="must not be negative and sum to 4")
bad(Split, B, sizes=(1, 1), axis=2, error=errors.RangeError, match="axis is 2")
bad(Split, 0.5, sizes=(1,), axis=0, error=errors.ShapeError, match="a scalar")


def unstacked(x, axis):
    return tuple(np.take(x, i, axis) for i in range(x.shape[axis]))


sample(Unstack, A, axis=0, reference=unstacked, dtypes=ALL)
sample(Unstack, A, axis=1, reference=unstacked)
sample(Unstack, A[0], axis=0, reference=unstacked)
sample(Unstack, A[:1], axis=0, reference=unstacked)
sample(Unstack, WHOLE, axis=1, reference=unstacked, dtypes="int32 uint8")
bad(Unstack, A, axis=2, error=errors.RangeError, match="axis is 2")
bad(Unstack, 0.5, axis=0, error=errors.RangeError, match="a scalar has no axes")
