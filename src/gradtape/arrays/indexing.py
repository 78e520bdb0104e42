"""Elements by index: gathers, scatters, and searches for a position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integer_or_vector, shape
from gradtape.api.arguments import tensor as as_tensor
from gradtape.api.array_op import on_arrays
from gradtape.api.families import family
from gradtape.arrays.movement import expand_dims, squeeze
from gradtape.core import convert, dtypes, errors
from gradtape.core.annotations import TensorLike
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, normalize_axis
from gradtape.core.tensor import Tensor, host, note_leaving
from gradtape.core.variable import Variable
from gradtape.ops import argmax as search
from gradtape.ops import getitem, indexing, movement, scatter
from gradtape.ops.family import dims


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: Any = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of `params` along an axis, at `indices`.

    The gradient of a gather along axis 0 is `tf.IndexedSlices`: only the rows that were used. It is dense if the axis is counted
    from the end.

    Args:
      params: where to take from: a tensor or variable of rank 1 or more.
      indices: integers of any shape, from 0 to the length of the axis.
      validate_indices: ignored; indices are always checked.
      axis: the axis; by default the first one behind the batch dimensions.
      batch_dims: how many leading dimensions `params` and `indices` share.

    Returns:
      A tensor of shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.

    >>> tf.gather([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 0]).numpy()
    array([[5., 6.],
           [1., 2.]], dtype=float32)
    """
    params, indices = as_tensor(params), as_tensor(indices)
    batch_dims = 0 if batch_dims is None else integer(batch_dims, "gather", "batch_dims")
    if type(axis) is int and axis == 0:
        batch_dims = 0  # TensorFlow, too, lets an axis of 0 win
    if batch_dims:
        batch_dims = _batch_dims(batch_dims, indices.ndim, "gather")
    # A scalar has no axis: the op itself says so.
    counted_back = _counts_back(axis)
    axis = batch_dims if axis is None or not params.ndim else _axis_of_gather(axis, params.ndim)
    if counted_back and not axis and not batch_dims and params.ndim and params.dtype.is_floating:
        # The gradient is dense, as in TensorFlow, where only an axis that is given as 0 means rows of a table.
        return squeeze(indexing.Gather(expand_dims(params, 0), indices, axis=1, batch_dims=0), 0)
    return indexing.Gather(params, indices, axis=axis, batch_dims=batch_dims)


def _counts_back(axis: Any) -> bool:
    """Whether an axis is given as a number that counts from the end."""
    if type(axis) is int or axis is None:
        return axis is not None and axis < 0
    known = isinstance(axis, (np.integer, np.ndarray)) or type(axis) is Tensor  # that of a trace is of another type
    return known and bool(np.all(np.asarray(axis) < 0))


def _axis_of_gather(axis: Any, rank: int) -> int:
    if type(axis) is int and not -rank <= axis < rank:
        raise errors.build(
            errors.RangeError,
            f"gather: axis is {axis}, but the input has rank {rank}: {axis} is out of range. Shape must be at least rank "
            f"{axis + 1 if axis >= 0 else -axis} but is rank {rank}.",
            f"use an axis from {-rank} to {rank - 1}; anything else is out of bounds.",
        )
    return normalize_axis(axis, rank, "gather")


def _batch_dims(batch_dims: int, rank: int, who: str) -> int:
    if not -rank <= batch_dims <= rank:
        raise errors.build(
            errors.RangeError,
            f"{who}: batch_dims is {batch_dims}, but indices has rank {rank}.",
            f"use a number from {-rank} to {rank}.",
        )
    return batch_dims + rank if batch_dims < 0 else batch_dims


