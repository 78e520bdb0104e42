"""Combining the values of replicas, and TensorFlow's names for the methods."""

from __future__ import annotations

import enum
from typing import Any

from gradtape.arrays.movement import concat
from gradtape.core import convert, errors
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.variable_copies import VariableAggregation
from gradtape.distribute._per_replica import PerReplica
from gradtape.math._reductions import reduce_sum
from gradtape.ops.family import dims


class ReduceOp(enum.Enum):
    """The reduction operations for values of replicas.

    >>> tf.distribute.ReduceOp.SUM.value
    'SUM'
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that corresponds to a variable's aggregation."""
        kinds = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}
        if aggregation not in kinds:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to `tf.distribute.ReduceOp`."
            )
        return kinds[aggregation]


def as_reduce_op(value: Any) -> ReduceOp:
    """A ReduceOp, given as itself or by name."""
    try:
        return value if isinstance(value, ReduceOp) else ReduceOp(str(value).upper())
    except ValueError:
        raise ValueError(
            errors.compose(
                f"reduce_op must be tf.distribute.ReduceOp.SUM or MEAN, got {value!r}.",
                'use tf.distribute.ReduceOp, or "SUM" or "MEAN".',
                depth=2,
            )
        ) from None


def reduced(op: ReduceOp, value: Any, count: int, axis: Any = None) -> Any:
    """The values of all replicas reduced to one.

    Args:
      op: how.
      value: PerReplica, or a value that all `count` replicas have.
      axis: also reduce along this axis of each value; a mean is then over all elements, not of means.
    """
    if axis is None and op is ReduceOp.MEAN and not isinstance(value, PerReplica):
        return value
    parts = list(value) if isinstance(value, PerReplica) else [value] * count
    if axis is None:
        total = summed(parts)
        return total if op is ReduceOp.SUM else scaled(total, len(parts))
    tensors = [convert.convert_to_tensor(p) for p in parts]
    total = summed([reduce_sum(t, axis) for t in tensors])
    return total if op is ReduceOp.SUM else scaled(total, sum(_elements(t, axis) for t in tensors))


def summed(parts: list[Any]) -> Any:
    """The sum of tensors; rows of embeddings stay rows."""
    if all(isinstance(p, IndexedSlices) for p in parts):
        return IndexedSlices(
            concat([p.values for p in parts], 0), concat([p.indices for p in parts], 0), parts[0].dense_shape
        )
    total = convert.convert_to_tensor(parts[0])
    for part in parts[1:]:
        total = total + convert.convert_to_tensor(part)
    return total


def scaled(total: Any, count: int) -> Any:
    """A sum divided by a number, with the dtype of the mean of the summands."""
    if isinstance(total, IndexedSlices):
        return IndexedSlices(scaled(total.values, count), total.indices, total.dense_shape)
    return total / count if total.dtype.is_floating or total.dtype.is_complex else total // count


def _elements(tensor: Any, axis: Any) -> int:
    shape = dims(tensor)
    count = 1
    for a in axis if isinstance(axis, (list, tuple)) else [axis]:
        count *= shape[a]
    return count


def gathered(value: Any, axis: int, count: int) -> Any:
    """The values of all replicas, concatenated along an axis."""
    parts = list(value) if isinstance(value, PerReplica) else [value] * count
    return concat([convert.convert_to_tensor(p) for p in parts], axis)


class CrossDeviceOps:
    """Base of the algorithms for exchanging values between devices. Devices share memory here, so all are equivalent."""

    def __init__(self) -> None:
        pass

    def reduce(self, reduce_op: Any, per_replica_value: Any, destinations: Any = None, options: Any = None) -> Any:
        """The values of all replicas reduced to one."""
        return reduced(as_reduce_op(reduce_op), per_replica_value, 1)

    def batch_reduce(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """`reduce` of the first of each pair."""
        return [self.reduce(reduce_op, value) for value, _ in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """The tensor: all replicas see it."""
        return tensor


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Accepted as `cross_device_ops` of a strategy.

    >>> tf.distribute.HierarchicalCopyAllReduce(num_packs=2).reduce("SUM", tf.constant(1.0), None).numpy()
    np.float32(1.0)
    """

    def __init__(self, num_packs: int = 1) -> None:
        super().__init__()
        if num_packs < 0:
            raise ValueError(f"num_packs must not be negative, got {num_packs}.")


class NcclAllReduce(HierarchicalCopyAllReduce):
    """Accepted as `cross_device_ops` of a strategy."""


class ReductionToOneDevice(CrossDeviceOps):
    """Accepted as `cross_device_ops` of a strategy."""

    def __init__(self, reduce_to_device: Any = None, accumulation_fn: Any = None) -> None:
        super().__init__()


class CommunicationImplementation(enum.Enum):
    """How workers exchange values."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """Accepted by strategies: there is only one worker, so nothing is exchanged."""

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        if not isinstance(implementation, CommunicationImplementation):
            raise ValueError("implementation must be a tf.distribute.experimental.CommunicationImplementation.")
        self.bytes_per_pack, self.timeout_seconds, self.implementation = bytes_per_pack, timeout_seconds, implementation
