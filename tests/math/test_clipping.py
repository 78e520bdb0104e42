"""Clipping by norm. Numbers without a formula are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(7)


def slices():
    return tf.IndexedSlices(tf.constant([[3.0], [4.0]]), tf.constant([1, 1]), tf.constant([5, 1]))


def test_clip_by_norm():
    np.testing.assert_allclose(tf.clip_by_norm([3.0, 4.0], 1.0), [0.6, 0.8], rtol=1e-6)
    assert tf.clip_by_norm([3.0, 4.0], 10.0).numpy().tolist() == [3.0, 4.0]
    np.testing.assert_allclose(tf.clip_by_norm([[3.0, 4.0], [6.0, 8.0]], 1.0, axes=1), [[0.6, 0.8]] * 2, rtol=1e-6)
    for least in (0.0, -1.0):
        assert tf.clip_by_norm([3.0, 4.0], least).numpy().tolist() == [0.0, 0.0]


def test_clip_norm_may_be_a_tensor():
    wanted = [[0.5477225, 1.4605935], [0.18257418, 0.73029673]]
    np.testing.assert_allclose(tf.clip_by_norm([[3.0, 4.0], [1.0, 2.0]], [1.0, 2.0]), wanted, rtol=1e-6)


def test_clip_by_norm_keeps_slices_and_does_not_sum_rows_first():
    clipped = tf.clip_by_norm(slices(), 1.0)
    assert isinstance(clipped, tf.IndexedSlices)
    np.testing.assert_allclose(clipped.values, [[0.6], [0.8]], rtol=1e-6)
    assert clipped.indices.numpy().tolist() == [1, 1]
    assert clipped.dense_shape.numpy().tolist() == [5, 1]


def test_clip_by_norm_derivatives_also_at_zero():
    check_grads(lambda x: tf.clip_by_norm(x, 1.0), (random.normal(size=4) + 2.0,))
    check_grads(lambda x: tf.clip_by_norm(x, 100.0), (random.normal(size=4),))
    x = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        y = tf.clip_by_norm(x, 1.0)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]


def test_clip_by_norm_refuses_integers():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.clip_by_norm([3, 4], 1)


def test_global_norm():
    assert tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant([[4.0]])]).numpy() == 5.0
    assert tf.linalg.global_norm([slices()]).numpy() == 5.0
    assert tf.linalg.global_norm([tf.Variable([3.0, 4.0])]).numpy() == 5.0
    for nothing in ([], [None]):
        norm = tf.linalg.global_norm(nothing)
        assert (norm.numpy(), norm.dtype) == (0.0, tf.float32)
    check_grads(lambda a, b: tf.linalg.global_norm([a, b]), (random.normal(size=2), random.normal(size=3)))


@pytest.mark.parametrize("wrong", [tf.constant([1.0]), {"a": tf.constant([1.0])}, "ab", None])
def test_lists_only(wrong):
    with pytest.raises(TypeError, match="should be a sequence of tensors"):
        tf.linalg.global_norm(wrong)
    with pytest.raises(TypeError, match="should be a sequence of tensors"):
        tf.clip_by_global_norm(wrong, 1.0)


def test_clip_by_global_norm():
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), None, slices()], 1.0)
    length = np.sqrt(34.0)
    np.testing.assert_allclose(norm, length, rtol=1e-6)
    np.testing.assert_allclose(clipped[0], [3.0 / length], rtol=1e-6)
    assert clipped[1] is None
    assert isinstance(clipped[2], tf.IndexedSlices)
    np.testing.assert_allclose(clipped[2].values, np.array([[3.0], [4.0]]) / length, rtol=1e-6)


def test_clip_by_global_norm_leaves_small_and_zero_tensors():
    clipped, norm = tf.clip_by_global_norm((tf.constant([3.0, 4.0]),), 10.0)
    assert isinstance(clipped, list)
    np.testing.assert_allclose(clipped[0], [3.0, 4.0], rtol=1e-6)
    zero, norm = tf.clip_by_global_norm([tf.constant([0.0, 0.0])], 1.0)
    assert (zero[0].numpy().tolist(), norm.numpy()) == ([0.0, 0.0], 0.0)


def test_a_norm_that_is_not_finite_makes_nan():
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0, np.inf])], 1.0)
    assert np.isinf(norm.numpy())
    assert np.isnan(clipped[0].numpy()).all()


def test_use_norm():
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0])], 1.0, use_norm=10.0)
    np.testing.assert_allclose(clipped[0], [0.3], rtol=1e-6)
    assert norm.numpy() == 10.0


def test_gradients_of_an_embedding_are_clipped_as_rows():
    table, w = tf.Variable(np.ones((4, 2), np.float32)), tf.Variable([[3.0], [4.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 2]) @ w)
    grads = tape.gradient(loss, [table, w])
    clipped, norm = tf.clip_by_global_norm(grads, 1.0)
    assert isinstance(clipped[0], tf.IndexedSlices)
    np.testing.assert_allclose(norm, np.sqrt(2 * 25.0 + 8.0), rtol=1e-6)
    np.testing.assert_allclose(tf.linalg.global_norm(clipped), 1.0, rtol=1e-6)


def test_a_norm_must_not_make_the_tensor_larger() -> None:
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_norm(tf.ones([2, 3, 1]), tf.constant([1.0, 2.0]))
