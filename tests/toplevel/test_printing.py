"""tf.print: the texts that TensorFlow prints, where they go, and when."""

import io
import logging
import sys

import numpy as np
import pytest

import gradtape as tf


def printed(*inputs, **options):
    """What is written to a stream."""
    stream = io.StringIO()
    tf.print(*inputs, output_stream=stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (tf.constant([1.0, 2.0, 1 / 3]), "[1 2 0.333333343]"),
        (tf.constant(1 / 3, tf.float64), "0.33333333333333331"),
        (tf.constant(1 / 3, tf.float16), "0.333251953"),
        (tf.constant([1e10, 1e-7, 123456.789, 1e8]), "[1e+10 1e-07 123456.789 1e+08]"),
        (tf.constant([float("nan"), float("inf"), -float("inf"), -0.0]), "[nan inf -inf -0]"),
        (tf.constant([], tf.float32), "[]"),
        (tf.constant("a"), "a"),
        (tf.Variable("a"), "a"),
        (tf.constant(["a", "b"]), '["a" "b"]'),
        (tf.constant([True, False]), "[1 0]"),
        (tf.constant([1, 2], tf.int64), "[1 2]"),
        (tf.Variable([1.5, 2.25]), "[1.5 2.25]"),
        (tf.constant(1 + 2j), "(1,2)"),
        ("text", "text"),
        (b"bytes", "b'bytes'"),
        (None, "None"),
        (True, "True"),
        (1.5, "1.5"),
        (tf.float32, "tf.float32"),
        (tf.TensorShape([1, None]), "TensorShape([1, None])"),
        ({"a": tf.constant(1.0), "b": [tf.constant([1, 2]), 3, "s"]}, "{'a': 1, 'b': [[1 2], 3, 's']}"),
        ((tf.constant(1),), "(1,)"),
    ],
)
def test_texts(value, text):
    assert printed(value) == text + "\n"


def test_long_axes_are_shortened():
    assert printed(tf.range(10), tf.range(7), tf.range(6)) == "[0 1 2 ... 7 8 9] [0 1 2 ... 4 5 6] [0 1 2 3 4 5]\n"
    assert printed(tf.range(10), summarize=-1) == "[0 1 2 3 4 5 6 7 8 9]\n"
    assert printed(tf.reshape(tf.range(64), [8, 8]), summarize=1) == "[[0 ... 7]\n ...\n [56 ... 63]]\n"
    cube = "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"
    assert printed(tf.reshape(tf.range(8), [2, 2, 2])) == cube


def test_separator_and_end():
    assert printed("a", tf.constant(1), sep=", ", end="!") == "a, 1!"


def test_streams(capsys, caplog, tmp_path):
    tf.print("error stream")
    tf.print("output stream", output_stream=sys.stdout)
    captured = capsys.readouterr()
    assert (captured.err, captured.out) == ("error stream\n", "output stream\n")
    caplog.set_level(logging.INFO)
    tf.print("logged", output_stream=logging.info)
    assert "logged" in caplog.messages
    path = tmp_path / "lines.txt"
    for line in ("one", "two"):
        tf.print(line, output_stream=f"file://{path}")
    assert path.read_text() == "one\ntwo\n"


def test_bad_arguments():
    with pytest.raises(ValueError, match="output_stream"):
        tf.print("x", output_stream=3)
    with pytest.raises(ValueError, match="file://path"):
        tf.print("x", output_stream="path")
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print("x", where=1)


def test_a_file_that_cannot_be_written_is_an_error_of_tensorflow(tmp_path):
    (tmp_path / "file").write_text("")
    for path, kind in (("file/lines", tf.errors.FailedPreconditionError), ("no/lines", tf.errors.NotFoundError)):
        stream = f"file://{tmp_path}/{path}"
        with pytest.raises(kind, match=path):
            tf.print("x", output_stream=stream)
        with pytest.raises(kind, match=path):
            tf.function(tf.print)("x", output_stream=stream)


def test_in_a_function_it_prints_each_time_in_order(capsys):
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f(x):
        v.assign_add(1)
        tf.print("first", v, output_stream=sys.stdout)
        v.assign_add(10)
        tf.print("second", {"v": v, "x": x}, output_stream=sys.stdout)
        return x * 2

    f(tf.constant(3)), f(tf.constant(4))
    assert capsys.readouterr().out == "first 1\nsecond {'v': 11, 'x': 3}\nfirst 12\nsecond {'v': 22, 'x': 4}\n"


def test_a_print_is_not_repeated_for_derivatives(capsys):
    @tf.function(autograph=False)
    def f(x):
        tf.print("once", output_stream=sys.stdout)
        return tf.reduce_sum(tf.sin(x) * x)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    h = outer.gradient(g, x)
    np.testing.assert_allclose(h, 2 * np.cos(x.numpy()) - x.numpy() * np.sin(x.numpy()), rtol=1e-5)
    assert capsys.readouterr().out == "once\n"


def test_nested_functions_print(capsys):
    inner = tf.function(lambda x: tf.print("inner", x, output_stream=sys.stdout), autograph=False)
    outer = tf.function(lambda x: (inner(x), inner(x + 1), x)[2], autograph=False)
    outer(tf.constant(1))
    assert capsys.readouterr().out == "inner 1\ninner 2\n"


def test_values_of_unknown_size(capsys):
    f = tf.function(lambda x: tf.print(tf.boolean_mask(x, x > 1), output_stream=sys.stdout), autograph=False)
    f(tf.constant([1, 2, 3]))
    assert capsys.readouterr().out == "[2 3]\n"
