"""`tf.distribute`: strategies in one process."""

from gradtape.core import lazy

_LATER = {
    "gradtape.names.distribute.context": (
        "ReplicaContext get_replica_context get_strategy has_strategy in_cross_replica_context"
    ),
    "gradtape.names.distribute.datasets": (
        "DistributedDataset DistributedIterator InputContext InputOptions InputReplicationMode RunOptions"
    ),
    "gradtape.names.distribute.reduction": (
        "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReduceOp ReductionToOneDevice"
    ),
    "gradtape.names.distribute.strategy": (
        "MirroredStrategy MultiWorkerMirroredStrategy OneDeviceStrategy Strategy StrategyExtended experimental_set_strategy"
    ),
    "gradtape.names.distribute.values": "DistributedValues",
    "gradtape.distribute.experimental": "*",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
