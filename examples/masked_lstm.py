"""An LSTM on sequences of different lengths.

You learn how `mask_zero=True` makes padding invisible to the layers that follow: more padding does not change a
prediction.

    python examples/masked_lstm.py
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

keras = tf.keras
LONGEST, WORDS = 12, 9


def sequences(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Sequences of 3 to 12 numbers from 1 to 9, padded with zeros; and whether the last number is larger than the first."""
    lengths = rng.integers(3, LONGEST + 1, count)
    tokens = rng.integers(1, WORDS + 1, (count, LONGEST))
    last = tokens[np.arange(count), lengths - 1]
    padded = np.where(np.arange(LONGEST) < lengths[:, None], tokens, 0)
    return padded.astype(np.int32), (last > tokens[:, 0]).astype(np.float32)


def network() -> keras.Model:
    """An embedding that creates the mask, and recurrent layers that use it."""
    return keras.Sequential(
        [
            keras.layers.Input((None,), dtype="int32"),
            keras.layers.Embedding(WORDS + 1, 16, mask_zero=True),  # token 0 is padding
            keras.layers.Bidirectional(keras.layers.LSTM(32)),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


def run(epochs: int = 6) -> tuple[float, float]:
    """Train; return the accuracy on unseen sequences, and the effect of more padding on the predictions."""
    keras.utils.set_random_seed(1)
    x, y = sequences(np.random.default_rng(0), 3000)
    model = network()
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=100, epochs=epochs, verbose=0)
    x, y = sequences(np.random.default_rng(1), 400)
    _, accuracy = model.evaluate(x, y, batch_size=100, verbose=0)
    answers = model.predict(x, batch_size=100, verbose=0)
    # The mask at work: the LSTM skips the padding, so eight more zeros change nothing.
    longer = np.pad(x, ((0, 0), (0, 8)))
    change = float(np.abs(model.predict(longer, batch_size=100, verbose=0) - answers).max())
    for row, answer in zip(x[:6], answers[:6, 0], strict=True):
        print(f"  {' '.join(str(n) if n else '.' for n in row)}   the last is larger than the first: {answer:.2f}")
    print(f"\n  accuracy: {accuracy:.1%} on unseen sequences")
    print(f"  eight more steps of padding change the answers by at most {change:.1e}")
    return accuracy, change


if __name__ == "__main__":
    print("An LSTM with masks")
    run()
