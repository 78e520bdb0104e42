"""What `compiled.py` measures, on which numbers, and what gradtape must reach.

Every system computes the same mathematics on the same float32 inputs, as its users write it, compiled by its own compiler.
Training steps return the loss, so equal losses after some steps mean equal gradients and updates.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import works
from works import Inputs, normal, random

LEARNING_RATE = 0.01
STEPS, UNITS = 32, 64
HEADS = 4
VISCOSITY = 0.01 / np.pi
HIDDEN_OF_FIT = 16
ODE_STEPS, ODE_TIME = 1000, 0.002
BEST = "the best other"
FIRST_RESULT = 1.0  # seconds, of each work
FIRST_RESULTS = 0.25  # of JAX, all works together
WARM_RESULTS = 0.1  # the same, with kernels on disk
START = 0.5  # seconds from the start of a process to its first compiled result, with kernels on disk
PEAK = 1.0  # of JAX, each work
SLOWDOWN = 3.0  # with every core busy


@dataclass(frozen=True)
class Adam:
    """The constants of the Adam step."""

    rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-7


ADAM = Adam()


@dataclass(frozen=True)
class CompiledWork(works.Work):
    """One line of the table.

    Attributes:
      seconds: the longest that a call may take, if there is such a limit.
      cost: (operations of matrix products, bytes of updates) at full size, where they bound the time.
      share: the least share of the machine's limit.
    """

    seconds: float | None = None
    cost: tuple[float, float] | None = None
    share: float | None = None


def _size(scale: float, count: int, least: int = 4) -> int:
    return max(least, round(count * scale))


def _dense(rng: np.random.Generator, *sizes: int) -> dict[str, Any]:
    """Weights w1, w2 ... and offsets b1, b2 ... of dense layers."""
    found: dict[str, Any] = {}
    for k, (a, b) in enumerate(itertools.pairwise(sizes), 1):
        found[f"w{k}"] = normal(rng, a, b, scale=1 / np.sqrt(a))
        found[f"b{k}"] = normal(rng, b, scale=0.01)
    return found


def _labels(rng: np.random.Generator, count: int) -> Any:
    return rng.integers(0, 10, count).astype(np.int32)


def mlp_adam(scale: float) -> Inputs:
    """A batch of 256, four square layers of 1024, and targets."""
    rng, n, width = random(), _size(scale, 256), _size(scale, 1024)
    return {"x": normal(rng, n, width), "y": normal(rng, n, width), **_dense(rng, *[width] * 5)}


def convnet(scale: float) -> Inputs:
    """32 grey images of 28x28."""
    rng, n = random(), _size(scale, 32)
    return {
        "x": normal(rng, n, 28, 28, 1),
        "labels": _labels(rng, n),
        "k1": normal(rng, 3, 3, 1, 32, scale=0.3),
        "b1": np.zeros(32, np.float32),
        "k2": normal(rng, 3, 3, 32, 64, scale=0.06),
        "b2": np.zeros(64, np.float32),
        "w3": normal(rng, 7 * 7 * 64, 10, scale=0.02),
        "b3": np.zeros(10, np.float32),
    }


def lstm(scale: float) -> Inputs:
    """32 sequences of 32 vectors of 32 numbers, their classes, and a cell with 64 units."""
    rng, n, features = random(), _size(scale, 32), 32
    return {
        "x": normal(rng, n, STEPS, features),
        "labels": _labels(rng, n),
        "w": normal(rng, features, 4 * UNITS, scale=0.15),
        "u": normal(rng, UNITS, 4 * UNITS, scale=0.1),
        "b": np.zeros(4 * UNITS, np.float32),
        "w_out": normal(rng, UNITS, 10, scale=0.1),
        "b_out": np.zeros(10, np.float32),
    }


def transformer(scale: float) -> Inputs:
    """8 sequences of 128 tokens of 256 numbers, targets of the same shape, and the parameters of one block."""
    rng, n, length, d = random(), _size(scale, 8, 1), _size(scale, 128), 256
    return {
        "x": normal(rng, n, length, d),
        "y": normal(rng, n, length, d),
        "gain1": 1 + normal(rng, d, scale=0.1),
        "offset1": normal(rng, d, scale=0.1),
        "w_qkv": normal(rng, d, 3 * d, scale=0.06),
        "b_qkv": normal(rng, 3 * d, scale=0.01),
        "w_out": normal(rng, d, d, scale=0.06),
        "b_out": normal(rng, d, scale=0.01),
        "gain2": 1 + normal(rng, d, scale=0.1),
        "offset2": normal(rng, d, scale=0.1),
        "w_up": normal(rng, d, 4 * d, scale=0.06),
        "b_up": normal(rng, 4 * d, scale=0.01),
        "w_down": normal(rng, 4 * d, d, scale=0.03),
        "b_down": normal(rng, d, scale=0.01),
    }


def pinn(scale: float) -> Inputs:
    """1024 points of time and place, and a network 2-32-32-32-1."""
    rng, n = random(), _size(scale, 1024)
    t, x = (rng.uniform(low, 1.0, (n, 1)).astype(np.float32) for low in (0.0, -1.0))
    return {"t": t, "x": x, **_dense(rng, 2, 32, 32, 32, 1)}


def hessian(scale: float) -> Inputs:
    """256 noisy points of a curve, and 50 parameters of a fit: 16 bumps, a slope and a level."""
    rng = random()
    x = np.linspace(-1, 1, 256).astype(np.float32)
    return {
        "x": x,
        "y": (np.sin(4 * x) + 0.1 * rng.standard_normal(256)).astype(np.float32),
        "p": normal(rng, 3 * HIDDEN_OF_FIT + 2),
    }


def scalar(scale: float) -> Inputs:
    """A number."""
    return {"x": np.float32(3.0)}


def ode(scale: float) -> Inputs:
    """A state of 64 numbers, and the matrix of its equation y' = tanh(A y)."""
    rng = random()
    return {"y": normal(rng, 64), "a": normal(rng, 64, 64, scale=0.1)}


