"""fork while other threads are at work: neither the parent nor the child hangs."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("busy_forks.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def test_forks_from_busy_threads(rounds: Callable[[int, int], int], tmp_path: Path) -> None:
    environment = os.environ | {"GRADTAPE_CACHE": str(tmp_path)}
    count = rounds(2, 200)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(count), "1"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120 + 20 * count,
    )
    assert done.returncode == 0, done.stderr[-4000:]
