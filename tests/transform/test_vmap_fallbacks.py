"""vectorized_map where not everything can run on all examples at once: blocks and functions that need values, and draws."""

from functools import partial

import numpy as np
import pytest

import gradtape as tf

XS = [1.0, 2.0, 3.0]


def positive_part(x):
    v = x * tf.constant([1.0, -1.0, 0.5])
    return tf.reduce_sum(tf.boolean_mask(v, v > 0))


def doubled(x):
    return tf.ensure_shape(tf.numpy_function(lambda v: v * 2, [x], tf.float32), [])


def in_a_loop(op):
    return lambda x: tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s + op(x)), (0, 0.0))[1]


def in_a_loop_of_examples(op):
    return lambda x: tf.while_loop(lambda i, s: tf.cast(i, tf.float32) < x, lambda i, s: (i + 1, s + op(x)), (0, 0.0))[
        1
    ]


def in_a_branch(op):
    return lambda x: tf.cond(x > 1.5, lambda: op(x), lambda: x)


def in_a_function(op):
    return tf.function(op)


def in_a_map(op):
    return lambda x: tf.reduce_sum(tf.map_fn(op, tf.stack([x, x])))


WAYS = [in_a_loop, in_a_loop_of_examples, in_a_branch, in_a_function, in_a_map]


@pytest.mark.parametrize(("op", "factor"), [(positive_part, 1.5), (doubled, 2.0)])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", ["eager", "traced", "any size"])
def test_ops_that_need_values_run_in_blocks_of_examples(op, factor, way, how):
    x = np.array(XS, np.float32)
    times = {in_a_loop: 2.0, in_a_loop_of_examples: x, in_a_branch: 1.0, in_a_function: 1.0, in_a_map: 2.0}[way]
    expected = x * factor * times
    if way is in_a_branch:
        expected[0] = x[0]
    f = way(op)
    program = lambda xs: tf.vectorized_map(f, xs, warn=False)  # noqa: E731
    if how == "traced":
        program = tf.function(program)
    elif how == "any size":
        program = tf.function(program, input_signature=[tf.TensorSpec([None])])
    np.testing.assert_allclose(program(tf.constant(XS)), expected, rtol=1e-6)


@pytest.mark.parametrize("op", [positive_part, in_a_loop(positive_part)])
def test_their_gradients(op):
    xs = tf.constant(XS)
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.function(lambda v: tf.vectorized_map(op, v, warn=False))(xs)
    once = op is positive_part
    np.testing.assert_allclose(tape.gradient(y, xs), [1.5 if once else 3.0] * 3, rtol=1e-6)


@pytest.mark.parametrize(
    "op", [lambda x: tf.unique(tf.stack([x, x, 0.0]))[0], lambda x: tf.where(tf.stack([x, 0.0]) > 0)]
)
def test_ops_without_a_rule_on_any_number_of_examples(op):
    f = tf.function(lambda xs: tf.vectorized_map(op, xs), input_signature=[tf.TensorSpec([None])])
    np.testing.assert_array_equal(f(tf.constant(XS)), [op(tf.constant(x)) for x in XS])


@pytest.mark.parametrize("way", [in_a_loop, in_a_branch, in_a_function])
@pytest.mark.parametrize("traced", [False, True])
def test_draws_in_blocks_and_functions_differ_from_example_to_example(way, traced):
    f = way(lambda x: x * 0.0 + tf.random.normal([]))
    program = lambda xs: tf.vectorized_map(f, xs, warn=False)  # noqa: E731
    found = (tf.function(program) if traced else program)(tf.constant([2.0, 2.0, 2.0]))
    assert len(set(found.numpy().tolist())) == 3


@pytest.mark.parametrize("traced", [False, True])
def test_draws_of_functions_that_were_traced_before(traced):
    generator = tf.random.Generator.from_seed(1)
    noise = tf.function(lambda: tf.random.normal([]) + generator.normal([]))
    of_x = tf.function(lambda x: x * 0.0 + generator.normal([]))
    noise(), of_x(tf.constant(1.0))
    for f in (lambda x: x * 0.0 + noise(), of_x):
        program = partial(tf.vectorized_map, f, warn=False)
        found = (tf.function(program) if traced else program)(tf.constant([2.0, 2.0, 2.0]))
        assert len(set(found.numpy().tolist())) == 3
    assert len({float(noise()) for _ in range(3)}) == 3  # and outside of maps they go on


