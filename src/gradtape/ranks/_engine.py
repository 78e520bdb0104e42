"""The ranks of a job: polled waits, and how a job ends.

There is one engine in a process, from `start` to `stop` or the end of the program. An exception that nobody catches, in any thread, is told
on the board; the others report that this rank has failed, its traceback comes last, and the job ends with a code that is not 0.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
import traceback
from typing import Any

from gradtape.core import errors, provenance
from gradtape.ranks import _arrival as arrival
from gradtape.ranks import _board as board
from gradtape.ranks import _library as library
from gradtape.ranks._library import RanksError
from gradtape.ranks._progress import Progress

_DELIVERY = 0.25  # seconds for what was written last to reach the launcher, which drops it when it ends the job
_GRACE = 2.0  # seconds that the others get to report before the job is ended
_LAG = 0.5  # seconds after which the data of a collective has arrived, if its sender took part
_YIELDS = 300  # polls that only yield: sleeping costs a tenth of a millisecond at least

_engine: Engine | None = None


class Errand:
    """What a rank waits for: a collective, and the user's line, which is put into words only when somebody asks."""

    __slots__ = ("_place", "_text", "kind")

    def __init__(self, kind: str, text: str = "") -> None:
        self.kind, self._text = kind, text
        self._place = None if text else provenance.user_place(2)

    def __str__(self) -> str:
        if not self._text:
            site = provenance.Site.of(self._place)
            self._text = self.kind if site is None else f"{self.kind} at {site}"
        return self._text


_END = Errand("end", "the end of the program")


