"""Samples of products of sparse matrices."""

import numpy as np

from gradtape.core import errors
from gradtape.ops.sparse import SparseMatMul
from gradtape.testing.sample import bad, sample

VALUES = np.array([0.5, -1.25, 2.0, 0.75])
ROWS, COLUMNS = np.array([0, 2, 2, 0]), np.array([1, 0, 2, 1])
B = np.array([[1.5, -0.75], [0.5, 2.0], [-1.25, 1.0]])


def by_loops(values, b, rows, columns, count):
    y = np.zeros((count, b.shape[1]), np.result_type(b.dtype, np.float32) if b.dtype.kind in "fV" else b.dtype)
    for value, i, j in zip(values, rows, columns, strict=True):
        for k in range(b.shape[1]):
            y[i, k] += value * b[j, k]
    return y.astype(b.dtype)


sample(
    SparseMatMul, VALUES, B, ROWS, COLUMNS, count=3, reference=by_loops,
    dtypes="float16 bfloat16 float32 float64 complex64 complex128",
)  # fmt: skip
sample(SparseMatMul, VALUES, B, ROWS.astype(np.int32), COLUMNS.astype(np.int32), count=4, reference=by_loops)
sample(
    SparseMatMul, np.array([3, -1]), np.array([[2, 5]]), np.array([1, 0]), np.array([0, 0]), count=2, reference=by_loops
)
sample(SparseMatMul, np.zeros(0), B, np.zeros(0, int), np.zeros(0, int), count=2, reference=by_loops)
sample(SparseMatMul, VALUES, B[:, :0], ROWS, COLUMNS, count=3, reference=by_loops)
bad(SparseMatMul, VALUES, B, ROWS, COLUMNS, count=2, error=errors.RangeError, match="rows[1] = 2 is not below 2")
bad(SparseMatMul, VALUES, B, ROWS, COLUMNS + 1, count=3, error=errors.RangeError, match="columns[2] = 3")
bad(SparseMatMul, VALUES, B, ROWS[1:], COLUMNS, count=3, error=errors.ShapeError, match="rows i64[3]")
bad(SparseMatMul, VALUES, B[0], ROWS, COLUMNS, count=3, error=errors.ShapeError, match="b f64[2]")
bad(SparseMatMul, VALUES, B.astype(np.float32), ROWS, COLUMNS, count=3, error=errors.DTypeError, match="b is f32[3,2]")
bad(SparseMatMul, VALUES, B, VALUES, COLUMNS, count=3, error=errors.DTypeError, match="rows is f64[4]")
