"""JAX, by `jax.jit`, as its users write it: whole steps in one function, parameters given away to be overwritten."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

import compiled_works as constants
import works
from systems.control_jax import (  # noqa: F401 - the worker finds every work here
    descent,
    done,
    gru_scan,
    lstm_cell,
    lstm_loop,
    map_rows,
    mean_cross_entropy,
    ode,
)
from systems.jax_eager import to_numpy, use_threads  # noqa: F401 - the worker calls them

Run = Callable[[], list[Any]]


def elementwise(inputs: works.Inputs) -> Run:
    """The gradient of a long elementwise expression."""
    gradient = jax.jit(jax.grad(lambda x: jnp.sum(jnp.tanh(jnp.sin(x) * jnp.exp(-jnp.square(x))))))
    x = jnp.asarray(inputs["x"])
    return lambda: done([gradient(x)])


def mlp(inputs: works.Inputs) -> Run:
    """Two dense layers."""

    def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
        w1, b1, w2, b2 = parameters
        return mean_cross_entropy(jax.nn.relu(x @ w1 + b1) @ w2 + b2, labels)

    return descent(loss_of, inputs, "w1 b1 w2 b2", "x labels")


def mlp_adam(inputs: works.Inputs) -> Run:
    """Four dense layers, trained by Adam, written out."""
    adam = constants.ADAM

    def loss_of(parameters: Any, x: Any, y: Any) -> Any:
        for k in range(0, 8, 2):
            x = x @ parameters[k] + parameters[k + 1]
            if k < 6:
                x = jax.nn.relu(x)
        return jnp.mean(jnp.square(x - y))

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state: Any, x: Any, y: Any) -> Any:
        parameters, means, squares, count = state
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        count = count + 1.0
        scale1, scale2 = 1.0 - adam.beta1**count, 1.0 - adam.beta2**count
        means = [adam.beta1 * m + (1.0 - adam.beta1) * g for m, g in zip(means, gradients, strict=True)]
        squares = [adam.beta2 * v + (1.0 - adam.beta2) * jnp.square(g) for v, g in zip(squares, gradients, strict=True)]
        parameters = [
            p - adam.rate * (m / scale1) / (jnp.sqrt(v / scale2) + adam.epsilon)
            for p, m, v in zip(parameters, means, squares, strict=True)
        ]
        return (parameters, means, squares, count), loss

    parameters = [jnp.asarray(inputs[f"{name}{k}"]) for k in (1, 2, 3, 4) for name in "wb"]
    zeros = [[jnp.zeros_like(p) for p in parameters] for _ in range(2)]
    state = [(parameters, *zeros, jnp.float32(0.0))]
    x, y = jnp.asarray(inputs["x"]), jnp.asarray(inputs["y"])

    def run() -> list[Any]:
        state[0], loss = step(state[0], x, y)
        jax.block_until_ready(state[0])
        return [loss]

    return run


def convnet(inputs: works.Inputs) -> Run:
    """Two convolutions, each with a maximum of four neighbours, and a dense layer."""

    def layer(x: Any, kernel: Any, offset: Any) -> Any:
        x = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x + offset)
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
        k1, b1, k2, b2, w3, b3 = parameters
        x = layer(layer(x, k1, b1), k2, b2)
        return mean_cross_entropy(x.reshape(len(x), -1) @ w3 + b3, labels)

    return descent(loss_of, inputs, "k1 b1 k2 b2 w3 b3", "x labels")


def lstm(inputs: works.Inputs) -> Run:
    """A cell, called in a Python loop; its last state is classified."""

    def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
        w, u, b, w_out, b_out = parameters
        h = c = jnp.zeros((len(x), constants.UNITS))
        for t in range(constants.STEPS):
            h, c = lstm_cell(x[:, t], h, c, w, u, b)
        return mean_cross_entropy(h @ w_out + b_out, labels)

    return descent(loss_of, inputs, "w u b w_out b_out", "x labels")


def _normalized(x: Any, gain: Any, offset: Any) -> Any:
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), -1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * gain + offset


def transformer(inputs: works.Inputs) -> Run:
    """Attention and two dense layers, each on normalised inputs and added to them."""
    n, length, d = inputs["x"].shape

    def heads(x: Any) -> Any:
        return x.reshape(n, length, constants.HEADS, -1).transpose(0, 2, 1, 3)

    def attention(x: Any, w_qkv: Any, b_qkv: Any, w_out: Any, b_out: Any) -> Any:
        q, k, v = (heads(part) for part in jnp.split(x @ w_qkv + b_qkv, 3, axis=-1))
        scores = q @ k.swapaxes(-1, -2) * (d // constants.HEADS) ** -0.5
        mixed = (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3)
        return mixed.reshape(-1, d) @ w_out + b_out

    def loss_of(parameters: Any, x: Any, y: Any) -> Any:
        gain1, offset1, w_qkv, b_qkv, w_out, b_out, gain2, offset2, w_up, b_up, w_down, b_down = parameters
        x = x.reshape(-1, d)
        x = x + attention(_normalized(x, gain1, offset1), w_qkv, b_qkv, w_out, b_out)
        hidden = jax.nn.gelu(_normalized(x, gain2, offset2) @ w_up + b_up, approximate=False)
        x = x + hidden @ w_down + b_down
        return jnp.mean(jnp.square(x - y.reshape(-1, d)))

    names = "gain1 offset1 w_qkv b_qkv w_out b_out gain2 offset2 w_up b_up w_down b_down"
    return descent(loss_of, inputs, names, "x y")


def pinn(inputs: works.Inputs) -> Run:
    """The residual of u_t + u u_x = v u_xx; points do not mix, so that gradients of sums are derivatives."""

    def network(parameters: Any, t: Any, x: Any) -> Any:
        h = jnp.concatenate([t, x], axis=1)
        for k in range(0, 6, 2):
            h = jnp.tanh(h @ parameters[k] + parameters[k + 1])
        return h @ parameters[6] + parameters[7]

    def loss_of(parameters: Any, t: Any, x: Any) -> Any:
        def u_and_slopes(x: Any) -> Any:
            u, pull = jax.vjp(functools.partial(network, parameters), t, x)
            u_t, u_x = pull(jnp.ones_like(u))
            return jnp.sum(u_x), (u, u_t, u_x)

        u_xx, (u, u_t, u_x) = jax.grad(u_and_slopes, has_aux=True)(x)
        return jnp.mean(jnp.square(u_t + u * u_x - constants.VISCOSITY * u_xx))

    return descent(loss_of, inputs, "w1 b1 w2 b2 w3 b3 w4 b4", "t x")


def jacobian(inputs: works.Inputs) -> Run:
    """The derivative of every output of a network with respect to every input."""

    def network(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
        return jnp.tanh(x @ w1 + b1) @ w2 + b2

    derivative = jax.jit(jax.jacrev(network))
    operands = [jnp.asarray(inputs[name]) for name in ("x", "w1", "b1", "w2", "b2")]
    return lambda: done([derivative(*operands)])


def hessian(inputs: works.Inputs) -> Run:
    """All second derivatives of the squared error of a fit."""
    n = constants.HIDDEN_OF_FIT

    def loss_of(p: Any, x: Any, y: Any) -> Any:
        bumps = jnp.tanh(x[:, None] * p[:n] + p[n : 2 * n])
        curve = bumps @ p[2 * n : 3 * n] + p[3 * n] * x + p[3 * n + 1]
        return jnp.mean(jnp.square(curve - y))

    second = jax.jit(jax.hessian(loss_of))
    operands = [jnp.asarray(inputs[name]) for name in ("p", "x", "y")]
    return lambda: done([second(*operands)])


def scalar(inputs: works.Inputs) -> Run:
    """A function of a number."""
    function = jax.jit(lambda x: x * x + jnp.sin(x))
    x = jnp.asarray(inputs["x"])
    return lambda: done([function(x)])
