"""Candidate samplers: their frequencies are their probabilities. Expected counts are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

TRUE = [[0, 3], [9, 2]]
LOG_UNIFORM = np.log((np.arange(10) + 2) / (np.arange(10) + 1)) / np.log(11)


def frequencies(sample, size):
    return np.bincount(sample.sampled_candidates.numpy(), minlength=size) / len(sample.sampled_candidates)


def test_uniform():
    sample = tf.random.uniform_candidate_sampler(TRUE, 2, 50000, False, 10, seed=1)
    np.testing.assert_allclose(frequencies(sample, 10), 0.1, atol=0.01)
    np.testing.assert_allclose(sample.true_expected_count, np.full((2, 2), 5000.0))
    assert sample.sampled_candidates.dtype is tf.int64
    assert sample.sampled_expected_count.dtype is tf.float32


def test_log_uniform():
    sample = tf.random.log_uniform_candidate_sampler(TRUE, 2, 50000, False, 10, seed=1)
    np.testing.assert_allclose(frequencies(sample, 10), LOG_UNIFORM, atol=0.01)
    np.testing.assert_allclose(sample.true_expected_count, 50000 * LOG_UNIFORM[TRUE], rtol=1e-6)
    np.testing.assert_allclose(sample.sampled_expected_count, 50000 * LOG_UNIFORM[sample.sampled_candidates], rtol=1e-6)


@pytest.mark.parametrize("count", [1, 5, 10])
def test_unique(count):
    for seed in range(5):
        sample = tf.random.log_uniform_candidate_sampler(TRUE, 2, count, True, 10, seed=seed)
        assert len(set(sample.sampled_candidates.numpy().tolist())) == count
        # The chance that class 9 is among some whole number of draws.
        tries = np.log1p(-float(sample.true_expected_count[1, 0])) / np.log1p(-LOG_UNIFORM[9])
        assert abs(tries - round(tries)) < 1e-2
        assert round(tries) >= count


def test_unique_classes_come_as_often_as_they_should():
    hits = np.zeros(10)
    expected = np.zeros(10)
    every = np.arange(10)[None]
    for _ in range(800):
        sample = tf.random.log_uniform_candidate_sampler(every, 10, 4, True, 10, seed=7)
        hits[sample.sampled_candidates.numpy()] += 1
        expected += sample.true_expected_count.numpy()[0]
    np.testing.assert_allclose(hits / 800, expected / 800, atol=0.08)


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({"unigrams": [1.0, 2.0, 3.0, 4.0]}, [0.1, 0.2, 0.3, 0.4]),
        ({"unigrams": [1.0, 2.0, 3.0, 4.0], "distortion": 0.0}, [0.25] * 4),
        ({"unigrams": [1.0, 3.0], "num_reserved_ids": 2}, [0.0, 0.0, 0.25, 0.75]),
        ({"unigrams": [9.0, 1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0], "num_shards": 2, "shard": 1}, [0.1, 0.2, 0.3, 0.4]),
    ],
)
def test_fixed_unigram(options, weights):
    sample = tf.nn.fixed_unigram_candidate_sampler([[0, 3]], 2, 20000, False, 4, seed=1, **options)
    np.testing.assert_allclose(frequencies(sample, 4), weights, atol=0.02)
    np.testing.assert_allclose(sample.true_expected_count, [[20000 * weights[0], 20000 * weights[3]]], rtol=1e-6)


def test_fixed_unigram_from_a_file(tmp_path):
    file = tmp_path / "vocab.csv"
    file.write_text("a,1\nb,2\n\nc,3\nd,4\n")
    sample = tf.nn.fixed_unigram_candidate_sampler([[0, 3]], 2, 4, False, 4, vocab_file=str(file))
    np.testing.assert_allclose(sample.true_expected_count, [[0.4, 1.6]], rtol=1e-6)


def test_learned_unigram():
    counts = []
    for _ in range(3):
        sample = tf.nn.learned_unigram_candidate_sampler([[0, 3]], 2, 6, False, 5, seed=101)
        counts.append(sample.true_expected_count.numpy()[0, 0])
    np.testing.assert_allclose(counts, [1.2, 1.7142859, 2.0], rtol=1e-6)


def test_all():
    sample = tf.nn.all_candidate_sampler([[3], [1]], 1, 4, True)
    assert sample.sampled_candidates.numpy().tolist() == [0, 1, 2, 3]
    assert sample.true_expected_count.numpy().tolist() == [[1.0], [1.0]]


def test_accidental_hits():
    hits = tf.nn.compute_accidental_hits(TRUE, [9, 3, 1], 2)
    assert hits.indices.numpy().tolist() == [0, 1]
    assert hits.ids.numpy().tolist() == [1, 0]
    np.testing.assert_array_equal(hits.weights, np.full(2, np.finfo(np.float32).min))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((TRUE, 1, 5, True, 10), "true_classes must be a matrix of integers with num_true columns"),
        (([5], 1, 5, True, 10), "true_classes is i32[1]"),
        (([[0.5]], 1, 5, True, 10), "true_classes is f32[1,1]"),
        (([[50]], 1, 5, True, 10), "out of range [0, 10), received 50"),
        ((TRUE, 2, 15, True, 10), "Sampler's range is too small"),
        ((TRUE, 2, 5, True, 0), "range_max must be positive, got 0"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.random.uniform_candidate_sampler(*arguments)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "no weights are given"),
        ({"unigrams": [1.0], "vocab_file": "x"}, "only one of vocab_file and unigrams"),
        ({"unigrams": [1.0, 2.0]}, "range_max is 4, but there are 2 weights"),
    ],
)
def test_fixed_unigram_refusals(options, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 2, False, 4, **options)


def test_seeds():
    tf.random.set_seed(3)
    first = tf.random.uniform_candidate_sampler(TRUE, 2, 20, False, 1000)
    tf.random.set_seed(3)
    again = tf.random.uniform_candidate_sampler(TRUE, 2, 20, False, 1000)
    np.testing.assert_array_equal(first.sampled_candidates, again.sampled_candidates)


@pytest.mark.parametrize("shape", [[2, 2], [None, 2]])
def test_in_functions(shape):
    @tf.function(input_signature=[tf.TensorSpec(shape, tf.int64)])
    def sample(classes):
        found = tf.random.log_uniform_candidate_sampler(classes, 2, 5, True, 10, seed=3)
        learned = tf.nn.learned_unigram_candidate_sampler(classes, 2, 4, False, 11, seed=len(str(shape)))
        return (
            found,
            learned,
            tf.nn.compute_accidental_hits(classes, found[0], 2),
            tf.nn.all_candidate_sampler(classes, 2, 3, True),
        )

    tf.random.set_seed(3)
    found, learned, hits, everything = sample(tf.constant(TRUE, tf.int64))
    tf.random.set_seed(3)
    eager = tf.random.log_uniform_candidate_sampler(TRUE, 2, 5, True, 10, seed=3)
    for a, b in zip(found, eager, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    for a, b in zip(hits, tf.nn.compute_accidental_hits(TRUE, eager[0], 2), strict=True):
        np.testing.assert_array_equal(a, b)
    assert everything.true_expected_count.shape == [2, 2]
    np.testing.assert_allclose(learned.true_expected_count, np.full((2, 2), 4 / 11), rtol=1e-6)
    again = sample(tf.constant(TRUE, tf.int64))[1]
    np.testing.assert_allclose(again.true_expected_count, np.full((2, 2), 8 / 15), rtol=1e-6)


def test_sampled_losses_in_functions():
    weights, biases = tf.Variable(tf.ones([9, 3])), tf.Variable(tf.zeros([9]))

    @tf.function
    def step(labels, inputs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.nce_loss(weights, biases, labels, inputs, 4, 9))
        return loss, tape.gradient(loss, [weights, biases])

    loss, gradients = step(tf.constant([[1], [2]], tf.int64), tf.ones([2, 3]))
    assert float(loss) > 0
    assert all(np.isfinite(tf.convert_to_tensor(g).numpy()).all() for g in gradients)
