"""The backend of `keras.distribution`: the processes of an MPI job, with one device each.

`keras.distribution.initialize()` joins the processes that `gradtape launch`, `mpirun` or `srun` has started, and
`set_distribution(DataParallel())` trains on all of them. Models are not divided: `ModelParallel` is refused.
"""

from __future__ import annotations

from typing import Any

from keras.src.backend.common import global_state

from gradtape.core import device, errors
from gradtape.distribute import _cluster as cluster

_strategies: list[Any] = []


def initialize(job_addresses: str | None, num_processes: int | None, process_id: int | None) -> None:
    """Join the processes of this job; the arguments, if given, must match the launcher's."""
    made = _joined()
    count, number = (1, 0) if made is None else (made._workers.count, made._workers.index)
    for name, told, is_so in (("num_processes", num_processes, count), ("process_id", process_id, number)):
        if told is not None and told != is_so:
            raise errors.build(
                errors.FailedPreconditionError,
                f"keras.distribution.initialize: {name} must be {is_so}, as the launcher says, got {told}.",
                f"start the processes as one job: gradtape launch -n {num_processes or 'N'} train.py, or mpirun or srun.",
            )


def _joined() -> Any:
    """The strategy of all processes; None if this is the only one."""
    if not _strategies:
        from gradtape.distribute._strategy import MultiWorkerMirroredStrategy

        made = MultiWorkerMirroredStrategy() if cluster.started() > 1 else None
        _strategies.append(None if made is None or made._workers is None else made)
    return _strategies[0]


def list_devices(device_type: str | None = None) -> list[str]:
    """The devices of all processes: one CPU each, or one GPU where CuPy has one."""
    kind = (device_type or ("gpu" if device.gpu_count() else "cpu")).lower()
    if kind == "tpu" or (kind == "gpu" and not device.gpu_count()):
        return []
    return [f"{kind}:{i}" for i in range(num_processes())]


def get_device_count(device_type: str | None = None) -> int:
    """The number of devices."""
    return len(list_devices(device_type))


def num_processes() -> int:
    """The number of processes."""
    made = _joined()
    return 1 if made is None else int(made._workers.count)


def process_id() -> int:
    """The number of this process."""
    made = _joined()
    return 0 if made is None else int(made._workers.index)


def distribute_tensor(tensor: Any, layout: Any) -> Any:
    """The tensor: every process has all of it."""
    _refuse_division(layout)
    return tensor


distribute_variable = distribute_value = distribute_tensor


def _refuse_division(layout: Any) -> None:
    axes = getattr(layout, "axes", None) or ()
    if any(axis is not None for axis in axes):
        raise errors.build(
            errors.UnimplementedError,
            f"keras.distribution: tensors cannot be divided among processes, got the layout {tuple(axes)}.",
            "use keras.distribution.DataParallel().",
        )


def _to_backend_mesh(device_mesh: Any) -> Any:
    return device_mesh


def _to_backend_layout(tensor_layout: Any) -> Any:
    _refuse_division(tensor_layout)
    return tensor_layout


def strategy() -> Any:
    """The strategy of the current distribution; None without one, or with one process."""
    chosen = global_state.get_global_attribute("distribution")
    if chosen is None or chosen.num_processes == 1:
        return None
    from keras.src.distribution.distribution_lib import DataParallel

    if not isinstance(chosen, DataParallel):
        raise errors.build(
            errors.UnimplementedError,
            f"keras.distribution: {type(chosen).__name__} is not supported: models are not divided among processes.",
            "use keras.distribution.DataParallel().",
        )
    return _joined()


def divides() -> bool:
    """False if processes give their own rows: a distribution was set with auto_shard_dataset=False."""
    chosen = global_state.get_global_attribute("distribution")
    return chosen is None or bool(chosen.auto_shard_dataset)
