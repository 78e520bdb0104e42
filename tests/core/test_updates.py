"""Updates of variables by several threads: none is lost, and readers see whole values."""

import _thread
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compiler.runtime.program import Program
from gradtape.core import memory, threads
from gradtape.tracing.runner import Runner
from hostile import interrupts

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


def in_a_loop(body: Callable[[tf.Variable], Any]) -> Callable[[tf.Variable], Callable[[], Any]]:
    """Four updates by a fourth each, in the steps of a loop in which Python code runs."""

    def update(v: tf.Variable) -> Callable[[], Any]:
        def step() -> None:
            for _ in tf.range(4):
                body(v)

        return step

    return update


def fourth(v: tf.Variable) -> None:
    v.assign_add(tf.ones_like(v) * 0.25)


def after_python(v: tf.Variable) -> None:
    tf.py_function(switch, [], tf.float32)
    fourth(v)


def around_python(v: tf.Variable) -> None:
    v.assign_add(tf.ones_like(v) * 0.125)
    tf.numpy_function(switch, [], tf.float32)
    v.scatter_add(tf.IndexedSlices(0.125, tf.range(v.shape[0])))


def in_a_branch(v: tf.Variable) -> None:
    if tf.py_function(lambda: switch() > 0, [], tf.bool):
        fourth(v)


def in_a_called_function(v: tf.Variable) -> None:
    tf.py_function(switch, [], tf.float32)
    tf.function(fourth)(v)


def over_a_dataset(v: tf.Variable) -> Callable[[], Any]:
    dataset = tf.data.Dataset.range(4).map(lambda x: tf.numpy_function(switch, [], tf.float32))

    def step() -> None:
        for _ in dataset:
            fourth(v)

    return step


def over_an_iterator(v: tf.Variable) -> Callable[[], Any]:
    def step() -> None:
        for _ in iter(tf.data.Dataset.range(4)):
            fourth(v)

    return step


def while_of_python(v: tf.Variable) -> Callable[[], Any]:
    def step() -> None:
        i = tf.constant(0.0)
        while i < 4.0:
            i += tf.ensure_shape(tf.py_function(switch, [], tf.float32), [])
            fourth(v)

    return step


TRACED = {
    **UPDATES,
    "loop after Python": in_a_loop(after_python),
    "loop around Python": in_a_loop(around_python),
    "branch in a loop": in_a_loop(in_a_branch),
    "called in a loop": in_a_loop(in_a_called_function),
    "dataset": over_a_dataset,
    "iterator": over_an_iterator,
    "while": while_of_python,
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


LONE: dict[str, Callable[[tf.Variable], Callable[[], Any]]] = {
    "assign": lambda v: lambda: v.assign(tf.zeros([3])),
    "assign_add": lambda v: lambda: v.assign_add(tf.ones([3])),
    "function": lambda v: tf.function(lambda: v.assign_add(tf.ones([3]))),
    "tape": lambda v: recorded(tf.function(lambda: v.assign_add(tf.ones([3])))),
}


@pytest.mark.parametrize("name", LONE)
def test_a_newcomer_waits_until_nothing_runs_without_a_lock(name: str, monkeypatch: Any) -> None:
    """Another thread comes in the middle of an update, and must not read the variable before its end."""
    v = tf.Variable(tf.zeros([3]))
    step, order = LONE[name](v), []
    step()

    def come() -> None:
        v.assign_add(tf.ones([3]))
        order.append("newcomer")

    def write(self: Any, array: Any, identity: int) -> None:
        if not order:
            order.append("writing")
            newcomer.start()
            time.sleep(0.05)
            order.append("written")
        kept(self, array, identity)

    newcomer = threading.Thread(target=come)
    if name in ("assign", "assign_add"):
        kept = tf.Variable._write
        monkeypatch.setattr(tf.Variable, "_write", write)
        step()
    else:
        guarded = Program._guard

        def run(self: Program, *args: Any) -> Any:
            if self.assigned and not order:
                order.append("writing")
                newcomer.start()
                time.sleep(0.05)
                order.append("written")
            return guarded(self, *args)

        monkeypatch.setattr(Program, "_guard", run)
        step()
    newcomer.join()
    assert order == ["writing", "written", "newcomer"]
    np.testing.assert_array_equal(v.numpy(), np.full(3, 1.0 if name == "assign" else 3.0))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals")
@pytest.mark.parametrize("name", LONE)
def test_an_interrupted_update_keeps_nobody_waiting(name: str) -> None:
    step = LONE[name](tf.Variable(tf.zeros([3])))
    step()

    def interrupt(_: int, frame: Any) -> None:
        while frame is not None and frame.f_code is not loop.__code__:
            frame = frame.f_back
        if frame is not None:  # not in the code around the loop, where nobody expects it
            raise KeyboardInterrupt

    def loop(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)  # and again: test tools have code in which one is lost
        while True:
            step()

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(100):
            with interrupts.without_callbacks(), pytest.raises(KeyboardInterrupt):
                loop(1e-4 * (1 + i % 7))
            assert not threads.begun
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


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
