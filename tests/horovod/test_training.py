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
history = mine.fit(X[:, part].reshape(-1, 5), Y[:, part].reshape(-1, 3), batch_size=6, epochs=5, shuffle=False, verbose=0, callbacks=calls)
assert len(set(hvd.allgather_object(round(history.history["loss"][-1], 6)))) == 1
warm = [0.01 / n * ((b + 1) / 12 * (n - 1) + 1) for b in range(12)]
for epoch in range(5):
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


def test_gradients_travel_while_a_function_computes(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        from gradtape.ranks import _buckets, _operations
        hvd.init()
        random = np.random.default_rng(0)
        start = [(random.normal(size=(400, 400)) / 20).astype("f4") for _ in range(8)]
        x = tf.constant(random.normal(size=(16, 400)).astype("f4") + hvd.rank())
        events = []
        put, finish = _buckets.Reduction.put, _buckets.Reduction.finish
        _buckets.Reduction.put = lambda self, i, value: (events.append(i), put(self, i, value))[1]
        _buckets.Reduction.finish = lambda self: (events.append("finish"), finish(self))[1]

        def trained(compression):
            weights = [tf.Variable(w) for w in start]
            def step(x):
                with tf.GradientTape() as tape:
                    h = x
                    for w in weights:
                        h = tf.tanh(h @ w)
                    loss = tf.reduce_mean(h * h)
                found = hvd.DistributedGradientTape(tape, compression=compression).gradient(loss, weights)
                for w, d in zip(weights, found):
                    w.assign_sub(0.5 * d)
            step = tf.function(step)
            for _ in range(5):
                step(x)
            return np.stack([w.numpy() for w in weights])

        first = trained(hvd.Compression.none)
        assert events[:9] == [7, 6, 5, 4, 3, 2, 1, 0, "finish"], events[:9]
        again = trained(hvd.Compression.none)
        assert first.tobytes() == again.tobytes()
        assert len(set(hvd.allgather_object(first.tobytes()))) == 1
        half = trained(hvd.Compression.fp16)
        np.testing.assert_allclose(half, first, atol=2e-4)

        alone = [tf.Variable(w) for w in start]
        both = tf.concat([x - hvd.rank(), x - hvd.rank() + 1.0], 0)
        for _ in range(5):
            with tf.GradientTape() as tape:
                h = both
                for w in alone:
                    h = tf.tanh(h @ w)
                loss = tf.reduce_mean(h * h)
            for w, d in zip(alone, tape.gradient(loss, alone)):
                w.assign_sub(0.5 * d)
        np.testing.assert_allclose(first, np.stack([w.numpy() for w in alone]), atol=2e-5)
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


def test_buckets_have_the_order_in_which_a_function_computes_gradients(launch: Callable[..., Any]) -> None:
    """In whichever order the program names its variables; a rank that names them in another order disagrees."""
    job = launch(
        2,
        """
        from gradtape.ranks import _buckets
        hvd.init()
        weights = [tf.Variable(tf.eye(600) * 0.5) for _ in range(5)]
        events, put = [], _buckets.Reduction.put
        _buckets.Reduction.put = lambda self, i, value: (events.append(i), put(self, i, value))[1]
        x = tf.ones([4, 600]) * (1.0 + hvd.rank())

        def gradients(named):
            with tf.GradientTape() as tape:
                h = x
                for w in weights:
                    h = h @ w
                loss = tf.reduce_sum(h)
            return hvd.DistributedGradientTape(tape).gradient(loss, named)

        order = [3, 0, 4, 1, 2]
        named = [weights[i] for i in order]
        found = tf.function(lambda: gradients(named))()
        assert [order[i] for i in events] == [4, 3, 2, 1, 0], events
        for d in found:
            np.testing.assert_allclose(d.numpy()[0], np.full(600, 4 * 1.5 * 0.5**4))
        try:
            tf.function(lambda: gradients(named if hvd.rank() else named[::-1]))()
        except hvd.RanksError as problem:
            assert "The ranks want different collectives" in str(problem)
            print("ok")
        """,
    )
    assert job.out.count("ok") == 2, job.err


def test_a_loss_scale_is_taken_out_before_and_checked_after_the_reduction(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        import keras
        hvd.init()
        r = hvd.rank()
        for passes in (1, 2):
            for wrapped in (True, False):
                v = keras.Variable(np.ones(3, "f4"))
                inner = keras.optimizers.SGD(0.5, global_clipnorm=1.0)
                options = dict(compression=hvd.Compression.fp16, backward_passes_per_step=passes, average_aggregated_gradients=True)
                if wrapped:
                    opt = hvd.DistributedOptimizer(keras.optimizers.LossScaleOptimizer(inner, initial_scale=64.0), **options)
                else:  # as Keras does by itself for mixed precision
                    opt = keras.optimizers.LossScaleOptimizer(hvd.DistributedOptimizer(inner, **options), initial_scale=64.0)
                step = tf.function(lambda g: opt.apply([g], [v]))
                for _ in range(passes):
                    step(tf.constant([3.0 + r, 4.0, 0.0]) * 64.0)
                mean = np.array([3.5, 4.0, 0.0])
                np.testing.assert_allclose(v.numpy(), 1 - 0.5 * mean / np.linalg.norm(mean), rtol=1e-3)
                before = v.numpy()
                step(tf.constant([np.inf if r else 1.0, 1.0, 1.0]))  # infinite on one rank: none takes the step
                if passes == 2 and wrapped:
                    step(tf.constant([1.0, 1.0, 1.0]))
                np.testing.assert_array_equal(before, v.numpy())
                assert float(opt.dynamic_scale) == 32.0
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


SHARDED = """
import sys
import keras
hvd.init()
r, n = hvd.rank(), hvd.size()
random = np.random.default_rng(0)
X, Y = random.normal(size=(12 * 24, 5)).astype("f4"), random.normal(size=(12 * 24, 3)).astype("f4")
part = 24 // n
mine = np.concatenate([np.arange(24 * b + part * r, 24 * b + part * (r + 1)) for b in range(12)])
OPTIMIZERS = {
    "Adam": lambda: keras.optimizers.Adam(0.01),
    "clipped": lambda: keras.optimizers.SGD(0.1, momentum=0.9, global_clipnorm=0.3),
    "AdamW": lambda: keras.optimizers.AdamW(0.01, weight_decay=0.1),
}

def model(optimizer):
    keras.utils.set_random_seed(0)
    made = keras.Sequential([keras.Input((5,)), keras.layers.Dense(7, activation="tanh"), keras.layers.Dense(3)])
    made.compile(optimizer, "mse")
    return made

def numbers(optimizer):
    return sum(int(np.prod(v.shape)) for v in optimizer.variables)

for name, make in OPTIMIZERS.items():
    divided, alone = model(hvd.DistributedOptimizer(make(), shard_optimizer=True)), model(make())
    divided.fit(X[mine], Y[mine], batch_size=part, epochs=2, shuffle=False, verbose=0)
    alone.fit(X, Y, batch_size=24, epochs=2, shuffle=False, verbose=0)
    for a, b in zip(divided.get_weights(), alone.get_weights()):
        np.testing.assert_allclose(a, b, atol=2e-5, err_msg=name)
    assert numbers(divided.optimizer) <= numbers(alone.optimizer) / n + 4
    whole = {k: v.numpy() for k, v in divided.optimizer.gathered_state().items()}
    tf.train.Checkpoint(model=divided, optimizer=divided.optimizer).write(f"{name}-{n}" + (f".of.{r}" if r else ""))
    hvd.barrier()
    for ranks in {int(sys.argv[1]) or n, n}:
        read = model(hvd.DistributedOptimizer(make(), shard_optimizer=True))
        read.optimizer.build(read.trainable_variables)
        tf.train.Checkpoint(model=read, optimizer=read.optimizer).read(f"{name}-{ranks}")
        for k, v in read.optimizer.gathered_state().items():
            np.testing.assert_allclose(v.numpy(), whole[k], atol=2e-5, err_msg=f"{name} {k}")
    # In a file the state is that of an optimizer that is not divided.
    divided.save(f"{name}-of-{r}.keras")
    plain = keras.models.load_model(f"{name}-of-{r}.keras")
    for a, b in zip(plain.optimizer.variables, alone.optimizer.variables, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-5, err_msg=f"{name} {b.path}")
    plain.save(f"{name}-of-{r}.keras")
    read = model(hvd.DistributedOptimizer(make(), shard_optimizer=True))
    read.optimizer.build(read.trainable_variables)
    read.load_weights(f"{name}-of-{r}.keras")
    for k, v in read.optimizer.gathered_state().items():
        np.testing.assert_allclose(v.numpy(), whole[k], atol=2e-5, err_msg=f"{name} {k}")
try:
    hvd.DistributedOptimizer(keras.optimizers.Adafactor(), shard_optimizer=True)
except tf.errors.UnimplementedError as problem:
    assert "Adafactor looks at whole variables" in str(problem)
else:
    raise SystemExit(1)
print("ok")
"""


@pytest.mark.parametrize(("saved", "read"), [(2, 3), (4, 2), (3, 1)])
def test_a_divided_optimizer_learns_the_same_and_is_restored_on_other_ranks(
    launch: Callable[..., Any], saved: int, read: int
) -> None:
    for ranks, before in ((saved, 0), (read, saved)):
        job = launch(ranks, SHARDED, str(before))
        assert job.status == 0, job.err
        assert job.out.count("ok") == ranks


def test_a_divided_optimizer_keeps_what_belongs_to_variables(launch: Callable[..., Any]) -> None:
    """Constraints, exclusion from weight decay, compression, and a loss scale."""
    program = (
        SHARDED.partition("OPTIMIZERS")[0]
        + """
def model(optimizer, **options):
    keras.utils.set_random_seed(0)
    made = keras.Sequential([keras.Input((5,)), keras.layers.Dense(7, activation="tanh", **options), keras.layers.Dense(3)])
    for layer in made.layers:
        layer.bias.assign(layer.bias + 1.0)
    made.compile(optimizer, "mse")
    return made

def compare(make, tolerance=2e-5, scaled=False, sharding={}, **options):
    divided = hvd.DistributedOptimizer(make(), shard_optimizer=True, **sharding)
    if scaled:
        divided = keras.optimizers.LossScaleOptimizer(divided, initial_scale=64.0)
    divided, alone = model(divided, **options), model(make(), **options)
    divided.fit(X[mine], Y[mine], batch_size=part, epochs=1, shuffle=False, verbose=0)
    alone.fit(X, Y, batch_size=24, epochs=1, shuffle=False, verbose=0)
    for a, b in zip(divided.get_weights(), alone.get_weights()):
        np.testing.assert_allclose(a, b, atol=tolerance)

def without_biases():
    made = keras.optimizers.AdamW(0.01, weight_decay=0.5)
    made.exclude_from_weight_decay(var_names=["bias"])
    return made

compare(without_biases)
compare(lambda: keras.optimizers.SGD(0.5), kernel_constraint=keras.constraints.MaxNorm(0.3))
compare(lambda: keras.optimizers.SGD(0.1), 2e-3, sharding=dict(compression=hvd.Compression.fp16))
compare(lambda: keras.optimizers.Adam(0.01), scaled=True)
half = hvd.reducescatter(tf.reshape(tf.range(14.0), [7, 2]) + r, op=hvd.Sum, compression=hvd.Compression.fp16)
whole = sum(np.arange(14.0).reshape(7, 2) + k for k in range(n))
np.testing.assert_allclose(half.numpy(), np.array_split(whole, n)[r])
v = keras.Variable(np.ones(2, "f4"))
local = hvd.DistributedOptimizer(keras.optimizers.SGD(1.0), shard_optimizer=True)
local.register_local_var([v])
try:
    local.apply([tf.ones([2])], [v])
except tf.errors.UnimplementedError as problem:
    assert "variables that are local to a rank" in str(problem)
else:
    raise SystemExit(1)
print("ok")
"""
    )
    job = launch(2, program)
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


def test_local_layers_keep_their_gradients(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        import keras
        hvd.init()
        r = hvd.rank()
        layers = [keras.layers.Embedding(5, 2), keras.layers.Dense(1, use_bias=False)]
        for options, factor in (({}, 0.5), ({"scale_local_gradients": False}, 1.0)):
            with tf.GradientTape() as tape:
                rows = layers[0](tf.constant([1 + r]))
                loss = (r + 1.0) * tf.reduce_sum(layers[1](tf.ones([1, 2])) + tf.reduce_sum(rows))
            tape = hvd.PartialDistributedGradientTape(tape, local_layers=[layers[0]], **options)
            rows, shared = tape.gradient(loss, [layers[0].embeddings, layers[1].kernel])
            assert rows.indices.numpy().tolist() == [1 + r]
            np.testing.assert_allclose(rows.values.numpy(), np.full((1, 2), (r + 1.0) * factor))
            np.testing.assert_allclose(shared.numpy(), np.full((2, 1), 1.5))

        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, use_bias=False), keras.layers.Dense(1, use_bias=False)])
        for layer in model.layers:
            layer.kernel.assign(tf.ones(layer.kernel.shape))
        opt = hvd.PartialDistributedOptimizer(keras.optimizers.SGD(1.0), local_layers=model.layers[0])
        opt.apply([tf.fill([2, 1], 1.0 + r), tf.fill([1, 1], 1.0 + r)], model.trainable_variables)
        np.testing.assert_allclose(model.layers[0].kernel.numpy(), np.full((2, 1), 1 - (1 + r) / 2))
        np.testing.assert_allclose(model.layers[1].kernel.numpy(), [[1 - 1.5]])
        for wrong in (lambda: hvd.PartialDistributedOptimizer(keras.optimizers.SGD(), local_layers=[3]),
                      lambda: hvd.DistributedOptimizer(keras.optimizers.SGD(), groups=-1),
                      lambda: hvd.SyncBatchNormalization(fused=True)):
            try:
                wrong()
            except ValueError:
                continue
            raise SystemExit(1)
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


