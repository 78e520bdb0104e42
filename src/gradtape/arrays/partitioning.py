"""Partitioning the rows of a tensor by number, and stitching them together again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.arrays.joining import of_one_dtype
from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather
from gradtape.ops.joining import Concat, Split
from gradtape.ops.movement import Reshape
from gradtape.ops.row_positions import check_range
from gradtape.ops.scatter import TensorScatterNdUpdate


def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> list[Tensor]:
    """The rows of a tensor sorted into several tensors.

    Args:
      data: a tensor whose first dimensions are those of `partitions`.
      partitions: integers of any shape: to which result each element or slice of `data` goes.
      num_partitions: how many results there are.

    Returns:
      A list of tensors; the i-th has those rows, in their order, whose partition is i.

    >>> small, large = tf.dynamic_partition([10.0, 20.0, 30.0, 40.0], [0, 1, 1, 0], 2)
    >>> large.numpy()
    array([20., 30.], dtype=float32)
    """
    x, which = tensor(data), _indices(partitions, "dynamic_partition", "partitions")
    count = integer(num_partitions, "dynamic_partition", "num_partitions")
    if count < 1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"dynamic_partition: num_partitions must be at least 1, got {count}.",
            "use 1 or more.",
        )
    if dims(x)[: which.ndim] != which.shape:
        raise errors.build(
            errors.ShapeError,
            f"dynamic_partition: the shape of data, {x.shape}, must start with that of partitions, {list(which.shape)}.",
            "give one partition number for each row of data.",
        )
    check_range("dynamic_partition", which, count, "partitions")
    flat = np.reshape(which, (-1,))
    order = np.argsort(flat, kind="stable")
    # The reshape stands before the gather so that the gradient is dense.
    rows = Reshape(x, shape=(flat.size, *dims(x)[which.ndim :]))
    sizes = tuple(np.bincount(flat, minlength=count).tolist())
    return list(Split(Gather(rows, order, axis=0, batch_dims=0), sizes=sizes, axis=0))


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """A tensor of rows from several tensors, each put where its index says.

    Args:
      indices: a list of integer tensors of any shapes.
      data: a list of tensors; the first dimensions of each are those of its indices, the others are equal.

    Returns:
      A tensor with as many rows as the largest index asks for. Of several rows for one place the last one, in the order
      of the lists, wins and gets the gradient; places without a row are zero.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[10.0, 30.0], [20.0]]).numpy()
    array([10., 20., 30.], dtype=float32)
    """
    where, values = _lists(indices, data)
    inner = dims(values[0])[where[0].ndim :]
    for i, (index, value) in enumerate(zip(where, values, strict=True)):
        if dims(value) != (*index.shape, *inner):
            raise errors.build(
                errors.ShapeError,
                f"dynamic_stitch: data[{i}] has shape {value.shape}, indices[{i}] {list(index.shape)}, "
                f"and a row of data[0] {list(inner)}: these do not match.",
                "the shape of data must be that of its indices, and then that of a row.",
            )
    places = np.concatenate([np.reshape(index, (-1,)) for index in where])
    size = int(places.max()) + 1 if places.size else 0
    check_range("dynamic_stitch", places, size, said="{index} = {value} is out of range [0, {size}).")
    rows = [Reshape(v, shape=(math.prod(i.shape), *inner)) for i, v in zip(where, values, strict=True)]
    updates = Concat(*rows, axis=0) if len(rows) > 1 else rows[0]
    blank = b"" if updates.dtype.kind == "O" else 0
    whole = wrap(np.full((size, *inner), blank, updates.dtype.numpy))
    return TensorScatterNdUpdate(whole, np.reshape(places, (-1, 1)), updates)


def _lists(indices: Any, data: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(indices, (list, tuple)) and not indices:
        raise errors.build(
            errors.InvalidArgumentError, "dynamic_stitch: indices is empty.", "give at least one tensor."
        )
    if len(indices) != len(data):
        raise ValueError(
            errors.compose(
                f"dynamic_stitch: List argument data, of length {len(data)}, must match indices, of length {len(indices)}.",
                "give as many of each.",
            )
        )
    return [_indices(i, "dynamic_stitch", "indices") for i in indices], of_one_dtype(_rows(data))


def _rows(data: Any) -> Sequence[Any]:
    return data if isinstance(data, (list, tuple)) else list(data)


def _indices(value: Any, who: str, name: str) -> Any:
    """Integers as a NumPy array: they decide about shapes."""
    found = np.asarray(convert.convert_to_tensor(value))
    if found.size and found.dtype.kind not in "iu":
        raise errors.build(
            errors.DTypeError, f"{who}: {name} has dtype {found.dtype}, and must be integers.", "use int32 or int64."
        )
    return found.astype(np.int64)
