"""Samples of ops that make new tensors."""

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.ops.creation import Fill, OneHot, OnesLike, ZerosLike
from gradtape.testing.sample import bad, sample

ALL = "float16 bfloat16 float32 float64 complex64 complex128"
X = np.array([[1.5, -0.75, 0.25], [3.0, 0.5, -2.0]])
WHOLE = np.array([[0, 2], [1, 7]])
TEXT = np.array(["a", "b"])

sample(Fill, 0.5, shape=(2, 3), reference=lambda x, shape: [[x] * 3] * 2, dtypes=ALL)
sample(Fill, 0.5, shape=(), reference=lambda x, shape: x)
sample(Fill, 0.5, shape=(0, 2), reference=lambda x, shape: np.zeros((0, 2)))
sample(Fill, 3, shape=(2,), reference=lambda x, shape: [x, x], dtypes="int32 uint8")
sample(Fill, True, shape=(2,), reference=lambda x, shape: [x, x])
bad(Fill, X, shape=(2,), error=errors.ShapeError, match="value must be a scalar, got f64[2,3]")

for op, value in ((ZerosLike, 0), (OnesLike, 1)):
    sample(op, X, reference=lambda x, value=value: [[value] * 3] * 2, dtypes=ALL)
    sample(op, 0.5, reference=lambda x, value=value: value)
    sample(op, X[:0], reference=lambda x: np.zeros((0, 3)))
    sample(op, WHOLE, reference=lambda x, value=value: [[value] * 2] * 2, dtypes="int32 uint8")
    sample(op, X, dtype=dtypes.int32, reference=lambda x, dtype, value=value: [[value] * 3] * 2)
    sample(op, X[0], dtype=dtypes.bool_, reference=lambda x, dtype, value=value: [bool(value)] * 3)
    bad(
        op, X, dtype=dtypes.resource, error=errors.DTypeError, match="dtype must be a dtype of numbers, got tf.resource"
    )
sample(ZerosLike, TEXT, reference=lambda x: np.array([b"", b""], object))
bad(OnesLike, TEXT, error=errors.DTypeError, match="str[2]")
bad(OnesLike, X, dtype=dtypes.string, error=errors.DTypeError, match="dtype must be a dtype of numbers, got tf.string")


def hot(indices, depth, axis, dtype):
    result = np.zeros((*indices.shape, depth))
    for place in np.ndindex(*indices.shape):
        if 0 <= indices[place] < depth:
            result[(*place, indices[place])] = 1
    return np.moveaxis(result, -1, axis).astype(dtype.numpy)


for axis in (0, 1, 2):
    sample(OneHot, WHOLE, depth=3, axis=axis, dtype=dtypes.float32, reference=hot, dtypes="int32 int64 uint8")
sample(OneHot, np.array([-1, 0, 3]), depth=3, axis=1, dtype=dtypes.int32, reference=hot)
sample(OneHot, 1, depth=3, axis=0, dtype=dtypes.bool_, reference=hot)
sample(OneHot, WHOLE, depth=0, axis=0, dtype=dtypes.float64, reference=hot)
sample(OneHot, WHOLE[:0], depth=3, axis=0, dtype=dtypes.bfloat16, reference=hot)
bad(OneHot, X, depth=3, axis=0, dtype=dtypes.float32, error=errors.DTypeError, match="indices is f64[2,3]")
bad(
    OneHot,
    WHOLE,
    depth=-1,
    axis=0,
    dtype=dtypes.float32,
    error=errors.ShapeError,
    match="depth must not be negative, got -1",
)
bad(OneHot, WHOLE, depth=3, axis=3, dtype=dtypes.float32, error=errors.RangeError, match="axis is 3")
