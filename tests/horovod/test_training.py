"""Ranks that train together come to the weights of one process with the whole batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SETUP = """
import sys
hvd.init()
r, n = hvd.rank(), hvd.size()
random = np.random.default_rng(0)
X = random.normal(size=(12, 6 * n, 5)).astype("f4")
Y = random.normal(size=(12, 6 * n, 3)).astype("f4")
part = slice(6 * r, 6 * (r + 1))

def weights(seed):
    g = np.random.default_rng(seed)
    return [tf.Variable(g.normal(size=s).astype("f4") / 4) for s in [(5, 8), (8,), (8, 3), (3,), (10, 5)]]

def loss_of(w, x, y):
    x = x + tf.gather(w[4], tf.range(tf.shape(x)[0]) % 7)
    h = tf.tanh(x @ w[0] + w[1])
    return tf.reduce_mean((h @ w[2] + w[3] - y) ** 2)

def compare(mine, alone, tolerance=1e-5):
    for a, b in zip(mine, alone):
        np.testing.assert_allclose(a.numpy(), b.numpy(), atol=tolerance)
    bits = [b"".join(v.numpy().tobytes() for v in mine)]
    assert len(set(hvd.allgather_object(bits[0]))) == 1, "weights differ between ranks"
    print("ok")
"""


@pytest.mark.parametrize("mode", ["eager", "function"])
def test_custom_loops_equal_one_process(launch: Callable[..., Any], mode: str) -> None:
    job = launch(
        2,
        SETUP
        + """
def gradients(w, x, y, together):
    with tf.GradientTape() as tape:
        loss = loss_of(w, x, y)
    if together:
        tape = hvd.DistributedGradientTape(tape)
    return tape.gradient(loss, w)

def train(w, xs, ys, together):
    def step(x, y):
        for v, d in zip(w, gradients(w, x, y, together)):
            v.assign_sub(0.1 * tf.convert_to_tensor(d))
    step = tf.function(step) if sys.argv[1] == "function" else step
    for x, y in zip(xs, ys):
        step(tf.constant(x), tf.constant(y))

mine, alone = weights(r), weights(0)
hvd.broadcast_variables(mine, 0)
# The rows that a rank gathers depend on the position within its part: the same for the process with the whole batch.
def whole(w, x, y, together=False):
    return sum(loss_of(w, x[6 * k : 6 * k + 6], y[6 * k : 6 * k + 6]) for k in range(n)) / n
train(mine, X[:, part], Y[:, part], True)
for x, y in zip(X, Y):
    with tf.GradientTape() as tape:
        loss = whole(alone, tf.constant(x), tf.constant(y))
    for v, d in zip(alone, tape.gradient(loss, alone)):
        v.assign_sub(0.1 * tf.convert_to_tensor(d))
compare(mine, alone)
""",
        mode,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


def test_keras_fit_equals_one_process(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        SETUP
        + """
import keras
import horovod.tensorflow.keras as kvd

def model(seed):
    keras.utils.set_random_seed(seed)
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(3)])

mine, alone = model(r), model(0)
mine.compile(kvd.DistributedOptimizer(keras.optimizers.Adam(0.01)), "mse")
alone.compile(keras.optimizers.Adam(0.01), "mse")
hvd.broadcast_variables(mine.variables, 0)
calls = [kvd.callbacks.BroadcastGlobalVariablesCallback(0), kvd.callbacks.MetricAverageCallback(),
         kvd.callbacks.LearningRateWarmupCallback(0.01, warmup_epochs=1)]
history = mine.fit(X[:, part].reshape(-1, 5), Y[:, part].reshape(-1, 3), batch_size=6, epochs=2, shuffle=False, verbose=0, callbacks=calls)
assert len(set(hvd.allgather_object(round(history.history["loss"][-1], 6)))) == 1
warm = [0.01 / n * ((b + 1) / 12 * (n - 1) + 1) for b in range(12)]
for epoch in range(2):
    for b, (x, y) in enumerate(zip(X, Y)):
        if epoch == 0:
            alone.optimizer.learning_rate = warm[b]
        alone.train_on_batch(x, y)
compare([v.value for v in mine.variables], [v.value for v in alone.variables], 2e-5)
""",
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


def test_gradients_are_added_up_before_they_are_reduced(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        SETUP
        + """
import keras
def trained(together):
    v = keras.Variable(np.ones(2, "f4"))
    opt = keras.optimizers.SGD(0.5)
    if together:
        opt = hvd.DistributedOptimizer(opt, backward_passes_per_step=2, average_aggregated_gradients=True)
    step = tf.function(lambda g: opt.apply([g], [v]))
    seen = []
    for k in range(4):
        step(tf.constant([1.0 + k + r, 2.0]))
        seen.append(v.numpy().tolist())
    return seen
seen = trained(True)
first = [(1.0 + k + q) for k in (0, 1) for q in (0, 1)]
second = [(3.0 + k + q) for k in (0, 1) for q in (0, 1)]
after = [1 - 0.5 * np.mean(first), 0.0]
last = [after[0] - 0.5 * np.mean(second), -1.0]
np.testing.assert_allclose(seen, [[1.0, 1.0], after, after, last])
print("ok")
""",
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2
