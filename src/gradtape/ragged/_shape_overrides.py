"""Functions of `tf` that take the shapes of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.arrays import creation, indexing, joining, movement, shapes
from gradtape.core import convert, doors, dtypes, errors
from gradtape.core.composite import Composite
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.math._conversion import cast
from gradtape.ragged import _broadcast as broadcast
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._dynamic_shape import DynamicRaggedShape
from gradtape.ragged._partition import of_splits

# In a function that does not know the sizes, it becomes a node that waits for them.
_broadcast_sizes = doors.adapt(shapes.broadcast_dynamic_shape, True)


def _values_like(shape: Any) -> Any:
    """The number of each value of a shape, in its rows: a tensor, ragged or not, that has this shape."""
    numbers = row_partition.numbers(shape.inner_shape)
    numbers.set_shape(shape._static_inner_shape)
    return with_partitions(numbers, shape)


def with_partitions(flat: Any, shape: Any) -> Any:
    """Flat values in the rows of a shape."""
    splits = [p.row_splits() for p in shape.row_partitions]
    lengths = [p.static_uniform_row_length for p in shape.row_partitions]
    return broadcast.assemble(flat, splits, lengths, shape.dtype)


def _fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    return with_partitions(creation.fill(dims.inner_shape, value), dims)


def _ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Any:
    return with_partitions(creation.ones(shape.inner_shape, dtype), shape)


def _zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Any:
    return with_partitions(creation.zeros(shape.inner_shape, dtype), shape)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    flat = tensor.flat_values if isinstance(tensor, Composite) else tensor  # type: ignore[attr-defined]
    if not isinstance(shape, DynamicRaggedShape):
        return movement.reshape(flat, shape)
    return with_partitions(movement.reshape(flat, shape.inner_shape), shape)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    if not isinstance(shape, DynamicRaggedShape):
        shape = DynamicRaggedShape([], shape)
    if shape.rank is None:
        raise errors.build(
            ValueError,
            "Rank of destination shape must be known.",
            "give the shape as a list of sizes, or as a vector whose length is known.",
        )
    x: Any = input if isinstance(input, (Composite, Tensor)) else convert.convert_to_tensor(input)
    if x.ndim > shape.rank:
        raise errors.build(
            ValueError,
            "Cannot broadcast to a shape with smaller rank.",
            f"broadcast to a shape of rank {x.ndim} or more; a tensor loses axes with tf.squeeze.",
        )
    if not shape.num_row_partitions and not isinstance(x, Composite):
        return movement.broadcast_to(x, shape.inner_shape)
    target = _values_like(shape)
    own = shape.rank - x.ndim + x.ragged_rank if hasattr(x, "nested_row_splits") else 0
    count = max(shape.num_row_partitions, own)
    flat, levels = broadcast.with_levels(x, shape.rank, count)
    numbers, others = broadcast.with_levels(target, shape.rank, count)
    positions, _, _ = broadcast.broadcast_levels(levels, others, target=True)
    values = indexing.gather(flat, positions)
    values = movement.broadcast_to(values, shapes.shape(numbers))
    return with_partitions(movement.reshape(values, shape.inner_shape), shape)


def _broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    first: Any
    second: Any
    first, second = [s if isinstance(s, DynamicRaggedShape) else DynamicRaggedShape([], s) for s in (shape_x, shape_y)]
    if first.rank is None or second.rank is None:
        raise errors.build(ValueError, "Unable to broadcast: unknown rank.", "give both shapes a known rank.")
    if first.dtype is not second.dtype:
        first, second = first.with_dtype(dtypes.int64), second.with_dtype(dtypes.int64)
    if not first.num_row_partitions and not second.num_row_partitions:
        return DynamicRaggedShape([], _broadcast_sizes(first.inner_shape, second.inner_shape))
    x, y = _values_like(first), _values_like(second)
    rank: int = max(first.rank, second.rank)
    count = max([rank - s.rank + s.num_row_partitions for s in (first, second) if s.num_row_partitions])
    (x_flat, x_levels), (y_flat, y_levels) = [broadcast.with_levels(v, rank, count) for v in (x, y)]
    _, _, levels = broadcast.broadcast_levels(x_levels, y_levels)
    inner = [shapes.shape(flat, first.dtype)[1:] for flat in (x_flat, y_flat)]
    known = [flat.get_shape()[1:] for flat in (x_flat, y_flat)]
    sizes = joining.concat([cast(levels.splits[-1][-1:], first.dtype), _broadcast_sizes(*inner)], 0)
    lengths = broadcast.known_lengths(x, y, rank, count)
    partitions = [of_splits(cast(s, first.dtype), n) for s, n in zip(levels.splits, lengths, strict=True)]
    static = TensorShape([None, *shapes.broadcast_static_shape(*known)])
    return DynamicRaggedShape(partitions, sizes, static_inner_shape=static)


_OURS: dict[tuple[str, str], Callable[..., Any]] = {
    ("arrays", "broadcast_dynamic_shape"): _broadcast_dynamic_shape,
    ("arrays", "broadcast_to"): broadcast_to,
    ("arrays", "fill"): _fill,
    ("arrays", "ones"): _ones,
    ("arrays", "reshape"): reshape,
    ("arrays", "zeros"): _zeros,
}


def answer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function of `tf` with shapes of ragged tensors among its arguments; NotImplemented if it takes none."""
    ours = _OURS.get(doors.key_of(function))
    return NotImplemented if ours is None else doors.adapt(ours)(*args, **kwargs)


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The shape of a ragged tensor."""
    return DynamicRaggedShape.from_tensor(input, out_type)