def gru(scale: float) -> Inputs:
    """32 sequences of 32 vectors of 32 numbers, time first, and a cell with 64 units."""
    rng, n, features = random(), _size(scale, 32), 32
    return {
        "x": normal(rng, STEPS, n, features),
        "w": normal(rng, features, 3 * UNITS, scale=0.15),
        "u": normal(rng, UNITS, 3 * UNITS, scale=0.1),
        "b": np.zeros(3 * UNITS, np.float32),
    }


def map_rows(scale: float) -> Inputs:
    """256 rows of 64 numbers, and a square matrix."""
    rng = random()
    return {"x": normal(rng, _size(scale, 256), 64), "w": normal(rng, 64, 64, scale=0.1)}


def _mlp_adam_cost() -> tuple[float, float]:
    """Products: forward 4, backward 4 for weights and 3 for activations. Adam reads p, m, v, g and writes p, m, v."""
    return 11 * 2 * 256 * 1024**2, 7 * 4 * 4 * (1024**2 + 1024)


def _transformer_cost() -> tuple[float, float]:
    """Products: 12 d² for each token and two of scores, three times; SGD reads p and g and writes p."""
    tokens, d = 8 * 128, 256
    return 3 * (2 * 12 * d**2 * tokens + 4 * 128 * d * tokens), 3 * 4 * (12 * d**2 + 13 * d)


WORKS = (
    CompiledWork("elementwise", "gradient of sum tanh(sin x · exp(-x²)), 1M floats", works.elementwise, {BEST: 0.35}),
    CompiledWork("mlp", "MLP 64x784-128-10, SGD step", works.training_step, {BEST: 0.6}),
    CompiledWork(
        "mlp_adam",
        "MLP of four 1024x1024 layers, batch 256, Adam step",
        mlp_adam,
        {BEST: 1.0},
        cost=_mlp_adam_cost(),
        share=0.88,
    ),
    CompiledWork("convnet", "convnet 32x28x28, 3x3 convolutions to 32 and 64, SGD step", convnet, {BEST: 0.6}),
    CompiledWork("lstm", "LSTM 64 units, 32 steps unrolled, batch 32, SGD step", lstm, {BEST: 0.5}),
    CompiledWork(
        "transformer",
        "transformer block d=256, 4 heads, 8x128 tokens, SGD step",
        transformer,
        {BEST: 0.85},
        cost=_transformer_cost(),
        share=0.75,
    ),
    CompiledWork("pinn", "PINN of Burgers' equation, 2-32-32-32-1, 1024 points, SGD step", pinn, {BEST: 0.6}),
    CompiledWork("jacobian", "jacobian 64x64 of an MLP", works.jacobian, {BEST: 1.0}),
    CompiledWork("hessian", "hessian of a fit with 50 parameters", hessian, {BEST: 1.0}),
    CompiledWork("scalar", "call of a compiled scalar function", scalar, {"JAX": 1.0}, seconds=8e-6),
)

# Measured when asked for by name.
CONTROL_FLOW = (
    CompiledWork("lstm_loop", "LSTM 64 units as a loop over tf.range(32), batch 32, SGD step", lstm, {BEST: 0.5}),
    CompiledWork("ode", "RK4, 1,000 steps of 64 states in a while_loop, gradient", ode, {BEST: 0.5}),
    CompiledWork("gru_scan", "GRU 64 units by scan, 32 steps, batch 32, gradient", gru, {BEST: 0.5}),
    CompiledWork("map_rows", "map_fn over 256 rows, gradient", map_rows, {BEST: 0.5}),
)


def gemm(scale: float) -> Inputs:
    """Two square matrices."""
    rng, n = random(), _size(scale, 1024)
    return {"a": normal(rng, n, n), "b": normal(rng, n, n)}


def traffic(scale: float) -> Inputs:
    """Two arrays that no cache holds."""
    n = _size(scale, 1 << 24)
    return {"a": np.ones(n, np.float32), "b": np.ones(n, np.float32)}


# What the machine can do at best, measured in the same run.
MACHINE = (
    CompiledWork("gemm", "product of 1024x1024 matrices by NumPy's BLAS", gemm, {}, cost=(2 * 1024**3, 0)),
    CompiledWork("traffic", "sum of two arrays of 64 MB, on all threads", traffic, {}, cost=(0, 3 * 4 * 2**24)),
)
