"""How the ranks of a job come to `init`.

MPI starts when all ranks have come, and blocks in silence until then. So a thread watches meanwhile: it ends a rank that waits for one that
has failed, has left or does not come in time. Under `gradtape launch` each rank posts where it is from its first line on, in a file of the
launcher, so the report can say who is missing and where.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from gradtape.core import locks, provenance, threads
from gradtape.ranks import _board as board
from gradtape.ranks import _library as library

_PERIOD = 0.1  # seconds between two looks
_START = 60.0  # seconds that MPI itself gets to start when all ranks are there: on a busy machine that takes long
_GRACE = 1.5  # seconds that the others get to report before the rank that failed prints its traceback
_DELIVERY = 0.25  # seconds for what was written last to reach the launcher

_beacon: Beacon | None = None


class Beacon:
    """Posts the position of this rank in the launcher's folder until the board does.

    Args:
      rank: the number of this rank.
    """

    def __init__(self, rank: int) -> None:
        global _beacon
        self.rank, self.slot = rank, board.file_of_launcher(rank)
        if self.slot is None:
            return
        _beacon = self
        self.slot[0] = (time.time(), 0, os.getpid(), board.RUNNING, b"its start")
        self._main, self._stop = threading.main_thread().ident, locks.event("beacon")
        self._thread = threading.Thread(target=self._live, name="gradtape-beacon", daemon=True)
        self._thread.start()
        sys.excepthook = self._failed

    def write(self, state: int, where: str) -> None:
        """Tell what this rank is doing."""
        if self.slot is not None:
            self.slot[0]["where"] = where.encode()[:223]
            self.slot[0]["state"] = state

    def stop(self) -> None:
        """Leave the slot to the board."""
        global _beacon
        if _beacon is self:
            _beacon = None
            self._stop.set()
            self._thread.join()

    def finish(self, status: int) -> None:
        """Tell that the program has ended without `init`."""
        if _beacon is self and self.slot[0]["state"] != board.FAILED:
            self.write(board.FAILED if status else board.LEFT, f"the end of the program, with exit status {status}")
            self.stop()

    def _live(self) -> None:
        threads.companions.add(threading.get_ident())
        while not self._stop.wait(_PERIOD):
            self.slot[0]["beat"] = time.time()
            if self.slot[0]["state"] == board.RUNNING:
                self.slot[0]["where"] = board.main_line(self._main).encode()[:223]

    def _failed(self, kind: Any, error: Any, trace: Any) -> None:
        """Tell those who wait in `init`, and print the traceback after their reports."""
        if _beacon is self:
            self.write(board.FAILED, board.failure(kind, error, trace))
            until = time.monotonic() + _GRACE
            while time.monotonic() < until and any(s["state"] == board.WAITING for s in _others(self.rank).values()):
                time.sleep(0.02)
        traceback.print_exception(kind, error, trace)


def _others(rank: int) -> dict[int, Any]:
    """What the other ranks of this machine have posted."""
    folder = os.environ.get("GRADTAPE_LAUNCH_FOLDER", "")
    files = Path(folder).glob("rank-*") if folder and board.is_launchers_machine() else []
    told = {int(f.name.partition("-")[2]): np.fromfile(f, board.SLOT) for f in files}
    return {r: slots[0] for r, slots in told.items() if r != rank and len(slots)}


class Watch:
    """A block in which MPI starts, and blocks.

    Args:
      timeout: seconds after which ranks that have not come are reported and the job ends.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout, self._place = timeout, provenance.user_place(3)
        self._rank, self._size = library.told_number(), library.told_size()
        is_watched = self._size > 1
        self._thread = threading.Thread(target=self._look, name="gradtape-arrival", daemon=True) if is_watched else None
        self._done = locks.event("arrival")
        self._interrupt: Any = None

    def __enter__(self) -> Watch:
        site = provenance.Site.of(self._place)
        self._what = "init" if site is None else f"init at {site}"
        if self._thread is not None:
            if _beacon is not None:
                _beacon.write(board.WAITING, self._what)
            is_main = threading.current_thread() is threading.main_thread()
            if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's handler cannot run inside MPI
            self._thread.start()
        return self

    def __exit__(self, *details: Any) -> None:
        self._done.set()
        if self._interrupt is not None:
            signal.signal(signal.SIGINT, self._interrupt)
        if _beacon is not None:
            _beacon.stop()

    def _look(self) -> None:
        threads.companions.add(threading.get_ident())
        started = time.monotonic()
        while not self._done.wait(_PERIOD):
            waited, others = time.monotonic() - started, _others(self._rank)
            gone = {r: s for r, s in others.items() if s["state"] >= board.LEFT and s["state"] != board.REPORTED}
            gone |= {r: s for r, s in others.items() if board.is_dead(int(s["pid"])) and s["state"] < board.LEFT}
            if not gone and self._are_all_there(others) and waited < max(_START, self._timeout):
                continue
            if not gone and waited > self._timeout:
                gone = {r: s for r, s in others.items() if s["state"] == board.RUNNING} or others
            if gone or waited > self._timeout:
                self._end(waited, gone)

    def _are_all_there(self, others: dict[int, Any]) -> bool:
        """True if all other ranks wait for MPI, too, as far as they have told."""
        return len(others) == self._size - 1 and all(s["state"] == board.WAITING for s in others.values())

    def _end(self, waited: float, gone: dict[int, Any]) -> None:
        """Report who is missing, and end this rank; the launcher then ends the others."""
        seen = "".join([f"\n  {board.words(r, slot)}" for r, slot in sorted(gone.items())])
        advice = (
            "repair the error of the rank that failed; see its traceback."
            if any(slot["state"] == board.FAILED for slot in gone.values())
            else f"every rank must call init; hvd.init(timeout={2 * self._timeout:g}) waits longer."
        )
        number = "" if _beacon is not None else f"[{self._rank}] "
        text = f"RanksError: rank {self._rank} waited {waited:.1f} s in {self._what} for ranks that do not come:{seen}"
        sys.stderr.write("".join([f"{number}{line}\n" for line in (*text.splitlines(), f"  fix: {advice}")]))
        sys.stderr.flush()
        if _beacon is not None:
            _beacon.write(board.REPORTED, self._what)
        time.sleep(_DELIVERY + (_GRACE if any(s["state"] == board.FAILED for s in gone.values()) else 0.0))
        os._exit(1)
