"""Threads of an iteration. They hold no reference to the iterator, so they end when it is dropped.

They know by a weak reference who takes what they make, and end when nobody does: the generator is exhausted, closed, or collected. Threads
are daemons: a program may end in the middle of an iteration.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from queue import SimpleQueue
from typing import Any

from gradtape.core import errors, locks, threads
from gradtape.data._stage import positive

AUTOTUNE = -1
_END = object()


def calls(who: str, wanted: Any) -> int:
    """`num_parallel_calls`, checked."""
    given = positive(who, "num_parallel_calls", wanted, AUTOTUNE)
    if not given:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: num_parallel_calls must be greater than zero, got 0.",
            "use tf.data.AUTOTUNE, or leave it out.",
        )
    return given


def workers(wanted: Any) -> int:
    """The number of threads for `num_parallel_calls`."""
    count = AUTOTUNE if wanted is None else int(wanted)
    return max(4, os.cpu_count() or 1) if count == AUTOTUNE else count


class _Task:
    """A call on a thread of a pool, and its result."""

    __slots__ = ("_done", "_problem", "_result", "_value")

    def __init__(self, value: Any) -> None:
        self._value = value
        self._done = locks.lock("element")
        self._done.acquire()
        self._problem: BaseException | None = None
        self._result: Any = None

    def run(self, function: Callable[[Any], Any]) -> None:
        """Call the function on this thread."""
        try:
            self._result = function(self._value)
        except BaseException as problem:
            self._problem = problem
        self._done.release()

    def result(self) -> Any:
        """The result, once it is ready; raises the function's exception."""
        self._done.acquire()
        if self._problem is not None:
            raise self._problem
        return self._result


class _Caller:
    """The consumer of results. Threads hold a weak reference to it and end when it is gone; a dropped generator needs
    no further step for that (see `core/weak.py`)."""

    __slots__ = ("__weakref__",)


def _work(
    function: Callable[[Any], Any],
    tasks: SimpleQueue[Any],
    finished: SimpleQueue[Any] | None,
    caller: weakref.ref[_Caller],
) -> None:
    while True:
        task = tasks.get()
        if caller() is None:
            tasks.put(None)  # for the next thread
            return
        task.run(function)
        if finished is not None:
            finished.put(task)
        del task


def parallel(function: Callable[[Any], Any], source: Iterator[Any], count: int, in_order: bool) -> Iterator[Any]:
    """The results of a function on the elements of a source, up to `count` of them ahead.

    Elements are taken from the source on the thread of the caller.
    """
    tasks: SimpleQueue[Any] = SimpleQueue()
    finished: SimpleQueue[Any] | None = None if in_order else SimpleQueue()
    pending: deque[_Task] = deque()
    caller = _Caller()
    known = weakref.ref(caller, tasks.put)
    for i in range(count):
        work = threading.Thread(
            target=_work, args=(function, tasks, finished, known), daemon=True, name=f"data-map-{i}"
        )
        work.start()
    for value in source:
        task = _Task(value)
        pending.append(task)
        tasks.put(task)
        if len(pending) >= count:
            yield _next(pending, finished)
    while pending:
        yield _next(pending, finished)


def _next(pending: deque[_Task], finished: SimpleQueue[Any] | None) -> Any:
    """The next result: the oldest, or any that is ready."""
    oldest = pending.popleft()
    return (oldest if finished is None else finished.get()).result()


class Pace:
    """Measures on the first elements whether threads make a function faster, and remembers the answer.

    Functions in Python hold the interpreter's lock, and several of them in threads are slower than one. Those that wait,
    or compute in C, gain.
    """

    def __init__(self) -> None:
        self._gains: bool | None = None

    def results(
        self, function: Callable[[Any], Any], source: Iterator[Any], count: int, in_order: bool
    ) -> Iterator[Any]:
        """The results of a function on the elements of a source, in threads if that is quicker."""
        if self._gains is None:
            alone = _Watch()
            while not alone.is_over(_LEAST) and (value := next(source, _END)) is not _END:
                yield alone.timed(lambda: function(value))
            together, number = _Watch(), count + max(_LEAST * count, round(_MEASURED / max(alone.mean(), 1e-9)))
            if alone.mean() > _HANDOVER:
                results = parallel(function, islice(source, number), count, in_order)
                yield from islice(results, count)  # they were started before the clock
                while (value := together.timed(lambda: next(results, _END))) is not _END:
                    yield value
                if together.is_over(_LEAST):
                    self._gains = _GAIN * together.mean() < alone.mean()
            elif alone.is_over(_LEAST):
                self._gains = False
        yield from parallel(function, source, count, in_order) if self._gains else map(function, source)