def test_batch_normalization_with_the_statistics_of_all_ranks(launch: Callable[..., Any]) -> None:
    """50 steps of a small convnet; the learning rate changes, and the momentum of SGD with it."""
    job = launch(
        2,
        SETUP
        + """
import keras
import horovod.tensorflow.keras as kvd
images = random.normal(size=(50, 6 * n, 6, 6, 2)).astype("f4")
labels = random.normal(size=(50, 6 * n, 3)).astype("f4")

def model(seed, normalization):
    keras.utils.set_random_seed(seed)
    return keras.Sequential([keras.Input((6, 6, 2)), keras.layers.Conv2D(4, 3, activation="tanh"), normalization,
                             keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(3)])

mine, alone = model(r, hvd.SyncBatchNormalization()), model(0, keras.layers.BatchNormalization())
hvd.broadcast_variables(mine.variables, 0)
mine.compile(kvd.DistributedOptimizer(keras.optimizers.SGD(0.05, momentum=0.9)), "mse")
alone.compile(keras.optimizers.SGD(0.05, momentum=0.9), "mse")
calls = [kvd.callbacks.LearningRateScheduleCallback(0.05, multiplier=0.1, start_epoch=1)]
mine.fit(images[:, part].reshape(-1, 6, 6, 2), labels[:, part].reshape(-1, 3), batch_size=6, epochs=2, shuffle=False, verbose=0, callbacks=calls)
for epoch in range(2):
    if epoch:
        alone.optimizer.learning_rate = 0.005
        for sums in alone.optimizer.momentums:
            sums.assign(sums * 0.1)
    for x, y in zip(images, labels):
        alone.train_on_batch(x, y)
compare([v.value for v in mine.trainable_variables], [v.value for v in alone.trainable_variables], 1e-4)
for a, b in zip(mine.layers[1].non_trainable_variables, alone.layers[1].non_trainable_variables):
    np.testing.assert_allclose(a, b, atol=1e-4)
""",
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2
