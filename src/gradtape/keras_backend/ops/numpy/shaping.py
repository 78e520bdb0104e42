"""Shapes and places: reshaping, joining, splitting, moving."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
from keras.src.backend.common.backend_utils import canonicalize_axis

import gradtape as tf
from gradtape.keras_backend.convert import POLICY, cast_tensor, convert_to_tensor, is_tensor, operands
from gradtape.numpy_functions import matrices, movement, selection


def reshape(x: Any, newshape: Any) -> Any:
    """x in another shape."""
    x = convert_to_tensor(x)
    newshape = (newshape,) if isinstance(newshape, (int, np.integer)) else newshape
    return tf.reshape(x, newshape)


def ravel(x: Any) -> Any:
    """x as a vector."""
    return tf.reshape(convert_to_tensor(x), (-1,))


def expand_dims(x: Any, axis: Any) -> Any:
    """x with further axes of length 1."""
    return movement.expand_dims(convert_to_tensor(x), axis)


def squeeze(x: Any, axis: Any = None) -> Any:
    """x without axes of length 1."""
    x = convert_to_tensor(x)
    shape = tuple(x.shape)
    if axis is None:
        axes = [i for i, d in enumerate(shape) if d == 1]
    else:
        axes = [canonicalize_axis(a, x.ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]
        for a in axes:
            if shape[a] not in (1, None):
                raise ValueError(f"Cannot squeeze axis={axis}, because the dimension is not 1. Received: shape={shape}")
    return tf.reshape(x, [d for i, d in enumerate(shape) if i not in axes]) if axes else x


def transpose(x: Any, axes: Any = None) -> Any:
    """x with its axes in another order, reversed by default."""
    return tf.transpose(convert_to_tensor(x), axes)


def swapaxes(x: Any, axis1: Any, axis2: Any) -> Any:
    """x with two axes exchanged."""
    return movement.swapaxes(convert_to_tensor(x), axis1, axis2)


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """x with axes at other places."""
    return movement.moveaxis(convert_to_tensor(x), source, destination)


def broadcast_to(x: Any, shape: Any) -> Any:
    """x repeated to fill a shape."""
    return tf.broadcast_to(convert_to_tensor(x), (shape,) if isinstance(shape, int) else shape)


def _joined(xs: Any) -> Any:
    return operands(*[convert_to_tensor(x) for x in xs])


def concatenate(xs: Any, axis: Any = 0) -> Any:
    """Tensors joined along an axis."""
    return movement.concatenate(_joined(xs), axis)


def append(x1: Any, x2: Any, axis: Any = None) -> Any:
    """x2 after x1; both flattened if the axis is None."""
    return concatenate([x1, x2], axis)


def stack(x: Any, axis: Any = 0) -> Any:
    """Tensors joined along a new axis."""
    return tf.stack(list(_joined(x)), axis)


def hstack(xs: Any) -> Any:
    """Tensors side by side: joined along the second axis, vectors along the first."""
    return movement.hstack(_joined(xs))


def vstack(xs: Any) -> Any:
    """Tensors below one another: joined along the first axis, vectors as rows."""
    return movement.vstack(_joined(xs))


def dstack(xs: Any) -> Any:
    """Tensors behind one another: joined along the third axis."""
    return movement.dstack(_joined(xs))


def split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """Parts of x along an axis: n equal parts, or the parts between indices."""
    x = convert_to_tensor(x)
    length = x.shape[axis]
    if isinstance(indices_or_sections, (int, np.integer)):
        if length is not None and length % indices_or_sections:
            raise ValueError(
                f"x size along the axis must be divisible by indices_or_sections. Received: "
                f"indices_or_sections={indices_or_sections} and x.shape[axis]={length}"
            )
        return list(tf.split(x, int(indices_or_sections), axis=axis))
    if is_tensor(indices_or_sections):
        indices_or_sections = indices_or_sections.numpy()
    return movement.cut(x, [int(i) for i in np.asarray(indices_or_sections).ravel()], axis)


def array_split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    """Parts of x along an axis; the first ones may be longer by one."""
    x = convert_to_tensor(x)
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    size, longer = divmod(x.shape[axis], indices_or_sections)
    sizes = [size + 1] * longer + [size] * (indices_or_sections - longer)
    return list(tf.split(x, sizes, axis=axis))


def hsplit(x: Any, indices_or_sections: Any) -> Any:
    """Parts side by side."""
    x = convert_to_tensor(x)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


def vsplit(x: Any, indices_or_sections: Any) -> Any:
    """Parts below one another."""
    return split(x, indices_or_sections, 0)


def dsplit(x: Any, indices_or_sections: Any) -> Any:
    """Parts behind one another."""
    return split(x, indices_or_sections, 2)


def flip(x: Any, axis: Any = None) -> Any:
    """x reversed along axes, all by default."""
    return movement.flip(convert_to_tensor(x), axis)


def fliplr(x: Any) -> Any:
    """x reversed along the second axis."""
    return flip(x, 1)


def flipud(x: Any) -> Any:
    """x reversed along the first axis."""
    return flip(x, 0)


def rot90(array: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """Quarter turns in the plane of two axes."""
    array = convert_to_tensor(array)
    if array.ndim < 2:
        raise ValueError(f"Input array must have at least 2 dimensions. Received: array.ndim={array.ndim}")
    if len(axes) != 2 or axes[0] % array.ndim == axes[1] % array.ndim:
        raise ValueError(f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions.")
    return movement.rot90(array, k, axes)


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """x with its elements moved on, those at the end to the beginning."""
    return movement.roll(convert_to_tensor(x), shift, axis)


def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element, or slice along an axis, so often."""
    x = convert_to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, (-1,)), 0
    axis = canonicalize_axis(axis, x.ndim)
    if isinstance(repeats, (int, np.integer)) and None not in tuple(x.shape):
        shape = tuple(x.shape)
        wide = tf.broadcast_to(tf.expand_dims(x, axis + 1), (*shape[: axis + 1], int(repeats), *shape[axis + 1 :]))
        return tf.reshape(wide, (*shape[:axis], shape[axis] * int(repeats), *shape[axis + 1 :]))
    repeats = convert_to_tensor(repeats, "int32")
    return tf.repeat(x, tf.reshape(repeats, ()) if tuple(repeats.shape) == (1,) else repeats, axis)


