"""ForwardAccumulator, line by line."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import state
from gradtape.core.tensor import wrap
from gradtape.testing import DuckArray, check_grads

Forward = tf.autodiff.ForwardAccumulator
X = np.array([0.3, -1.2, 0.7])

FUNCTIONS = {
    "elementwise": lambda x: tf.exp(tf.sin(x)) / (2.0 + x * x),
    "broadcasting": lambda x: x[:, None] * tf.constant([1.0, 2.0], tf.float64) - x[0],
    "reductions": lambda x: tf.reduce_sum(x * x) + tf.reduce_max(x) * tf.reduce_mean(x),
    "matmul": lambda x: tf.matmul(x[:, None], x[None, :]) @ x[:, None],
    "softmax": lambda x: tf.nn.softmax(x) * tf.math.log(tf.nn.softmax(x)),
    "gather": lambda x: tf.gather(x, [2, 0, 2]) ** 2,
    "several outputs": lambda x: tf.unstack(x * x)[0] * tf.split(x, 3)[2],
    "several inputs": lambda x: tf.concat([x, 2.0 * x, x[:1]], axis=0) * tf.reduce_prod(x),
    "where": lambda x: tf.where(x > 0.0, tf.sin(x), tf.exp(x)),
    "linear": lambda x: tf.transpose(tf.reshape(x[::-1], [3, 1])),
}


def jvp(f, x, t, **options):
    x = tf.constant(x)
    with Forward(x, t) as acc:
        y = f(x)
    return acc.jvp(y, **options)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_central_differences(name):
    check_grads(FUNCTIONS[name], (X,), order=2, modes=("fwd",))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_third_order_by_nesting(name):
    f, eps = FUNCTIONS[name], 1e-4
    direction = np.array([0.5, 1.0, -0.8])

    def second(x):
        x, t = tf.constant(x), tf.constant(direction)
        with Forward(x, t) as outer, Forward(x, t) as inner:
            y = f(x)
        return outer.jvp(inner.jvp(y, unconnected_gradients="zero"), unconnected_gradients="zero").numpy()

    x = tf.constant(X)
    with Forward(x, tf.constant(direction)) as a, Forward(x, direction) as b, Forward(x, direction) as c:
        y = f(x)
    third = a.jvp(b.jvp(c.jvp(y), unconnected_gradients="zero"), unconnected_gradients="zero").numpy()
    want = (second(X + eps * direction) - second(X - eps * direction)) / (2 * eps)
    np.testing.assert_allclose(third, want, rtol=1e-5, atol=1e-6)


def test_lookup_before_inside_and_after():
    x = tf.constant([1.0, 2.0])
    acc = Forward(x, tf.constant([3.0, 4.0]))
    assert acc.jvp(x).numpy().tolist() == [3.0, 4.0]
    with acc:
        y = x * x
        assert acc.jvp(y).numpy().tolist() == [6.0, 16.0]
    assert acc.jvp(y).numpy().tolist() == [6.0, 16.0]
    assert acc.jvp(y).numpy().tolist() == [6.0, 16.0]


def test_structure_in_is_structure_out():
    x, z = tf.constant(2.0), tf.constant(1.0)
    with Forward({"x": x, "z": (z,)}, {"x": tf.constant(1.0), "z": (tf.constant(10.0),)}) as acc:
        y = x * z
    found = acc.jvp({"a": [y, x], "b": (z,), "c": tf.constant(5.0)})
    assert found["a"][0].numpy() == 21.0
    assert found["a"][1].numpy() == 1.0
    assert found["b"][0].numpy() == 10.0
    assert found["c"] is None


def test_absent_products():
    x, other = tf.constant([1.0, 2.0]), tf.constant([[1.0]], tf.float64)
    acc = Forward(x, x)
    assert acc.jvp(other) is None
    zero = acc.jvp(other, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zero.numpy().tolist() == [[0.0]]
    assert zero.dtype == tf.float64
    assert acc.jvp(other, unconnected_gradients="zero").shape == (1, 1)
    with pytest.raises(ValueError, match="'foo' is not a valid UnconnectedGradients"):
        acc.jvp(x, unconnected_gradients="foo")
    for wrong in (1.0, np.ones(2), None):
        with pytest.raises(AttributeError, match="primals must be tensors"):
            acc.jvp(wrong)


def test_constructor_checks_the_structure():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="structure"):
        Forward([x], [x, x])
    with pytest.raises(TypeError, match="type"):
        Forward([x], (x,))
    with pytest.raises(ValueError, match="structure"):
        Forward([x], x)
    with pytest.raises(ValueError, match="multiple times"):
        Forward([x, x], [x, x])
    for wrong in (1.0, np.ones(2)):
        with pytest.raises(AttributeError):
            Forward(wrong, wrong)


def test_tangents_are_converted():
    x = tf.constant([1.0, 2.0])
    assert Forward(x, np.ones(2)).jvp(x).dtype == tf.float32
    assert Forward([x], [1.0]).jvp([x])[0].numpy() == 1.0
    with pytest.raises(ValueError, match="float64"):
        Forward(x, tf.ones([2], tf.float64))
    with pytest.raises(ValueError):
        Forward(x, None)


def test_tangents_are_broadcast_when_used():
    assert jvp(lambda x: x * 2.0, [1.0, 2.0], 1.0).numpy().tolist() == [2.0, 2.0]
    assert jvp(tf.reduce_sum, [1.0, 2.0], 1.0).numpy() == 2.0
    with pytest.raises(ValueError, match=r"\[3\]"):
        jvp(lambda x: x * 2.0, [1.0, 2.0], tf.ones([3]))


def test_integers(caplog):
    n = tf.constant([1, 2])
    for _ in range(7):
        with Forward(n, n) as acc:
            y = n * 2
            z = tf.cast(n, tf.float32) * 2.0
    assert caplog.text.count("must be floating") == 5
    assert acc.jvp(n).numpy().tolist() == [1, 2]
    assert acc.jvp(y) is None
    assert acc.jvp(z) is None


def test_complex_derivatives_are_not_conjugated(caplog):
    z = tf.constant(1.0 + 2.0j)
    with Forward(z, tf.constant(1.0 + 0.0j, tf.complex128)) as acc:
        square, size, real = z * z, tf.abs(z), tf.math.real(z)
        exponential = tf.exp(z) * tf.constant(2.0j, tf.complex128)
    assert "must be floating" in caplog.text
    np.testing.assert_allclose(acc.jvp(square).numpy(), 2.0 + 4.0j)
    np.testing.assert_allclose(acc.jvp(size).numpy(), 1 / np.sqrt(5.0))
    np.testing.assert_allclose(acc.jvp(real).numpy(), 1.0)
    np.testing.assert_allclose(acc.jvp(exponential).numpy(), 2.0j * np.exp(1.0 + 2.0j))


def test_entering_twice():
    x = tf.constant(2.0)
    acc = Forward(x, tf.constant(1.0))
    with acc, pytest.raises(ValueError, match="already recording"):
        acc.__enter__()
    with acc:
        y = x * x
    between = x * x
    with acc:
        z = y * y
    assert acc.jvp(between) is None
    assert acc.jvp(z).numpy() == 32.0


def test_variables_keep_their_tangent():
    v = tf.Variable([1.0, 2.0])
    with Forward(v, tf.ones([2])) as acc:
        y = v * 2.0
        read = v.read_value()
        v.assign([5.0, 6.0])
        z = v * v
        part = v[0]
    assert acc.jvp(y).numpy().tolist() == [2.0, 2.0]
    assert acc.jvp(read).numpy().tolist() == [1.0, 1.0]
    assert acc.jvp(z).numpy().tolist() == [10.0, 12.0]
    assert acc.jvp(part).numpy() == 1.0
    assert acc.jvp(v).numpy().tolist() == [1.0, 1.0]
    assert acc.jvp(v.handle).numpy().tolist() == [1.0, 1.0]


def test_the_outer_one_sees_what_the_inner_one_computes():
    x = tf.constant(2.0)
    one = tf.constant(1.0)
    with Forward(x, one) as outer, Forward(x, one) as inner:
        y = x * x * x
    assert inner.jvp(y).numpy() == 12.0
    assert outer.jvp(y).numpy() == 12.0
    assert outer.jvp(inner.jvp(y)).numpy() == 12.0
    assert inner.jvp(outer.jvp(y)) is None


def test_the_order_of_entering_counts():
    x = tf.constant(2.0)
    first, second = Forward(x, tf.constant(1.0)), Forward(x, tf.constant(1.0))
    with second, first:
        y = x * x * x
    assert second.jvp(first.jvp(y)).numpy() == 12.0
    assert first.jvp(second.jvp(y)) is None


def test_forward_over_backward():
    x, v = tf.constant(X), tf.constant([1.0, -2.0, 0.5], tf.float64)
    with Forward(x, v) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) * tf.reduce_prod(x))
        g = tape.gradient(y, x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x) * tf.reduce_prod(x))
        d = inner.gradient(y, x)
    np.testing.assert_allclose(acc.jvp(g).numpy(), outer.jacobian(d, x).numpy() @ v.numpy(), rtol=1e-12)


def test_forward_over_backward_after_intermediates_are_gone():
    """The tape saved arrays of tensors that nobody holds any more; their tangents must still be there."""

    def loss(x):
        for _ in range(3):
            x = tf.tanh(x) * x
            s = tf.reduce_sum(x) * tf.reduce_max(x)
            x = x * s
        return tf.reduce_sum(x)

    x, v = tf.constant(X), tf.constant([1.0, -2.0, 0.5], tf.float64)
    with Forward(x, v) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        gc.collect()
        g = tape.gradient(y, x)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x).numpy()

    eps = 1e-5
    want = (gradient(tf.constant(X + eps * v.numpy())) - gradient(tf.constant(X - eps * v.numpy()))) / (2 * eps)
    np.testing.assert_allclose(acc.jvp(g).numpy(), want, rtol=1e-6)


def test_scalars_that_a_later_tape_saved_keep_their_tangent():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc:
        s, t = x * 2.0, x * 3.0
        with tf.GradientTape() as tape:
            tape.watch(s)
            z = s * t
        del t
        g = tape.gradient(z, s)
    assert acc.jvp(g).numpy() == 3.0


def test_gradient_after_the_accumulator_is_not_pushed():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc, tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert acc.jvp(tape.gradient(y, x)) is None


def test_an_inner_tape_ignores_what_an_outer_accumulator_computes():
    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc, tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
    assert tape.gradient(acc.jvp(y), x) is None


def test_backward_over_forward():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with Forward(x, tf.ones([3], tf.float64)) as acc:
            y = tf.sin(x) * x
        d = acc.jvp(y)
    np.testing.assert_allclose(tape.gradient(d, x).numpy(), 2 * np.cos(X) - np.sin(X) * X, rtol=1e-13)


def test_backward_over_forward_for_the_tangent():
    x, t = tf.constant(X), tf.constant([1.0, 2.0, 3.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(t)
        with Forward(x, t) as acc:
            y = tf.reduce_sum(x * x)
        d = acc.jvp(y)
    np.testing.assert_allclose(tape.gradient(d, t).numpy(), 2 * X)


def test_ops_without_a_derivative():
    x = tf.constant(2.5)
    with Forward(x, tf.constant(1.0)) as acc:
        down, sign, stopped = tf.floor(x), tf.sign(x), tf.stop_gradient(x) * x
        above = x > 1.0
    assert acc.jvp(down) is None
    assert acc.jvp(above) is None
    assert acc.jvp(sign).numpy() == 0.0
    assert acc.jvp(stopped).numpy() == 2.5
    assert acc.jvp(tf.stop_gradient(x)) is None


def test_custom_gradients():
    @tf.custom_gradient
    def natural(x):
        return x * x, lambda dy: dy * 100.0

    @tf.custom_gradient
    def opaque(x):
        return tf.constant(x.numpy() ** 2), lambda dy: dy * 100.0

    x = tf.constant(2.0)
    with Forward(x, tf.constant(1.0)) as acc:
        y, z = natural(x), opaque(x)
    assert acc.jvp(y).numpy() == 4.0
    assert acc.jvp(z).numpy() == 100.0


def test_products_of_gathered_gradients():
    table = tf.Variable(np.arange(6.0).reshape(3, 2))
    with Forward(table, tf.ones([3, 2], tf.float64)) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [0, 2]) ** 2)
        g = tape.gradient(y, table)
    found = acc.jvp(g)
    assert isinstance(found, tf.IndexedSlices)
    assert found.values.numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]


@pytest.mark.parametrize("shape", [(3,), ()])
def test_tangents_go_with_their_tensors(shape):
    x = tf.ones(shape)
    with Forward(x, tf.ones(shape)) as acc:
        y = x * 2.0
        tangent = weakref.ref(acc.jvp(y))
        assert tangent() is not None
        del y
        assert tangent() is None
        z = x * 3.0
    assert acc.jvp(z).numpy().sum() == 3.0 * np.prod(shape)


def test_a_long_loop_keeps_nothing():
    x = tf.constant(1.0)
    with Forward(x, tf.constant(1.0)) as acc:
        y = x
        for _ in range(100):
            y = y * 1.01
    assert len(acc._pushforward.tangents) == 2
    np.testing.assert_allclose(acc.jvp(y).numpy(), 1.01**100, rtol=1e-5)


def test_leaving_after_an_error():
    x = tf.constant(1.0)
    with pytest.raises(KeyError), Forward(x, x):
        raise KeyError
    assert state.current.recorders == ()


def test_blocks_that_are_not_nested():
    x = tf.constant(2.0)
    a, b = Forward(x, tf.constant(1.0)), Forward(x, tf.constant(10.0))
    a.__enter__()
    b.__enter__()
    a.__exit__(None, None, None)
    y = x * x
    b.__exit__(None, None, None)
    assert a.jvp(y) is None
    assert b.jvp(y).numpy() == 40.0


def test_threads_have_their_own_accumulators():
    x = tf.constant(2.0)
    found = []
    with Forward(x, tf.constant(1.0)) as acc:
        thread = threading.Thread(target=lambda: found.append(x * x))
        thread.start()
        thread.join()
    assert acc.jvp(found[0]) is None


def test_leaving_in_another_thread_is_an_error():
    x = tf.constant(2.0)
    acc = Forward(x, tf.constant(1.0))
    thread = threading.Thread(target=acc.__enter__)
    thread.start()
    thread.join()
    with pytest.raises(RuntimeError, match="another thread"):
        acc.__exit__(None, None, None)
    assert acc.jvp(x).numpy() == 1.0


def test_foreign_arrays_stay_foreign():
    x = wrap(DuckArray(X))
    with Forward(x, wrap(DuckArray(np.ones(3)))) as acc:
        y = tf.reduce_sum(tf.sin(x) * x)
    assert isinstance(acc.jvp(y)._array, DuckArray)
