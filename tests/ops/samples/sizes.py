"""Samples of ops on shapes."""

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.ops.shape_of import EnsureShape, ShapeOf
from gradtape.testing.sample import bad, sample

MATRIX = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
ALL = "float16 bfloat16 float32 float64 complex64 complex128 int32"

sample(ShapeOf, MATRIX, dtype=dtypes.int32, reference=lambda x, dtype: np.array([len(x), len(x[0])], "int32"))
sample(ShapeOf, np.zeros((0, 4, 1)), dtype=dtypes.int64, reference=lambda x, dtype: np.array([0, 4, 1]))
sample(ShapeOf, 0.5, dtype=dtypes.int32, reference=lambda x, dtype: np.zeros(0, "int32"))
sample(ShapeOf, np.array(["a", "b"]), dtype=dtypes.int32, reference=lambda x, dtype: np.array([2], "int32"))

sample(EnsureShape, MATRIX, shape=(None, 3), reference=lambda x, shape: x, dtypes=ALL)
sample(EnsureShape, MATRIX, shape=(2, 3), reference=lambda x, shape: x)
sample(EnsureShape, 0.5, shape=(), reference=lambda x, shape: x)
sample(EnsureShape, np.zeros((0, 3)), shape=(None, None), reference=lambda x, shape: x)

bad(EnsureShape, MATRIX, shape=(None, 4), error=errors.ShapeError, match="x must have shape (None, 4), got (2, 3)")
bad(EnsureShape, MATRIX, shape=(2,), error=errors.ShapeError, match="x must have shape (2,), got (2, 3)")
bad(ShapeOf, MATRIX, dtype=dtypes.float32, error=errors.DTypeError, match="dtype must be int32 or int64, got float32")
