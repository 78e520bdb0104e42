"""JAX without jit: jax.grad and jax.jacrev, op by op. JAX is made for jit; this line says what eager use costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import works


def use_threads(count: int) -> None:
    """XLA took the number from XLA_FLAGS when it was loaded."""


def to_numpy(value: Any) -> Any:
    """The array."""
    return np.asarray(value)


def _done(results: list[Any]) -> list[Any]:
    """The results, computed: JAX returns before it has finished."""
    return [r.block_until_ready() for r in results]


def square(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The seed example."""
    x = jnp.asarray(inputs["x"])
    differentiate = jax.grad(lambda x: x**2)
    return lambda: _done([differentiate(x)])


def multiplies(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """A chain of multiplications."""
    w = jnp.asarray(inputs["w"])
    ones = jnp.ones_like(w)

    def chain(w: Any) -> Any:
        y = w
        for _ in range(works.MULTIPLIES):
            y = y * w
        return y

    def run() -> list[Any]:
        _, pull = jax.vjp(chain, w)
        return _done(list(pull(ones)))

    return run


def training_step(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """One step; the parameters move from call to call."""
    x, labels = jnp.asarray(inputs["x"]), jnp.asarray(inputs["labels"])
    parameters = [jnp.asarray(inputs[name]) for name in ("w1", "b1", "w2", "b2")]

    def loss(parameters: Any) -> Any:
        w1, b1, w2, b2 = parameters
        logits = jax.nn.relu(x @ w1 + b1) @ w2 + b2
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(picked)

    differentiate = jax.grad(loss)

    def run() -> list[Any]:
        gradients = differentiate(parameters)
        parameters[:] = _done([p - works.LEARNING_RATE * g for p, g in zip(parameters, gradients, strict=True)])
        return parameters

    return run


def elementwise(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The gradient of a long elementwise expression."""
    x = jnp.asarray(inputs["x"])
    differentiate = jax.grad(lambda x: jnp.sum(jnp.tanh(jnp.sin(x) * jnp.exp(-jnp.square(x)))))
    return lambda: _done([differentiate(x)])


def jacobian(inputs: works.Inputs) -> Callable[[], list[Any]]:
    """The derivative of every output of a network with respect to every input, vectorised by vmap."""
    x, w1, b1, w2, b2 = (jnp.asarray(inputs[name]) for name in ("x", "w1", "b1", "w2", "b2"))
    differentiate = jax.jacrev(lambda x: jnp.tanh(x @ w1 + b1) @ w2 + b2)
    return lambda: _done([differentiate(x)])
