"""GradientTape.jacobian and batch_jacobian, line by line."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import gradtape as tf
import ops.samples  # noqa: F401 - fills SAMPLES
from gradtape.core.tensor import wrap
from gradtape.testing import DuckArray, check_grads
from gradtape.testing.sample import SAMPLES, labelled
from gradtape.transform import jacobian as setting

X = np.array([0.3, -1.2, 0.7])
W = np.array([[0.5, -1.0], [2.0, 1.5], [0.3, -0.7]])

FUNCTIONS = {
    "elementwise": lambda x: tf.sin(x) * tf.exp(x),
    "scalar": lambda x: tf.reduce_sum(x**3),
    "dense layer": lambda x: tf.tanh(tf.matmul(x[None, :], tf.constant(W))),
    "softmax": lambda x: tf.nn.softmax(x),
    "broadcasting": lambda x: x[:, None] * x,
    "gather": lambda x: tf.gather(x, [[2, 0], [1, 1]]) ** 2,
    "concat and slices": lambda x: tf.concat([x[1:], x[:1] * 2.0], axis=0),
    "where": lambda x: tf.where(x > 0.0, x * x, tf.exp(x)),
    "several outputs": lambda x: tf.unstack(x * x)[1] * tf.split(x, 3)[0],
    "a source used twice": lambda x: x * tf.reduce_sum(x) + x,
    "maximum": lambda x: tf.reduce_max(x) * tf.maximum(x, 0.1),
    "variance": lambda x: tf.math.reduce_variance(x) * x[::-1],
}


def differences(f, x, eps=1e-5):
    """The Jacobian by central differences."""
    columns = []
    for step in np.eye(x.size).reshape(x.size, *x.shape) * eps:
        columns.append((f(tf.constant(x + step)).numpy() - f(tf.constant(x - step)).numpy()) / (2 * eps))
    stacked = np.stack(columns, axis=-1)
    return stacked.reshape(*stacked.shape[:-1], *x.shape)


def jacobian(f, x, persistent=False, **options):
    x = tf.constant(x)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x, **options)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_central_differences(name):
    found = jacobian(FUNCTIONS[name], X)
    np.testing.assert_allclose(found.numpy(), differences(FUNCTIONS[name], X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_loop_gives_the_same(name):
    found = jacobian(FUNCTIONS[name], X, persistent=True, experimental_use_pfor=False)
    np.testing.assert_allclose(found.numpy(), jacobian(FUNCTIONS[name], X).numpy(), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobian_is_differentiable(name):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = FUNCTIONS[name](x)
        return tape.jacobian(y, x)

    check_grads(f, (X,), order=1)


@pytest.mark.parametrize("sample", [pytest.param(s, id=label) for label, s in labelled(SAMPLES)])
def test_every_op_row_by_row(sample):
    """The vectorised pass over plain arrays equals one pass per row, for each op with a derivative."""
    if not sample.op.differentiable:
        return
    for name in set(sample.dtypes) & {"float64", "complex128", "bfloat16"}:
        dtype = tf.as_dtype(name)
        arrays = [np.asarray(a) for a in sample.inputs]
        inputs = [tf.constant(a.astype(dtype.as_numpy_dtype) if a.dtype.kind in "fc" else a) for a in arrays]
        sources = [x for x in inputs if x.dtype.is_trainable]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            outputs = sample.op(*inputs, **sample.params)
        for y in outputs if isinstance(outputs, tuple) else (outputs,):
            found = tape.jacobian(y, sources)
            want = tape.jacobian(y, sources, experimental_use_pfor=False)
            for a, b in zip(found, want, strict=True):
                if a is None or b is None:
                    assert a is b
                    continue
                assert (a.dtype, a.shape) == (b.dtype, b.shape)
                wide = np.complex128 if a.dtype.is_complex else np.float64
                tolerance = 0.05 if dtype is tf.bfloat16 else 1e-10
                np.testing.assert_allclose(
                    a.numpy().astype(wide), b.numpy().astype(wide), rtol=tolerance, atol=tolerance
                )


def test_jacobian_of_jacobian():
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        j = inner.jacobian(y, x)
    third = outer.jacobian(j, x)
    assert third.shape == (3, 3, 3)
    want = np.zeros((3, 3, 3))
    want[range(3), range(3), range(3)] = 6 * X
    np.testing.assert_allclose(third.numpy(), want)


def test_shapes_are_target_then_source():
    w, b = tf.Variable(tf.ones([3, 2])), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.matmul(tf.ones([5, 3]), w) + b
    found = tape.jacobian(y, {"w": w, "b": [b, b]})
    assert found["w"].shape == (5, 2, 3, 2)
    assert [f.shape.as_list() for f in found["b"]] == [[5, 2, 2]] * 2


def test_target_that_is_a_source():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.jacobian(x, x).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert tape.jacobian(y, [y, x])[0].numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    other = tf.constant([1.0, 2.0])
    assert tape.jacobian(other, other) is None


def test_variable_as_target():
    v, frozen = tf.Variable([1.0, 2.0]), tf.Variable([1.0], trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        pass
    assert tape.jacobian(v, v).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert tape.jacobian(frozen, v) is None


def test_target_must_be_one_tensor():
    x = tf.constant([1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    for wrong in ([y], 1.0, None):
        with pytest.raises(AttributeError, match="shape"):
            tape.jacobian(wrong, x)
    assert tape.jacobian(np.ones(2), x) is None
    with pytest.raises(TypeError):
        tape.jacobian(y, None)
    with pytest.raises(ValueError, match="unconnected_gradients"):
        tape.jacobian(y, x, unconnected_gradients="foo")


def test_a_tape_is_used_once():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.jacobian(y, x)
    for again in (tape.gradient, tape.jacobian, tape.batch_jacobian):
        with pytest.raises(RuntimeError, match="one set of gradients"):
            again(y, x)
    unused = tf.GradientTape()
    with pytest.raises(RuntimeError, match="one set of gradients"):
        unused.jacobian(y, x)


def test_an_unconnected_jacobian_uses_the_tape_too():
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
    assert tape.jacobian(tf.constant([1.0]), x) is None
    with pytest.raises(RuntimeError):
        tape.gradient(x, x)


def test_inside_the_block(caplog):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        j = tape.jacobian(x * x, x)
    assert np.diag(j.numpy()).tolist() == [2.0, 4.0]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        j = tape.jacobian(x * x, x)
    assert "GradientTape.jacobian on a persistent tape inside its context" in caplog.text
    assert tape.jacobian(j, x).shape == (2, 2, 2)


def test_the_loop_needs_a_persistent_tape():
    for call in (jacobian, batch_jacobian):
        with pytest.raises(RuntimeError, match="persistent=True"):
            call(lambda x: x * x, np.ones((2, 2)), experimental_use_pfor=False)


@pytest.mark.parametrize("count", [1, 0])
def test_parallel_iterations_must_be_more_than_one(count):
    for call in (jacobian, batch_jacobian):
        with pytest.raises(ValueError, match="Vectorization can be disabled") as caught:
            call(lambda x: x * x, np.ones((2, 2)), persistent=True, parallel_iterations=count)
        assert f"parallel_iterations == {count}" in str(caught.value.__cause__)


def test_parallel_iterations_need_a_persistent_tape():
    with pytest.raises(ValueError, match="Vectorization can be disabled"):
        jacobian(lambda x: x * x, X, parallel_iterations=2)
    with pytest.raises(RuntimeError, match="persistent=True"):
        batch_jacobian(lambda x: x * x, np.ones((2, 2)), parallel_iterations=2)
    found = jacobian(lambda x: x * x, X, persistent=True, parallel_iterations=2)
    np.testing.assert_allclose(found.numpy(), np.diag(2 * X))


def test_unconnected():
    x, y = tf.constant([1.0, 2.0]), tf.constant([[3.0]], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = x * 2.0
        n = tf.cast(z, tf.int32)
    j, none = tape.jacobian(z, (x, y))
    assert none is None
    assert j.shape == (2, 2)
    zero = tape.jacobian(z, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero.shape == (2, 1, 1)
    assert zero.dtype == tf.float64
    assert not zero.numpy().any()
    assert tape.jacobian(n, x) is None
    assert tape.jacobian(n, x, unconnected_gradients="zero").dtype == tf.float32


@pytest.mark.parametrize("use_pfor", [True, False])
def test_empty_targets_and_sources(use_pfor):
    empty = jacobian(lambda x: x[:0] * 2.0, X, persistent=True, experimental_use_pfor=use_pfor)
    assert empty.shape == (0, 3)
    none = jacobian(
        lambda x: tf.concat([x, [1.0, 2.0]], 0), np.zeros(0), persistent=True, experimental_use_pfor=use_pfor
    )
    assert none.shape == (2, 0)


def test_gathered_rows_are_filled_in():
    table = tf.Variable(np.arange(6.0).reshape(3, 2))
    with tf.GradientTape() as tape:
        y = tf.gather(table, [2, 2]) + tf.gather(table, [0, 1])
    found = tape.jacobian(y, table)
    assert isinstance(found, tf.Tensor)
    want = np.zeros((2, 2, 3, 2))
    for row, others in enumerate(((2, 0), (2, 1))):
        for column in range(2):
            for other in others:
                want[row, column, other, column] += 1.0
    np.testing.assert_array_equal(found.numpy(), want)


def test_hessian_from_a_gradient():
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.exp(x) * x[::-1])
        g = inner.gradient(y, x)
    want = differences(lambda v: tf.exp(v) * v[::-1] + tf.exp(v)[::-1], X)
    np.testing.assert_allclose(outer.jacobian(g, x).numpy(), want, atol=1e-8)


def test_complex_values_follow_the_convention_of_gradient():
    z = tf.constant([1.0 + 2.0j, 0.5 - 1.0j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z
    np.testing.assert_allclose(tape.jacobian(y, z).numpy(), np.diag(np.conj(2 * z.numpy())))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64])
def test_the_dtype_is_the_sources(dtype):
    x = tf.cast(tf.constant([1.0, 2.0]), dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x) * 2.0
    found = tape.jacobian(y, x)
    assert found.dtype == dtype
    assert found.shape == (2, 2)


def test_custom_gradients():
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 10.0 * x

    np.testing.assert_allclose(jacobian(lambda x: f(x) * 2.0, X).numpy(), np.diag(20.0 * X))


def test_custom_gradients_that_need_values_run_row_by_row():
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: tf.constant(dy.numpy() * 10.0) * x

    np.testing.assert_allclose(jacobian(f, X).numpy(), np.diag(10.0 * X))


def test_custom_gradients_that_ignore_the_cotangent():
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: tf.ones_like(x)

    np.testing.assert_allclose(jacobian(f, X).numpy(), np.ones((3, 3)))


def test_errors_of_gradient_functions_come_through():
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            raise KeyError("mine")

        return x * x, grad

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    with pytest.raises(KeyError, match="mine"):
        tape.jacobian(y, x)


# Memory


@pytest.fixture
def little_memory():
    before = setting.get_jacobian_memory()
    setting.set_jacobian_memory(100)
    yield
    setting.set_jacobian_memory(before)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.usefixtures("little_memory")
def test_chunks_give_the_same(name):
    found = jacobian(FUNCTIONS[name], X)
    np.testing.assert_allclose(found.numpy(), differences(FUNCTIONS[name], X), rtol=1e-8, atol=1e-8)


@pytest.mark.usefixtures("little_memory")
def test_chunks_are_differentiable_and_use_the_tape_once():
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.sin(x) * tf.cos(x) * tf.exp(x)
        j = inner.jacobian(y, x)
    with pytest.raises(RuntimeError):
        inner.gradient(y, x)
    assert outer.jacobian(j, x).shape == (3, 3, 3)


def test_memory_stays_near_the_budget():
    x = tf.constant(np.linspace(0.0, 1.0, 600))
    before = tf.config.get_jacobian_memory()

    def peak():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(10):
                y = tf.sin(y) * x + y[::-1]
        tracemalloc.start()
        tape.jacobian(y, x)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    result = 8 * 600 * 600
    assert peak() > 3 * result
    try:
        tf.config.set_jacobian_memory(result // 2)
        assert peak() < 1.7 * result
    finally:
        tf.config.set_jacobian_memory(before)


def test_the_budget_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        setting.set_jacobian_memory(0)


# batch_jacobian


def batch_jacobian(f, x, persistent=False, **options):
    x = tf.constant(x)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = f(x)
    return tape.batch_jacobian(y, x, **options)


BATCH = np.array([[0.3, -1.2, 0.7], [1.5, 0.2, -0.4]])
BATCH_FUNCTIONS = {
    "elementwise": lambda x: tf.sin(x) * x,
    "dense layer": lambda x: tf.tanh(tf.matmul(x, tf.constant(W))),
    "more axes": lambda x: x[:, :, None] * tf.constant(W),
    "softmax": lambda x: tf.nn.softmax(x),
}


@pytest.mark.parametrize("name", BATCH_FUNCTIONS)
def test_batch_jacobian_is_the_jacobian_of_each_example(name):
    f = BATCH_FUNCTIONS[name]
    found = batch_jacobian(f, BATCH).numpy()
    want = np.stack([jacobian(f, row[None]).numpy()[0] for row in BATCH])
    want = want.reshape(found.shape)
    np.testing.assert_allclose(found, want, rtol=1e-13)
    slow = batch_jacobian(f, BATCH, persistent=True, experimental_use_pfor=False)
    np.testing.assert_allclose(slow.numpy(), want, rtol=1e-13)


@pytest.mark.parametrize("name", BATCH_FUNCTIONS)
def test_batch_jacobian_is_differentiable(name):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = BATCH_FUNCTIONS[name](x)
        return tape.batch_jacobian(y, x)

    check_grads(f, (BATCH,), order=1)


@pytest.mark.usefixtures("little_memory")
def test_batch_jacobian_in_chunks():
    found = batch_jacobian(lambda x: tf.sin(x) * x, BATCH)
    np.testing.assert_allclose(found.numpy()[0], np.diag(np.cos(BATCH[0]) * BATCH[0] + np.sin(BATCH[0])))


def test_batch_jacobian_adds_up_what_crosses_examples():
    found = batch_jacobian(lambda x: x * tf.reduce_sum(x, axis=0), np.ones((2, 2)))
    want = jacobian(lambda x: x * tf.reduce_sum(x, axis=0), np.ones((2, 2))).numpy()
    np.testing.assert_allclose(found.numpy(), np.einsum("ayxb->xyb", want))


def test_batch_jacobian_of_a_variable():
    v = tf.Variable(BATCH)
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.batch_jacobian(y, v).shape == (2, 3, 3)


def test_batch_jacobian_checks_shapes():
    with tf.GradientTape(persistent=True) as tape:
        x = tf.ones([2, 3])
    with pytest.raises(ValueError, match=r"target must have rank at least 2, it has shape \(2,\)"):
        tape.batch_jacobian(tf.ones([2]), x)
    with pytest.raises(ValueError, match=r"source must have rank at least 2, it has shape \(2,\)"):
        tape.batch_jacobian(x, tf.ones([2]))
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(4, 3\).*match"):
        tape.batch_jacobian(x, tf.ones([4, 3]))
    for wrong in ([x], 1.0):
        with pytest.raises(AttributeError):
            tape.batch_jacobian(wrong, x)
        with pytest.raises(AttributeError):
            tape.batch_jacobian(x, wrong)


def test_batch_jacobian_gives_zeros_where_unconnected():
    with tf.GradientTape() as tape:
        x = tf.ones([2, 4], tf.float64)
        tape.watch(x)
    found = tape.batch_jacobian(tf.ones([2, 3]), x, unconnected_gradients="none")
    assert found.shape == (2, 3, 4)
    assert found.dtype == tf.float32
    assert not found.numpy().any()


def test_batch_jacobian_of_nothing():
    assert batch_jacobian(lambda x: x * 2.0, np.ones((1, 0))).shape == (1, 0, 0)
    assert batch_jacobian(lambda x: x * 2.0, np.ones((0, 3))).shape == (0, 3, 3)


# Arrays of others


def test_foreign_arrays_stay_foreign():
    x = wrap(DuckArray(BATCH))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x, wrap(DuckArray(W)))) * 2.0
    for found, shape in ((tape.jacobian(y, x), (2, 2, 2, 3)), (tape.batch_jacobian(y, x), (2, 2, 3))):
        assert isinstance(found._array, DuckArray)
        assert found.shape == shape
