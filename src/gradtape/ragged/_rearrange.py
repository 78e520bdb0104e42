"""Joining ragged tensors, and changing their axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.api.arguments import integers
from gradtape.arrays import creation, indexing, joining, movement
from gradtape.core import convert, dtypes, errors
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._base import axis_of, is_ragged, match_partitions, ragged
from gradtape.ragged._elementwise import over_values


def picked(values: Any, positions: Any) -> Any:
    """Rows by number, of values that may be ragged."""
    return gather_rows(values, positions) if is_ragged(values) else indexing.gather(values, positions)


def gather_rows(rt: Any, rows: Any, wraps: bool = False) -> Any:
    """Rows by number, given as a vector; negative ones may count from the end."""
    positions, splits = row_partition.rows_at(rt.row_splits, cast(rows, rt.row_splits.dtype), wraps=wraps)
    return ragged(picked(rt.values, positions), splits, rt._uniform)


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor with a new axis of length 1."""
    if not is_ragged(input):
        return movement.expand_dims(input, axis)
    axis = axis_of(axis, input.ndim + 1, "expand_dims")
    if axis == 0:
        rows = movement.reshape(input.nrows(), [1])
        splits = joining.concat([creation.zeros([1], rows.dtype), rows], 0)
        return ragged(input, splits, input.shape[0])
    if axis == 1:
        return construct.from_uniform_row_length(input, 1)
    return input.with_values(expand_dims(input.values, axis - 1))


def _alike(values: Sequence[Any]) -> list[Any]:
    """Ragged and dense tensors as ragged ones of one ragged rank."""
    given = [construct.tensor(v) for v in values]
    rank = max([v.ragged_rank for v in given if is_ragged(v)], default=1)
    return [_of_ragged_rank(v, rank) for v in given]


def _of_ragged_rank(x: Any, rank: int) -> Any:
    if not is_ragged(x):
        return construct.from_tensor(x, ragged_rank=rank)
    if x.ragged_rank == rank:
        return x
    return x.with_values(_of_ragged_rank(x.values, rank - 1))


def _with_rows(x: Any) -> Any:
    """A tensor of rank 2 or more as a ragged one, if it is not ragged yet."""
    return x if is_ragged(x) or x.ndim <= 1 else construct.from_tensor(x, ragged_rank=1)


def concat(values: Sequence[Any], axis: Any, name: str = "concat") -> Any:
    """Tensors concatenated, some of them ragged."""
    given: list[Any] = [values] if is_ragged(values) else [construct.tensor(v) for v in values]
    if len(given) == 1:
        return given[0]
    match_partitions(given, "concat")
    ranks = {v.ndim for v in given}
    if len(ranks) > 1:
        raise errors.build(
            errors.ShapeError,
            f"concat: ranks differ: {sorted(ranks)}.",
            "give all tensors the same number of axes, for instance with tf.expand_dims.",
        )
    axis = axis_of(axis, given[0].ndim, "concat")
    return _joined(given, axis)


def _joined(given: list[Any], axis: int) -> Any:
    is_dense = not any(is_ragged(v) for v in given)
    if is_dense and (axis or len({tuple(v.shape)[1:] for v in given}) == 1):
        return joining.concat(given, axis)
    rows = _alike(given)
    if axis == 0:
        splits = row_partition.one_after_the_other(*[r.row_splits for r in rows])
        return ragged(_joined([r.values for r in rows], 0), splits)
    if axis == 1:
        positions, splits = row_partition.side_by_side(*[r.row_splits for r in rows])
        return ragged(picked(_joined([r.values for r in rows], 0), positions), splits)
    splits = rows[0].row_splits
    for other in rows[1:]:
        splits = row_partition.same(splits, other.row_splits, who="concat")
    return ragged(_joined([r.values for r in rows], axis - 1), splits)


