"""Rows and elements of ragged tensors at indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.arrays import indexing, joining, movement
from gradtape.core import errors
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as partitions
from gradtape.ragged._base import axis_of
from gradtape.ragged._functions import stack_dynamic_partitions
from gradtape.ragged._rearrange import gather_rows, picked
from gradtape.ragged._tensor import RaggedTensor


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Rows of a ragged or dense tensor at indices, which may be ragged; or elements of its rows."""
    params, indices = construct.tensor(params), construct.tensor(indices)
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    place = batch if axis is None else axis_of(axis, params.ndim, "gather")
    if not batch:
        return _along(params, indices, place)
    if place < batch or batch > min(params.ndim, indices.ndim):
        raise errors.build(
            errors.ShapeError,
            f"gather: batch_dims must be at most axis and the ranks of params and indices, got {batch_dims}, axis {axis}.",
            "leave axis out, or give a smaller batch_dims.",
        )
    if batch > 1 or place > 1 or not isinstance(params, RaggedTensor):
        return _in_batches(params, indices, batch, place)
    return _in_rows(params, indices)


def _along(params: Any, indices: Any, axis: int) -> Any:
    """The slices of a tensor along an axis."""
    if isinstance(indices, RaggedTensor):
        if axis:
            raise errors.build(
                errors.ShapeError, f"gather: ragged indices must have axis 0, got {axis}.", "use batch_dims for others."
            )
        return indices.with_values(_along(params, indices.values, 0))
    if not isinstance(params, RaggedTensor):
        return indexing.gather(params, indices, axis=axis)
    if axis > 1:
        return params.with_values(_along(params.values, indices, axis - 1))
    dims = tuple(indices.shape)
    flat = movement.reshape(indices, [-1])
    if axis == 1:
        found = picked(params.values, partitions.columns(params.row_splits, cast(flat, params.row_splits.dtype)))
        return _in_shape(found, [int(params.nrows()), *dims])
    found = gather_rows(params, partitions.not_negative(cast(flat, params.row_splits.dtype), who="gather"))
    return found.values if not dims else _in_shape(found, list(dims))


def _in_shape(found: Any, dims: list[int]) -> Any:
    """Slices one after the other as a tensor whose first axes have given lengths."""
    if not isinstance(found, RaggedTensor):
        return movement.reshape(found, [*dims, *tuple(found.shape)[1:]])
    for k in range(len(dims) - 1, 0, -1):
        found = construct.from_uniform_row_length(found, dims[k], nrows=int(np.prod(dims[:k])))
    return found


def _in_rows(params: RaggedTensor, indices: Any) -> Any:
    """Elements of each row, with separate indices for each row."""
    if not isinstance(indices, RaggedTensor):
        if indices.ndim == 1:
            return picked(params.values, cast(indices, params.row_splits.dtype) + params.row_starts())
        if indices.ndim == 2 and not isinstance(params.values, RaggedTensor):
            return picked(params.values, cast(indices, params.row_splits.dtype) + params.row_starts()[:, None])
        indices = construct.from_tensor(indices)
    starts = indexing.gather(params.row_starts(), indices.value_rowids())
    if isinstance(indices.values, RaggedTensor):
        inner = starts
        outer = _in_rows(params.with_row_splits_dtype(inner.dtype), indices.merge_dims(1, 2))
        return indices.with_values(indices.values.with_values(outer.values))
    return indices.with_values(picked(params.values, cast(indices.values, starts.dtype) + starts))


def _in_batches(params: Any, indices: Any, batch: int, axis: int) -> Any:
    """The same in the rows of the first axis, one level deeper."""
    as_rows = [x if isinstance(x, RaggedTensor) else construct.from_tensor(x) for x in (params, indices)]
    if batch == 1 and not isinstance(params, RaggedTensor):
        return gather(as_rows[0], indices, axis=axis, batch_dims=1)
    rows, places = as_rows
    if batch == 1:
        raise errors.build(
            errors.ShapeError, f"gather: axis must be 1 with batch_dims=1 for ragged params, got {axis}.", "use axis=1."
        )
    partitions.same(rows.row_splits, cast(places.row_splits, rows.row_splits.dtype), who="gather")
    return rows.with_values(gather(rows.values, places.values, axis=axis - 1, batch_dims=batch - 1))


def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """Elements or slices of a ragged tensor at indices along several axes."""
    params, indices = construct.tensor(params), construct.tensor(indices)
    if batch_dims:
        raise errors.build(
            errors.ShapeError,
            f"gather_nd: batch_dims must be 0 for ragged tensors, got {batch_dims}.",
            "use tf.gather.",
        )
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather_nd(params, indices.values))
    dims = tuple(indices.shape)
    flat = movement.reshape(indices, [-1, dims[-1]])
    return _in_shape(_at(params, flat, dims[-1]), list(dims[:-1])) if len(dims) > 1 else _at(params, flat, dims[-1])[0]


def _at(params: Any, places: Any, depth: int) -> Any:
    """The slices at rows of indices, one after the other."""
    if not depth or not isinstance(params, RaggedTensor):
        return indexing.gather_nd(params, places)
    places = cast(places, params.row_splits.dtype)
    number = partitions.not_negative(places[:, 0], who="gather_nd")
    for k in range(1, depth):
        number = partitions.inside_rows(params.row_splits, number, places[:, k])
        params = params.values
        if not isinstance(params, RaggedTensor):
            rest = [movement.reshape(number, [-1, 1]), places[:, k + 1 :]]
            return indexing.gather_nd(params, joining.concat(rest, 1))
    return gather_rows(params, number)


def dynamic_partition(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> list[Any]:
    """The parts of a ragged tensor, each as a tensor."""
    count = integer(num_partitions, "dynamic_partition", "num_partitions")
    rows = stack_dynamic_partitions(data, partitions, count)
    return [rows[i] for i in range(count)]
