"""Ragged tensors joined, gathered, with other axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.arrays import creation as creating, indexing, joining, movement as moving
from gradtape.math import _elementwise as elementwise
from gradtape.api.arguments import integers
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as making, _row_partition as partitions
from gradtape.ragged._tensor import RaggedTensor


def picked(values: Any, positions: Any) -> Any:
    """Rows of values that may be ragged."""
    return gather_rows(values, positions) if isinstance(values, RaggedTensor) else indexing.gather(values, positions)


def gather_rows(rt: RaggedTensor, rows: Any) -> RaggedTensor:
    """Rows by number, given as a vector."""
    positions, splits = partitions.rows_at(rt.row_splits, cast(rows, rt.row_splits.dtype))
    return RaggedTensor(picked(rt.values, positions), splits, rt.uniform_row_length)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Rows of a ragged or dense tensor at indices, which may be ragged."""
    if axis not in (None, 0) or batch_dims:
        if batch_dims == 1 and axis in (None, 1) and isinstance(params, RaggedTensor):
            return _gather_in_rows(params, indices)
        raise ValueError(
            errors.compose(
                f"gather: axis {axis} and batch_dims {batch_dims} are not there for ragged tensors.",
                "use axis=0, or batch_dims=1 with axis=1.",
            )
        )
    if isinstance(indices, RaggedTensor):
        return indices.with_values(gather(params, indices.values))
    if not isinstance(params, RaggedTensor):
        return indexing.gather(params, indices)
    places = making.tensor(indices)
    dims = tuple(places.shape)
    if len(dims) == 0:
        return params[places]
    found: Any = gather_rows(params, moving.reshape(places, [-1]))
    for length in dims[:0:-1]:
        found = making.from_uniform_row_length(found, length, nrows=_rows_above(found, length, dims))
    return found


def _rows_above(found: Any, length: int, dims: tuple[int, ...]) -> Any:
    return None if length else int(np.prod(dims[:-1]))


def _gather_in_rows(params: RaggedTensor, indices: Any) -> Any:
    """Elements of each row at indices of their own."""
    if not isinstance(indices, RaggedTensor):
        dense = making.tensor(indices)
        if dense.ndim == 1:
            return picked(params.values, cast(dense, params.row_splits.dtype) + params.row_starts())
        indices = making.from_tensor(dense)
    starts = indexing.gather(params.row_starts(), indices.value_rowids())
    return indices.with_values(picked(params.values, cast(indices.values, starts.dtype) + starts))


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor with a new axis of length 1."""
    if not isinstance(input, RaggedTensor):
        return moving.expand_dims(input, axis)
    axis = normalize_axis(axis, input.ndim + 1, "expand_dims")
    if axis == 0:
        rows = moving.reshape(input.nrows(), [1])
        splits = joining.concat([creating.zeros([1], rows.dtype), rows], 0)
        return RaggedTensor(input, splits, input.shape[0])
    if axis == 1:
        return making.from_uniform_row_length(input, 1)
    return input.with_values(expand_dims(input.values, axis - 1))


def _alike(values: Sequence[Any]) -> list[Any]:
    """Ragged and dense tensors as ragged ones of one ragged rank."""
    given = [making.tensor(v) for v in values]
    rank = max([v.ragged_rank for v in given if isinstance(v, RaggedTensor)], default=1)
    return [_of_ragged_rank(v, rank) for v in given]


def _of_ragged_rank(x: Any, rank: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return making.from_tensor(x, ragged_rank=rank)
    if x.ragged_rank == rank:
        return x
    return x.with_values(_of_ragged_rank(x.values, rank - 1))


def concat(values: Sequence[Any], axis: Any, name: str = "concat") -> Any:
    """Tensors one after the other, of which some are ragged."""
    given = [making.tensor(v) for v in values]
    if len(given) == 1:
        return given[0]
    ranks = {v.ndim for v in given}
    if len(ranks) > 1:
        raise errors.build(
            errors.ShapeError, f"concat: the ranks are {sorted(ranks)}.", "all tensors need the same number of axes."
        )
    axis = normalize_axis(axis, given[0].ndim, "concat")
    return _joined(given, axis)


def _joined(given: list[Any], axis: int) -> Any:
    is_dense = not any(isinstance(v, RaggedTensor) for v in given)
    if is_dense and (axis or len({tuple(v.shape)[1:] for v in given}) == 1):
        return joining.concat(given, axis)
    rows = _alike(given)
    if axis == 0:
        splits = partitions.one_after_the_other(*[r.row_splits for r in rows])
        return RaggedTensor(_joined([r.values for r in rows], 0), splits)
    if axis == 1:
        positions, splits = partitions.side_by_side(*[r.row_splits for r in rows])
        return RaggedTensor(picked(_joined([r.values for r in rows], 0), positions), splits)
    splits = rows[0].row_splits
    for other in rows[1:]:
        splits = partitions.same(splits, other.row_splits, who="concat")
    return RaggedTensor(_joined([r.values for r in rows], axis - 1), splits)


def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Tensors along a new axis; their lengths may differ.

    Args:
      values: a list of tensors, ragged or not, of one rank.
      axis: of the result.
      name: ignored.

    >>> tf.ragged.stack([[1, 2], [3], [4, 5, 6]])
    <tf.RaggedTensor [[1, 2], [3], [4, 5, 6]]>
    """
    given = [making.tensor(v) for v in values]
    if not given:
        raise ValueError(errors.compose("ragged.stack: values is empty.", "give at least one tensor."))
    if given[0].ndim == 0:
        return joining.stack(given, axis)
    axis = normalize_axis(axis, given[0].ndim + 1, "ragged.stack")
    if len(given) == 1:
        return expand_dims(_of_ragged_rank(given[0], 1) if given[0].ndim > 1 else given[0], axis)
    if axis:
        return _joined([expand_dims(_of_ragged_rank(v, 1) if v.ndim > 1 else v, axis) for v in given], axis)
    lengths = [making.count(v, dtypes.int64) for v in given]
    return making.from_row_lengths(_joined_rows(given), joining.stack(lengths))


