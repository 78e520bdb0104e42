"""A classifier of texts: strings, a table, ragged rows and an embedding in one function, trained."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf

TEXTS = tf.constant(["Good fine movie", "bad awful", "good good", "terrible bad movie plot", "fine"])
LABELS = tf.constant([1.0, 0.0, 1.0, 0.0, 1.0])


def test_training_on_texts() -> None:
    words = tf.lookup.KeyValueTensorInitializer(["good", "fine", "bad", "awful", "movie"], tf.range(5, dtype=tf.int64))
    table = tf.lookup.StaticVocabularyTable(words, 2)
    vectors = tf.Variable(np.random.default_rng(0).normal(size=(7, 4)).astype(np.float32))
    weights = tf.Variable(tf.ones([4, 1]))

    def loss(x: Any, y: Any) -> Any:
        rows = tf.nn.embedding_lookup(vectors, table.lookup(tf.strings.split(tf.strings.lower(x))))
        logits = tf.squeeze(tf.reduce_mean(rows, axis=1) @ weights, -1)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, logits))

    def gradients(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            found = loss(x, y)
        return found, [tf.convert_to_tensor(d) for d in tape.gradient(found, [vectors, weights])]

    compiled = tf.function(gradients)
    (plain, slow), (traced, quick) = gradients(TEXTS, LABELS), compiled(TEXTS, LABELS)
    np.testing.assert_allclose(traced, plain, rtol=1e-6)
    for a, b in zip(quick, slow, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)
    for _ in range(30):
        last, steps = compiled(TEXTS, LABELS)
        for variable, step in zip((vectors, weights), steps, strict=True):
            variable.assign_sub(step)
    assert float(last) < 0.1 * float(plain)
