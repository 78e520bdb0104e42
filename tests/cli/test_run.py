"""`gradtape run`: programs that import TensorFlow run unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """\
import sys
import tensorflow as tf
from tensorflow import math as m, Variable

v = Variable(3.0)
with tf.GradientTape() as tape:
    y = m.square(v)
print(float(tape.gradient(y, v)), tf.__version__.split(".")[0], __name__, sys.argv[1:])
"""


def gradtape(*arguments: str, folder: Path | None = None, code: int = 0) -> Any:
    """The command in a process of its own."""
    paths = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    settings = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"} | {"PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-m", "gradtape", *arguments],
        capture_output=True, text=True, check=False, cwd=folder, env=settings,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done


def written(folder: Path, text: str, name: str = "program.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_script_with_arguments(tmp_path: Path) -> None:
    done = gradtape("run", written(tmp_path, PROGRAM), "a", "--version", "-m")
    assert done.stdout == "6.0 2 __main__ ['a', '--version', '-m']\n"
    assert done.stderr == ""


def test_a_module_and_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    written(tmp_path / "package", "", "__init__.py")
    written(tmp_path / "package", "import tensorflow as tf\none = tf.constant(1.0)\n", "part.py")
    written(
        tmp_path / "package", "import sys\nfrom package.part import one\nprint(float(one), sys.argv[1:])\n", "go.py"
    )
    assert gradtape("run", "-m", "package.go", "x", folder=tmp_path).stdout == "1.0 ['x']\n"


def test_a_script_finds_files_beside_it(tmp_path: Path) -> None:
    written(tmp_path, "value = 5\n", "beside.py")
    done = gradtape("run", written(tmp_path, "import beside, tensorflow\nprint(beside.value)\n"))
    assert done.stdout == "5\n"


def test_keras(tmp_path: Path) -> None:
    text = """\
import os
os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import tensorflow as tf
import tensorflow.keras.backend as K
from tensorflow.keras import layers
from tensorflow.keras.layers import Dense
print(keras.config.backend(), layers.Dense is Dense is keras.layers.Dense, tf.keras.Model is keras.Model, K.epsilon() > 0)
print(Dense(2)(tf.ones([1, 3])).shape)
"""
    assert gradtape("run", written(tmp_path, text)).stdout == "gradtape True True True\n(1, 2)\n"


def test_an_error_is_shown_from_the_program_on(tmp_path: Path) -> None:
    program = written(tmp_path, "import tensorflow as tf\n\ntf.ones([2]) + tf.ones([3])\n")
    done = gradtape("run", program, code=1)
    assert done.stderr.splitlines()[1].strip() == f'File "{program}", line 3, in <module>'
    assert "runpy" not in done.stderr


def test_a_program_that_cannot_begin(tmp_path: Path) -> None:
    done = gradtape("run", written(tmp_path, "x = = 1\n"), code=1)
    assert "SyntaxError" in done.stderr
    assert "Traceback" not in done.stderr
    assert gradtape("run", "-m", "nosuchmodule", code=1).stderr == "ImportError: No module named nosuchmodule\n"


def test_the_exit_status_is_the_programs(tmp_path: Path) -> None:
    gradtape("run", written(tmp_path, "raise SystemExit(7)\n"), code=7)


def test_names_that_are_missing(tmp_path: Path) -> None:
    done = gradtape("run", written(tmp_path, "import tensorflow.python.nothing\n"), code=1)
    assert "a part of TensorFlow's inside" in done.stderr
    done = gradtape("run", written(tmp_path, "import tensorflow as tf\ntf.Session\n"), code=1)
    assert "answered by gradtape, has no attribute 'Session'; call functions on tensors directly" in done.stderr
    done = gradtape("run", written(tmp_path, "from tensorflow import nothing\n"), code=1)
    assert "ImportError: cannot import name 'nothing' from 'tensorflow'" in done.stderr


def test_usage(tmp_path: Path) -> None:
    assert "gradtape run script.py" in gradtape("run", code=2).stderr
    assert "there is no file" in gradtape("run", str(tmp_path / "no.py"), code=2).stderr
    assert gradtape("--version").stdout.startswith("gradtape ")
    assert "gradtape doctor" in gradtape().stdout


def notebook(folder: Path, *cells: str) -> str:
    parts: list[Any] = [{"cell_type": "markdown", "source": ["# Title"]}]
    parts += [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return written(folder, json.dumps({"cells": parts, "nbformat": 4}), "book.ipynb")


def test_a_notebook(tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        "%matplotlib inline\n!pip install nothing\nimport tensorflow as tf\nif True:\n    %time",
        "files = !ls\nhome = %env HOME\nassert files == home == []\nget_ipython().run_line_magic('time', '')",
        "%%bash\nexit 1",
        "%%time\n@tf.function\ndef f(x):\n    if x > 0:\n        return x\n    return -x",
        "f(tf.constant(-3.0))",
        "f(tf.constant(4.0));",
    )
    done = gradtape("run", path)
    assert done.stdout == "<tf.Tensor: shape=(), dtype=float32, numpy=3.0>\n"
    assert "cell 3 is left out: %%bash" in done.stderr
    assert "skipped 6 lines that only Jupyter runs: %matplotlib inline, !pip install nothing, %time, ..." in done.stderr
    assert gradtape("run", notebook(tmp_path, "1 + 1")).stderr == ""


def test_an_error_in_a_notebook_has_its_cell_and_line(tmp_path: Path) -> None:
    done = gradtape("run", notebook(tmp_path, "x = 1", "y = 2\nx / 0"), code=1)
    assert 'book.ipynb[cell 2]", line 2, in <module>' in done.stderr
    assert "x / 0" in done.stderr


@pytest.mark.parametrize("content", ["not json", "[1, 2]", "{}"])
def test_what_is_no_notebook(tmp_path: Path, content: str) -> None:
    assert "is not a notebook" in gradtape("run", written(tmp_path, content, "x.ipynb"), code=1).stderr
