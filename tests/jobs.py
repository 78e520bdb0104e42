"""Programs on several ranks, started as users start them.

Two ranks, and each fault once, always run; `GRADTAPE_MPI_RANKS=2,4,8` and `GRADTAPE_MPI_TIMES=20` (`make mpi`) run more.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

LIMIT = 300  # seconds for a whole job; a busy machine takes its time, a hang would take for ever
TIMES = int(os.environ.get("GRADTAPE_MPI_TIMES", "1"))
RANKS = [int(n) for n in os.environ.get("GRADTAPE_MPI_RANKS", "2").split(",")]


class Job(NamedTuple):
    """What a job did."""

    status: int
    out: str
    err: str


def launcher(folder: Path) -> Callable[..., Job]:
    """A function that runs the text of a program on some ranks, by `gradtape launch`."""

    def run(ranks: int, program: str, *arguments: str, options: tuple[str, ...] = (), **environment: str) -> Job:
        script = folder / "program.py"
        script.write_text(
            "import gradtape as tf\nimport gradtape.horovod as hvd\nimport numpy as np\n" + textwrap.dedent(program)
        )
        command = [sys.executable, "-m", "gradtape", "launch", "-n", str(ranks), *options, str(script), *arguments]
        found = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, env={**os.environ, **environment}, cwd=folder
        )
        return Job(found.returncode, found.stdout, found.stderr)

    return run
