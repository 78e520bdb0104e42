"""Backward passes that come again: their programs give what the rules give, and only where the records are the same."""

import gc
import threading
import weakref

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import hot_kernels
from gradtape.transform import repeated

SOON = 3  # passes after which the tests want a program


@pytest.fixture(autouse=True)
def places(monkeypatch):
    """The places that are known; at first none."""
    monkeypatch.setattr(repeated, "_OFTEN", SOON)
    monkeypatch.setattr(repeated, "_SOON", SOON)
    monkeypatch.setattr(repeated, "_LEARN", (1, 2, 3, 4))
    monkeypatch.setattr(repeated, "_places", {})
    return repeated._places


def patterns():
    return [len(place.patterns) for place in repeated._places.values()]


def hits():
    """How many passes were run by programs."""
    return sum(p.seen - SOON - p.missed for p in repeated._places.values() if p.patterns)


class Net:
    """Two layers."""

    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        self.parameters = [tf.Variable(rng.standard_normal(s), dtype=tf.float32) for s in ((5, 8), (8,), (8, 3), (3,))]

    def loss(self, x, labels, factor=1.0):
        w, b, u, c = self.parameters
        logits = tf.matmul(tf.nn.relu(tf.matmul(x, w) + b), u) + c
        return factor * tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def batch(seed, rows=6):
    rng = np.random.default_rng(seed)
    return tf.constant(rng.standard_normal((rows, 5)), tf.float32), tf.constant(rng.integers(0, 3, rows))


def gradients(net, x, labels, factor=1.0, **options):
    with tf.GradientTape() as tape:
        loss = net.loss(x, labels, factor)
    return tape.gradient(loss, net.parameters, **options)


def expected(net, x, labels, factor=1.0, **options):
    """By the rules, one by one."""
    tf.config.generate_kernels(False)
    try:
        return gradients(net, x, labels, factor, **options)
    finally:
        tf.config.generate_kernels(True)


def assert_close(found, wanted):
    for f, w in zip(found, wanted, strict=True):
        assert f.dtype is w.dtype
        np.testing.assert_allclose(f.numpy(), w.numpy(), rtol=1e-5, atol=1e-6)


def test_program_gives_what_the_rules_give():
    net = Net()
    for step in range(12):
        data = batch(step)
        wanted = expected(net, *data)
        found = gradients(net, *data)
        assert_close(found, wanted)
        for p, g in zip(net.parameters, found, strict=True):
            p.assign_sub(0.1 * g)
    assert patterns() == [1]
    assert hits() == 12 - SOON - 1


def test_other_variables_of_the_same_kind_share_a_program():
    for seed in range(8):
        net = Net(seed)
        assert_close(gradients(net, *batch(seed)), expected(net, *batch(seed)))
    assert patterns() == [1]


def test_other_shapes_get_a_program_of_their_own():
    net = Net()
    for step in range(20):
        data = batch(step, rows=6 if step % 2 else 7)
        assert_close(gradients(net, *data), expected(net, *data))
    assert patterns() == [2]
    assert hits() > 8


def test_number_that_changes_is_no_constant_in_the_end():
    net, data = Net(), batch(0)
    for step in range(15):
        assert_close(gradients(net, *data, 0.5 * step), expected(net, *data, 0.5 * step))
    assert patterns() == [2]
    assert hits() > 6


def test_minus_zero_is_another_number():
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])

    def of(zero):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(tf.sin(x)) * zero)
        return np.signbit(tape.gradient(y, x).numpy())

    for _ in range(SOON + 3):
        assert not of(0.0)[0]
    assert patterns() == [1]
    assert of(-0.0)[0]
    assert not of(0.0)[0]


def test_another_structure_is_not_mistaken():
    x, y = tf.Variable([0.1, 0.2]), tf.Variable([0.3, 0.4])

    def of(kind):
        with tf.GradientTape() as tape:
            a, b = (x, y) if kind < 2 else (y, x)
            a = tf.sin(a) if kind % 2 else tf.cos(a)
            z = tf.reduce_sum(tf.exp(a * b) * a)
        return tape.gradient(z, [x, y])

    wanted = []
    for kind in range(4):
        tf.config.generate_kernels(False)
        wanted.append(of(kind))
        tf.config.generate_kernels(True)
    for step in range(40):
        assert_close(of(step % 4), wanted[step % 4])
    assert patterns() == [2]  # the two variables change places in it
    assert hits() > 10


