"""Distributions of TensorFlow Probability: densities against SciPy's, samples, and gradients.

gradtape run examples/libraries/distributions_against_scipy.py
"""

import numpy as np
import scipy.stats as st
import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions
pairs = [
    (tfd.Normal(1.0, 2.0), st.norm(1, 2)),
    (tfd.Gamma(2.0, 3.0), st.gamma(2, scale=1 / 3)),
    (tfd.Beta(2.0, 3.0), st.beta(2, 3)),
    (tfd.StudentT(4.0, 0.0, 1.0), st.t(4)),
    (tfd.Laplace(0.0, 1.0), st.laplace()),
    (tfd.VonMises(0.0, 2.0), st.vonmises(2)),
    (tfd.Gumbel(0.0, 1.0), st.gumbel_r()),
    (tfd.Weibull(1.5, 2.0), st.weibull_min(1.5, scale=2)),
    (tfd.LogNormal(0.0, 0.5), st.lognorm(0.5)),
    (tfd.Cauchy(0.0, 1.0), st.cauchy()),
    (tfd.InverseGamma(3.0, 2.0), st.invgamma(3, scale=2)),
]
worst = 0.0
for ours, theirs in pairs:
    x = ours.sample(200, seed=(1, 2))
    difference = np.abs(ours.log_prob(x).numpy() - theirs.logpdf(x.numpy().astype("float64")))
    worst = max(worst, float(np.max(difference)))

rate = tf.Variable(3.0)
with tf.GradientTape() as tape:
    mean = tf.reduce_mean(tfd.Gamma(2.0, rate).sample(2000, seed=(3, 4)))
slope = float(tape.gradient(mean, rate))
assert worst < 1e-4
assert abs(slope + 2 / 9) < 0.03
print(f"{len(pairs)} densities differ from SciPy's by at most {worst:.0e}; d mean / d rate {slope:.3f}, exactly -0.222")
