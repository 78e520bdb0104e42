"""The programs in examples/, run as a user runs them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def test_quickstart() -> None:
    command = [sys.executable, str(EXAMPLES / "quickstart.py")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for expected in (
        "tf.Tensor(6.0, shape=(), dtype=float32)",
        "{'w': [[-3.0, -5.0], [3.0, 5.0]], 'b': [-3.0, -5.0]}",
        "dz/dx = 108.0",
        "dy/dx = 2.0   d2y/dx2 = 2.0",
        "m = np.mean(h.numpy())   <-- here",
        "fix:",
    ):
        assert expected in done.stdout
    accuracy = re.search(r"([\d.]+)% on unseen points", done.stdout)
    assert accuracy is not None
    assert float(accuracy[1]) > 97
    assert max(len(line) for line in done.stdout.splitlines()) <= 100
