"""What `data.py` measures, on which numbers, and what gradtape must reach.

gradtape and TensorFlow run the same text, `systems/data_tape.py`.
"""

from __future__ import annotations

import numpy as np

from works import Inputs, Work, normal, random

BATCH = 128


def _count(scale: float, samples: int) -> int:
    return max(2, round(samples * scale))


def shuffle_batch(scale: float) -> Inputs:
    """As many rows of numbers, with labels, as MNIST has."""
    rng, count = random(), _count(scale, 60_000)
    return {"x": rng.standard_normal((count, 784), dtype=np.float32), "y": rng.integers(0, 10, count).astype(np.int32)}


def python_map(scale: float) -> Inputs:
    """Photographs."""
    return {"images": random().integers(0, 256, (_count(scale, 2_000), 64, 64, 3)).astype(np.uint8)}


def prefetch(scale: float) -> Inputs:
    """Small images with labels, and a network with 256 hidden units and 10 classes."""
    rng, count = random(), _count(scale, 3_840)
    return {
        "images": rng.integers(0, 256, (count, 28, 28, 1)).astype(np.uint8),
        "labels": rng.integers(0, 10, count).astype(np.int32),
        "w1": normal(rng, 1024, 256, scale=0.05),
        "b1": np.zeros(256, np.float32),
        "w2": normal(rng, 256, 10, scale=0.1),
        "b2": np.zeros(10, np.float32),
    }


WORKS = (
    Work(
        "shuffle_batch",
        "`shuffle(60_000).batch(128)` of 60,000x784 floats, an epoch",
        shuffle_batch,
        {"TensorFlow": 1.0},
    ),
    Work(
        "python_map",
        "`map` of a NumPy function over 2,000 images 64x64x3, in parallel, and `batch`",
        python_map,
        {"TensorFlow": 1.0},
    ),
    Work(
        "prefetch",
        "`map` that resizes 3,840 images, `batch`, `prefetch`, and a training step beside it",
        prefetch,
        {"TensorFlow": 1.0},
    ),
)
