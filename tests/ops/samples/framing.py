"""Samples of frames."""

import numpy as np

from gradtape.core.errors import InvalidArgumentError, ShapeError
from gradtape.ops.framing import Frame, OverlapAndAdd
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(28)
ALL = "float16 bfloat16 float32 float64 complex64 complex128 int32"


def cut(x, length, step):
    rows = [x[..., i : i + length] for i in range(0, x.shape[-1] - length + 1, step)]
    return np.stack(rows, -2) if rows else np.zeros((*x.shape[:-1], 0, length), x.dtype)


def added(x, step, samples):
    y = np.zeros((*x.shape[:-2], samples), x.dtype)
    for i in range(x.shape[-2]):
        y[..., i * step : i * step + x.shape[-1]] += x[..., i, :]
    return y


sample(Frame, random.normal(size=7), reference=cut, dtypes=ALL, length=3, step=2)
sample(Frame, random.normal(size=(2, 6)), reference=cut, length=2, step=3)
sample(Frame, random.normal(size=(2, 4)), reference=cut, length=4, step=1)
sample(Frame, random.normal(size=3), reference=cut, length=5, step=1)
bad(Frame, np.float64(1.0), error=ShapeError, match="a scalar", length=1, step=1)
bad(Frame, random.normal(size=3), error=InvalidArgumentError, match="step must be positive, got 0", length=1, step=0)

sample(OverlapAndAdd, random.normal(size=(3, 3)), reference=added, dtypes=ALL, step=2, samples=7)
sample(OverlapAndAdd, random.normal(size=(2, 2, 5)), reference=added, step=2, samples=8)
sample(OverlapAndAdd, random.normal(size=(2, 2)), reference=added, step=3, samples=7)
sample(OverlapAndAdd, np.zeros((2, 0, 4)), reference=added, step=1, samples=3)
bad(OverlapAndAdd, random.normal(size=3), error=ShapeError, match="needs rank 2", step=1, samples=3)
bad(OverlapAndAdd, random.normal(size=(2, 3)), error=ShapeError, match="9 samples have 4 frames", step=2, samples=9)
bad(
    OverlapAndAdd,
    random.normal(size=(2, 3)),
    error=InvalidArgumentError,
    match="step must be positive, got 0",
    step=0,
    samples=4,
)
