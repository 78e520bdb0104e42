"""What `keras.py` measures, on which numbers, and what gradtape must reach.

Every system runs the same text of Keras, on its own backend. The models are in `systems/keras_models.py`.
"""

from __future__ import annotations

import numpy as np

from works import Inputs, Work, random

BEST = "the best other"
FIRST_STEP = 0.5  # of the best other: from the import to the end of the first step
CALLS = 100  # of `predict`
WORDS = 2000


def _count(scale: float, samples: int, batch: int) -> int:
    """How many samples there are: whole batches."""
    return batch * max(2, round(samples * scale / batch))


def _labelled(samples: int, batch: int, *shape: int) -> Inputs:
    rng = random()
    x = rng.standard_normal((samples, *shape), dtype=np.float32)
    return {"x": x, "y": rng.integers(0, 10, samples).astype(np.int32), "batch": batch}


def mlp(scale: float) -> Inputs:
    """Images as rows of numbers."""
    return _labelled(_count(scale, 12_800, 128), 128, 784)


def convnet(scale: float) -> Inputs:
    """Images."""
    return _labelled(_count(scale, 3_200, 64), 64, 28, 28, 1)


def lstm(scale: float) -> Inputs:
    """Sequences of vectors."""
    return _labelled(_count(scale, 3_200, 64), 64, 50, 32)


def transformer(scale: float) -> Inputs:
    """Sequences of words."""
    rng, samples = random(), _count(scale, 2_048, 64)
    words = rng.integers(0, WORDS, (samples, 64)).astype(np.int32)
    return {"x": words, "y": rng.integers(0, 10, samples).astype(np.int32), "batch": 64}


WORKS = (
    Work("mlp", "`fit` of an MLP 784-512-512-10 with dropout, an epoch of 100 batches of 128", mlp, {BEST: 0.8}),
    Work("convnet", "`fit` of a convnet, 32 and 64 filters, an epoch of 50 batches of 64", convnet, {BEST: 0.7}),
    Work("lstm", "`fit` of LSTM(64) on sequences 50x32, an epoch of 50 batches of 64", lstm, {BEST: 0.6}),
    Work(
        "transformer",
        "`fit` of a transformer of two blocks, 64 words, d=64, an epoch of 32 batches of 64",
        transformer,
        {BEST: 0.7},
    ),
    Work("custom_loop", "the MLP by a GradientTape in a `tf.function`, 100 batches of 128", mlp, {BEST: 0.6}),
    Work("predict", f"`predict` of one sample by the MLP, {CALLS} calls", mlp, {BEST: 0.3}),
)
