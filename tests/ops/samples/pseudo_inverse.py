"""Samples of the pseudo-inverse."""

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.pseudo_inverse import PseudoInverse
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(24)
FLOATS = "float32 float64 complex64 complex128"


def dagger(a):
    return np.moveaxis(np.conj(a), -1, -2)


def of_full_rank(a, rcond):
    """By the normal equations."""
    if a.shape[-2] >= a.shape[-1]:
        return np.linalg.inv(dagger(a) @ a) @ dagger(a)
    return dagger(a) @ np.linalg.inv(a @ dagger(a))


sample(PseudoInverse, random.normal(size=(3, 2)), reference=of_full_rank, dtypes=FLOATS, rcond=1e-6)
sample(PseudoInverse, random.normal(size=(2, 2, 3)), reference=of_full_rank, dtypes=FLOATS, rcond=1e-6)
sample(PseudoInverse, np.eye(2) + 0.1, reference=of_full_rank, dtypes="float16 bfloat16 float32 float64", rcond=1e-6)
sample(PseudoInverse, np.zeros((2, 0, 3)), reference=lambda a, rcond: np.zeros((2, 3, 0)), rcond=1e-6)
bad(PseudoInverse, random.normal(size=3), error=ShapeError, match="a is f64[3], and needs rank 2", rcond=1e-6)
bad(PseudoInverse, np.ones((2, 2), np.int32), error=DTypeError, match="a is i32[2,2]", rcond=1e-6)
