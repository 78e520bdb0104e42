"""Processes that write files until they are killed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

TIMES = 8


def check_after_kills(program: str, folder: Path, read: Callable[[Path], int], longest: float) -> None:
    """Kill a program in the middle of writing, several times, and check each time that what it leaves can be read.

    Args:
      program: its text. It gets the folder as its argument, goes on from the step that it finds there, prints "writing"
        before or after its first file, and never ends.
      folder: where it writes.
      read: gives the step that was written last, after a check that all of it is there; 0 if there is none.
      longest: how many seconds, at the most, it runs on after it has printed.
    """
    delays, before = random.Random(0), 0
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    for _ in range(TIMES):
        command = [sys.executable, "-c", program, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=settings) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"writing\n"
            time.sleep(delays.uniform(0.01, longest))
            writer.kill()
        step = read(folder)
        assert step >= before
        before = step
    assert before > 0
