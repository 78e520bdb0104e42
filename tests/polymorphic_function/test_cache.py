"""tf.function: what is traced when, and what is kept of it."""

import gc
import weakref

import numpy as np
import pytest

import gradtape as tf
from tracing.counting import counted


class TestCache:
    def test_tensors_count_by_dtype_and_shape(self):
        f, traces = counted(lambda x: x + 1)
        for value in (tf.constant(1.0), tf.constant(2.0), np.float32(3.0), tf.constant([1.0]), tf.constant([2.0])):
            f(value)
        assert len(traces) == 2
        f(tf.constant(1))
        assert len(traces) == 3

    def test_python_values_count_by_equality(self):
        f, traces = counted(lambda x, n: x * n)
        x = tf.constant(2.0)
        assert [float(f(x, n)) for n in (1, 1.0, True, 2)] == [2.0, 2.0, 2.0, 4.0]
        assert len(traces) == 2

    def test_one_nan_is_like_another(self):
        f = tf.function(lambda x: x, autograph=False)
        for value in (float("nan"), float("nan"), -float("nan")):
            f(value)
        assert f.experimental_get_tracing_count() == 1

    def test_keyword_and_position_are_the_same(self):
        f, traces = counted(lambda x, y=1.0: x + y)
        x = tf.constant(1.0)
        f(x), f(x, 1.0), f(x=x), f(y=1.0, x=x)
        assert len(traces) == 1

    def test_structures_count(self):
        f, traces = counted(lambda xs: xs)
        one = tf.constant(1.0)
        f([one]), f((one,)), f({"a": one}), f({"b": one}), f([one, one]), f([one])
        assert len(traces) == 5

    def test_objects_count_by_equality_and_are_held_weakly(self):
        class Thing:
            pass

        f, traces = counted(lambda x, thing: x)
        x, thing = tf.constant(1.0), Thing()
        f(x, thing), f(x, thing), f(x, Thing())
        assert len(traces) == 2
        del traces[:]
        reference = weakref.ref(thing)
        del thing
        gc.collect()
        assert reference() is None

    def test_unhashable_argument_is_refused(self):
        f, _ = counted(lambda x, s: x)
        with pytest.raises(TypeError, match="Could not generate a generic TraceType"):
            f(tf.constant(1.0), {1, 2})

    def test_variables_count_by_kind_and_aliasing(self):
        f, traces = counted(lambda a, b: a + b)
        v, w = tf.Variable(1.0), tf.Variable(2.0)
        assert [float(f(v, w)), float(f(w, v)), float(f(v, v)), float(f(w, w))] == [3.0, 3.0, 2.0, 4.0]
        assert len(traces) == 2

    def test_captured_python_values_are_frozen_and_variables_live(self):
        scale, v = [2.0], tf.Variable(1.0)
        f, _ = counted(lambda x: x * scale[0] * v)
        assert float(f(tf.constant(1.0))) == 2.0
        scale[0] = 5.0
        v.assign(3.0)
        assert float(f(tf.constant(1.0))) == 6.0

    def test_cache_is_bounded(self):
        f, _ = counted(lambda n: tf.constant(n))
        for n in range(300):
            f(n)
        assert len(f._traces) <= 256

    def test_methods_have_a_trace_for_each_instance_and_go_with_it(self):
        class Model:
            def __init__(self, scale):
                self.scale = scale

            @tf.function
            def __call__(self, x):
                return x * self.scale

        a, b = Model(2.0), Model(3.0)
        x = tf.constant(1.0)
        assert [float(a(x)), float(b(x)), float(a(x))] == [2.0, 3.0, 2.0]
        reference = weakref.ref(a)
        del a
        gc.collect()
        assert reference() is None

    def test_many_retraces_are_warned_of_twice(self, caplog):
        f, _ = counted(lambda n: tf.constant(n))
        for n in range(30):
            f(n)
        assert sum("triggered tf.function retracing" in m for m in caplog.messages) == 2


class TestMemory:
    def test_thousand_shapes(self):
        from gradtape.compiler.graph import Graph

        f = tf.function(lambda x: tf.reduce_sum(x * x), autograph=False)

        def graphs():
            gc.collect()
            return sum(type(o) is Graph for o in gc.get_objects())

        for n in range(1, 301):
            f(tf.ones([n]))
        middle = graphs()
        for n in range(301, 701):
            f(tf.ones([n]))
        assert graphs() <= middle + 10

    def test_thousand_shapes_of_one_trace(self):
        f = tf.function(lambda x: x * x, input_signature=[tf.TensorSpec([None], tf.float32)], autograph=False)
        for n in range(1, 101):
            assert f(tf.ones([n])).shape == [n]
        (concrete,) = f._traces.values()
        assert len(concrete._staged.program._programs) <= 32

    def test_rare_sizes_get_no_machine_code(self):
        f = tf.function(
            lambda x: tf.tanh(x) * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)], autograph=False
        )
        (n, m), seen = (4000, 5000), []
        for size in (n, m, m, m, m):
            np.testing.assert_allclose(f(tf.ones([size])), 2 * np.tanh(np.ones(size)), rtol=1e-6)
            (trace,) = f.explain().traces
            seen.append(bool(trace.native))
        assert seen == [True, False, False, True, True]

    def test_traces_of_objects_that_are_gone_are_dropped(self):
        class Thing:
            pass

        f = tf.function(lambda x, thing: x, autograph=False)
        for _ in range(20):
            f(tf.constant(1.0), Thing())
        assert len(f._traces) <= 2


def test_functions_made_in_a_loop_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    for i in range(5):

        @tf.function
        def made_again(x):
            return x

        assert not caplog.records
        made_again(tf.constant(float(i)))
    assert len(caplog.records) == 1
    assert "triggered tf.function retracing" in caplog.text


def test_traces_that_were_asked_for_are_no_calls(caplog: pytest.LogCaptureFixture) -> None:
    f = tf.function(lambda x: x + 1)
    for n in range(9):
        f.get_concrete_function(tf.TensorSpec([n]))
    assert not caplog.records
