"""Joining and splitting tensors: concat, stack, split, unstack."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integer_or_vector, integers, items, tensor
from gradtape.core import convert, errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops import joining, movement
from gradtape.ops.family import dims


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """The values concatenated along an axis.

    Args:
      values: a list of tensors of one dtype, with equal shapes but for the axis.
      axis: along which axis.

    Returns:
      A tensor.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    if isinstance(values, (Tensor, Variable, np.ndarray)) or not isinstance(values, Sequence):
        _check_order(values, axis)
        values = [values]
    if not values:
        raise errors.build(errors.InvalidArgumentError, "concat: values is empty.", "give at least one tensor.")
    tensors = of_one_dtype(values)
    at = integer_or_vector(axis, "concat", "axis")
    if tensors[0].ndim:
        at = normalize_axis(at, tensors[0].ndim, "concat")
    if len(tensors) == 1:
        return movement.Identity(tensors[0])
    return joining.Concat(*tensors, axis=at)


def _check_order(values: Any, axis: Any) -> None:
    """Raise if the axis comes first, as it did in TensorFlow 0."""
    if type(values) is int and isinstance(axis, (list, tuple)):
        raise errors.build(
            errors.DTypeError,
            f"concat: values must be a list of tensors and axis an int, got axis = a list of {len(axis)}: they are swapped.",
            f"tf.concat([a, b], {values}).",
        )


