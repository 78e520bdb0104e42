"""What programs for earlier versions of Keras ask of training."""

import numpy as np
import pytest

import gradtape as tf

keras = tf.keras


def test_a_train_step_with_compiled_loss_and_metrics():
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                prediction = self(x, training=True)
                loss = self.compiled_loss(y, prediction, regularization_losses=self.losses)
            self.optimizer.apply_gradients(
                zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables, strict=True)
            )
            self.compiled_metrics.update_state(y, prediction)
            return {m.name: m.result() for m in self.metrics}

    model = Model()
    model.compile("sgd", "mse", metrics=["mae"])
    with pytest.warns(UserWarning, match="deprecated"):
        history = model.fit(np.ones([4, 2]), np.zeros([4, 1]), verbose=0).history
    assert sorted(history) == ["loss", "mae"]
    assert history["mae"] == [pytest.approx(2.0)]


def test_a_batch_is_profiled(tmp_path):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    board = keras.callbacks.TensorBoard(tmp_path, profile_batch=2, histogram_freq=1)
    model.fit(np.full([16, 2], np.nan), np.ones([16, 1]), batch_size=4, verbose=0, callbacks=[board])
    assert list(tmp_path.rglob("trace.json"))


def test_no_rows():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    none = np.ones([0, 2]), np.ones([0, 1])
    with pytest.warns(UserWarning, match="ran out of data"):
        history = model.fit(*none, verbose=0).history
    with pytest.warns(UserWarning, match="ran out of data"):
        numbers = model.evaluate(*none, verbose=0)
    assert (history, numbers) == ({}, [])
    with pytest.warns(UserWarning, match="ran out"), pytest.raises(ValueError, match="no batches"):
        model.predict(none[0], verbose=0)


def test_a_saved_model_as_a_layer(tmp_path):
    inputs = keras.Input([2])
    model = keras.Model(inputs, keras.layers.Dense(2)(inputs))
    model.export(tmp_path / "saved", verbose=False)
    layer = keras.layers.TFSMLayer(tmp_path / "saved", call_endpoint="serve")
    x = tf.ones([3, 2])
    np.testing.assert_allclose(layer(x), model(x), rtol=1e-6)
    assert len(layer.trainable_weights) == 2
    assert keras.Sequential([keras.Input([2]), layer, keras.layers.Dense(1)])(x).shape == (3, 1)
