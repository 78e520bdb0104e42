"""Functions that are made and dropped leave bounded memory and few maps of memory behind."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
import gradtape as tf

x = tf.constant([1.0, 2.0, 3.0])


def make(first, last):
    for i in range(first, last):
        c = i * 0.37 + 0.1
        tf.function(lambda x: tf.sin(x * c) + tf.reduce_sum(x) * c)(x)


count = int(sys.argv[1])
if count < 2000:  # the limits, scaled down
    from functools import lru_cache
    from gradtape.compiler.runtime import kernels
    from gradtape.compiler.backends.rows import lower as rows
    kernels._KEPT = 32
    rows.lower = lru_cache(maxsize=32)(rows.lower.__wrapped__)
make(0, count)
maps = len(Path("/proc/self/maps").read_text().splitlines())
(memory,) = [int(line.split()[1]) >> 10 for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")]
print(maps, memory)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="maps of memory are read from /proc")
def test_kernels_of_dropped_functions_are_bounded(rounds: Callable[[int, int], int], tmp_path: Path) -> None:
    count = rounds(120, 20_000)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(count)],
        env=os.environ | {"GRADTAPE_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60 + count,
    )
    assert done.returncode == 0, done.stderr
    maps, memory = map(int, done.stdout.split())
    assert maps < (500 if count < 2000 else 8000)
    assert memory < 300
