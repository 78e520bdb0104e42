"""The CTC loss against all alignments one by one, and the decoders. Decoded numbers are TensorFlow's."""

import itertools

import numpy as np
import pytest
import scipy.special

import gradtape as tf
from gradtape.testing import check_grads

random = np.random.default_rng(0)
LOGITS = random.normal(size=(5, 4, 4))
LABELS = np.array([[1, 2, 0], [1, 1, 2], [3, 0, 0], [0, 0, 0]])
LABEL_LENGTH = [2, 3, 1, 0]
FRAMES = [5, 4, 5, 3]


def spelled(path, blank):
    """What a path spells: repeated classes are one, blanks are nothing."""
    return tuple(k for k, _ in itertools.groupby(path) if k != blank)


def by_alignments(labels, logits, label_length, logit_length, blank):
    """-log of the sum of the probabilities of all paths."""
    losses = []
    for i, (row, n, frames) in enumerate(zip(labels, label_length, logit_length, strict=True)):
        log_probs = scipy.special.log_softmax(logits[:frames, i], axis=-1)
        wanted = tuple(row[:n])
        total = -np.inf
        for path in itertools.product(range(logits.shape[2]), repeat=frames):
            if spelled(path, blank) == wanted:
                total = np.logaddexp(total, sum(log_probs[t, c] for t, c in enumerate(path)))
        losses.append(-total)
    return np.array(losses)


@pytest.mark.parametrize(
    ("labels", "blank"), [(LABELS, 0), (np.array([[0, 1, 9], [2, 2, 1], [1, 9, 9], [9, 9, 9]]), 3), (3 - LABELS, -1)]
)
def test_loss(labels, blank):
    wanted = by_alignments(labels, LOGITS, LABEL_LENGTH, FRAMES, blank % 4)
    got = tf.nn.ctc_loss(labels, LOGITS, LABEL_LENGTH, FRAMES, blank_index=blank)
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_loss_in_other_layouts_and_dtypes():
    wanted = by_alignments(LABELS, LOGITS, LABEL_LENGTH, FRAMES, 0)
    by_batch = tf.nn.ctc_loss(LABELS, np.swapaxes(LOGITS, 0, 1), LABEL_LENGTH, FRAMES, logits_time_major=False)
    np.testing.assert_allclose(by_batch, wanted, rtol=1e-12)
    unique = tf.nn.ctc_loss(LABELS, LOGITS, LABEL_LENGTH, FRAMES, unique=tf.nn.ctc_unique_labels(LABELS))
    np.testing.assert_allclose(unique, wanted, rtol=1e-12)
    for dtype, rtol in (("float32", 1e-5), ("float16", 2e-3), ("bfloat16", 2e-2)):
        got = tf.nn.ctc_loss(LABELS.astype(np.int32), tf.cast(LOGITS, dtype), LABEL_LENGTH, FRAMES)
        assert got.dtype.name == dtype
        np.testing.assert_allclose(tf.cast(got, tf.float64), wanted, rtol=rtol)


def test_loss_of_sparse_labels():
    places = [[i, j] for i, n in enumerate(LABEL_LENGTH) for j in range(n)]
    sparse = tf.SparseTensor(places, [int(LABELS[i, j]) for i, j in places], [4, 3])
    got = tf.nn.ctc_loss(sparse, LOGITS, None, FRAMES, blank_index=0)
    np.testing.assert_allclose(got, by_alignments(LABELS, LOGITS, LABEL_LENGTH, FRAMES, 0), rtol=1e-12)
    with pytest.raises(ValueError, match="`blank_index` must be provided"):
        tf.nn.ctc_loss(sparse, LOGITS, None, FRAMES)
    apart = tf.SparseTensor([[i, 2 * j + 1] for i, j in places], sparse.values, [4, 6])  # columns only say the order
    np.testing.assert_array_equal(tf.nn.ctc_loss(apart, LOGITS, None, FRAMES, blank_index=0), got)


@pytest.mark.parametrize("bad", [4, -1, 100])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_labels_of_no_class_are_refused(wrap, bad):
    f = wrap(lambda labels: tf.nn.ctc_loss(labels, LOGITS, LABEL_LENGTH, FRAMES))
    labels = LABELS.copy()
    labels[0, 0] = bad
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{bad} is not in"):
        f(tf.constant(labels))
    f(tf.constant(LABELS))


def test_derivatives():
    check_grads(lambda x: tf.nn.ctc_loss(LABELS, x, LABEL_LENGTH, FRAMES), (LOGITS,), order=3)


