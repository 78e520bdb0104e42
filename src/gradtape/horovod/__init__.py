"""`gradtape.horovod`: Horovod's names for programs that train on several processes.

import gradtape.horovod as hvd      # under `gradtape run` and `gradtape launch`: import horovod.tensorflow as hvd

_process.py      Starting, and which rank this is
_process_set.py  Sets of ranks
_functions.py    Collectives of tensors
_objects.py      Broadcasting variables, and collectives of Python objects
_compression.py  What travels in 16 bits
_tape.py         DistributedGradientTape
_graphs.py       Graphs of TensorFlow 1
_run.py          Calling a function on several ranks
_optimizer.py    DistributedOptimizer
_batch_normalization.py  SyncBatchNormalization
_loss_scale.py   Loss scales and reduced gradients, in the right order
_sharding.py     Optimizers whose state is divided among the ranks
_accumulation.py  Gradients of several backward passes, added up
elastic.py       State that survives a restart
exceptions.py    The errors that programs of elastic jobs name
callbacks.py     Keras callbacks
keras.py         Horovod's names for Keras
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.horovod._process": (
        "init shutdown is_initialized rank size local_rank local_size cross_rank cross_size is_homogeneous mpi_built mpi_enabled "
        "mpi_threads_supported gloo_built gloo_enabled nccl_built cuda_built rocm_built ddl_built ccl_built sycl_built check_extension check_num_rank_power_of_2 gpu_available "
        "start_timeline stop_timeline"
    ),
    "gradtape.horovod._process_set": (
        "ProcessSet global_process_set add_process_set remove_process_set process_set_included_op size_op rank_op local_rank_op local_size_op"
    ),
    "gradtape.horovod._functions": (
        "Average Sum Adasum Min Max Product allreduce grouped_allreduce allgather grouped_allgather broadcast alltoall "
        "reducescatter grouped_reducescatter barrier join"
    ),
    "gradtape.horovod._objects": (
        "broadcast_ broadcast_variables broadcast_object broadcast_object_fn allgather_object"
    ),
    "gradtape.horovod._graphs": "BroadcastGlobalVariablesHook broadcast_global_variables",
    "gradtape.horovod._run": "run",
    "gradtape.horovod._compression": "Compression",
    "gradtape.horovod._tape": "DistributedGradientTape PartialDistributedGradientTape",
    "gradtape.horovod._optimizer": "DistributedOptimizer PartialDistributedOptimizer",
    "gradtape.horovod._batch_normalization": "SyncBatchNormalization",
    "gradtape.ranks._library": "RanksError",
    "gradtape.horovod.callbacks": "*",
    "gradtape.horovod.elastic": "*",
    "gradtape.horovod.keras": "*",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
