"""Softmax, losses and small parts of layers under TensorFlow's names. Numbers without a formula are TensorFlow's."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(6)
LOGITS = random.normal(size=(2, 3))
ONE_HOT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


def test_softmax_takes_the_last_axis_by_default():
    np.testing.assert_allclose(tf.nn.softmax(LOGITS), scipy.special.softmax(LOGITS, axis=-1))
    np.testing.assert_allclose(tf.nn.softmax(LOGITS, axis=0), scipy.special.softmax(LOGITS, axis=0))
    np.testing.assert_allclose(tf.math.log_softmax(LOGITS, axis=-2), scipy.special.log_softmax(LOGITS, axis=0))


def test_softmax_of_nothing_but_minus_infinity_is_nan():
    assert np.isnan(tf.nn.softmax([-np.inf, -np.inf]).numpy()).all()
    assert tf.nn.softmax([-np.inf, 0.0]).numpy().tolist() == [0.0, 1.0]


@pytest.mark.parametrize("x", [1.0, [1, 2]])
def test_softmax_refuses_scalars_and_integers(x):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.softmax(x)


def test_softmax_refuses_an_axis_out_of_range():
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis is 3"):
        tf.nn.softmax([1.0], axis=3)


def test_softmax_cross_entropy():
    wanted = -np.sum(ONE_HOT * scipy.special.log_softmax(LOGITS, axis=-1), axis=-1)
    np.testing.assert_allclose(tf.nn.softmax_cross_entropy_with_logits(ONE_HOT, LOGITS), wanted)
    np.testing.assert_allclose(tf.nn.softmax_cross_entropy_with_logits(ONE_HOT.T, LOGITS.T, axis=0), wanted)
    np.testing.assert_allclose(tf.nn.softmax_cross_entropy_with_logits(ONE_HOT[0], LOGITS[0]), wanted[0])


def test_softmax_cross_entropy_casts_and_broadcasts_labels():
    logits = tf.constant(LOGITS, tf.float32)
    for labels in (
        ONE_HOT.astype(int).tolist(),
        tf.constant(ONE_HOT),
        tf.constant(ONE_HOT.astype(int)),
        tf.Variable(ONE_HOT),
    ):
        loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        assert loss.dtype is tf.float32
        np.testing.assert_allclose(loss, tf.nn.softmax_cross_entropy_with_logits(ONE_HOT, LOGITS), rtol=1e-6)
    same = tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[1.0, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(same, [0.6931472, 0.31326166], rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[1.0, 1.0, 2.0]])


def test_softmax_cross_entropy_of_an_impossible_class_is_nan_as_in_tensorflow():
    assert np.isnan(tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[-np.inf, 1.0]]).numpy()).all()


def test_softmax_cross_entropy_derivatives():
    check_grads(lambda z, x: tf.nn.softmax_cross_entropy_with_logits(z, x), (ONE_HOT, LOGITS))
    labels = np.abs(LOGITS) / np.abs(LOGITS).sum(axis=0)
    check_grads(lambda z, x: tf.nn.softmax_cross_entropy_with_logits(z, x, axis=0), (labels, LOGITS))


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_softmax_cross_entropy_gradient_of_labels_that_are_no_distribution(wrap):
    """It is softmax - labels in TensorFlow, whatever the sum of the labels: these are its numbers."""

    def gradient(labels, logits):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        return tape.gradient(loss, logits)

    found = wrap(gradient)(tf.constant([[1.0, 2.0, 3.0]]), tf.constant([[1.0, -1.0, 0.5]]))
    np.testing.assert_allclose(found.numpy(), [[-0.4259, -1.9223, -2.6518]], atol=1e-4)
    found = wrap(gradient)(tf.constant([[-1.0], [0.0], [1.0], [2.0]]), tf.constant([[1.0], [-1.0], [0.0], [1.0]]))
    assert found.numpy().tolist() == [[2.0], [1.0], [0.0], [-1.0]]


def test_sparse_softmax_cross_entropy():
    wanted = tf.nn.softmax_cross_entropy_with_logits(ONE_HOT, LOGITS)
    for labels in ([2, 0], np.array([2, 0], np.uint8), tf.constant([2, 0], tf.int64)):
        np.testing.assert_allclose(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, LOGITS), wanted)
    assert tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[-np.inf, 1.0]]).numpy().tolist() == [0.0]
    check_grads(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x), (LOGITS,), order=3)


@pytest.mark.parametrize(
    ("labels", "logits", "error", "words"),
    [
        (
            [5],
            [[0.0, 1.0]],
            tf.errors.InvalidArgumentError,
            "label value of 5 which is outside the valid range of [0, 2): labels[0]",
        ),
        ([-1], [[0.0, 1.0]], tf.errors.InvalidArgumentError, "label value of -1"),
        ([[1]], [[0.0, 1.0]], ValueError, "labels is i32[1,1], logits is f32[1,2]"),
        ([1, 0, 1], [[0.0, 1.0]], ValueError, "labels is i32[3]"),
        (1, 3.0, ValueError, "logits is f32[]"),
        ([1.0], [[0.0, 1.0]], tf.errors.InvalidArgumentError, "must be integers"),
    ],
)
def test_sparse_softmax_cross_entropy_refusals(labels, logits, error, words):
    with pytest.raises(error) as caught:
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    assert words in str(caught.value)


def test_sparse_loss_trains_a_classifier():
    x = random.normal(size=(30, 2)).astype(np.float32)
    labels = (x[:, 0] > 0).astype(np.int32)
    w = tf.Variable(np.zeros((2, 2), np.float32))
    for _ in range(50):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x @ w))
        w.assign_sub(tape.gradient(loss, w))
    assert (tf.argmax(x @ w, axis=1).numpy() == labels).all()


def test_sigmoid_cross_entropy():
    labels = random.uniform(size=(2, 3))
    p = scipy.special.expit(LOGITS)
    wanted = -labels * np.log(p) - (1 - labels) * np.log(1 - p)
    np.testing.assert_allclose(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=LOGITS), wanted)
    check_grads(lambda z, x: tf.nn.sigmoid_cross_entropy_with_logits(z, x), (labels, LOGITS))
    for wrong in ([0.0, 1.0], 1.0):
        with pytest.raises(ValueError, match="must have the same shape"):
            tf.nn.sigmoid_cross_entropy_with_logits(labels=wrong, logits=[1.0, 1.0, 2.0])


def test_sigmoid_cross_entropy_of_extreme_logits():
    losses = tf.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0, 1.0], [1000.0, 1000.0, 20.0])
    np.testing.assert_allclose(losses, [0.0, 1000.0, 2.0611537e-9], rtol=1e-6)


def test_sigmoid_cross_entropy_slope_at_zero():
    x = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        loss = tf.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], x)
    assert tape.gradient(loss, x).numpy().tolist() == [-0.5, 0.5]


def test_weighted_cross_entropy():
    labels = random.uniform(size=(2, 3))
    p = scipy.special.expit(LOGITS)
    wanted = -3.0 * labels * np.log(p) - (1 - labels) * np.log(1 - p)
    np.testing.assert_allclose(tf.nn.weighted_cross_entropy_with_logits(labels, LOGITS, 3.0), wanted)
    check_grads(lambda z, x, w: tf.nn.weighted_cross_entropy_with_logits(z, x, w), (labels, LOGITS, 3.0))


def test_l2_loss():
    np.testing.assert_allclose(tf.nn.l2_loss(LOGITS), np.sum(LOGITS**2) / 2)
    check_grads(tf.nn.l2_loss, (LOGITS,))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.l2_loss([3, 4])


def test_bias_add():
    x, bias = random.normal(size=(2, 3, 4, 4)), random.normal(size=3)
    wanted = x + bias[:, None, None]
    for name in ("NCHW", "NC..."):
        np.testing.assert_allclose(tf.nn.bias_add(x, bias, data_format=name), wanted)
    last = np.moveaxis(x, 1, -1)
    for name in (None, "NHWC", "N...C"):
        np.testing.assert_allclose(tf.nn.bias_add(last, bias, data_format=name), np.moveaxis(wanted, 1, -1))
    np.testing.assert_allclose(tf.nn.bias_add(x[:, :, 0, 0], bias, data_format="NC..."), x[:, :, 0, 0] + bias)


@pytest.mark.parametrize(
    ("value", "bias"),
    [
        (np.ones((2, 3)), np.ones(2)),
        (np.ones((2, 3)), np.ones(1)),
        (np.ones(3), np.ones(3)),
        (np.ones((3, 3)), np.ones((3, 3))),
    ],
)
def test_bias_add_does_not_broadcast(value, bias):
    with pytest.raises(tf.errors.InvalidArgumentError, match="one element per channel"):
        tf.nn.bias_add(value, bias)


def test_bias_add_refuses_a_data_format():
    with pytest.raises(ValueError, match="data_format"):
        tf.nn.bias_add(np.ones((1, 1)), np.ones(1), data_format="X")


def test_embedding_lookup():
    table = tf.Variable([[3.0, 4.0], [0.25, 0.25]])
    assert tf.nn.embedding_lookup(table, [[1], [0]]).numpy().tolist() == [[[0.25, 0.25]], [[3.0, 4.0]]]
    np.testing.assert_allclose(
        tf.nn.embedding_lookup(table, [0, 1], max_norm=1.0), [[0.6, 0.8], [0.25, 0.25]], rtol=1e-6
    )
    parts = [tf.constant([[1.0], [2.0]]), tf.constant([[3.0]])]
    assert tf.nn.embedding_lookup(parts, [[0, 2]]).numpy().tolist() == [[[1.0], [3.0]]]
    assert tf.nn.embedding_lookup(parts[:1], [1]).numpy().tolist() == [[2.0]]


def test_embedding_lookup_refusals():
    with pytest.raises(ValueError, match="must be specified"):
        tf.nn.embedding_lookup(None, [0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be integers"):
        tf.nn.embedding_lookup(tf.ones([2, 2]), [0.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 2 is not in \[0, 2\)"):
        tf.nn.embedding_lookup(tf.ones([2, 2]), [2])


def test_moments():
    x = random.normal(size=(4, 3))
    mean, variance = tf.nn.moments(x, axes=[0])
    np.testing.assert_allclose(mean, x.mean(0))
    np.testing.assert_allclose(variance, x.var(0))
    assert [m.shape for m in tf.nn.moments(x, [0, 1], keepdims=True)] == [(1, 1), (1, 1)]
    half = tf.nn.moments(tf.constant(x, tf.float16), [0])
    assert half[1].dtype is tf.float16
    check_grads(lambda v: tf.nn.moments(v, [0]), (x,))


def test_batch_normalization():
    x = random.normal(size=(4, 3))
    mean, variance, offset, scale = x.mean(0), x.var(0), np.arange(3.0), np.array([1.0, 2.0, 3.0])
    wanted = (x - mean) / np.sqrt(variance + 1e-3) * scale + offset
    np.testing.assert_allclose(tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3), wanted)
    plain = tf.nn.batch_normalization(tf.constant(x), tf.constant(mean), tf.Variable(variance), None, None, 1e-3)
    np.testing.assert_allclose(plain, (x - mean) / np.sqrt(variance + 1e-3))


def test_in_top_k():
    predictions = [[0.1, 0.2, 0.3], [0.5, 0.5, 0.1], [1.0, 1.0, np.nan], [0.1, 0.2, 0.3]]
    assert tf.nn.in_top_k([0, 1, 2, 5], predictions, 2).numpy().tolist() == [False, True, False, False]
