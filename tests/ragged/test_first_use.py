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
    "tf.data.Dataset.range(2).map(tf.range).ragged_batch(2).element_spec",
    "tf.edit_distance(tf.sparse.from_dense([[1]]), tf.sparse.from_dense([[2]]))",
]


@pytest.mark.parametrize("expression", FIRST)
def test_first_use(expression: str) -> None:
    subprocess.run([sys.executable, "-c", f"import gradtape as tf; {expression}"], check=True)
