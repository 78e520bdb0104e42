"""The table of locks, turns that do not wait in a circle, and values that are computed once."""

import contextlib
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf
from gradtape.core import locks
from gradtape.core.caching import cached

SOURCES = Path(tf.__file__).parent
KINDS = r"(?:threading|_thread)\.(?:Lock|RLock|Condition|Semaphore|BoundedSemaphore|Event|Barrier|allocate_lock)\(|cached_property"


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

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    def loop(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while True:
            with turn.taken(), turn.taken():
                pass

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for i in range(200):
            turn = locks.Turn("cached")
            with pytest.raises(KeyboardInterrupt):
                loop(1e-4 * (1 + i % 7))
            assert not turn._lock._is_owned()
    finally:
        signal.signal(signal.SIGALRM, before)
