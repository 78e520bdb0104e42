"""Ctrl-C in the middle of everything that may take long: it is heard, within a second, and what is left works."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import threads
from gradtape.ops.interruptible import apart
from hostile import interrupts

LARGE = 100_000
posix = pytest.mark.skipif(not interrupts.POSSIBLE, reason="signals")


def taped() -> Any:
    v = tf.Variable(tf.ones([LARGE]))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.tanh(v) * v
    tape.gradient(y, v)
    return tape


def compiled() -> Any:
    f = tf.function(lambda x: tf.tanh(x) * 3.0)
    with tf.GradientTape() as tape:
        x = tf.ones([LARGE])
        tape.watch(x)
        y = f(x)
    tape.gradient(y, x)
    return f


MORTAL: dict[str, Callable[[], Any]] = {
    "tensor": lambda: tf.ones([LARGE]) * 2.0,
    "variable": lambda: tf.Variable(tf.ones([LARGE])),
    "tape": taped,
    "function": compiled,
    "dataset": lambda: tf.data.Dataset.range(3).map(lambda x: x + 1),
    "generator": lambda: tf.random.Generator.from_seed(1),
    "queue": lambda: tf.queue.FIFOQueue(3, [tf.float32]),
}


@pytest.mark.parametrize("name", MORTAL)
def test_nothing_is_called_when_an_object_dies(name: str) -> None:
    """Python drops a Ctrl-C that comes while a finalizer or the callback of a weak reference runs."""
    MORTAL[name]()
    holder, called = [MORTAL[name]()], []
    gc.collect()
    callbacks, gc.callbacks[:] = gc.callbacks[:], []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code) if event == "call" else None)
    holder.clear()
    gc.collect()
    sys.setprofile(before)
    gc.callbacks[:] = callbacks
    assert not called


def lasting(times: int) -> Callable[[Any], Any]:
    def compute(x: Any) -> Any:
        for i in range(times):
            x = tf.math.lgamma(x + float(i)) * 0.5 + 1.0
        return x

    return compute


def convolution() -> Callable[[], Any]:
    x, w = tf.ones([32, 128, 128, 64]), tf.ones([3, 3, 64, 64])
    f = tf.function(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"))
    return lambda: f(x, w)


def on_ones(shape: list[int], compute: Callable[[Any], Any], is_compiled: bool = True) -> Callable[[], Any]:
    x, f = tf.ones(shape), tf.function(compute) if is_compiled else compute
    return lambda: f(x)


# Each takes seconds, in one call of one program, or of one kernel.
LONG: dict[str, Callable[[], Callable[[], Any]]] = {
    "convolution": convolution,
    "elementwise": lambda: on_ones([1 << 22], lasting(60)),
    "eager op": lambda: on_ones([1 << 27], tf.math.lgamma, is_compiled=False),
    "stack of products": lambda: on_ones([20, 1200, 1200], lambda x: x @ x),
    "eager stack of products": lambda: on_ones([20, 1200, 1200], lambda x: x @ x, is_compiled=False),
    "product": lambda: on_ones([4000, 4000], lambda x: x @ x),
    "eager product": lambda: on_ones([4000, 4000], lambda x: x @ x, is_compiled=False),
    "sort": lambda: on_ones([1 << 25], lambda x: tf.sort(tf.random.shuffle(x)), is_compiled=False),
    "decomposition": lambda: on_ones([1500, 1500], lambda x: tf.linalg.svd(x + tf.eye(1500)), is_compiled=False),
    "solution": lambda: on_ones([5000, 5000], lambda x: tf.linalg.solve(x + tf.eye(5000), x), is_compiled=False),
    "transform": lambda: on_ones([1 << 24], lambda x: tf.signal.rfft(x), is_compiled=False),
    "scan": lambda: on_ones([2000, 300, 300], lambda x: tf.scan(lambda a, b: tf.tanh(a @ b), x)),
    "map_fn": lambda: on_ones([2000, 300, 300], lambda x: tf.map_fn(lambda a: tf.tanh(a @ a), x)),
    "many small kernels": lambda: on_ones(
        [64, 64], lambda x: tf.while_loop(lambda x: True, lambda x: [lasting(20)(x)], [x])
    ),
}


# Python may open a folder and be interrupted before it enters the `with` block that closes it.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <posix.ScandirIterator")
@posix
def test_ctrl_c_ends_what_takes_long(rounds: Any) -> None:
    names = list(LONG)
    for name in names[:: max(1, len(names) // rounds(3, len(names)))]:
        act = LONG[name]()

        def again(act: Callable[[], Any] = act) -> None:
            while True:
                act()

        # Less than a second where nobody else uses the machine.
        assert interrupts.seconds_to_end(again, after=0.5) < 2.5, name
        del act, again
    assert tf.function(lambda x: x * 2.0)(tf.ones([LARGE])).numpy().sum() == 2 * LARGE


@posix
def test_ctrl_c_does_not_wait_for_a_call_that_cannot_be_divided() -> None:
    """The call goes on, on its thread; what comes next is not disturbed by it."""
    is_over, go_on = threading.Event(), threading.Event()

    def call(x: Any) -> Any:
        go_on.wait(60)
        is_over.set()
        return x

    assert interrupts.seconds_to_end(lambda: apart(call, 1)) < 2.5
    assert not is_over.is_set()
    assert threads.is_alone()
    np.testing.assert_allclose(tf.linalg.inv(tf.eye(600) * 2.0), np.eye(600) / 2)
    go_on.set()
    assert is_over.wait(60)


def test_a_call_on_another_thread_is_as_one_on_this() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        apart(fail)
    with np.errstate(divide="ignore"):
        assert apart(np.divide, np.ones(1), np.zeros(1)) == np.inf
    matrix = np.random.default_rng(0).standard_normal((500, 500))
    for found, wanted in zip(apart(np.linalg.svd, matrix), np.linalg.svd(matrix), strict=True):
        np.testing.assert_array_equal(found, wanted)


@posix
@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_variable_is_whole_after_ctrl_c(is_compiled: bool) -> None:
    """An update that has begun to write over the old value is finished."""
    v = tf.Variable(tf.ones([1 << 21]))

    def update() -> None:
        if is_compiled:
            v.assign(lasting(20)(v))
        else:
            v.assign_add(tf.ones([1 << 21]))

    step = tf.function(update) if is_compiled else update

    def again() -> None:
        while True:
            step()

    step()
    for after in (0.1, 0.25):
        interrupts.seconds_to_end(again, after)
        value = v.numpy()
        np.testing.assert_array_equal(value, value[0])


@posix
def test_a_step_that_is_stopped_assigns_nothing() -> None:
    v, count = tf.Variable(tf.ones([1 << 20])), tf.Variable(0)

    @tf.function
    def step(times: tf.Tensor) -> None:
        count.assign_add(1)
        x = v.read_value()
        for _ in tf.range(times):
            x = lasting(30)(x)
        v.assign(x)
        count.assign_add(1)

    step(tf.constant(0))
    for _ in range(2):
        before, number = v.numpy(), count.numpy()
        assert interrupts.seconds_to_end(lambda: step(tf.constant(1 << 30)), 0.3) < 2.5
        np.testing.assert_array_equal(v.numpy(), before)
        assert count.numpy() == number
        step(tf.constant(1))
        assert count.numpy() == number + 2
