"""AutoGraph: which functions are rewritten, how they are found, and that they keep their lines."""

import functools
import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape.autograph import _allowlist as allowlist
from gradtape.autograph._calls import converted
from gradtape.autograph._source import tree_of


def helper(x):
    if x > 0.0:
        return x
    else:
        return -x


TABLE = {"helper": helper}


class Model:
    scale = 2.0

    def __call__(self, x):
        return self.call(x)

    def call(self, x):
        if x > 0.0:
            return x * self.scale
        return self.__hidden(x)

    def __hidden(self, x):
        while x < -1.0:
            x = x / 2.0
        return x

    @tf.function
    def method(self, x):
        return helper(x) * self.scale if x < 100.0 else x

    @staticmethod
    def fixed(x):
        return x if x > 0.0 else x * 0.0


class Derived(Model):
    def call(self, x):
        y = super().call(x)
        if y > 5.0:
            y = y * 0.0
        return y


class TestRecursion:
    def test_functions_lambdas_and_methods(self):
        inner = [lambda x: x if x > 1.0 else x * 3.0]
        f = tf.function(lambda x: inner[0](helper(x)))
        assert [float(f(tf.constant(v))) for v in (2.0, -0.5)] == [2.0, 1.5]

    def test_objects_private_names_and_super(self):
        f = tf.function(Derived())
        assert [float(f(tf.constant(v))) for v in (1.0, 4.0, -8.0)] == [2.0, 0.0, -1.0]

    def test_methods_and_static_methods(self):
        model = Model()
        assert [float(model.method(tf.constant(v))) for v in (-3.0, 300.0)] == [6.0, 300.0]
        assert float(tf.function(lambda x: Model.fixed(x))(tf.constant(-1.0))) == 0.0

    def test_partials_and_decorated_functions(self):
        def twice(function):
            @functools.wraps(function)
            def inner(x):
                return function(function(x))

            return inner

        @twice
        def shrink(x, by=0.5):
            if x > 1.0:
                x = x * by
            return x

        def power(x, n):
            y = x
            while n > 1:
                y, n = y * x, n - 1
            return y

        assert float(tf.function(lambda x: shrink(x))(tf.constant(8.0))) == 2.0
        assert float(tf.function(functools.partial(power, n=tf.constant(3)))(tf.constant(2.0))) == 8.0

    def test_nested_definitions_and_closures(self):
        factor = 3.0

        def f(x):
            def inner(y):
                nonlocal x
                if y > 0.0:
                    x = x * factor
                return x

            return inner(x) + (lambda z: z if z > 5.0 else -z)(x)

        traced = tf.function(f)
        assert [float(traced(tf.constant(v))) for v in (2.0, -2.0)] == [12.0, 0.0]

    def test_callbacks_of_control_flow(self):
        f = tf.function(lambda x: tf.map_fn(helper, x))
        assert f(tf.constant([1.0, -2.0])).numpy().tolist() == [1.0, 2.0]

    def test_defaults_and_keywords(self):
        def f(x, *rest, by=2.0, **more):
            if x > 0.0:
                x = x * by
            return x + sum(rest) + more.get("extra", 0.0)

        assert float(tf.function(f)(tf.constant(1.0), 1.0, 2.0, extra=0.5)) == 5.5

    def test_functions_in_functions_run_as_they_are(self):
        inner = tf.function(helper)
        f = tf.function(lambda x: inner(x) if x < 5.0 else x)
        assert float(f(tf.constant(-3.0))) == 3.0
        assert inner.experimental_get_tracing_count() == 1

    def test_for_and_while_with_else(self):
        def f(n):
            found = -1
            for i in tf.range(n):
                if i == 3:
                    found = i
                    break
            else:
                found = 100
            return found

        traced = tf.function(f)
        assert [int(traced(tf.constant(n))) for n in (2, 8)] == [100, 3]


