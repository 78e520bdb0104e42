"""MultiWorkerMirroredStrategy: a replica in each rank of a job."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs import RANKS


def passed(job: Any, ranks: int) -> None:
    assert job.status == 0, job.err
    assert job.out.count("ok") == ranks, job.out + job.err


BASICS = """
s = tf.distribute.MultiWorkerMirroredStrategy()
n, r = s.num_replicas_in_sync, s.cluster_resolver.task_id
assert s.cluster_resolver.task_type == "worker" and s.cluster_resolver.cluster_spec().num_tasks("worker") == n
assert s.extended.worker_devices == (f"/job:worker/replica:0/task:{r}/device:CPU:0",)
assert s.extended._in_multi_worker_mode()
A, S = tf.VariableAggregation, tf.VariableSynchronization
with s.scope():
    mean = tf.Variable(10.0 + r, aggregation=A.MEAN)
    total = tf.Variable(0.0, aggregation=A.SUM)
    first = tf.Variable(0.0, aggregation=A.ONLY_FIRST_REPLICA)
    seen = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=A.SUM)
    average = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=A.MEAN)
    count = tf.Variable(0, synchronization=S.ON_READ, aggregation=A.SUM)
    own = tf.Variable(0.0)
assert mean.numpy() == 10.0  # the chief's
everybody = np.arange(n) + 1.0

def replica(x):
    context = tf.distribute.get_replica_context()
    assert context.num_replicas_in_sync == n and context.replica_id_in_sync_group == r
    mean.assign(x); total.assign_add(x); first.assign_add(1.0); seen.assign_add(x); average.assign(x); count.assign_add(1)
    return context.all_reduce("SUM", x), context.all_reduce("MEAN", {"a": x}), context.all_gather(tf.fill([1, r + 1], x), 1)

for k, f in enumerate([replica, tf.function(replica)]):
    x = tf.constant(1.0 + r)
    sums, means, rows = s.run(f, args=(x,))
    assert float(sums) == everybody.sum() and float(means["a"]) == everybody.mean()
    assert rows.numpy().tolist() == [[q + 1.0 for q in range(n) for _ in range(q + 1)]]
    np.testing.assert_allclose(mean.numpy(), everybody.mean())
    assert total.numpy() == everybody.sum() * (k + 1) and first.numpy() == k + 1
    assert seen.numpy() == everybody.sum() * (k + 1) and count.numpy() == n * (k + 1)
    np.testing.assert_allclose(average.numpy(), everybody.mean())
    assert s.experimental_local_results(seen)[0].numpy() == x.numpy() * (k + 1)
seen.assign(7.0)
np.testing.assert_allclose(seen.numpy(), 7.0, rtol=1e-6)

def refused():
    own.assign_add(1.0)
try:
    s.run(refused)
except ValueError as problem:
    assert "must specify an aggregation method" in str(problem)
else:
    raise SystemExit(1)

@tf.function
def outside(x):
    y = s.run(lambda v: v * 2, args=(x,))
    rows = tf.fill([r + 1, 2], x)
    return s.reduce("SUM", y, axis=None), s.reduce("MEAN", rows, axis=0), s.gather(rows, axis=0), s.reduce("MEAN", tf.range(r + 1), axis=0)

y, m, g, i = outside(tf.constant(1.0 + r))
assert float(y) == 2 * everybody.sum()
np.testing.assert_allclose(m.numpy(), [(everybody**2).sum() / everybody.sum()] * 2)
assert g.shape[0] == everybody.sum()
values = s.experimental_distribute_values_from_function(lambda c: 10 * c.replica_id_in_sync_group)
assert values == 10 * r

def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.distribute.get_replica_context().all_reduce("SUM", x * x) * (r + 1.0)
    return tape.gradient(loss, x)
assert float(s.run(gradient, args=(tf.constant(3.0),))) == 6.0 * everybody.sum()

with s.scope():
    generator = tf.random.Generator.from_seed(3)
