"""Python code that a graph calls may assign variables: whoever reads them later sees it, and gradients are as before."""

import numpy as np
import pytest

import gradtape as tf

PYTHON = {
    "py_function": lambda f, x: tf.py_function(f, [x], []),
    "numpy_function": lambda f, x: tf.numpy_function(f, [x], []),
}


@pytest.fixture(params=list(PYTHON))
def call(request):
    return PYTHON[request.param]


def adds_to(v):
    def add(x):
        v.assign_add(x)

    return add


def test_in_a_function(call):
    v, other = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def f(x):
        before = v.read_value()
        call(adds_to(v), x)
        call(adds_to(other), x)
        return before, v.read_value(), other * 1.0

    assert [float(y) for y in f(tf.constant(2.0))] == [1.0, 3.0, 12.0]


def test_assigned_on_both_sides(call):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign(5.0)
        call(adds_to(v), x)
        v.assign_add(100.0)
        call(adds_to(v), x)
        return v.read_value()

    assert float(f(tf.constant(2.0))) == float(v) == 109.0


def test_in_a_loop(call):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, n):
        total = 0.0
        for _ in tf.range(n):
            total += v
            call(adds_to(v), x)
        return total, v.read_value()

    assert [float(y) for y in f(tf.constant(2.0), tf.constant(3))] == [9.0, 7.0]


@pytest.mark.parametrize("flag", [True, False])
def test_in_a_branch(call, flag):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, flag):
        if flag:
            call(adds_to(v), x)
        return v * 2.0

    assert float(f(tf.constant(2.0), tf.constant(flag))) == (6.0 if flag else 2.0)


@pytest.mark.parametrize("loops", [True, False])
def test_gradients_of_what_python_looks_at(call, loops):
    w = tf.Variable(3.0)

    @tf.function
    def f(x, n):
        y = 0.0
        for _ in tf.range(n) if loops else range(3):
            y += w * x
            call(lambda x: None, x)
            y += w * w
        return y

    with tf.GradientTape() as tape:
        y = f(tf.constant(2.0), tf.constant(3))
    np.testing.assert_allclose(tape.gradient(y, w), 3 * (2.0 + 2 * 3.0))


def test_by_a_dataset():
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(ds):
        seen = tf.constant(0, tf.int64)
        for _x in ds:
            seen = seen * 100 + v
        return seen, v.read_value()

    seen, after = f(tf.data.Dataset.range(1, 4).map(lambda x: v.assign_add(x)))
    assert (int(seen), int(after)) == (10306, 6)


class TestVariablesOfTheGraph:
    """What a loop or branch assigns itself is not lost beside Python code."""

    def test_counter_in_a_loop(self):
        v = tf.Variable(0.0)

        @tf.function
        def count(x):
            for _ in tf.range(5):
                v.assign_add(1.0)
                y = tf.numpy_function(lambda a: a + 1, [x], tf.float32)
                y.set_shape([])
                x = y
                v.assign_add(10.0)
            return x, v.read_value()

        assert [float(r) for r in count(tf.constant(0.0))] == [5.0, 55.0]
        assert float(v) == 55.0

    def test_counter_in_nested_loops_and_branches(self):
        v = tf.Variable(0.0)

        @tf.function
        def count(n):
            for i in tf.range(n):
                v.assign_add(1.0)
                for _ in tf.range(2):
                    tf.py_function(lambda: None, [], [])
                    if i > 0:
                        v.assign_add(10.0)
            return v.read_value()

        assert float(count(3)) == 43.0

    def test_random_numbers_go_on(self):
        """Their state is a variable that the loop assigns."""

        @tf.function
        def draw():
            numbers = tf.TensorArray(tf.float32, 0, dynamic_size=True)
            for i in tf.range(8):
                numbers = numbers.write(i, tf.random.uniform([]))
                tf.numpy_function(lambda: np.float32(0), [], tf.float32)
            return numbers.stack()

        assert len(set(draw().numpy().tolist())) == 8


def test_in_loops_in_loops(call):
    v = tf.Variable(0.0)

    @tf.function
    def f(x, n):
        total = tf.constant(0.0)
        for _ in tf.range(n):
            for _ in tf.range(n + 1):
                call(adds_to(v), x)
                total += v
            total += 100.0 * v
        return total, v.read_value()

    assert [float(y) for y in f(tf.constant(1.0), tf.constant(2))] == [21.0 + 900.0, 6.0]


