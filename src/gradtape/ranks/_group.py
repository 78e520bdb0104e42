"""The collectives of a set of ranks, on arrays.

Before data moves, the ranks compare what they want: one reduction of four numbers, of which a digest of names, shapes and dtypes is the
first. Where the digests differ, the ranks tell each other what they want, and all raise the same error. A rank that has joined wants
nothing: it learns from the others what they want, and takes part with zeros.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.ranks import _arithmetic as arithmetic
from gradtape.ranks import _engine as engines
from gradtape.ranks._arithmetic import ReduceOp
from gradtape.ranks._engine import Errand
from gradtape.ranks._library import RanksError

Wanted = tuple[Any, ...]
NOTHING = np.iinfo(np.int64).min

_world: Group | None = None


class Group:
    """Ranks that take part in collectives together.

    Args:
      members: their numbers in the job, in order.

    Attributes:
      rank: the number of this process in the group; -1 if it is not in it.
      size: how many ranks there are.
    """

    def __init__(self, members: Sequence[int]) -> None:
        self.engine = engines.engine("ProcessSet")
        mpi = self.engine.mpi
        self.members = list(members)
        everybody = mpi.COMM_WORLD.Get_group()
        chosen = everybody.Incl(self.members)
        self._data = mpi.COMM_WORLD.Create(chosen)
        self._control = mpi.COMM_WORLD.Create(chosen)
        self.rank = self.members.index(self.engine.rank) if self.engine.rank in self.members else -1
        self.size = len(self.members)
        self.running: dict[int, Any] = {}  # reductions that a program has begun

    def check(self, who: str) -> None:
        """An error if this rank is not in the group."""
        if self.rank < 0:
            raise errors.build(
                errors.InvalidArgumentError,
                f"{who}: rank {self.engine.rank} must not take part: it is not in the process set of the ranks {self.members}.",
                "call it only where process_set.included() is True.",
            )

    def agree(self, wanted: Wanted, what: Errand) -> Callable[[], int]:
        """Post what this rank wants.

        Returns:
          A function that waits until all want the same, and tells how many ranks take part with data of their own. It raises
          RanksError on all ranks if they do not want the same.
        """
        self.check(what.kind)
        value = int.from_bytes(hashlib.blake2b(repr(wanted).encode(), digest_size=7).digest(), "little")
        vote = self.vote([value, -value, 0, 1])

        def complete() -> int:
            most = vote(what)
            joined = most[2] > 0
            if not joined and most[0] == -most[1]:
                return self.size
            told = self.told((str(what), wanted), what)
            active = [t for t in told if t is not None]
            if most[0] != -most[1]:
                raise disagreement(told, self.members, self.engine)
            check_join(wanted, told, self.members, self.engine)
            return len(active)

        return complete

    def vote(self, numbers: list[int]) -> Callable[[Errand], Any]:
        """Post four numbers; returns a function that waits for the largest of all ranks."""
        mine, most = np.array(numbers, np.int64), np.empty(4, np.int64)
        self.engine.check_whole("a collective")
        self.engine.count += 1
        number = ("vote", self.engine.count)
        request = self._control.Iallreduce(mine, most, op=self.engine.mpi.MAX)
        self.engine.open[number] = (request, mine, most)  # mpi4py does not hold the arrays of a reduction

        def complete(what: Errand) -> Any:
            self.wait(request, what)
            self.engine.open.pop(number, None)
            return most

        return complete

    def wait(self, request: Any, what: Errand, *arrays: Any) -> None:
        """Poll until a request is done; its arrays are held for as long as MPI may use them, also after an error."""
        try:
            self.engine.wait(request, what, self.members)
        except BaseException:
            self.engine.open["abandoned", id(request)] = (request, arrays)
            raise

    def told(self, value: Any, what: Errand) -> list[Any]:
        """The objects of all ranks. The ranks must have agreed."""
        data = np.frombuffer(pickle.dumps(value), np.uint8)
        size, sizes = np.array([len(data)], np.int64), np.empty(self.size, np.int64)
        self.wait(self._control.Iallgather(size, sizes), what, size, sizes)
        out = np.empty(int(sizes.sum()), np.uint8)
        byte = self.engine.mpi.BYTE
        self.wait(self._control.Iallgatherv([data, byte], [out, sizes.tolist(), byte]), what, data, out)
        return [pickle.loads(part.tobytes()) for part in np.split(out, np.cumsum(sizes)[:-1])]

    def exchange(self, value: Any, name: str = "") -> list[Any]:
        """The objects of all ranks, by rank."""
        what = Errand("allgather_object")
        self.agree(("allgather_object", name), what)()
        return self.told(value, what)

    def barrier(self) -> None:
        """Wait until all ranks have reached this call."""
        self.agree(("barrier",), Errand("barrier"))()

    def broadcast(self, arrays: Sequence[np.ndarray], root: int, names: Sequence[str] = ()) -> list[np.ndarray]:
        """The arrays of the root, on all ranks."""
        what = Errand("broadcast")
        if not 0 <= root < self.size:
            raise errors.build(
                errors.InvalidArgumentError,
                f"broadcast: root_rank must be a rank of the process set, 0 to {self.size - 1}, got {root}.",
                "use root_rank=0.",
            )
        self.agree(("broadcast", root, *_specs(arrays), *names), what)()
        found = []
        for array in arrays:
            buffer = np.array(array, order="C") if self.rank == root else np.empty(array.shape, array.dtype)
            self.wait(self._data.Ibcast([_bytes(buffer), self.engine.mpi.BYTE], root), what, buffer)
            found.append(buffer)
        return found

    def allgather(self, arrays: Sequence[np.ndarray], names: Sequence[str] = ()) -> list[np.ndarray]:
        """The rows of all ranks, one after the other."""
        what = Errand("allgather")
        _check_rows(arrays, "allgather")
        self.agree(("allgather", *[(a.shape[1:], dtypes.as_dtype(a.dtype).name) for a in arrays], *names), what)()
        return [self.gather_rows(a, what) for a in arrays]

    def gather_rows(self, array: np.ndarray, what: Errand) -> np.ndarray:
        """The rows of all ranks. The ranks must have agreed."""
        array = np.ascontiguousarray(array)
        rows, all_rows = np.array([len(array)], np.int64), np.empty(self.size, np.int64)
        self.wait(self._control.Iallgather(rows, all_rows), what, rows, all_rows)
        out = np.empty((int(all_rows.sum()), *array.shape[1:]), array.dtype)
        width = array.itemsize * int(np.prod(array.shape[1:], dtype=np.int64))
        byte = self.engine.mpi.BYTE
        request = self._data.Iallgatherv([_bytes(array), byte], [_bytes(out), (all_rows * width).tolist(), byte])
        self.wait(request, what, array, out)
        return out

    def alltoall(self, array: np.ndarray, splits: Any = None, name: str = "") -> tuple[np.ndarray, np.ndarray]:
        """Send rows to each rank; what all have sent here, and how many rows came from each."""
        what = Errand("alltoall")
        _check_rows([array], "alltoall")
        counts = self._splits(array, splits)
        self.agree(("alltoall", (array.shape[1:], dtypes.as_dtype(array.dtype).name), name), what)()
        array, theirs = np.ascontiguousarray(array), np.empty(self.size, np.int64)
        self.wait(self._control.Ialltoall(counts, theirs), what, counts, theirs)
        out = np.empty((int(theirs.sum()), *array.shape[1:]), array.dtype)
        width, byte = array.itemsize * int(np.prod(array.shape[1:], dtype=np.int64)), self.engine.mpi.BYTE
        sent, received = (counts * width).tolist(), (theirs * width).tolist()
        request = self._data.Ialltoallv([_bytes(array), sent, byte], [_bytes(out), received, byte])
        self.wait(request, what, array, out)
        return out, theirs.astype(np.int32)

    def _splits(self, array: np.ndarray, splits: Any) -> np.ndarray:
        if splits is None:
            if len(array) % self.size:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"alltoall: {len(array)} rows cannot be divided evenly among {self.size} ranks.",
                    "give splits=[...], the number of rows for each rank.",
                )
            return np.full(self.size, len(array) // self.size, np.int64)
        counts = np.asarray(splits).astype(np.int64)
        if counts.shape != (self.size,) or counts.min() < 0 or counts.sum() != len(array):
            raise errors.build(
                errors.InvalidArgumentError,
                f"alltoall: splits must be {self.size} counts whose sum is the number of rows, {len(array)}; got {counts.tolist()}.",
                "give the number of rows for each rank.",
            )
        return counts

    def reducescatter(self, array: np.ndarray, op: ReduceOp, scale: float, name: str = "") -> np.ndarray:
        """This rank's rows of the reduced array; the first ranks have one row more where they cannot be divided evenly."""
        what = Errand("reducescatter")
        _check_rows([array], "reducescatter")
        arithmetic.check(op, array.dtype, "reducescatter")
        self.agree(("reducescatter", (int(op), scale), *_specs([array]), name), what)()
        count = self.size if op is ReduceOp.AVERAGE else 1
        if array.dtype.itemsize == 2 and array.dtype.kind in "fV":
            return self._scatter_narrow(array, scale / count, what)
        work = np.ascontiguousarray(array, arithmetic.wide(array.dtype))
        is_integer = work.dtype.kind in "iu"
        if not is_integer and scale / count != 1.0:
            work = (work * (scale / count)).astype(work.dtype)
        rows, width = self._shares(array)
        out = np.empty((rows[self.rank], *array.shape[1:]), work.dtype)
        counts = [r * width for r in rows]
        request = self._data.Ireduce_scatter(work, out, counts, op=arithmetic.mpi_op(self.engine.mpi, op))
        self.wait(request, what, work, out)
        return (arithmetic.scale_integers(out, scale, count) if is_integer else out).astype(array.dtype)

    def _shares(self, array: np.ndarray) -> tuple[list[int], int]:
        """How many rows each rank gets, and how many numbers a row has."""
        rows = [len(part) for part in np.array_split(np.empty(len(array)), self.size)]
        return rows, int(np.prod(array.shape[1:], dtype=np.int64))

    def _scatter_narrow(self, array: np.ndarray, scale: float, what: Errand) -> np.ndarray:
        """16 bits travel, and are added in float32, in the order of the ranks."""
        rows, width = self._shares(array)
        array, own = np.ascontiguousarray(array), rows[self.rank] * width
        received, byte = np.empty((self.size, own), array.dtype), self.engine.mpi.BYTE
        sent = [2 * r * width for r in rows]
        request = self._data.Ialltoallv([_bytes(array), sent, byte], [_bytes(received), [2 * own] * self.size, byte])
        self.wait(request, what, array, received)
        return arithmetic.sum_narrow(received, scale).reshape(rows[self.rank], *array.shape[1:])

    def start_sum(self, flat: np.ndarray, op: ReduceOp) -> Any:
        """Begin to reduce an array in place; the caller holds it until the request is done."""
        mpi = self.engine.mpi
        return self._data.Iallreduce(mpi.IN_PLACE, flat, op=arithmetic.mpi_op(mpi, op))

    def all_parts(self, flat: np.ndarray, what: Errand) -> list[np.ndarray]:
        """The arrays of all ranks, which have one size."""
        out = np.empty((self.size, *flat.shape), flat.dtype)
        byte = self.engine.mpi.BYTE
        self.wait(self._data.Iallgather([_bytes(flat), byte], [_bytes(out), byte]), what, flat, out)
        return list(out)

    def start_narrow(self, flat: np.ndarray, received: np.ndarray) -> Any:
        """Begin to sum an array of 16-bit numbers: each rank is sent the part that it adds up. The caller holds both arrays."""
        byte = self.engine.mpi.BYTE
        return self._data.Ialltoall([_bytes(flat), byte], [_bytes(received), byte])

    def finish_narrow(self, flat: np.ndarray, received: np.ndarray, scale: float, what: Errand) -> None:
        """The scaled sums, in place of the array: 16 bits travel, and are added in float32, in the order of the ranks."""
        total, byte = arithmetic.sum_narrow(received.reshape(self.size, -1), scale), self.engine.mpi.BYTE
        self.wait(self._data.Iallgather([_bytes(total), byte], [_bytes(flat), byte]), what, total, flat)


