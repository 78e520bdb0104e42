"""A Poisson equation by a network, with DeepXDE: Adam, then L-BFGS.

DDE_BACKEND=tensorflow gradtape run examples/libraries/deepxde_poisson.py
"""

import os

os.environ.setdefault("DDE_BACKEND", "tensorflow")

import deepxde as dde
import numpy as np
import tensorflow as tf

dde.config.set_random_seed(1)
geometry = dde.geometry.Interval(-1, 1)


def residual(x, y):
    """What the equation leaves: minus the second derivative, less the right side."""
    return -dde.grad.hessian(y, x) - np.pi**2 * tf.sin(np.pi * x)


boundary = dde.icbc.DirichletBC(geometry, lambda x: 0.0 * x, lambda _, on_boundary: on_boundary)
data = dde.data.PDE(geometry, residual, boundary, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=100)
model = dde.Model(data, dde.nn.FNN([1, 20, 20, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=0.001, metrics=["l2 relative error"])
model.train(iterations=500, display_every=500, verbose=0)
model.compile("L-BFGS", metrics=["l2 relative error"])
history, _ = model.train(display_every=1000, verbose=0)
error = float(history.metrics_test[-1][0])
assert error < 1e-2
print(f"relative error {error:.1e}")
