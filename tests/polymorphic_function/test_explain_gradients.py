"""tape.explain sees through functions: the cause and the line inside."""

import gradtape as tf


def traced(function):
    return tf.function(function, autograph=False)


W = tf.Variable([1.0, 2.0], name="w")
X = tf.constant([3.0, 4.0])


def line(report):
    return report.site.source if report.site else None


def test_stopped_inside():
    @traced
    def f(x):
        h = x * W
        h = tf.stop_gradient(h)  # here
        return tf.reduce_sum(h) + tf.reduce_sum(x)

    with tf.GradientTape() as tape:
        y = f(X)
    assert tape.gradient(y, W) is None
    report = tape.explain(y, W)
    assert report.cause == "STOPPED"
    assert line(report) == "h = tf.stop_gradient(h)  # here"
    assert report.message.startswith("inside f, ")
    assert [s.label for s in report.steps] == ["called", "read", "stopped"]


def test_without_derivative_inside_with_ops_around():
    @traced
    def f(x):
        k = tf.argmax(x)  # here
        return tf.cast(k, tf.float32) * 2.0

    with tf.GradientTape() as tape:
        y = f(W * 2.0) * 3.0
    report = tape.explain(y, W)
    assert report.cause == "NOT_DIFFERENTIABLE"
    assert line(report) == "k = tf.argmax(x)  # here"


def test_in_a_nested_function():
    inner = traced(lambda x: tf.round(x))
    outer = traced(lambda x: tf.reduce_sum(inner(x)) * 2.0)
    with tf.GradientTape() as tape:
        y = outer(W)
    report = tape.explain(y, W)
    assert report.cause == "NOT_DIFFERENTIABLE"
    assert line(report) == "inner = traced(lambda x: tf.round(x))"


def test_python_function_inside():
    @traced
    def f(x):
        k = tf.numpy_function(lambda a: a * 2, [x], tf.float32)  # here
        return tf.reduce_sum(k)

    with tf.GradientTape() as tape:
        y = f(W)
    report = tape.explain(y, W)
    assert report.cause == "PYTHON_FUNCTION"
    assert "# here" in line(report)


def test_assigned_inside():
    v = tf.Variable([0.0, 0.0], trainable=False)

    @traced
    def f(x):
        v.assign(x * W)  # here
        return tf.reduce_sum(v * 2.0)

    with tf.GradientTape() as tape:
        y = f(X)
    report = tape.explain(y, W)
    assert report.cause in ("STATE", "ASSIGNED")
    assert line(report) == "v.assign(x * W)  # here"


def test_intermediate_of_a_function():
    kept = []

    @traced
    def f(x):
        h = x * x  # here
        kept.append(h)
        return tf.reduce_sum(h)

    with tf.GradientTape() as tape:
        y = f(W)
    report = tape.explain(y, kept[0])
    assert report.cause == "INSIDE_FUNCTION"
    assert line(report) == "h = x * x  # here"
    assert "return it from f" in report.fix


def test_tensor_captured_at_trace_time():
    held = []

    @traced
    def f():
        return tf.reduce_sum(held[-1] * held[-1])  # here

    for step in range(2):
        with tf.GradientTape() as tape:
            held.append(W * 2.0)
            y = f()
        gradient = tape.gradient(y, W)
        assert (gradient is None) == bool(step)
    report = tape.explain(y, W)
    assert report.cause == "CAPTURED"
    assert "# here" in line(report)
    assert "argument" in report.fix


def test_connected():
    with tf.GradientTape() as tape:
        y = traced(lambda x: tf.reduce_sum(x * W))(X)
    assert tape.explain(y, W).connected


def test_inside_a_function_while_it_is_traced():
    reports = []

    @traced
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.round(x))  # here
        reports.append(tape.explain(y, x))
        return y

    f(X)
    assert reports[0].cause == "NOT_DIFFERENTIABLE"
    assert "# here" in line(reports[0])
