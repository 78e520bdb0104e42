"""Initialisation, and the number of this rank."""

from __future__ import annotations

import sys
from typing import Any

from gradtape.core import device, errors
from gradtape.horovod._process_set import add_process_set, ranks_of
from gradtape.ranks import _engine as engines
from gradtape.ranks import _group as groups


def init(comm: Any = None, process_sets: Any = None, timeout: float | None = None) -> None:
    """Start the ranks: every process of the job must call it, before other functions of this module.

    Args:
      comm: None, or a list or communicator of mpi4py with all ranks. For some of them there are process sets.
      process_sets: a list of ProcessSets to add; "dynamic", as they may always be added later, changes nothing.
      timeout: seconds after which a rank that does not come is an error on the others; 60, or GRADTAPE_RANKS_TIMEOUT.
    """
    if not (comm is None or isinstance(comm, (list, tuple)) or hasattr(comm, "Get_group")):
        raise errors.build(
            errors.InvalidArgumentError,
            f"init: comm must be None, a list of ranks or a communicator of mpi4py, got {comm!r}.",
            "leave it out.",
        )
    if not engines.is_started():
        engines.start(timeout)
        groups.check_versions(str(sys.modules["gradtape"].__version__))
    elif timeout is not None:
        engines.start(timeout)
    if comm:
        _check_all(list(comm) if isinstance(comm, (list, tuple)) else ranks_of(comm))
    for process_set in [] if process_sets in (None, "dynamic") else process_sets:
        add_process_set(process_set)


def _check_all(ranks: list[int]) -> None:
    if ranks != list(range(size())):
        raise errors.build(
            errors.UnimplementedError,
            f"init: comm must have all {size()} ranks in their order, got {ranks}.",
            f"hvd.init(process_sets=[hvd.ProcessSet({ranks})]), and process_set=... in the calls.",
        )


def shutdown() -> None:
    """Shut down, when all ranks have reached this call. MPI cannot be started again in the same process."""
    engines.stop()


def is_initialized() -> bool:
    """True between `init` and `shutdown`."""
    return engines.is_started()


def rank() -> int:
    """The number of this process, from 0."""
    return int(engines.engine("rank").rank)


def size() -> int:
    """The number of processes."""
    return int(engines.engine("size").size)


def local_rank() -> int:
    """The number of this process on its machine, from 0."""
    return int(engines.engine("local_rank").board.local_rank)


def local_size() -> int:
    """The number of processes on this machine."""
    return int(engines.engine("local_size").board.local_size)


def cross_rank() -> int:
    """The number of this machine, from 0."""
    return int(engines.engine("cross_rank").board.cross_rank)


def cross_size() -> int:
    """The number of machines."""
    return int(engines.engine("cross_size").board.cross_size)


def is_homogeneous() -> bool:
    """True if all machines have the same number of processes."""
    return bool(engines.engine("is_homogeneous").board.is_homogeneous)


def mpi_built(verbose: bool = False) -> bool:
    """True: the collectives are MPI's."""
    return True


def mpi_enabled() -> bool:
    """True: the collectives are MPI's."""
    return True


def mpi_threads_supported() -> bool:
    """Whether MPI may be called from several threads."""
    mpi = engines.engine("mpi_threads_supported").mpi
    return bool(mpi.Query_thread() >= mpi.THREAD_MULTIPLE)


def _absent(verbose: bool = False) -> bool:
    """False: gradtape's collectives are MPI's alone."""
    return False


gloo_built = gloo_enabled = nccl_built = cuda_built = rocm_built = ddl_built = ccl_built = sycl_built = _absent


def check_extension(*args: Any, **kwargs: Any) -> None:
    """Accepted, without effect: there is no extension that could be missing."""


def check_num_rank_power_of_2(num_rank: int) -> bool:
    """True for a power of two, from 1 on."""
    return num_rank > 0 and num_rank & (num_rank - 1) == 0


num_rank_is_power_2 = check_num_rank_power_of_2


def gpu_available(ext_base_name: str = "", verbose: bool = False) -> bool:
    """True if there is a GPU that gradtape computes on."""
    return device.gpu_count() > 0


def start_timeline(file_path: str, mark_cycles: bool = False) -> None:
    """Refused: there is no timeline."""
    raise errors.build(
        errors.UnimplementedError,
        "start_timeline: timelines are not supported.",
        "use Python's profilers; an error that names the ranks and their lines is raised where ranks wait in vain.",
    )


stop_timeline = check_extension