def test_fewer_sources_and_cotangents_of_targets():
    net, data = Net(), batch(0)

    def some(count, scale):
        with tf.GradientTape() as tape:
            loss = net.loss(*data)
        return tape.gradient(loss, net.parameters[:count], output_gradients=tf.constant(scale))

    for step in range(24):
        count, scale = 1 + step % 3, float(step)
        whole = expected(net, *data)
        assert_close(some(count, scale), [scale * g for g in whole[:count]])
    assert hits() > 4


def test_variable_that_is_assigned_between_two_uses():
    v = tf.Variable([1.0, 2.0])

    def of(between):
        with tf.GradientTape() as tape:
            y = tf.sin(v) * v
            if between:
                v.assign(v * 2.0)
            z = tf.reduce_sum(y * v * tf.cos(v))
        g = tape.gradient(z, v)
        v.assign([1.0, 2.0])
        return g

    for between in [False] * (SOON + 2) + [True, False] * 5:
        tf.config.generate_kernels(False)
        wanted = of(between)
        tf.config.generate_kernels(True)
        assert_close([of(between)], [wanted])


def test_watched_tensors_and_persistent_tapes():
    for step in range(10):
        x = tf.constant([0.1 * step, 0.2])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.exp(x)
            z = tf.reduce_sum(y * y)
        once, twice = tape.gradient(z, x), tape.gradient(z, x)
        y0 = np.sin(x) * np.exp(x)
        np.testing.assert_allclose(once, 2 * y0 * (np.cos(x) + np.sin(x)) * np.exp(x), rtol=1e-5)
        np.testing.assert_allclose(twice, once, rtol=1e-6)
    assert patterns() == [1]


def test_second_derivatives_go_by_the_rules():
    x = tf.Variable([0.3, 0.4])
    for _ in range(10):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(tf.sin(x) * tf.exp(x) * x)
            g = inner.gradient(y, x)
        h = outer.gradient(g, x)
    a = np.array([0.3, 0.4])
    wanted = np.exp(a) * (2 * (np.sin(a) + np.cos(a)) + 2 * a * np.cos(a))
    np.testing.assert_allclose(h, wanted, rtol=1e-5)


def test_rows_stay_rows():
    table, scale = tf.Variable(np.arange(40.0).reshape(10, 4), dtype=tf.float32), tf.Variable(2.0)
    other = tf.Variable(np.ones((6, 4), np.float32))  # gathered from twice: the rows of both follow one another
    for i in range(8):
        rows = tf.constant([i % 3, 3, i % 3])
        with tf.GradientTape() as tape:
            looked_up = tf.gather(table, rows) + tf.gather(other, rows) * tf.gather(other, [0, 1, 2])
            y = tf.reduce_sum(tf.square(tf.sin(looked_up * scale)))
        g, h, d = tape.gradient(y, [table, other, scale])
        assert isinstance(g, tf.IndexedSlices)
        assert isinstance(h, tf.IndexedSlices)
        assert isinstance(d, tf.Tensor)
        a, b = table.numpy()[rows.numpy()], other.numpy()
        z = (a + b[rows.numpy()] * b[:3]) * 2
        dz = 2 * np.sin(z) * np.cos(z)
        np.testing.assert_array_equal(g.indices, rows)
        np.testing.assert_allclose(g.values, 2 * dz, rtol=1e-4, atol=1e-5)
        assert g.dense_shape.numpy().tolist() == [10, 4]
        np.testing.assert_array_equal(sorted(h.indices.numpy()), sorted([*rows.numpy(), 0, 1, 2]))
        np.testing.assert_allclose(tf.convert_to_tensor(h).numpy().sum(), 4 * dz.sum(), rtol=1e-3)
        np.testing.assert_allclose(d, (dz * z / 2).sum(), rtol=1e-4)
    assert patterns() == [1]
    assert hits() == 8 - SOON - 1


def test_functions_of_the_user_are_called():
    calls = []

    @tf.custom_gradient
    def twice(x):
        def gradient(dy):
            calls.append(1)
            return 2.0 * dy

        return 2.0 * x, gradient

    x = tf.Variable([1.0, 2.0])
    for _ in range(8):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(tf.sin(twice(x))))
        tape.gradient(y, x)
    assert len(calls) == 8


