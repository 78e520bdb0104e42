"""Control flow as functions: what runs, what is recorded, what is refused."""

import collections

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

IAE = tf.errors.InvalidArgumentError


def refused(function, text, kind):
    with pytest.raises(kind, match=text):
        function()


def gradient(function, *values):
    xs = [tf.Variable(v) for v in values]
    with tf.GradientTape() as tape:
        y = function(*xs)
    found = tape.gradient(y, xs)
    return [None if g is None else tf.convert_to_tensor(g).numpy().tolist() for g in found]


class TestCond:
    def test_runs_one_branch(self):
        ran = []
        assert tf.cond(tf.constant(True), lambda: ran.append("a") or 1, lambda: ran.append("b")) == 1
        assert ran == ["a"]
        assert tf.cond(False, lambda: 1, lambda: (2, {"x": 3})) == (2, {"x": 3})
        assert tf.cond(tf.Variable(0), lambda: 1, lambda: [2]) == [2]

    def test_gradient_flows_through_the_branch_that_ran(self):
        assert gradient(lambda x, y: tf.cond(x > 0.0, lambda: x * x, lambda: y), 3.0, 1.0) == [6.0, None]
        assert gradient(lambda x, y: tf.cond(x > 0.0, lambda: x * x, lambda: y), -3.0, 1.0) == [None, 1.0]

    def test_refuses(self):
        refused(lambda: tf.cond(True, lambda: 1), "'false_fn' argument required", TypeError)
        refused(lambda: tf.cond(True, 1, lambda: 2), "'true_fn' must be callable", TypeError)
        refused(lambda: tf.cond(tf.constant([True, False]), lambda: 1, lambda: 2), "ambiguous", ValueError)


class TestCase:
    def test_the_first_true_condition_wins(self):
        yes, no = tf.constant(True), tf.constant(False)
        assert tf.case([(no, lambda: 1), (yes, lambda: 2), (yes, lambda: 3)]) == 2
        assert tf.case([(no, lambda: 1)], default=lambda: 5) == 5
        assert tf.case(((False, lambda: 1), (True, lambda: 2))) == 2
        assert tf.case([], default=lambda: 3) == 3
        assert tf.case({no.ref(): lambda: 1, yes.ref(): lambda: 2}, exclusive=True) == 2
        assert tf.case(collections.OrderedDict([(True, lambda: 4)])) == 4

    def test_gradient(self):
        def huber(x):
            return tf.case([(abs(x) < 1.0, lambda: 0.5 * x * x)], default=lambda: abs(x) - 0.5)

        assert gradient(huber, 0.25) == [0.25]
        assert gradient(huber, -3.0) == [-1.0]

    def test_refuses(self):
        yes = tf.constant(True)
        refused(lambda: tf.case([(tf.constant(False), lambda: 1)]), "none of the conditions is true", IAE)
        refused(lambda: tf.case([(yes, lambda: 1), (yes, lambda: 2)], exclusive=True), "2 conditions are true", IAE)
        refused(lambda: tf.case(3), "must be a list, tuple, or dict", TypeError)
        refused(lambda: tf.case([(yes, 3)]), "must be callable", TypeError)
        refused(lambda: tf.case([(yes, lambda: 3)], default=3), "'default' must be callable", TypeError)
        refused(lambda: tf.case([(tf.constant(1), lambda: 3)]), "is not a condition", TypeError)
        refused(lambda: tf.case([yes, lambda: 3]), "must be a pair", TypeError)


