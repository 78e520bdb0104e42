"""Tracebacks of users' mistakes are short: the user's own frames, and three lines that say what is wrong.

At most four frames: the module, a function of the user, and what stands around it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from messages.errors import EAGER, IN_DATASETS, IN_FIT, IN_FUNCTIONS, PLACES

_HEAD = "import numpy as np\nimport gradtape as tf\na, b = tf.ones([8, 3]), tf.ones([4, 5])\n\n"
# Several programs in one process: each error is printed as Python prints one that nobody catches, and the next follows.
_DRIVER = """
import sys
for name in {names!r}:
    try:
        exec(compile(open(name).read(), name, "exec"), {{"__name__": "__main__"}})
        print("=====no error")
    except BaseException as problem:
        problem.__traceback__ = problem.__traceback__.tb_next
        print("=====", file=sys.stderr)
        sys.excepthook(type(problem), problem, problem.__traceback__)
"""


def _printed(bodies: list[str], folder: Path) -> list[str]:
    """What Python prints for each program."""
    names = [f"program{i}.py" for i in range(len(bodies))]
    for name, body in zip(names, bodies, strict=True):
        (folder / name).write_text(_HEAD + body + "\n", encoding="utf-8")
    (folder / "driver.py").write_text(_DRIVER.format(names=names), encoding="utf-8")
    environment = {**os.environ, "GRADTAPE_TRACEBACK": "", "KERAS_BACKEND": "gradtape"}
    command = [sys.executable, "driver.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert "=====no error" not in done.stdout, done.stdout
    return done.stderr.split("=====\n")[1:]


def _check(printed: str, frames: int, lines: int) -> None:
    assert len(re.findall(r"^  File ", printed, re.MULTILINE)) <= frames, printed
    assert len(printed.strip().split("\n")) <= lines, printed
    assert "gradtape/" not in printed, printed
    assert "\n  fix: " in printed, printed


def test_scripts(tmp_path: Path) -> None:
    bodies = [f"def main():\n    return {statement}\n\n\nmain()" for statement in EAGER]
    found = _printed(bodies, tmp_path)
    assert len(found) == len(EAGER)
    for printed in found:
        _check(printed, frames=2, lines=10)


def test_functions(tmp_path: Path) -> None:
    bodies = [f"@tf.function\ndef step(a, b):\n    return {statement}\n\n\nstep(a, b)" for statement in IN_FUNCTIONS]
    found = _printed(bodies, tmp_path)
    assert len(found) == len(IN_FUNCTIONS)
    for printed in found:
        _check(printed, frames=4, lines=14)


def test_datasets(tmp_path: Path) -> None:
    bodies = [f"def f(x):\n    return {s}\n\n\nlist(tf.data.Dataset.range(3).map(f))" for s in IN_DATASETS]
    for printed in _printed(bodies, tmp_path):
        _check(printed, frames=4, lines=14)


def test_fit(tmp_path: Path) -> None:
    model = "import keras\nm = keras.Sequential([keras.layers.Dense(5)])\nm.compile('sgd', 'mse')\n"
    for printed in _printed([f"{model}m.fit(np.ones([8, 3]), {y}, verbose=0)" for y in IN_FIT], tmp_path):
        assert len(re.findall(r"^  File ", printed, re.MULTILINE)) <= 4, printed
        assert len(printed.strip().split("\n")) <= 14, printed


def test_places_that_machinery_calls(tmp_path: Path) -> None:
    found = _printed([f"keras = tf.keras\n{place}" for place in PLACES], tmp_path)
    assert len(found) == len(PLACES)
    for printed in found:
        _check(printed, frames=4, lines=16)
        assert "During handling" not in printed, printed
        assert "site-packages" not in printed, printed


def test_errors_of_keras_alone(tmp_path: Path) -> None:
    (printed,) = _printed(["keras = tf.keras\nkeras.models.load_model('no.keras')"], tmp_path)
    assert len(re.findall(r"^  File ", printed, re.MULTILINE)) == 1, printed
    assert "File not found" in printed


def test_interrupted_fit(tmp_path: Path) -> None:
    body = """import signal, keras
class Interrupt(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        signal.raise_signal(signal.SIGINT)

m = keras.Sequential([keras.layers.Dense(1)])
m.compile("sgd", "mse")
m.fit(np.ones([8, 3]), np.ones([8, 1]), verbose=0, callbacks=[Interrupt()])"""
    (printed,) = _printed([body], tmp_path)
    assert len(re.findall(r"^  File ", printed, re.MULTILINE)) <= 2, printed
    assert len(printed.strip().split("\n")) <= 7, printed
    assert printed.strip().endswith("KeyboardInterrupt")


def test_errors_while_a_compiled_function_runs(tmp_path: Path) -> None:
    body = "@tf.function\ndef f(x, i):\n    return tf.gather(x, i) * 2.0\n\nf(a, tf.constant([0]))\nf(a, tf.constant([99]))"
    (printed,) = _printed([body], tmp_path)
    _check(printed, frames=2, lines=10)
    assert "RangeError: gather: indices[0] = 99 is not in [0, 8)." in printed


def test_notebooks(tmp_path: Path) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cells = [_HEAD, *EAGER, *[f"@tf.function\ndef f(a, b):\n    return {s}\n\nf(a, b)" for s in IN_FUNCTIONS]]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    environment = {**os.environ, "GRADTAPE_TRACEBACK": ""}
    client = nbclient.NotebookClient(book, timeout=120, allow_errors=True, kernel_name="python3")
    client.execute(env=environment, cwd=str(tmp_path))
    for cell in book.cells[1:]:
        (error,) = [o for o in cell.outputs if o.output_type == "error"]
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(error.traceback))
        assert len(re.findall(r"^(?:File|Cell) ", text, re.MULTILINE)) <= 2, text
        assert len(text.split("\n")) <= 20, text
        assert "\n  fix: " in text, text
        assert "at:  Cell In[" in text, text
