"""`gradtape check` on programs and notebooks that cannot be read: it says so, and looks at the others."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gradtape.cli.check import report, uses
from hostile import mutations

GOOD = "import tensorflow as tf\nx = tf.tanh(1.0)\n"


def test_a_pipe(tmp_path: Path, capsys: Any) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "good.py").write_text(GOOD)
    assert report([str(tmp_path / name) for name in ("pipe.py", "good.py", "pipe.ipynb")]) == 2
    said = capsys.readouterr().out
    assert said.count("Not a plain file") == 2
    assert "tf.tanh" in said


@pytest.mark.parametrize(
    "expression",
    [
        "+".join(["tf.tanh(1.0)"] * 3000),
        "-" * 3000 + "1",
        "(" * 150 + "1" + ")" * 150,
        "(" * 5000 + "1" + ")" * 5000,
        "tf" + ".ones([1])" * 3000,
        "x" + "[0]" * 3000,
        "lambda: " * 3000 + "1",
    ],
)
def test_deep_expressions(expression: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "deep.py").write_text(f"{GOOD}y = {expression}\n")
    (tmp_path / "good.py").write_text(GOOD)
    assert report([str(tmp_path / "deep.py"), str(tmp_path / "good.py")]) in (0, 2)
    assert "tf.tanh" in capsys.readouterr().out


def test_a_long_sum_is_read(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(f"{GOOD}y = {'+'.join(['tf.sin(1.0)'] * 2000)}\n")
    assert len([use for use in uses(str(tmp_path / "long.py")) if use.name == "tf.sin"]) == 2000


def cell(code: Any) -> Any:
    return {"cell_type": "code", "source": code, "metadata": {}, "outputs": []}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[",
        "[]",
        '"x"',
        '{"cells": 3}',
        '{"cells": [{}]}',
        '{"cells": [{"cell_type": "code"}]}',
        "[" * 100_000,
        "\xff",
    ],
)
def test_what_is_no_notebook(content: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "bad.ipynb").write_text(content, encoding="latin-1")
    (tmp_path / "good.py").write_text(GOOD)
    assert report([str(tmp_path / "bad.ipynb"), str(tmp_path / "good.py")]) == 2
    said = capsys.readouterr().out
    assert "is not a notebook" in said
    assert "tf.tanh" in said


def test_a_cell_that_is_no_python(tmp_path: Path, capsys: Any) -> None:
    cells = [cell(GOOD), cell("this is no Python"), cell(["y = tf.sin(1.0)"]), cell("z = \0")]
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": cells}))
    assert report([str(tmp_path / "book.ipynb")]) == 2
    said = capsys.readouterr().out
    assert "[cell 2]" in said
    assert "tf.tanh" in said
    assert "tf.sin" in said


def test_changed_programs(tmp_path: Path, rounds: Any, capsys: Any) -> None:
    book = json.dumps({"cells": [cell(GOOD), cell(["y = tf.sin(1.0)\n", "%time y"])], "nbformat": 4})
    for seed in range(rounds(40, 2000)):
        (tmp_path / "program.py").write_bytes(mutations.of_bytes(GOOD.encode() * 3, seed))
        (tmp_path / "book.ipynb").write_text(mutations.of_json(book, seed))
        (tmp_path / "other.ipynb").write_bytes(mutations.of_bytes(book.encode(), seed))
        names = ("program.py", "book.ipynb", "other.ipynb")
        assert report([str(tmp_path / name) for name in names]) in (0, 1, 2)