def gather_nd(
    params: Any, indices: Any, batch_dims: Any = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """Elements or slices of `params` at coordinates.

    Args:
      params: where to take from.
      indices: integers; the last axis holds one index for each of the first dimensions of `params`.
      batch_dims: how many leading dimensions `params` and `indices` share.
      bad_indices_policy: `""` or `"ERROR"`: indices out of range are an error; `"IGNORE"`: zeros for them.

    Returns:
      A tensor of shape `indices.shape[:-1] + params.shape[batch_dims + indices.shape[-1]:]`.

    >>> tf.gather_nd([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [1, 0]]).numpy()
    array([2., 3.], dtype=float32)
    """
    ignored = _ignores("gather_nd", bad_indices_policy)
    params, indices = as_tensor(params), as_tensor(indices)
    batch_dims = _batch_dims(integer_or_vector(batch_dims, "gather_nd", "batch_dims"), indices.ndim, "gather_nd")
    if not ignored:
        return scatter.GatherNd(params, indices, batch_dims=batch_dims)
    good = _in_range(indices, dims(params)[batch_dims:])
    found = scatter.GatherNd(params, indices * good[..., None].astype(indices.dtype.numpy), batch_dims=batch_dims)
    good = good.reshape(good.shape + (1,) * (found.ndim - good.ndim))
    return REGISTRY["where"](good, found, np.zeros((), found.dtype.numpy))


def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None) -> Tensor:
    """Zeros of a shape, to which `updates` are added at coordinates.

    Args:
      indices: integers; the last axis holds one index for each of the first dimensions of the result.
      updates: elements or slices, of shape `indices.shape[:-1] + shape[indices.shape[-1]:]`.
      shape: of the result.
      bad_indices_policy: `""` or `"ERROR"`: indices out of range are an error; `"IGNORE"`: their updates are dropped.

    Returns:
      A tensor of that shape. Updates for one place add up.

    >>> tf.scatter_nd([[1], [3], [1]], [1.0, 2.0, 3.0], [4]).numpy()
    array([0., 4., 0., 2.], dtype=float32)
    """
    places, values, whole = as_tensor(indices), as_tensor(updates), _shape(shape)
    if _ignores("scatter_nd", bad_indices_policy):
        places, values = _within(places, values, whole)
    if values.dtype.kind == "O":
        return _text_scattered(places, values, shape=whole)
    return scatter.ScatterNd(places, values, shape=whole)


def _shape(value: Any) -> tuple[int, ...]:
    return shape(value, "scatter_nd")


def _spec_of_text(indices: Spec, updates: Spec, *, shape: tuple[int, ...]) -> Spec:
    numbers: Any = scatter.ScatterNd
    numbers.check_updates(indices, updates, shape, 0)
    return Spec(shape, updates.dtype)


@on_arrays(_spec_of_text)
def _text_scattered(indices: Any, updates: Any, *, shape: tuple[int, ...]) -> Any:
    """Empty strings of a shape, to which strings are appended at coordinates."""
    positions, rows, inner = scatter.locate("scatter_nd", indices, shape, 0)
    found = np.full((rows, *inner), b"", object)
    np.add.at(found, positions.ravel(), np.reshape(updates, (positions.size, *inner)))
    return found.reshape(shape)


def _ignores(who: str, policy: str) -> bool:
    """True if indices out of range are passed over."""
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: bad_indices_policy must be 'ERROR' or 'IGNORE', got {policy!r}.",
            "leave it out: indices out of range are an error then.",
        )
    return policy == "IGNORE"


def _in_range(indices: Any, shape: tuple[int, ...]) -> Any:
    """Which coordinates lie inside of a shape."""
    note_leaving(indices, "a check of indices")
    places = np.asarray(host(indices._array))
    return np.all((places >= 0) & (places < np.array(shape[: places.shape[-1]])), axis=-1)


