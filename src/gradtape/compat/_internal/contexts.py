"""Questions that programs ask TensorFlow's runtime: devices, strategies, eager or graph mode."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import gradtape as tf
from gradtape import config
from gradtape.compat._internal.names import absent_class
from gradtape.config import _devices
from gradtape.core import state
from gradtape.distribute._distributed_dataset import Distributed
from gradtape.distribute.cluster_resolver import SimpleClusterResolver as SimpleClusterResolver
from gradtape.distribute.cluster_resolver import TFConfigClusterResolver as TFConfigClusterResolver
from gradtape.toplevel.status import executing_eagerly


class _DeviceSpec:
    """The device on which eager ops run."""

    device_type = "CPU"
    device_index = 0


class Context:
    """The state of the runtime, as far as programs read it."""

    device_spec = _DeviceSpec()
    device_name = ""
    scope_name = ""
    xla_sharding_for_resource_variables_enabled = False
    function_call_options = None
    is_async = False

    def executing_eagerly(self) -> bool:
        """True outside of functions and graphs."""
        return executing_eagerly()

    def ensure_initialized(self) -> None:
        """No effect: there is nothing to start."""

    def num_gpus(self) -> int:
        """The number of GPUs."""
        return len(config.list_physical_devices("GPU"))

    def list_physical_devices(self, device_type: str | None = None) -> list[Any]:
        """The devices."""
        return list(config.list_physical_devices(device_type))

    def get_server_def(self) -> None:
        """None: there is no server."""

    def add_function(self, fn: Any) -> None:
        """Nothing: functions need not be registered."""

    @property
    def summary_writer(self) -> None:
        """None: summaries have separate state."""


_CONTEXT = Context()


def context() -> Context:
    """The state of the runtime."""
    return _CONTEXT


def ensure_initialized() -> None:
    """No effect: there is nothing to start."""


reset_context = async_wait = ensure_initialized


def in_eager_mode() -> bool:
    """True outside of functions and graphs."""
    return executing_eagerly()


def global_seed() -> int | None:
    """The seed of `tf.random.set_seed`."""
    return getattr(state.current, "seed", None)


def get_config() -> Any:
    """The options of a session."""
    from gradtape.compat.v1 import messages

    return messages.ConfigProto()


def get_device_name() -> str:
    """The device on which ops are placed: none was asked for."""
    return ""


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A block outside of the function that is being traced."""
    from gradtape.tracing.init_scope import init_scope

    with init_scope():
        yield


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A block in the graph that is being built, or in a separate one."""
    from gradtape.compat import _graphs

    graph = _graphs.current_graph()
    with (_graphs.Graph() if graph is None or graph.building_function else graph).as_default():
        yield


def tf2_enabled() -> bool:
    """True: this is version 2."""
    return True


def list_pluggable_devices() -> list[Any]:
    """No device comes from a plug-in."""
    return []


def no_xla_context(*_: Any) -> None:
    """None: there is no block of XLA around."""


class _Cell:
    """The value of a gauge or counter."""

    def __init__(self) -> None:
        self._value: Any = 0

    def set(self, value: Any) -> None:
        """Replace the value."""
        self._value = value

    def increase_by(self, value: Any) -> None:
        """Add to the value."""
        self._value += value

    def value(self) -> Any:
        """The value."""
        return self._value


class BoolGauge:
    """A measured value by labels; it is never read."""

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._cells: dict[tuple[Any, ...], _Cell] = {}

    def get_cell(self, *labels: Any) -> _Cell:
        """The value under some labels."""
        return self._cells.setdefault(labels, _Cell())


class IntGauge(BoolGauge):
    """A measured number by labels."""


class StringGauge(BoolGauge):
    """A measured text by labels."""


class Counter(BoolGauge):
    """A count by labels."""


@functools.cache
def run_on(device: str) -> Callable[..., Any]:
    """A block on a device."""
    return lambda: _devices.device(device)


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices."""
    return list(config.list_logical_devices())


def is_op_determinism_enabled() -> bool:
    """True: two runs of a program give the same bits."""
    return True


def disable_op_determinism() -> None:
    """No effect: there is no other mode."""


_ONE = "processes train together through MPI; there are no servers"
TPUClusterResolver = absent_class("TPUClusterResolver", "there are no TPUs")
ClusterCoordinator = absent_class("ClusterCoordinator", _ONE)
ParameterServerStrategyV2 = absent_class("ParameterServerStrategyV2", _ONE)
RemoteValue = absent_class("RemoteValue", _ONE)
AggregatingVariable = absent_class("AggregatingVariable", _ONE)
ShardedVariable = absent_class("ShardedVariable", "variables are not cut into parts")
DistributedVariable = absent_class("DistributedVariable", "replicas share the cell of a variable")
DistributedDataset = Distributed
DistributedDatasetsFromFunction = absent_class("DistributedDatasetsFromFunction", "all are of one class")


@contextlib.contextmanager
def cache_variable_reads() -> Iterator[None]:
    """A block in which variables are read once: reading costs nothing."""
    yield


def get_dataset_attributes(dataset: Any) -> dict[str, Any]:
    """The attributes of a dataset."""
    return {}


def auto_shard_dataset(dataset: Any, num_shards: Any, index: Any, num_replicas_in_sync: Any = None) -> Any:
    """The part of a dataset that belongs to one of several readers."""
    return dataset.shard(num_shards, index)


def strategy_supports_no_merge_call() -> bool:
    """False: `merge_call` is how replicas meet."""
    return False


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of the strategy, called once for all replicas."""
    replica: Any = tf.distribute.get_replica_context()
    return replica.merge_call(fn, args=args, kwargs=kwargs)


@contextlib.contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """A context in which variables that are aggregated on reading are aggregated."""
    yield


class NamedDistribution:
    """A strategy that tests would run with; they are run without."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def __getattr__(name: str) -> Any:
    if name.endswith(("strategy", "cpu", "gpu", "gpus", "var", "call")) and not name.startswith("_"):
        return NamedDistribution(name)
    raise AttributeError(name)
