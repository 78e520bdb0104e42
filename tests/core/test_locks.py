"""The table of locks, turns that do not wait in a circle, and values that are computed once."""

import contextlib
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf
from gradtape.core import locks
from gradtape.core.caching import cached
from hostile import interrupts

SOURCES = Path(tf.__file__).parent
KINDS = r"(?:threading|_thread)\.(?:Lock|RLock|Condition|Semaphore|BoundedSemaphore|Event|Barrier|allocate_lock)\(|cached_property\(|@(?:functools\.)?cached_property"


def test_every_lock_is_in_the_table() -> None:
    """Locks are made in core/locks.py alone, under names of the table, all of which are used."""
    named: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "locks.py":
            named |= set(re.findall(r"(?: = lock\(|_held\[)\"([a-z ]+)\"", text))
        elif "testing" not in path.parts and path.name != "caching.py":
            assert not re.findall(KINDS, text), path
        named |= set(re.findall(r"(?:locks\.\w+|\bTurn)\(\"([a-z ]+)\"", text))
    assert named == set(locks.TABLE)


class Importing:
    """A lock, during whose taking another thread imports a module that makes a lock, and holds it for a while."""

    def __init__(self) -> None:
        self.late: Any = None
        self.is_held = threading.Event()

    def hold(self) -> None:
        with self.late:
            self.is_held.set()
            time.sleep(0.05)

    def acquire(self, timeout: float) -> bool:
        if self.late is None:
            self.late = locks.rlock("machine")
            threading.Thread(target=self.hold).start()
            self.is_held.wait()
        return True

    def release(self) -> None:
        pass


def test_a_fork_waits_for_locks_that_are_made_meanwhile() -> None:
    importing = Importing()
    locks._held["translator"].add(importing)
    locks._before_fork()
    try:
        assert importing.late._is_owned()
        assert all(is_taken for _, is_taken in locks._taken)
    finally:
        locks._after_fork()
    assert not importing.late._is_owned()


class Slow:
    """Counts how often its value is computed."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.count = seconds, 0

    @cached
    def value(self) -> int:
        """How often it was computed."""
        time.sleep(self.seconds)
        self.count += 1
        return self.count


def test_one_value_is_computed_once_and_others_do_not_wait() -> None:
    slow, quick = Slow(0.3), Slow(0.0)
    workers = [threading.Thread(target=lambda: slow.value) for _ in range(4)]
    for worker in workers:
        worker.start()
    start = time.monotonic()
    assert quick.value == 1
    assert time.monotonic() - start < 0.2
    for worker in workers:
        worker.join()
    assert slow.value == slow.count == 1
    assert vars(slow).keys() == {"seconds", "count", "value"}


def test_functions_that_call_each_other_are_traced_by_two_threads() -> None:
    """Each thread traces one function, and calls the other, which the other thread traces."""
    meet = threading.Barrier(2)

    def wait() -> None:
        with contextlib.suppress(threading.BrokenBarrierError):
            meet.wait(2.0)

    @tf.function
    def first(x: Any, depth: int) -> Any:
        wait()
        return x + 1.0 if depth == 0 else second(x, depth - 1)

    @tf.function
    def second(x: Any, depth: int) -> Any:
        wait()
        return x + 2.0 if depth == 0 else first(x, depth - 1)

    found: list[Any] = []
    one = tf.constant(1.0)
    workers = [
        threading.Thread(target=lambda f=f: found.append(f(one, 1).numpy()), daemon=True) for f in (first, second)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(20)
    assert sorted(found) == [2.0, 3.0]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals")
def test_a_turn_is_free_after_an_interrupt() -> None:
    """Wherever in the taking or giving back of a turn it comes."""

    looping: list[bool] = []

    def interrupt(*_: Any) -> None:
        if looping:
            raise KeyboardInterrupt

    def loop(seconds: float) -> None:
        try:
            looping.append(True)
            signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)  # and again: test tools have code in which one is lost
            while True:
                with turn.taken(), turn.taken():
                    pass
        finally:
            looping.clear()

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(200):
            turn = locks.Turn("cached")
            with interrupts.without_callbacks(), pytest.raises(KeyboardInterrupt):
                loop(1e-4 * (1 + i % 7))
            assert not turn._lock._is_owned()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


LOOKING = """
import faulthandler, gc, threading, time
from gradtape.core import threads

faulthandler.dump_traceback_later(60, exit=True)


def wait(depth):
    wait(depth - 1) if depth else time.sleep(60)


def leave_garbage():
    cycle = [threading.local()]
    cycle[0].value = 1
    cycle.append(cycle)


for _ in range(4):
    threading.Thread(target=wait, args=(5,), daemon=True).start()
for more in range(12):  # the collection would come with one of the first objects that are made
    gc.disable()
    for _ in range(200):
        leave_garbage()
    gc.set_threshold(gc.get_count()[0] + more)
    gc.enable()
    threads.innermost_frames()
    assert gc.isenabled()
"""


def test_looking_at_threads_collects_no_garbage() -> None:
    """Python looks under a lock of its own, which it takes again to free what threads have for themselves."""
    done = subprocess.run([sys.executable, "-c", LOOKING], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