def alone(x: Any) -> Any:
    """One tensor as the only row of a ragged one."""
    return (
        making.from_row_lengths(x, moving.reshape(making.count(x, dtypes.int64), [1])) if x.ndim else joining.stack([x])
    )


def _joined_rows(given: list[Any]) -> Any:
    return joining.concat(given, 0) if all(v.ndim == 1 for v in given) else _joined(given, 0)


def merge_dims(rt: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """The tensor with several neighbouring axes as one."""
    outer = normalize_axis(outer_axis, rt.ndim, "merge_dims", "outer_axis")
    inner = normalize_axis(inner_axis, rt.ndim, "merge_dims", "inner_axis")
    if outer > inner:
        raise ValueError(
            errors.compose(f"merge_dims: outer_axis {outer} is behind inner_axis {inner}.", "exchange them.")
        )
    if outer == inner:
        return rt
    if outer:
        inner_values = rt.values
        if isinstance(inner_values, RaggedTensor):
            if outer > 1:
                return rt.with_values(merge_dims(inner_values, outer - 1, inner - 1))
            return _merged_rows(rt, inner - outer)
        if outer == 1:
            return _merged_with_dense(rt, inner - 1)
        return rt.with_values(_reshaped(inner_values, outer - 1, inner - 1))
    values = rt.values
    return merge_dims(values, 0, inner - 1) if isinstance(values, RaggedTensor) else _reshaped(values, 0, inner - 1)


def _merged_rows(rt: RaggedTensor, count: int) -> Any:
    """The first ragged axis taken together with the next ones."""
    for _ in range(count):
        values = rt.values
        if not isinstance(values, RaggedTensor):
            return _merged_with_dense(rt, 1)
        rt = RaggedTensor(values.values, indexing.gather(values.row_splits, rt.row_splits))
    return rt


def _merged_with_dense(rt: RaggedTensor, count: int) -> RaggedTensor:
    """A ragged axis taken together with axes of fixed length."""
    dims = tuple(rt.values.shape)[1 : count + 1]
    length = int(np.prod(dims))
    return RaggedTensor(_reshaped(rt.values, 0, count), rt.row_splits * length)


def _reshaped(x: Any, outer: int, inner: int) -> Any:
    dims = tuple(x.shape)
    merged = int(np.prod(dims[outer : inner + 1]))
    return moving.reshape(x, [*dims[:outer], merged, *dims[inner + 1 :]])


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor in reverse order along axes."""
    places = [axis] if isinstance(axis, int) else list(np.asarray(convert.convert_to_tensor(axis)).ravel().tolist())
    if not isinstance(tensor, RaggedTensor):
        return moving.reverse(tensor, places)
    found: Any = tensor
    for k in [normalize_axis(a, tensor.ndim, "reverse") for a in places]:
        key = (*(slice(None),) * k, slice(None, None, -1))
        found = found[key]
    return found


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`tf.where` of ragged tensors of one structure."""
    if x is None or y is None:
        if isinstance(condition, RaggedTensor) and x is None and y is None:
            chosen = moving.reshape(elementwise.where(condition.flat_values), [-1])
            return indexing.gather(partitions.coordinates(*condition.nested_row_splits), chosen)
        raise ValueError(errors.compose("where: only one of x and y is given.", "give both, or neither."))
    from gradtape.ragged._elementwise import over_values

    return over_values("where", elementwise.where, (condition, x, y), {})


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """The tensor without an axis of length 1, which must be named."""
    if axis is None or not isinstance(axis, (int, list, tuple)):
        raise ValueError(errors.compose("squeeze: Ragged.squeeze must have an axis argument.", "name the axes."))
    places = sorted(normalize_axis(a, input.ndim, "squeeze") for a in ([axis] if isinstance(axis, int) else axis))
    for k in places[::-1]:
        input = _without(input, k)
    return input


def _without(x: Any, axis: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return moving.squeeze(x, [axis])
    if axis == 0:
        return x.values if x.uniform_row_length is not None or len(x) == 1 else x[0]
    if axis == 1:
        ones = partitions.from_lengths(creating.ones_like(x.row_lengths()))
        partitions.same(ones, x.row_splits, who="squeeze")
        return x.values
    return x.with_values(_without(x.values, axis - 1))


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """The tensor repeated along its axes."""
    found = input
    for k, count in enumerate(integers(multiples, "tile", "multiples")):
        if count != 1:
            found = concat([found] * count, k) if count else found[(*(slice(None),) * k, slice(0))]
    return found
