"""Programs as Horovod's documentation writes them for TensorFlow 2 and Keras, on small models and made-up data."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jobs import LIMIT

DATA = """
import os
import tensorflow as tf
from tensorflow import keras

random = np.random.default_rng(0)
labels = random.integers(0, 4, 96)
images = (random.random((96, 8, 8)) + labels[:, None, None]).astype("f4")

def dataset():
    pairs = (tf.cast(images[..., tf.newaxis], tf.float32), tf.cast(labels, tf.int64))
    return tf.data.Dataset.from_tensor_slices(pairs).repeat().shuffle(96).batch(8)

def network():
    return tf.keras.Sequential([
        tf.keras.layers.Conv2D(4, [3, 3], activation="relu"),
        tf.keras.layers.MaxPooling2D(pool_size=(2, 2)),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dropout(0.25),
        tf.keras.layers.Dense(4, activation="softmax"),
    ])

def check_equal(hvd, variables):
    bits = b"".join(np.asarray(v).tobytes() for v in variables)
    assert len(set(hvd.allgather_object(bits))) == 1, "the ranks differ"
"""

LOOPS = (
    DATA
    + """
import horovod
import horovod.tensorflow as hvd
import horovod.tensorflow.keras as kvd

hvd.init()
gpus = tf.config.experimental.list_physical_devices("GPU")
if gpus:
    tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], "GPU")
assert not kvd.sycl_built() and not hvd.nccl_built() and hvd.mpi_built() and kvd.is_homogeneous()