draw = tf.function(lambda: s.run(lambda: generator.normal([4])))
drawn = s.gather(draw()[None], 0).numpy()
assert len({row.tobytes() for row in drawn}) == n
assert len({row.tobytes() for row in s.gather(s.run(lambda: generator.normal([4]))[None], 0).numpy()}) == n
assert len({row.tobytes() for row in s.gather(generator.normal([4])[None], 0).numpy()}) == 1
print("ok")
"""


@pytest.mark.parametrize("ranks", RANKS)
def test_replicas_variables_and_collectives(launch: Callable[..., Any], ranks: int) -> None:
    passed(launch(ranks, BASICS), ranks)


def test_datasets(launch: Callable[..., Any]) -> None:
    passed(
        launch(
            3,
            """
            s = tf.distribute.MultiWorkerMirroredStrategy()
            r = s.cluster_resolver.task_id
            whole = tf.data.Dataset.range(11).batch(6)
            for steps in ("eager", "function"):
                parts = []
                def walk():
                    for batch in s.experimental_distribute_dataset(whole):
                        parts.append(s.gather(batch, 0).numpy().tolist())
                def total():
                    found = tf.constant(0, tf.int64)
                    for batch in s.experimental_distribute_dataset(whole):
                        found += s.run(lambda x: tf.reduce_sum(x), args=(batch,))
                    return s.reduce("SUM", found, axis=None)
                walk()
                assert parts == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10]], parts
                assert int((tf.function(total) if steps == "function" else total)()) == 55
            options = tf.data.Options()
            options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
            rows = [b.numpy().tolist() for b in s.experimental_distribute_dataset(whole.with_options(options))]
            assert rows == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10]], rows

            def make(context):
                assert context.num_input_pipelines == 3 and context.input_pipeline_id == r
                assert context.get_per_replica_batch_size(6) == 2
                return tf.data.Dataset.range(1 + r).batch(1)
            sizes = [len(b) for b in s.distribute_datasets_from_function(make)]
            assert sizes == [1] * (1 + r) + [0] * (2 - r), sizes
            endless = iter(s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(4).repeat().batch(2)))
            assert next(endless).numpy().tolist() == [0, 1]
            print("ok")
            """,
        ),
        3,
    )


def test_workers_read_their_own_files(launch: Callable[..., Any], tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"part-{number}.txt").write_text("".join([f"{number}{line}\n" for line in range(4)]))
    passed(
        launch(
            2,
            """
            s = tf.distribute.MultiWorkerMirroredStrategy()
            r = s.cluster_resolver.task_id
            options = tf.data.Options()
            options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.FILE
            names = sorted(tf.io.gfile.glob("part-*.txt"))
            number = lambda line: tf.strings.to_number(line, tf.int32)
            ways = (
                tf.data.TextLineDataset(names).map(number),
                tf.data.Dataset.from_tensor_slices(names).flat_map(tf.data.TextLineDataset).map(number).cache().prefetch(1),
                tf.data.Dataset.list_files("part-*.txt").interleave(tf.data.TextLineDataset, cycle_length=2).map(number),
            )
            for whole in ways:
                data = s.experimental_distribute_dataset(whole.batch(4).with_options(options))
                for turn in range(2):
                    rows = [b.numpy().tolist() for b in data]
                    own = sorted(x for row in rows for x in row)
                    assert own == [10 * f + i for f in range(r, 5, 2) for i in range(4)], own
                    assert [len(row) for row in rows] == ([2] * 6 if r == 0 else [2] * 4 + [0] * 2), rows
            for wrong, words in (
                (tf.data.Dataset.range(8).batch(2), "must read files"),
                (tf.data.TextLineDataset(names[0]).batch(2), "1 file cannot be divided among 2 workers"),
            ):
                try:
                    s.experimental_distribute_dataset(wrong.with_options(options))
                except tf.errors.InvalidArgumentError as problem:
                    assert words in str(problem), problem
                else:
                    raise SystemExit(words)

            import keras
            with s.scope():
                model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer="zeros", use_bias=False)])
                model.compile(keras.optimizers.SGD(1e-4), "mse", metrics=["mae"])
            pairs = ways[0].map(lambda x: (tf.cast(x, tf.float32)[None], tf.cast(x, tf.float32)[None]))
            told = model.fit(pairs.batch(4).with_options(options), epochs=2, verbose=0).history
            w, steps = 0.0, 6
            for _ in range(2):
                for step in range(steps):
                    batch = [10 * f + i for q in range(2) for f in list(range(q, 5, 2))[step // 2 :][:1] for i in (2 * (step % 2), 2 * (step % 2) + 1)]
                    w -= 1e-4 * sum(2 * (w * x - x) * x for x in batch) / len(batch)
            np.testing.assert_allclose(model.get_weights()[0], [[w]], rtol=1e-4)
            assert len(set(s._workers.group.exchange(str(told)))) == 1
            options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
            model.fit(pairs.batch(4).with_options(options), verbose=0)
            assert int(model.optimizer.iterations) == 12 + 10  # 5 batches, each as 2 of half the size, on all workers
            print("ok")
            """,
        ),
        2,
    )


KERAS = """
import os
import keras

s = tf.distribute.MultiWorkerMirroredStrategy()
r = s.cluster_resolver.task_id
random = np.random.default_rng(0)
x, y = random.normal(size=(37, 5)).astype("f4"), random.normal(size=(37, 3)).astype("f4")

def model(optimizer="adam"):
    made = keras.Sequential([
        keras.Input((5,)),
        keras.layers.Dense(8, activation="tanh", kernel_regularizer="l2"),
        keras.layers.BatchNormalization(synchronized=True, momentum=0.5),
        keras.layers.Dense(3),
    ])
    made.compile(optimizer, "mse", metrics=["mae"])
    return made

def compare(mine, alone, tolerance=3e-5):
    for a, b in zip(mine.get_weights(), alone.get_weights()):
        np.testing.assert_allclose(a, b, atol=tolerance)
    bits = b"".join(w.tobytes() for w in mine.get_weights())
    assert len(set(s._workers.group.exchange(bits))) == 1
"""


@pytest.mark.parametrize("ranks", RANKS)
def test_fit_equals_one_process(launch: Callable[..., Any], ranks: int) -> None:
    passed(
        launch(
            ranks,
            KERAS
            + """
keras.utils.set_random_seed(r)
with s.scope():
    mine = model()
keras.utils.set_random_seed(0)
alone = model()
np.random.seed(r)
told = mine.fit(x, y, batch_size=8, epochs=10, verbose=0, validation_data=(x[:13], y[:13])).history
np.random.seed(0)
said = alone.fit(x, y, batch_size=8, epochs=10, verbose=0, validation_data=(x[:13], y[:13])).history
compare(mine, alone, 1e-3)
for name in told:
    np.testing.assert_allclose(told[name], said[name], rtol=2e-3, err_msg=name)
np.testing.assert_allclose(mine.evaluate(x, y, verbose=0), alone.evaluate(x, y, verbose=0), rtol=2e-3)
np.testing.assert_allclose(mine.predict(x, verbose=0), alone.predict(x, verbose=0), atol=2e-3)
print("ok")
""",
        ),
        ranks,
    )


def test_datasets_checkpoints_and_other_steps_of_fit(launch: Callable[..., Any]) -> None:
    passed(
        launch(
            2,
            KERAS
            + """
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
class Noted(keras.callbacks.ModelCheckpoint):
    saved = 0
    def _save_model(self, *args, **kwargs):
        Noted.saved += 1
        super()._save_model(*args, **kwargs)

def train(made, data, **options):
    made.fit(data, epochs=2, verbose=0, **options)
    return made
with s.scope():
    keras.utils.set_random_seed(0)
    mine = model("sgd")
keras.utils.set_random_seed(0)
alone = train(model("sgd"), data)
train(mine, s.experimental_distribute_dataset(data), callbacks=[Noted("saved.keras"), keras.callbacks.BackupAndRestore("backup")])
compare(mine, alone)
assert Noted.saved == (2 if r == 0 else 0)
loaded = keras.models.load_model("saved.keras")
compare(loaded, alone)

with s.scope():
    keras.utils.set_random_seed(0)
    scaled = model(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01, clipnorm=0.5), initial_scale=1024.0))
