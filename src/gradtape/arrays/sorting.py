"""Sorting, the largest few, distinct elements, permutations, and fits that keep an order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.api.array_op import on_arrays
from gradtape.api.families import family
from gradtape.core import dtypes, errors
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor, wrap
from gradtape.ops import sorting
from gradtape.ops.cast import Cast
from gradtape.ops.family import dims
from gradtape.ops.indexing import Gather, ScatterRows
from gradtape.ops.isotonic import IsotonicRegression
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import ReduceAll
from gradtape.ops.slicing import StridedSlice


class TopKV2(NamedTuple):
    """The largest values and their positions."""

    values: Tensor
    indices: Tensor


class ApproxTopK(NamedTuple):
    """The largest or smallest values and their positions."""

    values: Tensor
    indices: Tensor


class Unique(NamedTuple):
    """Distinct values, and which of them each element is."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """Distinct values, which of them each element is, and how often each occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]


def sort(values: Any, axis: Any = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements along an axis in ascending or descending order. NaN is treated as the largest value.

    Args:
      values: real numbers.
      axis: an int; the last axis by default.
      direction: `"ASCENDING"` or `"DESCENDING"`.

    Returns:
      A tensor like the values. The gradient of a place goes to the element that came there.

    >>> tf.sort([3.0, 1.0, 2.0]).numpy()
    array([1., 2., 3.], dtype=float32)
    """
    x, back = _axis_last(values, axis, "sort")
    return _moved(sorting.Sort(x, descending=_falls(direction, "sort")), back)


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The positions that put the elements along an axis in order.

    Args:
      values: real numbers.
      axis: an int; the last axis by default.
      direction: `"ASCENDING"` or `"DESCENDING"`.
      stable: ignored; equal elements always keep their order.

    Returns:
      Integers in the shape of the values. There is no gradient.

    >>> tf.argsort([3.0, 1.0, 2.0]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    x, back = _axis_last(values, axis, "argsort")
    order = sorting.ArgSort(x, descending=_falls(direction, "argsort"), output_type=dtypes.int32)
    return _moved(order, back)


def _falls(direction: str, who: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            errors.compose(
                f"{who}: direction must be 'ASCENDING' or 'DESCENDING', got {direction!r}.",
                "use 'ASCENDING' or 'DESCENDING'.",
            )
        )
    return direction == "DESCENDING"


def _axis_last(value: Any, axis: Any, who: str) -> tuple[Any, tuple[int, ...] | None]:
    """A tensor with an axis moved to the end, and the permutation that moves it back; None if it is there already."""
    x = tensor(value)
    rank = x.ndim
    if isinstance(axis, int) and not -rank <= axis < rank:
        raise errors.build(
            errors.RangeError,
            f"{who}: axis is {axis}, a slice index of the shape {list(dims(x))} that is out of bounds.",
            f"use an axis from {-rank} to {rank - 1}." if rank else "a scalar has no axes: sort a vector.",
        )
    place = axis % rank if type(axis) is int else normalize_axis(axis, rank, who)
    if place == rank - 1:
        return x, None
    swap = list(range(rank))
    swap[place], swap[-1] = swap[-1], swap[place]
    return Transpose(x, perm=tuple(swap)), tuple(swap)


def _moved(x: Any, swap: tuple[int, ...] | None) -> Tensor:
    return x if swap is None else Transpose(x, perm=swap)


_POSITIONS = (dtypes.int16, dtypes.int32, dtypes.int64)


def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32, name: str | None = None
) -> TopKV2:
    """The `k` largest elements along the last axis, in descending order, and their positions.

    Args:
      input: real numbers, with at least one axis. NaN counts as larger than anything.
      k: how many.
      sorted: ignored; the result is always sorted.
      index_type: int16, int32 or int64.

    Returns:
      The pair `values`, `indices`. Of equal elements the first comes first. The gradient goes to the elements chosen.

    >>> values, indices = tf.math.top_k([1.0, 5.0, 3.0], k=2)
    >>> values.numpy(), indices.numpy()
    (array([5., 3.], dtype=float32), array([1, 2], dtype=int32))
    """
    dtype = dtypes.as_dtype(index_type)
    if dtype not in _POSITIONS:
        raise errors.build(
            errors.DTypeError,
            f"top_k: index_type must be int16, int32 or int64, got {dtype.name}.",
            "use int16, int32 or int64.",
        )
    if type(k) is not int and (isinstance(k, (list, tuple)) or getattr(k, "ndim", 0) > 0):
        raise errors.build(errors.ShapeError, f"top_k: k must be scalar, got {k!r}.", "give a single int.")
    return TopKV2(*sorting.TopK(tensor(input), k=integer(k, "top_k", "k"), index_type=dtype))


def approx_top_k(
    input: Any,
    k: Any,
    reduction_dimension: Any = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest or smallest elements along an axis, and their positions. The result is exact.

    Args:
      input: floating point numbers.
      k: how many.
      reduction_dimension: the axis.
      recall_target: ignored.
      is_max_k: True for the largest, False for the smallest.
      reduction_input_size_override: ignored.
      aggregate_to_topk: ignored.

    Returns:
      The pair `values`, `indices`.

    >>> tf.approx_top_k([4.0, 1.0, 3.0], k=2, is_max_k=False).values.numpy()
    array([1., 3.], dtype=float32)
    """
    return _nearly("approx_top_k", input, k, reduction_dimension, is_max_k)


@family(
    "The pair `values`, `indices`.",
    operand="floating point numbers.",
    k="how many.",
    reduction_dimension="the axis.",
    recall_target="ignored.",
    reduction_input_size_override="ignored.",
    aggregate_to_topk="ignored.",
)
def _approximate_top(who: str, largest: Any) -> Callable[..., ApproxTopK]:
    def function(
        operand: Any,
        k: Any,
        reduction_dimension: Any = -1,
        recall_target: float = 0.95,
        reduction_input_size_override: int = -1,
        aggregate_to_topk: bool = True,
        name: str | None = None,
    ) -> ApproxTopK:
        return _nearly(who, operand, k, reduction_dimension, largest)

    return function


approx_max_k = _approximate_top(
    "approx_max_k",
    "The `k` largest elements along an axis and where they are. They are the exact ones.",
    "tf.math.approx_max_k([4.0, 1.0, 3.0], k=2).values.numpy() -> array([4., 3.], dtype=float32)",
    True,
)
approx_min_k = _approximate_top(
    "approx_min_k",
    "The `k` smallest elements along an axis and where they are. They are the exact ones.",
    "tf.math.approx_min_k([4.0, 1.0, 3.0], k=2).values.numpy() -> array([1., 3.], dtype=float32)",
    False,
)


def _nearly(who: str, value: Any, k: Any, axis: Any, is_max: bool) -> ApproxTopK:
    x, back = _axis_last(value, axis, who)
    if not x.dtype.is_floating:
        raise errors.build(
            errors.DTypeError,
            f"{who}: the input must be floating point, got {x.dtype.name}.",
            "use tf.math.top_k for integers, or tf.cast.",
        )
    values, indices = sorting.TopK(x if is_max else -x, k=integer(k, who, "k"), index_type=dtypes.int32)
    return ApproxTopK(_moved(values if is_max else -values, back), _moved(indices, back))


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector, in the order of their first occurrence, and which of them each element is.

    Args:
      x: a vector of numbers, bools or strings. NaN is unlike any other.
      out_idx: the dtype of the positions: int32 or int64.

    Returns:
      The pair `y`, `idx`, such that `x[i] == y[idx[i]]`. The gradient of `y` goes to the first occurrences.

    >>> y, idx = tf.unique([4, 7, 4, 1])
    >>> y.numpy(), idx.numpy()
    (array([4, 7, 1], dtype=int32), array([0, 1, 0, 2], dtype=int32))
    """
    y, idx, _ = _distinct("unique", x, out_idx)
    return Unique(y, idx)


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> UniqueWithCounts:
    """The distinct elements of a vector, which of them each element is, and how often each occurs.

    Args:
      x: a vector of numbers, bools or strings. NaN is unlike any other.
      out_idx: the dtype of positions and counts: int32 or int64.

    Returns:
      The triple `y`, `idx`, `count`; `y` in the order of first occurrence. The gradient of `y` goes to those.

    >>> tf.unique_with_counts([4, 7, 4, 1]).count.numpy()
    array([2, 1, 1], dtype=int32)
    """
    return UniqueWithCounts(*_distinct("unique_with_counts", x, out_idx))


def _distinct(who: str, x: Any, out_idx: Any) -> tuple[Any, Any, Any]:
    x = tensor(x)
    dtype = dtypes.as_dtype(out_idx)
    if dtype not in _POSITIONS[1:]:
        raise errors.build(
            errors.DTypeError, f"{who}: out_idx must be int32 or int64, got {dtype.name}.", "use int32 or int64."
        )
    first, idx, count = sorting.UniquePositions(x, output_type=dtype)
    # Reshaped to its own shape, so that the gradient is a tensor rather than rows.
    return Gather(Reshape(x, shape=dims(x)), first, axis=0), idx, count


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes another: `y[x[i]] == i`.

    Args:
      x: a vector that holds each of the integers from 0 to its length - 1 once.

    Returns:
      A vector like x. There is no gradient.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    x = tensor(x)
    if not x.dtype.is_integer or x.ndim != 1:
        kind = errors.DTypeError if x.ndim == 1 else errors.ShapeError
        what = f"invert_permutation: x is {x.dtype.name} of shape {x.shape}, and must be a vector of integers."
        raise errors.build(kind, what, "use tf.cast(x, tf.int32) and tf.reshape(x, [-1]).")
    n = dims(x)[0]
    return ScatterRows(distinct_numbers(x), wrap(np.arange(n, dtype=x.dtype.numpy)), rows=n, axis=0)


@on_arrays(lambda numbers: numbers)
def distinct_numbers(numbers: Any) -> Any:
    """The numbers of a permutation, none of which may occur twice."""
    ordered = np.sort(numbers)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if repeated.size:
        raise errors.build(
            errors.InvalidArgumentError,
            f"invert_permutation: {int(repeated[0])} occurs twice.",
            f"a permutation of {numbers.size} elements holds each number from 0 to {numbers.size - 1} once.",
        )
    return np.array(numbers)


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """True if no element is smaller than the one before it; a tensor of more axes is read row by row.

    Args:
      x: real numbers.

    Returns:
      A bool; true if there are fewer than two elements.

    >>> bool(tf.math.is_non_decreasing([1.0, 1.0, 2.0]))
    True
    """
    before, behind = _neighbours(x)
    return ReduceAll(before <= behind, axis=(0,), keepdims=False)


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """True if every element is larger than the one before it; a tensor of more axes is read row by row.

    Args:
      x: real numbers.

    Returns:
      A bool; true if there are fewer than two elements.

    >>> bool(tf.math.is_strictly_increasing([1.0, 1.0, 2.0]))
    False
    """
    before, behind = _neighbours(x)
    return ReduceAll(before < behind, axis=(0,), keepdims=False)


def _neighbours(x: Any) -> tuple[Any, Any]:
    x = tensor(x)
    n = int(np.prod(dims(x), dtype=int))
    flat, stop = Reshape(x, shape=(n,)), max(n - 1, 0)
    return StridedSlice(flat, index=((0, stop, 1),)), StridedSlice(flat, index=((n - stop, n, 1),))


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: Any = -1) -> tuple[Tensor, Tensor]:
    """The nearest sequence along an axis that only falls, or only rises, in the sense of least squares.

    It is constant on blocks, where it is the mean of the inputs; each input of a block gets the mean of its gradient.

    Args:
      inputs: real numbers; integers give float64.
      decreasing: True for a sequence that falls, False for one that rises.
      axis: an int; the last axis by default.

    Returns:
      The sequence, and the number of the block of each of its elements, int32.

    >>> y, blocks = tf.nn.isotonic_regression([3.0, 1.0, 2.0])
    >>> y.numpy(), blocks.numpy()
    (array([3. , 1.5, 1.5], dtype=float32), array([0, 1, 1], dtype=int32))
    """
    x = tensor(inputs)
    if not x.ndim:
        x, axis = Reshape(x, shape=(1,)), None
    x, back = _axis_last(x, -1 if axis is None else axis, "isotonic_regression")
    if x.dtype.is_integer:
        x = Cast(x, dtype=dtypes.float32 if x.dtype in (dtypes.int8, dtypes.int16) else dtypes.float64)
    found = IsotonicRegression(x, decreasing=bool(decreasing))
    first, second = (Reshape(v, shape=()) if axis is None else _moved(v, back) for v in found)
    return first, second
