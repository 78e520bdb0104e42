"""Classes of strategies over many machines, for isinstance checks; none can be made here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import gradtape as tf
from gradtape.compat._internal.names import absent_class
from gradtape.distribute._distributed_dataset import Distributed
from gradtape.distribute.cluster_resolver import SimpleClusterResolver as SimpleClusterResolver
from gradtape.distribute.cluster_resolver import TFConfigClusterResolver as TFConfigClusterResolver

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
    """What a dataset says of itself."""
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


def in_variable_sync_on_read_context() -> bool:
    """False: there is no such block around."""
    return False


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
