"""Works with loops in JAX, by `lax.scan`, `lax.fori_loop` and `vmap`, and what all compiled programs share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

import compiled_works as constants
import works

Run = Callable[[], list[Any]]


def done(results: list[Any]) -> list[Any]:
    """The results, computed: JAX returns before it has finished."""
    return [r.block_until_ready() for r in results]


def mean_cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean over all examples."""
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


def descent(loss_of: Callable[..., Any], inputs: works.Inputs, names: str, data_names: str) -> Run:
    """Steps of SGD; the parameters move from call to call."""

    @functools.partial(jax.jit, donate_argnums=0)
    def step(parameters: Any, *data: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, *data)
        moved = [p - constants.LEARNING_RATE * g for p, g in zip(parameters, gradients, strict=True)]
        return moved, loss

    state = [[jnp.asarray(inputs[name]) for name in names.split()]]
    data = [jnp.asarray(inputs[name]) for name in data_names.split()]

    def run() -> list[Any]:
        state[0], loss = step(state[0], *data)
        done(state[0])
        return [loss]

    return run


def _gradient(loss_of: Callable[..., Any], inputs: works.Inputs, names: str, data_names: str) -> Run:
    """The loss and its gradients."""
    differentiate = jax.jit(jax.value_and_grad(loss_of))
    parameters = [jnp.asarray(inputs[name]) for name in names.split()]
    data = [jnp.asarray(inputs[name]) for name in data_names.split()]

    def run() -> list[Any]:
        loss, gradients = differentiate(parameters, *data)
        return done([loss, *gradients])

    return run


def lstm_cell(x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> tuple[Any, Any]:
    """The next state and memory."""
    i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def lstm_loop(inputs: works.Inputs) -> Run:
    """A cell, called in a loop that stays a loop; its last state is classified."""

    def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
        w, u, b, w_out, b_out = parameters
        start = (jnp.zeros((len(x), constants.UNITS)),) * 2
        (h, _), _ = jax.lax.scan(lambda s, x: (lstm_cell(x, *s, w, u, b), None), start, x.swapaxes(0, 1))
        return mean_cross_entropy(h @ w_out + b_out, labels)

    return descent(loss_of, inputs, "w u b w_out b_out", "x labels")


def ode(inputs: works.Inputs) -> Run:
    """The state after many steps of Runge and Kutta, and its derivative with respect to the matrix."""
    dt = constants.ODE_TIME

    def loss_of(parameters: Any, start: Any) -> Any:
        (a,) = parameters

        def step(k: Any, y: Any) -> Any:
            k1 = jnp.tanh(a @ y)
            k2 = jnp.tanh(a @ (y + 0.5 * dt * k1))
            k3 = jnp.tanh(a @ (y + 0.5 * dt * k2))
            k4 = jnp.tanh(a @ (y + dt * k3))
            return y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

        return jnp.sum(jnp.square(jax.lax.fori_loop(0, constants.ODE_STEPS, step, start)))

    return _gradient(loss_of, inputs, "a", "y")


def gru_scan(inputs: works.Inputs) -> Run:
    """All states of a cell, by `scan`."""

    def loss_of(parameters: Any, x: Any) -> Any:
        w, u, b = parameters

        def cell(h: Any, x: Any) -> Any:
            xr, xz, xn = jnp.split(x @ w + b, 3, axis=1)
            hr, hz, hn = jnp.split(h @ u, 3, axis=1)
            z = jax.nn.sigmoid(xz + hz)
            h = z * h + (1.0 - z) * jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn)
            return h, h

        _, states = jax.lax.scan(cell, jnp.zeros((x.shape[1], constants.UNITS)), x)
        return jnp.mean(jnp.square(states))

    return _gradient(loss_of, inputs, "w u b", "x")


def map_rows(inputs: works.Inputs) -> Run:
    """A function of a row, for all rows."""

    def loss_of(parameters: Any, x: Any) -> Any:
        (w,) = parameters
        return jnp.sum(jax.vmap(lambda row: jnp.sum(jax.nn.softmax(w @ row) * jnp.tanh(row)))(x))

    return _gradient(loss_of, inputs, "w", "x")
