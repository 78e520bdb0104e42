# Written by tools/stubs.py.
# ruff: noqa
from gradtape.distribute import cluster_resolver
from gradtape.distribute import coordinator
from gradtape.distribute import experimental
from gradtape.distribute._absent_strategies import ParameterServerStrategy
from gradtape.distribute._absent_strategies import TPUStrategy
from gradtape.distribute._context import ReplicaContext
from gradtape.distribute._context import get_replica_context
from gradtape.distribute._context import get_strategy
from gradtape.distribute._context import has_strategy
from gradtape.distribute._context import in_cross_replica_context
from gradtape.distribute._cross_replica_ops import CrossDeviceOps
from gradtape.distribute._cross_replica_ops import HierarchicalCopyAllReduce
from gradtape.distribute._cross_replica_ops import NcclAllReduce
from gradtape.distribute._cross_replica_ops import ReduceOp
from gradtape.distribute._cross_replica_ops import ReductionToOneDevice
from gradtape.distribute._distributed_dataset import DistributedDataset
from gradtape.distribute._distributed_dataset import DistributedIterator
from gradtape.distribute._distributed_dataset import InputContext
from gradtape.distribute._distributed_dataset import InputOptions
from gradtape.distribute._distributed_dataset import InputReplicationMode
from gradtape.distribute._distributed_dataset import RunOptions
from gradtape.distribute._per_replica import DistributedValues
from gradtape.distribute._strategy import MirroredStrategy
from gradtape.distribute._strategy import MultiWorkerMirroredStrategy
from gradtape.distribute._strategy import OneDeviceStrategy
from gradtape.distribute._strategy import Strategy
from gradtape.distribute._strategy import StrategyExtended
from gradtape.distribute._strategy import experimental_set_strategy

__all__ = [
    "CrossDeviceOps",
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "InputOptions",
    "InputReplicationMode",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "RunOptions",
    "Strategy",
    "StrategyExtended",
    "TPUStrategy",
    "cluster_resolver",
    "coordinator",
    "experimental",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]
