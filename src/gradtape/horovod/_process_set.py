"""Sets of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradtape.api.arguments import tensor
from gradtape.core import errors
from gradtape.ranks import _engine as engines
from gradtape.ranks import _group as groups


class ProcessSet:
    """Ranks that take part in collectives together.

    Args:
      ranks_or_comm: their numbers, or a communicator of mpi4py. Ranks of different communicators of one `Split` may add them together.

    Attributes:
      ranks: their numbers, in order.
      mpi_comm: the communicator, if it was made of one.
      process_set_id: a number from 1 on, once it was added; 0 for all ranks.
    """

    def __init__(self, ranks_or_comm: Any) -> None:
        self.mpi_comm: Any = ranks_or_comm if hasattr(ranks_or_comm, "Get_group") else None
        numbers: Sequence[int] = ranks_or_comm if self.mpi_comm is None else ranks_of(ranks_or_comm)
        self.ranks: list[int] = sorted(int(r) for r in numbers)
        self.process_set_id: int | None = None
        self._group: Any = None

    def group(self, who: str) -> Any:
        """The communicators behind it."""
        if self is global_process_set:
            engines.engine(who)
            return groups.world()
        if self._group is None:
            raise errors.build(
                errors.FailedPreconditionError,
                f"{who}: the process set of the ranks {self.ranks} must be added before it is used.",
                "hvd.add_process_set(process_set), on all ranks.",
            )
        return self._group

    def included(self) -> bool:
        """True if this rank is in it."""
        return bool(self.group("included").rank >= 0)

    def rank(self) -> int:
        """The number of this process among its ranks; -1 if it is not one of them."""
        return int(self.group("rank").rank)

    def size(self) -> int:
        """The number of ranks in the set."""
        return int(self.group("size").size)

    def __repr__(self) -> str:
        return f"ProcessSet(process_set_id={self.process_set_id}, ranks={self.ranks}, mpi_comm={self.mpi_comm})"


def ranks_of(communicator: Any) -> list[int]:
    """The numbers that the ranks of a communicator of mpi4py have in the job."""
    from mpi4py import MPI

    chosen = communicator.Get_group()
    found: list[int] = MPI.Group.Translate_ranks(chosen, None, MPI.COMM_WORLD.Get_group())
    return found


class _Everybody(ProcessSet):
    def __init__(self) -> None:
        super().__init__([])
        self.process_set_id = 0

    @property
    def ranks(self) -> list[int]:
        """All ranks; none before init."""
        return list(range(engines.engine("ranks").size)) if engines.is_started() else []

    @ranks.setter
    def ranks(self, value: list[int]) -> None:
        pass


global_process_set: ProcessSet = _Everybody()
_added: dict[int, ProcessSet] = {}


def add_process_set(process_set: Any) -> ProcessSet:
    """Add a process set; all ranks must call it, in the same order.

    Args:
      process_set: a ProcessSet, or a list of ranks.
    """
    chosen = process_set if isinstance(process_set, ProcessSet) else ProcessSet(process_set)
    size = engines.engine("add_process_set").size
    if (
        not chosen.ranks
        or chosen.ranks[0] < 0
        or chosen.ranks[-1] >= size
        or len(set(chosen.ranks)) < len(chosen.ranks)
    ):
        raise errors.build(
            errors.InvalidArgumentError,
            f"add_process_set: the ranks must be different numbers from 0 to {size - 1}, got {chosen.ranks}.",
            "hvd.ProcessSet([0, 1]).",
        )
    told = groups.world().exchange(tuple(chosen.ranks), "add_process_set")
    sets = sorted(set(told))
    is_split = chosen.mpi_comm is not None and sorted(r for ranks in sets for r in ranks) == list(range(size))
    if len(sets) > 1 and not is_split:
        listed = "; ".join([f"rank {r} adds {list(t)}" for r, t in enumerate(told)])
        raise errors.build(
            errors.InvalidArgumentError,
            f"add_process_set: all ranks must add the same set: {listed}.",
            "add sets on all ranks.",
        )
    made = {ranks: groups.Group(ranks) for ranks in sets}  # all ranks make all of them, in one order
    chosen._group = made[tuple(chosen.ranks)]
    chosen.process_set_id = max(_added, default=0) + 1
    _added[chosen.process_set_id] = chosen
    return chosen


def remove_process_set(process_set: ProcessSet) -> bool:
    """Remove a process set; False if it was not added. All ranks must call it."""
    if _added.pop(process_set.process_set_id or 0, None) is None:
        return False
    process_set._group = process_set.process_set_id = None
    return True


def size_op(process_set_id: int = 0, name: str | None = None) -> Any:
    """The number of ranks of a process set, as a tensor."""
    return tensor(_by_id(process_set_id).size())


def rank_op(name: str | None = None) -> Any:
    """The number of this rank, as a tensor."""
    return tensor(engines.engine("rank_op").rank)


def local_rank_op(name: str | None = None) -> Any:
    """The number of this rank on its machine, as a tensor."""
    return tensor(engines.engine("local_rank_op").board.local_rank)


def local_size_op(name: str | None = None) -> Any:
    """The number of ranks on this machine, as a tensor."""
    return tensor(engines.engine("local_size_op").board.local_size)


def process_set_included_op(process_set_id: int = 0, name: str | None = None) -> Any:
    """1 if this rank is in a process set, else 0, as a tensor."""
    return tensor(int(_by_id(process_set_id).included()))


def _by_id(process_set_id: int) -> ProcessSet:
    return _added[process_set_id] if process_set_id else global_process_set
