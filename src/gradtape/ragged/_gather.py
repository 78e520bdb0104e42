"""Rows and elements of ragged tensors at indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.arrays import creation, indexing, joining, movement, shapes
from gradtape.core import dtypes, errors
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _row_partition as partitions
from gradtape.ragged._base import axis_of, match_partitions
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
    match_partitions((params, indices), "gather")
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    _check_batch(params, indices, batch_dims, batch)
    place = batch if axis is None else axis_of(axis, params.ndim, "gather")
    if not batch:
        return _along(params, indices, place)
    if place < batch or batch > min(params.ndim, indices.ndim):
        raise errors.build(
            errors.ShapeError,
            f"gather: batch_dims must be at most axis and the ranks of params and indices, got {batch_dims}, axis {axis}.",
            "leave axis out, or give a smaller batch_dims.",
        )
    return _in_batches(params, indices, batch, place)


def _check_batch(params: Any, indices: Any, batch_dims: int, batch: int) -> None:
    """Refuse a number of leading axes that params and indices do not share."""
    if not 0 <= batch <= indices.ndim:
        raise errors.build(
            errors.RangeError,
            f"gather: batch_dims={batch_dims} out of bounds: expected {-indices.ndim or 0}<=batch_dims<{indices.ndim}.",
            "batch_dims is at most the rank of indices.",
        )
    if batch and batch >= params.ndim:
        raise errors.build(
            errors.ShapeError,
            f"gather: batch_dims must be less than rank(params), {params.ndim}, got {batch}.",
            "give a smaller batch_dims.",
        )
    if not params.get_shape()[:batch].is_compatible_with(indices.get_shape()[:batch]):
        raise errors.build(
            errors.ShapeError,
            f"gather: batch shapes differ: batch shape from indices {indices.get_shape()[:batch]} does not match params shape "
            f"{params.get_shape()}.",
            "indices[i] are those for params[i].",
        )


def _along(params: Any, indices: Any, axis: int) -> Any:
    """The slices of a tensor along an axis."""
    if isinstance(indices, RaggedTensor):
        if not axis:
            return indices.with_values(_along(params, indices.values, 0))
        rows = _as_ragged(params)
        if axis > 1:
            return rows.with_values(_along(rows.values, indices, axis - 1))
        return _in_rows(rows, _repeated(indices, rows.nrows()))
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
        if not isinstance(params.values, RaggedTensor):
            starts = movement.reshape(params.row_starts(), [-1, *[1] * (indices.ndim - 1)])
            return picked(params.values, cast(indices, params.row_splits.dtype) + starts)
        indices = construct.from_tensor(indices)
    if not isinstance(indices.values, RaggedTensor) and isinstance(params.values, RaggedTensor) and indices.ndim > 2:
        indices = indices.with_values(construct.from_tensor(indices.values))
    if isinstance(indices.values, RaggedTensor):
        outer = _in_rows(params, indices.merge_dims(1, 2))
        return indices.with_values(indices.values.with_values(outer.values))
    starts = indexing.gather(params.row_starts(), indices.value_rowids())
    starts = movement.reshape(starts, [-1, *[1] * (indices.values.ndim - 1)])
    return indices.with_values(picked(params.values, cast(indices.values, starts.dtype) + starts))


def _as_ragged(x: Any) -> Any:
    return x if isinstance(x, RaggedTensor) else construct.from_tensor(x)


def _repeated(x: Any, count: Any) -> Any:
    """A tensor as often as said, along a new first axis."""
    return picked(rearrange.expand_dims(x, 0), creation.zeros(movement.reshape(count, [1]), dtypes.int64))


def _in_batches(params: Any, indices: Any, batch: int, axis: int) -> Any:
    """Slices of each element of a batch along an axis, with separate indices for each."""
    if not isinstance(params, RaggedTensor) and not isinstance(indices, RaggedTensor):
        return indexing.gather(params, indices, axis=axis, batch_dims=batch)
    rows = _as_ragged(params)
    if batch > 1:
        places = _as_ragged(indices)
        partitions.same(
            rows.row_splits,
            cast(places.row_splits, rows.row_splits.dtype),
            who="gather: batch shape from indices does not match params shape",
        )
        return rows.with_values(_in_batches(rows.values, places.values, batch - 1, axis - 1))
    if axis > 1:
        # Each row of the element takes its indices.
        return rows.with_values(_in_batches(rows.values, picked(indices, rows.value_rowids()), 1, axis - 1))
    return _in_rows(rows, indices)


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
    if not indices.ndim:
        raise ValueError(
            errors.compose("gather_nd: indices.rank must be at least 1.", "give a vector for one element.")
        )
    if isinstance(indices, RaggedTensor):
        if indices.ndim == 2:
            raise ValueError(
                errors.compose(
                    "gather_nd: The innermost dimension of indices may not be ragged.",
                    "give a number for each axis in each place.",
                )
            )
        return indices.with_values(gather_nd(params, indices.values))
    dims = tuple(indices.shape)
    flat = movement.reshape(indices, [-1, dims[-1]])
    return _in_shape(_at(params, flat, dims[-1]), list(dims[:-1])) if len(dims) > 1 else _at(params, flat, dims[-1])[0]


def _at(params: Any, places: Any, depth: int) -> Any:
    """The slices at rows of indices, one after the other."""
    if not isinstance(params, RaggedTensor):
        return indexing.gather_nd(params, places)
    if not depth:
        return _repeated(params, shapes.shape(places)[0])
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
