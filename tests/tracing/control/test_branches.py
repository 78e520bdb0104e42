"""tf.cond, tf.case and tf.switch_case in functions: values, derivatives of any order, variables, errors in words."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

POSITIVE, NEGATIVE = np.array([1.0, 2.0]), np.array([-1.0, -2.0])
SCALE = np.array([0.5, 0.25])


def choose(x, y):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.sin(x) * y, lambda: x * x)


class TestValues:
    def test_taken_branch(self):
        f = tf.function(choose)
        for x in (POSITIVE, NEGATIVE):
            np.testing.assert_allclose(f(x, SCALE), choose(tf.constant(x), tf.constant(SCALE)))
        assert f.experimental_get_tracing_count() == 1

    def test_both_branches_are_one_node(self):
        graph = tf.function(choose).get_concrete_function(tf.constant(POSITIVE), tf.constant(SCALE)).graph
        assert sum(node.op.name == "branch" for node in graph.nodes) == 1
        text = str(graph)
        assert "    true_fn = graph()" in text
        assert "sin(" in text

    def test_structures_and_none(self):
        f = tf.function(
            lambda p: tf.cond(p, lambda: {"a": (1.0, None), "b": [2]}, lambda: {"a": (3.0, None), "b": [4]})
        )
        found = f(tf.constant(False))
        assert (float(found["a"][0]), found["a"][1], int(found["b"][0])) == (3.0, None, 4)

    def test_shapes_that_differ_are_unknown(self):
        f = tf.function(lambda p: tf.cond(p, lambda: tf.ones([2, 3]), lambda: tf.zeros([4, 3])))
        concrete = f.get_concrete_function(tf.constant(True))
        assert concrete.output_shapes.as_list() == [None, 3]
        assert f(tf.constant(True)).shape == (2, 3)
        assert f(tf.constant(False)).shape == (4, 3)

    def test_case(self):
        def f(x):
            return tf.case([(x < 0.0, lambda: -x), (x < 10.0, lambda: x * 2.0)], default=lambda: x * 0.0)

        assert [float(tf.function(f)(tf.constant(v))) for v in (-3.0, 4.0, 20.0)] == [3.0, 8.0, 0.0]

    def test_case_without_a_true_condition(self):
        f = tf.function(lambda x: tf.case([(x < 0.0, lambda: -x), (x < 1.0, lambda: x)]))
        assert float(f(tf.constant(0.5))) == 0.5
        with pytest.raises(tf.errors.InvalidArgumentError, match="none of the conditions is true"):
            f(tf.constant(2.0))

    def test_exclusive_case(self):
        f = tf.function(
            lambda x: tf.case([(x < 5.0, lambda: 1), (x < 1.0, lambda: 2)], default=lambda: 3, exclusive=True)
        )
        assert [int(f(tf.constant(v))) for v in (3.0, 9.0)] == [1, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="several conditions are true"):
            f(tf.constant(0.0))

    def test_switch_case(self):
        f = tf.function(lambda i: tf.switch_case(i, [lambda: 10, lambda: 11, lambda: 12]))
        assert [int(f(tf.constant(i))) for i in (0, 1, 2, 7, -1)] == [10, 11, 12, 12, 12]
        g = tf.function(lambda i: tf.switch_case(i, {0: lambda: 10, 1: lambda: 11}, default=lambda: -1))
        assert [int(g(tf.constant(i))) for i in (0, 1, 5)] == [10, 11, -1]


class TestDerivatives:
    @pytest.mark.parametrize("x", [POSITIVE, NEGATIVE])
    def test_orders(self, x):
        check_grads(tf.function(choose), (x, SCALE), order=3)

    def test_untaken_branch_has_zero_in_a_function_and_none_outside(self):
        x, y = tf.constant(NEGATIVE), tf.constant(SCALE)
        for f, wanted in ((tf.function(choose), [0.0, 0.0]), (choose, None)):
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = f(x, y)
            found = tape.gradient(z, y)
            assert found is None if wanted is None else found.numpy().tolist() == wanted

    def test_operand_that_reaches_nothing(self):
        f = tf.function(lambda x, y: tf.cond(x > 0.0, lambda: x, lambda: x + tf.stop_gradient(y)))
        x, y = tf.constant(1.0), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = f(x, y)
        assert tape.gradient(z, y) is None

    def test_tape_inside_a_branch(self):
        @tf.function
        def f(x):
            def branch():
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = x**3
                return tape.gradient(y, x)

            return tf.cond(x > 0.0, branch, lambda: x)

        assert float(f(tf.constant(2.0))) == 12.0
        check_grads(f, (2.0,), order=2)

    def test_custom_gradient_in_a_branch(self):
        @tf.custom_gradient
        def doubled(x):
            return x, lambda dy: 2.0 * dy

        f = tf.function(lambda x: tf.cond(x > 0.0, lambda: doubled(x), lambda: x))
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == 2.0

    def test_forward_run_once_with_a_tape_inside(self):
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.cond(x > 0.0, lambda: tf.exp(tf.sin(x)), lambda: x)
            return y, tape.gradient(y, x)

        f(tf.constant(1.0))
        graph = f.get_concrete_function(tf.constant(1.0))._staged.program.program.graph
        plain = graph.plain or graph
        assert sum(node.op.name == "branch" for node in plain.nodes) == 2


class TestState:
    def test_variables_are_assigned_in_the_taken_branch(self):
        v, w = tf.Variable(1.0), tf.Variable(10.0)

        @tf.function
        def f(p):
            def first():
                v.assign_add(1.0)
                return v * 2.0

            def second():
                w.assign(v + w)
                return w.read_value()

            return tf.cond(p, first, second) + v

        assert float(f(tf.constant(True))) == 6.0
        assert float(f(tf.constant(False))) == 14.0
        assert (float(v), float(w)) == (2.0, 12.0)

    @pytest.mark.parametrize("used", [tf.identity, tf.stop_gradient, lambda w: w, lambda w: w.value() * 1.0])
    def test_a_variable_becomes_another(self, used):
        v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

        def replaced():
            v.assign(used(w))
            return tf.stop_gradient(w)

        @tf.function
        def f(p):
            return tf.cond(p, replaced, lambda: tf.zeros(2)), v * 2.0

        assert [y.numpy().tolist() for y in f(tf.constant(False))] == [[0.0, 0.0], [2.0, 4.0]]
        assert [y.numpy().tolist() for y in f(tf.constant(True))] == [[3.0, 4.0], [6.0, 8.0]]
        assert v.numpy().tolist() == [3.0, 4.0]

    def test_a_variable_of_an_inlined_function_becomes_another(self):
        v, w = tf.Variable(1.0), tf.Variable(3.0)
        read = tf.function(lambda: w.read_value())

        @tf.function
        def f(p):
            tf.cond(p, lambda: v.assign(read()), lambda: v.assign(w))
            return v.read_value()

        assert float(f(tf.constant(True))) == 3.0

    def test_gradient_of_a_variable_that_a_branch_assigns(self):
        v = tf.Variable(3.0)

        def f(x):
            def branch():
                v.assign(v * 2.0)
                return v * x

            return tf.cond(x > 0.0, branch, lambda: x)

        found = []
        for g in (f, tf.function(f)):
            v.assign(3.0)
            x = tf.constant(2.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = g(x)
            found.append([float(d) for d in (y, *tape.gradient(y, [x, v]))])
        assert found[0] == found[1]

    def test_random_numbers_are_drawn_in_the_taken_branch(self):
        @tf.function
        def f(p):
            return tf.cond(p, lambda: tf.random.normal([]), lambda: 0.0)

        tf.random.set_seed(3)
        first, _, second = f(tf.constant(True)), f(tf.constant(False)), f(tf.constant(True))
        assert float(first) != float(second)
        tf.random.set_seed(3)
        assert float(tf.random.normal([])) == float(first)
        assert float(tf.random.normal([])) == float(second)


class TestErrors:
    def test_structures_differ(self):
        with pytest.raises(TypeError, match="same number, type, and overall structure"):
            tf.function(lambda p: tf.cond(p, lambda: 1, lambda: (1, 2)))(tf.constant(True))

    def test_one_is_none(self):
        with pytest.raises(ValueError, match="None"):
            tf.function(lambda p: tf.cond(p, lambda: 1, lambda: None))(tf.constant(True))

    def test_dtypes_differ(self):
        with pytest.raises(TypeError, match=r"int32|float32"):
            tf.function(lambda p: tf.cond(p, lambda: 1, lambda: 1.0))(tf.constant(True))

    def test_condition_is_no_scalar(self):
        with pytest.raises(ValueError, match="must be a scalar"):
            tf.function(lambda p: tf.cond(p, lambda: 1, lambda: 2))(tf.constant([True, False]))

    def test_tensor_of_a_branch_is_out_of_scope(self):
        kept = []

        @tf.function(autograph=False)
        def f(p, x):
            tf.cond(p, lambda: kept.append(x * 2.0) or x, lambda: x)
            return kept[0] + 1.0

        with pytest.raises((TypeError, ValueError), match="out of scope"):
            f(tf.constant(True), tf.constant(1.0))


class TestTensorArrays:
    def test_first_write_in_a_branch(self):
        @tf.function
        def kept(x):
            found = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            for i in tf.range(5):
                if i % 2 == 0:
                    found = found.write(found.size(), tf.cast(i, tf.float32) * x)
            return found.stack()

        assert kept(tf.constant([1.0, 2.0])).numpy().tolist() == [[0, 0], [2, 4], [4, 8]]

    def test_first_write_in_cond(self):
        @tf.function
        def first(x):
            empty = tf.TensorArray(tf.float32, size=1)
            found, _ = tf.cond(x[0] > 0.0, lambda: (empty.write(0, x), 1), lambda: (empty, 2))
            return found.stack()

        assert first(tf.constant([1.0, 2.0])).numpy().tolist() == [[1, 2]]
        assert first(tf.constant([-1.0, 2.0])).numpy().tolist() == [[0, 0]]


@pytest.mark.parametrize("shape", [None, [None, None], [2, 2]])
def test_branches_whose_results_have_different_ranks(shape):
    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec(shape)])
    def f(a, b):
        chosen = tf.cond(a < 0.5, lambda: a, lambda: b)
        return (
            chosen * 2.0,
            tf.gradients(tf.reduce_sum(chosen * chosen), [a, b]),
            tf.constant(chosen.shape.rank is None),
        )

    b = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for a, expected, da, db in ((0.25, 0.5, 0.5, tf.zeros_like(b)), (1.0, 2.0 * b, 0.0, 2.0 * b)):
        result, gradients, is_unknown = f(tf.constant(a), b)
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(gradients[0], da)
        np.testing.assert_array_equal(gradients[1], db)
        assert is_unknown


def test_cases_whose_results_have_different_ranks():
    @tf.function
    def f(i, x):
        return tf.switch_case(i, [lambda: x, lambda: tf.reduce_sum(x), lambda: tf.reshape(x, [-1])])

    x = tf.ones([2, 3])
    assert [f(tf.constant(i), x).shape.as_list() for i in range(3)] == [[2, 3], [], [6]]


def test_the_graph_of_a_branch_says_that_it_is_one():
    found = []

    @tf.function
    def f(x):
        found.append((x + 1.0).graph.is_control_flow_graph)
        return tf.cond(x > 0.0, lambda: seen(x), lambda: x)

    def seen(x):
        y = x + 1.0
        found.append(y.graph.is_control_flow_graph)
        return y

    f(tf.constant(1.0))
    assert found == [False, True]


def test_gradient_of_a_loop_whose_branches_have_different_ranks():
    @tf.function
    def f(x):
        total = 0.0
        for i in tf.range(4):
            y = tf.cond(i % 2 == 0, lambda: x, lambda: tf.reduce_sum(x))
            total += tf.reduce_sum(y * y)
        return total

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = f(x)
    assert float(total) == 2 * (30 + 100)
    np.testing.assert_array_equal(tape.gradient(total, x), 4 * x + 4 * 10)
