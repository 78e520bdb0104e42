"""Cross entropies: class numbers out of range are refused, and saturated probabilities give the loss of their logits."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras

PROBABILITIES = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]], "float32")
REFUSED = tf.errors.InvalidArgumentError
MODES = {"eager": lambda f: f, "function": tf.function, "jit": lambda f: tf.function(f, jit_compile=True)}

in_every_mode = pytest.mark.parametrize("mode", MODES)
out_of_range = pytest.mark.parametrize("label", [9, 3, -1])


@in_every_mode
@out_of_range
@pytest.mark.parametrize("from_logits", [False, True])
@pytest.mark.parametrize("form", [lambda y: y, lambda y: y[:, None], lambda y: y.astype("float32")])
def test_losses_refuse(label, mode, from_logits, form):
    loss = MODES[mode](lambda y, p: keras.losses.sparse_categorical_crossentropy(y, p, from_logits=from_logits))
    with pytest.raises(REFUSED):
        loss(tf.constant(form(np.array([0, label]))), tf.constant(PROBABILITIES))


@in_every_mode
def test_loss_of_probabilities(mode):
    # They are divided by their sum first.
    loss = MODES[mode](keras.losses.sparse_categorical_crossentropy)
    found = loss(tf.constant([2, 0]), tf.constant(PROBABILITIES * 0.5))
    np.testing.assert_allclose(found, -np.log([0.5, 0.1]), rtol=1e-5)


@in_every_mode
def test_ignored_class_may_be_out_of_range(mode):
    loss = MODES[mode](lambda y, p: keras.losses.sparse_categorical_crossentropy(y, p, ignore_class=-1))
    np.testing.assert_allclose(loss(tf.constant([0, -1]), tf.constant(PROBABILITIES)), [-np.log(0.2), 0], rtol=1e-5)
    with pytest.raises(REFUSED):
        loss(tf.constant([0, -2]), tf.constant(PROBABILITIES))


@out_of_range
@pytest.mark.parametrize("options", [{}, {"jit_compile": False}, {"run_eagerly": True}], ids=str)
def test_training_refuses(label, options):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy", **options)
    x, y = np.ones((2, 4), "float32"), np.array([0, label])
    before = [w.numpy() for w in model.weights]
    for run in (lambda: model.fit(x, y, verbose=0), lambda: model.evaluate(x, y, verbose=0)):
        with pytest.raises(REFUSED):
            run()
    for w, old in zip(model.weights, before, strict=True):
        np.testing.assert_array_equal(w.numpy(), old)


@in_every_mode
@out_of_range
def test_confusion_matrix_refuses(label, mode):
    count = MODES[mode](lambda y, p: tf.math.confusion_matrix(y, p, 3))
    for pair in ([0, label], [0, 1]), ([0, 1], [0, label]):
        with pytest.raises(REFUSED):
            count(tf.constant(pair[0]), tf.constant(pair[1]))


@in_every_mode
def test_counts(mode):
    count = MODES[mode](lambda x: keras.ops.bincount(x, minlength=3))
    assert count(tf.constant([0, 4, 4])).numpy().tolist() == [1, 0, 0, 0, 2]
    with pytest.raises(REFUSED):
        count(tf.constant([0, -1]))


@in_every_mode
def test_segments_are_as_many_as_the_largest_id_asks_for(mode):
    largest = MODES[mode](lambda x, ids: keras.ops.segment_max(x, ids))
    assert largest(tf.constant([1.0, 2.0, 3.0]), tf.constant([0, 2, 0])).numpy().tolist() == [3.0, -np.inf, 2.0]


@pytest.mark.parametrize("options", [{}, {"run_eagerly": True}], ids=str)
@pytest.mark.parametrize(
    ("activation", "loss", "target", "wanted"),
    [
        ("softmax", "sparse_categorical_crossentropy", [1], 50.0),
        ("softmax", "categorical_crossentropy", [[0.0, 1.0, 0.0]], 50.0),
        ("sigmoid", "binary_crossentropy", [[0.0, 1.0, 1.0]], 50 / 3 + 2 * np.log(2.0) / 3),
    ],
)
def test_saturated_probabilities_train(activation, loss, target, wanted, options):
    # float32 rounds exp(-50) away beside 1: the loss of the probabilities would be clipped, and its gradient zero.
    start = keras.initializers.Constant(np.diag([50.0, 1.0, 1.0]))
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3, activation, kernel_initializer=start)])
    model.compile(keras.optimizers.SGD(1.0), loss, **options)
    x, y = np.array([[1.0, 0.0, 0.0]], "float32"), np.array(target)
    assert model.train_on_batch(x, y) == pytest.approx(wanted, rel=1e-5)
    assert model.layers[0].kernel.numpy()[0, 0] < 49.9


def test_logits_are_forgotten_with_their_probabilities():
    from gradtape.keras_backend.ops.nn import logits

    before = len(logits._LOGITS)
    found = [keras.ops.softmax(tf.ones([3])) for _ in range(5)]
    assert len(logits._LOGITS) == before + 5
    del found
    assert len(logits._LOGITS) == before


def test_probabilities_given_for_logits_warn():
    with pytest.warns(UserWarning, match="produced by a Softmax activation"):
        keras.losses.sparse_categorical_crossentropy(
            tf.constant([1]), keras.ops.softmax(tf.ones([1, 3])), from_logits=True
        )


@pytest.mark.parametrize("mode", ["multi_hot", "count"])
@pytest.mark.parametrize("numbers", [[0, -1], [[0, 1], [1, -5]]])
def test_negative_numbers_have_no_encoding(mode, numbers):
    layer = keras.layers.CategoryEncoding(3, output_mode=mode)
    for call in (layer, tf.function(lambda x: layer(x))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must not be negative"):
            call(tf.constant(numbers))
        assert call(tf.abs(tf.constant(numbers)) % 3).shape[-1] == 3
