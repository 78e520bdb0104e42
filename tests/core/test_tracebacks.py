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


CAUGHT = """
import logging
import traceback
import gradtape as tf

a, b = tf.ones((8, 3)), tf.ones((4, 5))
w = tf.Variable(a)

@tf.function
def function():
    return a @ b

def gradient():
    with tf.GradientTape() as tape:
        y = w * 2.0
    return tape.gradient(y, w, output_gradients=b)

def persistent():
    with tf.GradientTape() as tape:
        y = w * 2.0
    return tape.jacobian(y, "w")

def dataset():
    return list(tf.data.Dataset.range(3).map(lambda x: tf.reshape(x, [2])))

def raises():
    raise OSError("the user's own")

mistakes = {
    "operator": lambda: a @ b,
    "function of an op": lambda: tf.matmul(a, b),
    "function of elements": lambda: tf.nn.relu("text"),
    "pair of elements": lambda: tf.maximum(a, b),
    "compiled": function,
    "of a trace": lambda: function.get_concrete_function()(1),
    "gradient": gradient,
    "jacobian": persistent,
    "dataset": dataset,
    "in a map": lambda: tf.map_fn(lambda x: tf.reshape(x, [7]), a),
    "the user's own": lambda: tf.map_fn(lambda x: raises(), a),
}
for name, mistake in mistakes.items():
    try:
        mistake()
    except Exception:
        print(name, traceback.format_exc().count('  File "'), sep=": ")
"""


def test_caught_errors_are_short_where_a_program_prints_or_logs_them(tmp_path):
    lines = dict(line.split(": ") for line in printed(tmp_path, CAUGHT).strip().split("\n"))
    assert len(lines) == 11
    # The line that calls, the user's functions inside, and where the error left.
    users = {"in a map": 1, "the user's own": 2, "of a trace": 1}
    assert {name: found for name, found in lines.items() if int(found) > 4 + users.get(name, 0)} == {}


def test_debuggers_see_the_whole_stack_without_filtering(tmp_path):
    full = dict(line.split(": ") for line in printed(tmp_path, CAUGHT, GRADTAPE_TRACEBACK="full").strip().split("\n"))
    assert int(full["operator"]) > 6
    assert int(full["dataset"]) > 6


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