def tile(x: Any, repeats: Any) -> Any:
    """x repeated as a whole along its axes."""
    x = convert_to_tensor(x)
    if is_tensor(repeats) and type(repeats) is tf.Tensor:
        repeats = repeats.numpy().tolist()
    repeats = [repeats] if isinstance(repeats, (int, np.integer)) else list(repeats)
    return movement.tile(x, repeats)


_TF_PADDING = {"constant": "CONSTANT", "reflect": "REFLECT", "symmetric": "SYMMETRIC"}


def pad(x: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = None) -> Any:
    """x with margins."""
    x = convert_to_tensor(x)
    if constant_values is not None and mode != "constant":
        raise ValueError(
            f"Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode={mode}"
        )
    widths = _widths(pad_width, x.ndim)
    if x.dtype.kind == "b":
        return cast_tensor(pad(cast_tensor(x, "int8"), widths, mode, constant_values), "bool")
    if mode in _TF_PADDING:
        fill = 0 if constant_values is None else constant_values
        fill = cast_tensor(fill, x.dtype) if is_tensor(fill) else fill
        return tf.pad(x, widths, _TF_PADDING[mode], fill)
    for axis, width in enumerate(widths):
        if any(width):
            x = tf.gather(x, np.pad(np.arange(x.shape[axis]), width, mode=mode), axis=axis)
    return x


def _widths(pad_width: Any, rank: Any) -> Any:
    if is_tensor(pad_width):
        pad_width = pad_width.numpy()
    widths = np.asarray(pad_width)
    return [tuple(int(v) for v in pair) for pair in np.broadcast_to(widths, (rank, 2))]


def diag(x: Any, k: Any = 0) -> Any:
    """The matrix with x on a diagonal, or the diagonal of a matrix."""
    x = convert_to_tensor(x)
    if x.ndim == 1:
        return _with_diagonal(x, k)
    if x.ndim == 2:
        return diagonal(x, k)
    raise ValueError(f"`x` must be 1d or 2d, but received shape {tuple(x.shape)}")


def diagflat(x: Any, k: Any = 0) -> Any:
    """The matrix with all elements of x on a diagonal."""
    return _with_diagonal(ravel(x), k)


def _with_diagonal(x: Any, k: Any) -> Any:
    size = x.shape[0] + builtins.abs(k)
    places = np.arange(x.shape[0])
    indices = np.stack([places + builtins.max(-k, 0), places + builtins.max(k, 0)], axis=-1).astype("int32")
    if x.dtype.kind == "b":
        return cast_tensor(tf.scatter_nd(indices, cast_tensor(x, "int8"), (size, size)), "bool")
    return tf.scatter_nd(indices, x, (size, size))


def diagonal(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The diagonal of a plane of two axes, as the last axis."""
    return matrices.diagonal(convert_to_tensor(x), offset, axis1, axis2)


def trace(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The sum of a diagonal."""
    return tf.reduce_sum(matrices.diagonal(POLICY.summed(x), offset, axis1, axis2), axis=-1)


def tril(x: Any, k: Any = 0) -> Any:
    """x with zeros above a diagonal."""
    return _triangle(x, k, True)


def triu(x: Any, k: Any = 0) -> Any:
    """x with zeros below a diagonal."""
    return _triangle(x, k, False)


def _triangle(x: Any, k: Any, lower: bool) -> Any:
    x = convert_to_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"x must have at least 2 dimensions. Received: shape={tuple(x.shape)}")
    return matrices.triangle(x, int(k), lower)


def unravel_index(indices: Any, shape: Any) -> Any:
    """The indices along each axis of places in a flat tensor."""
    indices = convert_to_tensor(indices)
    if indices.dtype.kind not in "iu":
        indices = cast_tensor(indices, "int32")
    count = math.prod(shape)
    rest = selection.from_front(indices, count)
    found = []
    for size in reversed(shape):
        found.append(tf.math.floormod(rest, size))
        rest = tf.math.floordiv(rest, size)
    return tuple(reversed(found))
