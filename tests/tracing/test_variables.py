"""Variables in functions: scattered updates, parts, counters; the same as at once."""

import numpy as np
import pytest

import gradtape as tf


def slices(values, indices):
    return tf.IndexedSlices(values, indices)


START = [[8.0, 4.0], [2.0, 1.0], [3.0, 5.0]]
ONE, TWO = tf.constant([1, 1]), tf.constant([[2.0, 1.0], [0.5, 4.0]])
CASES = {
    **{
        f"scatter_{what}": (lambda v, i, u, what=what: getattr(v, f"scatter_{what}")(slices(u, i)), (ONE, TWO))
        for what in ("add", "sub", "update", "mul", "div", "min", "max")
    },
    **{
        f"scatter_nd_{what}": (
            lambda v, i, u, what=what: getattr(v, f"scatter_nd_{what}")(i, u),
            (tf.constant([[0, 1], [2, 0]]), tf.constant([2.0, 7.0])),
        )
        for what in ("add", "sub", "update", "min", "max")
    },
    "one number": (lambda v, i: v.scatter_add(slices(2.0, i)), (ONE,)),
    "batch": (lambda v, i: v.batch_scatter_update(slices([[9.0], [8.0], [7.0]], i)), (tf.constant([[1], [0], [1]]),)),
    "part": (lambda v, x: v[1:, 0].assign(x), (tf.constant([7.0, 8.0]),)),
    "part of a scalar": (lambda v, x: v[..., 1].assign(x), (tf.constant(7.0),)),
    "part by tensor": (lambda v, i: v[i].assign([7.0, 8.0]), (tf.constant(1),)),
    "part up to tensor": (lambda v, i: v[:i, 0].assign(-1.0), (tf.constant(2),)),
}


@pytest.mark.parametrize("name", CASES)
def test_updates(name):
    update, args = CASES[name]
    eager, compiled = tf.Variable(START), tf.Variable(START)

    @tf.function(autograph=False)
    def f(*args):
        before = compiled * 1.0
        assert update(compiled, *args) is compiled
        return before, compiled * 10.0

    for _ in range(2):
        old = eager.numpy()
        update(eager, *args)
        before, after = f(*args)
        np.testing.assert_allclose(before, old)
        np.testing.assert_allclose(compiled.numpy(), eager.numpy(), rtol=1e-6)
        np.testing.assert_allclose(after, eager.numpy() * 10, rtol=1e-6)
    assert f.experimental_get_tracing_count() == 1


def test_reads():
    v = tf.Variable(START)
    f = tf.function(lambda i: (v.sparse_read(i), v.gather_nd([[0, 1]])), autograph=False)
    rows, element = f(tf.constant([2, 0]))
    assert rows.numpy().tolist() == [[3.0, 5.0], [8.0, 4.0]]
    assert element.numpy().tolist() == [4.0]


def test_no_gradient_flows_through_an_update():
    v, x = tf.Variable([1.0, 2.0]), tf.Variable([5.0])
    f = tf.function(lambda x: tf.reduce_sum(v.scatter_update(slices(x, [0])) * 3.0), autograph=False)
    with tf.GradientTape() as tape:
        y = f(x.read_value())
    assert tape.gradient(y, x) is None


def test_counter():
    v = tf.Variable(0)
    f = tf.function(lambda: v.count_up_to(2), autograph=False)
    assert [int(f()), int(f()), int(v)] == [0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Reached limit of 2(.|\n)*Graph execution error"):
        f()


def test_bad_shapes_are_found_while_tracing():
    v = tf.Variable(START)
    with pytest.raises(ValueError, match=r"the updates must have shape(.|\n)*in user code"):
        tf.function(lambda: v.scatter_add(slices([1.0], [0])), autograph=False)()
    with pytest.raises(ValueError, match=r"does not broadcast to a part of variable(.|\n)*in user code"):
        tf.function(lambda: v[0].assign([1.0, 2.0, 3.0]), autograph=False)()
    with pytest.raises(TypeError, match="must be integers"):
        tf.function(lambda: v.scatter_nd_add([[0.5]], [[1.0, 2.0]]), autograph=False)()


def test_bad_index_is_found_when_it_runs():
    v = tf.Variable(START)
    f = tf.function(lambda i: v.scatter_add(slices([[1.0, 1.0]], i)), autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 5(.|\n)*Graph execution error"):
        f(tf.constant([5]))
    assert v.numpy().tolist() == START


def test_number_of_rows_is_known_when_it_runs():
    v = tf.Variable(START)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)], autograph=False)
    def clear(rows):
        v.scatter_update(slices(tf.zeros([tf.shape(rows)[0], 2]), rows))

    clear(tf.constant([0, 2]))
    clear(tf.constant([1]))
    assert not v.numpy().any()


def test_second_derivatives_do_not_assign_again():
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(x):
        v.assign_add(1.0)
        return tf.reduce_sum(tf.sin(x) * tf.exp(x) * v)

    x = tf.constant([0.5, 0.3])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    h = outer.gradient(g, x)
    np.testing.assert_allclose(h, 2 * 2 * np.cos(x.numpy()) * np.exp(x.numpy()), rtol=1e-5)
    assert float(v) == 2.0


class TestTwoNames:
    """A variable that is an argument, and that the function knows by another name too."""

    def test_assignment_by_the_other_name_is_seen(self):
        w = tf.Variable([1.0, 2.0])

        @tf.function
        def f(p):
            w.assign([5.0, 6.0])
            return p + 0.0

        assert f(w).numpy().tolist() == [5.0, 6.0]

    def test_assignment_by_the_parameter_is_seen(self):
        w = tf.Variable([1.0, 2.0])

        @tf.function
        def f(p):
            p.assign_add([1.0, 1.0])
            return w * 2.0

        assert f(w).numpy().tolist() == [4.0, 6.0]
        assert f(w).numpy().tolist() == [6.0, 8.0]

    @pytest.mark.parametrize("order", ["other first", "same first"])
    def test_other_variables_are_others(self, order):
        w, other = tf.Variable(1.0), tf.Variable(10.0)

        @tf.function
        def f(p):
            w.assign_add(1.0)
            return p + 0.0

        for _ in range(2):
            for v in (other, w) if order == "other first" else (w, other):
                assert float(f(v)) == float(v)
        assert float(w) == 5.0
        assert float(other) == 10.0

    def test_in_a_loop_of_a_function_in_a_function(self):
        w = tf.Variable([1.0, 1.0])

        @tf.function
        def inner(p):
            for _ in tf.range(3):
                w.assign_sub(p * 0.5)
            return p + 0.0

        assert tf.function(lambda: inner(w))().numpy().tolist() == [0.125, 0.125]

    def test_concrete_function(self):
        w = tf.Variable(1.0)

        @tf.function
        def f(p):
            w.assign(3.0)
            return p + 0.0

        assert float(f.get_concrete_function(w)(w)) == 3.0