def check_versions(version: str) -> None:
    """An error on all ranks if they run different versions of gradtape."""
    versions = world().exchange(version, "version")
    if len(set(versions)) > 1:
        told = ", ".join([f"rank {r} has {v}" for r, v in enumerate(versions)])
        raise errors.build(
            RanksError,
            f"init: the ranks run different versions of gradtape: {told}.",
            "install the same version in the environment of every machine.",
        )


def world() -> Group:
    """The group of all ranks."""
    global _world
    engine = engines.engine("a collective")
    if _world is None or _world.engine is not engine:
        _world = Group(range(engine.size))
    return _world


def disagreement(told: list[Any], members: list[int], engine: Any) -> RanksError:
    """The error for ranks that want different things, which is the same on all."""
    groups: dict[str, list[int]] = {}
    for rank, said in zip(members, told, strict=True):
        groups.setdefault("nothing: it has joined" if said is None else _words(*said), []).append(rank)
    lines = "".join([f"\n  {_ranks(ranks)} {text}" for text, ranks in groups.items()])
    fix = "\n  fix: make the same calls on all ranks, in the same order, with tensors of the same shapes and dtypes."
    engine.broken = f"The ranks want different collectives (number {engine.count})"
    return RanksError(f"{engine.broken}:{lines}{fix}")


