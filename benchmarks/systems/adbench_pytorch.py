"""The works of adbench.py in PyTorch, eager, with torch.func where it says the same; in float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

import works
from adbench_works import STATE, THETA
from systems import adbench_numpy as layout
from systems.adbench_tape import log_wishart
from systems.pytorch import to_numpy, use_threads  # noqa: F401 - the worker calls them

Run = Callable[[], list[Any]]


def _tensors(inputs: works.Inputs, *names: str) -> list[Any]:
    return [torch.tensor(inputs[name]) for name in names]


def _with_gradients(loss_of: Any, parameters: list[Any], others: list[Any]) -> Run:
    leaves = [p.requires_grad_() for p in parameters]

    def run() -> list[Any]:
        loss = loss_of(*leaves, *others)
        return [loss, *torch.autograd.grad(loss, leaves)]

    return run


def gmm(inputs: works.Inputs) -> Run:
    """The log posterior of a mixture, and its gradient."""
    n, d = inputs["x"].shape
    k, places = len(inputs["alphas"]), torch.tensor(layout.triangle(d), dtype=torch.int64)

    def objective(alphas: Any, means: Any, factors: Any, x: Any) -> Any:
        logs = factors[:, :d]
        below = torch.nn.functional.pad(factors, (0, 1))[:, places]
        q = below + torch.diag_embed(torch.exp(logs))
        deviations = (x[None] - means[:, None]) @ q.transpose(1, 2)
        exponents = alphas + logs.sum(1) - 0.5 * (deviations**2).sum(2).T
        inside = torch.logsumexp(exponents, 1).sum() - n * torch.logsumexp(alphas, 0)
        wishart = 0.5 * (torch.exp(2 * logs).sum() + (factors[:, d:] ** 2).sum())
        return inside + wishart - k * log_wishart(d) - 0.5 * n * d * math.log(2 * math.pi)

    return _with_gradients(objective, _tensors(inputs, "alphas", "means", "factors"), _tensors(inputs, "x"))


def ba(inputs: works.Inputs) -> Run:
    """The errors of reprojection, and for each observation their 2x15 derivatives; those of the weights."""

    def errors(p: Any, features: Any) -> Any:
        rotation, centre, f, principal, radial, x, w = torch.split(p, [3, 3, 1, 2, 2, 3, 1], dim=1)
        angle = torch.sqrt(torch.sum(rotation**2, 1, keepdim=True))
        axis, moved = rotation / angle, x - centre
        turned = (
            moved * torch.cos(angle)
            + torch.linalg.cross(axis, moved) * torch.sin(angle)
            + axis * torch.sum(axis * moved, 1, keepdim=True) * (1 - torch.cos(angle))
        )
        flat = turned[:, :2] / turned[:, 2:]
        r = torch.sum(flat**2, 1, keepdim=True)
        return w * (flat * (1 + radial[:, :1] * r + radial[:, 1:] * r**2) * f + principal - features)

    cameras, points, weights, features = _tensors(inputs, "cameras", "points", "weights", "features")
    of_camera, of_point = (t.long() for t in _tensors(inputs, "of_camera", "of_point"))

    def run() -> list[Any]:
        p = torch.cat([cameras[of_camera], points[of_point], weights[:, None]], 1).requires_grad_()
        y = errors(p, features)
        # Observations do not depend on each other: the sum of a column has all of its derivatives.
        rows = [torch.autograd.grad(y[:, k].sum(), p, retain_graph=k == 0)[0] for k in range(2)]
        return [y, 1 - weights**2, torch.stack(rows, 1), -2 * weights]

    return run


def hand(inputs: works.Inputs) -> Run:
    """The distances of points from a skinned mesh, and their derivatives by forward mode."""
    numbers, levels = torch.tensor(layout.angles(), dtype=torch.int64), layout.parents(inputs["parents"])
    relatives, inverse, mesh, skin, points = _tensors(inputs, "relatives", "inverse", "mesh", "skin", "points")
    parents, vertex = inputs["parents"], torch.tensor(inputs["vertex"], dtype=torch.int64)
    theta, last = torch.tensor(inputs["theta"]), torch.tensor([[[0.0, 0, 0, 1]]], dtype=torch.float64)
    place = torch.tensor(inputs["place"]) if "place" in inputs else None
    skinned = (skin[:, :, None] * mesh[:, None]).reshape(len(mesh), -1)

    def turned(angle: Any) -> Any:
        sx, sy, sz = torch.sin(angle).unbind(-1)
        cx, cy, cz = torch.cos(angle).unbind(-1)
        rows = [
            [cy * cz, -cx * sz + sx * sy * cz, sx * sz + cx * sy * cz],
            [cy * sz, cx * cz + sx * sy * sz, -sx * cz + cx * sy * sz],
            [-sy, sx * cy, cx * cy],
        ]
        return torch.stack([torch.stack(row, -1) for row in rows], -2)

    def residuals(theta: Any, place: Any) -> Any:
        local = turned(torch.nn.functional.pad(theta, (0, 1))[numbers])
        steps = torch.cat([relatives[:, :3, :3] @ local, relatives[:, :3, 3:]], 2)
        steps = torch.cat([steps, last.expand(len(numbers), 1, 4)], 1)
        done = {0: steps[0]}
        for level in levels[1:]:
            above = torch.stack([done[int(parents[b])] for b in level])
            for bone, matrix in zip(level, above @ steps[level], strict=True):
                done[bone] = matrix
        bones = (torch.stack([done[b] for b in range(len(numbers))]) @ inverse)[:, :3]
        vertices = skinned @ bones.transpose(1, 2).reshape(-1, 3)
        met = (vertices @ turned(theta[:3]).T + theta[3:6])[vertex]
        if place is not None:
            u, v = place[:, :1], place[:, 1:]
            met = u * met[:, 0] + v * met[:, 1] + (1 - u - v) * met[:, 2]
        return points - met

    def run() -> list[Any]:
        def along(direction: Any) -> Any:
            return torch.func.jvp(lambda t: residuals(t, place), (theta,), (direction,))[1]

        found = [residuals(theta, place), torch.func.vmap(along)(torch.eye(THETA, dtype=theta.dtype))]
        if place is not None:
            # Each point has its own two coordinates: two directions give all of their derivatives.
            directions = [torch.zeros_like(place).index_fill(1, torch.tensor(k), 1.0) for k in range(2)]
            columns = [torch.func.jvp(lambda p: residuals(theta, p), (place,), (d,))[1] for d in directions]
            found.append(torch.stack(columns, -1))
        return found

    return run


def lstm(inputs: works.Inputs) -> Run:
    """The loss of the next character, by a Python loop over the text, and its gradient."""
    layers, count = len(inputs["weights"]), len(inputs["text"]) - 1

    def loss_of(weights: Any, biases: Any, ends: Any, hidden: Any, cell: Any, text: Any) -> Any:
        total: Any = 0.0
        hiddens, cells = list(hidden), list(cell)
        for t in range(count):
            x = text[t] * ends[0]
            for k in range(layers):
                w, b = weights[k], biases[k]
                forget, let_in, let_out = torch.sigmoid(torch.stack([x, hiddens[k], x]) * w[:3] + b[:3]).unbind()
                cells[k] = cells[k] * forget + let_in * torch.tanh(hiddens[k] * w[3] + b[3])
                x = hiddens[k] = let_out * torch.tanh(cells[k])
            y = x * ends[1] + ends[2]
            total = total + torch.sum((y - torch.log(torch.sum(torch.exp(y)) + 2)) * text[t + 1])
        return -total / (count * STATE)

    return _with_gradients(
        loss_of, _tensors(inputs, "weights", "biases", "ends"), _tensors(inputs, "hidden", "cell", "text")
    )


def __getattr__(name: str) -> Any:
    kind = name.split("_")[0]
    if kind in ("gmm", "ba", "hand", "lstm") and kind != name:
        return globals()[kind]
    raise AttributeError(name)
