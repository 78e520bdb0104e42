"""Functions of arrays as ops: in branches, loops, maps, gradients and saved functions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gradtape as tf


def test_only_the_branch_that_is_taken_has_its_effect(tmp_path: Path) -> None:
    @tf.function
    def choose(flag: tf.Tensor) -> tf.Tensor:
        if flag:
            tf.io.write_file(str(tmp_path / "yes"), "1")
            found = tf.constant(1)
        else:
            tf.io.write_file(str(tmp_path / "no"), "1")
            found = tf.constant(2)
        return found

    assert int(choose(tf.constant(False))) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["no"]


def test_effects_in_loops(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("")

    @tf.function
    def append(n: tf.Tensor) -> None:
        path = str(tmp_path / "log")
        for i in tf.range(n):
            tf.io.write_file(path, tf.io.serialize_tensor(i))

    append(tf.constant(4))
    assert int(tf.io.parse_tensor(tf.io.read_file(str(tmp_path / "log")), tf.int32)) == 3


def test_strings_in_loops_and_branches() -> None:
    words = tf.constant(["ab", "c", ""])

    @tf.function
    def last(x: tf.Tensor) -> tf.Tensor:
        found = tf.constant("")
        for word in x:
            if tf.size(tf.io.decode_raw(word, tf.uint8)) > 0:
                found = word
        return found

    assert last(words).numpy() == b"c"
    assert words[0].numpy() == b"ab"
    assert [word.numpy() for word in tf.unstack(words)] == [b"ab", b"c", b""]
    assert tf.gather(words, 1).dtype == tf.string
    for scan in (tf.scan, tf.function(tf.scan, autograph=False)):
        assert scan(lambda a, b: b, words).numpy().tolist() == [b"ab", b"c", b""]
    for mapped in (tf.map_fn, tf.function(tf.map_fn, autograph=False)):
        assert mapped(tf.identity, words).numpy().tolist() == [b"ab", b"c", b""]


def test_what_is_not_read_does_not_run() -> None:
    @tf.function
    def unused(x: tf.Tensor) -> tf.Tensor:
        tf.io.decode_png(x)  # would raise
        return tf.constant(1)

    assert int(unused(tf.constant("no image"))) == 1


def test_messages_tell_the_line_of_the_function() -> None:
    @tf.function
    def decode(x: tf.Tensor) -> tf.Tensor:
        return tf.io.decode_png(x)

    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"test_hosting.py(.|\n)*detected at node 'decode_png' of decode"
    ):
        decode(tf.constant("no image"))


def test_examples_of_a_map_in_a_function() -> None:
    decode = tf.function(lambda x: tf.vectorized_map(lambda s: tf.io.decode_raw(s, tf.uint8), x))
    np.testing.assert_array_equal(decode(tf.constant(["ab", "cd"])), [[97, 98], [99, 100]])


def test_gradients_beside_them() -> None:
    w = tf.Variable(2.0)

    @tf.function
    def loss(data: tf.Tensor) -> tf.Tensor:
        return w * tf.reduce_sum(tf.io.parse_tensor(data, tf.float32))

    data = tf.io.serialize_tensor([1.0, 2.0])
    for call in (loss, loss.python_function):
        with tf.GradientTape() as tape:
            y = call(data)
        assert float(tape.gradient(y, w)) == 3.0


def test_saved_functions(tmp_path: Path) -> None:
    class Reader(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def image(self, data: tf.Tensor) -> tf.Tensor:
            return tf.cast(tf.io.decode_image(data, channels=1, expand_animations=False), tf.float32) / 255.0

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def records(self, data: tf.Tensor) -> tf.Tensor:
            return tf.io.parse_example(data, {"x": tf.io.FixedLenFeature([2], tf.float32, [1.0, 2.0])})["x"]

    tf.saved_model.save(Reader(), str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    data = tf.io.encode_png(np.full((2, 3, 1), 51, np.uint8))
    np.testing.assert_allclose(loaded.image(data), np.full((2, 3, 1), 0.2), rtol=1e-6)
    np.testing.assert_array_equal(loaded.records(tf.constant([b"", b""])), [[1, 2], [1, 2]])