class TestSwitchCase:
    BRANCHES = (lambda: "a", lambda: "b", lambda: "c")

    @pytest.mark.parametrize(("index", "wanted"), [(0, "a"), (1, "b"), (2, "c"), (7, "c"), (-1, "c")])
    def test_by_number(self, index, wanted):
        assert tf.switch_case(tf.constant(index), self.BRANCHES) == wanted
        assert tf.switch_case(index, list(enumerate(self.BRANCHES))) == wanted
        assert tf.switch_case(tf.constant(index, tf.int64), dict(enumerate(self.BRANCHES))) == wanted
        assert tf.switch_case(tf.Variable(index), self.BRANCHES) == wanted

    def test_default(self):
        assert tf.switch_case(tf.constant(9), self.BRANCHES, default=lambda: "d") == "d"
        assert tf.switch_case(tf.constant(-9), self.BRANCHES, default=lambda: "d") == "d"

    def test_refuses(self):
        refused(lambda: tf.switch_case(tf.constant(1.0), self.BRANCHES), "'branch_index' is", TypeError)
        refused(
            lambda: tf.switch_case(1, {0: lambda: 1, 2: lambda: 2}),
            r"must form contiguous range .* got \[0, 2\]",
            ValueError,
        )
        refused(lambda: tf.switch_case(1, {"a": lambda: 1}), "key must be a Python `int`", TypeError)
        refused(lambda: tf.switch_case(1, [1, 2]), "key must be a Python `int`", TypeError)
        refused(lambda: tf.switch_case(1, []), "is empty", ValueError)
        refused(lambda: tf.switch_case(1, 3), "must be a list, tuple, or dict", TypeError)


class TestWhileLoop:
    def test_counts(self):
        i, total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), [tf.constant(0), tf.constant(10)])
        assert (i.numpy(), total.numpy()) == (5, 20)
        (i,) = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        assert i.numpy() == 3
        assert tf.while_loop(lambda i: False, lambda i: i, (tf.Variable(7),))[0].numpy() == 7

    def test_structures(self):
        Pair = collections.namedtuple("Pair", "a b")
        i, state = tf.while_loop(
            lambda i, s: i < 3,
            lambda i, s: [i + 1, Pair(s.a * 2.0, {"x": s.b["x"] + 1})],
            (0, Pair(1.0, {"x": 5})),
        )
        assert (i.numpy(), state.a.numpy(), state.b["x"].numpy()) == (3, 8.0, 8)
        assert isinstance(state, Pair)

    def test_at_most(self):
        for most in (4, tf.constant(4)):
            i, j = tf.while_loop(lambda i, j: i < 30, lambda i, j: (i + 1, j), [0, 1], maximum_iterations=most)
            assert (i.numpy(), j.numpy()) == (4, 1)
        assert tf.while_loop(lambda i: True, lambda i: (i,), [0], maximum_iterations=-1)[0].numpy() == 0

    def test_shapes_may_change(self):
        (x,) = tf.while_loop(
            lambda x: x.shape[0] < 8,
            lambda x: (tf.concat([x, x], 0),),
            [tf.constant([1])],
            shape_invariants=[tf.TensorShape([None])],
        )
        assert x.shape == [8]

    def test_gradient_flows_through_all_steps(self):
        def power(x):
            return tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * x), [0, tf.constant(1.0)])[1]

        assert gradient(power, 2.0) == [80.0]
        check_grads(
            lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y)), [0, x])[1], [np.ones(2)]
        )

    def test_refuses(self):
        refused(lambda: tf.while_loop(3, lambda i: i, [0]), "'cond' must be callable", TypeError)
        refused(lambda: tf.while_loop(lambda i: True, 3, [0]), "'body' must be callable", TypeError)
        refused(lambda: tf.while_loop(lambda: True, lambda: (), []), "'loop_vars' is", ValueError)
        refused(
            lambda: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]),
            "same nested structure.*same number of elements",
            ValueError,
        )
        refused(
            lambda: tf.while_loop(lambda i: i < 3, lambda i: i, [0], parallel_iterations=0), "positive int", TypeError
        )
        refused(
            lambda: tf.while_loop(lambda i: i < 3, lambda i: i, [0], maximum_iterations=[1, 2]), "single", ValueError
        )


