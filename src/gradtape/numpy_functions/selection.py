"""NumPy's choices of elements, comparisons with a tolerance, and differences of neighbours, on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.numpy_functions import elementwise
from gradtape.ops.family import dims


def from_front(indices: Any, length: Any) -> Tensor:
    """Indices of an axis, those that count from the end counted from the front."""
    return tf.where(tf.less(indices, tf.zeros_like(indices)), indices + length, indices)


def take_along_axis(x: Any, indices: Any, axis: int) -> Tensor:
    """Elements along an axis, with separate indices for each row; the other axes broadcast."""
    axis = normalize_axis(axis, x.ndim, "take_along_axis")
    others = [k for k in range(x.ndim) if k != axis]
    order = [*others, axis]
    length = x.shape[axis] if x.shape[axis] is not None else tf.cast(tf.shape(x)[axis], indices.dtype)
    rows, places = tf.transpose(x, order), tf.transpose(from_front(indices, length), order)
    if all(t.get_shape().is_fully_defined() for t in (rows, places)):
        around = np.broadcast_shapes(*[dims(t)[:-1] for t in (rows, places)])
        rows, places = [tf.broadcast_to(t, [*around, t.shape[-1]]) for t in (rows, places)]
    else:
        common = tf.broadcast_dynamic_shape(*[tf.shape(t)[:-1] for t in (rows, places)])
        rows, places = [tf.broadcast_to(t, tf.concat([common, tf.shape(t)[-1:]], 0)) for t in (rows, places)]
    return tf.transpose(tf.gather(rows, places, axis=-1, batch_dims=x.ndim - 1), np.argsort(order).tolist())


def select(conditions: Sequence[Any], choices: Sequence[Any], default: Any) -> Tensor:
    """Elements of the first choice whose condition is true; conditions are bools, the rest has one dtype."""
    found: Tensor = default
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        found = tf.where(condition, choice, found)
    return found


def diff(x: Tensor, n: int, axis: int) -> Tensor:
    """The differences of neighbours along an axis, n times; of bools whether they differ."""
    before = (slice(None),) * normalize_axis(axis, x.ndim, "diff")
    for _ in range(n):
        left, right = x[(*before, slice(None, -1))], x[(*before, slice(1, None))]
        x = tf.not_equal(left, right) if x.dtype.is_bool else right - left
    return x


def isclose(a: Tensor, b: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """True where two numbers differ by no more than `atol + rtol · |b|`."""
    close: Tensor = tf.equal(a, b) | (
        tf.less_equal(tf.abs(a - b), atol + rtol * tf.abs(b)) & elementwise.isfinite(a) & elementwise.isfinite(b)
    )
    return close | (elementwise.isnan(a) & elementwise.isnan(b)) if equal_nan else close
