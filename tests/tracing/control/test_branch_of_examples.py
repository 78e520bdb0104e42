"""Custom gradients in branches and loops that run on many examples."""

import numpy as np
import pytest

import gradtape as tf

W = [0.5, -1.5]


@tf.custom_gradient
def strange(x):
    """Its derivative by x is -7 * x, and the derivative of that by x is -7."""
    return x * 2.0, lambda dy: dy * x * -7.0


@tf.custom_gradient
def scaled(x, w):
    return x * w, lambda dy: (dy * w * 3.0, dy * x * 5.0)


def in_while(x, w):
    return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, strange(a) + w), [0, x])[1]


def in_while_of_values(x, w):
    return tf.while_loop(lambda a: tf.reduce_sum(tf.abs(a)) < 20.0, lambda a: (strange(a) + a,), [x])[0]


def in_cond(x, w):
    return tf.cond(tf.reduce_sum(x) > 2.0, lambda: strange(x) * w, lambda: x * 3.0)


def in_cond_of_all(x, w):
    return tf.cond(tf.reduce_sum(w) < 2.0, lambda: scaled(strange(x), w), lambda: x * 3.0)


def in_switch(x, w):
    branches = [lambda: strange(x), lambda: scaled(x, w), lambda: x * x]
    return tf.switch_case(tf.cast(tf.reduce_sum(x), tf.int32) % 3, branches)


def in_scan(x, w):
    return tf.scan(lambda a, e: strange(a) * e + w, tf.stack([x, x, w]))


def in_map_fn(x, w):
    return tf.map_fn(lambda e: scaled(e, w), tf.stack([x, w]))


def of_shared_values(x, w):
    return tf.while_loop(lambda i, a, v: i < 3, lambda i, a, v: (i + 1, a * v, strange(v)), [0, x, w])[1]


def nested(x, w):
    def step(i, a):
        return i + 1, tf.cond(tf.reduce_sum(a) > 2.0, lambda: strange(a), lambda: scaled(a, w))

    return tf.while_loop(lambda i, a: i < 3, step, [0, x])[1]


FORMS = [
    in_while, in_while_of_values, in_cond, in_cond_of_all, in_switch, in_scan, in_map_fn, of_shared_values, nested,
]  # fmt: skip


def mapped(form):
    return lambda x, w: tf.vectorized_map(lambda e: form(e, w), x, fallback_to_while_loop=False)


def one_by_one(form):
    return lambda x, w: tf.stack([form(e, w) for e in tf.unstack(x)])


def gradients(function):
    def run(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.reduce_sum(function(x, w) ** 2)
        return tape.gradient(y, [x, w], unconnected_gradients="zero")

    return run


def second(function):
    def run(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = sum(tf.reduce_sum(tf.sin(d)) for d in gradients(function)(x, w))
        return tape.gradient(y, [x, w], unconnected_gradients="zero")

    return run


def rows(function):
    def run(x, w):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, w])
            y = function(x, w)
        return tape.jacobian(y, x), tape.jacobian(y, w, unconnected_gradients="zero")

    return run


MODES = {
    "eager": lambda what, f: what(f),
    "in a function": lambda what, f: tf.function(what(f)),
    "of a function": lambda what, f: what(tf.function(f)),
}
X = np.array([[1.0, 0.5], [0.25, -0.5], [2.0, 1.0]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("what", [gradients, second, rows], ids=lambda f: f.__name__)
def test_rules_are_kept(what, form, mode):
    x, w = tf.constant(X), tf.constant(W, tf.float64)
    found = MODES[mode](what, mapped(form))(x, w)
    for d, want in zip(found, what(one_by_one(form))(x, w), strict=True):
        np.testing.assert_allclose(d, want, rtol=1e-10)


@pytest.mark.parametrize("form", [in_while, in_cond, nested], ids=lambda f: f.__name__)
def test_rules_are_kept_by_maps_in_maps(form):
    x, w = tf.constant(X), tf.constant(W, tf.float64)

    def twice(f):
        return lambda x, w: tf.vectorized_map(lambda e: f(tf.stack([e, 2.0 * e]), w), x)

    single = one_by_one(form)
    want = gradients(lambda x, w: tf.stack([single(tf.stack([e, 2.0 * e]), w) for e in x]))(x, w)
    for mode in MODES.values():
        found = mode(gradients, twice(mapped(form)))(x, w)
        for d, e in zip(found, want, strict=True):
            np.testing.assert_allclose(d, e, rtol=1e-10)


def test_rules_are_kept_for_variables():
    v = tf.Variable(W)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            y = tf.vectorized_map(lambda e: in_cond(e, v), x)
        return tape.gradient(y, v)

    x = tf.constant(X, tf.float32)
    with tf.GradientTape() as tape:
        y = tf.stack([in_cond(e, v) for e in x])
    np.testing.assert_allclose(tf.convert_to_tensor(step(x)), tape.gradient(y, v), rtol=1e-6)


def test_functions_with_such_branches_are_saved(tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([3, 2], tf.float64)])
        def call(self, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = mapped(in_cond)(x, tf.constant(W, tf.float64))
            return tape.gradient(y, x)

    model = Model()
    want = model.call(X)
    tf.saved_model.save(model, str(tmp_path))
    np.testing.assert_array_equal(tf.saved_model.load(str(tmp_path)).call(tf.constant(X)), want)
