"""Programs on several ranks, started as users start them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

LIMIT = 300  # seconds for a whole job; a busy machine takes its time, a hang would take for ever


class Job(NamedTuple):
    """What a job did."""

    status: int
    out: str
    err: str


@pytest.fixture
def launch(tmp_path: Path) -> Callable[..., Job]:
    """A function that runs the text of a program on some ranks, by `gradtape launch`."""

    def run(ranks: int, program: str, *arguments: str, options: tuple[str, ...] = (), **environment: str) -> Job:
        script = tmp_path / "program.py"
        script.write_text(
            "import gradtape as tf\nimport gradtape.horovod as hvd\nimport numpy as np\n" + textwrap.dedent(program)
        )
        command = [sys.executable, "-m", "gradtape", "launch", "-n", str(ranks), *options, str(script), *arguments]
        found = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, env={**os.environ, **environment}, cwd=tmp_path
        )
        return Job(found.returncode, found.stdout, found.stderr)

    return run
