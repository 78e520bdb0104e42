"""vectorized_map: equal to a loop over the examples, whatever is around it and inside it."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import state
from gradtape.core.op import REGISTRY, NotDifferentiable, Op, Unsupported, declare
from gradtape.testing import check_grads
from gradtape.transform.batched import Batched, NeedsValueError
from gradtape.transform.vectorized_map import independent

W = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
TABLE = np.arange(12.0).reshape(4, 3)
XS = np.array([[0.3, -1.2], [0.7, 0.1], [-0.4, 0.9], [1.1, -0.6]])

FUNCTIONS = {
    "arithmetic": lambda x: 3.0 * x - x * x + 1.0 / (x + 4.0),
    "reversed operators": lambda x: 1.0 - 2.0 / (3.0 + x),
    "elementwise": lambda x: tf.exp(tf.sin(x)) + tf.tanh(x),
    "broadcasting": lambda x: x * tf.constant(W.T) + x[0],
    "reduction": lambda x: tf.reduce_sum(x * x, axis=0),
    "mean and keepdims": lambda x: x - tf.reduce_mean(x, axis=-1, keepdims=True),
    "matmul": lambda x: tf.matmul(tf.reshape(x, [1, 2]), tf.constant(W)),
    "matmul operator": lambda x: tf.constant(W.T) @ tf.reshape(x, [2, 1]),
    "outer product": lambda x: tf.reshape(x, [2, 1]) * tf.reshape(x, [1, 2]),
    "softmax": lambda x: tf.nn.softmax(x),
    "gather": lambda x: tf.gather(x, [1, 0, 1]),
    "concat": lambda x: tf.concat([x, tf.constant([1.0], tf.float64), x * 2.0], axis=0),
    "stack": lambda x: tf.stack([x, -x, tf.constant([1.0, 2.0], tf.float64)], axis=1),
    "where": lambda x: tf.where(x > 0.0, x * x, -x),
    "slicing": lambda x: x[::-1] + x[1:],
    "transpose": lambda x: tf.transpose(tf.reshape(x, [2, 1]) * tf.constant(W)),
    "maximum of a number": lambda x: tf.maximum(x, 0.0) + tf.minimum(0.5, x),
    "numpy functions": lambda x: np.sin(x) + np.ones(2) * x + np.float64(2.0) * x,
    "a list of scalars": lambda x: tf.stack([x[1], x[0] * x[1]]),
    "iteration": lambda x: sum(2.0 * part for part in x),
}


def looped(f, xs):
    return np.stack([tf.convert_to_tensor(f(tf.constant(x))).numpy() for x in xs])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_equals_a_loop(name):
    f = FUNCTIONS[name]
    found = tf.vectorized_map(f, tf.constant(XS), fallback_to_while_loop=False)
    want = looped(f, XS)
    assert found.dtype == tf.float64
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-13)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_a_map(name):
    check_grads(lambda xs: tf.vectorized_map(FUNCTIONS[name], xs, fallback_to_while_loop=False), (XS,))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_inside_a_map(name):
    f = FUNCTIONS[name]

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    found = tf.vectorized_map(gradient, tf.constant(XS), fallback_to_while_loop=False)
    np.testing.assert_allclose(found.numpy(), looped(gradient, XS), rtol=1e-13)


def test_structures_in_and_out():
    elems = {"b": tf.constant([1.0, 2.0]), "a": (tf.constant([[1.0], [2.0]]), tf.constant([3, 4]))}
    found = tf.vectorized_map(lambda e: [e["b"] * 2.0, {"k": (e["a"][0], e["a"][1] + 1)}], elems)
    assert found[0].numpy().tolist() == [2.0, 4.0]
    assert found[1]["k"][0].numpy().tolist() == [[1.0], [2.0]]
    assert found[1]["k"][1].numpy().tolist() == [4, 5]
    assert found[1]["k"][1].dtype == tf.int32


def test_a_first_axis_of_length_one_is_repeated():
    found = tf.vectorized_map(lambda e: e[0] + e[1], (tf.constant([[10.0, 20.0]]), tf.constant([[1.0, 2.0]] * 3)))
    assert found.numpy().tolist() == [[11.0, 22.0]] * 3


def test_one_example():
    assert tf.vectorized_map(lambda x: x * 2.0, tf.constant([[1.0, 2.0]])).numpy().tolist() == [[2.0, 4.0]]


def test_no_examples():
    found = tf.vectorized_map(lambda x: tf.reduce_sum(x * 2.0), tf.zeros([0, 3]))
    assert found.shape == (0,)


def test_different_first_dimensions_are_refused_with_the_shapes():
    with pytest.raises(ValueError, match=r"f32\[2\], f32\[3,4\]") as caught:
        tf.vectorized_map(lambda e: e[0], (tf.ones([2]), tf.ones([3, 4])))
    assert isinstance(caught.value, tf.errors.InvalidArgumentError)


def test_scalars_and_nothing_are_refused():
    with pytest.raises(ValueError, match="scalar"):
        tf.vectorized_map(lambda x: x, tf.constant(1.0))
    with pytest.raises(ValueError, match="empty"):
        tf.vectorized_map(lambda x: x, [])


def test_results_that_do_not_depend_on_the_example_are_repeated():
    v = tf.Variable([5.0])
    found = tf.vectorized_map(lambda x: (3.0, None, tf.constant([1, 2]), v, np.float64(2.0)), tf.ones([3]))
    assert found[0].numpy().tolist() == [3.0] * 3
    assert found[1] is None
    assert found[2].numpy().tolist() == [[1, 2]] * 3
    assert found[3].numpy().tolist() == [[5.0]] * 3
    assert found[4].dtype == tf.float64


def test_arrays_and_variables_as_examples():
    assert tf.vectorized_map(lambda x: x * 2.0, np.ones([3])).dtype == tf.float64
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda x: x * x, v)
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]


def test_an_example_looks_like_a_tensor_of_its_shape():
    seen = []

    def f(x):
        seen.append((x.shape, x.dtype, x.ndim, len(x), repr(x), x.device, isinstance(x, tf.Tensor)))
        return x

    tf.vectorized_map(f, tf.ones([5, 2, 3]))
    shape, dtype, rank, length, text, device, is_tensor = seen[0]
    assert (shape, dtype, rank, length, is_tensor) == (tf.TensorShape([2, 3]), tf.float32, 2, 2, True)
    assert text == "<tf.Tensor: shape=(2, 3), dtype=float32, one of 5 examples>"
    assert device.endswith("CPU:0")


def test_fn_runs_once():
    calls = []
    tf.vectorized_map(lambda x: calls.append(x) or x, tf.ones([7]))
    assert len(calls) == 1


# Tapes


def test_variables_get_the_summed_gradient_outside_and_their_own_inside():
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float64)

    def f(x):
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.tanh(tf.matmul(tf.reshape(x, [1, 2]), w)))
        return y, inner.gradient(y, w)

    with tf.GradientTape() as outer:
        y, per_example = tf.vectorized_map(f, tf.constant(XS))
    assert per_example.shape == (4, 2, 2)
    np.testing.assert_allclose(per_example.numpy().sum(0), outer.gradient(y, w).numpy(), rtol=1e-13)


def test_a_tape_inside_and_one_outside():
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x * x)
        return tape.gradient(y, x)

    xs = tf.constant(XS)
    with tf.GradientTape() as outer:
        outer.watch(xs)
        d = tf.vectorized_map(derivative, xs)
    np.testing.assert_allclose(outer.gradient(d, xs).numpy(), 6 * XS, rtol=1e-13)


def test_second_derivatives_inside():
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.sin(x)
            d = inner.gradient(y, x)
        return outer.gradient(d, x)

    np.testing.assert_allclose(tf.vectorized_map(f, tf.constant(XS)).numpy(), -np.sin(XS), rtol=1e-13)


def test_jacobian_inside():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(x) * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    found = tf.vectorized_map(f, tf.constant(XS), fallback_to_while_loop=False)
    np.testing.assert_allclose(found.numpy(), looped(f, XS), rtol=1e-13)


def test_gradient_of_a_recording_from_outside_for_many_cotangents():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * tf.constant([[1.0], [2.0], [3.0]])
    rows = tf.vectorized_map(lambda g: tape.gradient(y, x, output_gradients=g), tf.reshape(tf.eye(6), [6, 3, 2]))
    np.testing.assert_allclose(rows.numpy(), tape.jacobian(y, x).numpy().reshape(6, 2))


def test_a_tape_entered_outside_does_not_see_examples():
    with tf.GradientTape() as tape:
        kept = []
        tf.vectorized_map(lambda x: kept.append(x) or x * 2.0, tf.ones([3]))
    assert tape.gradient(tf.constant(1.0), kept[0]) is None


def test_gathered_rows_are_whole_tensors_in_the_result():
    table = tf.Variable(TABLE)

    def gradient(i):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, i) ** 2)
        return tape.gradient(y, table)

    found = tf.vectorized_map(gradient, tf.constant([[0, 2], [3, 3]]), fallback_to_while_loop=False).numpy()
    assert found.shape == (2, 4, 3)
    np.testing.assert_allclose(found[0], 2 * TABLE * np.array([[1], [0], [1], [0]]))
    np.testing.assert_allclose(found[1], 2 * TABLE * np.array([[0], [0], [0], [2]]))


def test_stop_gradient_and_unconnected_sources_inside():
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * tf.stop_gradient(x)
            z = tf.constant(1.0)
        return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, x, unconnected_gradients="zero")

    stopped, none, zero = tf.vectorized_map(f, tf.constant([2.0, 3.0]))
    assert stopped.numpy().tolist() == [2.0, 3.0]
    assert none is None
    assert zero.numpy().tolist() == [0.0, 0.0]


def test_custom_gradients_inside_and_outside():
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0 * x

    def inner(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    xs = tf.constant([1.0, 2.0])
    assert tf.vectorized_map(inner, xs).numpy().tolist() == [100.0, 200.0]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.vectorized_map(f, xs)
    assert y.numpy().tolist() == [1.0, 4.0]
    assert tape.gradient(y, xs).numpy().tolist() == [100.0, 200.0]


def test_jacobian_of_a_map_with_custom_gradients():
    calls = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            calls.append(dy)
            return dy * 10.0 * x * x

        return x * x, grad

    xs = tf.constant(XS)
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = tf.vectorized_map(f, xs)
        j = tape.jacobian(y, xs)
    want = np.diag(10.0 * XS.ravel() ** 2).reshape(4, 2, 4, 2)
    np.testing.assert_allclose(j.numpy(), want)
    assert len(calls) == 1
    np.testing.assert_allclose(outer.gradient(j, xs).numpy(), 20.0 * XS)


def test_recomputed_functions_inside():
    @tf.recompute_grad
    def f(x):
        return tf.sin(x) * x

    check_grads(lambda xs: tf.vectorized_map(f, xs, fallback_to_while_loop=False), (XS,))


def test_forward_mode_inside_and_outside():
    def tangent(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.sin(x) * x
        return acc.jvp(y)

    want = np.cos(XS) * XS + np.sin(XS)
    found = tf.vectorized_map(tangent, tf.constant(XS), fallback_to_while_loop=False)
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-13)
    xs = tf.constant(XS)
    with tf.autodiff.ForwardAccumulator(xs, tf.ones_like(xs)) as acc:
        y = tf.vectorized_map(lambda x: tf.sin(x) * x, xs)
    np.testing.assert_allclose(acc.jvp(y).numpy(), want, rtol=1e-13)


# Nesting


def test_nested_maps_make_a_table():
    xs, ys = tf.constant([1.0, 2.0, 3.0]), tf.constant([10.0, 20.0])
    found = tf.vectorized_map(lambda x: tf.vectorized_map(lambda y: x + y * y, ys), xs)
    np.testing.assert_allclose(found.numpy(), np.add.outer([1.0, 2.0, 3.0], [100.0, 400.0]))


def test_three_levels_with_rows_of_the_outer_example():
    xs = np.random.default_rng(0).normal(size=(2, 3, 4, 5))

    def inner(row):
        return tf.vectorized_map(lambda x: tf.reduce_sum(x) + tf.reduce_sum(row), row)

    found = tf.vectorized_map(lambda a: tf.vectorized_map(inner, a), tf.constant(xs), fallback_to_while_loop=False)
    np.testing.assert_allclose(found.numpy(), xs.sum(-1) + xs.sum((-2, -1))[..., None], rtol=1e-12)


def test_tapes_between_levels():
    """d/dx of sum_y f(x, y) where the sum is over an inner map, for each x of an outer map, then d/dxs of that."""
    ys = tf.constant([1.0, 2.0], tf.float64)

    def middle(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.reduce_sum(tf.vectorized_map(lambda y: x * x * x * y, ys))
        return tape.gradient(z, x)

    xs = tf.constant([1.0, -2.0, 3.0], tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(xs)
        d = tf.vectorized_map(middle, xs, fallback_to_while_loop=False)
    np.testing.assert_allclose(d.numpy(), 9.0 * xs.numpy() ** 2)
    np.testing.assert_allclose(outer.gradient(d, xs).numpy(), 18.0 * xs.numpy())


def test_threads_do_not_meet():
    results = {}

    def work(k):
        for _ in range(20):
            xs = tf.constant([1.0, 2.0, 3.0]) * float(k)
            results[k] = tf.vectorized_map(lambda x: tf.vectorized_map(lambda y: y * k, tf.stack([x, x])), xs)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, found in results.items():
        assert found.numpy().tolist() == [[x * k * k] * 2 for x in (1.0, 2.0, 3.0)]


# Values in Python


def absolute(x):
    if x > 0.0:
        return x
    return -x


def test_control_flow_runs_the_examples_one_by_one_with_a_warning():
    with pytest.warns(UserWarning, match="one by one") as caught:
        found = tf.vectorized_map(absolute, tf.constant([1.0, -2.0, 3.0]))
    assert found.numpy().tolist() == [1.0, 2.0, 3.0]
    assert len(caught) == 1
    assert "if x > 0.0:" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_the_loop_is_differentiated_too():
    xs = tf.constant([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.vectorized_map(lambda x: absolute(x) * x, xs, warn=False)
    assert tape.gradient(y, xs).numpy().tolist() == [2.0, 4.0, 6.0]


def test_the_loop_keeps_structures_and_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tf.vectorized_map(
            lambda e: {"a": float(e[0]) + e[1], "n": None}, (tf.ones([2]), tf.ones([1])), warn=False
        )
    assert found["a"].numpy().tolist() == [2.0, 2.0]
    assert found["n"] is None


@pytest.mark.parametrize(
    "use",
    [
        bool,
        float,
        int,
        complex,
        lambda x: x.numpy(),
        np.asarray,
        lambda x: [1, 2, 3][x],
        lambda x: round(x),
        lambda x: f"{x:.2f}",
        lambda x: tf.Variable(x),
        lambda x: memoryview(np.array(x)),
    ],
)
def test_asking_for_a_value_is_an_error_without_the_loop(use):
    with pytest.raises(TypeError, match="needs the value") as caught:
        tf.vectorized_map(use, tf.constant([1, 2]), fallback_to_while_loop=False)
    assert isinstance(caught.value, NeedsValueError)
    assert isinstance(caught.value, tf.errors.OperatorNotAllowedInGraphError)
    assert "i32[]" in str(caught.value)
    assert "test_vmap.py" in str(caught.value)


def test_assigning_an_example_runs_the_loop():
    v = tf.Variable(0.0)
    tf.vectorized_map(lambda x: v.assign_add(x) * 1.0, tf.constant([1.0, 2.0, 3.0]), warn=False)
    assert v.numpy() == 6.0


def test_a_value_of_the_outer_example_runs_the_outer_loop_only():
    inner_calls = []

    def outer(x):
        def inner(y):
            inner_calls.append(y)
            return y * (2.0 if x > 0.0 else 1.0)

        return tf.vectorized_map(inner, tf.ones([5]))

    found = tf.vectorized_map(outer, tf.constant([1.0, -1.0]), warn=False)
    assert found.numpy()[:, 0].tolist() == [2.0, 1.0]
    assert len(inner_calls) == 3  # the failed attempt, then once for each outer example


def test_state_is_restored_after_an_error():
    def fail(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tf.vectorized_map(fail, tf.ones([2]))
    assert state.current.depth == 0
    assert state.current.recorders == ()


# Errors and ops


def test_errors_speak_of_one_example():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"f32\[2\].*f32\[3\]"):
        tf.vectorized_map(lambda x: x[0] + x[1], (tf.ones([4, 2]), tf.ones([4, 3])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype"):
        tf.vectorized_map(lambda x: x[0] + x[1], (tf.ones([4, 2]), tf.ones([4, 2], tf.int32)))


def test_an_example_never_broadcasts_against_the_batch():
    """Four examples of shape [3] beside a constant of shape [4, 1]: the result has shape [4, 3] for each example."""
    xs = np.random.default_rng(1).normal(size=(4, 3))
    found = tf.vectorized_map(lambda x: x + tf.constant(np.arange(4.0)[:, None]), tf.constant(xs))
    np.testing.assert_allclose(found.numpy(), xs[:, None, :] + np.arange(4.0)[:, None])


@pytest.fixture
def stubborn():
    @declare("stubborn_test_op")
    class Stubborn(Op):
        vjp = NotDifferentiable("a test")
        batch = Unsupported("a test")
        lower = Unsupported("a test")

        def infer(self, x):
            return x

        def kernel(self, x):
            assert x.ndim == 1
            return np.sort(x)

    yield Stubborn
    del REGISTRY["stubborn_test_op"]


def test_an_op_without_a_batch_rule_runs_on_each_example(stubborn):
    assert tf.vectorized_map(stubborn, tf.constant([[2.0, 1.0], [3.0, 4.0]])).numpy().tolist() == [
        [1.0, 2.0],
        [3.0, 4.0],
    ]


def test_draws_differ_from_example_to_example():
    count = iter(range(100))

    def draw(shape):
        return tf.constant([float(next(count)) for _ in range(int(np.prod(shape)))], shape=shape)

    found = tf.vectorized_map(lambda x: x + independent(draw, (2,)), tf.zeros([3]))
    assert found.numpy().tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    nested = tf.vectorized_map(
        lambda x: tf.vectorized_map(lambda y: x + y + independent(draw, ()), tf.zeros([2])), tf.zeros([2])
    )
    assert nested.numpy().tolist() == [[6.0, 7.0], [8.0, 9.0]]
    assert independent(draw, (1,)).numpy().tolist() == [10.0]


def test_random_numbers_inside_a_map_are_not_repeated():
    found = tf.vectorized_map(lambda x: x + tf.random.normal([2]), tf.zeros([3])).numpy()
    assert len(set(found.ravel().tolist())) == 6


def test_batched_values_of_arrays_stay_with_arrays():
    """In a backward pass that nobody records: rules use operators between batched cotangents and plain residuals."""
    from gradtape.transform.batched import batched

    value = np.arange(6.0).reshape(3, 2)
    dy, residual = batched(value, 1), np.array([2.0, 3.0])
    for found, want in [
        (dy * residual, value * residual),
        (residual * dy, value * residual),
        (np.float64(2.0) - dy, 2.0 - value),
        (dy / 2.0, value / 2.0),
        (2.0**dy, 2.0**value),
        (dy + dy, value + value),
        (residual > dy, residual > value),
        (-dy, -value),
        (dy * residual[:, None], value[:, None, :] * residual[:, None]),
        (residual[:, None] * dy, value[:, None, :] * residual[:, None]),
        (batched(value[:, None], 1) @ np.eye(2), value[:, None]),
        (np.eye(2) @ batched(value[:, :, None], 1), value[:, :, None]),
        (dy * batched(np.array([1.0, 2.0, 3.0]), 1), value * np.array([[1.0], [2.0], [3.0]])),
    ]:
        assert type(found) is Batched
        assert type(found.value) is np.ndarray
        np.testing.assert_array_equal(found.value, want)


def test_a_list_that_holds_an_example():
    result = tf.vectorized_map(lambda x: tf.exp([x, 0.0 * x]), tf.constant([0.0, 1.0]))
    np.testing.assert_allclose(result.numpy(), [[1.0, 1.0], [np.e, 1.0]], rtol=1e-6)


def test_a_tape_that_is_entered_again_in_a_map_sees_the_examples():
    with tf.GradientTape(persistent=True) as tape:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        tape.watch(x)

    def gradient(i):
        with tape:
            row = tf.gather(x, i)
            loss = tf.reduce_sum(row**3)
        return tape.gradient(loss, row)

    found = tf.vectorized_map(gradient, tf.range(2))
    np.testing.assert_array_equal(found, 3 * x**2)
    with tape:
        y = x * 2.0
    np.testing.assert_array_equal(tape.gradient(y, x), np.full((2, 2), 2.0))
