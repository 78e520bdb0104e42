"""Functions that rearrange elements without computing: reshape, transpose, tile and others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api import arguments
from gradtape.api.arguments import integer, integer_or_vector, integers, items, tensor
from gradtape.arrays.joining import concat, normal_axis, parallel_stack, split, stack, unstack
from gradtape.arrays.shapes import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    ensure_shape,
    rank,
    shape,
    shape_n,
    size,
)
from gradtape.arrays.slicing import slice, strided_slice
from gradtape.core import convert, errors
from gradtape.core.dims import is_symbolic
from gradtape.core.op import REGISTRY
from gradtape.core.shape import normalize_axes, normalize_axis
from gradtape.core.state import current as _current
from gradtape.core.symbolic_arrays import symbols_in
from gradtape.core.tensor import Tensor
from gradtape.ops import movement, slicing
from gradtape.ops.family import dims

__all__ = [
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "concat", "ensure_shape", "expand_dims",
    "identity", "identity_n", "matrix_transpose", "pad", "parallel_stack", "rank", "repeat", "reshape", "reverse", "roll",
    "shape", "shape_n", "size", "slice", "split", "squeeze", "stack", "strided_slice", "tile", "transpose", "unstack",
]  # fmt: skip


def identity(input: Any, name: str | None = None) -> Tensor:
    """The value as a new tensor, which a tape distinguishes from the old one.

    Args:
      input: anything that can become a tensor.

    Returns:
      A tensor of the same values.

    >>> x = tf.constant(1.0)
    >>> tf.identity(x) is x
    False
    """
    return movement.Identity(tensor(input))


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """The values of a list as new tensors.

    Args:
      input: a list of tensors.

    Returns:
      A list of tensors.

    >>> [t.numpy() for t in tf.identity_n([1, 2.5])]
    [np.int32(1), np.float32(2.5)]
    """
    return [identity(x) for x in items(input, "identity_n", "input")]


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements, in row-major order, in another shape.

    Args:
      tensor: anything that can become a tensor.
      shape: a list of ints or an int tensor; one dimension may be -1, and is computed.

    Returns:
      A tensor of that shape.

    >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy()
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)
    """
    x = arguments.tensor(tensor)
    if type(shape) is int or (hasattr(shape, "ndim") and not shape.ndim):
        shape = [integer(shape, "reshape", "shape")]
    new = integers(shape, "reshape", "shape")
    if new and min(new) < 0:
        new = _completed(new, dims(x))
    return movement.Reshape(x, shape=new)


