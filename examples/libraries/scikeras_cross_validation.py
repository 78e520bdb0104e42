"""scikit-learn's cross validation and pipelines over a Keras model, through SciKeras.

gradtape run examples/libraries/scikeras_cross_validation.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scikeras.wrappers import KerasClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import keras

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x = rng.normal(size=[300, 4]).astype("float32")
y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int)


def build(meta: dict[str, Any]) -> keras.Model:
    """A network for as many features as the data have."""
    return keras.Sequential(
        [
            keras.Input([meta["n_features_in_"]]),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


network = KerasClassifier(build, loss="binary_crossentropy", optimizer="adam", epochs=40, batch_size=32, verbose=0)
scores = cross_val_score(make_pipeline(StandardScaler(), network), x, y, cv=3)
print(f"accuracy of 3 folds: {', '.join(f'{score:.2f}' for score in scores)}")
assert min(scores) > 0.7
