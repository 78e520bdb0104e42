"""A Gaussian process by GPflow: exact, with L-BFGS, and with inducing points, by stochastic gradients.

gradtape run examples/libraries/gaussian_process_inducing_points.py
"""

import gpflow
import numpy as np
import tensorflow as tf
import tf_keras

rng = np.random.RandomState(0)
x = rng.rand(100, 1)
y = np.sin(12 * x) + 0.1 * rng.randn(100, 1)

exact = gpflow.models.GPR((x, y), gpflow.kernels.SquaredExponential(lengthscales=0.2))
gpflow.optimizers.Scipy().minimize(exact.training_loss, exact.trainable_variables, options={"maxiter": 100})

sparse = gpflow.models.SVGP(
    gpflow.kernels.SquaredExponential(lengthscales=0.2), gpflow.likelihoods.Gaussian(0.1), x[::8].copy(), num_data=100
)
batches = iter(tf.data.Dataset.from_tensor_slices((x, y)).shuffle(100, seed=1).repeat().batch(50))
loss = sparse.training_loss_closure(batches)
optimizer = tf_keras.optimizers.Adam(0.05)
before = float(sparse.elbo((x, y)))
for _ in range(300):
    optimizer.minimize(loss, sparse.trainable_variables)
after = float(sparse.elbo((x, y)))

grid = np.linspace(0.05, 0.95, 7)[:, None]
error = np.abs(exact.predict_f(grid)[0].numpy() - np.sin(12 * grid)).max()
assert error < 0.15
assert after > before
print(f"exact: error {error:.3f}; inducing points: bound from {before:.1f} to {after:.1f}")
