"""Running a function on all replicas: each has a thread, and one of them runs at a time.

A replica runs until it is done or calls `merge_call`. When all have come there, the thread that started them runs what they
want to have done together, and they go on. Since only one runs at a time, and always in the same order, nothing depends on
chance; traces and tapes around the call are those of the calling thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gradtape.autograph import _calls as calls
from gradtape.core import device, errors, locks, state
from gradtape.core.variable_creation import names
from gradtape.distribute._context import Place, ReplicaContext, around, entered
from gradtape.distribute._per_replica import regroup, select


class _Stopped(BaseException):
    """Ends a replica after another one has failed."""


class _Request(NamedTuple):
    """A request of a replica for work that all replicas do together."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class _Replica(threading.Thread):
    """A replica that is running, or waits for its turn.

    Attributes:
      request: what it waits for, or None.
      result, problem: what the function returned or raised.
    """

    def __init__(self, strategy: Any, number: int, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        super().__init__(name=f"replica {number}", daemon=True)
        self._context = ReplicaContext(strategy, number, self._ask)
        self._call = function, select(number, args), select(number, kwargs)
        self._surroundings = _Surroundings(strategy.extended.worker_devices[number])
        self._turn, self._pause = locks.semaphore("replica", 0), locks.semaphore("replica", 0)
        self._answer: Any = None
        self._is_stopped = False
        self.request: _Request | None = None
        self.result: Any = None
        self.problem: BaseException | None = None

    def run(self) -> None:
        """Run the function with the state of the calling thread."""
        self._turn.acquire()
        function, args, kwargs = self._call
        try:
            if not self._is_stopped:
                self._surroundings.enter(self._context)
                with calls.enabled(self._surroundings.rewrites):
                    self.result = function(*args, **kwargs)
        except BaseException as problem:
            self.problem = problem
        self._pause.release()

    def proceed(self, answer: Any = None) -> None:
        """Let the replica run until it is done or asks for something."""
        self._answer, self.request = answer, None
        self._turn.release()
        self._pause.acquire()

    def stop(self) -> None:
        """End the replica, wherever it waits."""
        self._is_stopped = True
        self._turn.release()
        self.join()

    def _ask(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if state.current.trace is not self._surroundings.trace:
            raise RuntimeError(
                errors.compose(
                    "merge_call was called while a tf.function inside a replica was being traced: replicas cannot meet there.",
                    "put the tf.function around strategy.run, or call all_reduce and optimizer.apply outside of the inner one.",
                    depth=3,
                )
            )
        self.request = _Request(function, tuple(args), dict(kwargs))
        self._pause.release()
        self._turn.acquire()
        if self._is_stopped:
            raise _Stopped
        return self._answer


class _Surroundings:
    """The thread-local state of the calling thread, for the thread of a replica."""

    def __init__(self, device_name: str) -> None:
        current = state.current
        self._recorders, self._depth, self.trace = current.recorders, current.depth, current.trace
        self._names = names.scopes, names.creators
        self._places = around.places
        self._device = device.check(device_name)
        self.rewrites = calls.is_enabled()

    def enter(self, context: ReplicaContext) -> None:
        """Give the current thread this state, until it ends."""
        current = state.current
        current.recorders, current.depth, current.trace = self._recorders, self._depth, self.trace
        current.device = self._device
        names.scopes, names.creators = self._names
        around.places = (*self._places, Place(context.strategy, context))


def run(strategy: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The results of a function on all replicas, each called with its part of the arguments."""
    function = calls.adapted(function)
    workers = strategy._workers
    if workers is not None or strategy.num_replicas_in_sync == 1:  # one replica here; others are in other processes
        with entered(Place(strategy, ReplicaContext(strategy, 0 if workers is None else workers.index))):
            return function(*args, **kwargs)
    with strategy.scope():
        return _alternated(
            strategy, [_Replica(strategy, i, function, args, kwargs) for i in range(strategy.num_replicas_in_sync)]
        )


def _alternated(strategy: Any, replicas: list[_Replica]) -> Any:
    """The results of replicas that run in turns."""
    for replica in replicas:
        replica.start()
    answers: Sequence[Any] = [None] * len(replicas)
    try:
        while True:
            for replica, answer in zip(replicas, answers, strict=True):
                replica.proceed(answer)
                if replica.problem is not None:
                    raise replica.problem
            requests = [r.request for r in replicas if r.request is not None]
            if not requests:
                return regroup([r.result for r in replicas])
            answers = _together(strategy, requests, len(replicas))
    finally:
        for replica in replicas:
            replica.stop()


def _together(strategy: Any, requests: list[_Request], count: int) -> list[Any]:
    """The result of work done once for all replicas, as each of them sees it."""
    if len(requests) < count:
        raise RuntimeError(
            errors.compose(
                f"{len(requests)} of {count} replicas wait in merge_call for the others, which have already finished.",
                "let all replicas make the same calls of merge_call, all_reduce and optimizer.apply.",
                depth=3,
            )
        )
    args = regroup([r.args for r in requests])
    kwargs = regroup([r.kwargs for r in requests])
    with entered(Place(strategy, None)):
        result = requests[0].function(strategy, *args, **kwargs)
    return [select(i, result) for i in range(count)]