class TestMapFn:
    def test_rows(self):
        x = tf.constant([[1, 2], [3, 4], [5, 6]])
        assert tf.map_fn(lambda row: row * 10, x).numpy().tolist() == [[10, 20], [30, 40], [50, 60]]
        assert tf.map_fn(tf.reduce_sum, x).numpy().tolist() == [3, 7, 11]
        assert tf.map_fn(lambda row: 1, tf.constant([1.0, 2.0])).dtype is tf.float32

    def test_structures(self):
        x, y = tf.constant([1.0, 2.0]), np.array([3.0, 4.0], np.float32)
        assert tf.map_fn(lambda p: p[0] * p[1], (x, y), fn_output_signature=tf.float32).numpy().tolist() == [3, 8]
        both = tf.map_fn(lambda d: {"a": d["b"], "b": d["a"]}, {"a": x, "b": y})
        assert both["a"].numpy().tolist() == [3.0, 4.0]
        signature = {"n": tf.int32, "m": (tf.TensorSpec([2], tf.float32),)}
        found = tf.map_fn(lambda v: {"n": tf.cast(v, tf.int32), "m": (tf.stack([v, v]),)}, x, dtype=signature)
        assert found["n"].numpy().tolist() == [1, 2]
        assert found["m"][0].shape == [2, 2]

    def test_no_rows(self):
        nothing = tf.zeros([0, 3])
        assert tf.map_fn(lambda v: v, nothing).shape == [0, 3]
        pair = tf.map_fn(lambda v: {"a": tf.stack([v, v]), "b": 1}, nothing, {"a": tf.float32, "b": tf.int32})
        assert {k: (t.shape.as_list(), t.dtype) for k, t in pair.items()} == {
            "a": ([0, 2, 3], tf.float32),
            "b": ([0], tf.int32),
        }
        assert tf.map_fn(lambda v: float(v.numpy().sum()), nothing, tf.float32).shape == [0]
        found = tf.map_fn(lambda v: v, nothing, fn_output_signature=tf.TensorSpec([5], tf.int32))
        assert (found.shape, found.dtype) == ([0, 5], tf.int32)

    def test_gradient_without_rows(self):
        x, w = tf.Variable(tf.zeros([0, 3])), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.map_fn(lambda v: w * v[:2], x)
        dx, dw = tape.gradient(y, [x, w])
        assert (dx.shape, float(dw)) == ([0, 3], 0.0)
        assert tf.vectorized_map(lambda rows: tf.map_fn(tf.sin, rows), tf.zeros([4, 0, 2])).shape == [4, 0, 2]

    def test_gradient(self):
        assert gradient(lambda x, w: tf.map_fn(lambda v: v * v * w, x), [1.0, 2.0], 3.0) == [[6.0, 12.0], 5.0]
        check_grads(lambda x: tf.map_fn(tf.sin, x), [np.arange(4.0).reshape(2, 2)])

    def test_in_a_map(self):
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        found = tf.vectorized_map(lambda row: tf.map_fn(lambda v: v * v, row), x)
        assert found.numpy().tolist() == [[1.0, 4.0], [9.0, 16.0]]

    def test_refuses(self):
        x = tf.constant([1.0, 2.0])
        refused(lambda: tf.map_fn(lambda v: v, [1, 2]), "must be 1\\+ dimensional Tensors, not scalars", ValueError)
        refused(lambda: tf.map_fn(lambda v: v, []), "got none", ValueError)
        refused(lambda: tf.map_fn(3, x), "not callable", TypeError)
        refused(
            lambda: tf.map_fn(lambda v: v[0], (x, tf.ones([3])), dtype=tf.float32), "dimensions .* differ", ValueError
        )
        refused(lambda: tf.map_fn(lambda v: tf.cast(v, tf.int32), x), "where float32 is expected", IAE)
        refused(lambda: tf.map_fn(lambda v: (v, v), x), "same nested structure", ValueError)
        refused(lambda: tf.map_fn(tf.range, tf.constant([1, 2])), "for row 0 and .* for row 1", ValueError)
        wrong = tf.TensorSpec([3])
        refused(lambda: tf.map_fn(lambda v: v, x, fn_output_signature=wrong), r"\(3,\) is expected", ValueError)
        refused(lambda: tf.map_fn(lambda v: None, x), "None", ValueError)


