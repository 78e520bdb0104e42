"""AutoGraph: statements over tensors run as Python would run them."""

import contextlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads


def agree(function, *points):
    """The function traced, against the same function run by Python."""
    traced = tf.function(function)
    for point in points:
        arguments = [tf.constant(p) for p in (point if isinstance(point, tuple) else (point,))]
        found, wanted = tf.nest.flatten(traced(*arguments)), tf.nest.flatten(function(*arguments))
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b)
    return traced


class TestBranches:
    def test_if_elif_else(self):
        def f(x):
            if x > 10.0:
                y = x - 10.0
            elif x > 0.0:
                y = x * 2.0
            else:
                y = -x
            return y

        agree(f, 20.0, 5.0, -3.0)
        check_grads(tf.function(f), (5.0,), order=2)

    def test_early_return(self):
        def f(x):
            if x > 0.0:
                return tf.sin(x)
            x = x * 2.0
            if x < -10.0:
                return x
            return x * x

        agree(f, 1.0, -1.0, -8.0)

    def test_conditional_expression(self):
        agree(lambda x: x if x > 0.0 else -x, 3.0, -3.0)

    def test_chained_comparison_and_logic(self):
        def f(x, y):
            a = 1 if 0.0 < x < 5.0 else 2
            b = 10 if (x > 0.0 and not y > 0.0) or x < -5.0 else 20
            return a + b

        agree(f, (1.0, 1.0), (1.0, -1.0), (9.0, 1.0), (-9.0, 1.0))

    def test_second_operand_is_evaluated_only_if_needed(self):
        def f(x, i):
            found = 0.0
            if i < len(x) and x[i] > 1.0:
                found = x[i]
            return found

        traced = tf.function(f)
        x = tf.constant([1.0, 2.0])
        assert [float(traced(x, tf.constant(i))) for i in (0, 1, 7)] == [0.0, 2.0, 0.0]

    def test_python_conditions_stay_python(self):
        taken = []

        @tf.function
        def f(x, flag):
            if flag:
                taken.append("yes")
                return x
            taken.append("no")
            return "text"

        assert float(f(tf.constant(1.0), True)) == 1.0
        assert taken == ["yes"]

    def test_attributes_and_items_are_state(self):
        class Box:
            value = 0.0

        def f(x):
            box, items = Box(), {"n": x, "m": x}
            if x > 0.0:
                box.value = x * 2.0
                items["n"] = x * 3.0
            else:
                box.value = x
            return box.value + items["n"] * 10.0

        agree(f, 1.0, -1.0)

    def test_shapes_may_differ(self):
        @tf.function
        def f(x):
            if x > 0.0:
                y = tf.ones([2])
            else:
                y = tf.ones([3])
            return tf.reduce_sum(y)

        assert [float(f(tf.constant(v))) for v in (1.0, -1.0)] == [2.0, 3.0]

    def test_with_and_try(self):
        def f(x):
            with contextlib.suppress(ZeroDivisionError):
                if x > 0.0:
                    x = x * 2.0
            try:
                if x > 3.0:
                    x = x + 1.0
            finally:
                x = x - 1.0
            return x

        agree(f, 1.0, 2.0, -1.0)

    def test_exceptions_have_names(self):
        def f(x):
            try:
                if x > 0.0:
                    x = x * 2.0
                raise KeyError("name")
            except (KeyError, ValueError) as problem:
                if x > 3.0:
                    x = x + float(len(problem.args[0]))
            return x

        agree(f, 1.0, 2.0, -1.0)

    def test_variables(self):
        v = tf.Variable(0.0)

        @tf.function
        def f(x):
            if x > 0.0:
                v.assign_add(x)
            return v.read_value()

        assert [float(f(tf.constant(a))) for a in (1.0, -1.0, 2.0)] == [1.0, 1.0, 3.0]


