"""A Bayesian linear regression, sampled by TensorFlow Probability's No-U-Turn Sampler.

gradtape run examples/libraries/bayesian_regression_nuts.py
"""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions

rng = np.random.RandomState(0)
x = rng.randn(100).astype("float32")
y = (1.5 * x - 0.7 + 0.3 * rng.randn(100)).astype("float32")


def log_probability(slope, offset, log_noise):
    """The logarithm of the joint density of the parameters and the data."""
    prior = tfd.Normal(0.0, 2.0).log_prob(slope) + tfd.Normal(0.0, 2.0).log_prob(offset)
    prior += tfd.Normal(-1.0, 1.0).log_prob(log_noise)
    return prior + tf.reduce_sum(tfd.Normal(slope * x + offset, tf.exp(log_noise)).log_prob(y))


@tf.function
def sample():
    """Chains of the three parameters."""
    kernel = tfp.mcmc.NoUTurnSampler(log_probability, step_size=0.03)
    start = [tf.constant(0.0), tf.constant(0.0), tf.constant(-1.0)]
    return tfp.mcmc.sample_chain(
        300, current_state=start, kernel=kernel, num_burnin_steps=200, trace_fn=None, seed=(1, 2)
    )


slope, offset, log_noise = (chain.numpy() for chain in sample())
assert abs(slope.mean() - 1.5) < 0.15
assert abs(offset.mean() + 0.7) < 0.15
print(f"slope {slope.mean():.2f}, offset {offset.mean():.2f}, noise {np.exp(log_noise).mean():.2f}")
