"""Large arrays: recycled memory and several threads change nothing but the time."""

import math
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import memory
from gradtape.core.op import REGISTRY

N = 3 * memory.THRESHOLD + 17


@pytest.fixture(autouse=True)
def numpys_kernels():
    """These tests are about NumPy's kernels in chunks; generated ones differ from them in the last bit."""
    tf.config.generate_kernels(False)
    yield
    tf.config.generate_kernels(True)


def values(seed, shape=(N,), dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("name", ["sin", "exp", "tanh", "negative", "square", "sigmoid", "softplus"])
@pytest.mark.parametrize("shape", [(N,), (7, N // 7), (N // 4, 2, 2)])
def test_unary_equals_a_kernel_call(name, shape):
    op, x = REGISTRY[name], values(1, shape)
    np.testing.assert_array_equal(memory.apply(op, (x,), {}), op.kernel(x))


@pytest.mark.parametrize(
    ("a", "b"),
    [((N,), (N,)), ((N,), ()), ((), (N,)), ((400, 500), (500,)), ((400, 500), (400, 1)), ((1, 500), (400, 1, 500)), ((3, N), (1, 1))],
)  # fmt: skip
@pytest.mark.parametrize("name", ["add", "multiply", "divide", "maximum", "less", "atan2"])
def test_binary_equals_a_kernel_call(name, a, b):
    op = REGISTRY[name]
    x, y = np.asarray(values(1, a)), np.asarray(values(2, b))
    result = memory.apply(op, (x, y), {})
    np.testing.assert_array_equal(result, op.kernel(x, y))
    assert result.dtype == op.kernel(x, y).dtype


@pytest.mark.parametrize("shape", [(N,), (7, N // 7)])
@pytest.mark.parametrize("name", ["subtract", "divide", "less"])
def test_number_that_is_repeated_by_strides(name, shape):
    """As the gradient of a sum is; another array gives the result its shape, or none does."""
    op, x, number = REGISTRY[name], values(1, shape), np.broadcast_to(np.float32(0.7), shape)
    for pair in ((x, number), (number, x), (number, number), (x[..., :1], number), (number, x[..., 3:4])):
        found = memory.apply(op, pair, {})
        np.testing.assert_array_equal(found, op.kernel(*pair))
        assert found.dtype == op.kernel(*pair).dtype


def test_number_that_is_repeated_by_strides_is_not_copied(monkeypatch):
    seen = []
    monkeypatch.setattr(memory.hot_kernels, "kernel", lambda op, arrays, params: seen.extend(a.shape for a in arrays))
    memory.apply(REGISTRY["multiply"], (np.broadcast_to(np.float32(2.0), (N,)), values(1)), {})
    assert seen == [(), (N,)]


@pytest.mark.parametrize(
    "view", [lambda x: x[::2], lambda x: x.reshape(-1, 17)[:, ::-1], lambda x: np.broadcast_to(x[:1], x.shape)]
)
def test_views(view):
    x = view(np.tile(values(1, (17 * 40_000,)), 1))
    np.testing.assert_array_equal(memory.apply(REGISTRY["exp"], (x,), {}), np.exp(x))


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "int32"])
def test_dtypes(dtype):
    x = tf.cast(tf.constant(values(1)), dtype)
    assert (x * x).dtype == dtype
    np.testing.assert_array_equal((x * x).numpy(), x.numpy() * x.numpy())


def test_memory_is_used_again_only_when_it_is_free():
    memory.release()
    x = tf.constant(values(1))
    a = x * 2.0
    place = a._array.__array_interface__["data"][0]
    expected = a.numpy()
    b = x * 3.0
    assert b._array.__array_interface__["data"][0] != place
    row = a._array[5:10]
    del a
    c = x * 4.0
    assert c._array.__array_interface__["data"][0] != place, "a view still needs the memory"
    np.testing.assert_array_equal(row, expected[5:10])
    del row
    d = x * 5.0
    assert d._array.__array_interface__["data"][0] == place


def test_kept_memory_is_bounded():
    memory.release()
    size = 8 * memory.KEEP // 10
    for _ in range(3):
        memory.empty((size,), np.dtype(np.uint8))
    assert 0 < memory._free_bytes() <= memory.KEEP
    several = [memory.empty((size >> i,), np.dtype(np.uint8)) for i in range(1, 6) for _ in range(1 << i)]
    del several
    memory.empty((memory.THRESHOLD,), np.dtype(np.uint8))
    assert memory._free_bytes() <= memory.KEEP
    memory.release()
    assert not memory._free_bytes()


def test_errors_come_through_and_leave_the_workers_alive():
    def fail(start):
        if start == 2:
            raise KeyError("inside a worker")

    for _ in range(3):
        with pytest.raises(KeyError, match="inside a worker"):
            memory.run(fail, range(8))
    done = []
    memory.run(done.append, range(100))
    assert sorted(done) == list(range(100))


def test_infinities_are_silent():
    x = tf.constant(np.zeros(N, np.float32))
    with np.errstate(all="raise"):
        assert np.isinf((1.0 / x).numpy()).all()
        assert np.isinf(tf.math.log(x).numpy()).all()


def test_many_threads_at_once():
    results = {}

    def work(k):
        x = tf.constant(values(k))
        for _ in range(5):
            results[k] = tf.tanh(x) * x

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k, y in results.items():
        np.testing.assert_array_equal(y.numpy(), np.tanh(values(k)) * values(k))


PROGRAM = """
import hashlib, os, sys, threading
import numpy as np
import gradtape as tf
assert threading.active_count() == 1, "no thread before it is needed"
x = tf.Variable(np.random.default_rng(0).standard_normal(400_000).astype("f"))
def run():
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.tanh(tf.sin(x) * tf.exp(-x * x)))
    return hashlib.sha256(tape.gradient(y, x).numpy().tobytes() + y.numpy().tobytes()).hexdigest()
first = run()
if hasattr(os, "fork"):
    child = os.fork()
    if not child:
        os._exit(0 if run() == first else 1)
    assert os.waitpid(child, 0)[1] == 0, "the child of a fork computes the same"
print(first)
"""


def test_same_bits_for_any_number_of_threads_and_after_fork():
    printed = []
    for count in ("1", "2", "5"):
        environment = {**os.environ, "OMP_NUM_THREADS": count, "PYTHONWARNINGS": "ignore::DeprecationWarning"}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert len(set(printed)) == 1


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({}, math.inf),
        ({"proc/self/cgroup": "0::/\n"}, math.inf),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, math.inf),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "200000 100000\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, 2.0),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "300000 100000\n", "sys/fs/cgroup/a/b/cpu.max": "50000 100000\n"}, 0.5),
        ({"proc/self/cgroup": "4:memory:/m\n3:cpu,cpuacct:/d\n0::/\n", "sys/fs/cgroup/cpu/d/cpu.cfs_quota_us": "400000\n", "sys/fs/cgroup/cpu/d/cpu.cfs_period_us": "100000\n"}, 4.0),
        ({"proc/self/cgroup": "3:cpu:/host/path\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "50000\n"}, 1.0),
        ({"proc/self/cgroup": "3:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, math.inf),
    ],
)  # fmt: skip
def test_limits_of_control_groups(tmp_path, files, cores):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert memory._group_limit(f"{tmp_path}/") == cores


@pytest.mark.parametrize(
    ("wanted", "limit", "count"),
    [("", 8, 8), ("3", 8, 3), ("3,2", 8, 3), ("12", 8, 8), ("0", 8, 8), ("many", 8, 8), ("", 2.5, 3), ("", 0.1, 1), ("2", 1, 1)],
)  # fmt: skip
def test_thread_count_obeys_limits(monkeypatch, wanted, limit, count):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)
    monkeypatch.setattr(memory, "_group_limit", lambda: limit)
    monkeypatch.setattr(memory, "cores", memory.cores.__wrapped__)
    monkeypatch.setenv("OMP_NUM_THREADS", wanted)
    assert memory._usual_count.__wrapped__() == count
