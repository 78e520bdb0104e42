"""Shapes and places: reshaping, joining, splitting, moving."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
from keras.src.backend.common.backend_utils import canonicalize_axis

import gradtape as tf
from gradtape.keras_backend.convert import cast_tensor, convert_to_tensor, is_tensor, operands


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
    x = convert_to_tensor(x)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = x.ndim + len(axes)
    for a in sorted([canonicalize_axis(a, rank) for a in axes]):
        x = tf.expand_dims(x, a)
    return x


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
    x = convert_to_tensor(x)
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tf.transpose(x, order)


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """x with axes at other places."""
    x = convert_to_tensor(x)
    sources = [canonicalize_axis(a, x.ndim) for a in (source if isinstance(source, (tuple, list)) else (source,))]
    places = [
        canonicalize_axis(a, x.ndim)
        for a in (destination if isinstance(destination, (tuple, list)) else (destination,))
    ]
    order = [a for a in range(x.ndim) if a not in sources]
    for place, a in sorted(zip(places, sources, strict=True)):
        order.insert(place, a)
    return tf.transpose(x, order)


def broadcast_to(x: Any, shape: Any) -> Any:
    """x repeated to fill a shape."""
    return tf.broadcast_to(convert_to_tensor(x), (shape,) if isinstance(shape, int) else shape)


def concatenate(xs: Any, axis: Any = 0) -> Any:
    """Tensors joined along an axis."""
    xs = operands(*[convert_to_tensor(x) for x in xs])
    if axis is None:
        return tf.concat([tf.reshape(x, (-1,)) for x in xs], 0)
    return tf.concat(list(xs), axis)


def append(x1: Any, x2: Any, axis: Any = None) -> Any:
    """x2 after x1; both flattened if the axis is None."""
    return concatenate([x1, x2], axis)


def stack(x: Any, axis: Any = 0) -> Any:
    """Tensors joined along a new axis."""
    return tf.stack(list(operands(*[convert_to_tensor(v) for v in x])), axis)


def _at_least(x: Any, rank: Any) -> Any:
    x = convert_to_tensor(x)
    if rank == 1:
        return tf.reshape(x, (1,)) if not x.ndim else x
    if rank == 2:
        return tf.expand_dims(_at_least(x, 1), 0) if x.ndim < 2 else x
    return tf.expand_dims(_at_least(x, 2), -1) if x.ndim < 3 else x


def hstack(xs: Any) -> Any:
    """Tensors side by side: joined along the second axis, vectors along the first."""
    xs = [_at_least(x, 1) for x in xs]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1)


def vstack(xs: Any) -> Any:
    """Tensors below one another: joined along the first axis, vectors as rows."""
    return concatenate([_at_least(x, 2) for x in xs], 0)


def dstack(xs: Any) -> Any:
    """Tensors behind one another: joined along the third axis."""
    return concatenate([_at_least(x, 3) for x in xs], 2)


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
    return _between(x, [int(i) for i in np.asarray(indices_or_sections).ravel()], axis)


def _between(x: Any, indices: Any, axis: Any) -> Any:
    axis = canonicalize_axis(axis, x.ndim)
    length = x.shape[axis]
    parts = []
    for start, stop in zip([0, *indices], [*indices, length], strict=True):
        index = [builtins.slice(None)] * x.ndim
        index[axis] = builtins.slice(start, stop)
        parts.append(x[tuple(index)])
    return parts


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
    x = convert_to_tensor(x)
    if axis is None:
        axes = list(range(x.ndim))
    else:
        axes = [canonicalize_axis(a, x.ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    return tf.reverse(x, axes) if axes else x


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
    turns = k % 4
    if turns == 0:
        return array
    if turns == 2:
        return flip(flip(array, axes[0]), axes[1])
    if turns == 1:
        return swapaxes(flip(array, axes[1]), *axes)
    return flip(swapaxes(array, *axes), axes[1])


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """x with its elements moved on, those at the end to the beginning."""
    x = convert_to_tensor(x)
    if axis is None:
        return tf.reshape(tf.roll(tf.reshape(x, (-1,)), shift, 0), tuple(x.shape))
    return tf.roll(x, shift, axis)


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
    if len(repeats) < x.ndim:
        repeats = [1] * (x.ndim - len(repeats)) + repeats
    while x.ndim < len(repeats):
        x = tf.expand_dims(x, 0)
    return tf.tile(x, repeats)


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
    x = moveaxis(x, (axis1, axis2), (-2, -1))
    rows, columns = x.shape[-2], x.shape[-1]
    count = builtins.max(builtins.min(rows + builtins.min(offset, 0), columns - builtins.max(offset, 0)), 0)
    places = np.arange(count)
    flat = (places + builtins.max(-offset, 0)) * columns + places + builtins.max(offset, 0)
    return tf.gather(tf.reshape(x, (*tuple(x.shape)[:-2], rows * columns)), flat.astype("int32"), axis=-1)


def trace(x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """The sum of a diagonal."""
    x = convert_to_tensor(x)
    narrow = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}
    x = cast_tensor(x, narrow.get(x.dtype.name, x.dtype))
    return tf.reduce_sum(diagonal(x, offset, axis1, axis2), axis=-1)


def tril(x: Any, k: Any = 0) -> Any:
    """x with zeros above a diagonal."""
    return _triangle(x, np.tri, k)


def triu(x: Any, k: Any = 0) -> Any:
    """x with zeros below a diagonal."""
    return _triangle(x, lambda n, m, k: 1 - np.tri(n, m, k - 1), k)


def _triangle(x: Any, shape_of_ones: Any, k: Any) -> Any:
    x = convert_to_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"x must have at least 2 dimensions. Received: shape={tuple(x.shape)}")
    rows, columns = tuple(x.shape)[-2:]
    mask = shape_of_ones(rows, columns, int(k)).astype(bool)
    if x.dtype.kind == "b":
        return tf.logical_and(x, mask)
    return tf.where(mask, x, tf.zeros_like(x))


def unravel_index(indices: Any, shape: Any) -> Any:
    """The indices along each axis of places in a flat tensor."""
    indices = convert_to_tensor(indices)
    if indices.dtype.kind not in "iu":
        indices = cast_tensor(indices, "int32")
    count = math.prod(shape)
    rest = tf.where(tf.less(indices, tf.zeros_like(indices)), indices + count, indices)
    found = []
    for size in reversed(shape):
        found.append(tf.math.floormod(rest, size))
        rest = tf.math.floordiv(rest, size)
    return tuple(reversed(found))
