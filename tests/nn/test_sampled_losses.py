"""Sampled losses, for a given sample. Numbers are TensorFlow's."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(3)
WEIGHTS = random.normal(size=(7, 3)).astype(np.float32)
BIASES = random.normal(size=7).astype(np.float32)
INPUTS = random.normal(size=(2, 3)).astype(np.float32)
LABELS = np.array([[1, 4], [2, 2]])
SAMPLE = np.array([1, 5, 6]), np.array([[0.1, 0.2], [0.3, 0.4]], np.float32), np.array([0.5, 0.6, 0.7], np.float32)


@pytest.mark.parametrize(
    ("loss", "remove", "wanted"),
    [
        ("nce_loss", False, [7.945514678955078, 6.0998358726501465]),
        ("nce_loss", True, [6.5476884841918945, 6.0998358726501465]),
        ("sampled_softmax_loss", False, [1.4283833503723145, 2.718477725982666]),
        ("sampled_softmax_loss", True, [1.372840166091919, 2.718477725982666]),
    ],
)
@pytest.mark.parametrize("parts", [False, True])
def test_losses(loss, remove, wanted, parts):
    weights = [WEIGHTS[:4], WEIGHTS[4:]] if parts else WEIGHTS
    options = {"num_true": 2, "sampled_values": SAMPLE, "remove_accidental_hits": remove}
    got = getattr(tf.nn, loss)(weights, BIASES, LABELS, INPUTS, 3, 7, **options)
    np.testing.assert_allclose(got, wanted, rtol=1e-5)


@pytest.mark.parametrize("loss", ["nce_loss", "sampled_softmax_loss"])
def test_derivatives(loss):
    def f(weights, biases, inputs):
        options = {"num_true": 2, "sampled_values": SAMPLE, "remove_accidental_hits": True}
        return getattr(tf.nn, loss)(weights, biases, LABELS, inputs, 3, 7, **options)

    check_grads(f, (WEIGHTS, BIASES, INPUTS))


def test_gradients_are_rows():
    weights, biases = tf.Variable(WEIGHTS), tf.Variable(BIASES)
    with tf.GradientTape() as tape:
        loss = tf.nn.nce_loss(weights, biases, LABELS, INPUTS, 3, 7, num_true=2, sampled_values=SAMPLE)
    grads = tape.gradient(loss, [weights, biases])
    assert all(isinstance(g, tf.IndexedSlices) for g in grads)
    assert grads[0].values.shape == (7, 3)
    assert grads[0].indices.numpy().tolist() == [1, 4, 2, 2, 1, 5, 6]


def test_a_sample_of_all_classes_is_the_whole_softmax():
    everything = tf.nn.all_candidate_sampler(LABELS[:, :1], 1, 7, True)
    got = tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, LABELS[:, :1], INPUTS, 7, 7, sampled_values=everything)
    logits = INPUTS @ WEIGHTS.T + BIASES
    np.testing.assert_allclose(got, -scipy.special.log_softmax(logits, axis=1)[[0, 1], LABELS[:, 0]], rtol=1e-5)


def test_labels_may_be_a_vector_and_the_sample_drawn():
    tf.random.set_seed(1)
    a = tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, [1, 2], INPUTS, 3, 7, seed=5)
    tf.random.set_seed(1)
    b = tf.nn.sampled_softmax_loss(WEIGHTS, BIASES, [[1], [2]], INPUTS, 3, 7, seed=5)
    np.testing.assert_array_equal(a, b)
    assert a.shape == (2,)


@pytest.mark.parametrize(
    ("labels", "inputs", "words"),
    [
        ([[1], [2]], INPUTS, "labels is i64[2,1], inputs is f32[2,3], num_true is 2"),
        (LABELS, INPUTS[0], "inputs is [batch, dim]"),
        ([["0", "1"], ["1", "2"]], INPUTS, "labels must be integers"),
    ],
)
def test_refusals(labels, inputs, words):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.nn.nce_loss(WEIGHTS, BIASES, labels, inputs, 3, 7, num_true=2)
    assert words in str(caught.value)


def test_a_label_out_of_range():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        tf.nn.nce_loss(WEIGHTS, BIASES, [[7], [0]], INPUTS, 3, 7)


@pytest.mark.parametrize("loss", ["nce_loss", "sampled_softmax_loss"])
def test_in_functions(loss):
    weights, biases = tf.Variable(tf.ones([50, 4])), tf.Variable(tf.zeros([50]))

    @tf.function(input_signature=[tf.TensorSpec([None, 1], tf.int64), tf.TensorSpec([None, 4])])
    def step(labels, inputs):
        with tf.GradientTape() as tape:
            y = getattr(tf.nn, loss)(weights, biases, labels, inputs, 5, 50)
        return y, tape.gradient(y, weights)

    drawn = [step(tf.constant([[1], [2]], tf.int64), tf.ones([2, 4])) for _ in range(3)]
    assert all(y.shape == (2,) and isinstance(d, tf.IndexedSlices) for y, d in drawn)
    assert len({tuple(np.sort(d.indices.numpy()).tolist()) for _, d in drawn}) > 1  # every call draws its own sample


@pytest.mark.parametrize("loss", ["nce_loss", "sampled_softmax_loss"])
def test_labels_may_be_floats(loss):
    got, wanted = (
        getattr(tf.nn, loss)(WEIGHTS, BIASES, labels, INPUTS, 3, 7, num_true=2, sampled_values=SAMPLE)
        for labels in (np.asarray(LABELS, np.float32), LABELS)
    )
    assert np.array_equal(got, wanted)
