"""Graphs and sessions: what TensorFlow 1's programs compute, with the numbers that they give there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

tf1: Any = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    """A graph in which ops are made."""
    made = tf.Graph()
    with made.as_default():
        assert not tf.executing_eagerly()
        yield made
    assert tf.executing_eagerly()


def test_gradients_of_what_is_fed(graph: Any) -> None:
    x = tf1.placeholder(tf.float32, [None, 2], name="x")
    y = tf.reduce_sum(tf.sin(x) * x)
    (slope,) = tf.gradients(y, x)
    (bend,) = tf.gradients(slope, x)
    given = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "f")
    with tf1.Session() as session:
        found = session.run({"y": y, "d": slope, "dd": bend}, feed_dict={x: given})
        assert session.run(slope, {"x:0": given[:1]}).shape == (1, 2)
    np.testing.assert_allclose(found["y"], np.sum(np.sin(given) * given), rtol=1e-5)
    np.testing.assert_allclose(found["d"], np.cos(given) * given + np.sin(given), rtol=1e-5)
    np.testing.assert_allclose(found["dd"], 2 * np.cos(given) - np.sin(given) * given, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (lambda: tf1.train.GradientDescentOptimizer(0.1), 0.26214397),
        (lambda: tf1.train.MomentumOptimizer(0.1, 0.9), 0.0038440009),
        (lambda: tf1.train.AdamOptimizer(0.1), 0.49222475),
        (lambda: tf1.train.AdagradOptimizer(0.1), 0.61199206),
        (lambda: tf1.train.RMSPropOptimizer(0.1), 0.33007672),
        (lambda: tf1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), 0.011740151),
        (lambda: tf1.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True), 0.13566178),
    ],
)
def test_training(graph: Any, optimizer: Any, expected: float) -> None:
    w = tf1.get_variable("w", initializer=tf.constant(1.0))
    loss = w * w
    step = tf1.train.get_or_create_global_step()
    train = optimizer().minimize(loss, global_step=step)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        for _ in range(3):
            assert session.run(train) is None
        assert session.run(step) == 3
        np.testing.assert_allclose(session.run(loss), expected, rtol=1e-5)


def test_variables_belong_to_sessions(graph: Any) -> None:
    v = tf.Variable(tf.constant([1.0, 2.0]), name="v")
    grown = v.assign_add([1.0, 1.0])
    start = tf1.global_variables_initializer()
    with tf1.Session() as first:
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
            first.run(v)
        first.run(start)
        first.run(grown)
        np.testing.assert_array_equal(first.run(grown), [3.0, 4.0])
    with tf1.Session() as second:
        second.run(start)
        np.testing.assert_array_equal(second.run(v), [1.0, 2.0])
        v.load([5.0, 6.0], second)
        np.testing.assert_array_equal(v.eval(), [5.0, 6.0])


def test_only_what_is_fetched_runs(graph: Any) -> None:
    v = tf.Variable(0, name="count")
    one = v.assign_add(1)
    both = tf.group(one, v.assign_add(10))
    with tf.control_dependencies([one]):
        after = tf.identity(v)
    before = tf.identity(v)
    with tf1.Session() as session:
        session.run(v.initializer)
        assert session.run(before) == 0
        assert session.run(after) == 1
        assert session.run([before, after]) == [1, 2]
        session.run(both)
        assert session.run(v) in (3, 12, 13)


def test_inner_tensors_may_be_fed(graph: Any) -> None:
    x = tf1.placeholder(tf.float32, [])
    y = x * 2
    z = y + 1
    with tf1.Session() as session:
        assert session.run(z, {x: 3.0}) == 7.0
        assert session.run(z, {y: 3.0}) == 4.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value for placeholder"):
            session.run(z)
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(z, {x: [1.0]})


def test_scopes_and_reuse(graph: Any) -> None:
    def layer() -> Any:
        with tf1.variable_scope("layer", reuse=tf1.AUTO_REUSE):
            return tf1.get_variable("w", [2, 3])

    assert layer() is layer()
    assert layer().name == "layer/w:0"
    assert [v.name for v in tf1.trainable_variables("layer")] == ["layer/w:0"]
    with pytest.raises(ValueError, match="already exists"), tf1.variable_scope("layer"):
        tf1.get_variable("w", [2, 3])
    with pytest.raises(ValueError, match="does not exist"), tf1.variable_scope("layer", reuse=True):
        tf1.get_variable("other", [1])


def test_control_flow(graph: Any) -> None:
    n = tf1.placeholder(tf.int32, [])
    total = tf1.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0))[1]
    sign = tf.cond(n > 2, lambda: tf.constant("many"), lambda: tf.constant("few"))
    with tf1.Session() as session:
        assert session.run([total, sign], {n: 5}) == [10, b"many"]
        assert session.run([total, sign], {n: 1}) == [0, b"few"]


def test_random_numbers_are_drawn_by_each_run(graph: Any) -> None:
    x = tf.random.normal([4])
    with tf1.Session() as session:
        a, b = session.run([x, x])
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(session.run(x), a)


def test_saver(graph: Any, tmp_path: Path) -> None:
    v = tf1.get_variable("v", initializer=tf.constant([1.0, 2.0]))
    saver = tf1.train.Saver()
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        session.run(v.assign([3.0, 4.0]))
        path = saver.save(session, str(tmp_path / "model"), global_step=7)
    with tf1.Session() as session:
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(v), [3.0, 4.0])


def test_switching_eager_mode_off() -> None:
    tf1.disable_eager_execution()
    try:
        assert not tf.executing_eagerly()
        x = tf1.placeholder(tf.float32)
        with tf1.Session() as session:
            assert session.run(x**2, {x: 3.0}) == 9.0
    finally:
        tf1.enable_eager_execution()
        tf1.reset_default_graph()
    assert tf.executing_eagerly()


def test_placeholders_need_a_graph() -> None:
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        tf1.placeholder(tf.float32)
    assert tf1.placeholder_with_default(3.0, []).numpy() == 3.0


def test_sessions_run_what_is_computed_of_constants(graph: Any) -> None:
    c = tf.constant(2)
    with tf1.Session(graph=graph) as session:
        assert session.run([c, c * 3, tf.constant([1.0]) + 1.0]) == [2, 6, [2.0]]
