"""What users of Keras are told when a gradient is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def model_of(keras: Any) -> Any:
    return keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(3, activation="relu"), keras.layers.Dense(2, name="last")]
    )


@pytest.mark.parametrize("method", ["predict", "predict_on_batch"])
def test_predict_instead_of_a_call(keras: Any, method: str) -> None:
    model, x = model_of(keras), np.ones((5, 4), "float32")
    with tf.GradientTape() as tape:
        if method == "predict":
            y = model.predict(x, verbose=0)
        else:
            y = model.predict_on_batch(x)
        loss = tf.reduce_sum(tf.square(y - 1.0))
    assert tape.gradient(loss, model.trainable_variables) == [None] * 4
    report = tape.explain(loss, model.trainable_variables[0])
    assert report.cause == "NUMPY"
    assert report.site.filename == __file__
    assert f"model.{method}(x" in report.site.source
    assert "use model(x)" in report.fix


def test_symbolic_tensors_are_not_the_values(keras: Any) -> None:
    model, x = model_of(keras), np.ones((5, 4), "float32")
    symbolic = model.get_layer("last").input
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(x))
    report = tape.explain(y, symbolic)
    assert report.cause == "OTHER_TENSOR"
    assert "keras.Model(model.inputs, [layer.output, model.output])" in report.fix
    assert "target is symbolic" in str(tape.explain(symbolic, model.trainable_variables[0]))
    with pytest.raises(AttributeError, match="stands for the values of every call"):
        tape.gradient(y, symbolic)
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="stands for the values of every call"):
        tape.watch(symbolic)


def test_what_is_advised_works(keras: Any) -> None:
    model, x = model_of(keras), np.ones((5, 4), "float32")
    both = keras.Model(model.inputs, [model.layers[0].output, model.outputs[0]])
    with tf.GradientTape() as tape:
        features, y = both([x])
    kernel = model.get_layer("last").kernel
    np.testing.assert_allclose(tape.gradient(y, features)[0], tf.reduce_sum(kernel, 1), rtol=1e-5)


@pytest.mark.parametrize("compiled", [False, True])
def test_the_warning_of_apply_gradients_explains(keras: Any, compiled: bool) -> None:
    model, optimizer = model_of(keras), keras.optimizers.SGD()

    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model.layers[0](x))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(list(zip(gradients, model.trainable_variables)))  # noqa: B905

    run = tf.function(step) if compiled else step
    with pytest.warns(UserWarning, match="Gradients do not exist for variables") as caught:
        run(tf.ones((2, 4)))
    (warning,) = caught
    assert warning.filename == __file__
    text = str(warning.message)
    assert "last/kernel" in text
    assert "was not computed from" in text
    assert "loss = tf.reduce_sum(model.layers[0](x))" in text


def test_no_gradient_at_all_is_explained(keras: Any) -> None:
    model, x = model_of(keras), np.ones((5, 4), "float32")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.predict(x, verbose=0))
    gradients = tape.gradient(loss, model.trainable_variables)
    with pytest.raises(ValueError, match=r"No gradients provided for any variable(.|\n)*use model\(x\)"):
        keras.optimizers.SGD().apply_gradients(zip(gradients, model.trainable_variables, strict=True))
