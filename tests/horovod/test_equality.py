"""n ranks with parts of a batch learn what one process learns with the whole batch: 50 steps of several kinds of models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jobs import RANKS

PROGRAM = """
import sys
hvd.init()
r, n = hvd.rank(), hvd.size()
STEPS, ROWS = 50, 8 * n
part = slice(8 * r, 8 * (r + 1))
random = np.random.default_rng(0)

def normal(*shape):
    return random.normal(size=shape).astype("f4")

class Model:
    def __init__(self, seed, **shapes):
        g = np.random.default_rng(seed)
        self.__dict__.update({k: tf.Variable((g.normal(size=s) / 3).astype("f4"), name=k) for k, s in shapes.items()})
        self.weights = [getattr(self, k) for k in shapes]

def mlp(m, x, y, moments):
    return tf.reduce_mean((tf.tanh(x @ m.a + m.b) @ m.c - y) ** 2)

def convnet(m, x, y, moments):
    h = tf.nn.conv2d(x, m.k, 1, "SAME")
    mean, variance = moments(h)
    h = tf.nn.relu((h - mean) * tf.math.rsqrt(variance + 1e-3) * m.g)
    return tf.reduce_mean((tf.reduce_mean(h, [1, 2]) @ m.c - y) ** 2)

def lstm(m, x, y, moments):
    h = c = tf.zeros([tf.shape(x)[0], 4])
    for t in range(5):
        i, f, g, o = tf.split(x[:, t] @ m.w + h @ m.u + m.b, 4, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
    return tf.reduce_mean((h @ m.c - y) ** 2)

def rows(m, x, y, moments):
    return tf.reduce_mean((tf.reduce_sum(tf.nn.embedding_lookup(m.e, x), 1) @ m.c - y) ** 2)

CASES = {
    "mlp": (mlp, dict(a=(5, 6), b=(6,), c=(6, 2)), lambda: normal(ROWS, 5)),
    "convnet": (convnet, dict(k=(3, 3, 2, 4), g=(4,), c=(4, 2)), lambda: normal(ROWS, 6, 6, 2)),
    "lstm": (lstm, dict(w=(3, 16), u=(4, 16), b=(16,), c=(4, 2)), lambda: normal(ROWS, 5, 3)),
    "rows": (rows, dict(e=(20, 4), c=(4, 2)), lambda: random.integers(0, 20, (ROWS, 3))),
}

def of_all(h):  # statistics of the whole batch: its parts are equally large
    mean = hvd.allreduce(tf.reduce_mean(h, [0, 1, 2]))
    return mean, hvd.allreduce(tf.reduce_mean((h - mean) ** 2, [0, 1, 2]))

def of_one(h):
    mean = tf.reduce_mean(h, [0, 1, 2])
    return mean, tf.reduce_mean((h - mean) ** 2, [0, 1, 2])

def trained(name, mode, together, data):
    loss_of, shapes, _ = CASES[name]
    model = Model(r if together else 0, **shapes)
    if together:
        hvd.broadcast_variables(model.weights, 0)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(model, x, y, of_all if together else of_one)
        if together:
            tape = hvd.DistributedGradientTape(tape)
        for w, d in zip(model.weights, tape.gradient(loss, model.weights)):
            if isinstance(d, tf.IndexedSlices):
                w.scatter_sub(tf.IndexedSlices(0.1 * d.values, d.indices))
            else:
                w.assign_sub(0.1 * d)
    step = tf.function(step) if mode == "function" else step
    for x, y in data:
        x, y = (x[part], y[part]) if together else (x, y)
        step(tf.constant(x), tf.constant(y))
    return [w.numpy() for w in model.weights]

def gan(mode, together, data):
    g, d = (Model(s + (r if together else 0), a=(3, 6), c=(6, k)) for s, k in ((1, 2), (2, 1)))
    d.a = tf.Variable((np.random.default_rng(3).normal(size=(2, 6)) / 3).astype("f4"))
    d.weights = [d.a, d.c]
    if together:
        hvd.broadcast_variables(g.weights + d.weights, 0)
    def step(x, y):
        with tf.GradientTape() as of_g, tf.GradientTape() as of_d:
            real = tf.tanh(y @ d.a) @ d.c
            fake = tf.tanh((tf.tanh(x @ g.a) @ g.c) @ d.a) @ d.c
            loss_g, loss_d = tf.reduce_mean(tf.nn.softplus(-fake)), tf.reduce_mean(tf.nn.softplus(fake) + tf.nn.softplus(-real))
        if together:
            of_g, of_d = hvd.DistributedGradientTape(of_g), hvd.DistributedGradientTape(of_d)
        for ws, ds in ((g.weights, of_g.gradient(loss_g, g.weights)), (d.weights, of_d.gradient(loss_d, d.weights))):
            for w, dw in zip(ws, ds):
                w.assign_sub(0.1 * dw)
    step = tf.function(step) if mode == "function" else step
    for x, y in data:
        x, y = (x[part], y[part]) if together else (x, y)
        step(tf.constant(x), tf.constant(y))
    return [w.numpy() for w in g.weights + d.weights]

for name in [*CASES, "gan"]:
    for mode in ("eager", "function"):
        make = CASES[name][2] if name in CASES else lambda: normal(ROWS, 3)
        data = [(make(), normal(ROWS, 2)) for _ in range(STEPS)]
        run = gan if name == "gan" else lambda *a: trained(name, *a)
        mine, alone = run(mode, True, data), run(mode, False, data)
        for a, b in zip(mine, alone):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4, err_msg=f"{name} {mode}")
        bits = b"".join(a.tobytes() for a in mine)
        assert len(set(hvd.allgather_object(bits))) == 1, f"{name} {mode}: the ranks differ"
        again = b"".join(a.tobytes() for a in run(mode, True, data))
        assert again == bits, f"{name} {mode}: another run has other bits"
print("ok")
"""


@pytest.mark.parametrize("ranks", RANKS)
def test_models_equal_one_process(launch: Callable[..., Any], ranks: int) -> None:
    job = launch(ranks, PROGRAM)
    assert job.status == 0, job.err
    assert job.out.count("ok") == ranks