class TestScan:
    def test_sums(self):
        x = tf.constant([1, 2, 3])
        assert tf.scan(lambda a, v: a + v, x).numpy().tolist() == [1, 3, 6]
        assert tf.scan(lambda a, v: a + v, x, initializer=10).numpy().tolist() == [11, 13, 16]
        assert tf.scan(lambda a, v: a + v, x, reverse=True).numpy().tolist() == [6, 5, 3]
        assert tf.scan(lambda a, v: a * 2 + v, x, initializer=tf.constant([0, 1]), reverse=True).shape == [3, 2]

    def test_structures(self):
        x = tf.constant([1, 2, 3])
        a, b = tf.scan(lambda s, v: (s[0] + v, s[1] * v), x, initializer=(0, 1))
        assert (a.numpy().tolist(), b.numpy().tolist()) == ([1, 3, 6], [1, 2, 6])
        a, b = tf.scan(lambda s, v: (s[0] + v[0], s[1] * v[1]), (x, x))
        assert (a.numpy().tolist(), b.numpy().tolist()) == ([1, 3, 6], [1, 2, 6])

    def test_no_rows(self):
        assert tf.scan(lambda a, v: a, tf.zeros([0]), initializer=tf.ones([2])).shape == [0, 2]
        refused(lambda: tf.scan(lambda a, v: a, tf.zeros([0])), "no rows", tf.errors.OutOfRangeError)

    def test_gradient(self):
        for reverse in (False, True):
            check_grads(
                lambda x, s, r=reverse: tf.scan(lambda a, v: tf.sin(a) * v, x, s, reverse=r), [np.ones(3) + 1.0, 0.5]
            )
        check_grads(lambda x: tf.scan(lambda a, v: a * v, x), [np.arange(1.0, 4.0)])

    def test_refuses(self):
        x = tf.constant([1.0, 2.0])
        refused(lambda: tf.scan(lambda a, v: tf.cast(a, tf.float64), x), "float32 is expected", IAE)
        refused(lambda: tf.scan(lambda a, v: tf.stack([a, v]), x), "shape", ValueError)
        refused(lambda: tf.scan(lambda a, v: (a, v), x), "same nested structure", ValueError)
        refused(lambda: tf.scan(3, x), "not callable", TypeError)


class TestFold:
    def test_left_and_right(self):
        x = tf.constant([1, 2, 3])
        assert tf.foldl(lambda a, v: a * 10 + v, x).numpy() == 123
        assert tf.foldr(lambda a, v: a * 10 + v, x).numpy() == 321
        assert tf.foldl(lambda a, v: a * 10 + v, x, initializer=9).numpy() == 9123
        assert tf.foldl(lambda a, p: a + p[0] * p[1], (x, x), initializer=0).numpy() == 14
        found = tf.foldr(lambda a, v: (a[0] + v, v), x, initializer=(0, 0))
        assert [t.numpy() for t in found] == [6, 1]
        assert tf.foldl(lambda a, v: a, tf.zeros([0]), initializer=5.0).numpy() == 5.0
        refused(lambda: tf.foldl(lambda a, v: a, tf.zeros([0])), "no rows", tf.errors.OutOfRangeError)
        refused(
            lambda: tf.foldr(lambda a, v: a, tf.constant(1)),
            "must be 1\\+ dimensional Tensors, not scalars",
            ValueError,
        )

    def test_shapes_may_change(self):
        grown = tf.foldl(lambda a, v: tf.concat([a, [v]], 0), tf.constant([1, 2]), initializer=tf.constant([0]))
        assert grown.numpy().tolist() == [0, 1, 2]

    def test_gradient(self):
        assert gradient(lambda x: tf.foldl(lambda a, v: a * v, x), [2.0, 3.0, 4.0]) == [[12.0, 8.0, 6.0]]
        check_grads(lambda x: tf.foldr(lambda a, v: a * v, x), [np.arange(1.0, 4.0)])


def test_what_has_run_already():
    assert tf.group(tf.constant(1), tf.constant(2), name="g") is None
    assert tf.no_op() is None
    values = [tf.constant(1), None]
    assert tf.tuple(values, control_inputs=[tf.constant(3)]) is values


def test_examples_of_a_map_choose_each_for_itself():
    y = tf.vectorized_map(lambda x: tf.cond(x > 0.0, lambda: x, lambda: -x), tf.constant([1.0, -2.0]))
    assert y.numpy().tolist() == [1.0, 2.0]


def test_branches_are_traced_in_the_order_in_which_they_are_given():
    order: list[str] = []

    @tf.function
    def functions(p):
        return tf.cond(p, lambda: order.append("true") or 1, lambda: order.append("false") or 2)

    @tf.function
    def statements(p):
        if p:
            order.append("if")
            y = tf.constant(1)
        else:
            order.append("else")
            y = tf.constant(2)
        return y if p else -y

    assert functions(tf.constant(False)).numpy() == 2
    assert statements(tf.constant(False)).numpy() == -2
    assert order == ["true", "false", "if", "else"]
