"""Finding and starting MPI, and errors about unsuitable environments."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from gradtape.core import errors

# What launchers tell a process: how many ranks they have started.
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "GRADTAPE_LAUNCH_SIZE")
_NUMBERS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID")


class RanksError(errors.InternalError, RuntimeError):
    """Ranks that do not want the same collective, or a rank that does not come."""


def told_size() -> int:
    """How many ranks the launcher says that it has started; 1 without a launcher."""
    return max(
        [int(os.environ[n]) for n in (*_SIZES, "SLURM_STEP_NUM_TASKS") if os.environ.get(n, "").isdigit()], default=1
    )


def told_number() -> int:
    """The number of this rank, as the launcher says."""
    return next((int(os.environ[n]) for n in _NUMBERS if os.environ.get(n, "").isdigit()), 0)


def load() -> Any:
    """The module `mpi4py.MPI`, with MPI started."""
    try:
        import mpi4py
    except ImportError:
        raise errors.build(
            _MissingMPIError,
            "init: MPI is not installed: the package mpi4py cannot be imported.",
            'pip install "gradtape[mpi]" brings mpi4py and MPICH; on a cluster, pip install mpi4py and use its own MPI.',
        ) from None
    # Before MPI is loaded. A plain MPI_Finalize at the end would wait for ever for a rank that does not come.
    mpi4py.rc.initialize = False
    mpi4py.rc.finalize = False
    os.environ.setdefault("OMPI_MCA_osc", "^ucx")  # prints an error for every window on machines without its hardware
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as problem:
        raise errors.build(
            _MissingMPIError,
            f"init: mpi4py is installed, but no MPI library can be loaded: {problem}",
            "pip install mpich, or load the module of your cluster's MPI before Python starts.",
        ) from problem
    if MPI.Is_finalized():
        raise errors.build(
            errors.FailedPreconditionError,
            "init: the ranks were shut down, and MPI cannot be started a second time in a process.",
            "call hvd.shutdown() only at the end of the program.",
        )
    if not MPI.Is_initialized():
        _initialize(MPI)
    check_size(MPI.COMM_WORLD.size, MPI.Get_library_version())
    return MPI


def _initialize(mpi: Any) -> None:
    """Start MPI, with the interpreter free meanwhile: mpi4py holds it until all ranks have come, so no thread could report who is missing."""
    try:
        start = ctypes.CDLL(mpi.__file__).MPI_Init_thread
    except (OSError, AttributeError):
        mpi.Init_thread(mpi.THREAD_MULTIPLE)
        return
    if start(None, None, mpi.THREAD_MULTIPLE, ctypes.byref(ctypes.c_int())):
        raise errors.build(RanksError, "init: MPI could not be started.", "see what it has printed above.")
    for communicator in (mpi.COMM_WORLD, mpi.COMM_SELF):  # as mpi4py does: errors become exceptions
        communicator.Set_errhandler(mpi.ERRORS_RETURN)


class _MissingMPIError(ImportError, errors.FailedPreconditionError):
    """MPI cannot be loaded."""


def check_size(size: int, library: str) -> None:
    """An error if the launcher started another number of ranks than MPI knows: it belongs to another MPI."""
    for name in _SIZES:
        told = os.environ.get(name, "")
        if told.isdigit() and int(told) != size:
            raise errors.build(
                RanksError,
                f"init: the launcher started {told} ranks ({name}), but MPI ({library.split(',')[0].strip()}) knows {size}: "
                "mpiexec and the library that mpi4py loads belong to different MPIs.",
                "start with the mpiexec next to this Python: gradtape launch -n "
                f"{told} script.py finds it; `which mpiexec` shows the one on your PATH.",
            )
    told = os.environ.get("SLURM_STEP_NUM_TASKS", "")  # only srun sets it
    if told.isdigit() and int(told) > size == 1:
        raise errors.build(
            RanksError,
            f"init: srun started {told} tasks, but MPI ({library.split(',')[0].strip()}) cannot join them: it knows only this one.",
            "srun --mpi=pmi2 (MPICH) or --mpi=pmix (Open MPI), as `srun --mpi=list` offers; or use the cluster's own MPI.",
        )