class Engine:
    """The ranks of this job.

    Args:
      timeout: seconds after which a rank that does not come is reported and an error is raised.

    Attributes:
      mpi: the module `mpi4py.MPI`.
      board: where each rank was last seen.
      progress: lets reductions proceed while machine code computes.
      count: how many groups of collectives this rank has begun.
      broken: the first line of an error after which the ranks' collectives no longer fit together; None if there was none.
      open: what MPI may still write to, by request, for as long as it is not done: also where an error unwinds those who wait.
    """

    def __init__(self, timeout: float) -> None:
        with arrival.Watch(timeout):
            self.mpi = library.load()
            world = self.mpi.COMM_WORLD
            self._ending = world.Dup()
            self.board = board.Board(self.mpi, world)
        self.rank, self.size, self.timeout, self.count = world.rank, world.size, timeout, 0
        self.broken: str | None = None
        self.open: dict[Any, Any] = {}
        self.progress = Progress()
        self._hooks = sys.excepthook, threading.excepthook
        sys.excepthook = self._failed
        threading.excepthook = lambda args: self._failed(args.exc_type, args.exc_value, args.exc_traceback)
        atexit.register(self.leave)

    def wait(self, request: Any, what: Errand, members: Any = None) -> None:
        """Poll until a request is done; an error if a rank has failed or left, or does not come in time.

        Args:
          request: of a nonblocking collective. Its arrays must be held by the caller until this returns.
          what: the collective and the user's line, for the board.
          members: the ranks that take part; all by default.
        """
        if request.Test():
            return
        started, polls = time.monotonic(), 0
        is_end = what is _END
        is_told = False
        self.board.write(board.LEFT if is_end else board.WAITING, str(what), self.count)
        while not request.Test():
            polls += 1
            if polls < _YIELDS:
                os.sched_yield()  # with more ranks than cores, the one that is waited for needs this core
                continue
            time.sleep(5e-5 if polls < 10 * _YIELDS else 1e-3)
            if polls % 64 == 0:
                waited = time.monotonic() - started
                self._look(what, waited, range(self.size) if members is None else members)
                if is_end and waited > self.timeout and not is_told:
                    is_told = True
                    self._tell_who_is_awaited()
        if not is_end:
            self.board.write(board.RUNNING)

    def _look(self, what: Errand, waited: float, members: Any) -> None:
        """An error if a rank that others wait for cannot arrive."""
        states, counts = self.board.slots["state"], self.board.slots["count"]
        others = [r for r in members if r != self.rank]
        gone = [r for r in others if states[r] == board.FAILED]
        if what is _END and waited > self.timeout:  # who is alive may take its time there, to save for instance
            gone += [r for r in others if states[r] < board.LEFT and self.board.is_silent(r)]
        if what is not _END and waited > _LAG:  # who has left may be done with this one already
            gone += [r for r in others if states[r] == board.LEFT and counts[r] < self.count]
        is_late = what is not _END and waited > self.timeout
        if not gone and (is_late or any(states[r] == board.REPORTED for r in others)):
            behind = [r for r in others if states[r] != board.REPORTED]
            gone = [r for r in behind if self.board.is_silent(r) or counts[r] < self.count] or behind or others
        if gone:
            seen = "".join([f"\n  {self.board.seen(r)}" for r in gone])
            self.broken = f"rank {self.rank} waited {waited:.1f} s in {what} for ranks that do not come"
            raise RanksError(f"{self.broken}:{seen}\n  fix: {self._advice(gone)}")

    def _tell_who_is_awaited(self) -> None:
        """Say at the end of the program for whom it waits; that is no error."""
        awaited = [self.board.seen(r) for r in range(self.size) if self.board.slots["state"][r] < board.LEFT]
        self._say(
            "\n  ".join([f"rank {self.rank} is at the end of the program, and waits for ranks that are not:", *awaited])
        )

    def check_whole(self, who: str) -> None:
        """An error after one that was caught although the ranks no longer fit together."""
        if self.broken:
            raise RanksError(
                f"{who}: the ranks cannot work together after an earlier error: {self.broken}\n"
                "  fix: let that error end the program; `gradtape launch --restarts 3` starts it again."
            )

    def _advice(self, gone: list[int]) -> str:
        """What to do about ranks that do not come."""
        states = {int(self.board.slots["state"][r]) for r in gone}
        if board.FAILED in states:
            return "repair the error of the rank that failed; its traceback comes last."
        if board.LEFT in states:
            return "all ranks must make the same calls; a rank with fewer batches calls hvd.join() at the end."
        if any(self.board.is_silent(r) for r in gone):
            return "look whether the process was stopped, or its machine is out of memory or reach."
        return f"let all ranks come to the same calls; hvd.init(timeout={2 * self.timeout:g}) waits longer."

    def _failed(self, kind: Any, error: Any, trace: Any) -> None:
        """After an uncaught exception: tell the others, and end all ranks."""
        if kind is not None and issubclass(kind, (SystemExit, KeyboardInterrupt)) and self.size == 1:
            self._hooks[0](kind, error, trace)
            return
        reports = issubclass(kind, RanksError)
        if not reports:
            self.board.write(board.FAILED, board.failure(kind, error, trace))
            self._await_reports()
        text = f"{kind.__name__}: {error}" if reports else "".join(traceback.format_exception(kind, error, trace))
        self._say(text)
        if reports:
            self.board.write(board.REPORTED, "an error of its own")
            self._await_reports()
            if board.FAILED in self.board.slots["state"]:
                time.sleep(_GRACE)  # the rank that failed first ends the job, its traceback last
        self._abort()

    def _say(self, text: str) -> None:
        """Write lines with the number of this rank, which `gradtape launch` puts there by itself."""
        number = "" if "GRADTAPE_LAUNCH_FOLDER" in os.environ else f"[{self.rank}] "
        sys.stderr.write("".join([f"{number}{line}\n" for line in text.splitlines()]))
        sys.stderr.flush()

    def _await_reports(self) -> None:
        until = time.monotonic() + _GRACE
        slots = self.board.slots
        while time.monotonic() < until:
            if all(slots["state"][r] >= board.LEFT or self.board.is_silent(r) for r in range(self.size)):
                break
            time.sleep(0.02)

    def _abort(self) -> None:
        self.board.close()
        time.sleep(_DELIVERY)
        timer = threading.Timer(3.0, os._exit, (1,))  # if even MPI_Abort hangs
        timer.daemon = True
        timer.start()
        with contextlib.suppress(OSError):  # MPI's own words would come after the traceback
            sys.stderr.flush()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        self.mpi.COMM_WORLD.Abort(1)

    def leave(self) -> None:
        """Wait for all ranks to come to their end, and end MPI."""
        global _engine
        if _engine is not self or self.mpi.Is_finalized():
            return
        try:
            self.wait(self._ending.Ibarrier(), _END)
        except RanksError as problem:
            if board.FAILED not in self.board.slots["state"]:  # whoever failed says so itself
                self._say(f"RanksError: {problem}")
            self._await_reports()
            self._abort()
        self.board.close()
        self.mpi.Finalize()
        _engine = None

    def close(self) -> None:
        """End the engine before the program ends."""
        atexit.unregister(self.leave)
        sys.excepthook, threading.excepthook = self._hooks
        self.leave()


def start(timeout: float | None = None) -> Engine:
    """The engine, started if it was not."""
    global _engine
    if _engine is None:
        limit = _timeout(timeout)
        _engine = Engine(limit)
    elif timeout is not None:
        _engine.timeout = _timeout(timeout)
    return _engine


def stop() -> None:
    """End the engine; the process cannot start it again, as MPI cannot."""
    if _engine is not None:
        _engine.close()


def is_started() -> bool:
    """True between `start` and `stop`."""
    return _engine is not None


def engine(who: str) -> Engine:
    """The engine; an error if it was not started."""
    if _engine is None:
        raise errors.build(
            _NotStartedError,
            f"{who}: the ranks have not been initialized; the call must come after init.",
            "call hvd.init() at the start of the program.",
        )
    return _engine


class _NotStartedError(errors.FailedPreconditionError, ValueError):
    """A collective before `init`."""


def _timeout(given: float | None) -> float:
    text = os.environ.get("GRADTAPE_RANKS_TIMEOUT", "60") if given is None else given
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not seconds > 0:
        raise errors.build(
            ValueError,
            f"init: the timeout must be a positive number of seconds, got {text!r}.",
            "GRADTAPE_RANKS_TIMEOUT=60, or init(timeout=60).",
        )
    return seconds