def test_bfloat16_keeps_its_rounding():
    x = tf.Variable(tf.cast([0.1, 0.2], tf.bfloat16))
    found = []
    for _ in range(8):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(tf.sin(x)) * x)
        found.append(tape.gradient(y, x).numpy().tobytes())
    assert len(set(found)) == 1


def test_arrays_are_freed():
    net, (_, labels) = Net(), batch(0)
    for step in range(SOON + 3):
        x = tf.constant(np.full((6, 5), step, np.float32))
        array = weakref.ref(x._array)
        with tf.GradientTape() as tape:
            loss = net.loss(x, labels)
        tape.gradient(loss, net.parameters)
        del x
        gc.collect()
        assert array() is None
    assert hits() == 2


def test_explains_after_a_program_ran():
    net, other = Net(), tf.Variable(1.0)
    for _ in range(SOON + 3):
        with tf.GradientTape(persistent=True) as tape:
            loss = net.loss(*batch(0))
        tape.gradient(loss, net.parameters)
    assert hits() == 2
    assert tape.explain(loss, other).cause == "UNUSED"


def test_switched_off(places):
    assert hot_kernels.is_enabled()
    tf.config.generate_kernels(False)
    try:
        for _ in range(8):
            gradients(Net(), *batch(0))
    finally:
        tf.config.generate_kernels(True)
    assert not places


def test_places_that_never_repeat_are_given_up(places):
    rng = np.random.default_rng(0)
    for step in range(40):
        x = tf.Variable(rng.standard_normal(step + 1))
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(tf.sin(x)) * x)
        np.testing.assert_allclose(tape.gradient(y, x), np.exp(np.sin(x)) * (1 + x * np.cos(x)), rtol=1e-9)
    (place,) = places.values()
    assert place.hopeless
    assert len(place.patterns) == 4


def test_threads():
    net, data = Net(), batch(0)
    wanted = expected(net, *data)
    problems = []

    def work():
        try:
            for _ in range(30):
                assert_close(gradients(net, *data), wanted)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems
    assert hits() > 60


def test_large_arrays_get_a_program_soon(monkeypatch):
    monkeypatch.setattr(repeated, "_OFTEN", 1000)
    monkeypatch.setattr(repeated, "_MUCH", 20_000)
    large, small = (tf.Variable(np.linspace(0.1, 1.0, n), dtype=tf.float32) for n in (10_000, 100))

    def of(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(tf.sin(x) * tf.exp(-tf.square(x))))
        return tape.gradient(y, x)

    for x, count in ((small, 0), (large, 1)):
        repeated._places.clear()
        first, *others = [of(x) for _ in range(SOON + 3)]
        assert_close(others, [first] * len(others))
        assert patterns() == [count]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "complex64"])
def test_sums_of_large_cotangents(dtype):
    x = tf.Variable(tf.cast(np.linspace(-1.0, 1.0, 70_000), dtype))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x * x)
    np.testing.assert_allclose(
        tf.cast(tape.gradient(y, x), "complex128"), np.conj(3.0 * x.numpy().astype("complex128") ** 2), rtol=3e-2 if dtype == "bfloat16" else 1e-5, atol=1e-6,
    )  # fmt: skip


def test_ops_that_save_several_arrays_in_one_place():
    rng = np.random.default_rng(0)
    q = tf.Variable(rng.standard_normal((2, 5, 3)), dtype=tf.float32)
    others = [tf.constant(rng.standard_normal((2, 5, 3)), tf.float32) for _ in range(2 * SOON)]

    def attend(k):
        with tf.GradientTape() as tape:
            scores = tf.nn.softmax(tf.einsum("bth,bsh->bts", q, k))
            joined = tf.concat([tf.einsum("bts,bsh->bth", scores, k), q], -1)
            y = tf.reduce_sum(joined * joined)
        return tape.gradient(y, q).numpy()

    found = [attend(k) for k in others]
    assert patterns() == [1]
    assert hits() > 0
    hot_kernels.generate_kernels(False)
    try:
        wanted = [attend(k) for k in others]
    finally:
        hot_kernels.generate_kernels(True)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
