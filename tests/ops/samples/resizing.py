"""Samples of sampling on another grid. The reference weighs every pair of old and new places by the definitions."""

import math

import numpy as np

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.ops.resize_weights import Sampling
from gradtape.ops.resizing import Resample
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(11)
REALS = "float16 bfloat16 float32 float64"


def cubic(x, b, c):
    """The family of cubic kernels of Mitchell and Netravali."""
    x = abs(x)
    if x < 1:
        return ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + (6 - 2 * b)) / 6
    if x < 2:
        return ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
    return 0.0


def lanczos(x, radius):
    if abs(x) >= radius:
        return 0.0
    if abs(x) < 1e-9:
        return 1.0
    return radius * math.sin(math.pi * x) * math.sin(math.pi * x / radius) / (math.pi * x) ** 2


KERNELS = {
    "bilinear": lambda x: max(0.0, 1.0 - abs(x)),
    "bicubic": lambda x: cubic(x, 0.0, 0.5),
    "mitchellcubic": lambda x: cubic(x, 1 / 3, 1 / 3),
    "lanczos3": lambda x: lanczos(x, 3),
    "lanczos5": lambda x: lanczos(x, 5),
    "gaussian": lambda x: math.exp(-(x**2) / (2 * 0.5**2)) if abs(x) < 1.5 else 0.0,
}


def weight(sampling, i, j):
    """How much new place i sees of old place j, before weights are made to add up to 1."""
    n, m = sampling.source, sampling.target
    if sampling.method == "area":
        return max(0.0, min(j + 1, (i + 1) * n / m) - max(j, i * n / m))
    width = max(n / m, 1.0) if sampling.antialias else 1.0
    distance = (j + 0.5 - (i + 0.5) * n / m) / width
    if sampling.method == "bicubic" and not sampling.antialias:
        distance = round(distance * 1024) / 1024  # from a table with so many places, as in TensorFlow
    return KERNELS[sampling.method](distance)


def weights(sampling):
    n, m = sampling.source, sampling.target
    table = np.zeros((m, n))
    for i in range(m):
        for j in range(-1, n + 1):
            inside = min(max(j, 0), n - 1)
            # Plain bilinear images go on beyond their edges with the last pixel; the others end there.
            if inside == j or (sampling.method == "bilinear" and not sampling.antialias):
                table[i, inside] += weight(sampling, i, j)
        table[i] /= table[i].sum()
    return table


def resampled(x, axis, sampling, transposed=False):
    table = weights(sampling).T if transposed else weights(sampling)
    return np.moveaxis(np.tensordot(table, x, ([1], [axis])), 0, axis)


def normal(*shape):
    return random.normal(size=shape)


for method in (*KERNELS, "area"):
    sample(Resample, normal(2, 5, 3), axis=1, sampling=Sampling(method, 5, 3, True), reference=resampled)
    sample(Resample, normal(4), axis=0, sampling=Sampling(method, 4, 7), reference=resampled)
for method in ("bilinear", "gaussian"):
    sample(Resample, normal(3), axis=0, sampling=Sampling(method, 9, 3), transposed=True, reference=resampled)
for method in ("bilinear", "lanczos3", "area"):
    sample(Resample, normal(2, 3), axis=1, sampling=Sampling(method, 3, 5), reference=resampled, dtypes=REALS)
sample(Resample, normal(3, 1), axis=1, sampling=Sampling("bicubic", 1, 4), reference=resampled)
sample(Resample, normal(3, 20), axis=0, sampling=Sampling("bicubic", 3, 2), reference=resampled)
sample(Resample, normal(3, 20), axis=0, sampling=Sampling("bilinear", 3, 2), reference=resampled)
sample(Resample, normal(0, 3), axis=1, sampling=Sampling("bilinear", 3, 2), reference=resampled)
bad(Resample, normal(2, 3), axis=1, sampling=Sampling("area", 4, 2), error=ShapeError, match="length 4 along axis 1")
bad(Resample, normal(2, 3), axis=2, sampling=Sampling("area", 3, 2), error=ShapeError, match="x is f64[2,3]")
bad(Resample, normal(2), axis=0, sampling=Sampling("area", 2, 0), error=ShapeError, match="at least one place")
bad(Resample, normal(2), axis=0, sampling=Sampling("round", 2, 2), error=ShapeError, match="method='round'")
bad(Resample, np.arange(3), axis=0, sampling=Sampling("area", 3, 2), error=DTypeError, match="x is i64[3]")
