"""Two tiers of machine code: quickly compiled code starts a program, and optimised code replaces it when it is ready.

Inside of `together`, texts of modules are handed in, each as a Job. When there are some, the **workshop** begins: a thread that hands them
to another process, which makes good code of them, first of those that a program should not begin without. Whoever asks a job for its code
gets good code if that is there already, else quickly made code, and is told when the good one has come. Where no other process can be
had, or where it would not be worth its start, good code is made by whoever asks.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from gradtape.compiler import debug
from gradtape.compiler.codegen.simd import machine, translation
from gradtape.compiler.codegen.simd.machine import Code, host
from gradtape.core import disk_cache, locks, memory, threads

_MANY = 4  # texts from which on another process is worth its start
_PATIENCE = 20.0  # seconds until a text is translated here after all
_AHEAD = 2  # texts that are sent before an answer is there, so that the other process need not wait
_LINGER = 1.0  # seconds that the other process waits for more texts
_LAST_WAIT = 3.0  # seconds that the end of this process waits for code that the next one will load


class Job:
    """A text on its way to good machine code.

    Attributes:
      text: LLVM's text of a module.
      is_urgent: True if a program should not begin with quickly made code.
      good: the good code, once it is there.
      is_lost: True if nobody makes it any more.
      listeners: functions that are to be called with the good code.
    """

    def __init__(self, text: str, is_urgent: bool) -> None:
        self.text, self.is_urgent = text, is_urgent
        self.good: Code | None = None
        self.is_lost = False
        self.listeners: list[Callable[[Code], None]] = []

    def code(self) -> tuple[Code, bool]:
        """Machine code, and whether it is good."""
        return _workshop.code_of(self)

    def then(self, listener: Callable[[Code], None]) -> None:
        """Call a function with the good code when it is there; on this thread if it is there already."""
        good = _workshop.good_or(self, listener)
        if good is not None:
            listener(good)


class Workshop:
    """Where good code is made. One for each process, with at most one other process that works for it."""

    def __init__(self) -> None:
        self._changed = locks.condition("translator")
        self._urgent: deque[Job] = deque()
        self._later: deque[Job] = deque()
        self._sent: deque[Job] = deque()
        self._gathering = 0
        self._thread: threading.Thread | None = None
        self._process: Any = None
        self._is_closing = False

    def open(self) -> None:
        """Texts are going to be handed in."""
        with self._changed:
            self._gathering += 1

    def close(self, jobs: list[Job]) -> None:
        """No more texts will come for now; these were handed in. Whoever asks makes what nobody has begun."""
        with self._changed:
            self._gathering -= 1
            if self._thread is None:
                for job in jobs:
                    self._forget(job)
            self._changed.notify_all()

    def add(self, job: Job) -> None:
        """Put a job behind the others that are as urgent."""
        with self._changed:
            (self._urgent if job.is_urgent else self._later).append(job)
            self._changed.notify_all()

    def begin(self) -> None:
        """Let another process work, if none does yet."""
        with self._changed:
            if self._thread is None and not self._is_closing and _can_start():
                self._thread = threading.Thread(target=self._run, name="gradtape translator", daemon=True)
                self._thread.start()

    def code_of(self, job: Job) -> tuple[Code, bool]:
        """Good code of a job if it is there, urgent, or made by nobody else; otherwise quickly made code. And whether it is good."""
        while not debug.wants("tier=0"):
            with self._changed:
                if job.good is not None:
                    return job.good, True
                if self._thread is not None and not job.is_lost:
                    if not job.is_urgent:
                        break
                    mine = self._claim(job)
                    if mine is None:
                        if self._changed.wait(_PATIENCE):
                            continue
                        mine = job  # the other process hangs
                else:
                    mine = job
                    self._forget(job)
            self._finish(mine, machine.translate(mine.text))
        return machine.translate(job.text, effort=translation.QUICK), False

    def good_or(self, job: Job, listener: Callable[[Code], None]) -> Code | None:
        """The good code of a job; if there is none yet, a listener will be called with it."""
        with self._changed:
            if job.good is None:
                job.listeners.append(listener)
            return job.good

    def end(self, patience: float) -> None:
        """Stop all work. What is begun may be finished within some seconds, and what waits too."""
        end = time.monotonic() + patience
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            while self._thread is not None and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)
            self._urgent.clear()
            self._later.clear()
            if self._process is not None:
                self._process.kill()

    def inherit(self) -> Workshop:
        """A workshop for a forked process: the same jobs, made by a separate process."""
        heir = Workshop()
        heir._gathering = int(is_gathering())
        heir._urgent.extend(self._urgent)
        heir._later.extend([*self._sent, *self._later])
        if self._process is not None:
            self._process.stdin.close()  # the other process ends when nobody can write to it any more
            self._process.stdout.close()
            self._process.returncode = 0  # it is another one's child
        return heir

    def _claim(self, wanted: Job) -> Job | None:
        """An urgent job for this thread: the wanted one if no thread has taken it yet, else the last one."""
        if wanted in self._urgent:
            self._urgent.remove(wanted)
            return wanted
        return self._urgent.pop() if self._urgent else None

    def _forget(self, job: Job) -> None:
        for waiting in (self._urgent, self._later):
            with contextlib.suppress(ValueError):
                waiting.remove(job)

    def _finish(self, job: Job, code: Code) -> None:
        with self._changed:
            job.good = code
            listeners = tuple(job.listeners)
            self._changed.notify_all()
        for listener in listeners:
            listener(code)
        # Not before: a process that is forked meanwhile has to call them again.
        job.listeners.clear()

    def _next(self, can_wait: bool) -> Job | None:
        """The next job for the other process; None if there is none, or if there will be none: then the thread has ended."""
        with self._changed:
            end = time.monotonic() + _LINGER
            while not (self._urgent or self._later):
                left = 0.0 if self._is_closing else end - time.monotonic()
                if not can_wait:
                    return None
                if left <= 0 and not self._gathering:
                    self._leave()
                    return None
                self._changed.wait(max(left, _LINGER / 10))
            job = (self._urgent or self._later).popleft()
            self._sent.append(job)
            return job

    def _leave(self) -> None:
        """All work has stopped. The lock is held."""
        self._thread = self._process = None
        self._changed.notify_all()

    def _run(self) -> None:
        """Hand texts to another process, and take what they have become."""
        with threads.companion():
            try:
                with _start() as process:
                    self._process = process
                    self._feed(process)
            except (OSError, EOFError, ValueError):
                self._make_the_rest()

    def _feed(self, process: Any) -> None:
        while True:
            while len(self._sent) < _AHEAD and (job := self._next(not self._sent)) is not None:
                translation.send(process.stdin, job.text.encode())
            if not self._sent:
                process.stdin.close()
                return
            image, *names = [translation.receive(process.stdout) for _ in range(3)]
            exports, imports = (tuple(n.decode().split("\n")) if n else () for n in names)
            self._finish(self._sent[0], Code(image, exports, imports))
            with self._changed:
                self._sent.popleft()

    def _make_the_rest(self) -> None:
        """The other process has failed: make what it should have made on this thread."""
        while True:
            with self._changed:
                self._process = None
                job = next((j for jobs in (self._urgent, self._sent, self._later) for j in jobs), None)
                if job is None or self._is_closing:
                    self._sent.clear()
                    self._leave()
                    return
                self._forget(job)
                with contextlib.suppress(ValueError):
                    self._sent.remove(job)
            try:
                self._finish(job, machine.translate(job.text))
            except Exception:  # whoever asks meets it again
                with self._changed:
                    job.is_lost = True
                    self._changed.notify_all()


def _can_start() -> bool:
    """True if there is a core for another process, and if it is known how to start Python."""
    name = os.path.basename(sys.executable or "").lower()
    return memory.cores() > 1 and name.startswith("python") and not getattr(sys, "frozen", False)


def _start() -> Any:
    """A process that translates. It is deaf to Ctrl-C, and ends when nothing more can come."""
    import subprocess  # loaded for the first process

    import llvmlite

    here = host()
    folder = os.path.dirname(os.path.dirname(os.path.abspath(llvmlite.__file__)))
    return subprocess.Popen(
        [sys.executable, "-I", "-S", translation.__file__, folder, here.triple, here.cpu, here.features],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class _Current(threading.local):
    jobs: list[Job] | None = None


_current = _Current()
_workshop = Workshop()


def is_gathering() -> bool:
    """True inside of `together`."""
    return _current.jobs is not None


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Let texts be handed in. Inside of another such block, that one counts."""
    if _current.jobs is not None:
        yield
        return
    jobs: list[Job] = []
    _current.jobs = jobs
    _workshop.open()
    try:
        yield
    finally:
        _current.jobs = None
        _workshop.close(jobs)


def hand_in(text: str, is_urgent: bool = False) -> Job:
    """A job for a text; only inside of `together`."""
    assert _current.jobs is not None
    job = Job(text, is_urgent)
    _current.jobs.append(job)
    _workshop.add(job)
    if is_urgent or len(_current.jobs) >= _MANY:
        _workshop.begin()
    return job


def _inherit() -> None:
    global _workshop
    _workshop = _workshop.inherit()
    if _workshop._urgent or _workshop._later:
        _workshop.begin()


def _at_exit() -> None:
    try:
        _workshop.end(0.0 if disk_cache.folder() is None else _LAST_WAIT)
    except KeyboardInterrupt:
        _workshop.end(0.0)


atexit.register(_at_exit)
threads.at_fork(in_child=_inherit)
