"""Updates of variables by several threads: none is lost, and readers see whole values."""

import _thread
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.core import memory, threads
from gradtape.tracing.staged import Runner

THREADS, TIMES = 8, 25


def together(step: Callable[[], Any], times: int = TIMES) -> None:
    """Call a function many times in several threads."""
    problems: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(times):
                step()
        except BaseException as problem:
            problems.append(problem)

    workers = [threading.Thread(target=work) for _ in range(THREADS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not problems


def recorded(step: Callable[[], Any]) -> Callable[[], None]:
    def run() -> None:
        with tf.GradientTape():
            step()

    return run


def exclusive(v: tf.Variable) -> Callable[[], Any]:
    section = tf.CriticalSection()
    return lambda: section.execute(lambda: v.assign(v + 1.0))


UPDATES: dict[str, Callable[[tf.Variable], Callable[[], Any]]] = {
    "assign_add": lambda v: lambda: v.assign_add(tf.ones_like(v)),
    "assign_sub": lambda v: lambda: v.assign_sub(-tf.ones_like(v)),
    "scatter_add": lambda v: lambda: v.scatter_add(tf.IndexedSlices(1.0, tf.range(v.shape[0]))),
    "scatter_nd_sub": lambda v: lambda: v.scatter_nd_sub(tf.range(v.shape[0])[:, None], -tf.ones_like(v)),
    "critical section": exclusive,
}


def switch(*_: Any) -> Any:
    """Code of the user, during which other threads run."""
    time.sleep(1e-5)
    return np.float32(1.0)


def beside_python(v: tf.Variable) -> Callable[[], Any]:
    def step() -> None:
        tf.py_function(switch, [], tf.float32)
        v.assign_add(tf.ones_like(v) * 0.5)
        v.scatter_add(tf.IndexedSlices(0.25, tf.range(v.shape[0])))
        tf.py_function(switch, [], tf.float32)
        v.assign_sub(-tf.ones_like(v) * 0.25)

    return step


def by_gradient(v: tf.Variable) -> Callable[[], Any]:
    """The gradient of a Python function is computed by one, between the read of the variable and its update."""

    def step() -> None:
        with tf.GradientTape() as tape:
            y = tf.py_function(lambda x: tf.reduce_sum(x) * switch(), [v], tf.float32)
        v.assign_add(tape.gradient(y, v))

    return step


TRACED = {
    **UPDATES,
    "read and assign": lambda v: lambda: v.assign(v + 1.0),
    "beside Python": beside_python,
    "by a gradient": by_gradient,
    "numpy_function": lambda v: lambda: v.assign_add(tf.ones_like(v) * tf.numpy_function(switch, [], tf.float32)),
    "pure numpy_function": lambda v: (
        lambda: v.assign_add(tf.ones_like(v) * tf.numpy_function(switch, [], tf.float32, stateful=False))
    ),
}


@pytest.mark.parametrize("size", [3, 70_000])
@pytest.mark.parametrize("name", UPDATES)
def test_eager_updates_are_atomic(name: str, size: int) -> None:
    v = tf.Variable(tf.zeros([size]))
    together(UPDATES[name](v))
    np.testing.assert_array_equal(v.numpy(), np.full(size, THREADS * TIMES))


@pytest.mark.parametrize("size", [3, 70_000])
@pytest.mark.parametrize("name", TRACED)
def test_updates_in_functions_are_atomic(name: str, size: int) -> None:
    v = tf.Variable(tf.zeros([size]))
    step = tf.function(TRACED[name](v))
    together(step)
    together(recorded(step))
    np.testing.assert_array_equal(v.numpy(), np.full(size, 2 * THREADS * TIMES))


def test_a_function_updates_its_argument_and_others_at_once() -> None:
    """Two programs that update the same variables in another order must not wait for each other."""
    u, v = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def both(first: tf.Variable, second: tf.Variable) -> None:
        first.assign(first + 1.0)
        second.assign(second + first * 0.0 + 1.0)

    both(u, v)
    turn = iter(range(THREADS * TIMES))
    together(lambda: both(u, v) if next(turn) % 2 else both(v, u))
    assert u.numpy() == v.numpy() == THREADS * TIMES + 1


def test_counts_are_given_once() -> None:
    v, seen = tf.Variable(0), []
    together(lambda: seen.append(int(v.count_up_to(1000))))
    assert sorted(seen) == list(range(THREADS * TIMES))


def test_readers_see_whole_values() -> None:
    v, stop, torn = tf.Variable(tf.zeros([100_000])), threading.Event(), []
    step = tf.function(lambda: v.assign_add(tf.ones_like(v)))

    def watch() -> None:
        while not stop.is_set():
            value = v.numpy()
            if value.min() != value.max():
                torn.append(value)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(60):
        step()
        v.assign_add(tf.ones_like(v))
    stop.set()
    watcher.join()
    assert not torn


def test_threads_are_counted_however_they_are_started() -> None:
    assert threads.is_alone()
    done = _thread.allocate_lock()
    done.acquire()
    inside, v = [], tf.Variable(0.0)

    def work() -> None:
        v.assign_add(1.0)
        inside.append(threads.is_alone())
        done.release()

    _thread.start_new_thread(work, ())
    done.acquire()
    assert inside == [False]
    end = time.monotonic() + 10
    while not threads.is_alone() and time.monotonic() < end:
        time.sleep(0.001)
    assert threads.is_alone()


def test_kernels_leave_no_numbers_of_threads_behind() -> None:
    """The system uses them again: a thread of the user that got one would not be counted, and would lock nothing."""
    memory.set_thread_count(4)
    try:
        memory.run(lambda i: None, range(64))
    finally:
        memory.set_thread_count(0)
    end = time.monotonic() + 10
    while any(t.name.startswith("gradtape-") for t in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.001)
    assert threads.companions <= {t.ident for t in threading.enumerate()}


@pytest.mark.parametrize("name", TRACED)
def test_an_update_under_a_tape_sees_those_of_a_thread_that_has_ended(name: str, monkeypatch: Any) -> None:
    """The tape reads the variable, another thread updates it and ends, and only then the program runs, with no other thread."""
    v = tf.Variable(tf.zeros([3]))
    step = tf.function(TRACED[name](v))
    recorded(step)()
    run = Runner.__call__

    def late(self: Runner, *args: Any) -> Any:
        monkeypatch.setattr(Runner, "__call__", run)
        other = threading.Thread(target=lambda: [step() for _ in range(TIMES)])
        other.start()
        other.join()
        while not threads.is_alone():
            time.sleep(0.001)
        return run(self, *args)

    monkeypatch.setattr(Runner, "__call__", late)
    recorded(step)()
    np.testing.assert_array_equal(v.numpy(), np.full(3, TIMES + 2))


def test_a_newcomer_waits_for_an_update_without_lock() -> None:
    """The first update of a second thread meets one that has begun when there was no other thread."""
    v, order = tf.Variable(tf.zeros([1 << 22])), []
    delta = tf.ones([1 << 22])

    def work() -> None:
        v.assign_add(delta)

    for _ in range(5):
        worker = threading.Thread(target=work)
        worker.start()
        v.assign_add(delta)
        order.append(worker)
        worker.join()
    assert v.numpy().min() == v.numpy().max() == 10
