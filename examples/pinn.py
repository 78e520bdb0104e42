"""A network that obeys an equation (Raissi, Perdikaris and Karniadakis 2019): Burgers' equation u_t + u u_x = nu u_xx, solved from
its residual alone, by tapes in a tape in a compiled step. Finite differences on a fine grid tell how well."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import gradtape as tf
import terminal

keras = tf.keras
VISCOSITY, POINTS, EDGE = 0.1 / np.pi, 600, 60


def network() -> Any:
    """u(t, x); the sine of both inputs' scale suits tanh."""
    hidden = [keras.layers.Dense(20, activation="tanh") for _ in range(4)]
    return keras.Sequential([keras.layers.Input((2,)), *hidden, keras.layers.Dense(1)])


def residual(model: Any, t: Any, x: Any) -> Any:
    """How much u_t + u u_x - nu u_xx differs from 0 at every point."""
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch([t, x])
            u = model(tf.concat([t, x], axis=1))
        u_x = inner.gradient(u, x)
    u_t = inner.gradient(u, t)
    u_xx = outer.gradient(u_x, x)
    return u_t + u * u_x - VISCOSITY * u_xx


def finite_differences(columns: int = 257, until: float = 1.0) -> Any:
    """The solution at the end on a grid over [-1, 1], by small explicit steps."""
    x = np.linspace(-1.0, 1.0, columns)
    u, dx = -np.sin(np.pi * x), x[1] - x[0]
    steps = int(np.ceil(until / (0.2 * dx * dx / VISCOSITY)))
    for _ in range(steps):
        flux = 0.5 * u * u
        change = VISCOSITY * (u[2:] - 2.0 * u[1:-1] + u[:-2]) / dx**2 - (flux[2:] - flux[:-2]) / (2.0 * dx)
        u[1:-1] += until / steps * change
    return x, u


def points(rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    """Times and places inside; and on the edge, with the values that u has there."""
    inside = rng.uniform([0.0, -1.0], [1.0, 1.0], (POINTS, 2))
    start = np.stack([np.zeros(EDGE), np.linspace(-1.0, 1.0, EDGE)], axis=1)
    walls = np.stack([rng.uniform(0.0, 1.0, EDGE), np.repeat([-1.0, 1.0], EDGE // 2)], axis=1)
    edge = np.concatenate([start, walls])
    known = np.where(edge[:, :1] == 0.0, -np.sin(np.pi * edge[:, 1:]), 0.0)
    return tuple(tf.constant(a, tf.float32) for a in (inside[:, :1], inside[:, 1:], edge, known))  # type: ignore[return-value]


def run(steps: int = 1200) -> float:
    """Solve, and compare; the mean error at the end of time, where the wave is steepest."""
    keras.utils.set_random_seed(3)
    t, x, edge, known = points(np.random.default_rng(0))
    model = network()
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(5e-3, steps))

    @tf.function
    def train_step() -> tuple[Any, Any]:
        with tf.GradientTape() as tape:
            equation = tf.reduce_mean(tf.square(residual(model, t, x)))
            border = tf.reduce_mean(tf.square(model(edge) - known))
            loss = equation + 5.0 * border
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return equation, border

    for step in range(steps):
        equation, border = train_step()
        if (step + 1) % (steps // 5) == 0:
            print(f"  step {step + 1:4}: residual {equation:.1e}, edge {border:.1e}")

    place, exact = finite_differences()
    found = model(np.stack([np.ones_like(place), place], axis=1).astype(np.float32)).numpy()[:, 0]
    print("\n      x      u by network   by differences")
    for i in range(16, 257, 32):
        print(f"  {place[i]:6.3f} {found[i]:14.3f} {exact[i]:16.3f}")
    error = float(np.mean(np.abs(found - exact)))
    print(f"\n  mean error at t = 1: {error:.4f}")
    return error


if __name__ == "__main__":
    terminal.heading("Burgers' equation")
    run(*map(int, sys.argv[1:]))
