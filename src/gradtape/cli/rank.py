"""One rank of `gradtape launch`: its share of the cores, its number before each line, and the program."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

from gradtape.core import locks


class Prefixed(io.TextIOBase):
    """A stream that writes the number of the rank before each line.

    Args:
      stream: where the lines go; whole lines, so that those of several ranks do not mix.
      prefix: what stands before each.
    """

    def __init__(self, stream: TextIO, prefix: str) -> None:
        self._stream, self._prefix, self._rest = stream, prefix, ""
        self._lock = locks.lock("lines")

    encoding = property(lambda self: self._stream.encoding)

    def write(self, text: str) -> int:
        """Write the lines that are complete."""
        with self._lock:
            *lines, self._rest = (self._rest + text).split("\n")
            if lines:
                self._stream.write("".join([f"{self._prefix}{line}\n" for line in lines]))
                self._stream.flush()
        return len(text)

    def flush(self) -> None:
        """Pass on what was written; an incomplete line waits."""
        self._stream.flush()

    def finish(self) -> None:
        """Write a last line that is not complete."""
        if self._rest:
            self.write("\n")

    def fileno(self) -> int:
        """The file below."""
        return self._stream.fileno()

    def isatty(self) -> bool:
        """False: lines are not overwritten."""
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _numbers() -> tuple[int, int, int]:
    """The number of this rank in the job and on this machine, and how many there are here, as launchers tell them."""
    rank = _first("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID")
    local = _first("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID")
    count = _first("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "GRADTAPE_LAUNCH_SIZE")
    return rank, local, max(1, count)


def _first(*names: str) -> int:
    found = [os.environ[n] for n in names if os.environ.get(n, "").isdigit()]
    return int(found[0]) if found else 0


def _share_cores(local: int, count: int) -> None:
    """Bind this process to its share of the machine's cores, unless somebody has bound it already."""
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < (os.cpu_count() or 1):
        return
    cores = sorted(os.sched_getaffinity(0))
    share = cores[local * len(cores) // count : (local + 1) * len(cores) // count] or [cores[local % len(cores)]]
    os.sched_setaffinity(0, share)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, str(len(share)))


def main() -> int:
    """Run the program that the command line names."""
    rank, local, count = _numbers()
    _share_cores(local, count)
    streams = [Prefixed(sys.stdout, f"[{rank}] "), Prefixed(sys.stderr, f"[{rank}] ")]
    sys.stdout, sys.stderr = streams
    from gradtape.cli import run
    from gradtape.ranks._arrival import Beacon

    program, beacon, status = sys.argv[1:], Beacon(rank), 1
    try:
        chosen = run.run_module if program[0] == "-m" else run.run_file
        status = chosen(*((program[1], program[2:]) if program[0] == "-m" else (program[0], program[1:])))
        return status
    except SystemExit as ended:
        status = 0 if ended.code is None else ended.code if isinstance(ended.code, int) else 1
        raise
    finally:
        beacon.finish(status)
        for stream in streams:
            stream.finish()


if __name__ == "__main__":
    sys.exit(main())
