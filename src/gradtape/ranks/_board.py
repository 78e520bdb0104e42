"""The board on which every rank posts its position.

A slot for each rank lies in memory that the processes of a node share. A thread of each rank writes a sign of life there and the line
at which the main thread is. Writing needs no call of MPI, so the slot of a rank that is stopped, dead or deep in a computation
can be read by the others. The first rank of each node sends its node's slots to those of other nodes.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import traceback
from typing import Any

import numpy as np

from gradtape.core import locks, provenance, threads

RUNNING, WAITING, LEFT, FAILED, REPORTED = range(5)
_STATES = ("last seen at", "waiting in", "left the program:", "failed:", "gave up:")
SLOT = np.dtype([("beat", "f8"), ("count", "i8"), ("pid", "i8"), ("state", "i8"), ("where", "S224")])
_BEAT = 0.05  # seconds between two signs of life
_LOOKS = 5  # signs of life between two looks at the line of the main thread, and at the others
_SILENT = 2.0  # seconds without one after which a rank counts as stopped or dead


class Board:
    """The slots of all ranks.

    Args:
      mpi: the module `mpi4py.MPI`.
      world: a communicator of all ranks.
    """

    def __init__(self, mpi: Any, world: Any) -> None:
        self._mpi, self.rank, self.size = mpi, world.rank, world.size
        per_node = int(os.environ.get("GRADTAPE_RANKS_PER_NODE", "0"))  # tests play several nodes on one machine
        node = world.Split(world.rank // per_node) if per_node else world.Split_type(mpi.COMM_TYPE_SHARED)
        self._leads, self.local_rank, self.local_size = node.rank == 0, node.rank, node.size
        self._window = mpi.Win.Allocate_shared(world.size * SLOT.itemsize if self._leads else 0, 1, comm=node)
        self.slots: Any = np.ndarray(world.size, SLOT, buffer=self._window.Shared_query(0)[0])
        self._members = node.allgather(world.rank)
        self._nodes = {m[0]: m for m in world.allgather(self._members)}
        self._others = [leader for leader in self._nodes if leader != self._members[0]]
        self._messages = world.Dup()
        if self._leads:
            self.slots["beat"], self.slots["state"], self.slots["where"] = time.time(), RUNNING, b"its start"
        node.Barrier()
        self.slots[self.rank]["pid"] = os.getpid()
        self._main, self._parent = threading.main_thread().ident, os.getppid()
        self._sends: list[Any] = []
        self._beats: dict[int, float] = {}
        self._told = file_of_launcher(self.rank)
        self._stop = locks.event("board")
        self._thread = threading.Thread(target=self._live, name="gradtape-board", daemon=True)
        self._tell_launcher()
        self._thread.start()

    cross_rank = property(lambda self: list(self._nodes).index(self._members[0]), doc="The number of this node.")
    cross_size = property(lambda self: len(self._nodes), doc="How many nodes there are.")
    is_homogeneous = property(
        lambda self: len({len(m) for m in self._nodes.values()}) == 1, doc="True if all nodes have as many ranks."
    )

    def write(self, state: int, where: str | None = None, count: int | None = None) -> None:
        """Tell what this rank is doing."""
        slot = self.slots[self.rank]
        if where is not None:
            slot["where"] = where.encode()[:223]
        if count is not None:
            slot["count"] = count
        slot["state"] = state
        self._tell_launcher()

    def close(self) -> None:
        """Send no more signs of life."""
        self._stop.set()
        self._thread.join()
        self._tell_launcher()

    def _tell_launcher(self) -> None:
        """Tell `gradtape launch`, which reads it when the processes are gone."""
        if self._told is not None:
            self._told[0] = self.slots[self.rank]

    def is_silent(self, rank: int) -> bool:
        """True if a rank has given no sign of life for some seconds."""
        return bool(time.time() - self.slots[rank]["beat"] > _SILENT)

    def seen(self, rank: int) -> str:
        """Where a rank was last seen, in words."""
        return f"{words(rank, self.slots[rank])} ({self.slots[rank]['count']} collectives begun)"

    def _live(self) -> None:
        threads.companions.add(threading.get_ident())
        turn = 0
        while not self._stop.wait(_BEAT):
            slot = self.slots[self.rank]
            slot["beat"] = time.time()
            self._tell_launcher()
            turn += 1
            if turn % _LOOKS:
                continue
            if slot["state"] == RUNNING:
                slot["where"] = main_line(self._main).encode()[:223]
            if os.getppid() != self._parent:  # the launcher was killed: do not stay behind
                os._exit(1)
            if self._leads:
                self._note_deaths()
                if self._others and turn % (2 * _LOOKS) == 0:
                    self._exchange()

    def _note_deaths(self) -> None:
        for rank in self._members:
            slot = self.slots[rank]
            if slot["state"] < LEFT and slot["pid"] and is_dead(int(slot["pid"])):
                slot["where"] = b"the process is dead, it was at " + slot["where"][:190]
                slot["state"] = FAILED

    def _exchange(self) -> None:
        """Send the slots of this node to the others, and take theirs."""
        self._sends = [s for s in self._sends if not s[0].Test()]
        if len(self._sends) < 4 * len(self._others):  # a node that takes no messages must not fill this one's memory
            copy = self.slots[self._members].copy().view(np.uint8)
            for leader in self._others:
                self._sends.append((self._messages.Isend([copy, self._mpi.BYTE], dest=leader), copy))
        status = self._mpi.Status()
        while self._messages.Iprobe(self._mpi.ANY_SOURCE, self._mpi.ANY_TAG, status):
            theirs = np.empty(status.Get_count(self._mpi.BYTE) // SLOT.itemsize, SLOT)
            self._messages.Recv([theirs.view(np.uint8), self._mpi.BYTE], source=status.Get_source())
            for rank, slot in zip(self._nodes[status.Get_source()], theirs, strict=True):
                beat = float(slot["beat"])  # by the other machine's clock: compared only with itself
                slot["beat"] = time.time() if beat != self._beats.get(rank) else self.slots[rank]["beat"]
                self._beats[rank] = beat
                self.slots[rank] = slot


def words(rank: int, slot: Any) -> str:
    """What a slot says, in words."""
    silence = time.time() - slot["beat"]
    life = f"no sign of life for {silence:.1f} s, " if silence > _SILENT else "alive, "
    return f"rank {rank}: {'' if slot['state'] >= LEFT else life}{_STATES[int(slot['state'])]} {slot['where'].decode(errors='replace')}"


def failure(kind: Any, error: Any, trace: Any) -> str:
    """An exception in a line, with the user's line at which it was raised."""
    message = (str(error).splitlines() or [""])[0]
    for frame, _ in reversed(list(traceback.walk_tb(trace))):
        if not provenance.is_library(frame.f_code.co_filename):
            return f"{kind.__name__}: {message} at {provenance.Site.of((frame.f_code, frame.f_lasti))}"
    return f"{kind.__name__}: {message} at an unknown line"


def is_launchers_machine() -> bool:
    """True if `gradtape launch` runs on this machine; its folder may be visible on others as well."""
    return os.environ.get("GRADTAPE_LAUNCH_HOST", "") == socket.gethostname()


def file_of_launcher(rank: int) -> Any:
    """A slot in a file of `gradtape launch`, which can be read after this process was killed; None without a launcher."""
    folder = os.environ.get("GRADTAPE_LAUNCH_FOLDER", "")
    if not folder or not is_launchers_machine():
        return None
    path = os.path.join(folder, f"rank-{rank}")
    try:
        return np.memmap(path, SLOT, "r+" if os.path.exists(path) else "w+", shape=1)
    except OSError:  # this machine is another one than the launcher's
        return None


def main_line(thread: int | None) -> str:
    """The line of the user's code at which a thread is."""
    frame = threads.innermost_frames().get(thread or 0)
    code, offset = provenance.search(frame)
    del frame
    return "an unknown line" if code is None else str(provenance.Site.of((code, offset)))


def is_dead(pid: int) -> bool:
    """True if there is no process of this number on this machine, or it has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return False
