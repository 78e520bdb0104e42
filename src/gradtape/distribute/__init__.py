"""`tf.distribute`: strategies in one process, and over the ranks of an MPI job.

A strategy has one replica, or several on parts of the CPU (`tf.config.set_logical_device_configuration`). Replicas run one after the
other, each until it is done or needs the others; the thread that called `run` combines their values. So the results
are those of several devices, not their speed. MultiWorkerMirroredStrategy has a replica in each process of a job instead, on `ranks`.

    _absent_classes.py       Classes of clusters, to compare with
    _absent_strategies.py    Strategies that cannot be made: classes to compare with
    _cluster.py              Joining the workers of a job: who they are is said by MPI, and by `TF_CONFIG` or a resolver
    _cluster_spec.py         ClusterSpec: the addresses of the tasks of jobs
    _context.py              Which strategy is around, and which of its replicas runs here
    _cross_replica_ops.py    Bringing values of replicas together, and the names of the ways to do it
    _distributed_dataset.py  Datasets of strategies: a batch for each replica
    _mirrored_variable.py    Variables of strategies with several replicas
    _per_replica.py          Values of several replicas: one for each, at the places of a structure where they differ
    _replica_threads.py      Running a function on all replicas: each has a thread, and one of them runs at a time
    _strategy.py             Strategies: how a program's replicas are laid out, and how they work together
    _worker_dataset.py       Datasets of strategies over several workers: each worker gets its part of every batch
    _workers.py              The workers of a strategy: the ranks of an MPI job, each with one replica
    cluster_resolver.py      Which worker of a cluster this process is
    coordinator.py           Classes of coordinators that programs compare with
    experimental.py          Earlier names, and options of strategies
"""

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
    "gradtape.distribute._absent_strategies": "ParameterServerStrategy TPUStrategy",
    "gradtape.distribute.experimental": "*",
    "gradtape.distribute.coordinator": "*",
    "gradtape.distribute.cluster_resolver": "*",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