_LEAST = 8  # elements to measure
_MEASURED = 0.03  # seconds to measure
_HANDOVER = 3e-5  # seconds to hand an element to a thread and back
_GAIN = 1.15  # below this, threads do not pay


class _Watch:
    """The duration of calls."""

    def __init__(self) -> None:
        self._number, self._seconds = 0, 0.0

    def timed(self, call: Callable[[], Any]) -> Any:
        """The result of a call, which is timed."""
        start = time.perf_counter()
        found = call()
        self._seconds += time.perf_counter() - start
        self._number += 1
        return found

    def is_over(self, least: int) -> bool:
        """True after enough calls, or enough time."""
        return self._number >= least and (self._seconds > _MEASURED or self._number >= 64 * least)

    def mean(self) -> float:
        """The mean duration of a call in seconds."""
        return self._seconds / max(self._number, 1)


class _Handover:
    """A bounded queue between a thread that produces elements and one that consumes them."""

    def __init__(self, size: int, items: SimpleQueue[tuple[Any, BaseException | None]] | None = None) -> None:
        self.free: SimpleQueue[Any] = SimpleQueue()  # something for each element that may be made
        self._items: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue() if items is None else items
        for _ in range(size):
            self.free.put(None)

    def taker(self) -> _Taker:
        """The consumer of the elements; the thread runs until it is gone."""
        made = _Taker(self._items.get, self.free.put)
        self.follow(made)
        return made

    def follow(self, consumer: Any) -> None:
        """End the thread when the consumer is gone."""
        self._known = weakref.ref(consumer, self.free.put)

    def fill(self, source: Iterator[Any], is_quiet: bool) -> None:
        """Put the elements of a source here until it ends, or until the consumer has stopped."""
        problem = None
        with threads.companion() if is_quiet else contextlib.nullcontext():
            try:
                while True:
                    self.free.get()  # before the element is computed, to limit how many are in advance
                    if self._known() is None or (item := next(source, _END)) is _END:
                        break
                    self._items.put((item, None))
                    del item
            except BaseException as raised:
                problem = raised
        self._items.put((_END, problem))


class _Taker:
    """The consuming end of a queue."""

    __slots__ = ("__weakref__", "_get", "_put")

    def __init__(self, get: Callable[[], tuple[Any, BaseException | None]], put: Callable[[Any], None]) -> None:
        self._get, self._put = get, put

    def take(self) -> Any:
        """The next element, or the end; raises the source's exception."""
        item, problem = self._get()
        if problem is not None:
            raise problem
        self._put(None)
        return item


def background(source: Iterator[Any], size: int, is_quiet: bool = False) -> Iterator[Any]:
    """The elements of a source, of which a thread produces up to `size` in advance.

    If no code of the user runs in the source, variables may be updated in place beside the thread.
    """
    handover = _Handover(size)
    taker = handover.taker()
    threading.Thread(target=handover.fill, args=(source, is_quiet), daemon=True, name="data-prefetch").start()
    del source, handover
    while (item := taker.take()) is not _END:
        yield item


def merged(sources: Iterator[Iterator[Any]], count: int, size: int) -> Iterator[Any]:
    """The elements of several sources in the order in which they are ready: a thread for each of up to `count` sources, which makes up to
    `size` elements ahead. Sources are begun on the thread of the caller."""
    items: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    caller, running = _Caller(), 0
    while True:
        while running < count and (source := next(sources, None)) is not None:
            handover = _Handover(size, items)
            handover.follow(caller)
            marked = zip(repeat(handover.free), source)  # tells the consumer which source may produce another one
            threading.Thread(target=handover.fill, args=(marked, False), daemon=True, name="data-interleave").start()
            running += 1
            del source, marked, handover
        if not running:
            return
        item, problem = items.get()
        if problem is not None:
            raise problem
        if item is _END:
            running -= 1
            continue
        free, value = item
        free.put(None)
        del item, free
        yield value
