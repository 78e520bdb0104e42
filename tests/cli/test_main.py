"""The command itself: what it says of itself."""

import os
import subprocess
import sys

import pytest

import gradtape as tf
from gradtape.cli.main import main


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"], ["run", "--help"], ["show", "--help"]])
def test_lists_all_commands(capsys, arguments):
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert all(f"gradtape {command} " in text for command in ("run", "launch", "show", "check", "doctor"))
    assert tf.__version__ in text


def test_a_module_that_greets():
    ran = subprocess.run([sys.executable, "-m", "gradtape"], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "import gradtape as tf" in ran.stdout


@pytest.mark.parametrize(
    ("given", "meant"), [("walk", ""), ("chek", "gradtape check"), ("program.py", "gradtape run program.py")]
)
def test_unknown_commands(capsys, given, meant):
    assert main([given]) == 2
    said = capsys.readouterr().err
    assert f"unknown command {given!r}." in said
    assert (f"Did you mean: {meant}?" in said) == bool(meant)
    assert "run, launch, show, check, doctor; gradtape --help" in said


def test_without_keras():
    """Asking whether there is something needs no Keras."""
    program = """
import inspect
import sys
sys.modules["keras"] = None
import gradtape as tf
assert not hasattr(tf, "keras")
assert "GradientTape" in dict(inspect.getmembers(tf))
try:
    tf.keras
except AttributeError as problem:
    assert "pip install 'gradtape[keras]'" in str(problem)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    "line", ["tf.keras.Sequential()", "from tensorflow.keras import layers", "tf.optimizers.Adam()"]
)
def test_run_without_keras(tmp_path, line):
    """The program's own line, and how to install Keras; not the modules in between."""
    (tmp_path / "program.py").write_text(f"import tensorflow as tf\n{line}\n")
    environment = {**os.environ, "GRADTAPE_TRACEBACK": ""}
    program = "import sys; sys.modules['keras'] = None; from gradtape.cli.main import main; sys.exit(main(['run', 'program.py']))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert ran.returncode == 1
    assert ran.stderr.count("  File ") == 1, ran.stderr
    assert "program.py" in ran.stderr
    assert "tf.keras needs Keras 3, which is not installed.\n  fix: pip install 'gradtape[keras]'" in ran.stderr
