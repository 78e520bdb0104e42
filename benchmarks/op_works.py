"""The ops that `ops.py` measures, on which numbers, and what gradtape must reach."""

from __future__ import annotations

import numpy as np

from works import Inputs, Work, normal, random

TOP = 10
BETTER = {"PyTorch": 1.3, "TensorFlow": 1.3}  # at most so many times the better of the two


def _rows(scale: float, rows: int) -> int:
    return max(2, round(rows * scale))


def convolution(scale: float) -> Inputs:
    """32 images of 28x28 with 32 channels, 64 filters of 3x3, and cotangents of the result."""
    rng, n = random(), _rows(scale, 32)
    return {
        "x": normal(rng, n, 28, 28, 32),
        "w": normal(rng, 3, 3, 32, 64, scale=0.05),
        "dy": normal(rng, n, 28, 28, 64),
    }


def batched_matmul(scale: float) -> Inputs:
    """As many pairs of matrices as an attention layer has heads and examples."""
    rng, n = random(), _rows(scale, 64)
    return {"a": normal(rng, n, 128, 64), "b": normal(rng, n, 64, 128), "dy": normal(rng, n, 128, 128)}


def softmax(scale: float) -> Inputs:
    """Rows of 1000 classes."""
    rng, n = random(), _rows(scale, 1024)
    return {"x": normal(rng, n, 1000), "dy": normal(rng, n, 1000)}


def layer_normalization(scale: float) -> Inputs:
    """Rows of 768 features, with a scale and an offset for each."""
    rng, n = random(), _rows(scale, 1024)
    return {
        "x": normal(rng, n, 768),
        "gain": 1.0 + normal(rng, 768, scale=0.1),
        "offset": normal(rng, 768, scale=0.1),
        "dy": normal(rng, n, 768),
    }


def embedding(scale: float) -> Inputs:
    """A table of 100,000 rows of 64, and 4,096 lookups."""
    rng, n = random(), _rows(scale, 4096)
    ids = rng.integers(0, 100_000, n).astype(np.int64)
    return {"table": normal(rng, 100_000, 64), "ids": ids, "dy": normal(rng, n, 64)}


def sort(scale: float) -> Inputs:
    """Rows of 1000 numbers."""
    return {"x": normal(random(), _rows(scale, 1000), 1000)}


WORKS = (
    Work(
        "convolution",
        "convolution 3x3, 32 to 64 channels, 32x28x28, forward and backward",
        convolution,
        {"TensorFlow": 1.5},
    ),
    Work("batched_matmul", "64 matrix products 128x64x128, forward and backward", batched_matmul, BETTER),
    Work("softmax", "softmax of 1024x1000, forward and backward", softmax, BETTER),
    Work("layer_normalization", "layer normalisation of 1024x768, forward and backward", layer_normalization, BETTER),
    Work("embedding", "gradient of 4,096 lookups in a 100,000x64 table", embedding, BETTER),
    Work("sort", "sort of 1000x1000 along rows", sort, BETTER),
    Work("top_k", "top 10 of 1000x1000 along rows", sort, BETTER),
)
