"""DeepXDE's examples of forward problems, each in a process of its own, with few iterations; the target unpacks them into `sources`.

A program passes if it runs to its end. Numbers of iterations are lowered, nothing else is changed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(sys.prefix) / "sources" / "examples" / "pinn_forward"
NAMES = sorted(path.name for path in EXAMPLES.glob("*.py"))
# Before the program, as in DeepXDE's own integration tests: few steps of L-BFGS, and no windows.
PROLOGUE = """
import matplotlib
matplotlib.use("template")
from deepxde.optimizers import set_LBFGS_options
set_LBFGS_options(maxiter=5)
"""
SECONDS = 240


def shortened(text: str, name: str) -> str:
    """A program with few iterations; one refines its points in a loop that ends when the error is small."""
    text = re.sub(r"iterations\s*=\s*\d+", "iterations=5", text)
    if name == "Burgers_RAR.py":
        text = text.replace("while err", "for _ in [0]  # while err", 1).replace("# while err > 0.005:", ":")
    return PROLOGUE + text


@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, tmp_path: Path) -> None:
    (tmp_path / "dataset").symlink_to(EXAMPLES.parent / "dataset")
    folder = tmp_path / "pinn_forward"
    folder.mkdir()
    program = folder / name
    program.write_text(shortened((EXAMPLES / name).read_text(), name))
    command = [sys.executable, "-m", "gradtape", "run", str(program)]
    run = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "DDE_BACKEND": "tensorflow"},
    )
    assert run.returncode == 0, run.stderr[-1500:]