def test_the_gradient_is_the_posterior_of_the_paths():
    """Softmax minus how often, on average, paths that spell the labels are in a class."""
    logits = LOGITS[:3, :1]
    log_probs = scipy.special.log_softmax(logits[:, 0], axis=-1)
    occupied, total = np.zeros((3, 4)), 0.0
    for path in itertools.product(range(4), repeat=3):
        if spelled(path, 0) == (1, 2):
            p = np.exp(sum(log_probs[t, c] for t, c in enumerate(path)))
            total += p
            occupied[range(3), path] += p
    x = tf.constant(logits)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss([[1, 2]], x, [2], [3])
    np.testing.assert_allclose(tape.gradient(loss, x)[:, 0], np.exp(log_probs) - occupied / total, rtol=1e-10)


def test_labels_that_no_path_spells():
    x = tf.constant(LOGITS[:3, :2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss([[1, 1, 1], [1, 2, 3]], x, [3, 3], [3, 3])
        first = tape.gradient(loss, x)
        squares = tf.reduce_sum(first**2)
    assert np.isinf(loss[0].numpy())
    assert np.isfinite(loss[1].numpy())
    assert (first[:, 0].numpy() == 0).all()
    assert np.isfinite(first.numpy()).all()
    assert np.isfinite(tape.gradient(squares, x).numpy()).all()


def test_no_frames():
    loss = tf.nn.ctc_loss([[1], [1]], LOGITS[:, :2], [0, 1], [0, 0])
    assert loss.numpy().tolist() == [0.0, np.inf]
    assert tf.nn.ctc_loss([[1]], np.zeros((0, 1, 3)), [0], [0]).numpy().tolist() == [0.0]


def test_padding_is_not_looked_at():
    logits = np.array(LOGITS)
    logits[4, 1], logits[3:, 3] = np.nan, np.inf
    x = tf.constant(logits)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.nn.ctc_loss(LABELS, x, LABEL_LENGTH, FRAMES)
    np.testing.assert_allclose(loss, by_alignments(LABELS, LOGITS, LABEL_LENGTH, FRAMES, 0), rtol=1e-12)
    gradient = tape.gradient(loss, x).numpy()
    assert np.isfinite(gradient[:3]).all()


def test_long_sequences_keep_their_digits_in_float32():
    logits = 3.0 * random.normal(size=(400, 1, 30))
    labels = random.integers(1, 30, size=(1, 60))
    x, wide = tf.constant(logits.astype(np.float32)), tf.constant(logits)
    gradients = []
    for v in (x, wide):
        with tf.GradientTape() as tape:
            tape.watch(v)
            loss = tf.nn.ctc_loss(labels, v, [60], [400])
        gradients.append(tape.gradient(loss, v).numpy())
    assert np.abs(gradients[0] - gradients[1]).max() < 1e-6


def test_examples_of_a_map():
    labels, lengths = tf.constant(LABELS), tf.constant(LABEL_LENGTH)
    examples = tf.transpose(tf.constant(LOGITS), [1, 0, 2])

    def one(values):
        x, row, n = values
        return tf.nn.ctc_loss(row[None], x[:, None], n[None], [3])[0]

    got = tf.vectorized_map(one, (examples, labels, lengths), fallback_to_while_loop=False)
    np.testing.assert_allclose(got, by_alignments(LABELS, LOGITS, LABEL_LENGTH, [3] * 4, 0), rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"labels": [[9, 0, 0]] * 4}, "labels[0,0] = 9 is not in [0, 4)"),
        ({"labels": [[1.0]] * 4}, "labels must be integers"),
        ({"labels": LABELS[:2]}, "labels is i64[2,3]"),
        ({"label_length": [9, 1, 1, 1]}, "label_length is [9, 1, 1, 1], and must be from 0 to 3"),
        ({"logit_length": [6, 1, 1, 1]}, "logit_length is [6, 1, 1, 1], and must be from 0 to 5"),
        ({"logit_length": [5]}, "logit_length i64[1]"),
        ({"logits": LOGITS[0]}, "logits of rank 3"),
        ({"blank_index": 7}, "between -4 and 3 but was 7"),
    ],
)
def test_refusals(change, words):
    arguments = {"labels": LABELS, "logits": LOGITS, "label_length": LABEL_LENGTH, "logit_length": FRAMES}
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.nn.ctc_loss(**{**arguments, **change})
    assert words in str(caught.value)


def test_unique_labels():
    unique, positions = tf.nn.ctc_unique_labels([[3, 1, 3, 0], [2, 2, 2, 2]])
    assert unique.numpy().tolist() == [[3, 1, 0, 0], [2, 0, 0, 0]]
    assert positions.numpy().tolist() == [[0, 1, 0, 2], [0, 0, 0, 0]]
    assert (unique.dtype, positions.dtype) == (tf.int64, tf.int32)