def _completed(new: tuple[int, ...], old: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with its -1 computed from the number of elements."""
    known = math.prod([n for n in new if n != -1])
    held = math.prod(old)
    if min(new) < -1:
        axis = next(i for i, n in enumerate(new) if n < -1)
        raise errors.build(
            errors.ShapeError,
            f"reshape: size {axis} must be non-negative, not {new[axis]}: shape is {list(new)}.",
            "write the sizes; one dimension may be -1, which is computed.",
        )
    if new.count(-1) > 1:
        raise errors.build(
            errors.ShapeError,
            f"reshape: only one input size may be -1, got {list(new)}.",
            "write the other sizes; one dimension may be -1, which is computed.",
        )
    if known == 0 and held == 0:
        # Any length would fit; TensorFlow takes the one that fits when the zeros are left out.
        missing = math.prod([n for n in old if n]) // math.prod([n for n in new if n > 0])
    elif known == 0 or held % known:
        raise errors.build(
            errors.ShapeError,
            f"reshape: tensor has shape {list(old)} with {held} elements, which {list(new)} cannot hold.",
            f"{held} must be a multiple of {known}.",
        )
    else:
        missing = held // known
    return tuple([missing if n == -1 else n for n in new])


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """The tensor with its axes in another order.

    Args:
      a: anything that can become a tensor.
      perm: axis `i` of the result is axis `perm[i]` of `a`; the axes reversed by default.
      conjugate: take the complex conjugate too.

    Returns:
      A tensor.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    """
    x = tensor(a)
    n = x.ndim
    if perm is None:
        perm = tuple(range(n - 1, -1, -1))
    else:
        perm = integers(perm, "transpose", "perm")
        if _current.path is None or not is_symbolic(perm):
            perm = tuple([p + n if -n <= p < 0 else p for p in perm])
    y = movement.Transpose(x, perm=perm)
    return REGISTRY["conj"](y) if conjugate and y.dtype.is_complex else y


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The tensor with its last two axes swapped.

    Args:
      a: a matrix, or a batch of matrices.
      conjugate: take the complex conjugate too.

    Returns:
      A tensor.

    >>> tf.linalg.matrix_transpose([[1, 2, 3]]).shape
    TensorShape([3, 1])
    """
    x = tensor(a)
    if x.ndim < 2:
        raise errors.build(
            errors.ShapeError,
            f"matrix_transpose: a should be a (batch of) matrices, got shape {x.shape}.",
            "give rank 2 or more.",
        )
    n = x.ndim
    return transpose(x, (*range(n - 2), n - 1, n - 2), conjugate)


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """The tensor with a new axis of length 1.

    Args:
      input: anything that can become a tensor.
      axis: where the new axis stands in the result; -1 is the end.

    Returns:
      A tensor.

    >>> tf.expand_dims([1, 2, 3], axis=0).shape
    TensorShape([1, 3])
    """
    x = tensor(input)
    own = dims(x)
    at = normalize_axis(integer_or_vector(axis, "expand_dims", "axis"), len(own) + 1, "expand_dims")
    return movement.Reshape(x, shape=(*own[:at], 1, *own[at:]))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The tensor without axes of length 1.

    Args:
      input: anything that can become a tensor.
      axis: which axes to drop, an int or a list; all of length 1 by default.

    Returns:
      A tensor.

    >>> tf.squeeze([[[1, 2, 3]]]).shape
    TensorShape([3])
    """
    x = tensor(input)
    own = dims(x)
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        dropped: Any = [i for i, n in enumerate(own) if n == 1]
    else:
        dropped = normalize_axes(axis, len(own), "squeeze", reduced=False)
        for a in dropped:
            if own[a] != 1:
                raise errors.build(
                    errors.ShapeError,
                    f"squeeze: axis {a} of input, which has shape {list(own)}, has length {own[a]}: Can not squeeze "
                    f"dim[{a}], expected a dimension of 1, got {own[a]}.",
                    "only axes of length 1 can be dropped; take an element with input[..., i].",
                )
    return movement.Reshape(x, shape=tuple([n for i, n in enumerate(own) if i not in dropped]))


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor repeated along new axes and axes of length 1, to fill a shape.

    Args:
      input: anything that can become a tensor.
      shape: a list of ints or an int tensor.

    Returns:
      A tensor of that shape.

    >>> tf.broadcast_to([1, 2, 3], [2, 3]).numpy()
    array([[1, 2, 3],
           [1, 2, 3]], dtype=int32)
    """
    return movement.BroadcastTo(tensor(input), shape=arguments.shape(shape, "broadcast_to"))


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor laid side by side with itself.

    Args:
      input: anything that can become a tensor.
      multiples: how many times along each axis.

    Returns:
      A tensor.

    >>> tf.tile([1, 2], [3]).numpy()
    array([1, 2, 1, 2, 1, 2], dtype=int32)
    """
    x = tensor(input)
    if type(multiples) is int:
        what = f"tile: multiples must be a vector of ints (must be rank 1), got {multiples}."
        ones = [1] * (x.ndim - 1)
        raise errors.build(
            errors.ShapeError, what, f"give one for each axis of input: {[multiples, *ones]} repeats rows."
        )
    return movement.Tile(x, multiples=integers(multiples, "tile", "multiples"))


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The tensor with each element repeated.

    Args:
      input: anything that can become a tensor.
      repeats: how many times: an int, or one for each element along the axis.
      axis: along which axis; by default the tensor is flattened first.

    Returns:
      A tensor.

    >>> tf.repeat([1, 2, 3], [2, 0, 1]).numpy()
    array([1, 1, 3], dtype=int32)
    """
    x = tensor(input)
    if axis is None:
        x, at = movement.Reshape(x, shape=(math.prod(dims(x)),)), 0
    else:
        at = normal_axis(integer(axis, "repeat", "axis"), x.ndim, "repeat")
    own = dims(x)
    counts = np.asarray(convert.convert_to_tensor(repeats))
    if counts.size and (counts.dtype.kind not in "iu" or counts.min() < 0 or counts.ndim > 1):
        raise errors.build(
            errors.ShapeError,
            f"repeat: repeats must be a non-negative int, or a vector of them, got {repeats!r}.",
            "tf.repeat(x, 2), or tf.repeat(x, [1, 2, 0]).",
        )
    if counts.size == 1:
        n = int(counts.reshape(())[()])
        x = movement.Reshape(x, shape=(*own[: at + 1], 1, *own[at + 1 :]))
        x = movement.BroadcastTo(x, shape=(*own[: at + 1], n, *own[at + 1 :]))
        return movement.Reshape(x, shape=(*own[:at], own[at] * n, *own[at + 1 :]))
    if counts.size != own[at]:
        raise errors.build(
            errors.ShapeError,
            f"repeat: lengths differ: repeats has {counts.size} entries, axis {at} of input has length {own[at]}.",
            "give one int, or one for each element along the axis.",
        )
    # Reshape stands before the gather so that the gradient is dense.
    x = movement.Reshape(x, shape=own)
    return REGISTRY["gather"](x, np.repeat(np.arange(own[at]), counts.astype(np.int64)), axis=at, batch_dims=0)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The tensor with the order of its elements reversed along axes.

    Args:
      tensor: anything that can become a tensor.
      axis: a list of axes.

    Returns:
      A tensor.

    >>> tf.reverse([1, 2, 3], axis=[0]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    x = arguments.tensor(tensor)
    over = normalize_axes(integers(axis, "reverse", "axis"), x.ndim, "reverse", reduced=False)
    return slicing.Reverse(x, axis=over)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The tensor with its elements shifted along axes; those pushed off the end come back at the start.

    Args:
      input: anything that can become a tensor.
      shift: by how many places; negative shifts toward the start. An int, or a list beside a list of axes.
      axis: along which axis or axes.

    Returns:
      A tensor.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy()
    array([4, 1, 2, 3], dtype=int32)
    """
    x = tensor(input)
    shifts = _one_or_more(shift, "shift")
    over = tuple([normalize_axis(a, x.ndim, "roll") if x.ndim else a for a in _one_or_more(axis, "axis")])
    if _rank(shift) != _rank(axis):
        raise errors.build(
            errors.ShapeError,
            f"roll: shift and axis must have the same size, got {shift!r} and {axis!r}.",
            "give an int for both, or lists of one length.",
        )
    return movement.Roll(x, shift=shifts, axis=over)


def _one_or_more(value: Any, name: str) -> tuple[int, ...]:
    return integers(value, "roll", name) if _rank(value) else (integer(value, "roll", name),)


def _rank(value: Any) -> int:
    rank: int = 1 if isinstance(value, (list, tuple)) else getattr(value, "ndim", 0)
    return rank


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """The tensor padded along each axis.

    Args:
      tensor: anything that can become a tensor.
      paddings: a pair `[before, after]` for each axis.
      mode: "CONSTANT", "REFLECT" (a mirror through the outermost element) or "SYMMETRIC" (a mirror beside it).
      constant_values: the scalar that "CONSTANT" puts there.

    Returns:
      A tensor.

    >>> tf.pad([1, 2, 3], [[2, 1]]).numpy()
    array([0, 0, 1, 2, 3, 0], dtype=int32)
    >>> tf.pad([1, 2, 3], [[2, 1]], "REFLECT").numpy()
    array([3, 2, 1, 2, 3, 2], dtype=int32)
    """
    if not isinstance(mode, str) or mode.upper() not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            errors.compose(
                f'pad: mode must be one of "CONSTANT", "REFLECT", or "SYMMETRIC", got {mode!r}.',
                'use one of "CONSTANT", "REFLECT", or "SYMMETRIC".',
            )
        )
    x = arguments.tensor(tensor)
    symbols = None if _current.path is None else symbols_in(paddings)
    pairs = np.asarray(convert.convert_to_tensor(paddings)) if symbols is None else symbols
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2 or (symbols is None and pairs.dtype.kind not in "iu")):
        raise errors.build(
            errors.ShapeError,
            f"pad: paddings must be a list of pairs [before, after], one for each axis, got {paddings!r}: "
            "paddings must be a matrix with 2 columns.",
            "tf.pad(x, [[1, 1]]) for a vector, tf.pad(x, [[1, 1], [0, 0]]) for a matrix.",
        )
    sides = tuple([(before, after) for before, after in pairs.reshape(-1, 2).tolist()])
    value: Any = b"" if x.dtype.kind == "O" else 0
    if mode.upper() == "CONSTANT" and not (type(constant_values) is int and constant_values == 0):
        value = np.asarray(convert.like(constant_values, x.dtype)).item()
    return slicing.Pad(x, paddings=sides, mode=mode.lower(), value=value)
