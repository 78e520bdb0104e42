"""Machine code made by two processes: while this one describes kernels, another one translates those that are described already.

Inside of `together`, texts of modules are handed in, and what they become is asked for at the end. From the fourth on, a second process
takes them from the front; whoever asks takes what is left from the back, so that both are done at the same time. Where no second
process can be had, everything is translated here.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

from gradtape.compiler.simd import machine, translation
from gradtape.compiler.simd.machine import Code, host
from gradtape.core import large

_MANY = 4  # texts from which on a second process is worth its start
_PATIENCE = 20.0  # seconds until a text is translated here after all
_AHEAD = 2  # texts that are sent before an answer is there, so that the other process need not wait


class _Current(threading.local):
    batch: Batch | None = None


_current = _Current()


def current() -> Batch | None:
    """The batch that this thread is in."""
    return _current.batch


@contextlib.contextmanager
def together() -> Iterator[None]:
    """Let what is handed in meanwhile be translated by two processes. Inside of another such block, that one counts."""
    if _current.batch is not None:
        yield
        return
    _current.batch = batch = Batch()
    try:
        yield
    finally:
        _current.batch = None
        batch.close()


class Job:
    """A text on its way to machine code."""

    def __init__(self, batch: Batch, text: str) -> None:
        self._batch, self.text = batch, text
        self._code: Code | None = None
        self._done = threading.Event()

    def code(self) -> Code:
        """The machine code; while another process works on it, others are translated here."""
        while not self._done.is_set():
            other = self._batch.last(self)
            if other is not None:
                other.finish(machine.translate(other.text))
            elif not self._done.wait(_PATIENCE):
                break
        if self._code is None:  # the other process has failed, or hangs
            self._code = machine.translate(self.text)
        return self._code

    def finish(self, code: Code | None) -> None:
        """Note the machine code; None if it is to be made by whoever asks."""
        self._code = code
        self._done.set()


class Batch:
    """Texts that are translated together."""

    def __init__(self) -> None:
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._count = 0
        self._is_closed = False

    def add(self, text: str) -> Job:
        """Hand in a text."""
        job = Job(self, text)
        with self._changed:
            self._waiting.append(job)
            self._count += 1
            self._changed.notify()
        if self._count == _MANY and _can_start():
            threading.Thread(target=self._feed, name="gradtape translator", daemon=True).start()
        return job

    def close(self) -> None:
        """No more texts will come. Those that nobody has asked for are left to whoever asks."""
        with self._changed:
            self._is_closed = True
            left = list(self._waiting)
            self._waiting.clear()
            self._changed.notify()
        for job in left:
            job.finish(None)

    def last(self, wanted: Job) -> Job | None:
        """A text for this process: the wanted one if nobody has it yet, else the last one."""
        with self._changed:
            if wanted in self._waiting:
                self._waiting.remove(wanted)
                return wanted
            return self._waiting.pop() if self._waiting else None

    def _first(self, can_wait: bool) -> Job | None:
        """A text for the other process; None if there is none, or if there will be none."""
        with self._changed:
            while can_wait and not self._waiting and not self._is_closed:
                self._changed.wait()
            return self._waiting.popleft() if self._waiting else None

    def _feed(self) -> None:
        """Hand texts to another process, and take what they have become."""
        sent: deque[Job] = deque()
        try:
            with _started() as process:
                while True:
                    while len(sent) < _AHEAD and (job := self._first(not sent)) is not None:
                        sent.append(job)
                        translation.send(process.stdin, job.text.encode())
                    if not sent:
                        process.stdin.close()
                        return
                    image, *names = [translation.receive(process.stdout) for _ in range(3)]
                    exports, imports = (tuple(n.decode().split("\n")) if n else () for n in names)
                    sent.popleft().finish(Code(image, exports, imports))
        except (OSError, EOFError, ValueError):
            for job in sent:
                job.finish(None)


def _can_start() -> bool:
    """True if there is a core for a second process, and if it is known how to start Python."""
    name = os.path.basename(sys.executable or "").lower()
    return large.cores() > 1 and name.startswith("python") and not getattr(sys, "frozen", False)


def _started() -> Any:
    """A process that translates. It is deaf to Ctrl-C, and ends when nothing more can come."""
    import subprocess

    import llvmlite

    here = host()
    folder = os.path.dirname(os.path.dirname(os.path.abspath(llvmlite.__file__)))
    return subprocess.Popen(
        [sys.executable, "-I", "-S", translation.__file__, folder, here.triple, here.cpu, here.features],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
