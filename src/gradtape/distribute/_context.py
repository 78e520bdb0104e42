"""The current strategy, and the replica that runs here."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from gradtape.arrays.movement import split
from gradtape.core import convert, errors, nest
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.variable_creation import names
from gradtape.distribute._cross_replica_ops import as_reduce_op, gathered, reduced
from gradtape.distribute._per_replica import select
from gradtape.random import _generator as generator
from gradtape.transform.custom_gradient import custom_gradient


class Place(NamedTuple):
    """The context in which code runs: a strategy, and one of its replicas or None between them."""

    strategy: Any
    replica: ReplicaContext | None


class _Around(threading.local):
    places: tuple[Place, ...] = ()


around = _Around()


@contextmanager
def entered(place: Place) -> Iterator[None]:
    """Run a block in a context."""
    before = around.places
    around.places = (*before, place)
    try:
        yield
    finally:
        around.places = before


@contextmanager
def left() -> Iterator[None]:
    """Run a block outside of all strategies."""
    before = around.places, names.creators
    around.places, names.creators = (), ()
    try:
        yield
    finally:
        around.places, names.creators = before


def here() -> Place:
    """The innermost context; the only replica of the default strategy if there is no other."""
    return around.places[-1] if around.places else default_place()


def default_strategy() -> Any:
    """The strategy of programs that choose none. It is defined above this module and loaded on first use."""
    return importlib.import_module("gradtape.distribute._strategy").default_strategy()


def default_place() -> Place:
    """The context of programs without a strategy."""
    strategy = default_strategy()
    return Place(strategy, ReplicaContext(strategy, 0))


def get_strategy() -> Any:
    """The current strategy; the default strategy, with one replica, outside of all scopes.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return here().strategy


def has_strategy() -> bool:
    """True in the scope of a strategy.

    >>> with tf.distribute.MirroredStrategy().scope():
    ...     tf.distribute.has_strategy()
    True
    """
    return get_strategy() is not default_strategy()


def in_cross_replica_context() -> bool:
    """True in the scope of a strategy, outside of its replicas.

    >>> tf.distribute.in_cross_replica_context()
    False
    """
    return here().replica is None


def get_replica_context() -> ReplicaContext | None:
    """The replica that runs here; None between replicas.

    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    return here().replica


class ReplicaContext:
    """A replica, as code that it runs sees it.

    >>> strategy = tf.distribute.OneDeviceStrategy("/CPU:0")
    >>> strategy.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group)
    0
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: int, ask: Callable[..., Any] | None = None) -> None:
        self._strategy, self._id = strategy, replica_id_in_sync_group
        self._ask = ask

    strategy = property(lambda self: self._strategy, doc="The strategy.")
    replica_id_in_sync_group = property(lambda self: self._id, doc="The number of this replica, from 0 on.")
    devices = property(
        lambda self: (self._strategy.extended.worker_devices[self._place],), doc="The name of the device, in a tuple."
    )

    @property
    def _place(self) -> int:
        """The number of this replica among those of this process."""
        return self._id if self._strategy._workers is None else 0

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return int(self._strategy.num_replicas_in_sync)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """The result of a function that is called once for all replicas, when all of them have reached this point.

        Args:
          merge_fn: a function of the strategy and the arguments; those that differ come as values for each replica.
          args: positional arguments.
          kwargs: arguments by name.
        """
        if self._ask is not None:
            return self._ask(merge_fn, args, kwargs or {})
        with entered(Place(self._strategy, None)):
            return select(self._place, merge_fn(self._strategy, *args, **(kwargs or {})))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The sum or the mean of the values of all replicas. Gradients flow back to all of them.

        Args:
          reduce_op: `tf.distribute.ReduceOp.SUM` or `MEAN`, or its name.
          value: a tensor, or a structure of tensors.
          options: accepted and ignored.
        """
        op, count = as_reduce_op(reduce_op), self.num_replicas_in_sync
        if count == 1:
            return nest.map_structure(_tensor, value)

        workers = self._strategy._workers
        if workers is not None:
            return nest.pack_sequence_as(value, workers.reduce(op, [_tensor(leaf) for leaf in nest.flatten(value)]))

        def merged(tensors: list[Any]) -> Any:
            return self.merge_call(lambda _, *parts: [reduced(op, p, count) for p in parts], tensors)

        @custom_gradient
        def reduce(*tensors: Any) -> Any:
            return merged(list(tensors)), lambda *dys: merged(list(dys))

        flat = [_tensor(leaf) for leaf in nest.flatten(value)]
        whole = any(isinstance(leaf, IndexedSlices) for leaf in flat)
        return nest.pack_sequence_as(value, merged(flat) if whole else reduce(*flat))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas, concatenated along an axis. Gradients flow back to each.

        Args:
          value: a tensor, or a structure of tensors.
          axis: the axis.
          options: accepted and ignored.
        """
        return nest.map_structure(lambda leaf: self._gather(_tensor(leaf), axis), value)

    def _gather(self, tensor: Any, axis: int) -> Any:
        count, own = self.num_replicas_in_sync, self._id
        if count == 1:
            return tensor
        if self._strategy._workers is not None:
            return self._strategy._workers.gather(tensor, axis)

        @custom_gradient
        def gather(x: Any) -> Any:
            sizes = self.merge_call(lambda _, part: [[int(p.shape[axis]) for p in part]], (x,))[0]
            joined = self.merge_call(lambda _, part: gathered(part, axis, count), (x,))

            def grad(dy: Any) -> Any:
                return split(self.all_reduce("SUM", dy), sizes, axis)[own]

            return joined, grad

        return gather(tensor)

    def __enter__(self) -> ReplicaContext:
        self._scope = entered(Place(self._strategy, self))
        self._scope.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._scope.__exit__(*problem)


def _replica_number() -> int | None:
    replica = here().replica
    return None if replica is None or replica.num_replicas_in_sync == 1 else replica.replica_id_in_sync_group


generator.replica_number = _replica_number  # the streams of generators in replicas


def _tensor(value: Any) -> Any:
    return value if isinstance(value, IndexedSlices) else convert.convert_to_tensor(value)


def require_cross_replica(strategy: Any, what: str) -> None:
    """RuntimeError inside a replica of a strategy."""
    place = here()
    if place.strategy is strategy and place.replica is not None and around.places:
        raise RuntimeError(
            errors.compose(
                f"{what} cannot be called inside a replica: it is called once, for all of them.",
                "call it outside of strategy.run, or use tf.distribute.get_replica_context().",
                depth=2,
            )
        )
