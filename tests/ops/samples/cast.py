"""Samples of conversions between dtypes."""

import math

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.testing.sample import bad, sample

X = np.array([[1.75, -0.5, 3.0], [-2.25, 0.0, 100.0]])
Z = np.array([1.5 + 2.0j, -0.5 + 0.25j])


def same(x, dtype):
    return x


for dtype in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
    sample(
        Cast, X, reference=same, dtypes="float16 bfloat16 float32 float64", smooth=dtype is dtypes.float64, dtype=dtype
    )
for dtype in (dtypes.complex64, dtypes.complex128):
    sample(Cast, X[0], reference=same, smooth=dtype is dtypes.complex128, dtype=dtype)
    sample(Cast, Z, reference=same, dtypes="complex64 complex128", smooth=dtype is dtypes.complex128, dtype=dtype)
sample(Cast, Z, reference=lambda z, dtype: z.real, dtypes="complex64 complex128", dtype=dtypes.float64)
sample(Cast, np.array([3, -4]), reference=same, dtypes="int8 int64", dtype=dtypes.float32)
sample(Cast, np.array([True, False]), reference=lambda x, dtype: np.array([1.0, 0.0]), dtype=dtypes.float32)
sample(Cast, 1.5, reference=same, dtype=dtypes.float64)

truncate = np.vectorize(math.trunc)
for dtype in (dtypes.int8, dtypes.int32, dtypes.int64):
    sample(CastToDiscrete, X, reference=lambda x, dtype: truncate(x), dtypes="float16 bfloat16 float64", dtype=dtype)
sample(
    CastToDiscrete, Z, reference=lambda z, dtype: truncate(z.real), dtypes="complex64 complex128", dtype=dtypes.int32
)
sample(CastToDiscrete, np.array([300, -1]), reference=lambda x, dtype: x % 256, dtypes="int32", dtype=dtypes.uint8)
sample(CastToDiscrete, X, reference=lambda x, dtype: x != 0.0, dtypes="float16 float32 float64", dtype=dtypes.bool_)
sample(CastToDiscrete, np.array([True, False]), reference=lambda x, dtype: np.array([1, 0]), dtype=dtypes.int32)
sample(CastToDiscrete, -1.75, reference=lambda x, dtype: -1, dtype=dtypes.int32)

for op, dtype in ((Cast, dtypes.float32), (CastToDiscrete, dtypes.int32)):
    bad(op, np.array([b"1"], object), error=errors.DTypeError, match="str", dtype=dtype)