def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """The values stacked along a new axis.

    Args:
      values: a list of tensors of one dtype and shape.
      axis: where the new axis stands in the result.

    Returns:
      A tensor of one rank more.

    >>> tf.stack([[1, 2], [3, 4], [5, 6]], axis=1).numpy()
    array([[1, 3, 5],
           [2, 4, 6]], dtype=int32)
    """
    at = integer_or_vector(axis, "stack", "axis")
    if isinstance(values, (Tensor, Variable, np.ndarray)):
        if not values.ndim:
            raise TypeError(
                errors.compose("stack: values must be a list of tensors, got a scalar.", "tf.stack([a, b]).")
            )
        values = unstack(values)
    if not items(values, "stack", "values"):
        return wrap(np.zeros((0,), np.float32))
    if at == 0 and not convert.holds_tensor(values):
        # What cannot become one tensor fails below, with an error that names the rows.
        with contextlib.suppress(TypeError, ValueError):
            return convert.convert_to_tensor(list(values))
    tensors = of_one_dtype(values)
    return joining.Stack(*tensors, axis=normal_axis(at, tensors[0].ndim + 1, "stack"))


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """A tensor with the given tensors along a new first axis: `stack` with `axis=0`.

    >>> tf.parallel_stack([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return stack(values)


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split") -> list[Tensor]:
    """The pieces of a tensor along an axis.

    Args:
      value: anything that can become a tensor.
      num_or_size_splits: how many equal pieces (an int), or a list of their sizes, of which one may be -1.
      axis: along which axis.
      num: the number of sizes, if they are given; only checked.

    Returns:
      A list of tensors.

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4, 5], [1, -1])]
    [[1], [2, 3, 4, 5]]
    """
    x = tensor(value)
    at = integer(axis, "split", "axis")
    length = 0
    if x.ndim:
        at = normalize_axis(at, x.ndim, "split")
        length = dims(x)[at]
    if isinstance(num_or_size_splits, (int, np.integer)):
        sizes = _equal_sizes(int(num_or_size_splits), length, at)
    else:
        sizes = _given_sizes(num_or_size_splits, length, num)
    return list(joining.Split(x, sizes=sizes, axis=at))


def _equal_sizes(count: int, length: int, axis: int) -> tuple[int, ...]:
    if count < 1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"split: Value for attr 'num_split' of {count} must be at least minimum 1.",
            "tf.split(value, 2).",
        )
    if length % count:
        raise errors.build(
            errors.ShapeError,
            f"split: axis {axis} of value has length {length}, which {count} pieces of equal size do not make up: their "
            "number should evenly divide it.",
            f"give a number that divides the length, or the sizes: {[length // count + (i < length % count) for i in range(count)]}."
            if 1 < count < min(length, 9)
            else "give a number that divides the length, or a list of sizes.",
        )
    return (length // count,) * count


def _given_sizes(value: Any, length: int, num: Any) -> tuple[int, ...]:
    if not getattr(value, "ndim", 1):
        raise ValueError(
            errors.compose(
                f"split: num_or_size_splits must be a Python int or a list of sizes, got a scalar tensor: {value!r}.",
                "give a Python int, or a list of sizes.",
            )
        )
    sizes = integers(value, "split", "num_or_size_splits")
    if num is not None and integer(num, "split", "num") != len(sizes):
        raise errors.build(
            errors.ShapeError, f"split: num is {num}, but {len(sizes)} sizes are given.", "leave num out."
        )
    if sizes.count(-1) > 1:
        raise errors.build(
            errors.ShapeError,
            f"split: sizes must not hold -1 more than once, nor other negative sizes, got {list(sizes)}.",
            "give the sizes, and -1 for at most one of them.",
        )
    if -1 in sizes:
        rest = length - sum(sizes) - 1
        sizes = tuple([rest if s == -1 else s for s in sizes])
    return sizes


def unstack(value: Any, num: Any = None, axis: Any = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of a tensor along an axis.

    Args:
      value: a tensor of rank 1 or more.
      num: the length of the axis, which must be given where a function is traced for an unknown one.
      axis: along which axis.

    Returns:
      A list of tensors of one rank less.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    x = tensor(value)
    if num is None and type(x) is not Tensor:
        _check_length(x, axis)
    at = normal_axis(integer(axis, "unstack", "axis"), x.ndim, "unstack")
    if num is not None and num != dims(x)[at]:
        raise errors.build(
            errors.ShapeError,
            f"unstack: num is {num}, but axis {at} of value, which has shape {x.shape}, has length {dims(x)[at]}.",
            "leave num out.",
        )
    return list(joining.Unstack(x, axis=at))


def _check_length(x: Tensor, axis: Any) -> None:
    """ValueError if a function is traced, and the length of the axis is not known: neither is the number of slices."""
    shape = x.get_shape()
    if shape.rank is None or (type(axis) is int and -shape.rank <= axis < shape.rank and shape[axis] is None):
        raise ValueError(
            errors.compose(
                f"unstack: Cannot infer argument `num` from shape {shape}.",
                "give num, or the length of the axis with tf.ensure_shape.",
            )
        )


def normal_axis(axis: int, rank: int, what: str) -> int:
    """An axis counted from the front; ValueError, as in TensorFlow for these functions, if it is out of range."""
    if not -rank <= axis < rank:
        raise errors.build(
            errors.ShapeError,
            f"{what}: Argument `axis` = {axis} not in range [{-rank}, {rank}).",
            f"use an axis from {-rank} to {rank - 1}." if rank else "a scalar has no axes.",
        )
    return axis + rank if axis < 0 else axis


def of_one_dtype(values: Sequence[Any]) -> list[Any]:
    """The values as tensors; values that are not tensors take the dtype of the first tensor."""
    if set(map(type, values)) == {Tensor}:
        return list(values)
    own = next((v.dtype for v in values if isinstance(v, (Tensor, Variable))), None)
    if own is not None:
        return [tensor(v) if isinstance(v, (Tensor, Variable)) else convert.like(v, own) for v in values]
    tensors = [convert.convert_to_tensor(v) for v in values]
    if all(t.dtype is tensors[0].dtype for t in tensors):
        return tensors
    # Numbers of several kinds: the widest of NumPy's, else of Python's.
    chosen = [t.dtype for t, v in zip(tensors, values, strict=True) if hasattr(v, "dtype")] or [
        t.dtype for t in tensors
    ]
    widest = max(chosen, key=lambda d: (d.is_complex, d.is_floating, d.is_integer, d.size))
    return [convert.like(v, widest) for v in values]
