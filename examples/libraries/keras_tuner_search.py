"""KerasTuner chooses the width and the learning rate of a network, by random search and by Bayesian optimization.

gradtape run examples/libraries/keras_tuner_search.py
"""

from __future__ import annotations

import tempfile
from typing import Any

import keras_tuner
import numpy as np

import keras

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, [256, 2]).astype("float32")
y = np.sin(3 * x[:, :1]) * x[:, 1:]


def build(choices: Any) -> keras.Model:
    """A network as the tuner chooses it."""
    model = keras.Sequential(
        [keras.layers.Dense(choices.Int("width", 4, 32, step=4), activation="tanh"), keras.layers.Dense(1)]
    )
    rate = choices.Float("rate", 1e-3, 1e-1, sampling="log")
    model.compile(keras.optimizers.Adam(rate), "mse")
    return model


losses = []
for search in (keras_tuner.RandomSearch, keras_tuner.BayesianOptimization):
    with tempfile.TemporaryDirectory() as folder:
        tuner = search(build, objective="val_loss", max_trials=4, seed=1, directory=folder)
        tuner.search(x[:192], y[:192], validation_data=(x[192:], y[192:]), epochs=10, verbose=0)
        best = tuner.get_best_models()[0]
        losses.append(float(best.evaluate(x[192:], y[192:], verbose=0)))
print(f"validation loss {losses[0]:.3f} by random search, {losses[1]:.3f} by Bayesian optimization")
assert max(losses) < float(np.var(y))
