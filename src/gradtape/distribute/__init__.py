"""`tf.distribute`: strategies in one process."""

from gradtape.core import lazy

_LATER = {
    "gradtape.distribute._context": (
        "ReplicaContext get_replica_context get_strategy has_strategy in_cross_replica_context"
    ),
    "gradtape.distribute._distributed_dataset": (
        "DistributedDataset DistributedIterator InputContext InputOptions InputReplicationMode RunOptions"
    ),
    "gradtape.distribute._cross_replica_ops": (
        "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReduceOp ReductionToOneDevice"
    ),
    "gradtape.distribute._strategy": (
        "MirroredStrategy MultiWorkerMirroredStrategy OneDeviceStrategy Strategy StrategyExtended experimental_set_strategy"
    ),
    "gradtape.distribute._per_replica": "DistributedValues",
    "gradtape.distribute.experimental": "*",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