def custom_loop():
    model, loss = network(), tf.losses.SparseCategoricalCrossentropy()
    opt = tf.optimizers.Adam(0.01 * hvd.size())
    checkpoint = tf.train.Checkpoint(model=model, optimizer=opt)

    @tf.function
    def training_step(images, labels, first_batch):
        with tf.GradientTape() as tape:
            loss_value = loss(labels, model(images, training=True))
        tape = hvd.DistributedGradientTape(tape)
        grads = tape.gradient(loss_value, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        if first_batch:
            hvd.broadcast_variables(model.variables, root_rank=0)
            hvd.broadcast_variables(opt.variables(), root_rank=0)
        return loss_value

    losses = [float(training_step(x, y, b == 0)) for b, (x, y) in enumerate(dataset().take(60 // hvd.size()))]
    assert np.mean(losses[-5:]) < np.mean(losses[:5])
    check_equal(hvd, model.variables + opt.variables())
    if hvd.rank() == 0:
        checkpoint.save("./checkpoints")

def keras_fit():
    model = network()
    rate = 0.001 * kvd.size()
    opt = kvd.DistributedOptimizer(tf.optimizers.Adam(rate), backward_passes_per_step=1, average_aggregated_gradients=True)
    model.compile(loss=tf.losses.SparseCategoricalCrossentropy(), optimizer=opt, metrics=["accuracy"], experimental_run_tf_function=False)
    callbacks = [
        kvd.callbacks.BroadcastGlobalVariablesCallback(0),
        kvd.callbacks.MetricAverageCallback(),
        kvd.callbacks.LearningRateWarmupCallback(initial_lr=rate, warmup_epochs=2, verbose=1),
        kvd.callbacks.LearningRateScheduleCallback(initial_lr=rate, multiplier=0.1, start_epoch=2),
        tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=10),
    ]
    if kvd.rank() == 0:
        callbacks.append(tf.keras.callbacks.ModelCheckpoint("./checkpoint-{epoch}.h5"))
    told = model.fit(dataset(), steps_per_epoch=12 // kvd.size(), callbacks=callbacks, epochs=3, verbose=kvd.rank() == 0).history
    assert len(set(kvd.allgather_object(str(told["loss"])))) == 1
    np.testing.assert_allclose(told["lr"], [told["lr"][0], rate, rate * 0.1], rtol=1e-6)
    check_equal(kvd, model.trainable_variables)
    kvd.allreduce(np.zeros(1))  # rank 0 has written its file
    again = kvd.load_model("checkpoint-3.h5")
    check_equal(kvd, again.trainable_variables)
    score = kvd.allreduce(again.evaluate(images[..., None], labels, verbose=0))
    assert np.isfinite(score).all()

def resumed():
    own = slice(8 * hvd.rank(), 8 * hvd.rank() + 8)
    model = network()
    model.compile(loss=tf.losses.SparseCategoricalCrossentropy(), optimizer=kvd.DistributedOptimizer(tf.optimizers.Adam(0.01)))
    model.fit(images[own, ..., None], labels[own], verbose=0)
    if kvd.rank() == 0:
        model.save("whole.keras")
    kvd.allreduce(np.zeros(1))
    again = kvd.load_model("whole.keras")
    again.fit(images[own, ..., None], labels[own], verbose=0)
    check_equal(kvd, again.trainable_variables)
    assert type(again.optimizer).__name__ == "Adam" and int(again.optimizer.iterations) == 2

def names():
    for module in ("callbacks", "elastic", "Compression", "PartialDistributedOptimizer", "reducescatter", "gloo_enabled", "start_timeline"):
        assert hasattr(kvd, module), module
    from horovod.common.exceptions import HorovodInternalError, HostsUpdatedInterrupt
    from horovod.common.process_sets import ProcessSet
    from horovod.common.util import gloo_built
    from horovod.tensorflow.mpi_ops import rank_op
    from horovod.tensorflow.sync_batch_norm import SyncBatchNormalization
    assert HorovodInternalError is hvd.RanksError and ProcessSet is hvd.ProcessSet and int(rank_op()) == hvd.rank()
    import horovod.keras
    assert horovod.keras.DistributedOptimizer is kvd.DistributedOptimizer

custom_loop()
keras_fit()
resumed()
names()
print("ok")
"""
)

ELASTIC = (
    DATA
    + """
import horovod.tensorflow.keras as hvd

hvd.init()
model = network()
opt = hvd.DistributedOptimizer(tf.optimizers.SGD(0.01 * hvd.size(), momentum=0.9))
model.compile(loss=tf.losses.SparseCategoricalCrossentropy(), optimizer=opt, experimental_run_tf_function=False)
model.fit(dataset(), steps_per_epoch=1, epochs=1, callbacks=None, verbose=0)
state = hvd.elastic.KerasState(model, batch=0, epoch=0)

def on_state_reset():
    tf.keras.backend.set_value(state.model.optimizer.lr, 0.02 * hvd.size())

state.register_reset_callbacks([on_state_reset])

class Lost(tf.keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if state.epoch == 2 and hvd.rank() == 1 and os.environ["GRADTAPE_LAUNCH_RESTART"] == "0":
            os.kill(os.getpid(), 9)

callbacks = [
    hvd.elastic.UpdateEpochStateCallback(state),
    hvd.elastic.UpdateBatchStateCallback(state),
    hvd.elastic.CommitStateCallback(state, batches_per_commit=2),
    Lost(),
]

@hvd.elastic.run
def train(state):
    print("starts", state.epoch, state.batch)
    state.model.fit(dataset(), steps_per_epoch=6 // hvd.size(), epochs=4 - state.epoch, callbacks=callbacks, verbose=0)

train(state)
check_equal(hvd, model.variables + opt.variables())
print("ends", state.epoch, state.batch, round(float(tf.keras.backend.get_value(opt.lr)), 4))
"""
)


def test_a_custom_loop_and_fit(launch: Callable[..., Any]) -> None:
    job = launch(3, LOOPS)
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3
    assert "finished gradual learning rate warmup" in job.out


def test_an_elastic_job_goes_on_after_a_rank_was_killed(launch: Callable[..., Any]) -> None:
    job = launch(2, ELASTIC, options=("--restarts", "1"))
    assert job.status == 0, job.err
    assert "gradtape launch: start 2 of 2" in job.err
    for rank in range(2):
        told = [
            line
            for line in job.out.splitlines()
            if line.startswith(f"[{rank}] ") and ("starts" in line or "ends" in line)
        ]
        assert told == [f"[{rank}] starts 0 0", f"[{rank}] starts 2 0", f"[{rank}] ends 4 0 0.04"]


CALLED = """
import sys
import tensorflow as tf
import horovod
import horovod.tensorflow.keras as hvd

def train(units, rate=0.1):
    hvd.init()
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(units)])
    model.compile(hvd.DistributedOptimizer(tf.optimizers.Adam(rate)), "mse")
    model.fit(np.ones((8, 3)), np.ones((8, units)), verbose=0, callbacks=[hvd.callbacks.BroadcastGlobalVariablesCallback(0)])
    print("rank", hvd.rank(), sys.argv[1:])
    return model if hvd.rank() == 0 else hvd.allgather_object  # a function is found by its name

def fail():
    raise ValueError("boom")

if __name__ == "__main__":
    model, function = horovod.run(train, (2,), {"rate": 0.2}, num_proc=2, hosts="localhost:2", use_mpi=True)
    assert model.predict(np.ones((1, 3)), verbose=0).shape == (1, 2) and callable(function)
    assert horovod.run(pow, (2, 5), np=2, output_filename="told") == [32, 32]
    assert os.path.exists("told/rank.1/stdout")
    for wrong, words in (
        (lambda: horovod.run(fail, np=2), "exit status"),
        (lambda: horovod.run(train, hosts="a", hostfile="b"), "must not both be given"),
        (lambda: horovod.run(train, use_mpi=True, use_gloo=True), "must not both be True"),
        (lambda: horovod.run(lambda: 1, np=2), "cannot be pickled"),
    ):
        try:
            wrong()
        except (RuntimeError, ValueError, TypeError) as problem:
            assert words in str(problem), problem
        else:
            raise SystemExit(words)
    print("ok")
"""


def test_a_function_is_called_on_several_ranks(tmp_path: Path) -> None:
    (tmp_path / "cloudpickle.py").write_text("raise ImportError('no')")
    (tmp_path / "program.py").write_text("import os\nimport numpy as np\n" + CALLED)
    command = [sys.executable, "-m", "gradtape", "run", "program.py", "--flag"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    for rank in range(2):
        assert f"[{rank}] rank {rank} ['--flag']" in done.stdout
    assert done.stdout.count("ok") == 1
    assert "ValueError: boom" in done.stderr


INTERRUPTED = """
import horovod.tensorflow as hvd
from horovod.common.exceptions import HostsUpdatedInterrupt

hvd.init()
told = []

class Counted(hvd.elastic.TensorFlowState):
    def reset(self):
        told.append("reset")

v = tf.Variable([1.0 + hvd.rank()])
state = Counted([v], step=0)
state.register_reset_callbacks([lambda: told.append("callback")])

@hvd.elastic.run
def train(state):
    told.append((state.step, float(v[0])))
    if state.step < 2:
        state.step += 1
        v.assign_add([1.0 + hvd.rank()])
        raise HostsUpdatedInterrupt(skip_sync=state.step == 2)
    return "done"

assert train(state) == "done"
last = 3.0 if hvd.rank() == 0 else 4.0
assert told == [(0, 1.0), "reset", "callback", (1, 2.0), "reset", "callback", (2, last)], told
print("ok")
"""


def test_an_interrupted_function_is_called_again_with_the_state_of_rank_0(launch: Callable[..., Any]) -> None:
    job = launch(2, INTERRUPTED)
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


SESSIONS = """
import tensorflow.compat.v1 as tf
import horovod.tensorflow as hvd

hvd.init()
tf.disable_eager_execution()
x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [3, 1], initializer=tf.random_uniform_initializer())
loss = tf.reduce_mean((tf.matmul(x, w) - y) ** 2)
step = tf.train.get_or_create_global_step()
train = hvd.DistributedOptimizer(tf.train.AdamOptimizer(0.1 * hvd.size())).minimize(loss, global_step=step)
hook = hvd.BroadcastGlobalVariablesHook(0)
hook.begin()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert len({tuple(v.ravel()) for v in hvd.allgather_object(session.run(w))}) == 2
    hook.after_create_session(session, None)
    r = np.random.default_rng(hvd.rank()).normal(size=(8, 3))
    for _ in range(80):
        session.run(train, {x: r, y: r @ [[1.0], [-2.0], [0.5]]})
    assert session.run(step) == 80
    found = session.run(w)
np.testing.assert_allclose(found.ravel(), [1.0, -2.0, 0.5], atol=0.1)
assert len({v.tobytes() for v in hvd.allgather_object(found)}) == 1
print("ok")
"""


def test_graphs_and_sessions(launch: Callable[..., Any]) -> None:
    job = launch(2, SESSIONS)
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2
