"""NumPy's functions that move elements: axes in another order, reversed, repeated, joined and split parts. On tensors."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor


def axes_of(axis: Any, rank: int, who: str) -> list[int]:
    """One axis or several, counted from the front; all of them for None."""
    if axis is None:
        return list(range(rank))
    return [normalize_axis(a, rank, who) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """The tensor with two axes exchanged."""
    order = list(range(x.ndim))
    i, j = axes_of((axis1, axis2), x.ndim, "swapaxes")
    order[i], order[j] = j, i
    return tf.transpose(x, order)


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """The tensor with axes moved to other places."""
    # NumPy knows the rules for several axes: let it move the axes of a shape that names them.
    named = np.moveaxis(np.empty(tuple(range(1, x.ndim + 1)), bool), source, destination).shape
    return tf.transpose(x, [n - 1 for n in named])


def expand_dims(x: Any, axis: Any) -> Tensor:
    """The tensor with new axes of length 1."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    for a in sorted(axes_of(axes, x.ndim + len(axes), "expand_dims")):
        x = tf.expand_dims(x, a)
    result: Tensor = x
    return result


def flip(x: Any, axis: Any = None) -> Tensor:
    """The elements in reverse order along axes, by default all."""
    axes = axes_of(axis, x.ndim, "flip")
    return tf.reverse(x, axes) if axes else x


def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """The tensor turned by k right angles in the plane of two axes."""
    i, j = axes_of(axes, x.ndim, "rot90")
    turns = k % 4
    if turns == 2:
        return flip(x, (i, j))
    if turns == 1:
        return swapaxes(flip(x, j), i, j)
    return flip(swapaxes(x, i, j), j) if turns else x


def roll(x: Any, shift: Any, axis: Any = None) -> Tensor:
    """The elements moved along axes, those that fall off coming in again; without an axis, as a vector."""
    if axis is None:
        shape = x.shape if x.get_shape().is_fully_defined() else tf.shape(x)
        return tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), shape)
    return tf.roll(x, shift, axis)


def tile(x: Any, repeats: Sequence[Any]) -> Tensor:
    """The tensor repeated along its last axes, or along new ones in front."""
    missing = len(repeats) - x.ndim
    wide = functools.reduce(lambda y, _: tf.expand_dims(y, 0), range(missing), x)
    return tf.tile(wide, [1] * -missing + list(repeats))


def at_least(rank: int, x: Any) -> Tensor:
    """A scalar as a vector, a vector as a row, a matrix with a third axis: as far as the rank is missing."""
    if rank > 0 and not x.ndim:
        x = tf.reshape(x, [1])
    if rank > 1 and x.ndim < 2:
        x = tf.expand_dims(x, 0)
    return tf.expand_dims(x, -1) if rank > 2 and x.ndim < 3 else x


def concatenate(xs: Sequence[Any], axis: Any = 0) -> Tensor:
    """Tensors of one dtype one after the other; as vectors if the axis is None."""
    return tf.concat([tf.reshape(x, [-1]) for x in xs], 0) if axis is None else tf.concat(list(xs), axis)


def hstack(xs: Sequence[Any]) -> Tensor:
    """Tensors of one dtype beside one another: vectors one after the other."""
    values = [at_least(1, x) for x in xs]
    return tf.concat(values, 0 if values[0].ndim == 1 else 1)


def vstack(xs: Sequence[Any]) -> Tensor:
    """Tensors of one dtype below one another: vectors are rows."""
    return tf.concat([at_least(2, x) for x in xs], 0)


def dstack(xs: Sequence[Any]) -> Tensor:
    """Tensors of one dtype along the third axis."""
    return tf.concat([at_least(3, x) for x in xs], 2)


def cut(x: Any, places: Sequence[int], axis: int) -> list[Tensor]:
    """The parts of a tensor before, between and behind places along an axis."""
    before = (slice(None),) * normalize_axis(axis, x.ndim, "split")
    return [x[(*before, slice(i, j))] for i, j in itertools.pairwise([0, *places, x.shape[axis]])]
