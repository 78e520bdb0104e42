"""Rows that are gathered by index and combined with others of their segment: `tf.sparse.segment_sum` and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.api.families import family
from gradtape.arrays import indexing
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.math import _segments as segments
from gradtape.ops.family import dims
from gradtape.ops.row_positions import check_range


def _integers(value: Any) -> Tensor:
    """A tensor; an empty list holds integers."""
    return tensor(np.zeros(0, np.int32) if isinstance(value, (list, tuple)) and not value else value)


def _segmented(who: str, reduce: Callable[..., Any], data: Any, indices: Any, ids: Any, num_segments: Any) -> Tensor:
    numbers = _integers(ids)
    count = None if num_segments is None else integer(num_segments, who, "num_segments")
    if count is not None and count < 0:
        raise errors.build(
            errors.ShapeError,
            f"{who}: Cannot specify a negative value for num_segments, got {count}.",
            "use 0 or more.",
        )
    if type(numbers) is Tensor and numbers.ndim == 1:
        segments.check_order(who, numbers.numpy(), "sort them, and indices with them.", count)
    if count is None:
        values = np.asarray(numbers)
        count = int(values[-1]) + 1 if values.size else 0
    rows, places = tensor(data), _integers(indices)
    if type(places) is Tensor and rows.ndim and places.dtype.is_integer and isinstance(dims(rows)[0], int):
        check_range(who, places._array, dims(rows)[0], said="{index} == {value} out of range [0, {size}).")
    result: Tensor = reduce(indexing.gather(rows, places), numbers, count)
    return result


@family(
    data="where the rows come from.",
    indices="which rows.",
    segment_ids="for each of them, to which segment it belongs; in rising order.",
    num_segments="how many segments; by default up to the last one.",
    sparse_gradient="ignored: the gradient is always that of gathered rows.",
)
def _of_segments(who: str, reduce: Callable[..., Any]) -> Callable[..., Tensor]:
    what = f"sparse.{who}"

    def function(
        data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
        sparse_gradient: bool = False,
    ) -> Tensor:  # fmt: skip
        return _segmented(what, reduce, data, indices, segment_ids, num_segments)

    return function


segment_sum = _of_segments(
    "segment_sum",
    "The sums of the rows of each segment.",
    "tf.sparse.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 2], [0, 0]).numpy() -> array([[6, 8]], dtype=int32)",
    segments.unsorted_segment_sum,
)
segment_mean = _of_segments(
    "segment_mean",
    "The means of the rows of each segment.",
    "tf.sparse.segment_mean([[1.0], [3.0], [5.0]], [0, 2], [0, 0]).numpy() -> array([[3.]], dtype=float32)",
    segments.unsorted_segment_mean,
)
segment_sqrt_n = _of_segments(
    "segment_sqrt_n",
    "The sums of the rows of each segment, divided by the square root of their number.",
    "tf.sparse.segment_sqrt_n([[1.0]] * 4, [0, 1, 2, 3], [0, 0, 0, 0]).numpy() -> array([[2.]], dtype=float32)",
    segments.unsorted_segment_sqrt_n,
)
