"""What Python prints of an error: the user's frames, three lines, and nothing of the library."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradtape.core import tracebacks
from gradtape.core.provenance import Site

EAGER = """
import gradtape as tf

def loss(a, b):
    return a @ b

loss(tf.ones((8, 3)), tf.ones((4, 5)))
"""
FUNCTION = """
import gradtape as tf

@tf.function
def f(a, b):
    return tf.matmul(a, b)

f(tf.ones((8, 3)), tf.ones((4, 5)))
"""
DATASET = """
import gradtape as tf

for x in tf.data.Dataset.range(3).map(lambda x: tf.reshape(x, [2])):
    pass
"""
GRADIENT = """
import gradtape as tf

with tf.GradientTape() as tape:
    pass
tape.gradient(1, 2)
"""
THREAD = """
import threading
import gradtape as tf

def work():
    tf.ones((8, 3)) @ tf.ones((4, 5))

thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
CHAINED = """
import gradtape as tf

try:
    tf.ones([2]) + tf.ones([3])
except ValueError as problem:
    raise RuntimeError("in my program") from problem
"""
FIT = """
import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(3)])
model.compile("sgd", "mse")
model.fit(np.ones((4, 2)), np.ones((4, 7)), verbose=0)
"""


def printed(tmp_path, program, *command, **environment):
    """What a program in a process of its own prints of its error."""
    path = tmp_path / "program.py"
    path.write_text(program)
    inherited = {k: v for k, v in os.environ.items() if k != "GRADTAPE_TRACEBACK"}
    ran = subprocess.run(
        [sys.executable, *command, str(path)], capture_output=True, text=True, env=inherited | environment, cwd=tmp_path
    )
    return ran.stderr + ran.stdout


@pytest.mark.parametrize(
    ("program", "most"),
    [(EAGER, 2), (FUNCTION, 2), (DATASET, 2), (GRADIENT, 1), (FIT, 1)],
    ids=["eager", "function", "dataset", "gradient", "fit"],
)
def test_frames_of_the_user_only(tmp_path, program, most):
    text = printed(tmp_path, program, KERAS_BACKEND="gradtape")
    frames = [line for line in text.splitlines() if line.startswith('  File "')]
    assert 1 <= len(frames) <= most, text
    assert all("program.py" in frame for frame in frames)
    assert "at:  program.py:" in text
    assert "fix: " in text


def test_threads(tmp_path):
    frames = [line for line in printed(tmp_path, THREAD).splitlines() if line.startswith('  File "')]
    assert not any("gradtape" in frame for frame in frames)
    assert any("program.py" in frame for frame in frames)


def test_errors_that_an_error_comes_from(tmp_path):
    text = printed(tmp_path, CHAINED)
    assert text.count('  File "') == 2
    assert "the direct cause" in text


def test_the_whole_stack_is_there_when_asked_for(tmp_path):
    assert printed(tmp_path, EAGER, GRADTAPE_TRACEBACK="full").count('  File "') > 4
    switched = EAGER.replace("def loss", "tf.debugging.disable_traceback_filtering()\n\ndef loss")
    assert printed(tmp_path, switched).count('  File "') > 4


def test_debuggers_see_the_whole_stack(tmp_path):
    program = """
import sys
import traceback
import gradtape as tf

try:
    tf.ones((8, 3)) @ tf.ones((4, 5))
except ValueError as problem:
    sys.excepthook(type(problem), problem, problem.__traceback__)
    print(len(traceback.extract_tb(problem.__traceback__)), "frames")
"""
    text = printed(tmp_path, program)
    assert text.count('  File "') == 1
    assert int(text.split(" frames")[0].split()[-1]) > 3


def test_errors_of_others_are_left_alone():
    with pytest.raises(ValueError, match="invalid literal") as caught:
        int("x")
    assert tracebacks.filtered(caught.tb) is caught.tb


def test_pytest(tmp_path):
    program = "import gradtape as tf\n\ndef test_it():\n    tf.ones((8, 3)) @ tf.ones((4, 5))\n"
    text = printed(tmp_path, program, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "program.py:4: ShapeError" in text
    assert "dispatch" not in text


def test_places_are_paths_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Site(str(tmp_path / "pkg" / "model.py"), 3, "f").short == os.path.join("pkg", "model.py") + ":3"
    assert Site(str(Path(tmp_path).parent / "elsewhere.py"), 3, "f").short == "elsewhere.py:3"