keras.utils.set_random_seed(0)
compare(train(scaled, data), train(model(keras.optimizers.SGD(0.01, clipnorm=0.5)), data))

# An infinite gradient on one worker is one for all: the step is left out on both.
before, poisoned = scaled.get_weights(), x.copy()
poisoned[-1] = np.inf
scaled.train_on_batch(poisoned if r else x, y)
assert float(scaled.optimizer.dynamic_scale) == 512.0
for a, b in zip(before[:2], scaled.get_weights()[:2]):
    np.testing.assert_array_equal(a, b)

with s.scope():
    few = model("sgd")
few.fit(x[:1], y[:1], verbose=0)  # a batch with fewer rows than workers
assert all(np.isfinite(w).all() for w in few.get_weights())

checkpoint = tf.train.Checkpoint(model=mine, step=tf.Variable(3 + r))
path = checkpoint.write(f"point{'' if r == 0 else '.of.worker'}")  # workers write elsewhere, as in TensorFlow
s._workers.group.barrier()
mine.set_weights([w * 0 for w in mine.get_weights()])
checkpoint.read("point").expect_partial()
compare(mine, alone)
print("ok")
""",
        ),
        2,
    )


def test_keras_distribution(launch: Callable[..., Any]) -> None:
    passed(
        launch(
            2,
            """
            import keras
            keras.distribution.initialize()
            assert keras.distribution.list_devices() == ["cpu:0", "cpu:1"]
            try:
                keras.distribution.initialize(num_processes=3)
            except tf.errors.FailedPreconditionError as problem:
                assert "num_processes must be 2" in str(problem)
            random = np.random.default_rng(0)
            x, y = random.normal(size=(36, 5)).astype("f4"), random.normal(size=(36, 3)).astype("f4")
            data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
            def model(seed):
                keras.utils.set_random_seed(seed)
                made = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(3)])
                made.compile("sgd", "mse", metrics=["mae"])
                return made
            alone = model(0)
            said = alone.fit(data, epochs=3, verbose=0).history
            both = keras.distribution.DataParallel()
            assert both.num_model_replicas == both.num_processes == 2
            keras.distribution.set_distribution(both)
            mine = model(both._process_id)
            told = mine.fit(data, epochs=3, verbose=0).history
            for a, b in zip(mine.get_weights(), alone.get_weights()):
                np.testing.assert_allclose(a, b, atol=2e-5)
            for name in told:
                np.testing.assert_allclose(told[name], said[name], rtol=1e-4)
            try:
                mine.fit(x, y, verbose=0)
            except ValueError as problem:
                assert "auto-sharding" in str(problem)
            both.auto_shard_dataset = False
            mine.fit(x[both._process_id :: 2], y[both._process_id :: 2], batch_size=4, verbose=0)
            print("ok")
            """,
        ),
        2,
    )


def test_tf_config_orders_the_workers(launch: Callable[..., Any]) -> None:
    cluster = json.dumps({"worker": ["a:1", "b:1"]})
    job = launch(
        2,
        f"""
        import json, os
        number = 1 - int(os.environ.get("PMI_RANK") or os.environ["OMPI_COMM_WORLD_RANK"])
        os.environ["TF_CONFIG"] = json.dumps({{"cluster": {cluster}, "task": {{"type": "worker", "index": number}}}})
        s = tf.distribute.MultiWorkerMirroredStrategy()
        assert s.cluster_resolver.task_id == number == s.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group)
        assert s.gather(tf.constant([number]), 0).numpy().tolist() == [0, 1]
        print("ok")
        """,
    )
    passed(job, 2)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"cluster": {"worker": ["a:1"] * 3}, "task": {"type": "worker", "index": 0}}, "names 3 workers, but 2 processes"),
        ({"cluster": {"worker": ["a:1"] * 2}, "task": {"type": "worker", "index": 0}}, "must have different tasks"),
        ({"cluster": {"worker": ["a:1"]}, "task": {"type": "evaluator", "index": 0}}, "cannot be a worker"),
    ],
)  # fmt: skip
def test_clusters_that_do_not_fit(launch: Callable[..., Any], config: Any, words: str) -> None:
    job = launch(2, "tf.distribute.MultiWorkerMirroredStrategy()", TF_CONFIG=json.dumps(config))
    assert job.status != 0
    assert words in job.err, job.err


def test_workers_that_want_different_things_are_named(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        s = tf.distribute.MultiWorkerMirroredStrategy()
        x = tf.ones([2 + s.cluster_resolver.task_id])
        s.reduce("SUM", x, axis=None)
        """,
    )
    assert job.status != 0
    assert "The ranks want different collectives" in job.err
    assert "(3,) float32" in job.err
