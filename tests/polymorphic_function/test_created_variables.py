"""Variables that are made while a function is traced: it is traced again, and the second trace runs."""

import subprocess
import sys

import numpy as np
import pytest

import gradtape as tf
from gradtape.core.variable_creation import names

X = tf.constant([[1.0, 2.0, 3.0]])


def once(make):
    """A function that makes something when it is first called, and what its Python code saw at each trace."""
    kept, seen = [], []

    @tf.function
    def f(x):
        seen.append(len(kept))
        if not kept:
            kept.append(make(x))
        return x * kept[0]

    return f, kept, seen


@pytest.mark.parametrize(
    "make",
    [
        lambda x: tf.Variable(2.0),
        lambda x: tf.Variable(lambda: tf.constant(2.0)),
        lambda x: tf.Variable(tf.reduce_sum(x)),
        lambda x: tf.Variable(tf.random.uniform([])),
        lambda x: in_init_scope(lambda: tf.Variable(2.0)),
    ],
)
def test_the_second_trace_runs(make):
    f, kept, seen = once(make)
    np.testing.assert_allclose(f(X), X * kept[0])
    kept[0].assign_add(1.0)
    np.testing.assert_allclose(f(X), X * kept[0])
    assert seen == [0, 1]


def in_init_scope(make):
    with tf.init_scope():
        return make()


@pytest.mark.parametrize("scope", [lambda make: make(), in_init_scope])
def test_later_traces_make_none(scope):
    made = []

    @tf.function
    def f(x, more):
        if more:
            made.append(scope(lambda: tf.Variable(1.0)))
        return x

    f(X, False)
    with pytest.raises(ValueError, match="singleton"):
        f(X, True)
    assert names.witness is None


def test_in_a_branch_the_initial_value_may_depend_on_the_function():
    kept = []

    @tf.function
    def f(x):
        total = tf.reduce_sum(x)

        def branch():
            if not kept:
                kept.append(tf.Variable(total * 2.0))
            return x * kept[0]

        return tf.cond(total > 0.0, branch, lambda: x)

    np.testing.assert_allclose(f(X), X * 12.0)


def test_concrete_functions_make_variables_that_depend_on_no_argument():
    f, kept, seen = once(lambda x: tf.Variable(tf.random.uniform([3])))
    concrete = f.get_concrete_function(tf.TensorSpec([None, 3]))
    np.testing.assert_allclose(concrete(X), X * kept[0])
    assert seen == [0, 1]
    assert len(concrete.variables) == 1
    f, *_ = once(lambda x: tf.Variable(tf.reduce_sum(x)))
    with pytest.raises(ValueError, match="depends on arguments"):
        f.get_concrete_function(tf.TensorSpec([None, 3]))


def test_the_function_around_is_not_traced_again():
    inner, kept, seen = once(lambda x: tf.Variable(2.0))
    outer_seen = []

    @tf.function
    def outer(x):
        outer_seen.append(len(kept))
        return inner(x)

    outer(X)
    assert (outer_seen, seen) == ([0], [0, 1])


def test_what_a_creator_returns_is_not_initialised_again():
    calls = []

    class Counted(tf.Variable):
        def __init__(self, value, *, extra):
            super().__init__(value)
            calls.append(extra)

    f, kept, _ = once(lambda x: tf.Variable(3.0, name="v"))
    with tf.variable_creator_scope(
        lambda creator, initial_value=None, **rest: Counted(initial_value, extra=rest["name"])
    ):
        np.testing.assert_allclose(f(X), X * 3.0)
    assert calls == ["v"]
    assert type(kept[0]) is Counted


def test_a_subclass_that_keeps_its_value_itself():
    class Kept(tf.Variable):
        """Like a variable, but another object holds its value, and the constructor of the base class is not called."""

        def __init__(self, held, trainable):
            self.held, self._trainable = held, trainable

        dtype = property(lambda self: self.held.dtype)
        shape = property(lambda self: self.held.shape)

        def value(self):
            return self.held

    def creator(_, initial_value=None, trainable=None, **rest):
        return Kept(tf.convert_to_tensor(initial_value), trainable)

    with tf.variable_creator_scope(creator):
        made = tf.Variable([2.0], trainable=True, name="v")
    assert type(made) is Kept
    np.testing.assert_array_equal(made + 1.0, [3.0])
    np.testing.assert_array_equal(tf.square(made), [4.0])
    np.testing.assert_array_equal(tf.function(lambda x: x * made)(tf.constant([5.0])), [10.0])


def test_a_subclass_whose_value_asks_its_base():
    class Doubled(tf.Variable):
        def value(self):
            return super().value() * 2.0

    v = Doubled([1.0, 3.0])
    np.testing.assert_array_equal(v + 0.0, [2.0, 6.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v)
    np.testing.assert_array_equal(tape.gradient(y, v), [8.0, 24.0])


@pytest.mark.parametrize("like", [tf.zeros_like, tf.ones_like])
def test_likenesses_of_what_is_not_known_yet(like):
    """A mean over an open batch has a known shape, so a variable like it can be made before any call."""
    f, kept, _ = once(lambda x: tf.Variable(like(tf.reduce_mean(x, 0)) + 1.0, name="v"))
    concrete = f.get_concrete_function(tf.TensorSpec([None, 3]))
    expected = like(tf.ones([3])) + 1.0
    np.testing.assert_array_equal(kept[0], expected)
    np.testing.assert_array_equal(concrete(X), X * expected)


def test_random_numbers_make_no_variable_of_the_function():
    """In a new process: the generators are the library's, made when something is first drawn."""
    program = """
import gradtape as tf

@tf.function
def draw(x, also):
    return x + tf.random.uniform([2]) if also else x

draw(tf.ones([2]), False)
draw(tf.ones([2]), True)
print(draw.experimental_get_tracing_count())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.strip() == "2", ran.stderr


def test_a_random_initial_value_after_an_assignment():
    count = tf.Variable(0.0)
    made = []

    @tf.function
    def f(x):
        count.assign_add(1.0)
        if not made:
            made.append(tf.Variable(tf.random.normal([2])))
            made.append(tf.Variable(tf.random.normal([2])))
        return x * made[0]

    f(tf.ones([2]))
    assert float(count) == 1.0
    assert not np.array_equal(made[0].numpy(), made[1].numpy())