class TestPolicy:
    def test_plain_functions_are_left_alone(self):
        v = tf.Variable(1.0)

        def step(x, optimizer):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.nn.relu(x) * v + tf.image.flip_left_right(x))
            grads = tape.gradient(y, [v])
            optimizer.apply_gradients(zip(grads, [v], strict=True))
            return tf.linalg.norm(y)

        assert not allowlist.wants_conversion(step)
        assert converted(step) is step
        assert not allowlist.wants_conversion(lambda x: step(x, None))

    def test_functions_that_may_lead_to_statements_are_rewritten(self):
        inner = [helper]
        for function in (
            lambda x: x if x > 0.0 else -x,
            lambda x: not x,
            lambda x: x > 0.0 and x < 1.0,
            lambda x: [r for r in x],  # noqa: C416 - a comprehension is meant
            lambda x: helper(x),
            lambda f, x: f(x),
            lambda x: inner[0](x),
            lambda x: TABLE["helper"](x),
            lambda x: TABLE["helper"].__call__(x),
            lambda model, x: model.call(x),
            lambda x: int(x),
            lambda x: (lambda y: helper(y))(x),
        ):
            assert allowlist.wants_conversion(function)

    def test_the_verdict_is_that_of_the_closure(self):
        def loops(x):
            for i in tf.range(3):
                x += tf.cast(i, tf.float32)
            return x

        def wrap(f):
            return tf.function(lambda x: f(x))

        def deep(f):
            inner = wrap(f)
            return tf.function(lambda x: inner(x))

        for make in (wrap, deep):
            for f, steps in ((tf.sin, 0), (loops, 1), (lambda x: x * 2.0, 0), (lambda x: loops(x), 1)):
                function = make(f)
                assert function.get_concrete_function(tf.constant(1.0)).text().count(" = loop(") == steps

    def test_functions_that_look_at_their_caller(self):
        @tf.function
        def f(x):
            global a_name_of_the_module
            if "a_name_of_the_module" not in globals():
                a_name_of_the_module = 2.0
            y = x * eval("x") + a_name_of_the_module
            return y, sorted(locals())

        y, names = f(tf.constant(3.0))
        assert float(y) == 11.0
        assert {"x", "y"} <= {n.numpy().decode() for n in names}

    def test_libraries_are_left_alone(self):
        for function in (tf.reduce_sum, np.linalg.norm, functools.reduce, subprocess.run, tf.cond):
            assert converted(function) is function

    def test_passes_are_loaded_when_needed(self):
        program = (
            "import sys, gradtape as tf\n"
            "f = tf.function(lambda x: tf.sin(x) * 2.0)\n"
            "f(tf.constant(1.0))\n"
            "assert 'gradtape.autograph._transformer' not in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_do_not_convert(self):
        @tf.autograph.experimental.do_not_convert
        def plain(x):
            return 1 if x > 0.0 else 2

        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
            tf.function(lambda x: plain(x))(tf.constant(1.0))
        assert tf.autograph.experimental.do_not_convert()(lambda: 5)() == 5

    def test_without_source_it_runs_as_it_is(self, caplog):
        space = {}
        exec("def f(x):\n    return x if x is not None else 1", space)
        assert float(tf.function(space["f"])(tf.constant(2.0))) == 2.0
        assert any("AutoGraph could not transform" in m for m in caplog.messages)

    def test_without_source_and_branches_there_is_no_warning(self, caplog):
        space = {"tf": tf}
        code = "def f(x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n        y = x * x\n    return tape.gradient(y, x)"
        exec(code, space)
        assert float(tf.function(space["f"])(tf.constant(2.0))) == 4.0
        assert not caplog.messages

    def test_strict_conversion_refuses_what_cannot_be_rewritten(self, monkeypatch):
        async def number(n):
            return n

        monkeypatch.setenv("AUTOGRAPH_STRICT_CONVERSION", "1")
        with pytest.raises(NotImplementedError, match="coroutines are not supported"):
            tf.function(number)(3)

    def test_a_length_that_is_known_is_a_number(self):
        lengths = []

        @tf.function(input_signature=[tf.TensorSpec([None, None])])
        def f(x):
            shape = tf.shape(x)
            lengths.append(len(shape))
            return shape[0] if len(shape) == 2 else 1.5  # branches of two dtypes: one of them is never traced

        assert int(f(tf.ones([3, 4]))) == 3
        assert lengths == [2]
        assert type(lengths[0]) is int

    @pytest.mark.parametrize("strict", ["0", "1"])
    def test_generators_run_as_they_are_without_a_word(self, caplog, monkeypatch, strict):
        monkeypatch.setenv("AUTOGRAPH_STRICT_CONVERSION", strict)

        def rows(n):
            for i in range(n):
                yield float(i)

        assert float(tf.function(lambda x: x + sum(rows(3)))(tf.constant(1.0))) == 4.0
        assert not caplog.messages

    def test_code_is_rewritten_once(self):
        def make():
            def f(x):
                return x if x > 0.0 else -x

            return f

        first, second = converted(make()), converted(make())
        assert first is not second
        assert first.__code__ is second.__code__


class TestSource:
    def test_lambdas_on_one_line_are_told_apart(self):
        first, second = (lambda x: x if x > 0.0 else -x), (lambda x: x * 2.0 if x > 0.0 else x)
        assert float(tf.function(first)(tf.constant(-3.0))) == 3.0
        assert float(tf.function(second)(tf.constant(3.0))) == 6.0

    def test_tree_has_the_lines_of_the_file(self):
        assert tree_of(helper).lineno == helper.__code__.co_firstlineno

    def test_lines_survive(self):
        code = converted(helper).__code__
        assert code.co_filename == helper.__code__.co_filename
        lines = {line for _, _, line in helper.__code__.co_lines() if line}
        assert {line for _, _, line in code.co_lines() if line} <= lines

    def test_nodes_name_the_users_line(self):
        @tf.function
        def f(x):
            if x > 0.0:
                y = tf.sin(x)
            else:
                y = x
            return y

        text = str(f.get_concrete_function(tf.constant(1.0)).graph)
        assert "in f: y = tf.sin(x)" in text


class TestTools:
    def test_to_graph_and_to_code(self):
        assert tf.autograph.to_graph(helper)(-3.0) == 3.0
        assert "ag__.if_stmt" in tf.autograph.to_code(helper)
        assert tf.autograph.to_graph(Model().call)(2.0) == 4.0
        assert "ag__" in tf.autograph.to_code(tf.function(helper))
        with pytest.raises(ValueError, match="not a function written in Python"):
            tf.autograph.to_code(len)

    def test_verbosity(self, caplog):
        tf.autograph.set_verbosity(3)
        try:
            tf.function(lambda x: x if x > 7.0 else x + 1.0)(tf.constant(1.0))
        finally:
            tf.autograph.set_verbosity(0)
        assert any("AutoGraph: rewrote" in m for m in caplog.messages)
        assert any("ag__.if_exp" in m for m in caplog.messages)

    def test_trace(self, capsys):
        tf.autograph.trace("x", 1)
        assert capsys.readouterr().out == "x 1\n"

    def test_features(self):
        feature = tf.autograph.experimental.Feature
        assert feature.ALL in feature.all()
        assert feature.LISTS not in feature.all_but(feature.LISTS)
