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
    assert "test_explain.py" in trace.outside[0].site
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


def test_repr_is_one_line():
    f = tf.function(lambda x: x * 2.0)
    f(tf.constant(1.0))
    report = f.explain()
    assert repr(report).startswith("<FunctionReport ")
    assert repr(report).endswith(", 1 trace>")
    assert repr(report.traces[0]).endswith(", 1 kernel, 0 ops outside>")


def test_place_in_a_structure_is_named():
    f = tf.function(lambda options, xs: xs[0])
    one, two = tf.constant(1.0), tf.constant([1.0, 2.0])
    f({"a": 1, "b": [1, 2]}, [one, one])
    f({"a": 1, "b": [1, 3]}, [one, one])
    f({"a": 1, "b": [1, 3]}, [one, two])
    f({"a": 1, "c": [1, 3]}, [one, two])
    reasons = [trace.because for trace in f.explain().traces]
    assert reasons[1] == "options['b'][1] is 3, not 2"
    assert reasons[2] == "xs[1] is a tensor f32[2], not a tensor f32[]"
    assert reasons[3] == "options is dict('a': 1, 'c': list(1, 3)), not dict('a': 1, 'b': list(1, 3))"


def test_variables_and_objects_in_reasons():
    class Thing:
        def __repr__(self):
            return "a thing"

    f = tf.function(lambda v, w, thing: v + w)
    v, w, u, first, second = tf.Variable(1.0), tf.Variable(2.0), tf.Variable([1.0]), Thing(), Thing()
    f(v, w, first), f(v, v, first), f(u, w, first), f(v, w, second)
    reasons = [trace.because for trace in f.explain().traces]
    assert reasons[1] == "w is the same variable as number 1, not a variable f32[]"
    assert reasons[2] == "v is a variable f32[1], not a variable f32[]"
    assert reasons[3] == "thing is a thing, not a thing"


def test_relaxed_sizes_in_reasons():
    f = tf.function(lambda x: x, reduce_retracing=True)
    f(tf.ones([2, 3])), f(tf.ones([4, 3])), f(tf.ones([5]))
    assert [trace.because for trace in f.explain().traces] == [
        "it was the first call",
        "x is a tensor f32[?,3], not a tensor f32[2,3]",
        "x is a tensor f32[...], not a tensor f32[2,3]",
    ]
