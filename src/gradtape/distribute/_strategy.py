"""Strategies: how a program's replicas are laid out, and how they work together."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from gradtape.core import device as devices
from gradtape.core import errors
from gradtape.core.variable_creation import names
from gradtape.core.weak import WeakKeys
from gradtape.distribute import _cluster as cluster
from gradtape.distribute import _distributed_dataset as distributed_dataset
from gradtape.distribute import _replica_threads as replica_threads
from gradtape.distribute import _worker_dataset as worker_dataset
from gradtape.distribute._context import Place, around, entered, here, require_cross_replica
from gradtape.distribute._cross_replica_ops import as_reduce_op, gathered, reduced
from gradtape.distribute._mirrored_variable import creator
from gradtape.distribute._per_replica import PerReplica, map_values, regroup
from gradtape.polymorphic_function.function import Function, function


class Strategy:
    """Base of the strategies; by itself, one replica on the default device.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(1.0)
    >>> per_replica = strategy.run(lambda x: x * v, args=(tf.constant(2.0),))
    >>> strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None).numpy()
    np.float32(2.0)
    """

    _workers: Any = None  # of strategies over several processes

    def __init__(self, extended: Any = None) -> None:
        self._extended = extended if isinstance(extended, StrategyExtended) else StrategyExtended(self)
        self._functions: WeakKeys[Function[..., Any], Any] = WeakKeys()

    extended = property(lambda self: self._extended, doc="Further methods.")
    cluster_resolver = property(lambda self: None, doc="None: there is no cluster.")

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas that compute a step together."""
        return len(self._extended.worker_devices) * (1 if self._workers is None else int(self._workers.count))

    def scope(self) -> AbstractContextManager[Strategy]:
        """A block in which variables, models and optimizers for this strategy are made."""
        return _scope(self)

    def run(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        """Call a function on each replica, with its part of the arguments.

        Args:
          fn: the function.
          args: positional arguments; a distributed value gives each replica its own.
          kwargs: arguments by name.
          options: accepted and ignored.

        Returns:
          What it returns: one result if there is one replica, else a value for each at the places where they differ.
        """
        if not callable(fn):
            what = f"strategy.run: fn must be callable, got {errors.brief(fn)}."
            raise errors.build(TypeError, what, "strategy.run(step, args=(batch,)), with the function itself.")
        require_cross_replica(self, "strategy.run")
        kwargs = {} if kwargs is None else kwargs
        if not isinstance(args, (list, tuple)):
            what = f"strategy.run: positional args must be a list or tuple, got {type(args)}."
            raise errors.build(ValueError, what, "strategy.run(step, args=(batch,)): one argument is a tuple of one.")
        if not isinstance(kwargs, dict):
            what = f"strategy.run: keyword args must be a dict, got {type(kwargs)}."
            raise errors.build(TypeError, what, "strategy.run(step, kwargs={'x': batch}).")
        args, kwargs = tuple(args), dict(kwargs)
        if isinstance(fn, Function) and len(self._extended.worker_devices) > 1:
            return self._staged(fn)(args, kwargs)
        return self._run_all(fn, args, kwargs)

    def _run_all(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Run the replicas in the scope: that of a subclass may add creators of variables."""
        if self is default_strategy():
            return replica_threads.run(self, fn, args, kwargs)
        with self.scope():
            return replica_threads.run(self, fn, args, kwargs)

    def _staged(self, fn: Function[..., Any]) -> Any:
        """A function that runs all replicas in one trace, in which they can meet; in separate traces they could not."""
        if fn not in self._functions:
            inner = weakref.ref(fn)

            def run(args: Any, kwargs: Any) -> Any:
                return self._run_all(inner().python_function, args, kwargs)  # type: ignore[union-attr]

            run.__name__ = fn.name
            self._functions[fn] = function(run)
        return self._functions[fn]

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """The values of all replicas reduced to one.

        Args:
          reduce_op: `tf.distribute.ReduceOp.SUM` or `MEAN`, or its name.
          value: what `run` returned, or a structure of such values.
          axis: None, or an axis of the values along which to reduce as well, usually that of the batch.
        """
        require_cross_replica(self, "strategy.reduce")
        op = as_reduce_op(reduce_op)
        if self._workers is not None:
            return map_values(lambda leaf: self._workers.reduce_along(op, leaf, axis), value)
        return map_values(lambda leaf: reduced(op, leaf, self.num_replicas_in_sync, axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, concatenated along an axis."""
        require_cross_replica(self, "strategy.gather")
        if self._workers is not None:
            return map_values(lambda leaf: self._workers.gather(leaf, axis), value)
        return map_values(lambda leaf: gathered(leaf, axis, self.num_replicas_in_sync), value)

    # Asked by Keras 2: there are no coordinators of other processes.
    _should_use_with_coordinator = False

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """As `experimental_local_results`."""
        return self.experimental_local_results(value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas as a tuple; for a single value, a tuple of length 1."""
        if isinstance(value, PerReplica):
            return value.values
        return tuple(value.values) if hasattr(value, "_cells") else (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """A dataset whose batches are divided among the replicas; with one replica, the dataset itself.

        Args:
          dataset: a dataset of batches, of the size for all replicas together.
          options: accepted and ignored.
        """
        if self._workers is not None:
            return worker_dataset.sharded(dataset, self._workers)
        return distributed_dataset.distributed(dataset, self.num_replicas_in_sync)

    def distribute_datasets_from_function(self, dataset_fn: Callable[[Any], Any], options: Any = None) -> Any:
        """A dataset made by a function of a `tf.distribute.InputContext`, whose elements are batches for one replica each."""
        if self._workers is not None:
            return worker_dataset.from_function(dataset_fn, self._workers)
        return distributed_dataset.from_function(dataset_fn, self.num_replicas_in_sync)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[[Any], Any]) -> Any:
        """A value for each replica, from a function of a `ValueContext`."""
        count = self.num_replicas_in_sync
        here = range(count) if self._workers is None else [self._workers.index]
        return regroup([value_fn(distributed_dataset.ValueContext(i, count)) for i in here])

    def update_config_proto(self, config_proto: Any) -> Any:
        """The argument: there are no sessions to configure."""
        return config_proto

    def __deepcopy__(self, memo: Any) -> Strategy:
        return self  # objects that refer to a strategy mean this one


class StrategyExtended:
    """Further methods of a strategy.

    Args:
      container_strategy: the strategy.
      worker_devices: a device for each replica.
    """

    experimental_require_static_shapes = False

    def __init__(self, container_strategy: Any, worker_devices: Sequence[str] = ("/device:CPU:0",)) -> None:
        self._strategy = weakref.ref(container_strategy)
        self.worker_devices = tuple(worker_devices)

    parameter_devices = property(lambda self: self.worker_devices[:1], doc="Where variables are.")

    @property
    def _workers(self) -> Any:
        strategy: Any = self._strategy()
        return strategy._workers

    def _in_multi_worker_mode(self) -> bool:
        """True if there are replicas in other processes."""
        return self._workers is not None

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The values of all replicas reduced to one; the destination does not matter."""
        return self.batch_reduce_to(reduce_op, [(value, destinations)], options)[0]

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """`reduce_to` of each pair; workers send all values together."""
        op, values = as_reduce_op(reduce_op), [value for value, _ in value_destination_pairs]
        if self._workers is not None:
            found: list[Any] = self._workers.reduce(op, values)
            return found
        return [reduced(op, value, len(self.worker_devices)) for value in values]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """The tensor: all replicas see it."""
        return tensor

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """The result of a function of a shared variable and further arguments."""
        return fn(var, *args, **(kwargs or {}))

    def variable_created_in_scope(self, v: Any) -> bool:
        """True for all variables: they are shared."""
        return True

    def value_container(self, value: Any) -> Any:
        """The value: nothing is wrapped."""
        return value

    def call_for_each_replica(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """`strategy.run`."""
        strategy: Any = self._strategy()
        return strategy.run(fn, args, kwargs)

    @contextmanager
    def colocate_vars_with(self, colocate_with_variable: Any) -> Iterator[None]:
        """A block without effect: there is one memory."""
        yield


def _makes_variables(strategy: Strategy) -> bool:
    """Whether variables in the scope are the strategy's own: those of one replica are too, if it mirrors them."""
    return strategy.num_replicas_in_sync > 1 or isinstance(strategy, MirroredStrategy)


@contextmanager
def _scope(strategy: Strategy) -> Iterator[Strategy]:
    place = here()
    if around.places and place.strategy is not strategy:
        raise RuntimeError(
            errors.compose(
                "Mixing different tf.distribute.Strategy objects is not allowed: the scope of another strategy is active.",
                "leave that scope first, or use one strategy for all.",
                depth=4,
            )
        )
    before = names.creators
    if _makes_variables(strategy) and not around.places:
        names.creators = (*before, creator(strategy))
    try:
        with entered(Place(strategy, None)):
            yield strategy
    finally:
        names.creators = before


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Enter the scope of a strategy for the rest of the program; None leaves it.

    >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/CPU:0"))
    >>> tf.distribute.has_strategy()
    True
    >>> tf.distribute.experimental_set_strategy(None)
    """
    if len(around.places) > 1 or (around.places and around.places[0].replica is not None):
        raise errors.build(
            RuntimeError,
            "experimental_set_strategy must not be called inside the scope of a strategy, or of a replica.",
            "use strategy.scope().",
        )
    if around.places and _makes_variables(around.places[0].strategy):
        names.creators = names.creators[:-1]
    around.places = () if strategy is None else (Place(strategy, None),)
    if strategy is not None and _makes_variables(strategy):
        names.creators = (*names.creators, creator(strategy))


@functools.cache
def default_strategy() -> Strategy:
    """The strategy of programs that choose none."""
    return Strategy()


class OneDeviceStrategy(Strategy):
    """One replica on a device.

    >>> tf.distribute.OneDeviceStrategy("/CPU:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        super().__init__(StrategyExtended(self, [_device(device)]))


class MirroredStrategy(Strategy):
    """A replica on each of several devices of this machine, which share their variables.

    Args:
      devices: names of devices; by default one, a GPU where CuPy has one. Several CPUs are made with
        `tf.config.set_logical_device_configuration`.
      cross_device_ops: accepted and ignored: devices share their memory.

    >>> tf.distribute.MirroredStrategy().num_replicas_in_sync
    1
    """

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        if isinstance(devices, str):
            what = f"MirroredStrategy: devices must be a list of names, got {devices!r}."
            raise errors.build(ValueError, what, f"tf.distribute.MirroredStrategy([{devices!r}]).")
        chosen = [_device(d) for d in devices] if devices is not None else [_default_device()]
        if not chosen:
            what = "MirroredStrategy: devices must not be empty. (Got an empty `devices` list in MirroredStrategy constructor.)"
            raise errors.build(ValueError, what, 'leave it out, or name devices: ["/CPU:0"].')
        if len(set(chosen)) < len(chosen):
            what = f"Duplicates in `devices` of MirroredStrategy are not allowed, got {chosen}."
            raise errors.build(ValueError, what, "name each device once.")
        if len(chosen) > 1 and any("GPU" in d for d in chosen):
            raise errors.build(
                errors.UnimplementedError,
                f"MirroredStrategy: variables cannot be shared by {chosen}.",
                "use one GPU, or several CPUs.",
            )
        super().__init__(StrategyExtended(self, chosen))


class MultiWorkerMirroredStrategy(Strategy):
    """A replica in each process of a job: the ranks that `gradtape launch`, `mpirun` or `srun` has started.

    A process that was started alone is the only worker. All workers must make the same calls in the same order.

    Args:
      cluster_resolver: which worker this is; by default `TF_CONFIG` says it, or the launcher.
      communication_options: `timeout_seconds` is how long to wait for a worker that does not come; the rest is ignored.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        self._cluster_resolver = cluster_resolver
        timeout = getattr(communication_options, "timeout_seconds", None)
        self._workers, self._resolver = cluster.join(cluster_resolver, timeout)
        device = _default_device()
        if self._workers is not None:
            device = f"/job:worker/replica:0/task:{self._workers.index}{device}"
        super().__init__(StrategyExtended(self, [device]))

    cluster_resolver = property(lambda self: self._resolver, doc="Which worker this is; None for the only one.")


class CentralStorageStrategy(MirroredStrategy):
    """A MirroredStrategy: variables are in one place anyway.

    Args:
      compute_devices: names of devices for the replicas.
      parameter_device: accepted: there is one memory.
    """

    def __init__(self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None) -> None:
        super().__init__(compute_devices)


def _device(name: str) -> str:
    """The canonical name of a device, which must exist."""
    return f"/device:{devices.check(name)}"


def _default_device() -> str:
    return "/device:GPU:0" if devices.gpu_count() else "/device:CPU:0"
