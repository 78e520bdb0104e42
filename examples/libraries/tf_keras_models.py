"""Keras 2 (tf_keras): a Sequential, a Functional and a subclassed model.

gradtape run examples/libraries/tf_keras_models.py
"""

import numpy as np
import tf_keras as keras

keras.utils.set_random_seed(1)
rng = np.random.RandomState(0)
x = rng.randn(256, 4).astype("float32")
y = (x @ rng.randn(4, 1)).astype("float32")

sequential = keras.Sequential([keras.layers.Dense(16, activation="relu", input_shape=(4,)), keras.layers.Dense(1)])

given = keras.Input((4,))
hidden = keras.layers.BatchNormalization()(keras.layers.Dense(16, activation="tanh")(given))
functional = keras.Model(given, keras.layers.Dense(1)(hidden))


class Subclassed(keras.Model):
    """Two dense layers."""

    def __init__(self):
        super().__init__()
        self.first, self.second = keras.layers.Dense(16, "relu"), keras.layers.Dense(1)

    def call(self, inputs, training=False):
        return self.second(self.first(inputs))


report = []
for model in (sequential, functional, Subclassed()):
    model.compile(keras.optimizers.Adam(0.02), "mse", metrics=["mae"])
    losses = model.fit(x, y, epochs=5, batch_size=32, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    assert model.predict(x[:3], verbose=0).shape == (3, 1)
    report.append(f"{losses[0]:.2f} to {losses[-1]:.2f}")
print("losses:", ", ".join(report))
