"""`gradtape check`: names of TensorFlow in programs that are not run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gradtape.cli.check import uses
from gradtape.cli.main import main

PROGRAM = """\
import numpy as np
import tensorflow as tf
import tensorflow.linalg as la
from tensorflow import nn, no_such_name
raise SystemExit("never run")

class Net(tf.Module):
    def __call__(self, x):
        m = tf.math
        return nn.relu(la.matvec(x, m.tanh(x))).numpy()

tf.ones([1]).shape
tf.float32.name
tf.no.such.name(np.tanh(tf.constant(1.0)))
tf.Variable.from_proto
"""


def written(folder: Path, text: str, name: str = "program.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_names_and_lines(tmp_path: Path) -> None:
    found = {(use.name, int(use.place.rpartition(":")[2])) for use in uses(written(tmp_path, PROGRAM))}
    assert found == {
        ("tf.linalg", 3), ("tf.nn", 4), ("tf.no_such_name", 4), ("tf.Module", 7), ("tf.math", 9), ("tf.nn.relu", 10),
        ("tf.linalg.matvec", 10), ("tf.math.tanh", 10), ("tf.nn", 4), ("tf.ones", 12), ("tf.float32", 13),
        ("tf.no.such.name", 14), ("tf.constant", 14), ("tf.Variable.from_proto", 15),
    }  # fmt: skip


def test_what_is_missing(tmp_path: Path, capsys: Any) -> None:
    assert main(["check", "--missing", written(tmp_path, PROGRAM)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["missing", "tf.Variable.from_proto"],
        ["missing", "tf.no.such.name"],
        ["missing", "tf.no_such_name"],
    ]
    assert lines[1].endswith("line 14  (not in tf)")
    assert lines[-1] == "3 of 13 names are missing."


def test_a_program_that_lacks_nothing(tmp_path: Path, capsys: Any) -> None:
    assert main(["check", written(tmp_path, "import tensorflow as t\nt.ones([t.size(1)])\n")]) == 0
    out = capsys.readouterr().out
    assert "ok       tf.ones" in out
    assert "gradtape has all 2 names." in out


def test_a_program_without_tensorflow(tmp_path: Path, capsys: Any) -> None:
    assert main(["check", written(tmp_path, "import math\nmath.pi\n")]) == 0
    assert "No names of TensorFlow" in capsys.readouterr().out


def test_notebooks(tmp_path: Path, capsys: Any) -> None:
    cells = [
        {"cell_type": "code", "source": "!pip install x\nimport tensorflow as tf"},
        {"cell_type": "code", "source": "tf.nothing"},
    ]
    assert main(["check", written(tmp_path, json.dumps({"cells": cells}), "book.ipynb")]) == 1
    assert "book.ipynb[cell 2]:1" in capsys.readouterr().out


def test_what_cannot_be_read(tmp_path: Path, capsys: Any) -> None:
    assert main(["check", str(tmp_path / "none.py")]) == 2
    assert main(["check", written(tmp_path, "def f(:\n")]) == 2
    assert "invalid syntax" in capsys.readouterr().out


def test_names_whose_value_is_none(tmp_path: Path, capsys: Any) -> None:
    program = written(tmp_path, "import tensorflow as tf\ntf.ones([2])[:, tf.newaxis]\ntf.experimental.numpy.newaxis\n")
    assert main(["check", program]) == 0
    assert "gradtape has all 3 names" in capsys.readouterr().out


def test_libraries_beside_tensorflow(tmp_path: Path, capsys: Any) -> None:
    text = "import tensorflow_probability as tfp\nfrom tensorflow_text import x\nimport tensorflow_somewhere.inside\n"
    assert main(["check", written(tmp_path, text)]) == 1
    lines = {line.split()[1]: line for line in capsys.readouterr().out.splitlines() if "line " in line}
    assert lines["tensorflow_probability"].startswith("ok ")
    assert lines["tensorflow_text"].startswith("missing ")
    assert "cannot work" in lines["tensorflow_text"]
    assert "instead: tf.strings" in lines["tensorflow_text"]
    assert lines["tensorflow_somewhere"].startswith("untried ")
    assert main(["check", written(tmp_path, "import tensorflow_somewhere\n")]) == 0
    assert "1 library has not been tried." in capsys.readouterr().out


def test_attributes_and_arguments_that_are_habits(tmp_path: Path, capsys: Any) -> None:
    text = """\
import gradtape as tf
x = tf.constant([1.0])
v = tf.Variable(x, requires_grad=True)
x.mean(), v.backward(), x.shape, v.numpy(), tf.ones([2]).unsqueeze(0)
tf.reduce_sum(x, dim=0, keepdims=True)
def f(x, y):
    y = tf.constant(1.0)
    return x.mean(), y.sum()  # parameters may be arrays
"""
    assert main(["check", "--missing", written(tmp_path, text)]) == 1
    lines = {line.split()[1]: line for line in capsys.readouterr().out.splitlines() if "line " in line}
    assert set(lines) == {"Variable.backward", "Tensor.unsqueeze", "tf.Variable(requires_grad=)", "tf.reduce_sum(dim=)"}
    assert "instead: tape.gradient" in lines["Variable.backward"]
    assert "instead: tf.reduce_sum(..., axis=...)" in lines["tf.reduce_sum(dim=)"]
    text = text.replace("def f(x, y)", "def f(z, y)")
    main(["check", "--missing", written(tmp_path, text)])
    assert "Tensor.mean " in capsys.readouterr().out


def test_misspelt_names(tmp_path: Path, capsys: Any) -> None:
    assert main(["check", written(tmp_path, "import tensorflow as tf\ntf.reduce_men, tf.newaxis\n")]) == 1
    out = capsys.readouterr().out
    assert "not in tf; did you mean tf.reduce_mean?" in out
    assert "ok       tf.newaxis" in out
