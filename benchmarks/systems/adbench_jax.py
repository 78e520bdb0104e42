"""The works of adbench.py by `jax.jit`, in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import works
from adbench_works import STATE, THETA
from systems import adbench_numpy as layout
from systems.adbench_tape import log_wishart
from systems.jax_eager import to_numpy, use_threads  # noqa: F401 - the worker calls them

jax.config.update("jax_enable_x64", True)
Run = Callable[[], list[Any]]


def _prepared(function: Any, data: list[Any]) -> Run:
    compiled, values = jax.jit(function), [jnp.asarray(d) for d in data]
    return lambda: jax.block_until_ready(compiled(*values))


def gmm(inputs: works.Inputs) -> Run:
    """The log posterior of a mixture, and its gradient."""
    n, d = inputs["x"].shape
    k, places = len(inputs["alphas"]), layout.triangle(d)

    def objective(alphas: Any, means: Any, factors: Any, x: Any) -> Any:
        logs = factors[:, :d]
        below = jnp.pad(factors, [(0, 0), (0, 1)])[:, places]
        q = jnp.where(np.eye(d, dtype=bool), jnp.exp(logs)[:, None, :], below)
        deviations = (x[None] - means[:, None]) @ q.transpose(0, 2, 1)
        exponents = alphas + logs.sum(1) - 0.5 * (deviations**2).sum(2).T
        inside = jax.nn.logsumexp(exponents, axis=1).sum() - n * jax.nn.logsumexp(alphas)
        wishart = 0.5 * (jnp.exp(2 * logs).sum() + (factors[:, d:] ** 2).sum())
        return inside + wishart - k * log_wishart(d) - 0.5 * n * d * math.log(2 * math.pi)

    def gradient(*data: Any) -> Any:
        y, found = jax.value_and_grad(objective, (0, 1, 2))(*data)
        return [y, *found]

    return _prepared(gradient, [inputs[name] for name in ("alphas", "means", "factors", "x")])


def ba(inputs: works.Inputs) -> Run:
    """The errors of reprojection, and for each observation their 2x15 derivatives; those of the weights."""

    def error(p: Any, feature: Any) -> Any:
        rotation, centre, f, principal, radial, x, w = jnp.split(p, [3, 6, 7, 9, 11, 14])
        angle = jnp.sqrt(jnp.sum(rotation**2))
        axis, moved = rotation / angle, x - centre
        turned = (
            moved * jnp.cos(angle)
            + jnp.cross(axis, moved) * jnp.sin(angle)
            + axis * jnp.dot(axis, moved) * (1 - jnp.cos(angle))
        )
        flat = turned[:2] / turned[2]
        r = jnp.sum(flat**2)
        bent = flat * (1 + radial[0] * r + radial[1] * r**2)
        return w * (bent * f + principal - feature)

    def jacobians(cameras: Any, points: Any, weights: Any, of_camera: Any, of_point: Any, features: Any) -> Any:
        p = jnp.concatenate([cameras[of_camera], points[of_point], weights[:, None]], axis=1)
        y, found = jax.vmap(error)(p, features), jax.vmap(jax.jacrev(error))(p, features)
        return [y, 1 - weights**2, found, -2 * weights]

    names = ("cameras", "points", "weights", "of_camera", "of_point", "features")
    return _prepared(jacobians, [inputs[name] for name in names])


def hand(inputs: works.Inputs) -> Run:
    """The distances of points from a skinned mesh, and their derivatives by forward mode."""
    numbers, levels = layout.angles(), layout.parents(inputs["parents"])
    parents, vertex = inputs["parents"], inputs["vertex"]

    def turned(angle: Any) -> Any:
        sx, sy, sz = (jnp.sin(angle[..., k]) for k in range(3))
        cx, cy, cz = (jnp.cos(angle[..., k]) for k in range(3))
        rows = [
            [cy * cz, -cx * sz + sx * sy * cz, sx * sz + cx * sy * cz],
            [cy * sz, cx * cz + sx * sy * sz, -sx * cz + cx * sy * sz],
            [-sy, sx * cy, cx * cy],
        ]
        return jnp.stack([jnp.stack(row, -1) for row in rows], -2)

    def residuals(theta: Any, place: Any, data: Any) -> Any:
        relatives, inverse, mesh, skin, points = data
        local = turned(jnp.pad(theta, (0, 1))[numbers])
        steps = relatives.at[:, :3, :3].set(relatives[:, :3, :3] @ local)
        done = {0: steps[0]}
        for level in levels[1:]:
            above = jnp.stack([done[int(parents[b])] for b in level])
            for bone, matrix in zip(level, above @ steps[np.array(level)], strict=True):
                done[bone] = matrix
        bones = (jnp.stack([done[b] for b in range(len(numbers))]) @ inverse)[:, :3]
        skinned = (skin[:, :, None] * mesh[:, None]).reshape(len(mesh), -1)
        vertices = skinned @ bones.transpose(0, 2, 1).reshape(-1, 3) @ turned(theta[:3]).T + theta[3:6]
        met = vertices[vertex]
        if place is not None:
            u, v = place[:, :1], place[:, 1:]
            met = u * met[:, 0] + v * met[:, 1] + (1 - u - v) * met[:, 2]
        return points - met

    def jacobian(theta: Any, place: Any, *data: Any) -> Any:
        def along(direction: Any) -> Any:
            return jax.jvp(lambda t: residuals(t, place, data), (theta,), (direction,))[1]

        found = [residuals(theta, place, data), jax.vmap(along)(jnp.eye(THETA))]
        if place is not None:
            # Each point has its own two coordinates: two directions give all of their derivatives.
            directions = [jnp.zeros_like(place).at[:, k].set(1) for k in range(2)]
            columns = [jax.jvp(lambda p: residuals(theta, p, data), (place,), (d,))[1] for d in directions]
            found.append(jnp.stack(columns, -1))
        return found

    data = [jnp.asarray(inputs[name]) for name in ("relatives", "inverse", "mesh", "skin", "points")]
    compiled = jax.jit(jacobian)
    theta, place = jnp.asarray(inputs["theta"]), inputs.get("place")
    place = None if place is None else jnp.asarray(place)
    return lambda: jax.block_until_ready(compiled(theta, place, *data))


def lstm(inputs: works.Inputs) -> Run:
    """The loss of the next character, by `lax.scan`, and its gradient."""
    layers, count = len(inputs["weights"]), len(inputs["text"]) - 1

    def loss_of(weights: Any, biases: Any, ends: Any, hidden: Any, cell: Any, text: Any) -> Any:
        def step(state: Any, now: Any) -> Any:
            (hidden, cell), (this, following) = state, now
            x = this * ends[0]
            hiddens, cells = [], []
            for k in range(layers):
                w, b = weights[k], biases[k]
                forget, let_in, let_out = jax.nn.sigmoid(jnp.stack([x, hidden[k], x]) * w[:3] + b[:3])
                cells.append(cell[k] * forget + let_in * jnp.tanh(hidden[k] * w[3] + b[3]))
                x = let_out * jnp.tanh(cells[-1])
                hiddens.append(x)
            y = x * ends[1] + ends[2]
            gain = jnp.sum((y - jnp.log(jnp.sum(jnp.exp(y)) + 2)) * following)
            return (jnp.stack(hiddens), jnp.stack(cells)), gain

        gains = jax.lax.scan(step, (hidden, cell), (text[:-1], text[1:]))[1]
        return -gains.sum() / (count * STATE)

    def gradient(*data: Any) -> Any:
        loss, found = jax.value_and_grad(loss_of, (0, 1, 2))(*data)
        return [loss, *found]

    names = ("weights", "biases", "ends", "hidden", "cell", "text")
    return _prepared(gradient, [inputs[name] for name in names])


def __getattr__(name: str) -> Any:
    kind = name.split("_")[0]
    if kind in ("gmm", "ba", "hand", "lstm") and kind != name:
        return globals()[kind]
    raise AttributeError(name)