def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Tensors along a new axis; their lengths may differ.

    Args:
      values: a list of tensors, ragged or not, of one rank.
      axis: of the result.

    >>> tf.ragged.stack([[1, 2], [3], [4, 5, 6]])
    <tf.RaggedTensor [[1, 2], [3], [4, 5, 6]]>
    """
    is_list = isinstance(values, (list, tuple))
    given = [construct.tensor(v) for v in (values if is_list else [values])]
    if not given:
        raise ValueError(
            errors.compose("ragged.stack: values is empty: rt_inputs may not be empty.", "give at least one tensor.")
        )
    match_partitions(given, "ragged.stack")
    if given[0].ndim == 0:
        return joining.stack(given, axis)
    axis = axis_of(axis, given[0].ndim + 1, "ragged.stack")
    if len(given) == 1 and axis and not is_ragged(given[0]):
        return joining.stack(given, axis)
    if len(given) == 1 and given[0].ndim > 1:
        return expand_dims(_with_rows(given[0]), axis)
    if axis:
        return _joined([expand_dims(_with_rows(v), axis) for v in given], axis)
    # Lengths of vectors are those that tf.shape gives.
    dtype = (
        dtypes.int32 if given[0].ndim == 1 else next((v.row_splits.dtype for v in given if is_ragged(v)), dtypes.int64)
    )
    lengths = [construct.count(v, dtype) for v in given]
    return construct.from_row_lengths(_joined_rows(given), joining.stack(lengths))


def alone(x: Any) -> Any:
    """A ragged tensor with one tensor as its only row."""
    return (
        construct.from_row_lengths(x, movement.reshape(construct.count(x, dtypes.int64), [1]))
        if x.ndim
        else joining.stack([x])
    )


def _joined_rows(given: list[Any]) -> Any:
    return joining.concat(given, 0) if all(v.ndim == 1 for v in given) else _joined(given, 0)


def merge_dims(rt: Any, outer_axis: int, inner_axis: int) -> Any:
    """The tensor with several neighbouring axes merged."""
    outer = axis_of(outer_axis, rt.ndim, "merge_dims", "outer_axis")
    inner = axis_of(inner_axis, rt.ndim, "merge_dims", "inner_axis")
    if outer > inner:
        raise ValueError(
            errors.compose(
                f"merge_dims: Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner}).",
                "swap them.",
            )
        )
    if outer == inner:
        return rt
    if outer:
        inner_values = rt.values
        if is_ragged(inner_values):
            if outer > 1:
                return rt.with_values(merge_dims(inner_values, outer - 1, inner - 1))
            return _merged_rows(rt, inner - outer)
        if outer == 1:
            return _merged_with_dense(rt, inner - 1)
        return rt.with_values(_reshaped(inner_values, outer - 1, inner - 1))
    values = rt.values
    return merge_dims(values, 0, inner - 1) if is_ragged(values) else _reshaped(values, 0, inner - 1)


def _merged_rows(rt: Any, count: int) -> Any:
    """The first ragged axis taken together with the next ones."""
    for _ in range(count):
        values = rt.values
        if not is_ragged(values):
            return _merged_with_dense(rt, 1)
        rt = ragged(values.values, indexing.gather(values.row_splits, rt.row_splits))
    return rt


def _merged_with_dense(rt: Any, count: int) -> Any:
    """A ragged axis taken together with axes of fixed length."""
    dims = tuple(rt.values.shape)[1 : count + 1]
    length = int(np.prod(dims))
    return ragged(_reshaped(rt.values, 0, count), rt.row_splits * length)


def _reshaped(x: Any, outer: int, inner: int) -> Any:
    dims = tuple(x.shape)
    merged = int(np.prod(dims[outer : inner + 1]))
    return movement.reshape(x, [*dims[:outer], merged, *dims[inner + 1 :]])


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor in reverse order along axes."""
    if isinstance(axis, int):
        raise TypeError(
            errors.compose(
                f"reverse: `axis` must be a list of int or a constant tensor when reversing axes in a ragged tensor, got {axis}.",
                f"use [{axis}].",
            )
        )
    if isinstance(axis, (list, tuple)) and None in axis:
        raise TypeError(
            errors.compose(f"reverse: `axis` must be a list of int or a constant tensor, got {axis}.", "use [0].")
        )
    places = list(np.asarray(convert.convert_to_tensor(axis)).ravel().tolist())
    if not is_ragged(tensor):
        return movement.reverse(tensor, places)
    found: Any = tensor
    for k in [axis_of(a, tensor.ndim, "reverse") for a in places]:
        key = (*(slice(None),) * k, slice(None, None, -1))
        found = found[key]
    return found


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`tf.where` of ragged tensors of one structure."""
    if x is None or y is None:
        if is_ragged(condition) and x is None and y is None:
            chosen = elementwise.where(condition.flat_values)
            outer = indexing.gather(row_partition.coordinates(*condition.nested_row_splits), chosen[:, 0])
            return joining.concat([outer, chosen[:, 1:]], 1)
        raise ValueError(
            errors.compose("where: x and y must be either both None or both non-None.", "give both, or neither.")
        )
    chosen = construct.tensor(condition)
    if is_ragged(x) != is_ragged(y):
        like = x if is_ragged(x) else y
        x, y = [v if is_ragged(v) else convert.like(v, like.dtype) for v in (x, y)]
    else:
        x, y = construct.tensor(x), construct.tensor(y)
    return over_values("where", elementwise.where, (chosen, x, y), {})


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """The tensor without an axis of length 1, which must be named."""
    if axis is not None and not isinstance(axis, (int, list, tuple)):
        raise TypeError(errors.compose(f"squeeze: axis must be an int or a list of ints, got {axis!r}.", "use [0]."))
    if axis is None:
        raise ValueError(errors.compose("squeeze: Ragged.squeeze must have an axis argument.", "name the axes."))
    places = sorted(axis_of(a, input.ndim, "squeeze") for a in ([axis] if isinstance(axis, int) else axis))
    for k in places[::-1]:
        input = _without(input, k)
    return input


def _without(x: Any, axis: int) -> Any:
    if not is_ragged(x):
        return movement.squeeze(x, [axis])
    if axis == 0:
        one = convert.convert_to_tensor(np.array([1], x.row_splits.dtype.numpy))
        row_partition.same(
            row_partition.from_lengths(one), row_partition.from_lengths(movement.reshape(x.nrows(), [1])), who="squeeze"
        )
        return x.values
    if axis == 1:
        ones = row_partition.from_lengths(creation.ones_like(x.row_lengths()))
        row_partition.same(ones, x.row_splits, who="squeeze")
        return x.values
    return x.with_values(_without(x.values, axis - 1))


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str | None = None) -> Any:
    """Parts of the tensor along an axis of fixed length: a number of equal parts, or parts of given lengths."""
    axis = axis_of(axis, value.ndim, "split")
    rows: Any = value.shape[axis] if axis else value.nrows()
    if rows is None:
        raise ValueError(
            errors.compose(f"split: Cannot split a ragged dimension, got axis {axis}.", "split along another axis.")
        )
    total = int(rows)
    sizes = _sizes(num_or_size_splits, total)
    if num is not None and num != len(sizes):
        raise ValueError(
            errors.compose(f"split: `num` does not match num_or_size_splits: {num} vs {len(sizes)}.", "leave num out.")
        )
    ends = np.cumsum(sizes).tolist()
    parts = zip([0, *ends[:-1]], ends, strict=True) if ends else []
    return [value[(*(slice(None),) * axis, slice(start, end))] for start, end in parts]


def _sizes(wanted: Any, total: int) -> list[int]:
    """The lengths of the parts into which a length is split."""
    given = np.asarray(convert.convert_to_tensor(wanted))
    if given.ndim > 1 or given.dtype.kind not in "iu":
        raise TypeError(
            errors.compose(f"split: num_or_size_splits must be ints, got {wanted!r}.", "give a number or a list.")
        )
    if (given.size and given.min() < 0) or (not given.ndim and given < 1):
        raise errors.build(
            errors.RangeError,
            f"split: `num_or_size_splits` must be non-negative, and a number of parts positive, got {given.tolist()}.",
            "give the lengths of the parts.",
        )
    sizes = given.tolist() if given.ndim else [total // int(given)] * int(given)
    if sum(sizes) != total:
        raise errors.build(
            errors.ShapeError,
            f"split: Cannot exactly split the `axis` dimension of `value`, {total}, with num_or_size_splits={given.tolist()}.",
            "give lengths whose sum is that of the axis.",
        )
    return sizes


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """The tensor repeated along its axes."""
    found, counts = input, integers(multiples, "tile", "multiples")
    if len(counts) != input.ndim or min(counts) < 0:
        raise errors.build(
            errors.RangeError,
            f"tile: multiples must be {input.ndim} non-negative numbers, got {list(counts)}.",
            "give a number for each axis.",
        )
    for k, count in enumerate(counts):
        if count != 1:
            found = concat([found] * count, k) if count else found[(*(slice(None),) * k, slice(0))]
    return found
