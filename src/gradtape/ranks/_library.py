"""Finding and starting MPI, and errors about unsuitable environments."""

from __future__ import annotations

import os
from typing import Any

from gradtape.core import errors

# What launchers tell a process: how many ranks they have started.
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "GRADTAPE_LAUNCH_SIZE")


class RanksError(errors.InternalError, RuntimeError):
    """Ranks that do not want the same collective, or a rank that does not come."""


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
    if not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
    check_size(MPI.COMM_WORLD.size, MPI.Get_library_version())
    return MPI


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
