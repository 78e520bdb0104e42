"""`gradtape show`: the kernels of a program's functions, with work and time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.test_run import gradtape, written

PROGRAM = """\
import sys
import tensorflow as tf

w = tf.Variable(tf.ones([3, 2]))


@tf.function
def predict(x):
    return tf.tanh(x @ w)


for _ in range(3):
    y = predict(tf.ones([4, 3]))
print("done", float(y[0, 0]) > 0.9, sys.argv[1:])
"""


@pytest.mark.parametrize("end", ["", "sys.exit(0)\n"], ids=["end", "exit"])
def test_kernels_of_a_script(tmp_path: Path, end: str) -> None:
    done = gradtape("show", written(tmp_path, PROGRAM + end), "a")
    first, *rest = done.stdout.splitlines()
    assert first == "done True ['a']"
    assert any(re.fullmatch(r"predict: 3 calls, \S+ (us|ms|s) each", line) for line in rest)
    (kernel,) = [line for line in rest if "matmul tanh" in line]
    numbers = kernel.split()
    assert numbers[0] == "100.0%"
    assert numbers[3] == "56"  # two for each of 4 * 2 * 3 products, one for each tanh
    assert numbers[5] == str(4 * (4 * 3 + 3 * 2 + 4 * 2))
    assert kernel.endswith("# program.py:9 in predict: return tf.tanh(x @ w)")


def test_a_program_without_functions(tmp_path: Path) -> None:
    assert "no compiled function was called" in gradtape("show", written(tmp_path, "x = 1\n")).stdout


def test_a_program_that_fails(tmp_path: Path) -> None:
    done = gradtape("show", written(tmp_path, "1 / 0\n"), code=1)
    assert "ZeroDivisionError" in done.stderr
    assert done.stdout == ""


def test_no_program() -> None:
    assert "gradtape show script.py" in gradtape("show", code=2).stderr
