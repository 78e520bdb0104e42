"""Writes the model in `former`, with the gradtape that is installed. It was last run before gradtape's modules had their present names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradtape as tf

FOLDER = Path(__file__).parent / "former"


def numbers(x: Any) -> Any:
    """Functions that wait for sizes, a loop and a branch."""
    y = tf.reshape(tf.linalg.einsum("ij,kj->ik", x, x), [-1])
    for i in tf.range(3):
        if tf.reduce_sum(y) > 1.0:
            y = tf.sin(y) * 0.5 + tf.cast(i, tf.float32)
        else:
            y = y * y + 1.0
    tf.debugging.assert_all_finite(y, "not finite")
    tf.debugging.assert_greater(tf.size(y), 0)
    return tf.concat([y, tf.reduce_mean(x, axis=0)], 0)


def texts(words: Any, table: Any) -> Any:
    """Strings, ragged tensors and a lookup table."""
    parts = tf.strings.split(tf.strings.lower(words))
    return tf.reduce_sum(table.lookup(parts.to_tensor("")), 1), tf.strings.length(words), parts.row_lengths()


def main() -> None:
    """Save the model."""
    module = tf.Module()
    module.scale = tf.Variable([1.0, 2.0], name="scale")
    module.generator = tf.random.Generator.from_seed(7)
    entries = tf.lookup.KeyValueTensorInitializer(["yes", "no"], tf.constant([1, 2], tf.int64))
    module.table = tf.lookup.StaticHashTable(entries, 0)
    module.numbers = tf.function(lambda x: numbers(x), input_signature=[tf.TensorSpec([None, 2])])
    module.texts = tf.function(lambda w: texts(w, module.table), input_signature=[tf.TensorSpec([None], tf.string)])
    module.drawn = tf.function(
        lambda n: tf.sort(module.generator.uniform([n])) * module.scale[0],
        input_signature=[tf.TensorSpec([], tf.int32)],
    )
    sparse = tf.function(
        lambda s: tf.sparse.sparse_dense_matmul(s, tf.reshape(module.scale, [2, 1])),
        input_signature=[tf.SparseTensorSpec([None, 2], tf.float32)],
    )
    module.sparse = sparse
    tf.saved_model.save(module, FOLDER)


if __name__ == "__main__":
    main()
