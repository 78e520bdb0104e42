"""Programs: variables in place, arrays that kernels cannot take, and what happens when the compiler fails."""

import os
import re
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler import availability
from gradtape.compiler import backends as emitters
from gradtape.compiler.backends import emitter_of
from gradtape.compiler.fusion import pointwise as fusion
from gradtape.core.patterns.indexing import Take
from gradtape.testing.duck_array import DuckArray


def place(variable: tf.Variable) -> int:
    return variable._value._array.ctypes.data


@pytest.fixture
def counter():
    v = tf.Variable(np.zeros(1000, np.float32))

    @tf.function
    def step(x):
        v.assign_add(x)
        return tf.reduce_sum(v)

    step(tf.ones([1000]))
    return v, step


class TestVariables:
    def test_are_updated_in_place(self, counter):
        v, step = counter
        before = place(v)
        for i in range(2, 5):
            assert float(step(tf.ones([1000]))) == 1000.0 * i
            assert place(v) == before

    @pytest.mark.parametrize(
        "hold",
        [
            lambda v: v.value(),
            lambda v: v + 0.0,
            lambda v: v[1:3],
            lambda v: tf.reshape(v, [10, 100]),
            lambda v: tf.identity(v),
            lambda v: np.asarray(v),
            lambda v: v._value,
        ],
        ids=["value", "sum", "slice", "reshape", "identity", "array", "tensor"],
    )
    def test_what_others_hold_does_not_change(self, counter, hold):
        v, step = counter
        held = hold(v)
        before = np.array(held)
        step(tf.ones([1000]))
        np.testing.assert_array_equal(np.array(held), before)
        np.testing.assert_array_equal(v.numpy(), np.full(1000, 2.0))

    def test_the_old_value_may_be_returned(self):
        v = tf.Variable(np.arange(500.0))

        @tf.function
        def step():
            old = v.read_value()
            v.assign(v * 2.0)
            return old, v.read_value()

        for i in range(4):
            old, new = step()
            np.testing.assert_array_equal(old, np.arange(500.0) * 2.0**i)
            np.testing.assert_array_equal(new, np.arange(500.0) * 2.0 ** (i + 1))

    def test_the_old_value_may_be_read_after_the_assignment(self):
        v, w = tf.Variable(np.arange(500.0)), tf.Variable(np.zeros(500))

        @tf.function
        def step():
            old = v.read_value()
            v.assign_add(tf.ones([500], tf.float64))
            w.assign(tf.reverse(old, [0]))
            return tf.reduce_sum(old * v)

        for i in range(3):
            x = np.arange(500.0) + i
            assert float(step()) == pytest.approx(np.sum(x * (x + 1.0)))
            np.testing.assert_array_equal(w.numpy(), x[::-1])

    def test_two_variables_that_began_with_one_array(self):
        x = tf.constant(np.zeros(300))
        v, w = tf.Variable(x), tf.Variable(x)
        step = tf.function(lambda: v.assign_add(tf.ones([300], tf.float64)))
        step(), step()
        assert v.numpy().sum() == 600.0
        assert w.numpy().sum() == x.numpy().sum() == 0.0

    def test_variables_that_change_places(self):
        v, w = tf.Variable(np.zeros(300)), tf.Variable(np.ones(300))

        @tf.function
        def swap():
            a, b = v.read_value(), w.read_value()
            v.assign(b)
            w.assign(a)

        for i in range(5):
            assert (v.numpy()[0], w.numpy()[0]) == (i % 2, 1 - i % 2)
            swap()

    def test_a_tape_outside_keeps_its_values(self):
        v = tf.Variable(np.full(300, 3.0))

        @tf.function
        def step(x):
            y = tf.reduce_sum(v * v * x)
            v.assign(v * 0.0)
            return y

        x = tf.constant(np.full(300, 2.0))
        with tf.GradientTape() as tape:
            y = step(x)
        np.testing.assert_array_equal(tape.gradient(y, v), np.full(300, 12.0))

    def test_scalars(self):
        v = tf.Variable(1.0)
        step = tf.function(lambda: v.assign_add(1.0))
        for i in range(3):
            assert float(step()) == i + 2.0
            assert type(v.numpy()) is np.float32

    def test_another_thread_may_read_meanwhile(self, counter):
        v, step = counter
        seen, stop = [], threading.Event()

        def look():
            while not stop.is_set():
                array = v.numpy()
                seen.append(array.min() == array.max())

        thread = threading.Thread(target=look)
        thread.start()
        for _ in range(300):
            step(tf.ones([1000]))
        stop.set()
        thread.join()
        assert all(seen)