def test_collapse_repeated():
    labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3])
    assert labels.numpy().tolist() == [[1, 2, 1], [3, 0, 0]]
    assert lengths.numpy().tolist() == [3, 1]
    assert tf.nn.collapse_repeated([[1, 2]], [0])[0].shape == (1, 0)


def rows(sparse):
    """The rows of a sparse matrix of labels."""
    found = [[] for _ in range(sparse.shape[0])]
    for (i, _), label in zip(sparse.indices.numpy(), sparse.values.numpy(), strict=True):
        found[i].append(int(label))
    return found


def test_greedy_decoder():
    (decoded,), score = tf.nn.ctc_greedy_decoder(LOGITS, FRAMES)
    assert rows(decoded) == [[2, 1, 0, 2], [2, 1, 1], [0, 1, 2], [1]]
    assert decoded.shape == (4, 4)
    np.testing.assert_allclose(score, [[-5.608889], [-4.8203697], [-4.976774], [-1.9616618]], rtol=1e-6)
    (decoded,), _ = tf.nn.ctc_greedy_decoder(LOGITS, FRAMES, merge_repeated=False, blank_index=0)
    assert rows(decoded) == [[2, 3, 1, 2], [2, 1, 3, 1], [3, 1, 1, 2], [1, 1, 3]]
    (decoded,), _ = tf.nn.ctc_greedy_decoder(LOGITS, FRAMES, blank_index=-2)
    assert rows(decoded) == [[3, 1, 0], [1, 3, 1], [3, 0, 1], [1, 3]]


def test_beam_search_finds_the_most_probable_labels():
    """A beam that holds all beginnings is exact."""
    decoded, scores = tf.nn.ctc_beam_search_decoder(LOGITS, FRAMES, beam_width=1000, top_paths=3)
    for i, frames in enumerate(FRAMES):
        log_probs = scipy.special.log_softmax(LOGITS[:frames, i], axis=-1)
        totals = {}
        for path in itertools.product(range(4), repeat=frames):
            p = sum(log_probs[t, c] for t, c in enumerate(path))
            key = spelled(path, 3)
            totals[key] = np.logaddexp(totals.get(key, -np.inf), p)
        best = sorted(totals, key=totals.get, reverse=True)[:3]
        assert [rows(d)[i] for d in decoded] == [list(b) for b in best]
        np.testing.assert_allclose(scores[i], [totals[b] for b in best], rtol=1e-10)


def test_a_narrow_beam():
    decoded, scores = tf.nn.ctc_beam_search_decoder(LOGITS.astype(np.float32), FRAMES, beam_width=2, top_paths=2)
    assert [rows(d) for d in decoded] == [
        [[2, 1, 2], [2, 1], [0, 1, 2], [1]],
        [[2, 1], [2, 1, 1], [0, 2, 1, 2], [1, 2]],
    ]
    wanted = [[-3.502358, -3.584361], [-2.7173738, -2.830012], [-3.2738757, -3.6708426], [-1.3841273, -1.956925]]
    np.testing.assert_allclose(scores, wanted, rtol=1e-6)


def test_decoder_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="requested 3 paths"):
        tf.nn.ctc_beam_search_decoder(LOGITS, FRAMES, beam_width=2, top_paths=3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="fewer than 2 sequences"):
        tf.nn.ctc_beam_search_decoder(np.zeros((2, 1, 1)), [2], top_paths=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="between -4 and 3 but was 9"):
        tf.nn.ctc_greedy_decoder(LOGITS, FRAMES, blank_index=9)
    with pytest.raises(tf.errors.FailedPreconditionError, match="there are 5 frames"):
        tf.nn.ctc_greedy_decoder(LOGITS, [9, 1, 1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="sequence_length has one element"):
        tf.nn.ctc_greedy_decoder(LOGITS, [5])


def test_half_precision_is_computed_in_float32():
    logits = tf.cast(np.random.RandomState(0).rand(5, 2, 4), tf.float16)

    def losses(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.ctc_loss(tf.constant([[1, 2], [2, 0]]), x, tf.constant([2, 1]), tf.constant([5, 5]))
        return y, tape.gradient(y, x)

    for half, single in zip(losses(logits), losses(tf.cast(logits, tf.float32)), strict=True):
        assert half.dtype is tf.float16
        np.testing.assert_array_equal(half.numpy(), tf.cast(single, tf.float16).numpy())
