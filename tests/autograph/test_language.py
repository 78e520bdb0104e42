"""AutoGraph: what functions mean in Python stays so when they are rewritten."""

import functools

import pytest

import gradtape as tf
from autograph.simple_functions import branches, expressions, halved
from gradtape.autograph._calls import converted
from gradtape.autograph._compile import rewritten_code
from gradtape.autograph._source import Unavailable


class TestLanguage:
    def test_functions_of_python_without_any_statement(self):
        spec = [tf.TensorSpec([None])]
        assert int(tf.function(lambda x: len(x), input_signature=spec)(tf.ones([3]))) == 3
        assert int(tf.function(lambda x: 2 * len(x), input_signature=spec)(tf.ones([4]))) == 8
        found = tf.function(lambda x: [list(enumerate(x)), list(map(tf.square, x))])(tf.constant([3.0, 4.0]))
        assert tf.nest.map_structure(float, found) == [[(0.0, 3.0), (1.0, 4.0)], [9.0, 16.0]]

    def test_cases_of_tensors_that_return(self):
        @tf.function
        def f(x):
            if x > 2.0:
                return x
            elif x > 1.0:
                return x * 2.0
            elif x > 0.0:
                x = x + 100.0
            return x * 3.0

        assert [float(f(tf.constant(v))) for v in (3.0, 1.5, 0.5, -1.0)] == [3.0, 3.0, 301.5, -3.0]
        assert f.experimental_get_tracing_count() == 1

    def test_missing_return_in_a_loop_of_the_caller(self):
        def inner(x):
            if x > 0.0:
                return x

        @tf.function
        def f(x):
            for _ in tf.range(3):
                x = x + inner(x)
            return x

        with pytest.raises(ValueError, match="the else branch must also have a return statement"):
            f(tf.constant(1.0))

    def test_variable_without_a_value(self):
        def f(x, n):
            if n > 1:
                y = x
            return y

        assert float(tf.function(f)(tf.constant(1.0), 2)) == 1.0
        with pytest.raises(UnboundLocalError, match="'y' is used before assignment"):
            tf.function(f)(tf.constant(1.0), 0)

        def g(x, n):
            for _ in range(n):
                y = x
            y += 1.0
            return y

        with pytest.raises(UnboundLocalError, match="'y' is used before assignment"):
            tf.function(g)(tf.constant(1.0), 0)

    def test_closures_that_change(self):
        factor, calls = 2.0, []

        def f(x):
            nonlocal factor
            calls.append(factor)
            factor = factor + 1.0
            return halved(x) * factor

        made = converted(f)
        assert made is not f
        assert [float(tf.function(f)(tf.constant(1.0))) for _ in range(2)] == [3.0, 4.0]
        factor = 10.0
        assert made(1.0) == 11.0
        assert calls == [2.0, 3.0, 10.0]

    def test_empty_cell(self):
        def outer(x):
            def first(y):
                return second(y) if y is not None else None

            made = converted(first)

            def second(y):
                return halved(y)

            return made(x)

        assert float(tf.function(outer, autograph=False)(tf.constant(4.0))) == 2.0

    def test_globals_that_change(self, monkeypatch):
        f = tf.function(lambda x: halved(x))
        assert float(f(tf.constant(4.0))) == 2.0
        monkeypatch.setitem(globals(), "halved", lambda x: x * 100.0)
        assert float(tf.function(lambda x: halved(x))(tf.constant(4.0))) == 400.0

    def test_recursion(self):
        def power(x, n):
            return x if n == 1 else x * power(x, n - 1)

        assert float(tf.function(power)(tf.constant(2.0), 5)) == 32.0

    def test_recursion_by_what_the_name_means(self):
        seen = []

        def counted(function):
            @functools.wraps(function)
            def inner(n):
                seen.append(n)
                return function(n)

            return inner

        @counted
        def factorial(n):
            if n <= 1:
                return 1.0
            return n * factorial(n - 1)

        assert float(tf.function(lambda x: x * factorial(4))(tf.constant(2.0))) == 48.0
        assert seen == [4, 3, 2, 1]

    def test_names_of_functions(self):
        def f(x):
            def inner(y):
                return halved(y)

            return inner, lambda: inner(x)

        made = tf.autograph.to_graph(f)
        assert (made.__qualname__, made.__code__.co_qualname) == (f.__qualname__, f.__code__.co_qualname)
        assert [g.__qualname__ for g in made(1.0)] == [g.__qualname__ for g in f(1.0)]

    def test_defaults_are_those_of_the_original(self):
        mark = object()

        def f(x, box=mark, *, by=halved):
            return by(x) if box is mark else x

        assert float(tf.function(f)(tf.constant(4.0))) == 2.0
        assert converted(f).__defaults__ == (mark,)
        assert converted(f).__kwdefaults__ == {"by": halved}

    def test_functions_without_a_trace_are_pythons(self):
        f = tf.autograph.to_graph(branches)
        assert f(3.0, 2.0) == branches(3.0, 2.0)
        assert tf.autograph.to_graph(expressions)(1.0, 2.0) == expressions(1.0, 2.0)

    def test_generators_and_coroutines_are_refused(self):
        def f(n):
            for i in range(n):
                if i > 5:
                    return
                yield i

        async def g(n):
            return n if n else None

        for function, text in ((f, "generators are not supported"), (g, "coroutines are not supported")):
            with pytest.raises(Unavailable, match=text):
                rewritten_code(function)

    def test_too_many_cases(self, tmp_path, caplog):
        cases = "".join(f"    elif n == {k}:\n        x = x + {k}.0\n" for k in range(1, 600))
        path = tmp_path / "many.py"
        path.write_text(f"def f(x, n):\n    if n == 0:\n        x = x\n{cases}    return x\n")
        space = {}
        exec(compile(path.read_text(), str(path), "exec"), space)
        assert float(tf.function(space["f"])(tf.constant(1.0), 500)) == 501.0
        assert any("AutoGraph could not transform" in m for m in caplog.messages)

    def test_calls_from_the_own_frame(self):
        def f(x):
            y = halved(x)
            return y * float("y" in locals())

        assert float(tf.function(f)(tf.constant(4.0))) == 2.0


def test_print_shows_values_if_the_feature_is_asked_for(capsys):
    def f(x):
        print("x is", x, {"a": 1})
        return x

    feature = tf.autograph.experimental.Feature.BUILTIN_FUNCTIONS
    shown = tf.function(f, experimental_autograph_options=feature)
    shown(tf.constant([1, 2]))
    shown(tf.constant([3, 4]))
    assert capsys.readouterr().out == "x is [1 2] {'a': 1}\nx is [3 4] {'a': 1}\n"
    tf.function(f)(tf.constant([1, 2]))
    assert "Tensor(" in capsys.readouterr().out


def test_not_is_taken_of_each_element():
    def f(x):
        return not x, not tf.constant([True, False])

    first, second = tf.function(f)(tf.constant([False, True]))
    assert first.numpy().tolist() == [True, False]
    assert second.numpy().tolist() == [False, True]
