"""Results of different sizes, collected in a loop whose number of steps is not known while tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.arrays import creation, joining, movement
from gradtape.arrays import shapes as shaping
from gradtape.control_flow.functions import while_loop
from gradtape.control_flow.tensor_array import TensorArray
from gradtape.core import convert, dtypes, errors
from gradtape.core.doors import adapt
from gradtape.core.shape import TensorShape
from gradtape.core.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape.math import _elementwise as elementwise
from gradtape.math._conversion import cast
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged._spec import RaggedTensorSpec
from gradtape.tracing.control.block import BlockTrace


def collect(results: Callable[[Any], list[Any]], count: Any, wanted: list[Any]) -> list[Any]:
    """The results for the numbers from 0 to count, stacked.

    Args:
      results: a function of a number, as a tensor.
      count: how many numbers, as a tensor.
      wanted: the specs of the results.
    """
    count = cast(count, dtypes.int32)
    wanted = _with_ranks(results, wanted)

    def step(i: Any, *so_far: Any) -> list[Any]:
        new = results(i)
        return [i + 1, *[_with(a, v, i, w) for a, v, w in zip(so_far, new, wanted, strict=True)]]

    start = [_empty(w, count) for w in wanted]
    shapes = [TensorShape([]), *[_whole(w) for w in wanted]]
    _, *found = while_loop(lambda i, *_: i < count, step, [convert.convert_to_tensor(0), *start], shapes)
    return [f.stack() if isinstance(f, TensorArray) else f for f in found]


def _with_ranks(results: Callable[[Any], list[Any]], wanted: list[Any]) -> list[Any]:
    """The specs, with the ranks of the results where the specs leave them open."""
    if not any(isinstance(w, SparseTensorSpec) and w.shape.rank is None for w in wanted):
        return wanted
    with BlockTrace("one result"):
        found = results(convert.convert_to_tensor(0))
    return [
        SparseTensorSpec([None] * v.shape.rank, w.dtype)
        if isinstance(w, SparseTensorSpec) and w.shape.rank is None and v.shape.rank is not None
        else w
        for v, w in zip(found, wanted, strict=True)
    ]


def nothing(wanted: Any) -> Any:
    """A ragged or sparse tensor without rows, to which rows of a spec can be added."""
    shape = wanted.shape
    if shape.rank is None:
        raise errors.build(
            errors.ShapeError,
            f"map_fn: fn_output_signature must tell the rank of its results, got {wanted!r}.",
            "give a shape, with None for sizes that vary.",
        )
    spec = _whole(wanted)
    if isinstance(wanted, SparseTensorSpec):
        places = creation.zeros([0, shape.rank + 1], dtypes.int64)
        return SparseTensor(places, creation.zeros([0], wanted.dtype), [0] * (shape.rank + 1))
    inner = [0 if d is None else d for d in shape.as_list()[spec.ragged_rank :]]
    splits = [creation.zeros([1], spec.row_splits_dtype)] * spec.ragged_rank
    return spec._form().build([creation.zeros([0, *inner], wanted.dtype), *splits])


def behind(number: Any, places: Any) -> Any:
    """The indices of a sparse tensor as those of one row of another."""
    rows = shaping.shape(places)[:1]
    column = creation.fill(joining.concat([rows, [1]], 0), cast(convert.convert_to_tensor(number), dtypes.int64))
    return joining.concat([column, places], 1)


def _whole(wanted: Any) -> Any:
    """The invariant of the rows so far."""
    if isinstance(wanted, RaggedTensorSpec):
        shape = TensorShape([None, *wanted.shape.as_list()])
        return RaggedTensorSpec(shape, wanted.dtype, wanted.ragged_rank + 1, wanted.row_splits_dtype)
    if isinstance(wanted, SparseTensorSpec):
        return SparseTensorSpec([None, *[None for _ in wanted.shape]], wanted.dtype)
    return None


def _empty(wanted: Any, count: Any) -> Any:
    if isinstance(wanted, (RaggedTensorSpec, SparseTensorSpec)):
        return nothing(wanted)
    return TensorArray(wanted.dtype, size=count, element_shape=wanted.shape)


def _with(so_far: Any, value: Any, i: Any, wanted: Any) -> Any:
    """The rows so far and one more."""
    if isinstance(wanted, RaggedTensorSpec):
        return _whole(wanted)._tell(adapt(append)(so_far, adapt(rearrange.alone)(value)))
    if isinstance(wanted, SparseTensorSpec):
        return _whole(wanted)._tell(adapt(with_sparse)(so_far, value, i))
    return so_far.write(i, value)


def append(so_far: Any, row: Any) -> Any:
    """The rows so far and one more. The first one determines inner sizes that were unknown."""
    return row if so_far.row_splits.get_shape() == [1] else rearrange.concat([so_far, row], 0)


def with_sparse(so_far: SparseTensor, value: SparseTensor, i: Any) -> SparseTensor:
    """The rows so far and one more, of sparse tensors."""
    rows = movement.reshape(cast(i, dtypes.int64) + 1, [1])
    sizes = elementwise.maximum(so_far.dense_shape[1:], value.dense_shape)
    return SparseTensor(
        joining.concat([so_far.indices, behind(i, value.indices)], 0),
        joining.concat([so_far.values, value.values], 0),
        joining.concat([rows, sizes], 0),
    )
