"""Samples of matrix products."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.matmul import MatMul
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(1)
FLOATS = "float16 bfloat16 float32 float64 complex64 complex128"


def loops(a, b, transpose_a=False, transpose_b=False):
    """Every element of the product as a sum, written out."""
    a = a if not transpose_a else np.moveaxis(a, -1, -2)
    b = b if not transpose_b else np.moveaxis(b, -1, -2)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = np.broadcast_to(a, lead + a.shape[-2:]), np.broadcast_to(b, lead + b.shape[-2:])
    y = np.zeros((*lead, a.shape[-2], b.shape[-1]), a.dtype)
    for place in np.ndindex(y.shape):
        *at, i, j = place
        y[place] = sum((a[(*at, i, k)] * b[(*at, k, j)] for k in range(a.shape[-1])), start=a.dtype.type(0))
    return y


def normal(*shape):
    return random.normal(size=shape)


sample(MatMul, normal(2, 3), normal(3, 4), reference=loops, dtypes=FLOATS)
sample(MatMul, normal(3, 2), normal(3, 4), reference=loops, dtypes=FLOATS, transpose_a=True)
sample(MatMul, normal(2, 3), normal(4, 3), reference=loops, dtypes=FLOATS, transpose_b=True)
sample(MatMul, normal(3, 2), normal(4, 3), reference=loops, dtypes=FLOATS, transpose_a=True, transpose_b=True)
sample(
    MatMul, random.integers(-9, 9, (2, 3)), random.integers(-9, 9, (3, 2)), reference=loops, dtypes="int32 int64 uint8"
)
sample(MatMul, normal(2, 2, 3), normal(3, 4), reference=loops, dtypes=FLOATS)
sample(MatMul, normal(2, 2, 3), normal(4, 3), reference=loops, transpose_b=True)
sample(MatMul, normal(2, 3, 2), normal(3, 4), reference=loops, transpose_a=True)
sample(MatMul, normal(2, 3), normal(2, 3, 4), reference=loops)
sample(MatMul, normal(2, 3), normal(2, 4, 3), reference=loops, transpose_b=True)
sample(MatMul, normal(2, 1, 2, 3), normal(3, 3, 4), reference=loops, dtypes=FLOATS)
sample(MatMul, normal(3, 2), normal(2, 1, 4, 3), reference=loops, transpose_a=True, transpose_b=True)
sample(MatMul, normal(2, 3, 1), normal(2, 1, 4), reference=loops)
sample(MatMul, normal(1, 3), normal(3, 1), reference=loops)
sample(MatMul, normal(2, 0), normal(0, 3), reference=loops)
sample(MatMul, normal(2, 0, 3), normal(3, 2), reference=loops)

bad(
    MatMul,
    normal(2, 3),
    normal(4, 3),
    error=ShapeError,
    match="inner dimensions differ: a is f64[2,3], b is f64[4,3] (3 vs 4)",
)
bad(MatMul, normal(2, 3), normal(2, 4), error=ShapeError, match="(2 vs 4)", transpose_a=True, transpose_b=True)
bad(MatMul, normal(3), normal(3, 4), error=ShapeError, match="a is f64[3], b is f64[3,4], and both need rank 2")
bad(MatMul, normal(2, 3), normal(3), error=ShapeError, match="both need rank 2 or more")
bad(MatMul, normal(3, 2, 3), normal(2, 3, 4), error=ShapeError, match="leading dimensions do not broadcast")
bad(MatMul, normal(2, 3), np.ones((3, 2), np.int32), error=DTypeError, match="a is f64[2,3], b is i32[3,2]")
bad(MatMul, np.ones((2, 2), bool), np.ones((2, 2), bool), error=DTypeError, match="a is bool[2,2]")
