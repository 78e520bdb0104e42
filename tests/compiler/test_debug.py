"""Windows into the compiler: stages as text, and what GRADTAPE_DEBUG prints."""

import os
import re
import subprocess
import sys

import pytest

import gradtape as tf
from gradtape.compiler import debug

PROGRAM = """
import gradtape as tf
w = tf.Variable(tf.ones([3, 2]))

@tf.function
def step(x):
    return tf.nn.relu(x @ w + 1.0) * 1.0, tf.nn.softmax(x)

step(tf.ones([4, 3]))
"""


def printed(flags):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=os.environ | {"GRADTAPE_DEBUG": flags}
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize(
    ("flags", "parts"),
    [
        ("trace", ["step, as it was traced", "matmul(", "relu("]),
        ("passes", ["step after "]),
        ("kernels", ["kernels of step", "product i:4 j:2 k:3*", "flops", "rows i:4 j:3*"]),
        ("memory", ["memory of step", "bytes between them", "an array that is returned"]),
        ("kernels,verify,tier=0", ["kernels of step"]),
        ("asm,tier=0", ["assembly of a kernel", "task:\n"]),
    ],
)
def test_prints(flags, parts):
    code, text = printed(flags)
    assert code == 0, text
    assert all(part in text for part in parts), text


def test_nothing_without_the_variable():
    assert debug._parse("") == frozenset()
    assert printed("") == (0, "")


def test_no_machine_code():
    assert printed("native=0,kernels") == (0, "")


def test_what_it_does_not_know():
    code, text = printed("colour")
    assert code == 1
    assert "GRADTAPE_DEBUG cannot show colour; it takes trace, passes" in text


@pytest.fixture
def step():
    w = tf.Variable(tf.ones([3, 2]))
    function = tf.function(lambda x: (tf.nn.relu(x @ w + 1.0), tf.nn.softmax(x), tf.reduce_sum(x * 2.0)))
    function(tf.ones([4, 3]))
    return function


def test_stages(step):
    assert "softmax(" in step.explain(stage="trace")
    assert step.explain(stage="passes").startswith("<lambda> = graph()")
    text = step.explain(stage="kernels")
    assert "matmul add relu  f32[4,2]" in text
    assert "%3 = sum k %2" in text
    assert "test_debug.py:" in text
    assert "define  void" in step.explain(stage="llvm")
    assert re.search(r"^_?task:", step.explain(stage="asm"), re.MULTILINE)


def test_memory():
    v = tf.Variable(tf.ones([64, 8]))

    @tf.function
    def step(x):
        y = tf.tanh(x @ v)
        v.assign_sub(tf.matmul(x, tf.nn.softmax(y @ tf.transpose(y)) @ y, transpose_a=True))
        return tf.reduce_sum(y)

    step(tf.ones([16, 64]))
    text = step.explain(stage="memory")
    places = [line.split("  ")[-1].strip() for line in text.splitlines()[1:]]
    assert places[0] == f"arena 0 to {4 * 16 * 8}"
    assert "the array of a variable, over its old value" in places
    assert "an array that is returned" in places
    assert text == step.get_concrete_function(tf.ones([16, 64])).text("memory")


def test_work_and_bytes(step):
    (head,) = [line for line in step.explain(stage="kernels").splitlines() if line.startswith("matmul")]
    assert f"{2 * 4 * 3 * 2 + 2 * 4 * 2} flops" in head  # the product, then the bias and the activation of each element
    assert f"{4 * (4 * 3 + 3 * 2 + 4 * 2)} bytes" in head


def test_blocks_of_loops_and_branches():
    @tf.function
    def iterate(x):
        for _ in tf.range(3):
            x = tf.tanh(x @ x)
        return tf.sin(x) if tf.reduce_sum(x) > 0.0 else tf.cos(x)

    iterate(tf.ones([2, 2]))
    heads = [
        line.split("f32[2,2]")[0].rstrip() for line in iterate.explain(stage="kernels").splitlines() if " flops" in line
    ]
    assert [head for head in heads if head.split()[0] in ("loop", "branch", "matmul", "sin", "cos")] == [
        "loop  i32[],", "    matmul tanh", "branch", "    cos", "    sin",
    ]  # fmt: skip


def test_sizes_that_calls_tell():
    function = tf.function(lambda x: tf.tanh(x) * 2.0, input_signature=[tf.TensorSpec([None, 3])])
    concrete = function.get_concrete_function()
    assert concrete.text("kernels") == "The sizes are unknown until <lambda> is called."
    function(tf.ones([20, 3]))
    function(tf.ones([50, 3]))
    assert "tanh multiply  f32[20,3]" in concrete.text("kernels")
    assert "f32[50,3]" in concrete.text("memory")
    assert concrete.text("llvm").count("define  void") == 2  # the same kernel for both


def test_nothing_native():
    function = tf.function(lambda x: tf.strings.upper(x))
    function(tf.constant("a"))
    assert function.explain(stage="memory") == "No part of this function runs natively."


def test_code_that_is_on_disk_is_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADTAPE_CACHE", str(tmp_path))
    printed("")
    texts = [printed("llvm")[1] for _ in range(2)]
    assert texts[0] == texts[1]
    assert "LLVM of a kernel" in texts[0]


def test_one_trace(step):
    concrete = step.get_concrete_function(tf.ones([4, 3]))
    assert concrete.text("kernels") == step.explain(stage="kernels")
    assert concrete.text("hlo") == concrete.text("trace")
    with pytest.raises(ValueError, match=r"Invalid stage 'colour': it must be one of(.|\n)*'kernels'"):
        concrete.text("colour")
