"""NumPy's diagonals, triangles and products, on tensors of one dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
from gradtape.core.tensor import Tensor
from gradtape.numpy_functions import elementwise
from gradtape.numpy_functions.movement import moveaxis
from gradtape.ops.family import dims

_product = elementwise.ROWS["multiply"].function  # of bools, too


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonals of the matrices that two axes are; they become the last axis."""
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    *lead, rows, columns = dims(x)
    i, j = max(-offset, 0), max(offset, 0)
    places = np.arange(max(min(rows - i, columns - j), 0))
    flat = tf.reshape(x, [*lead, rows * columns])
    return tf.gather(flat, ((places + i) * columns + places + j).astype("int32"), axis=-1)


def triangle(x: Any, k: int, lower: bool) -> Tensor:
    """Matrices with zeros above (lower) or below a diagonal."""
    rows, columns = tuple(x.shape)[-2:]
    if rows is None or columns is None:
        rows, columns = dims(x)[-2:]  # says that they are unknown yet
    inside = np.tri(rows, columns, k if lower else k - 1, dtype=bool)
    return tf.where(inside if lower else ~inside, x, tf.zeros_like(x))


def dot(a: Tensor, b: Tensor) -> Tensor:
    """The sum of products over the last axis of a and the last but one of b."""
    return _contract(a, b, a.ndim - 1, max(b.ndim - 2, 0))


def inner(a: Tensor, b: Tensor) -> Tensor:
    """The sum of products over the last axes."""
    return _contract(a, b, a.ndim - 1, b.ndim - 1)


def _contract(a: Tensor, b: Tensor, i: int, j: int) -> Tensor:
    """Products, summed over axis i of a and axis j of b; scalars multiply all elements."""
    result: Tensor = _product(a, b) if not a.ndim or not b.ndim else tf.tensordot(a, b, [[i], [j]])
    return result


def outer(a: Any, b: Any) -> Tensor:
    """All products of an element of a and one of b."""
    result: Tensor = _product(tf.reshape(a, [-1, 1]), tf.reshape(b, [1, -1]))
    return result


def vdot(a: Any, b: Any) -> Tensor:
    """The sum of the products of all elements; those of a are conjugated."""
    return tf.tensordot(elementwise.conj(tf.reshape(a, [-1])), tf.reshape(b, [-1]), 1)


def matmul(a: Any, b: Any) -> Tensor:
    """The matrix product; leading axes broadcast, vectors are rows or columns."""
    if a.ndim == b.ndim == 1:
        return tf.tensordot(a, b, 1)
    if a.ndim == 1:
        return tf.squeeze(tf.matmul(tf.expand_dims(a, 0), b), [-2])
    if b.ndim == 1:
        return tf.squeeze(tf.matmul(a, tf.expand_dims(b, -1)), [-1])
    if b.ndim == 2 and a.ndim > 2 and None not in tuple(a.shape):
        # One product of large matrices in place of many small ones.
        *lead, last = tuple(a.shape)
        return tf.reshape(tf.matmul(tf.reshape(a, (int(np.prod(lead)), last)), b), (*lead, b.shape[-1]))
    return tf.matmul(a, b)


def kron(a: Any, b: Any) -> Tensor:
    """Blocks of b, multiplied by the elements of a."""
    rank = max(a.ndim, b.ndim)
    m, n = [[1] * (rank - x.ndim) + list(dims(x)) for x in (a, b)]
    wide, tall = tf.reshape(a, [k for d in m for k in (d, 1)]), tf.reshape(b, [k for d in n for k in (1, d)])
    return tf.reshape(_product(wide, tall), [p * q for p, q in zip(m, n, strict=True)])


def cross(a: Any, b: Any, axisa: int, axisb: int, axisc: int) -> Tensor:
    """The cross product of vectors of two or three elements."""
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    u, v = [[x[..., i] for i in range(x.shape[-1])] for x in (a, b)]
    last: Tensor = u[0] * v[1] - u[1] * v[0]
    if len(u) == len(v) == 2:
        return last
    u2, v2 = [x[2] if len(x) == 3 else tf.zeros_like(x[0]) for x in (u, v)]
    return moveaxis(tf.stack([u[1] * v2 - u2 * v[1], u2 * v[0] - u[0] * v2, last], axis=-1), -1, axisc)
