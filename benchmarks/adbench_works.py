"""The four objectives of ADBench, on data made by its recipe, and what gradtape must reach.

The objectives are those of F. Srajer, Z. Kukelova, A. Fitzgibbon, "A benchmark of selected algorithmic differentiation
tools on some problems in computer vision and machine learning" (2018): the log posterior of a Gaussian mixture (GMM), bundle
adjustment (BA), a hand tracked by a skinned mesh (HAND), and a small character LSTM. All numbers are float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from works import Inputs, Work, random

BEST = "the best other"
MEAN = 0.6  # of the best other: the geometric mean of all works
GAUSSIANS = 25
CAMERA = 11  # rotation (3), centre (3), focal length, principal point (2), radial distortion (2)
BONES, THETA = 22, 26
STATE = 14  # characters, and so numbers in a state of the LSTM


def gmm(d: int, n: int = 1000, k: int = GAUSSIANS) -> Callable[[float], Inputs]:
    """Points, and a mixture of Gaussians by logarithms of weights, means, and factors of inverse covariances."""

    def inputs(scale: float) -> Inputs:
        rng, count = random(), max(4, round(n * scale))
        return {
            "alphas": rng.standard_normal(k),
            "means": rng.uniform(size=(k, d)),
            "factors": rng.standard_normal((k, d * (d + 1) // 2)) / np.sqrt(d),
            "x": rng.standard_normal((count, d)),
        }

    return inputs


def bundle(cameras: int, points: int, observations: int) -> Callable[[float], Inputs]:
    """Cameras, points and weights, and which camera sees which point where."""

    def inputs(scale: float) -> Inputs:
        rng, count = random(), max(4, round(observations * scale))
        one = np.array([0.1, 0.1, 0.1, 0.1, 0.1, -5.0, 500.0, 1.0, -1.0, 1e-2, 1e-4])
        return {
            "cameras": one + 0.01 * rng.standard_normal((cameras, CAMERA)),
            "points": rng.standard_normal((points, 3)),
            "weights": rng.uniform(0.5, 1.0, count),
            "of_camera": rng.integers(0, cameras, count).astype(np.int32),
            "of_point": rng.integers(0, points, count).astype(np.int32),
            "features": rng.standard_normal((count, 2)),
        }

    return inputs


def hand(vertices: int, observations: int, complicated: bool) -> Callable[[float], Inputs]:
    """A skeleton of 22 bones, a mesh whose vertices follow several of them, and points to be met.

    With `complicated`, a point is met by a place in a triangle, whose two coordinates are unknown, too.
    """

    def inputs(scale: float) -> Inputs:
        rng, count = random(), max(4, round(observations * scale))
        # Each finger is a chain of four bones from the wrist, bone 0; the last bone, 21, is the wrist's second.
        parents = [-1, *[0 if k % 4 == 0 else k for k in range(20)], 0]
        relatives = np.tile(np.eye(4), (BONES, 1, 1))
        relatives[1:, :3, 3] = 0.3 * rng.standard_normal((BONES - 1, 3))
        absolutes = [relatives[0]]
        for k in range(1, BONES):
            absolutes.append(absolutes[parents[k]] @ relatives[k])
        weights = rng.uniform(size=(vertices, BONES)) * (rng.uniform(size=(vertices, BONES)) < 0.15)
        weights[:, 0] += 0.1
        found = {
            "theta": 0.1 * rng.standard_normal(THETA),
            "parents": np.array(parents, np.int32),
            "relatives": relatives,
            "inverse": np.linalg.inv(np.stack(absolutes)),
            "mesh": np.concatenate([rng.standard_normal((vertices, 3)), np.ones((vertices, 1))], axis=1),
            "skin": weights / weights.sum(axis=1, keepdims=True),
            "points": rng.standard_normal((count, 3)),
            "vertex": rng.integers(0, vertices, count).astype(np.int32),
        }
        if complicated:
            found["vertex"] = rng.integers(0, vertices, (count, 3)).astype(np.int32)
            found["place"] = rng.uniform(0.1, 0.4, (count, 2))
        return found

    return inputs


def lstm(layers: int, length: int = 1024) -> Callable[[float], Inputs]:
    """A text as rows of zeros and one, and the parameters and first states of the layers."""

    def inputs(scale: float) -> Inputs:
        rng, count = random(), max(4, round(length * scale))
        return {
            "weights": rng.uniform(-1, 1, (layers, 4, STATE)),
            "biases": rng.uniform(-1, 1, (layers, 4, STATE)),
            "ends": rng.uniform(-1, 1, (3, STATE)),
            "hidden": rng.uniform(-1, 1, (layers, STATE)),
            "cell": rng.uniform(-1, 1, (layers, STATE)),
            "text": np.eye(STATE)[rng.integers(0, STATE, count)],
        }

    return inputs


def _work(name: str, title: str, inputs: Any) -> Work:
    return Work(name, title, inputs, {BEST: 1.0})


WORKS = (
    *[_work(f"gmm_{d}", f"GMM, 1,000 points of {d} numbers, {GAUSSIANS} Gaussians", gmm(d)) for d in (10, 20, 64)],
    *[
        _work(f"ba_{n}", f"BA, {n:,} observations", bundle(cameras, points, n))
        for cameras, points, n in ((49, 7776, 31_843), (257, 65_132, 225_911), (810, 88_814, 393_775))
    ],
    _work("hand_simple_small", "HAND, 544 vertices, 100 points", hand(544, 100, False)),
    _work("hand_simple_big", "HAND, 10,000 vertices, 10,000 points", hand(10_000, 10_000, False)),
    _work("hand_complicated_small", "HAND with places, 544 vertices, 100 points", hand(544, 100, True)),
    _work("hand_complicated_big", "HAND with places, 10,000 vertices, 10,000 points", hand(10_000, 10_000, True)),
    *[_work(f"lstm_{n}", f"LSTM of {n} layers, 1,024 characters", lstm(n)) for n in (2, 4)],
)