def _words(place: str, wanted: Wanted) -> str:
    shown = ", ".join([_shown(p) if isinstance(p, tuple) else str(p) for p in wanted[1:5]])
    more = f", ... ({len(wanted) - 1} in all)" if len(wanted) > 5 else ""
    return f"{place}{' of ' if shown else ''}{shown}{more}"


def _shown(part: tuple[Any, ...]) -> str:
    """A shape and a dtype; or a way to reduce and a factor."""
    if len(part) != 2 or isinstance(part[0], tuple):
        return " ".join(map(str, part))
    factor = "" if part[1] == 1.0 else f" times {part[1]:g}"
    return f"{ReduceOp(part[0]).name.capitalize()}{factor}"


def _ranks(ranks: list[int]) -> str:
    listed = ", ".join(map(str, ranks[:8])) + (f" and {len(ranks) - 8} more" if len(ranks) > 8 else "")
    return f"rank {listed} wants" if len(ranks) == 1 else f"ranks {listed} want"


def check_join(wanted: Wanted, told: list[Any], members: list[int], engine: Any) -> None:
    """The error for collectives that a rank without data cannot join."""
    if wanted[0] in ("allreduce", "allgather", "barrier") or wanted[0].startswith("gradients"):
        return
    joined = [r for r, t in zip(members, told, strict=True) if t is None]
    engine.broken = f"{wanted[0]} is not supported while ranks have joined"
    raise RanksError(
        f"{engine.broken}: {joined} have no more data.\n"
        "  fix: call it before the first rank calls hvd.join(), or after all have."
    )


def _specs(arrays: Sequence[np.ndarray]) -> list[Any]:
    return [(a.shape, dtypes.as_dtype(a.dtype).name) for a in arrays]


def _check_rows(arrays: Sequence[np.ndarray], who: str) -> None:
    if any(a.ndim == 0 for a in arrays):
        raise errors.build(
            errors.ShapeError,
            f"{who}: a scalar has no rows; the tensor must have at least one dimension.",
            f"hvd.{who}(x[None]).",
        )


def _bytes(array: np.ndarray) -> np.ndarray:
    """The memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8)
