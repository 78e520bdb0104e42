"""`horovod.keras` and `horovod.tensorflow.keras`: Horovod's names for Keras."""

from __future__ import annotations

from typing import Any

import gradtape_keras_hook
from gradtape.horovod import callbacks, elastic
from gradtape.horovod._compression import Compression
from gradtape.horovod._functions import Adasum, Average, Max, Min, Product, Sum
from gradtape.horovod._functions import allgather as _allgather
from gradtape.horovod._functions import allreduce as _allreduce
from gradtape.horovod._functions import broadcast as _broadcast
from gradtape.horovod._functions import reducescatter as _reducescatter
from gradtape.horovod._graphs import broadcast_global_variables
from gradtape.horovod._objects import allgather_object, broadcast_object, broadcast_variables
from gradtape.horovod._optimizer import DistributedOptimizer, PartialDistributedOptimizer
from gradtape.horovod._process import (
    ccl_built,
    cross_rank,
    cross_size,
    cuda_built,
    ddl_built,
    gloo_built,
    gloo_enabled,
    init,
    is_homogeneous,
    is_initialized,
    local_rank,
    local_size,
    mpi_built,
    mpi_enabled,
    mpi_threads_supported,
    nccl_built,
    rank,
    rocm_built,
    shutdown,
    size,
    start_timeline,
    stop_timeline,
    sycl_built,
)
from gradtape.horovod._process_set import ProcessSet, add_process_set, global_process_set, remove_process_set

__all__ = [
    "Adasum", "Average", "Compression", "DistributedOptimizer", "Max", "Min", "PartialDistributedOptimizer", "ProcessSet",
    "Product", "Sum", "add_process_set", "allgather", "allgather_object", "allreduce", "broadcast", "broadcast_global_variables",
    "broadcast_object", "broadcast_variables", "callbacks", "ccl_built", "cross_rank", "cross_size", "cuda_built", "ddl_built",
    "elastic", "global_process_set", "gloo_built", "gloo_enabled", "init", "is_homogeneous", "is_initialized", "load_model",
    "local_rank", "local_size", "mpi_built", "mpi_enabled", "mpi_threads_supported", "nccl_built", "rank", "reducescatter",
    "remove_process_set", "rocm_built", "shutdown", "size", "start_timeline", "stop_timeline", "sycl_built",
]  # fmt: skip


def allreduce(value: Any, name: str | None = None, average: Any = None, op: Any = None, **kwargs: Any) -> Any:
    """A value of all ranks, reduced, as an array; see `hvd.allreduce`."""
    return _allreduce(value, average=average, op=op, name=name, **kwargs).numpy()


def allgather(value: Any, name: str | None = None, process_set: ProcessSet = global_process_set) -> Any:
    """The rows of all ranks, as an array."""
    return _allgather(value, name, process_set=process_set).numpy()


def broadcast(value: Any, root_rank: int, name: str | None = None, process_set: ProcessSet = global_process_set) -> Any:
    """A value of one rank, as an array."""
    return _broadcast(value, root_rank, name, process_set=process_set).numpy()


def reducescatter(value: Any, name: str | None = None, op: Any = Average) -> Any:
    """This rank's rows of a value of all ranks, reduced, as an array."""
    return _reducescatter(value, op=op, name=name).numpy()


def load_model(
    filepath: Any,
    custom_optimizers: Any = None,
    custom_objects: Any = None,
    compression: Any = Compression.none,
    process_set: ProcessSet = global_process_set,
    legacy_opts: bool = False,
) -> Any:
    """A saved Keras model, whose optimizer reduces the gradients of all ranks; `legacy_opts` is ignored."""
    objects = {c.__name__: c for c in custom_optimizers or []} | dict(custom_objects or {})
    model = gradtape_keras_hook.keras().models.load_model(filepath, custom_objects=objects)
    if getattr(model, "optimizer", None) is not None:
        DistributedOptimizer(model.optimizer, compression=compression, process_set=process_set)
    return model
