"""Interpolation weights for resizing: one row for each new place, computed once and cached.

Pixels are squares of side 1 with their value in the middle, so place `i` of `m` lies at `(i + 0.5) * n / m` on an axis of
length `n`. Kernels with a window are laid around that point; an antialiasing one is as wide as the new pixels where
these are larger than the old. The weights of a row add up to 1.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Sampling(NamedTuple):
    """Which weights: a hashable parameter of the op.

    Attributes:
      method: "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic".
      source: how many places there are on the old grid.
      target: how many on the new one.
      antialias: whether the kernel widens when the new grid is coarser.
    """

    method: str
    source: int
    target: int
    antialias: bool = False


class Taps(NamedTuple):
    """Where each new place looks, `[target, count]`, and with which weights. Places outside the grid have weight 0."""

    places: Any
    weights: Any


def _triangle(x: Any) -> Any:
    return np.maximum(1.0 - np.abs(x), 0.0)


def _keys_cubic(x: Any) -> Any:
    """The cubic convolution kernel of Keys (1981) with a = -1/2."""
    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))


def _mitchell_cubic(x: Any) -> Any:
    """The kernel of Mitchell and Netravali (1988) with B = C = 1/3."""
    x = np.abs(x)
    near = (7.0 * x - 12.0) * x * x / 6.0 + 8.0 / 9.0
    far = ((-7.0 / 18.0 * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))


def _gaussian(x: Any) -> Any:
    """A bell with a standard deviation of half a pixel, cut off at three of them."""
    return np.where(np.abs(x) < 1.5, np.exp(-2.0 * x * x), 0.0)


def _lanczos(radius: int) -> Callable[[Any], Any]:
    return lambda x: np.where(np.abs(x) < radius, np.sinc(x) * np.sinc(x / radius), 0.0)


_KERNELS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "bilinear": (_triangle, 1.0),
    "bicubic": (_keys_cubic, 2.0),
    "lanczos3": (_lanczos(3), 3.0),
    "lanczos5": (_lanczos(5), 5.0),
    "gaussian": (_gaussian, 1.5),
    "mitchellcubic": (_mitchell_cubic, 2.0),
}
METHODS = (*_KERNELS, "area")


@functools.lru_cache(maxsize=256)
def taps(sampling: Sampling) -> Taps:
    """The weights of a sampling, in float64."""
    if sampling.method == "area":
        return _overlaps(sampling)
    kernel, radius = _KERNELS[sampling.method]
    n, m = sampling.source, sampling.target
    width = max(n / m, 1.0) if sampling.antialias else 1.0
    centre = (np.arange(m) + 0.5) * n / m - 0.5
    first = np.floor(centre - radius * width) + 1.0
    places = (first[:, None] + np.arange(math.ceil(2 * radius * width))).astype(np.int64)
    if sampling.method == "bicubic" and not sampling.antialias:
        # TensorFlow reads this kernel from a table, for distances that are multiples of 1/1024.
        centre = np.floor(centre) + np.rint((centre - np.floor(centre)) * 1024) / 1024
    weights = kernel((places - centre[:, None]) / width)
    if sampling.method == "bilinear" and not sampling.antialias:
        # The outermost pixels go on beyond the edge; other kernels leave out what is not there.
        places = np.clip(places, 0, n - 1)
    return _finished(places, weights, n)


def _overlaps(sampling: Sampling) -> Taps:
    """How much of each old pixel lies in a new one."""
    n, m = sampling.source, sampling.target
    start, size = np.arange(m) * n / m, n / m
    places = (np.floor(start)[:, None] + np.arange(math.ceil(size) + 1)).astype(np.int64)
    left = np.maximum(places, start[:, None])
    right = np.minimum(places + 1, start[:, None] + size)
    # A sliver that rounding made is none.
    weights = np.where(right - left > 1e-9 * n, right - left, 0.0)
    return _finished(places, weights, n)


def _finished(places: Any, weights: Any, n: int) -> Taps:
    weights = np.where((places >= 0) & (places < n), weights, 0.0)
    return Taps(np.clip(places, 0, n - 1), weights / np.sum(weights, axis=1, keepdims=True))


class Band(NamedTuple):
    """Some new places, from `start` to `stop`, which see the old places from `first` to `last`, and their weights."""

    start: int
    stop: int
    first: int
    last: int
    weights: Any


_BAND = 8  # new places in a band: a product of small matrices with few zeros in them


@functools.lru_cache(maxsize=256)
def bands(sampling: Sampling, transposed: bool, dtype: str, runs: int) -> tuple[Band, ...]:
    """The matrix of weights, or its transpose, in bands.

    Args:
      sampling: which weights.
      transposed: whether the map goes from the new grid to the old.
      dtype: of the weights.
      runs: if 0, a band's weights are `[new, old]`, to be multiplied from the left. Else places are runs of that many
        elements of a row, and the weights `[old * runs, new * runs]` are to be multiplied from the right.
    """
    dense = _matrix(sampling, transposed).astype(dtype)
    found = []
    for start in range(0, len(dense), _BAND):
        rows = dense[start : start + _BAND]
        seen = np.flatnonzero(rows.any(axis=0))
        first, last = (int(seen[0]), int(seen[-1]) + 1) if seen.size else (0, 1)
        weights = np.ascontiguousarray(rows[:, first:last])
        if runs:
            weights = np.kron(weights.T, np.eye(runs, dtype=dtype))
        found.append(Band(start, start + len(rows), first, last, weights))
    return tuple(found)


def _matrix(sampling: Sampling, transposed: bool) -> Any:
    """The weights as a matrix, `[target, source]` or transposed."""
    dense = np.zeros((sampling.target, sampling.source))
    places, weights = taps(sampling)
    np.add.at(dense, (np.arange(sampling.target)[:, None], places), weights)
    return dense.T if transposed else dense


def table(sampling: Sampling, transposed: bool) -> list[list[float]]:
    """The matrix as rows of numbers, for arrays of other libraries."""
    result: list[list[float]] = _matrix(sampling, transposed).tolist()
    return result


def entries(sampling: Sampling, transposed: bool) -> tuple[Any, Any, Any]:
    """The entries of the matrix that are not zero: rows, columns, weights."""
    dense = _matrix(sampling, transposed)
    rows, columns = np.nonzero(dense)
    return rows, columns, dense[rows, columns]


def nearest(n: int, m: int) -> Any:
    """The old place that contains the middle of each new pixel. In float32, so that middles on a border, which belong to
    either side, go where TensorFlow puts them."""
    scale = np.float32(n) / np.float32(m)
    return np.minimum(np.floor((np.arange(m, dtype=np.float32) + np.float32(0.5)) * scale).astype(np.int64), n - 1)
