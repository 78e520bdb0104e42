"""Shapes as tensors, and checks of shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api import arguments
from gradtape.api.arguments import items, tensor
from gradtape.core import device, dtypes, errors
from gradtape.core.dims import is_symbolic
from gradtape.core.op import REGISTRY
from gradtape.core.shape import TensorShape, broadcast
from gradtape.core.symbolic_arrays import unknown_tensor
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.family import dims
from gradtape.ops.movement import Identity
from gradtape.ops.shape_of import EnsureShape, ShapeOf


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The shape as a vector of integers.

    Args:
      input: anything that can become a tensor.
      out_type: `tf.int32` (the default) or `tf.int64`.

    Returns:
      A tensor of rank 1.

    >>> tf.shape([[1, 2, 3], [4, 5, 6]]).numpy()
    array([2, 3], dtype=int32)
    """
    x = tensor(input)
    if not x.get_shape().is_fully_defined():
        return ShapeOf(x, dtype=dtypes.from_numpy(_integer_type(out_type)))
    return wrap(device.place(_integers("shape", dims(x), _integer_type(out_type))))


def shape_n(input: Sequence[Any], out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of the tensors in a list.

    Args:
      input: a list of tensors.
      out_type: `tf.int32` or `tf.int64`.

    Returns:
      A list of tensors of rank 1.

    >>> [t.numpy().tolist() for t in tf.shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    return [shape(x, out_type) for x in items(input, "shape_n", "input")]


def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements.

    Args:
      input: anything that can become a tensor.
      out_type: `tf.int32` (the default) or `tf.int64`.

    Returns:
      A scalar.

    >>> tf.size([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(6)
    """
    x = tensor(input)
    if not x.get_shape().is_fully_defined():
        return REGISTRY["reduce_prod"](shape(x, out_type), axis=(0,), keepdims=False)
    return wrap(device.place(_integers("size", math.prod(dims(x)), _integer_type(out_type))[()]))


def _integers(name: str, sizes: Any, dtype: Any) -> Any:
    """Sizes as an array; an error if they do not fit."""
    try:
        return np.array(sizes, dtype)
    except OverflowError:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{name}: sizes of 2^31 and more do not fit in {dtype}, got {sizes}.",
            f"use tf.{name}(x, out_type=tf.int64).",
        ) from None


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes.

    Args:
      input: anything that can become a tensor.

    Returns:
      A scalar of int32.

    >>> tf.rank([[1, 2, 3], [4, 5, 6]]).numpy()
    np.int32(2)
    """
    x = tensor(input)
    if x.get_shape().rank is None:
        return size(ShapeOf(x, dtype=dtypes.int32))
    return wrap(device.place(np.int32(x.ndim)))


def _integer_type(out_type: Any) -> np.dtype[Any]:
    return (dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)).numpy


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor, known to have a shape.

    Args:
      x: anything that can become a tensor.
      shape: a shape in which None stands for any length.

    Returns:
      The tensor.

    Raises:
      InvalidArgumentError: if the shape is another.

    >>> tf.ensure_shape([[1, 2]], [None, 2]).shape
    TensorShape([1, 2])
    """
    value, wanted = tensor(x), TensorShape(shape)
    if not wanted.is_compatible_with(value.get_shape()):
        raise errors.build(
            errors.ShapeError,
            f"ensure_shape: x must have shape {list(wanted)}, got {list(value.get_shape())}.",
            "None allows any length.",
        )
    if value.get_shape().is_fully_defined() or wanted.rank is None:
        return Identity(value)
    return EnsureShape(value, shape=tuple(wanted))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that two shapes, which may be partly unknown, broadcast to.

    Args:
      shape_x: a TensorShape.
      shape_y: a TensorShape.

    Returns:
      A TensorShape.

    >>> tf.broadcast_static_shape(tf.TensorShape([1, 2]), tf.TensorShape([3, 1]))
    TensorShape([3, 2])
    """
    a, b = TensorShape(shape_x), TensorShape(shape_y)
    if a.rank is None or b.rank is None:
        return TensorShape(None)
    longest = max(a.rank, b.rank)
    pairs = zip([1] * (longest - a.rank) + a.as_list(), [1] * (longest - b.rank) + b.as_list(), strict=True)
    return TensorShape([_common_length(m, n, a, b) for m, n in pairs])


def _common_length(m: int | None, n: int | None, a: TensorShape, b: TensorShape) -> int | None:
    if m == 1 or n == 1:
        return n if m == 1 else m
    if m is None or n is None:
        return n if m is None else m
    if m != n:
        raise errors.build(
            errors.ShapeError,
            f"broadcast_static_shape: {a} and {b} do not broadcast together.",
            "aligned from the right, each pair of dimensions must be equal or contain a 1.",
        )
    return m


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape, as a tensor, that two shapes broadcast to.

    Args:
      shape_x: a vector of ints.
      shape_y: a vector of ints.

    Returns:
      A tensor of rank 1.

    >>> tf.broadcast_dynamic_shape([1, 2], [3, 1]).numpy()
    array([3, 2], dtype=int32)
    """
    a = arguments.shape(shape_x, "broadcast_dynamic_shape", "shape_x")
    b = arguments.shape(shape_y, "broadcast_dynamic_shape", "shape_y")
    result = broadcast(a, b)
    if result is None:
        raise errors.build(
            errors.ShapeError,
            f"broadcast_dynamic_shape: {list(a)} and {list(b)} do not broadcast together.",
            "aligned from the right, each pair of dimensions must be equal or contain a 1.",
        )
    long = any(getattr(s, "dtype", None) == dtypes.int64 for s in (shape_x, shape_y))
    if is_symbolic(result):
        return unknown_tensor((len(result),), dtypes.int64 if long else dtypes.int32)
    if max(result, default=0) > np.iinfo(np.int64 if long else np.int32).max:
        raise errors.build(
            errors.ShapeError,
            f"broadcast_dynamic_shape: a size of {list(result)} does not fit in {'int64' if long else 'int32'}.",
            "check the shapes: do their sizes mean what they should?",
        )
    return wrap(np.array(result, np.int64 if long else np.int32))
