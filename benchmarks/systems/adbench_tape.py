"""The works of adbench.py as programs for `tf.function` and `tf.GradientTape`: one text for gradtape and TensorFlow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import works
from adbench_works import STATE, THETA, WORKS
from systems import adbench_numpy as layout

Run = Callable[[], list[Any]]


class TapePrograms:
    """The works, for a module with TensorFlow's names and its way to compile a function; each is an attribute under its name."""

    def __init__(self, tf: Any, function: Callable[..., Any]) -> None:
        self.tf, self.function = tf, function
        for work in WORKS:
            setattr(self, work.name, getattr(self, work.name.split("_")[0]))

    @staticmethod
    def to_numpy(value: Any) -> Any:
        """The array of a tensor."""
        return value.numpy()

    def gmm(self, inputs: works.Inputs) -> Run:
        """The log posterior of a mixture, and its gradient."""
        tf = self.tf
        n, d = inputs["x"].shape
        k = len(inputs["alphas"])
        places = layout.triangle(d)

        def objective(alphas: Any, means: Any, factors: Any, x: Any) -> Any:
            logs = factors[:, :d]
            below = tf.gather(tf.pad(factors, [[0, 0], [0, 1]]), places, axis=1)
            q = tf.linalg.set_diag(below, tf.exp(logs))
            deviations = tf.matmul(x[None] - means[:, None], q, transpose_b=True)
            exponents = alphas + tf.reduce_sum(logs, 1) - 0.5 * tf.transpose(tf.reduce_sum(deviations**2, 2))
            inside = tf.reduce_sum(tf.reduce_logsumexp(exponents, 1)) - n * tf.reduce_logsumexp(alphas)
            wishart = 0.5 * (tf.reduce_sum(tf.exp(2 * logs)) + tf.reduce_sum(factors[:, d:] ** 2))
            return inside + wishart - k * log_wishart(d) - 0.5 * n * d * math.log(2 * math.pi)

        @self.function
        def gradient(alphas: Any, means: Any, factors: Any, x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([alphas, means, factors])
                y = objective(alphas, means, factors, x)
            return [y, *tape.gradient(y, [alphas, means, factors])]

        data = [tf.constant(inputs[name]) for name in ("alphas", "means", "factors", "x")]
        return lambda: gradient(*data)

    def ba(self, inputs: works.Inputs) -> Run:
        """The errors of reprojection, and for each observation their 2x15 derivatives; those of the weights."""
        tf = self.tf

        def errors(p: Any, features: Any) -> Any:
            rotation, centre, f, principal, radial, x, w = tf.split(p, [3, 3, 1, 2, 2, 3, 1], axis=1)
            squared = tf.reduce_sum(rotation**2, 1, keepdims=True)
            angle = tf.sqrt(squared)
            axis, moved = rotation / angle, x - centre
            turned = (
                moved * tf.cos(angle)
                + tf.linalg.cross(axis, moved) * tf.sin(angle)
                + axis * tf.reduce_sum(axis * moved, 1, keepdims=True) * (1 - tf.cos(angle))
            )
            flat = turned[:, :2] / turned[:, 2:]
            r = tf.reduce_sum(flat**2, 1, keepdims=True)
            bent = flat * (1 + radial[:, :1] * r + radial[:, 1:] * r**2)
            return w * (bent * f + principal - features)

        @self.function
        def jacobians(cameras: Any, points: Any, weights: Any, of_camera: Any, of_point: Any, features: Any) -> Any:
            p = tf.concat([tf.gather(cameras, of_camera), tf.gather(points, of_point), weights[:, None]], 1)
            with tf.GradientTape() as tape:
                tape.watch(p)
                y = errors(p, features)
            return [y, 1 - weights**2, tape.batch_jacobian(y, p), -2 * weights]

        names = ("cameras", "points", "weights", "of_camera", "of_point", "features")
        data = [tf.constant(inputs[name]) for name in names]
        return lambda: jacobians(*data)

    def hand(self, inputs: works.Inputs) -> Run:
        """The distances of points from a skinned mesh, and their derivatives by forward mode, one direction for each angle."""
        tf = self.tf
        numbers, levels = layout.angles(), layout.parents(inputs["parents"])
        place = inputs.get("place")

        def turned(angle: Any) -> Any:
            """Matrices 3x3 from Euler angles of x, y and z in the last axis."""
            sx, sy, sz = tf.unstack(tf.sin(angle), axis=-1)
            cx, cy, cz = tf.unstack(tf.cos(angle), axis=-1)
            rows = [
                [cy * cz, -cx * sz + sx * sy * cz, sx * sz + cx * sy * cz],
                [cy * sz, cx * cz + sx * sy * sz, -sx * cz + cx * sy * sz],
                [-sy, sx * cy, cx * cy],
            ]
            return tf.stack([tf.stack(row, -1) for row in rows], -2)

        def placed(theta: Any, data: Any) -> Any:
            """The points, and the vertices of the mesh after all bones have turned."""
            relatives, inverse, mesh, skin, points = data
            local = turned(tf.gather(tf.pad(theta, [[0, 1]]), numbers))
            steps = tf.concat([tf.matmul(relatives[:, :3, :3], local), relatives[:, :3, 3:]], 2)
            steps = tf.concat(
                [steps, tf.broadcast_to(tf.constant([[0, 0, 0, 1]], steps.dtype), [len(numbers), 1, 4])], 1
            )
            done = {0: steps[0]}
            for level in levels[1:]:
                above = tf.stack([done[int(inputs["parents"][b])] for b in level])
                for bone, matrix in zip(level, tf.unstack(tf.matmul(above, tf.gather(steps, level)))):  # noqa: B905
                    done[bone] = matrix
            bones = tf.matmul(tf.stack([done[b] for b in range(len(numbers))]), inverse)[:, :3]
            skinned = tf.reshape(skin[:, :, None] * mesh[:, None], [len(inputs["mesh"]), -1])
            vertices = tf.matmul(skinned, tf.reshape(tf.transpose(bones, [0, 2, 1]), [-1, 3]))
            vertices = tf.matmul(vertices, turned(theta[:3]), transpose_b=True) + theta[3:6]
            return points, vertices

        def residuals(theta: Any, place: Any, data: Any) -> Any:
            points, vertices = placed(theta, data)
            met = tf.gather(vertices, inputs["vertex"])
            if place is not None:
                u, v = place[:, :1], place[:, 1:]
                met = u * met[:, 0] + v * met[:, 1] + (1 - u - v) * met[:, 2]
            return points - met

        @self.function
        def jacobian(theta: Any, place: Any, *data: Any) -> Any:
            def along(direction: Any) -> Any:
                with tf.autodiff.ForwardAccumulator(theta, direction) as forward:
                    y = residuals(theta, place, data)
                return forward.jvp(y)

            found = [residuals(theta, place, data), tf.vectorized_map(along, tf.eye(THETA, dtype=theta.dtype))]
            if place is not None:
                with tf.GradientTape() as tape:
                    tape.watch(place)
                    y = residuals(theta, place, data)
                found.append(tape.batch_jacobian(y, place))
            return found

        data = [tf.constant(inputs[name]) for name in ("relatives", "inverse", "mesh", "skin", "points")]
        theta, place = tf.constant(inputs["theta"]), None if place is None else tf.constant(place)
        return lambda: jacobian(theta, place, *data)

    def lstm(self, inputs: works.Inputs) -> Run:
        """The loss of the next character, by a loop over the text, and its gradient."""
        tf = self.tf
        layers, count = len(inputs["weights"]), len(inputs["text"]) - 1

        def loss_of(weights: Any, biases: Any, ends: Any, hidden: Any, cell: Any, text: Any) -> Any:
            total = tf.zeros([], text.dtype)
            for t in tf.range(count):
                x = text[t] * ends[0]
                hiddens, cells = [], []
                for k in range(layers):
                    w, b = weights[k], biases[k]
                    gates = tf.sigmoid(tf.stack([x, hidden[k], x]) * w[:3] + b[:3])
                    c = cell[k] * gates[0] + gates[1] * tf.tanh(hidden[k] * w[3] + b[3])
                    x = gates[2] * tf.tanh(c)
                    hiddens.append(x)
                    cells.append(c)
                hidden, cell = tf.stack(hiddens), tf.stack(cells)
                y = x * ends[1] + ends[2]
                total += tf.reduce_sum((y - tf.math.log(tf.reduce_sum(tf.exp(y)) + 2)) * text[t + 1])
            return -total / (count * STATE)

        @self.function
        def gradient(weights: Any, biases: Any, ends: Any, *others: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([weights, biases, ends])
                loss = loss_of(weights, biases, ends, *others)
            return [loss, *tape.gradient(loss, [weights, biases, ends])]

        names = ("weights", "biases", "ends", "hidden", "cell", "text")
        data = [tf.constant(inputs[name]) for name in names]
        return lambda: gradient(*data)


def log_wishart(d: int, gamma: float = 1.0, m: int = 0) -> float:
    """The logarithm of the constant of the Wishart prior."""
    n = d + m + 1
    constant = n * d * (math.log(gamma) - 0.5 * math.log(2))
    gammas = 0.25 * d * (d - 1) * math.log(math.pi) + sum(math.lgamma(0.5 * n + 0.5 * (1 - j)) for j in range(1, d + 1))
    return float(np.float64(constant - gammas))
