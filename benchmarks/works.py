"""What is measured, on which numbers, and what gradtape must reach.

Every system computes the same mathematics on the same float32 inputs; `compare.py` compares the results before it
times anything. The inputs are made here, by NumPy, from one seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

LEARNING_RATE = 0.01
MULTIPLIES = 100

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Work:
    """One line of the table.

    Attributes:
      name: the function of the modules in `systems/` that builds it.
      title: for people.
      inputs: makes the NumPy inputs; `scale` shrinks the large ones for a test.
      limits: for a system's name, the largest allowed ratio of gradtape's time to its time.
    """

    name: str
    title: str
    inputs: Callable[[float], Inputs]
    limits: dict[str, float]


def random() -> np.random.Generator:
    """The same generator for every work."""
    return np.random.default_rng(2024)


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> np.ndarray[Any, Any]:
    """Normally distributed float32 numbers."""
    return (scale * rng.standard_normal(shape)).astype(np.float32)


def square(scale: float) -> Inputs:
    """The seed example: x = 3."""
    return {"x": np.float32(3.0)}


def multiplies(scale: float) -> Inputs:
    """A matrix close to one, so that its hundredth power stays finite."""
    return {"w": 1.0 + normal(random(), 8, 8, scale=0.01)}


def training_step(scale: float) -> Inputs:
    """A batch of 64 examples with 784 features, and a network with 128 hidden units and 10 classes."""
    rng = random()
    return {
        "x": normal(rng, 64, 784),
        "labels": rng.integers(0, 10, 64).astype(np.int32),
        "w1": normal(rng, 784, 128, scale=0.05),
        "b1": np.zeros(128, np.float32),
        "w2": normal(rng, 128, 10, scale=0.1),
        "b2": np.zeros(10, np.float32),
    }


def elementwise(scale: float) -> Inputs:
    """A million numbers."""
    return {"x": normal(random(), max(1, round(1_000_000 * scale)))}


def jacobian(scale: float) -> Inputs:
    """An input of 64 features, and a network with 128 hidden units and 64 outputs."""
    rng = random()
    return {
        "x": normal(rng, 1, 64),
        "w1": normal(rng, 64, 128, scale=0.1),
        "b1": normal(rng, 128, scale=0.1),
        "w2": normal(rng, 128, 64, scale=0.1),
        "b2": normal(rng, 64, scale=0.1),
    }


WORKS = (
    Work("square", "`x**2` and its gradient", square, {"PyTorch": 0.4, "TensorFlow": 1 / 20}),
    Work(
        "multiplies",
        "100 multiplies of 8x8, forward and backward",
        multiplies,
        {"PyTorch": 0.6, "TensorFlow": 1 / 20},
    ),
    Work(
        "training_step",
        "training step 64x784-128-10, softmax cross-entropy, SGD",
        training_step,
        {"PyTorch": 1.0, "TensorFlow": 1 / 5},
    ),
    Work(
        "elementwise",
        "gradient of sum tanh(sin x · exp(-x²)), 1M floats",
        elementwise,
        {"TensorFlow": 1.3},
    ),
    Work("jacobian", "jacobian 64x64 of an MLP", jacobian, {"TensorFlow": 0.1}),
)
