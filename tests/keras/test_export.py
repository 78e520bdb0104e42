"""Models in the format of `tf.saved_model`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf


def convolutional(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((6, 6, 1)), layers.Conv2D(2, 3, activation="relu"), layers.BatchNormalization(),
            layers.MaxPooling2D(), layers.Dropout(0.5), layers.Flatten(), layers.Dense(3, activation="softmax"),
        ]
    )  # fmt: skip


def recurrent(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((None,), dtype="int32"),
            layers.Embedding(9, 4, mask_zero=True),
            layers.Bidirectional(layers.GRU(3)),
        ]
    )


def attending(keras: Any) -> Any:
    inputs = keras.Input((5, 4))
    hidden = keras.layers.LayerNormalization()(keras.layers.MultiHeadAttention(2, 2)(inputs, inputs) + inputs)
    pooled = keras.layers.GlobalAveragePooling1D()(hidden)
    return keras.Model(inputs, {"a": keras.layers.Dense(2)(pooled), "b": keras.layers.Dense(1)(pooled)})


def numbers(*shape: int) -> Any:
    return tf.random.stateless_normal(shape, [1, 2])


CASES = {
    "convolutional": (convolutional, lambda n: numbers(n, 6, 6, 1)),
    "recurrent": (recurrent, lambda n: tf.constant([[1, 2, 0, 0], [3, 4, 5, 0], [1, 1, 1, 1]][:n])),
    "attending": (attending, lambda n: numbers(n, 5, 4)),
}


def flat(structure: Any) -> list[Any]:
    return [np.asarray(x) for x in tf.nest.flatten(structure)]


@pytest.mark.parametrize("name", CASES)
def test_export(keras: Any, tmp_path: Path, name: str) -> None:
    make, inputs = CASES[name]
    model = make(keras)
    model.export(tmp_path, verbose=False)
    loaded = tf.saved_model.load(tmp_path)
    assert [v.shape for v in loaded.variables] == [v.shape for v in model.variables]
    assert len(loaded.trainable_variables) == len(model.trainable_variables)
    for n in (1, 3):
        for own, its in zip(flat(model(inputs(n))), flat(loaded.serve(inputs(n))), strict=True):
            np.testing.assert_allclose(own, its, rtol=1e-5, atol=1e-6)
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(y**2) for y in tf.nest.flatten(loaded.serve(inputs(2)))])
    assert all(g is not None for g in tape.gradient(loss, loaded.trainable_variables))


def test_a_model_that_is_saved(keras: Any, tmp_path: Path) -> None:
    model = convolutional(keras)
    tf.saved_model.save(model, tmp_path)
    loaded, x = tf.saved_model.load(tmp_path), numbers(4, 6, 6, 1)
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-5)
    (result,) = loaded.signatures["serving_default"](x).values()
    np.testing.assert_allclose(result, model(x), rtol=1e-5)
    moving = loaded.non_trainable_variables[0].numpy()
    loaded(x, training=True)
    assert np.any(loaded.non_trainable_variables[0].numpy() != moving)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(loaded(x, training=True) ** 2)
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.apply(tape.gradient(loss, loaded.trainable_variables), loaded.trainable_variables)


def test_subclassed_models_and_several_inputs(keras: Any, tmp_path: Path) -> None:
    class Sum(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(2)

        def call(self, x: Any) -> Any:
            return self.dense(x)

    model, x = Sum(), numbers(3, 4)
    with pytest.raises(ValueError, match="built"):
        model.export(tmp_path, verbose=False)
    model(x)
    model.export(tmp_path, verbose=False)
    np.testing.assert_allclose(tf.saved_model.load(tmp_path).serve(x), model(x), rtol=1e-6)
    a, b = keras.Input((3,), name="a"), keras.Input((4,), name="b")
    pair = keras.Model({"a": a, "b": b}, keras.layers.Dense(2)(keras.layers.concatenate([a, b])))
    pair.export(tmp_path, verbose=False)
    loaded, given = tf.saved_model.load(tmp_path), {"a": numbers(2, 3), "b": numbers(2, 4)}
    np.testing.assert_allclose(loaded.serve(given), pair(given), rtol=1e-6)
    np.testing.assert_allclose(loaded.signatures["serve"](**given)["output_0"], pair(given), rtol=1e-6)


def test_a_step_with_an_optimizer(keras: Any, tmp_path: Path) -> None:
    class Learner(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(1)
            self.rule = keras.optimizers.Adam(0.1)

        def call(self, x: Any) -> Any:
            return self.dense(x)

        @tf.function
        def learn(self, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x) - y) ** 2)
            self.rule.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
            return loss

    learner, x, y = Learner(), numbers(8, 3), numbers(8, 1)
    learner(x)
    learner.rule.build(learner.trainable_variables)
    learner.learn(x, y)
    tf.saved_model.save(learner, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for _ in range(3):
        np.testing.assert_array_equal(loaded.learn(x, y), learner.learn(x, y))
    np.testing.assert_allclose(loaded(x), learner(x), rtol=1e-5)


def test_archives(keras: Any, tmp_path: Path, capsys: Any) -> None:
    model, archive = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2)]), keras.export.ExportArchive()
    with pytest.raises(ValueError, match="No endpoints"):
        archive.write_out(tmp_path)
    archive.track(model)
    spec = [keras.InputSpec(shape=(None, 4), dtype="float32")]
    archive.add_endpoint("predict", model.call, spec)
    archive.add_endpoint("double", lambda x: model(x) * 2.0, spec)
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("double", model.call, spec)
    with pytest.raises(ValueError, match="input_signature"):
        archive.add_endpoint("third", model.call)
    archive.add_variable_collection("kernels", [model.layers[0].kernel])
    archive.write_out(tmp_path)
    assert "* double" in capsys.readouterr().out
    loaded, x = tf.saved_model.load(tmp_path), numbers(2, 4)
    np.testing.assert_allclose(loaded.double(x), model(x) * 2.0, rtol=1e-6)
    assert set(loaded.signatures) == {"predict", "double", "serving_default"}
    assert loaded.kernels[0] is loaded.variables[0]


def test_layers_in_modules(keras: Any, tmp_path: Path) -> None:
    module = tf.Module()
    module.dense = keras.layers.Dense(2)
    module.f = tf.function(lambda x: module.dense(x), input_signature=[tf.TensorSpec([None, 4])])
    x = numbers(3, 4)
    module.f(x)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_array_equal(loaded.f(x), module.f(x))
    np.testing.assert_array_equal(loaded.dense._kernel, module.dense.kernel)