@pytest.mark.parametrize("shapes", [([1], []), ([1], [2]), ([1, 2], [2])])
@pytest.mark.parametrize("traced", [False, True])
def test_branches_of_examples_return_equal_shapes(shapes, traced):
    a, b = shapes
    f = lambda xs: tf.vectorized_map(lambda x: tf.cond(x > 1.0, lambda: x * tf.ones(a), lambda: x * tf.ones(b)), xs)  # noqa: E731
    with pytest.raises(ValueError, match="branches return different shapes"):
        (tf.function(f) if traced else f)(tf.constant(XS))


class Masked(tf.experimental.BatchableExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


@pytest.mark.parametrize("traced", [False, True])
def test_extension_types_are_stacked(traced):
    def f(xs):
        return tf.vectorized_map(lambda x: {"a": Masked(x, x > 1.0), "b": x, "c": Masked([1.0], [True])}, xs)

    found = (tf.function(f) if traced else f)(tf.constant(XS))
    np.testing.assert_array_equal(found["a"].values, XS)
    np.testing.assert_array_equal(found["a"].mask, [False, True, True])
    np.testing.assert_array_equal(found["c"].values, [[1.0]] * 3)


def test_extension_types_of_examples_that_run_one_by_one():
    f = lambda x: Masked(x, x > 1.0) if x > 1.0 else Masked(-x, x > 1.0)  # noqa: E731
    found = tf.vectorized_map(f, tf.constant(XS), warn=False)
    np.testing.assert_array_equal(found.values, [-1.0, 2.0, 3.0])


def test_sparse_results_are_stacked():
    x = tf.constant([[1, 2], [3, 4]])
    found = tf.vectorized_map(tf.sparse.from_dense, x, warn=False)
    np.testing.assert_array_equal(tf.sparse.to_dense(found), x)


@pytest.mark.parametrize("traced", [False, True])
def test_rows_of_ragged_tensors(traced):
    def f(x, factors):
        return tf.vectorized_map(lambda e: (tf.reduce_sum(e[0]) * e[1], e[0] * 2), (x, factors))

    x = tf.ragged.constant([[[1, 2, 3], [4]], [[7, 8], [10, 11], [12]]])
    sums, doubled = (tf.function(f) if traced else f)(x, tf.constant([10, 20]))
    np.testing.assert_array_equal(sums, [100, 960])
    assert doubled.to_list() == [[[2, 4, 6], [8]], [[14, 16], [20, 22], [24]]]
    with pytest.raises(ValueError, match="not vectorized"):
        tf.vectorized_map(tf.reduce_sum, x, fallback_to_while_loop=False)


@pytest.mark.filterwarnings("ignore:vectorized_map")
def test_draws_of_a_generator_with_a_variable_of_the_program():
    """Whoever draws is known by what it does, in branches too, and not by the name of the state."""
    generator = tf.random.Generator.from_state(tf.Variable([1, 2, 3], dtype=tf.int64, name="own"), alg="philox")
    plain = tf.function(lambda x: x + generator.uniform([]))
    branch = tf.function(lambda x: tf.cond(x >= 0.0, lambda: x + generator.uniform([]), lambda: x))
    for f in (plain, branch):
        f(tf.constant(0.0))  # traced before the map
        assert len(set(tf.vectorized_map(f, tf.zeros([4])).numpy().tolist())) == 4


@pytest.mark.filterwarnings("ignore:vectorized_map")
@pytest.mark.parametrize("size", [(), (100_000,)], ids=["small", "large"])
def test_assignments_before_the_fallback_are_taken_back(size):
    counter = tf.Variable(tf.zeros(size))

    def count(i):
        counter.assign_add(tf.ones(size))
        return tf.constant(1.0) if i > 0 else tf.constant(2.0)

    assert tf.vectorized_map(count, tf.range(3)).numpy().tolist() == [2.0, 1.0, 1.0]
    assert (counter.numpy() == 3.0).all()
    counted = tf.function(lambda: (tf.vectorized_map(count, tf.range(2)), counter.read_value())[1])
    assert (counted().numpy() == 5.0).all()
    assert (counter.numpy() == 5.0).all()


@pytest.mark.filterwarnings("ignore:vectorized_map")
def test_a_loop_that_no_example_or_some_enter_has_one_structure():
    def loop(i):
        return tf.while_loop(lambda j, x: j < i, lambda j, x: (j + 1, x + tf.cast(j, tf.float32)), [0, 0.0])

    found = tf.vectorized_map(loop, tf.range(3))
    assert [x.numpy().tolist() for x in found] == [[0, 1, 2], [0.0, 0.0, 1.0]]
