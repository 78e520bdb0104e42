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
