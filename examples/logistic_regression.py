"""Logistic regression with `tf.Module`.

You learn how to standardise features inside a model, add weight decay, compile a training step, and export a prediction
function for batches of any size.

    python examples/logistic_regression.py
"""

from __future__ import annotations

import numpy as np

import gradtape as tf

FEATURES = ("radius", "texture", "smoothness", "symmetry", "concavity")


def cells(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Measurements of healthy and ill cells, f32[count,5], and 1 for the ill ones, f32[count]."""
    ill = rng.uniform(size=count) < 0.4
    healthy_mean = np.array([12.0, 18.0, 0.09, 0.17, 0.05])
    shift = np.array([4.0, 3.5, 0.015, 0.0, 0.09])
    spread = np.array([1.9, 3.8, 0.013, 0.03, 0.04])
    features = healthy_mean + ill[:, None] * shift + rng.standard_normal((count, 5)) * spread
    return features.astype(np.float32), ill.astype(np.float32)


class Standardise(tf.Module):
    """(x - mean) / deviation, with the statistics of the training data."""

    def __init__(self, x: tf.Tensor) -> None:
        super().__init__()
        self.mean = tf.Variable(tf.math.reduce_mean(x, axis=0), trainable=False)
        self.deviation = tf.Variable(tf.math.reduce_std(x, axis=0), trainable=False)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return (x - self.mean) / self.deviation


class Classifier(tf.Module):
    """The log odds that a cell is ill."""

    def __init__(self, x: tf.Tensor) -> None:
        super().__init__()
        self.standardise = Standardise(x)
        self.w = tf.Variable(tf.random.normal([x.shape[-1], 1], stddev=0.1), name="w")
        self.b = tf.Variable(tf.zeros([1]), name="b")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.squeeze(self.standardise(x) @ self.w + self.b, axis=1)

    # With this signature, one trace serves batches of any size.
    @tf.function(input_signature=[tf.TensorSpec([None, len(FEATURES)], tf.float32)])
    def probability(self, x: tf.Tensor) -> tf.Tensor:
        """The probability of illness, for any number of cells."""
        return tf.sigmoid(self(x))


def loss_of(model: Classifier, x: tf.Tensor, y: tf.Tensor, decay: float = 1e-3) -> tf.Tensor:
    """The mean cross-entropy plus weight decay."""
    entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=model(x))
    return tf.reduce_mean(entropy) + decay * tf.nn.l2_loss(model.w)


def run(epochs: int = 20) -> float:
    """Train; return the accuracy on unseen cells."""
    tf.random.set_seed(4)
    x, y = cells(np.random.default_rng(0), 2000)
    unseen, unseen_ill = (tf.constant(a) for a in cells(np.random.default_rng(1), 1000))
    model = Classifier(tf.constant(x))
    batches = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(2000, seed=3).batch(64, drop_remainder=True)

    @tf.function
    def train_step(features: tf.Tensor, ill: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(model, features, ill)
        # The mean and the deviation are not trainable, so these are `w` and `b` only.
        gradients = tape.gradient(loss, model.trainable_variables)
        for gradient, variable in zip(gradients, model.trainable_variables, strict=True):
            variable.assign_sub(0.5 * gradient)
        return loss

    for epoch in range(epochs):
        losses = [train_step(*batch) for batch in batches]
        if epoch % 5 == 4 or epoch == 0:
            print(f"  epoch {epoch + 1:2}: loss {np.mean(losses):.4f}")

    probability = model.probability(unseen)
    found = tf.cast(probability > 0.5, tf.float32)
    matrix = tf.math.confusion_matrix(unseen_ill, found).numpy()
    print("\n                 called healthy  called ill")
    for name, row in zip(("healthy", "ill"), matrix, strict=True):
        print(f"  {name:14} {row[0]:14} {row[1]:11}")
    print("\n  weights:", ", ".join(f"{n} {float(w):.2f}" for n, w in zip(FEATURES, model.w[:, 0], strict=True)))
    accuracy = float(tf.reduce_mean(tf.cast(found == unseen_ill, tf.float32)))
    print(f"  accuracy: {accuracy:.1%} on unseen cells")
    return accuracy


if __name__ == "__main__":
    print("Logistic regression")
    run()
