"""Variables of strategies with several replicas.

All replicas share one cell. What they assign is aggregated first, as the variable says, and assigned once. A variable that is
synchronised when it is read (a metric's) has a cell for each replica instead, and its value elsewhere is their aggregate.

On several workers each process has a cell, which starts with the chief's value and is assigned the same on all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.core.variable_copies import VariableAggregation, VariableSynchronization
from gradtape.distribute._context import ReplicaContext, get_replica_context
from gradtape.distribute._cross_replica_ops import ReduceOp, reduced, scaled
from gradtape.distribute._per_replica import PerReplica


def creator(strategy: Any) -> Callable[..., Any]:
    """The creator of variables in the scope of a strategy with several replicas."""

    def create(next_creator: Callable[..., Any], **arguments: Any) -> Any:
        made = next_creator(**arguments)
        workers = strategy._workers
        if workers is not None and type(made) is Variable:
            workers.synchronise([made])
        if type(made) is not Variable or made.synchronization is VariableSynchronization.NONE:
            return made
        if made.synchronization is not VariableSynchronization.ON_READ or strategy.num_replicas_in_sync == 1:
            made.__class__ = Mirrored
            return made
        others = [next_creator(**arguments | {"initial_value": made}) for _ in strategy.extended.worker_devices[1:]]
        return SynchronisedOnRead.of([made, *others], workers)

    return create


def _replica() -> ReplicaContext | None:
    """The current replica, if there are several."""
    replica = get_replica_context()
    return None if replica is None or replica.num_replicas_in_sync == 1 else replica


class Mirrored(Variable):
    """A variable that all replicas have in common."""

    __slots__ = ()

    values = property(lambda self: (self,), doc="The variables of the replicas: one for all.")
    _values = values  # asked by Sonnet

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replace the value; inside a replica, by the aggregate of the values that all replicas assign."""
        return self._together(lambda v: Variable.assign(self, v, read_value=read_value), value)

    def _update(self, what: str, delta: Any, read_value: bool) -> Any:
        return self._together(lambda d: Variable._update(self, what, d, read_value), delta)

    def _together(self, change: Callable[[Any], Any], value: Any) -> Any:
        replica = _replica()
        if replica is None:
            return change(value)
        if self._aggregation is VariableAggregation.NONE:
            raise ValueError(
                errors.compose(
                    f"You must specify an aggregation method to update variable {self.name!r} in a replica.",
                    "make it with aggregation=tf.VariableAggregation.MEAN, SUM or ONLY_FIRST_REPLICA, or assign it outside.",
                    depth=3,
                )
            )
        if replica.strategy._workers is not None:
            return change(replica.strategy._workers.aggregate(self._aggregation, self._convert(value)))
        return replica.merge_call(
            lambda strategy, parts: change(aggregated(self._aggregation, parts, strategy.num_replicas_in_sync)),
            (self._convert(value),),
        )


def aggregated(aggregation: VariableAggregation, value: Any, count: int) -> Any:
    """The values of all replicas combined into one."""
    if aggregation in (VariableAggregation.ONLY_FIRST_REPLICA, VariableAggregation.NONE):
        return value[0] if isinstance(value, PerReplica) else value
    return reduced(ReduceOp.from_variable_aggregation(aggregation), value, count)


class SynchronisedOnRead(Variable):
    """A variable with a separate value for each replica."""

    __slots__ = ("_cells", "_workers")

    _cells: list[Variable]
    _workers: Any

    @classmethod
    def of(cls, cells: list[Variable], workers: Any = None) -> SynchronisedOnRead:
        """The variable with a cell for each replica of this process, and of the workers."""
        made = object.__new__(cls)
        made._cells, made._workers = cells, workers
        for slot in (
            "_id",
            "_order",
            "_name",
            "_shape",
            "_trainable",
            "_constraint",
            "_synchronization",
            "_aggregation",
        ):
            setattr(made, slot, getattr(cells[0], slot))
        return made

    dtype = property(lambda self: self._cells[0].dtype)
    ndim = property(lambda self: self._cells[0].ndim)
    device = property(lambda self: self._cells[0].device)
    values = property(lambda self: tuple(self._cells), doc="The variables of the replicas.")
    _values = values

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._cells[0].shape

    @property
    def _value(self) -> Any:  # type: ignore[override]
        return self._read()

    def _read(self) -> Tensor:
        replica = _replica()
        if replica is not None:
            return self._own(replica)._read()
        if self._workers is not None:
            found: Tensor = self._workers.aggregate(self._aggregation, self._cells[0]._read())
            return found
        parts = PerReplica(cell._read() for cell in self._cells)
        total: Tensor = aggregated(self._aggregation, parts, len(self._cells))
        return total

    def _own(self, replica: ReplicaContext) -> Variable:
        return self._cells[replica._place]

    def read_value(self) -> Tensor:
        """The value: inside a replica, its own; elsewhere, the aggregate."""
        return self._read()

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replace the replica's own value; elsewhere, replace all so that the aggregate is the value."""
        replica = _replica()
        if replica is not None:
            self._own(replica).assign(value)
        else:
            new = convert.convert_to_tensor(value, self.dtype)
            count = len(self._cells) if self._workers is None else self._workers.count
            if self._aggregation is VariableAggregation.SUM:
                share = scaled(new, count)
                first = new - share * convert.convert_to_tensor(count - 1, share.dtype)
                parts = [first, *[share] * (count - 1)]
            else:
                parts = [new] * count
            if self._workers is not None:
                parts = [parts[self._workers.index]]
            for cell, part in zip(self._cells, parts, strict=True):
                cell.assign(part)
        return self if read_value else None

    def _update(self, what: str, delta: Any, read_value: bool) -> Any:
        replica = _replica()
        if replica is not None:
            self._own(replica)._update(what, delta, read_value)
        else:
            change = self._convert(delta)
            self.assign(self._read() + change if what == "assign_add" else self._read() - change)
        return self if read_value else None

    def _convert(self, value: Any) -> Tensor:
        return self._cells[0]._convert(value)
