"""The workers of a strategy: the ranks of an MPI job, each with one replica.

A value of this worker's replica becomes one value of all replicas by a collective of `ranks`, eagerly or as a node of a function. All
workers must come to the same collectives in the same order; `ranks` reports it where they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.arrays.movement import transpose
from gradtape.core import convert
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import wrap
from gradtape.core.variable import Variable
from gradtape.core.variable_copies import VariableAggregation
from gradtape.distribute._cross_replica_ops import ReduceOp, scaled
from gradtape.math._reductions import reduce_sum
from gradtape.ops.family import dims
from gradtape.ranks import _operations as operations
from gradtape.ranks._arithmetic import ReduceOp as RankOp

_KINDS = {ReduceOp.SUM: RankOp.SUM, ReduceOp.MEAN: RankOp.AVERAGE}


class Workers:
    """The workers that take part in a strategy.

    Args:
      group: their ranks.

    Attributes:
      count: how many there are.
      index: the number of this one; 0 is the chief.
      share: a variable with the part of the present batch that this worker has; one in `count` unless a model is trained.
    """

    def __init__(self, group: Any) -> None:
        self.group, self.count, self.index = group, int(group.size), int(group.rank)
        self._even = self._present = 1.0 / self.count
        self.share = Variable(np.float32(self._even), trainable=False)

    def set_share(self, part: float | None) -> None:
        """Set the part of the current batch that this worker has; None for as much as the others."""
        new = self._even if part is None else part
        if new != self._present:
            self._present = new
            self.share.assign(np.float32(new))

    def reduce(self, op: ReduceOp, values: Sequence[Any]) -> list[Any]:
        """Values of all workers, reduced together; rows of embeddings are gathered."""
        results: list[Any] = [None] * len(values)
        dense = [i for i, v in enumerate(values) if not isinstance(v, IndexedSlices)]
        reduced = operations.allreduce([values[i] for i in dense], self.group, _KINDS[op])
        for i, value in zip(dense, reduced, strict=True):
            results[i] = value
        for i, rows in enumerate(values):
            if isinstance(rows, IndexedSlices):
                elements, indices = operations.allgather([rows.values, rows.indices], self.group)
                whole = IndexedSlices(elements, indices, rows.dense_shape)
                results[i] = whole if op is ReduceOp.SUM else scaled(whole, self.count)
        return results

    def reduce_along(self, op: ReduceOp, value: Any, axis: Any) -> Any:
        """The values of all workers, also reduced along an axis: a mean is over all elements, not of means."""
        if axis is None:
            return self.reduce(op, [value if isinstance(value, IndexedSlices) else convert.convert_to_tensor(value)])[0]
        tensor = convert.convert_to_tensor(value)
        total = reduce_sum(tensor, axis)
        if op is ReduceOp.SUM:
            return self.reduce(op, [total])[0]
        axes = axis if isinstance(axis, (list, tuple)) else [axis]
        count = convert.convert_to_tensor(1)
        for a in axes:
            count = count * convert.convert_to_tensor(dims(tensor)[a])
        total, elements = self.reduce(ReduceOp.SUM, [total, count])
        is_number = total.dtype.is_floating or total.dtype.is_complex
        return total / _as(elements, total) if is_number else total // _as(elements, total)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all workers, concatenated along an axis."""
        tensor = convert.convert_to_tensor(value)
        rank = tensor.ndim
        if rank == 0 or not -rank <= axis < rank:
            raise ValueError(f"gather: axis must be one of the {rank} axes of the value, got {axis}.")
        place = axis % rank
        order = [place, *[a for a in range(rank) if a != place]]
        whole = operations.allgather([transpose(tensor, order) if place else tensor], self.group)[0]
        return transpose(whole, [order.index(a) for a in range(rank)]) if place else whole

    def aggregate(self, aggregation: VariableAggregation, value: Any) -> Any:
        """The new value of a variable that all replicas assign; with ONLY_FIRST_REPLICA, each worker takes its own value.

        In a mean, workers count by their parts of the batch: the statistics of one without rows are no numbers.
        """
        if aggregation in (VariableAggregation.ONLY_FIRST_REPLICA, VariableAggregation.NONE):
            return value
        if aggregation is VariableAggregation.MEAN and value.dtype.is_floating:
            part = _as(self.share.read_value(), value)
            weighted = REGISTRY["multiply_no_nan"](value, part)
            return self.reduce(ReduceOp.SUM, [weighted])[0]
        return self.reduce(ReduceOp.from_variable_aggregation(aggregation), [convert.convert_to_tensor(value)])[0]

    def synchronise(self, variables: Sequence[Any]) -> None:
        """Broadcast the values of variables from the chief."""
        arrays = [np.asarray(v._value._array) for v in variables]
        for variable, array in zip(variables, self.group.broadcast(arrays, 0), strict=True):
            variable._value = wrap(array, variable._id)


def _as(count: Any, like: Any) -> Any:
    return REGISTRY["cast"](count, dtype=like.dtype)
