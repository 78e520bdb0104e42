"""The shape that the fields of a StructuredTensor share: their outer axes, which may be ragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.arrays import indexing, joining, movement, shapes
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.math._conversion import cast
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._dynamic_shape import DynamicRaggedShape, partitions_of
from gradtape.ragged._partition import RowPartition
from gradtape.ragged._tensor import RaggedTensor


def shared(
    fields: Mapping[str, Any], shape: TensorShape, nrows: Any, partitions: Sequence[RowPartition] | None
) -> DynamicRaggedShape:
    """The shape of a StructuredTensor, from its fields and the arguments that describe it."""
    rank, dtype = shape.rank or 0, length_type(fields, nrows, partitions)
    if not rank:
        return DynamicRaggedShape([], np.zeros(0, np.int64), dtype)
    for name, value in fields.items():
        shape = _merged(shape, name, value)
    found = [_of_field(value, rank, dtype) for value in fields.values()]
    if partitions:
        found.insert(0, _of_rows([p.with_dtype(dtype) for p in partitions]))
    if rank == 1 and nrows is not None:
        shape = _merged_sizes(shape, TensorShape([_known(nrows)]), "nrows")
        found.append(DynamicRaggedShape([], movement.reshape(convert.convert_to_tensor(nrows, dtype), [1]), dtype))
    if shape.is_fully_defined():
        found.append(_dense(np.array(shape.as_list()), rank, dtype, shape))
    if not found:
        what = (
            "`nrows`, a fully specified `shape`, or have `fields` if `rank=1`"
            if rank == 1
            else "row_partitions, a fully specified shape, or have fields if rank > 1"
        )
        raise _refused(f"Must specify {what}. The rank is {rank}.", "give nrows=, row_partitions= or fields.")
    return _agreed(found)


def of_fields(fields: Mapping[str, Any], rank: int, dtype: Any) -> DynamicRaggedShape:
    """The shape of the outer axes of some fields."""
    found: DynamicRaggedShape = shared(fields, TensorShape([None] * rank), None, None).with_dtype(dtype)
    return found


def length_type(fields: Mapping[str, Any], nrows: Any = None, partitions: Sequence[RowPartition] | None = None) -> Any:
    """The dtype of row lengths: int32 if all known dtypes are int32, else int64."""
    found = [p.dtype for p in partitions or ()]
    found += [nrows.dtype] if isinstance(nrows, Tensor) else []
    for value in fields.values():
        if isinstance(value, RaggedTensor):
            found.append(value.row_splits.dtype)
        elif hasattr(value, "_ragged_shape") and value.rank:
            found.append(value._ragged_shape.dtype)
    return dtypes.int32 if found and dtypes.int64 not in found else dtypes.int64


def with_partitions(value: Any, partitions: Sequence[RowPartition]) -> Any:
    """A field whose outer rows are those of the whole; a tensor as it is."""
    if not partitions or isinstance(value, Tensor):
        return value
    if isinstance(value, RaggedTensor):
        first = partitions[0]
        inner = with_partitions(value.values, partitions[1:])
        return RaggedTensor(inner, first.row_splits(), first.static_uniform_row_length)
    if not hasattr(value, "_ragged_shape"):
        return value
    own = value._ragged_shape
    shape = _assembled([*partitions, *own.row_partitions[len(partitions) :]], own.inner_shape, own)
    return type(value)({k: with_partitions(v, partitions) for k, v in value._fields.items()}, shape)


def with_length_type(value: Any, dtype: Any) -> Any:
    """A field with row lengths of a dtype."""
    if isinstance(value, RaggedTensor):
        return value.with_row_splits_dtype(dtype)
    return value.with_shape_dtype(dtype) if hasattr(value, "_ragged_shape") else value


def partitioned(value: Any, partition: RowPartition) -> Any:
    """A value whose outermost axis is cut into rows."""
    length = partition.uniform_row_length()
    if isinstance(value, Tensor) and length is not None:
        sizes = shapes.shape(value, partition.dtype)[1:]
        return movement.reshape(value, joining.concat([joining.stack([partition.nrows(), length]), sizes], 0))
    if isinstance(value, (Tensor, RaggedTensor)):
        return RaggedTensor(value, partition.row_splits(), partition.static_uniform_row_length)
    own = value._ragged_shape
    inner = own.inner_shape if own.row_partitions else movement.reshape(partition.nvals(), [1])
    shape = _assembled([partition, *own.row_partitions], inner, own)
    return type(value)({k: partitioned(v, partition) for k, v in value._fields.items()}, shape)


def merged_axes(value: Any, outer: int, inner: int) -> Any:
    """A value with some axes merged."""
    if isinstance(value, RaggedTensor):
        return value.merge_dims(outer, inner)
    if isinstance(value, Tensor):
        sizes = shapes.shape(value)
        return movement.reshape(value, joining.concat([sizes[:outer], [-1], sizes[inner + 1 :]], 0))
    fields = {k: merged_axes(v, outer, inner) for k, v in value._fields.items()}
    return type(value)(fields, _shape_of_merged(value._ragged_shape, outer, inner))


def _shape_of_merged(shape: DynamicRaggedShape, outer: int, inner: int) -> DynamicRaggedShape:
    partitions = shape.row_partitions
    if outer == inner:
        return shape
    if not outer:
        rest = partitions[inner:]
        rows = partitions[inner - 1].nvals()
        return DynamicRaggedShape(rest, shape.inner_shape if rest else movement.reshape(rows, [1]))
    splits = partitions[outer - 1].row_splits()
    for partition in partitions[outer:inner]:
        splits = indexing.gather(partition.row_splits(), splits)
    made = RowPartition.from_row_splits(splits, validate=False)
    return DynamicRaggedShape([*partitions[: outer - 1], made, *partitions[inner:]], shape.inner_shape)


def _of_rows(partitions: Sequence[RowPartition]) -> DynamicRaggedShape:
    """The shape of structures that are cut into rows."""
    return DynamicRaggedShape(partitions, movement.reshape(partitions[-1].nvals(), [1]))


def _of_field(value: Any, rank: int, dtype: Any) -> DynamicRaggedShape:
    """The outer axes of a field, with a partition for each axis but the first."""
    if hasattr(value, "_ragged_shape"):
        own = value._ragged_shape
        partitions = [p.with_dtype(dtype) for p in own.row_partitions[: rank - 1]]
        return _of_rows(partitions) if rank > 1 else DynamicRaggedShape([], own[:1].inner_shape, dtype)
    if not isinstance(value, RaggedTensor):
        is_tensor = isinstance(value, Tensor)
        sizes = shapes.shape(value, dtype)[:rank] if is_tensor else np.array(value.shape[:rank].as_list())
        return _dense(sizes, rank, dtype, static_shape(value)[:rank])
    found = [p.with_dtype(dtype) for p in partitions_of(value)][: rank - 1]
    if rank == 1:
        return DynamicRaggedShape([], movement.reshape(value.nrows(dtype), [1]), dtype)
    if len(found) < rank - 1:
        count, flat = len(found), value.flat_values
        found += _uniform(shapes.shape(flat, dtype), rank - count, dtype, flat.get_shape())
    return _of_rows(found)


def static_shape(value: Any) -> TensorShape:
    """The static shape of a field."""
    found: TensorShape = value.get_shape() if hasattr(value, "get_shape") else value.shape
    return found


def _dense(sizes: Any, rank: int, dtype: Any, known: TensorShape) -> DynamicRaggedShape:
    """The shape of a tensor, with a partition for each axis but the first."""
    if rank == 1:
        return DynamicRaggedShape([], sizes, dtype, static_inner_shape=known)
    return _of_rows(_uniform(sizes, rank, dtype, known))


def _uniform(sizes: Any, rank: int, dtype: Any, known: TensorShape) -> list[RowPartition]:
    found, rows = [], known[0]
    for axis in range(1, rank):
        length = known[axis]
        whole = None if rows is None or length is None else rows * length
        count = _product(sizes, axis) if rows is None else rows
        values = _product(sizes, axis + 1) if whole is None else whole
        one = sizes[axis] if length is None else length
        found.append(RowPartition.from_uniform_row_length(one, nvals=values, nrows=count, validate=False, dtype=dtype))
        rows = whole
    return found


def _product(sizes: Any, count: int) -> Any:
    from gradtape.math._reductions import reduce_prod

    return reduce_prod(sizes[:count])


def _agreed(found: Sequence[DynamicRaggedShape]) -> DynamicRaggedShape:
    """The shape common to all of these, with the static sizes that any of them knows."""
    best = list(found[0].row_partitions)
    if not best:
        return max(found, key=lambda shape: shape._static_inner_shape.is_fully_defined())
    for other in found[1:]:
        for i, (own, partition) in enumerate(zip(best, other.row_partitions, strict=True)):
            splits = _same_splits(own, partition)
            if partition.is_uniform() and not own.is_uniform():
                best[i] = partition
            elif splits is not own.row_splits():
                best[i] = own
    return _of_rows(best)


def _same_splits(own: RowPartition, other: RowPartition) -> Any:
    """The row splits, after a check that the other ones are the same."""
    if own.row_splits() is other.row_splits():
        return own.row_splits()
    if own.static_uniform_row_length is not None and own.static_uniform_row_length == other.static_uniform_row_length:
        return own.row_splits()
    return row_partition.same(own.row_splits(), other.row_splits(), who="StructuredTensor: incompatible row_splits")


def _assembled(partitions: Sequence[RowPartition], inner: Any, like: DynamicRaggedShape) -> DynamicRaggedShape:
    """A shape of partitions of one type of lengths."""
    wanted = partitions[0].dtype if partitions else like.dtype
    return DynamicRaggedShape(
        [p.with_dtype(wanted) for p in partitions], cast(convert.convert_to_tensor(inner), wanted)
    )


def _merged(shape: TensorShape, name: str, value: Any) -> TensorShape:
    own = static_shape(value)
    own = own if own.rank is None else own[: shape.rank]
    return _merged_sizes(shape, own, f"Field {name}")


def _merged_sizes(shape: TensorShape, own: TensorShape, what: str) -> TensorShape:
    if not shape.is_compatible_with(own):
        raise _refused(
            f"{what} has shape {own}, which is incompatible with the shape that was specified or inferred from other "
            f"fields: {shape}. Error in shape of {what.removeprefix('Field ')}.",
            "the outer axes of all fields are those of the whole.",
        )
    return shape.merge_with(own)


def _known(nrows: Any) -> int | None:
    from gradtape.toplevel.inspection import get_static_value

    found = get_static_value(nrows) if isinstance(nrows, Tensor) else nrows
    return None if found is None else int(found)


def _refused(what: str, fix: str) -> ValueError:
    return ValueError(errors.compose(f"StructuredTensor: {what}", fix))