class TestArrays:
    @pytest.mark.parametrize(
        "make",
        [
            lambda x: np.asfortranarray(x),
            lambda x: x[::-1][::-1],
            lambda x: np.broadcast_to(x[:1], x.shape),
            lambda x: x.astype(np.float32, copy=True).view(np.ndarray),
        ],
        ids=["columns", "steps", "broadcast", "plain"],
    )
    def test_of_any_layout(self, make, random):
        x = make(random.normal(size=(6, 5)).astype(np.float32))
        f = tf.function(lambda t: tf.tanh(t) @ tf.transpose(t))
        tensor = tf.Tensor.__new__(tf.Tensor)
        tensor._array, tensor._id = x, 0
        np.testing.assert_allclose(f(tensor), np.tanh(x) @ x.T, rtol=1e-5)

    def test_of_other_shapes_than_traced(self):
        """A ConcreteFunction does not check shapes."""
        concrete = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * 2.0)).get_concrete_function(tf.TensorSpec([3]))
        assert float(concrete(tf.zeros([3]))) == 6.0
        assert float(concrete(tf.zeros([1000]))) == 2000.0

    def test_of_another_library(self, random):
        x = random.normal(size=(4, 3))
        f = tf.function(lambda t: tf.tanh(t) * 2.0)
        f(tf.constant(x))
        tensor = tf.Tensor.__new__(tf.Tensor)
        tensor._array, tensor._id = DuckArray(x), 0
        y = f(tensor)
        assert type(y._array) is DuckArray


class TestFailures:
    def test_a_fusion_that_fails_leaves_numpy_and_one_warning(self, monkeypatch):
        def broken(*arguments):
            raise RuntimeError("no such register")

        monkeypatch.setattr(fusion, "fuse", broken)
        availability._say.cache_clear()
        f = tf.function(lambda x: tf.exp(x) + 1.0)
        with pytest.warns(tf.errors.CompilerWarning, match="no such register.*NumPy's kernels.*report"):
            assert float(f(tf.constant(0.0))) == 2.0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert float(f(tf.constant(0.0))) == 2.0

    def test_an_emitter_that_fails_leaves_its_op_to_numpy(self, monkeypatch):
        def broken(*arguments):
            raise RuntimeError("no such shuffle")

        emitter_of(Take)
        monkeypatch.setitem(emitters.EMITTERS, Take, broken)
        availability._say.cache_clear()
        f = tf.function(lambda x, i: tf.gather(tf.exp(x), i) + 1.0)
        with pytest.warns(tf.errors.CompilerWarning, match="gather.*no such shuffle"):
            np.testing.assert_array_equal(f(tf.zeros([3]), tf.constant([0, 2])), [2.0, 2.0])
        assert [o.op for o in f.explain().traces[0].outside] == ["gather"]


_SCRIPT = """
import sys
if sys.argv[1] == "None":
    sys.modules["llvmlite"] = None
import numpy as np
import gradtape as tf

w = tf.Variable([1.0, 2.0])

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.tanh(w * x))
    w.assign_sub(0.5 * tape.gradient(y, w))
    i = tf.constant(0.0)
    while i < 3.0:
        i += 1.0
    return i

def square(x):
    return x * x

assert float(step(tf.constant([0.3, 0.4]))) == 3.0
np.testing.assert_allclose(w, [0.862736, 1.888191], rtol=1e-5)
assert float(tf.function(square)(tf.constant(3.0))) == 9.0
large = tf.ones([1 << 19])
for _ in range(12):
    total = tf.reduce_sum(large * 2.0)
assert float(total) == 2.0**20
assert step.explain().traces[0].native == ()
"""


@pytest.mark.parametrize("how", ["None", "broken"])
def test_process_without_llvmlite(how, tmp_path):
    """Where it is not installed nothing is said, where it does not load one warning, which names the user's line."""
    (tmp_path / "llvmlite").mkdir()
    (tmp_path / "llvmlite" / "__init__.py").write_text("raise ImportError('no libLLVM here')")
    (tmp_path / "script.py").write_text(_SCRIPT)
    found = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    run = subprocess.run(
        [sys.executable, str(tmp_path / "script.py"), how],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, found))},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    warned = [line for line in run.stderr.splitlines() if "Warning" in line]
    if how == "None":
        assert run.stderr == ""
    else:
        assert len(warned) == 1
        assert re.search(
            r"script\.py:\d+: CompilerWarning: gradtape cannot load llvmlite \(.*no libLLVM here", warned[0]
        )