class TestLoops:
    def test_while(self):
        def f(x):
            n = 0
            while x > 1.0:
                x = x / 2.0
                n += 1
            return x, n

        agree(f, 10.0, 0.5)

    def test_for_over_a_tensor(self):
        def f(x):
            total = tf.zeros([], x.dtype)
            for row in x:
                total += tf.reduce_sum(tf.sin(row))
            return total

        agree(f, np.ones([3, 2], np.float32), np.ones([1, 2], np.float32))
        check_grads(tf.function(f), (np.array([[0.1, 0.2], [0.3, 0.4]]),), order=2)

    def test_for_over_a_range(self):
        @tf.function
        def f(n):
            total = 0
            for i in tf.range(n):
                total += i
            for i in range(n):
                total += 10 * i
            return total

        assert [int(f(tf.constant(n))) for n in (0, 1, 4)] == [0, 0, 66]
        assert f.experimental_get_tracing_count() == 1

    def test_a_constant_range_is_a_loop_too(self):
        @tf.function
        def f(x):
            for _ in tf.range(1000):
                x = x + 1.0
            return x

        assert float(f(tf.constant(0.0))) == 1000.0
        assert len(f.get_concrete_function(tf.constant(0.0)).graph.nodes) < 10

    def test_python_loops_are_unrolled(self):
        seen = []

        @tf.function
        def f(x):
            for i in range(3):
                seen.append(i)
                x = x * 2.0
            return x

        assert float(f(tf.constant(1.0))) == 8.0
        assert seen == [0, 1, 2]

    def test_break_and_continue(self):
        def f(n):
            total = 0
            for i in tf.range(n):
                if i == 3:
                    continue
                if i > 6:
                    break
                total += i
            return total

        agree(f, 0, 3, 5, 20)

    def test_nested(self):
        def f(n):
            total = 0
            for i in tf.range(n):
                j = i
                while j > 0:
                    j -= 1
                    if j == 2:
                        break
                    total += i * j
            return total

        agree(f, 0, 3, 6)

    def test_return_in_a_loop(self):
        def f(x):
            for row in x:
                if row > 2.0:
                    return row
            return -1.0

        agree(f, np.array([1.0, 3.0, 2.5], np.float32), np.array([1.0, 1.0, 0.0], np.float32))

    def test_return_in_a_while_loop_without_another(self):
        @tf.function
        def f(x):
            while x < 100.0:
                x = x * 2.0
                if x > 10.0:
                    return x

        assert float(f(tf.constant(3.0))) == 12.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="has not returned a value"):
            f(tf.constant(1000.0))

    def test_while_true(self):
        def f(x):
            n = 0
            while True:
                x = x * 0.5
                n += 1
                if x < 1.0:
                    break
            return n, x

        agree(f, 10.0, 1.0)
        check_grads(tf.function(lambda x: f(x)[1]), (10.0,), order=1)

    def test_break_under_a_tensor_in_a_python_loop(self):
        def f(x):
            for i in range(5):
                x = x * 2.0 + float(i)
                if x > 10.0:
                    break
            return x, i

        agree(f, 1.0, 100.0, 0.01)

    def test_variable_first_set_in_the_loop(self):
        @tf.function
        def f(n):
            for i in tf.range(n):
                last = i * 2
            return last

        assert int(f(tf.constant(3))) == 4
        with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize last"):
            f(tf.constant(0))

    def test_enumerate_and_zip(self):
        def f(a, b):
            total = 0.0
            for x, y in zip(a, b, strict=False):
                total += x * y
            for i, x in enumerate(a):
                total += tf.cast(i, tf.float32) * x
            for i, (x, y) in enumerate(zip(a, b, strict=False)):
                total += tf.cast(i, tf.float32) * x * y
            return total

        a = np.array([1.0, 2.0, 3.0], np.float32)
        agree(f, (a, a[::-1].copy()))

    def test_loop_options(self):
        @tf.function
        def f(n):
            x = tf.constant([0])
            for i in tf.range(n):
                tf.autograph.experimental.set_loop_options(
                    shape_invariants=[(x, tf.TensorShape([None]))], maximum_iterations=3
                )
                x = tf.concat([x, [i]], 0)
            return x

        assert f(tf.constant(2)).numpy().tolist() == [0, 0, 1]
        assert f(tf.constant(20)).numpy().tolist() == [0, 0, 1, 2]

    def test_tensor_array(self):
        def f(x):
            array = tf.TensorArray(tf.float64, size=3)
            for i in tf.range(3):
                array = array.write(i, x[i] * x[i])
            return array.stack()

        agree(f, np.array([1.0, 2.0, 3.0]))
        check_grads(tf.function(f), (np.array([1.0, 2.0, 3.0]),), order=2)

    def test_tape_around_and_inside(self):
        @tf.function
        def f(x):
            with tf.GradientTape() as outer:
                outer.watch(x)
                y = x
                for _ in tf.range(3):
                    with tf.GradientTape() as tape:
                        tape.watch(y)
                        z = y * y * x
                    y = y + tape.gradient(z, y)
            return y, outer.gradient(y, x)

        def plain(x):
            y = x
            for _ in range(3):
                y = y + 2.0 * y * x
            return y

        x = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            wanted = plain(x)
        value, slope = f(x)
        np.testing.assert_allclose([value, slope], [wanted, tape.gradient(wanted, x)], rtol=1e-6)

    def test_condition_that_draws(self):
        @tf.function
        def f():
            n = 0
            while tf.random.uniform([]) < 0.9:
                n += 1
            return n

        assert len({int(f()) for _ in range(20)}) > 1

    def test_lstm_step_by_step(self):
        rng = np.random.default_rng(0)
        xs, w = rng.normal(size=(4, 2, 3)), rng.normal(size=(5, 8)) * 0.5

        def lstm(xs, w):
            h = c = tf.zeros([2, 2], tf.float64)
            for t in tf.range(4):
                i, f, g, o = tf.split(tf.matmul(tf.concat([xs[t], h], 1), w), 4, axis=1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            return tf.reduce_sum(h)

        agree(lstm, (xs, w))
        check_grads(tf.function(lstm), (xs, w), order=1)


class TestOthers:
    def test_assert(self):
        @tf.function
        def f(x):
            assert x > 0.0, "must be positive"
            return tf.sqrt(x)

        assert float(f(tf.constant(4.0))) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be positive"):
            f(tf.constant(-4.0))

    def test_comprehensions(self):
        def f(x):
            rows = [r * r for r in x]
            return tf.stack(rows), {i: r for i, r in enumerate(x) if i > 0}[1], sum(r for r in rows)

        agree(f, np.array([1.0, 2.0, 3.0]))

    def test_functions_of_python(self):
        def f(x, n):
            return (
                abs(x[0]), len(x), max(x), min(x), sum(x), any(x > 2.0), all(x > -5.0), max(x[0], x[1]), int(x[1]),
                float(n), 2.0 in x, 9.0 in x, n in [1, 2, 3], list(x)[1], next(reversed(list(x))),
            )  # fmt: skip

        agree(f, (np.array([-1.0, 2.0, 3.5], np.float32), 2))
        assert tf.function(lambda x: sorted(x))(tf.constant([3, 1, 2])).numpy().tolist() == [1, 2, 3]

    def test_print_shows_the_symbol(self, capsys):
        @tf.function
        def f(x):
            if x > 0.0:
                print(x)
            return x

        f(tf.constant(1.0))
        assert 'Tensor("x:0", shape=()' in capsys.readouterr().out

    def test_vectorized_map_of_statements(self):
        def f(x):
            while x < 10.0:
                x = x * 2.0 if x > 1.0 else x * 3.0
            return x

        x = tf.constant([0.5, 3.0, 20.0])
        found = tf.vectorized_map(tf.function(f), x)
        np.testing.assert_allclose(found, [float(f(v)) for v in x])


def test_functions_of_ours_that_were_held_before_the_first_trace(tmp_path: Path) -> None:
    """They are not the ones that modules show by then."""
    program = tmp_path / "held.py"
    program.write_text(
        "import gradtape as tf\n"
        "held = tf.range\n"
        "print(tf.function(held)(tf.constant(3)).numpy().tolist())\n"
        "print(tf.function(lambda n: held(n))(tf.constant(2)).numpy().tolist())\n"
        "print(tf.data.Dataset.range(1, 4).map(held).element_spec.shape)\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[0, 1, 2]", "[0, 1]", "(None,)"]


class TestFunctionsDefinedLater:
    """A variable that a branch or loop sets is read by a function that is defined behind it."""

    @pytest.mark.parametrize(("x", "wanted"), [(1.0, 3.0), (-1.0, -2.0)])
    def test_after_a_branch(self, x: float, wanted: float) -> None:
        @tf.function
        def f(x):
            if x > 0.0:
                a = x * 2.0
            else:
                a = x * 3.0

            def outer():
                def inner():
                    return a + 1.0

                return inner()

            return outer()

        assert f(tf.constant(x)).numpy() == wanted

    def test_a_variable_that_only_one_branch_sets(self) -> None:
        @tf.function
        def f(x):
            if x > 0.0:
                a = x * 2.0

            def read():
                return a

            return read()

        with pytest.raises(ValueError, match="'a' must also be initialized in the else branch"):
            f(tf.constant(1.0))

    def test_in_a_loop(self) -> None:
        @tf.function
        def f(x):
            n = tf.constant(0)
            while n < 3:
                y = x * 2.0
                n += 1

                def outer():
                    def inner():
                        return y + tf.cast(n, tf.float32)  # noqa: B023

                    return inner()

                x = outer()
            return x

        assert f(tf.constant(1.0)).numpy() == 19.0
