"""Layers for text and categories, and datasets from folders: parts of Keras that are written for TensorFlow, on gradtape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf

TEXTS = ["Good film!", "bad film", "a GOOD good plot", "bad, bad plot"]
LABELS = np.array([1.0, 0.0, 1.0, 0.0], "float32")


def test_lookups_in_both_directions(keras: Any) -> None:
    lookup = keras.layers.StringLookup(vocabulary=["a", "b"])
    back = keras.layers.StringLookup(vocabulary=["a", "b"], invert=True)
    assert lookup(["b", "x", "a"]).numpy().tolist() == [2, 0, 1]
    assert back(lookup(["b", "x"])).numpy().tolist() == [b"b", b"[UNK]"]
    numbers = keras.layers.IntegerLookup()
    numbers.adapt(np.array([7, 7, 9]))
    assert numbers(np.array([9, 7, 8])).numpy().tolist() == [2, 1, 0]


@pytest.mark.parametrize("mode", ["multi_hot", "count", "tf_idf"])
def test_bags_of_words(keras: Any, mode: str) -> None:
    layer = keras.layers.TextVectorization(output_mode=mode)
    layer.adapt(TEXTS)
    assert layer.get_vocabulary()[:2] == ["[UNK]", "good"]
    row = layer(["good unheard good"]).numpy()[0]
    assert (row[0] > 0.0, row[2:].any()) == (True, False)
    if mode != "tf_idf":
        assert row[:2].tolist() == ([1, 1] if mode == "multi_hot" else [1, 2])


def test_hashes_are_those_of_tensorflow(keras: Any) -> None:
    # Values of TensorFlow's own Keras: files and features do not change when a program moves.
    assert keras.layers.Hashing(3)(np.array(["A", "B", "C", "D", "E"])).numpy().tolist() == [1, 0, 1, 1, 2]
    crossed = keras.layers.HashedCrossing(num_bins=5)(
        (np.array(["A", "B", "A", "B", "A"]), np.array([101, 101, 101, 102, 102]))
    )
    assert crossed.numpy().tolist() == [1, 4, 1, 1, 3]


def test_a_model_that_reads_text(keras: Any, tmp_path: Path) -> None:
    vectorize = keras.layers.TextVectorization(output_sequence_length=4)
    vectorize.adapt(tf.data.Dataset.from_tensor_slices(TEXTS).batch(2))
    data = tf.data.Dataset.from_tensor_slices((TEXTS, LABELS)).batch(2).map(lambda x, y: (vectorize(x), y))
    layers = keras.layers
    inner = keras.Sequential(
        [
            keras.Input((4,), dtype="int64"),
            layers.Embedding(vectorize.vocabulary_size(), 4, mask_zero=True),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    inner.compile(keras.optimizers.Adam(0.1), "binary_crossentropy", metrics=["accuracy"])
    assert inner.fit(data, epochs=20, verbose=0).history["accuracy"][-1] == 1.0
    inputs = keras.Input((), dtype="string")
    whole = keras.Model(inputs, inner(vectorize(inputs)))
    whole.save(tmp_path / "text.keras")
    loaded = keras.saving.load_model(tmp_path / "text.keras")
    unseen = tf.constant(["good plot", "bad"])
    np.testing.assert_allclose(loaded(unseen), whole(unseen), rtol=1e-6)
    assert (whole.predict(unseen, verbose=0)[:, 0] > 0.5).tolist() == [True, False]


def test_feature_space(keras: Any) -> None:
    space = keras.utils.FeatureSpace(
        {"colour": "string_categorical", "size": "float_normalized", "kind": "integer_categorical"},
        crosses=[("colour", "kind")],
        crossing_dim=8,
        output_mode="concat",
    )
    columns = {"colour": ["red", "blue", "red"], "size": [1.0, 2.0, 3.0], "kind": [3, 4, 4]}
    data = tf.data.Dataset.from_tensor_slices(columns)
    space.adapt(data)
    encoded = space({name: tf.constant(values) for name, values in columns.items()})
    assert tuple(encoded.shape) == (3, 1 + 3 + 3 + 8)
    (batch,) = list(data.batch(3).map(space))
    np.testing.assert_allclose(batch, encoded)


def test_pictures_from_a_folder(keras: Any, tmp_path: Path) -> None:
    for kind, value in (("dark", 10.0), ("light", 240.0)):
        (tmp_path / kind).mkdir()
        for i in range(3):
            keras.utils.save_img(tmp_path / kind / f"{i}.png", np.full((6, 5, 3), value), scale=False)
    data = keras.utils.image_dataset_from_directory(tmp_path, image_size=(4, 4), batch_size=4, seed=0, verbose=False)
    assert data.class_names == ["dark", "light"]
    for images, labels in data:
        np.testing.assert_allclose(images[:, 0, 0, 0], np.where(labels.numpy() == 1, 240.0, 10.0))
    layers = keras.layers
    model = keras.Sequential([layers.Rescaling(1 / 255), layers.Flatten(), layers.Dense(1, activation="sigmoid")])
    model.compile(keras.optimizers.Adam(0.1), "binary_crossentropy", metrics=["accuracy"])
    assert model.fit(data, epochs=10, verbose=0).history["accuracy"][-1] == 1.0


def test_texts_from_a_folder_and_windows_of_a_series(keras: Any, tmp_path: Path) -> None:
    for kind in ("bad", "good"):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "one.txt").write_text(f"a {kind} film")
    texts = keras.utils.text_dataset_from_directory(tmp_path, batch_size=2, shuffle=False, verbose=False)
    ((words, labels),) = list(texts)
    assert (words.numpy().tolist(), labels.numpy().tolist()) == ([b"a bad film", b"a good film"], [0, 1])
    series = np.arange(6.0)
    windows = keras.utils.timeseries_dataset_from_array(series[:-1], series[2:], sequence_length=2, batch_size=4)
    ((x, y),) = list(windows)
    assert x.numpy().tolist() == [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]
    assert y.numpy().tolist() == [2.0, 3.0, 4.0, 5.0]


def test_a_symbolic_tensor_in_a_function_of_tf(keras: Any) -> None:
    x = keras.Input((2,))
    with pytest.raises(ValueError, match="A KerasTensor cannot be used as input to a TensorFlow function"):
        tf.exp(x)
    model = keras.Model(x, tf.constant([1.0, 2.0]) / (tf.Variable(1.0) - x))
    np.testing.assert_allclose(model(np.array([[3.0, 2.0]], "float32")), [[-0.5, -2.0]])
