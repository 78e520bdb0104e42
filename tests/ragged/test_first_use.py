"""Each name can be the first one of its kind that a program uses: modules load each other in any order."""

from __future__ import annotations

import subprocess
import sys

import pytest

FIRST = [
    "tf.strings.split('a b')",
    "tf.RaggedTensorSpec([None, None])",
    "tf.map_fn(tf.range, tf.constant([1, 3]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))",
    "tf.lookup.StaticVocabularyTable(None, 3)",
    "tf.reduce_sum(tf.ragged.constant([[1.0], [2.0, 3.0]]))",
    "tf.concat([tf.ragged.constant([[1.0]]), tf.ragged.constant([[2.0, 3.0]])], 0)",
    "tf.add(tf.ragged.constant([[1.0], [2.0, 3.0]]), 1.0)",
    "tf.nn.relu(tf.ragged.constant([[1.0], [2.0, 3.0]]))",
    "tf.math.abs(tf.sparse.from_dense([[-1.0]]))",
    "tf.data.Dataset.range(2).map(tf.range).ragged_batch(2).element_spec",
    "tf.edit_distance(tf.sparse.from_dense([[1]]), tf.sparse.from_dense([[2]]))",
]


@pytest.mark.parametrize("expression", FIRST)
def test_first_use(expression: str) -> None:
    subprocess.run([sys.executable, "-c", f"import gradtape as tf; {expression}"], check=True)


HELD = """
import inspect
import gradtape as tf
from gradtape import concat, exp, square
from gradtape.math import reduce_sum

signature, text = inspect.signature(concat), concat.__doc__
rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
early = square  # knows ragged tensors by now, and sparse ones below
few = tf.sparse.from_dense([[0.0, -3.0]])
assert concat([rows, rows], axis=1).to_list() == [[1.0, 1.0], [2.0, 3.0, 2.0, 3.0]]
assert reduce_sum(rows, axis=1).numpy().tolist() == [1.0, 5.0]
assert square(rows).to_list() == [[1.0], [4.0, 9.0]]
assert early(few).values.numpy().tolist() == tf.square(few).values.numpy().tolist() == [9.0]
assert tf.function(lambda x: reduce_sum(square(x), axis=1), autograph=False)(rows).numpy().tolist() == [1.0, 13.0]
assert float(square(3.0)) == 9.0 and concat([[1], [2]], 0).numpy().tolist() == [1, 2]
assert (inspect.signature(concat), concat.__doc__, concat.__name__) == (signature, text, "concat")
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = exp(square(x))
assert abs(float(tape.gradient(y, x)) - 218.3926) < 1e-3
"""


def test_functions_that_a_program_holds() -> None:
    """They take ragged and sparse tensors like those in the modules, however early the program got hold of them."""
    subprocess.run([sys.executable, "-c", HELD], check=True)
