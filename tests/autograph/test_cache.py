"""Rewritten functions on disk: the next process needs no passes over syntax trees, unless something has changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
import gradtape as tf

scale = 2.0

@tf.function
def f(x, n):
    total = tf.zeros_like(x)
    for i in tf.range(n):
        if tf.reduce_sum(total) > 20.0:
            break
        total += {step}
    return total

print(f(tf.constant([1.0, 2.0]), tf.constant(4)).numpy().tolist(), "gradtape.autograph._transformer" in sys.modules)
"""


@pytest.fixture
def run(tmp_path):
    """Runs the program in a new process; what it printed."""

    def once(step: str = "scale * x", cache: str = "cache") -> str:
        program = tmp_path / "program.py"
        program.write_text(PROGRAM.format(step=step))
        environment = os.environ | {"GRADTAPE_CACHE": str(tmp_path / cache) if cache != "off" else "off"}
        done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return once


def files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


def test_second_process_needs_no_passes(run):
    assert run() == "[8.0, 16.0] True"
    assert run() == "[8.0, 16.0] False"


def test_changed_function_is_rewritten(run):
    run()
    assert run("scale * x + 1.0") == "[9.0, 15.0] True"
    assert run("scale * x + 1.0") == "[9.0, 15.0] False"
    assert run() == "[8.0, 16.0] False"


def test_damaged_files_are_ignored(run, tmp_path):
    run()
    for path in files(tmp_path / "cache"):
        path.write_bytes(path.read_bytes()[:-5] + b"abcde")
    assert run() == "[8.0, 16.0] True"


def test_off(run):
    assert run(cache="off") == "[8.0, 16.0] True"
    assert run(cache="off") == "[8.0, 16.0] True"


def test_error_in_a_function_from_disk_names_the_line(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import gradtape as tf\n\n@tf.function\ndef f(x):\n    for _ in tf.range(2):\n        x = tf.matmul(x, x)\n"
        "    return x\n\nf(tf.ones([2, 3]))\n"
    )
    environment = os.environ | {"GRADTAPE_CACHE": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
        assert done.returncode
        assert "program.py:6" in done.stderr or 'program.py", line 6' in done.stderr
