"""Functions of `tf` that take structured tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.arrays import creation, indexing, joining, movement
from gradtape.core import convert, doors, dtypes, errors
from gradtape.math._conversion import cast
from gradtape.ragged import _structured_shape as shapes
from gradtape.ragged._base import axis_of
from gradtape.ragged._shape_overrides import with_partitions
from gradtape.ragged._structured_tensor import StructuredTensor
from gradtape.random import _functions as random

_gather, _concat, _expand_dims = (
    doors.adapt(indexing.gather),
    doors.adapt(joining.concat),
    doors.adapt(movement.expand_dims),
)


def _each(values: Sequence[Any], function: Callable[[list[Any]], Any], rank: int) -> Any:
    """Apply a function to the fields of structured tensors with equal fields; if they have none, to zeros of their shape."""
    first = values[0]
    if not isinstance(first, StructuredTensor):
        return function(list(values))
    names = first.field_names()
    if not names:
        zeros = function([_zeros_like(v) for v in values])
        return StructuredTensor.from_shape(shapes.of_fields({"x": zeros}, rank, first._ragged_shape.dtype))
    inner = rank - first.rank
    made = {}
    for name in names:
        fields = [v.field_value(name) for v in values]
        made[name] = _each(fields, function, getattr(fields[0], "rank", 0) + inner)
    return StructuredTensor.from_fields(made, [None] * rank)


def _shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    return input._ragged_shape.with_dtype(out_type)


def _rank(input: Any, name: str | None = None) -> Any:
    return convert.convert_to_tensor(input.rank)


def _size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    return cast(input._ragged_shape._num_elements(), dtypes.int32 if out_type is None else out_type)


def _zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    shape = input._ragged_shape
    return with_partitions(creation.zeros(shape.inner_shape, dtypes.float32 if dtype is None else dtype), shape)


def _ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    shape = input._ragged_shape
    return with_partitions(creation.ones(shape.inner_shape, dtypes.float32 if dtype is None else dtype), shape)


def _expanded(input: Any, axis: Any, name: str | None = None) -> Any:
    place = axis_of(axis, input.rank + 1, "expand_dims")
    return _each([input], lambda values: _expand_dims(values[0], place), input.rank + 1)


def _gathered(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    indices = indices if hasattr(indices, "nested_row_splits") else convert.convert_to_tensor(indices)
    place = axis_of(batch_dims if axis is None else axis, params.rank, "gather")
    rank = params.rank - 1 + indices.get_shape().rank - batch_dims
    return _each([params], lambda v: _gather(v[0], indices, validate_indices, place, batch_dims), rank)


def _joined(values: Any, axis: Any, name: str = "concat") -> Any:
    if not isinstance(values, Sequence) or not all(isinstance(v, StructuredTensor) for v in values):
        raise ValueError(
            errors.compose(
                "concat: values must be a list of StructuredTensors.", "make the others structured tensors too."
            )
        )
    if len({frozenset(_ranks(v).items()) for v in values}) > 1:
        raise ValueError(
            errors.compose(
                f"concat: {_difference([_ranks(v) for v in values])}: {[_ranks(v) for v in values]}.",
                "give all the same fields, with as many axes.",
            )
        )
    place = axis_of(axis, values[0].rank, "concat")
    return _each(values, lambda fields: _concat(fields, place), values[0].rank)


def _ranks(value: Any) -> dict[tuple[str, ...], int | None]:
    """The ranks of structured tensors by path; None for other fields."""
    found: dict[tuple[str, ...], int | None] = {(): value.rank}
    for name in value.field_names():
        field = value.field_value(name)
        inner = _ranks(field) if isinstance(field, StructuredTensor) else {(): None}
        found |= {(name, *path): rank for path, rank in inner.items()}
    return found


def _difference(ranks: list[dict[tuple[str, ...], int | None]]) -> str:
    """What structured tensors differ in: the paths of their fields, or the ranks at these."""
    if len({frozenset(found) for found in ranks}) > 1:
        return "Some paths are present in some, but not all, structured tensors"
    return "Ranks of sub-message do not match"


def _shuffled(value: Any, seed: Any = None, name: str | None = None) -> Any:
    if not value.rank:
        raise ValueError(
            errors.compose("shuffle: Cannot shuffle a scalar StructuredTensor.", "a single structure has no rows.")
        )
    return _gathered(value, random.shuffle(creation.range(value.nrows()), seed), axis=0)


_OURS: dict[tuple[str, str], Callable[..., Any]] = {
    ("arrays", "concat"): _joined, ("arrays", "expand_dims"): _expanded, ("arrays", "gather"): _gathered,
    ("arrays", "ones_like"): _ones_like, ("arrays", "rank"): _rank, ("arrays", "shape"): _shape, ("arrays", "size"): _size,
    ("arrays", "zeros_like"): _zeros_like, ("random", "shuffle"): _shuffled,
}  # fmt: skip


def answer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function of `tf` with structured tensors among its arguments; NotImplemented if it takes none."""
    ours = _OURS.get(doors.key_of(function))
    if ours is not None:
        return doors.adapt(ours)(*args, **kwargs)
    from gradtape.toplevel import extension_overrides

    return extension_overrides.answer(function, args, kwargs)
