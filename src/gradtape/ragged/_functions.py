"""The functions of `tf.ragged` that make ragged tensors."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from gradtape.api.arguments import integer
from gradtape.arrays import creation, indexing, movement, sorting
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.ragged import _construct as construct
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _row_partition as partition_steps
from gradtape.ragged._base import match_partitions
from gradtape.ragged._tensor import RaggedTensor


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor | Any:
    """A ragged tensor of a nested list.

    Args:
      pylist: nested lists of numbers or strings.
      dtype: of the values; by default that of the first kind that holds all.
      ragged_rank: how many axes are ragged; by default all but the last level of lists, or what `inner_shape` leaves.
      inner_shape: the shape of the innermost values, if these are lists themselves.
      row_splits_dtype: int64 or int32.

    Returns:
      A RaggedTensor, or a Tensor if no axis is ragged.

    >>> tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    <tf.RaggedTensor [[1, 2], [], [3, 4, 5]]>
    """
    rows, splits, below = cut(_plain(pylist), ragged_rank, inner_shape, dtypes.as_dtype(row_splits_dtype).numpy)
    if not splits:
        return convert.constant(rows, dtype, below)
    flat = convert.convert_to_tensor(rows, dtype)
    if not rows:
        flat = movement.reshape(flat, [0, *(below or ())])
    return construct.from_nested_row_splits(flat, splits, validate=False)


def cut(
    pylist: Any, ragged_rank: int | None, inner_shape: Any, splits_dtype: Any
) -> tuple[Any, list[Any], tuple[int, ...] | None]:
    """The innermost lists of nested ones, the row splits of each level, and the shape of the innermost values if it is known."""
    depth = _depth(pylist)
    inner = None if inner_shape is None else tuple(inner_shape)
    _check_nesting(pylist, depth, ragged_rank, inner)
    if ragged_rank is None:
        ragged_rank = max(depth - 1 - len(inner or ()), 0)
    if not depth or not ragged_rank:
        return pylist, [], inner
    splits, rows = [], pylist
    for level in builtins.range(ragged_rank):
        if not all(isinstance(row, list) for row in rows):
            raise _refused(
                f"pylist has scalar values depth {level + 1}, but ragged_rank={ragged_rank} requires scalar value depth "
                f"greater than {ragged_rank}."
            )
        splits.append(partition_steps.splits_of([len(row) for row in rows], splits_dtype))
        rows = [item for row in rows for item in row]
    if not _is_rectangular(rows):
        raise _refused("inner values have inconsistent shape.")
    below = inner if inner is not None else (0,) * max(depth - ragged_rank - 1, 0)
    if rows and inner is not None and np.shape(rows)[1:] != inner:
        raise _refused(f"inner values must have shape {list(inner)}, got {list(np.shape(rows)[1:])}.")
    return rows, splits, below


def _refused(what: str) -> Exception:
    return ValueError(
        errors.compose(f"ragged.constant: {what}", "leave ragged_rank and inner_shape out, or check the list.")
    )


def _check_nesting(pylist: Any, depth: int, ragged_rank: int | None, inner: tuple[int, ...] | None) -> None:
    """Refuse lists whose nesting does not suit the ragged rank and the shape of the inner values."""
    shown = errors.brief(pylist)
    if ragged_rank is not None and ragged_rank < 0:
        raise _refused(f"Invalid ragged_rank={ragged_rank}: must be nonnegative.")
    if not depth and ragged_rank:
        raise _refused(f"Invalid pylist={shown}: incompatible with ragged_rank={ragged_rank}.")
    if not depth and inner:
        raise _refused(f"Invalid pylist={shown}: incompatible with dim(inner_shape)={len(inner)}.")
    depths = _scalar_depths(pylist)
    if len(depths) > 1:
        raise _refused("all scalar values must have the same nesting depth.")
    if depths and max(depths) < depth:
        raise _refused(f"Invalid pylist={shown}: empty list nesting is greater than scalar value nesting.")
    if ragged_rank is not None and inner is not None:
        wanted = ragged_rank + len(inner) + 1
        if wanted != depth if depths else wanted < depth:
            raise _refused(
                f"Invalid pylist={shown}: incompatible with ragged_rank={ragged_rank} and dim(inner_shape)={len(inner)}."
            )


def _scalar_depths(value: Any) -> set[int]:
    """The nesting depths of the scalars in nested lists."""
    return {1 + d for v in value for d in _scalar_depths(v)} if isinstance(value, list) else {0}


def _is_rectangular(rows: list[Any]) -> bool:
    """True if, at each depth, all lists have the same length."""
    nested = [row for row in rows if isinstance(row, list)]
    if not nested:
        return True
    if len(nested) < len(rows) or len({len(row) for row in nested}) > 1:
        return False
    return _is_rectangular([item for row in nested for item in row])


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        # Python's floats become float32; NumPy's keep their dtype, so these stay.
        keeps = value.ndim and (value.dtype == object or value.dtype.name in ("float16", "float64"))
        return [_plain(v) for v in value] if keeps else value.tolist()
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def _depth(value: Any) -> int:
    return 1 + max([_depth(v) for v in value], default=0) if isinstance(value, list) else 0


def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """A ragged tensor whose rows are ranges.

    Args:
      starts: the first number of each row, or the end, if that is not given.
      limits: the ends, which do not belong to the rows.
      deltas: the steps.
      dtype: of the numbers.
      row_splits_dtype: int64 or int32.

    >>> tf.ragged.range([3, 5, 2])
    <tf.RaggedTensor [[0, 1, 2], [0, 1, 2, 3, 4], [0, 1]]>
    """
    if limits is None:
        starts, limits = 0, starts
    given = [construct.tensor(x) for x in (starts, limits, deltas)]
    rank = {x.dtype: i for i, x in enumerate(given) if not isinstance((starts, limits, deltas)[i], int)}
    wanted = dtypes.as_dtype(dtype) if dtype is not None else next(iter(rank), given[1].dtype)
    given = [cast(x, wanted) for x in given]
    if any(x.ndim > 1 for x in given):
        raise errors.build(
            errors.ShapeError,
            "ragged.range: starts, limits and deltas must be a scalar or vector each.",
            "give one axis.",
        )
    counts = {x.get_shape()[0] for x in given if x.ndim} - {None}
    if len(counts) > 1:
        raise errors.build(
            errors.ShapeError,
            f"ragged.range: starts, limits, and deltas must have the same shape, got lengths {sorted(counts)}.",
            "give numbers, or vectors of one length.",
        )
    rows = max([int(x.shape[0]) for x in given if x.ndim], default=1)
    first, last, step = [movement.broadcast_to(x, [rows]) for x in given]
    steps, splits = partition_steps.steps_of_ranges(first, last, step)
    rowids = partition_steps.to_rowids(splits)
    values = indexing.gather(first, rowids) + cast(steps, wanted) * indexing.gather(step, rowids)
    return RaggedTensor(values, cast(splits, row_splits_dtype))


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> RaggedTensor | Any:
    """The values for which a mask is true, in their rows.

    Args:
      data: a ragged or dense tensor.
      mask: bools, ragged or dense, in the shape of the first axes of `data`.

    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, False]])
    <tf.RaggedTensor [[1, 3], []]>
    """
    data, given = construct.tensor(data), mask
    mask = construct.tensor(mask)
    match_partitions((data, mask), "ragged.boolean_mask")
    if mask.dtype is not dtypes.bool_:
        # A list that cannot be converted is of a wrong type, a tensor of another dtype has a wrong value.
        kind = ValueError if isinstance(given, (Tensor, RaggedTensor)) else TypeError
        raise kind(
            errors.compose(
                f"ragged.boolean_mask: mask must be bool, got {mask.dtype.name}: Tensor conversion requested dtype bool for "
                f"{type(mask).__name__} with dtype {mask.dtype.name}.",
                "compare first: mask != 0.",
            )
        )
    if mask.ndim == 0:
        raise ValueError(errors.compose("ragged.boolean_mask: mask cannot be scalar.", "give at least one axis."))
    if not isinstance(mask, RaggedTensor) and mask.ndim == 1:
        if not mask.get_shape().is_compatible_with(data.get_shape()[:1]):
            raise errors.build(
                errors.ShapeError,
                f"ragged.boolean_mask: mask must have the first dimensions of data, got {mask.get_shape()} for "
                f"{data.get_shape()}.",
                "give a bool for each row, or for each element.",
            )
        return rearrange.picked(data, movement.reshape(elementwise.where(mask), [-1]))
    if not isinstance(mask, RaggedTensor):
        mask = construct.from_tensor(mask, ragged_rank=mask.ndim - 1)
    elif mask.flat_values.ndim > 1:
        flat = construct.from_tensor(mask.flat_values, ragged_rank=mask.flat_values.ndim - 1)
        mask = mask.with_flat_values(flat)
    if not isinstance(data, RaggedTensor):
        data = construct.from_tensor(data, ragged_rank=min(mask.ragged_rank, data.ndim - 1))
    splits = partition_steps.same(
        data.row_splits, cast(mask.row_splits, data.row_splits.dtype), who="ragged.boolean_mask"
    )
    if isinstance(mask.values, RaggedTensor):
        return RaggedTensor(boolean_mask(data.values, mask.values), splits)
    positions, left = partition_steps.true_values(mask.values, splits)
    return RaggedTensor(rearrange.picked(data.values, positions), left)


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The row number of each value.

    >>> tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).numpy()
    array([0, 0, 0, 2, 2])
    """
    given = construct.partition(splits, "row_splits_to_segment_ids", "splits")
    if given.get_shape()[0] == 0:
        raise ValueError(errors.compose("row_splits_to_segment_ids: Invalid row_splits: [].", "give [0] for no rows."))
    found = partition_steps.to_rowids(given)
    return found if out_type is None else cast(found, out_type)


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """The row splits of sorted row numbers.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).numpy()
    array([0, 3, 3, 5])
    """
    given = construct.tensor(segment_ids)
    if not given.dtype.is_integer and given.get_shape() != [0]:
        raise TypeError(
            errors.compose(
                "segment_ids_to_row_splits: Argument `tensor` (name: segment_ids) must be of type integer, got "
                f"{given.dtype.name}.",
                "use tf.cast(segment_ids, tf.int64).",
            )
        )
    ids = construct.partition(segment_ids, "segment_ids_to_row_splits", "segment_ids")
    count = cast(construct.tensor(-1 if num_segments is None else num_segments), ids.dtype)
    found = partition_steps.from_rowids(ids, count)
    return found if out_type is None else cast(found, out_type)


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> RaggedTensor | Any:
    """A ragged tensor whose rows are the parts of a tensor.

    Args:
      data: a tensor, ragged or not.
      partitions: for each element (or slice) of data the number of its part.
      num_partitions: how many parts.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 3)
    <tf.RaggedTensor [[b'b'], [b'a', b'c'], []]>
    """
    data, parts = construct.tensor(data), construct.tensor(partitions)
    if isinstance(parts, RaggedTensor):
        rows = data if isinstance(data, RaggedTensor) else construct.from_tensor(data)
        partition_steps.same(
            rows.row_splits,
            cast(parts.row_splits, rows.row_splits.dtype),
            who="stack_dynamic_partitions: data and partitions have incompatible ragged shapes",
        )
        inner = rows.values
        return stack_dynamic_partitions(inner, parts.values, num_partitions)
    if isinstance(data, RaggedTensor) and parts.ndim > 1:
        raise ValueError(
            errors.compose("stack_dynamic_partitions: data is ragged, partitions is not.", "give ragged partitions.")
        )
    if not parts.get_shape().is_compatible_with(data.get_shape()[: parts.ndim]):
        raise errors.build(
            errors.ShapeError,
            f"stack_dynamic_partitions: partitions must have the first dimensions of data: Shapes "
            f"{parts.get_shape()} and {data.get_shape()[: parts.ndim]} are incompatible.",
            "give a number for each element, or slice, of data.",
        )
    if isinstance(data, RaggedTensor) and not parts.ndim:
        data, parts = rearrange.expand_dims(data, 0), movement.reshape(parts, [1])
    elif parts.ndim != 1:
        data = movement.reshape(data, [-1, *tuple(data.shape)[parts.ndim :]])
        parts = movement.reshape(parts, [-1])
    given = construct.tensor(num_partitions)
    if given.get_shape().rank not in (None, 0):
        raise errors.build(
            errors.ShapeError,
            f"stack_dynamic_partitions: num_partitions must be a scalar (0-D): Shape {given.get_shape()} must have rank 0.",
            "give an int or a scalar tensor.",
        )
    count = integer(num_partitions, "stack_dynamic_partitions", "num_partitions")
    parts = partition_steps.checked_parts(parts, count=count)
    order = sorting.argsort(parts, stable=True)
    rowids = indexing.gather(parts, order)
    if isinstance(data, RaggedTensor):
        rowids = cast(rowids, data.row_splits.dtype)
    return construct.from_value_rowids(rearrange.picked(data, order), rowids, count)


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Zeros in the rows of a ragged tensor."""
    return input.with_flat_values(creation.zeros_like(input.flat_values, dtype))


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Ones in the rows of a ragged tensor."""
    return input.with_flat_values(creation.ones_like(input.flat_values, dtype))
