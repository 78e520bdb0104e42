"""Picking elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.common.backend_utils import canonicalize_axis, vectorize_impl

import gradtape as tf
from gradtape.keras_backend.convert import cast, cast_tensor, convert_to_tensor
from gradtape.keras_backend.ops.control_flow import vectorized_map
from gradtape.numpy_functions import selection


def take(x: Any, indices: Any, axis: Any = None) -> Any:
    """Elements, or slices along an axis; negative indices count from the end."""
    x = convert_to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, (-1,)), 0
    axis = canonicalize_axis(axis, x.ndim)
    return tf.gather(x, _from_front(indices, x.shape[axis]), axis=axis)


def _from_front(indices: Any, size: Any) -> Any:
    """Indices as int32, those that count from the end counted from the front."""
    if not isinstance(indices, tf.Tensor) and not hasattr(indices, "value"):
        known = np.asarray(indices)
        known = known.astype("int32") if known.dtype.kind != "i" or known.dtype.itemsize > 4 else known
        return np.where(known < 0, known + size, known).astype("int32")
    indices = convert_to_tensor(indices)
    if indices.dtype.kind == "u":
        return cast_tensor(indices, "int32")
    indices = indices if indices.dtype.name in ("int32", "int64") else cast_tensor(indices, "int32")
    return selection.from_front(indices, size)


def take_along_axis(x: Any, indices: Any, axis: Any = None) -> Any:
    """Elements at indices that run along an axis."""
    x, indices = convert_to_tensor(x), cast(indices, "int32")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(f"`indices` must be 1D if axis=None. Got indices.shape={tuple(indices.shape)}")
        x, axis = tf.reshape(x, (-1,)), 0
    return selection.take_along_axis(x, indices, canonicalize_axis(axis, x.ndim))


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: Any = None) -> Any:
    """A function that is applied to each element of its arguments."""
    return vectorize_impl(pyfunc, _vmap, excluded=excluded, signature=signature)


def _vmap(fn: Any, in_axes: Any) -> Any:
    """The function over the first axes of the arguments whose entry is 0."""

    def mapped(*args: Any) -> Any:
        over = [i for i, axis in enumerate(in_axes) if axis is not None]

        def one(items: Any) -> Any:
            full = list(args)
            for i, item in zip(over, items, strict=True):
                full[i] = item
            return fn(*full)

        return vectorized_map(one, tuple([convert_to_tensor(args[i]) for i in over]))

    return mapped


def slogdet(x: Any) -> Any:
    """The sign and the logarithm of the determinant."""
    return tuple(tf.linalg.slogdet(convert_to_tensor(x)))