def test_under_a_condition_in_loops_in_loops(call):
    v = tf.Variable(0.0)

    @tf.function
    def f(x, n):
        total, i = tf.constant(0.0), tf.constant(0)
        while i < n:
            j = tf.constant(0)
            while j < n:
                if j > 0:
                    call(adds_to(v), x)
                    total += v
                j += 1
            total += 100.0 * v
            i += 1
        return total

    assert float(f(tf.constant(1.0), tf.constant(3))) == 21.0 + 1200.0


class TestAssignedByBoth:
    """A loop or branch and the Python code that it calls assign one variable: all happens in program order, and nothing is lost."""

    def test_in_a_loop(self, call):
        v = tf.Variable(0.0)

        @tf.function
        def f(n):
            for _ in tf.range(n):
                v.assign_add(1.0)
                call(adds_to(v), 10.0)
                v.assign(v * 2.0)
                call(adds_to(v), 100.0)
            return v.read_value()

        expected = 0.0
        for _ in range(3):
            expected = (expected + 11.0) * 2.0 + 100.0
        assert float(f(tf.constant(3))) == float(v) == expected

    def test_python_sees_what_the_loop_has_assigned(self, call):
        v, seen = tf.Variable(0.0), []

        @tf.function
        def f(n):
            for _ in tf.range(n):
                v.assign_add(1.0)
                call(lambda x: seen.append(float(v)), 0.0)
                v.assign_add(10.0)

        f(tf.constant(3))
        assert seen == [1.0, 12.0, 23.0]

    @pytest.mark.parametrize("flag", [True, False])
    def test_in_a_branch_of_which_the_other_calls_nothing(self, call, flag):
        v = tf.Variable(0.0)

        @tf.function
        def f(flag):
            v.assign_add(1.0)
            if flag:
                v.assign_add(2.0)
                call(adds_to(v), 10.0)
            else:
                v.assign_add(3.0)
            v.assign_add(100.0)
            return v.read_value()

        assert float(f(tf.constant(flag))) == float(v) == (113.0 if flag else 104.0)

    def test_by_the_loop_and_the_dataset(self):
        v = tf.Variable(0.0)
        dataset = tf.data.Dataset.range(4).map(lambda x: v.assign_add(tf.cast(x, tf.float32)))

        @tf.function
        def f():
            for _x in dataset:
                v.assign_add(100.0)
            return v.read_value()

        assert float(f()) == float(v) == 406.0

    def test_in_a_function_that_another_one_calls(self, call):
        v = tf.Variable(0.0)

        @tf.function
        def inner():
            for _ in tf.data.Dataset.range(3):
                v.assign_add(1.0)
            call(adds_to(v), 10.0)

        @tf.function
        def outer(n):
            v.assign_add(1000.0)
            inner()
            first = v.read_value()
            for _ in tf.range(n):
                v.assign_add(1000.0)
                inner()
            return first, v.read_value()

        assert [float(y) for y in outer(tf.constant(2))] == [1013.0, 3039.0]
        assert float(v) == 3039.0

    def test_of_a_variable_that_is_an_argument_of_a_called_function(self, call):
        u, w = tf.Variable(0.0), tf.Variable(100.0)

        @tf.function
        def inner(v):
            for _ in tf.range(tf.constant(3)):
                v.assign_add(1.0)
                call(lambda x: None, 0.0)

        @tf.function
        def outer():
            inner(u)
            inner(w)
            return u.read_value(), w.read_value()

        assert [float(y) for y in outer()] == [3.0, 103.0]
        assert [float(u), float(w)] == [3.0, 103.0]

    def test_gradients(self, call):
        v, w = tf.Variable(0.0), tf.Variable(3.0)

        @tf.function
        def f(x, n):
            y = 0.0
            for _ in tf.range(n):
                v.assign_add(1.0)
                y += w * x * v
                call(adds_to(v), 10.0)
                w.assign_add(1.0)
                y += w * w + v
            return y

        with tf.GradientTape() as tape:
            y = f(tf.constant(2.0), tf.constant(3))
        assert float(y) == 475.0
        assert [float(d) for d in tape.gradient(y, [w, v])] == [
            2 * (1 + 12 + 23) + 2 * (4 + 5 + 6),
            2 * (3 + 4 + 5) + 3,
        ]

    def test_what_was_assigned_before_an_error_stays(self, call):
        v = tf.Variable(0.0)

        def fails(x):
            if v.numpy() > 2:
                raise ValueError("enough")

        @tf.function
        def f():
            for _ in tf.range(tf.constant(9)):
                v.assign_add(1.0)
                call(fails, 0.0)

        with pytest.raises(tf.errors.InvalidArgumentError, match="enough"):
            f()
        assert float(v) == 3.0
