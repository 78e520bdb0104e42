"""The version policy of docs/differences.md: gradtape's own version, and the release of TensorFlow that programs may ask for."""

import subprocess
import sys
from pathlib import Path

import gradtape as tf


def test_own_version_and_that_of_tensorflow():
    assert tf.version.VERSION.startswith("2.")
    assert not tf.__version__.startswith("2.")


def test_under_run_both_are_tensorflows(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("import tensorflow as tf\nprint(tf.__version__, tf.version.VERSION)\n", encoding="utf-8")
    command = [sys.executable, "-m", "gradtape", "run", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [tf.version.VERSION] * 2