def _within(indices: Any, updates: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The coordinates inside of a shape, and their updates."""
    good = _in_range(indices, shape)
    return getitem.boolean_mask(indices, good), getitem.boolean_mask(updates, good)


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A copy of a tensor with `updates` at coordinates.

    Args:
      tensor: what to copy.
      indices: integers; the last axis holds one index for each of the first dimensions of the tensor.
      updates: elements or slices, of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.

    Returns:
      A tensor like the first. Of several updates for one place the last one wins.

    >>> tf.tensor_scatter_nd_update([1.0, 2.0, 3.0], [[0], [2]], [9.0, 8.0]).numpy()
    array([9., 2., 8.], dtype=float32)
    """
    return scatter.TensorScatterNdUpdate(*_operands(tensor, indices, updates))


@family(
    "A tensor like the first. Updates for one place add up.",
    tensor="what to copy.",
    indices="integers; the last axis holds one index for each of the first dimensions of the tensor.",
    updates="elements or slices, of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.",
    bad_indices_policy='`""` or `"ERROR"`: indices out of range are an error; `"IGNORE"`: their updates are dropped.',
)
def _combined(who: str, combine: Callable[[Any, Any, Any], Tensor]) -> Callable[..., Tensor]:
    def function(
        tensor: TensorLike,
        indices: TensorLike,
        updates: TensorLike,
        bad_indices_policy: str = "",
        name: str | None = None,
    ) -> Tensor:
        is_ignored = _ignores(who, bad_indices_policy)
        x, places, values = _operands(tensor, indices, updates)
        if is_ignored:
            places, values = _within(places, values, dims(x))
        return combine(x, places, values)

    return function


tensor_scatter_nd_add = _combined(
    "tensor_scatter_nd_add",
    "A copy of a tensor with `updates` added at coordinates.",
    "tf.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[0], [0]], [1.0, 1.0]).numpy() -> array([3., 2., 3.], dtype=float32)",
    scatter.TensorScatterNdAdd,
)
tensor_scatter_nd_sub = _combined(
    "tensor_scatter_nd_sub",
    "A copy of a tensor with `updates` subtracted at coordinates.",
    "tf.tensor_scatter_nd_sub([1.0, 2.0, 3.0], [[0], [2]], [1.0, 1.0]).numpy() -> array([0., 2., 2.], dtype=float32)",
    lambda x, places, values: scatter.TensorScatterNdAdd(x, places, -values),
)
tensor_scatter_nd_max = _combined(
    "tensor_scatter_nd_max",
    "A copy of a tensor with the larger of its elements and `updates` at coordinates.",
    "tf.tensor_scatter_nd_max([1.0, 2.0, 3.0], [[0], [2]], [5.0, 1.0]).numpy() -> array([5., 2., 3.], dtype=float32)",
    scatter.TensorScatterNdMax,
    returns="A tensor like the first. Where several attain the maximum they share the gradient equally.",
)
tensor_scatter_nd_min = _combined(
    "tensor_scatter_nd_min",
    "A copy of a tensor with the smaller of its elements and `updates` at coordinates.",
    "tf.tensor_scatter_nd_min([1.0, 2.0, 3.0], [[0], [2]], [5.0, 1.0]).numpy() -> array([1., 2., 1.], dtype=float32)",
    scatter.TensorScatterNdMin,
    returns="A tensor like the first. Where several attain the minimum they share the gradient equally.",
)


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The elements or slices of a tensor for which a mask is true.

    Args:
      tensor: what to choose from.
      mask: bools, in the shape of the tensor's axes from `axis` on.
      axis: the first axis that the mask covers; 0 by default.

    Returns:
      A tensor with one axis in place of those that the mask covers.

    >>> tf.boolean_mask([[1.0, 2.0], [3.0, 4.0]], [True, False]).numpy()
    array([[1., 2.]], dtype=float32)
    """
    x = as_tensor(tensor)
    axis = 0 if axis is None else normalize_axis(axis, x.ndim, "boolean_mask")
    if not isinstance(mask, (Tensor, Variable)):
        is_nested = isinstance(mask, (list, tuple)) and set(map(type, mask)) != {bool}
        mask = np.asarray(convert.convert_to_tensor(mask) if is_nested else mask)
    elif mask.get_shape().rank is None:
        raise ValueError(
            errors.compose(
                "boolean_mask: the number of mask dimensions must be specified, even if some dimensions are None.",
                "use mask.set_shape or tf.ensure_shape.",
            )
        )
    if mask.dtype.kind not in "iub":
        raise errors.build(
            errors.DTypeError,
            f"boolean_mask: mask must be bool, got dtype {getattr(mask.dtype, 'name', mask.dtype)}.",
            "compare first: tf.boolean_mask(x, mask != 0); the tensor comes first, then the mask.",
        )
    result: Tensor = getitem.boolean_mask(x, mask if mask.dtype.kind not in "iu" else mask != 0, axis)
    return result


def _operands(value: Any, indices: Any, updates: Any) -> tuple[Any, Any, Any]:
    value = as_tensor(value)
    return value, as_tensor(indices), convert.like(updates, value.dtype)


@family(
    "Integers, in the shape of the input without the axis. There is no gradient.",
    input="real numbers or bools.",
    axis="an int; the first axis by default.",
    output_type="int16, uint16, int32 or int64.",
)
def _position(who: str, op: Any) -> Callable[..., Tensor]:
    def function(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Tensor:
        return _extremum(op, input, axis, output_type)

    return function


argmax = _position(
    "argmax",
    "The position of the largest value along an axis; of equal ones the first.",
    "tf.argmax([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy() -> array([1, 0])",
    search.ArgMax,
)
argmin = _position(
    "argmin",
    "The position of the smallest value along an axis; of equal ones the first.",
    "tf.argmin([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy() -> array([0, 1])",
    search.ArgMin,
)


_POSITIONS = (dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64)


def _extremum(op: Any, x: Any, axis: Any, output_type: Any) -> Tensor:
    x = as_tensor(x)
    axis = normalize_axis(0 if axis is None else axis, x.ndim, op.name)
    result: Tensor = op(x, axis=axis, output_type=_position_type(op.name, output_type))
    return result


def _position_type(who: str, output_type: Any) -> dtypes.DType:
    dtype = dtypes.int64 if output_type is None else dtypes.as_dtype(output_type)
    if dtype not in _POSITIONS:
        raise errors.build(
            errors.DTypeError,
            f"{who}: the output type must be int16, uint16, int32 or int64, got {dtype.name}.",
            "use tf.int32 or tf.int64.",
        )
    return dtype


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """The positions at which values would be inserted into a sorted sequence.

    Args:
      sorted_sequence: numbers that rise along the last axis.
      values: what to look up; all dimensions but the last are those of the sequence.
      side: `"left"`: before equal elements; `"right"`: behind them.
      out_type: int32 or int64; None is int32.

    Returns:
      Integers in the shape of the values. There is no gradient.

    >>> tf.searchsorted([1.0, 3.0, 5.0], [3.0, 4.0]).numpy()
    array([1, 2], dtype=int32)
    """
    if side not in ("left", "right"):
        raise ValueError(
            errors.compose(f"searchsorted: side must be 'left' or 'right', got {side!r}.", "use 'left' or 'right'.")
        )
    sequence = as_tensor(sorted_sequence)
    values = convert.like(values, sequence.dtype)
    output_type = _position_type("searchsorted", dtypes.int32 if out_type is None else out_type)
    if sequence.ndim and values.ndim != sequence.ndim and dims(sequence)[:-1].count(1) == sequence.ndim - 1:
        sequence = movement.Reshape(sequence, shape=(1,) * (values.ndim - 1) + dims(sequence)[-1:])
    return search.SearchSorted(sequence, values, side=side, output_type=output_type)


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the prediction for the target is among the `k` largest of its row.

    Args:
      targets: class numbers `[n]`.
      predictions: `[n, classes]`.
      k: how many count. Classes that tie at the boundary all count.

    Returns:
      Bools `[n]`; false for a target out of range, and where a prediction is not finite. There is no gradient.

    >>> tf.math.in_top_k([0, 2], [[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]], k=2).numpy()
    array([False,  True])
    """
    k = integer(k, "in_top_k", "k")
    return search.InTopK(as_tensor(targets), as_tensor(predictions), k=k)
