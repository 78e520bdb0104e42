"""Burgers' equation by a network, with DeepXDE and Adam.

DDE_BACKEND=tensorflow gradtape run examples/libraries/deepxde_burgers.py
"""

import os

os.environ.setdefault("DDE_BACKEND", "tensorflow")

import deepxde as dde
import numpy as np

dde.config.set_random_seed(1)
space = dde.geometry.Interval(-1, 1)
domain = dde.geometry.GeometryXTime(space, dde.geometry.TimeDomain(0, 0.99))


def residual(x, y):
    """What the equation leaves."""
    dy_x, dy_t = dde.grad.jacobian(y, x, i=0, j=0), dde.grad.jacobian(y, x, i=0, j=1)
    return dy_t + y * dy_x - 0.01 / np.pi * dde.grad.hessian(y, x, i=0, j=0)


edge = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on_boundary: on_boundary)
start = dde.icbc.IC(domain, lambda x: -np.sin(np.pi * x[:, 0:1]), lambda _, on_initial: on_initial)
data = dde.data.TimePDE(domain, residual, [edge, start], num_domain=400, num_boundary=40, num_initial=80)
model = dde.Model(data, dde.nn.FNN([2, 20, 20, 20, 1], "tanh", "Glorot normal"))
model.compile("adam", lr=3e-3)
history, _ = model.train(iterations=600, display_every=300, verbose=0)
first, last = (float(np.sum(history.loss_train[i])) for i in (0, -1))
assert last < first / 2
print(f"loss from {first:.3f} to {last:.3f}")
