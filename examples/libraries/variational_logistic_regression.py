"""TensorFlow Probability, under `gradtape run`: a logistic regression whose weights have a distribution.

The posterior is approximated by a normal distribution with a full covariance, fitted by maximising the evidence lower bound.
"""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfb, tfd = tfp.bijectors, tfp.distributions

rng = np.random.default_rng(0)
TRUE = np.array([1.5, -2.0, 0.5], "float32")
x = np.concatenate([rng.normal(size=(400, 2)), np.ones((400, 1))], axis=1).astype("float32")
y = (rng.random(400) < 1 / (1 + np.exp(-x @ TRUE))).astype("float32")

prior = tfd.MultivariateNormalDiag(tf.zeros(3), 3.0 * tf.ones(3))


def log_joint(weights):
    """The log density of weights and labels, for each of several weights."""
    logits = tf.matmul(weights, x, transpose_b=True)
    return prior.log_prob(weights) + tf.reduce_sum(tfd.Bernoulli(logits=logits).log_prob(y), axis=-1)


posterior = tfd.MultivariateNormalTriL(
    loc=tf.Variable(tf.zeros(3)),
    scale_tril=tfp.util.TransformedVariable(tf.eye(3), tfb.FillScaleTriL(diag_bijector=tfb.Softplus())),
)
losses = tfp.vi.fit_surrogate_posterior(
    log_joint, posterior, tf.keras.optimizers.Adam(0.05), num_steps=1000, sample_size=16, seed=1
)

mean, deviation = posterior.mean().numpy(), posterior.stddev().numpy()
assert losses[-1] < losses[0] / 2
assert (np.abs(mean - TRUE) < 4 * deviation).all()
assert (deviation < 0.5).all()
print("weights " + ", ".join(f"{m:.2f} ± {d:.2f}" for m, d in zip(mean, deviation, strict=True)))
