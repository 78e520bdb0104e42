"""f.explain(): the traces of a function, why they were made, and what runs where."""

import gradtape as tf


def test_reasons_for_traces():
    f = tf.function(lambda x, n=1, *, flag=None: x * n)
    one = tf.constant(1.0)
    f(one), f(one, 2), f(tf.constant([1.0, 2.0])), f(one, flag="a"), f(one)
    reasons = [trace.because for trace in f.explain().traces]
    assert reasons == [
        "it was the first call",
        "n is 2, not 1",
        "x is a tensor f32[2], not a tensor f32[]",
        "flag is 'a', not None",
    ]


def test_structures_in_reasons():
    f = tf.function(lambda xs: xs[0])
    one = tf.constant(1.0)
    f([one]), f([one, one])
    assert f.explain().traces[1].because == "xs is list(a tensor f32[], a tensor f32[]), not list(a tensor f32[])"


def test_what_runs_where():
    f = tf.function(lambda x: tf.tanh(tf.linalg.inv(x)) * 2.0 + 1.0)
    assert f.explain().traces == ()
    f(tf.eye(64))
    (trace,) = f.explain().traces
    assert trace.native == ("tanh multiply add",)
    assert [(o.op, o.count) for o in trace.outside] == [("matrix_inverse", 1)]
    assert "test_explanation.py" in trace.outside[0].site
    assert 2 * 64 * 64 * 4 <= trace.bytes < 3 * 64 * 64 * 4
    assert trace.tracing > 0
    assert trace.compiling > 0


def test_text():
    f = tf.function(lambda x: x + 1.0)
    f(tf.constant(1.0))
    text = str(f.explain())
    assert text.startswith("<lambda>: 1 trace\n(x: TensorSpec(shape=(), dtype=tf.float32, name=None))")
    assert "traced because: it was the first call" in text
    assert "native: add" in text
    assert f.explain()._repr_html_().startswith("<pre>")
