"""Datasets of strategies over several workers: each worker gets its part of every batch.

All workers read the whole dataset and keep their rows, so a batch of all workers together is the batch of one process, and every row is
used once. For that the elements must come in the same order everywhere: shuffle with a seed. With AutoShardPolicy.FILE a worker reads its
own files instead. A dataset that a function makes for each worker is left as it is; a worker whose dataset ends before the others' goes on
with empty batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradtape.core import nest
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import wrap
from gradtape.distribute._distributed_dataset import (
    Distributed,
    InputContext,
    _generated,
    _open_spec,
    _part_spec,
    _rows,
    _rows_of,
)
from gradtape.distribute._workers import Workers
from gradtape.ranks import _buckets as buckets
from gradtape.ranks._arithmetic import ReduceOp

_OFF, _FILE = -1, 1  # members of tf.data.experimental.AutoShardPolicy
_INFINITE, _UNKNOWN = -1, -2


class WorkerDataset(Distributed):
    """A dataset with the batches of this worker.

    Args:
      rows: the batches, in tuples of one.
      original: the dataset that was divided.
      batches: how many there are; as many as the dataset has by default.
    """

    def __init__(self, rows: Any, original: Any, batches: int | None = None) -> None:
        super().__init__(rows, original)
        self._batches = batches

    def __len__(self) -> int:
        return len(self._original) if self._batches is None or self._batches < 0 else self._batches

    def cardinality(self) -> Any:
        """The number of elements."""
        return self._original.cardinality() if self._batches is None else wrap(np.int64(self._batches))


def part_of(rows: int, count: int, index: int) -> tuple[int, int]:
    """The rows of a batch for a worker; if they do not divide evenly, the first workers get one more."""
    share, rest = divmod(rows, count)
    start = index * share + min(index, rest)
    return start, start + share + (index < rest)


def policy_of(dataset: Any) -> int:
    """How a dataset is divided among workers, by its options."""
    return int(dataset.options().experimental_distribute.auto_shard_policy or 0)


def reads_alone(dataset: Any) -> bool:
    """True if each worker reads what it wants of a dataset, and not its rows of each batch."""
    return policy_of(dataset) in (_OFF, _FILE)


def sharded(dataset: Any, workers: Workers) -> Any:
    """A dataset with this worker's rows of each batch.

    With AutoShardPolicy.OFF, with all of them, in batches of that size; with AutoShardPolicy.FILE, with all of its files. A worker whose
    files end before the others' goes on with empty batches.
    """
    count, policy = workers.count, policy_of(dataset)
    spec = nest.map_structure(lambda s: _part_spec(s, count), dataset.element_spec)

    def pieces(source: Any, chosen: Sequence[int]) -> Iterator[Any]:
        for batch in source:
            total = _rows(batch)
            for index in chosen:
                yield _rows_of(batch, *part_of(total, count, index))

    if policy == _FILE:
        own = dataset._of_files(count, workers.index)
        spec, is_endless = nest.map_structure(_open_spec, dataset.element_spec), int(own.cardinality()) == _INFINITE
        rows = _together(lambda: pieces(own, range(count)), dataset.element_spec, workers, is_endless)
        return WorkerDataset(_generated(dataset, rows, spec, 1), dataset, _INFINITE if is_endless else _UNKNOWN)
    chosen = range(count) if policy == _OFF else [workers.index]
    batches = int(dataset.cardinality()) if policy == _OFF else None
    return WorkerDataset(
        _generated(dataset, lambda: ((p,) for p in pieces(dataset, chosen)), spec, 1),
        dataset,
        batches * count if batches is not None and batches >= 0 else batches,
    )


def from_function(dataset_fn: Callable[[InputContext], Any], workers: Workers) -> Any:
    """The dataset that a function makes for this worker, as long as that of any worker has elements."""
    dataset = dataset_fn(InputContext(workers.count, workers.index, workers.count))
    spec = nest.map_structure(_open_spec, dataset.element_spec)
    is_endless = int(dataset.cardinality()) == _INFINITE
    rows = _together(lambda: iter(dataset), dataset.element_spec, workers, is_endless)
    return WorkerDataset(_generated(dataset, rows, spec, 1), dataset)


def _together(
    begin: Callable[[], Iterator[Any]], spec: Any, workers: Workers, is_endless: bool
) -> Callable[[], Iterator[Any]]:
    """What gives the batches of this worker, in tuples of one, as long as any worker has some; then empty ones."""
    is_endless = all(workers.group.exchange(is_endless, "dataset"))

    def rows() -> Iterator[Any]:
        empty, elements = nest.map_structure(_nothing, spec), begin()
        while True:
            element = next(elements, None)
            if not is_endless and not _any(workers, element is not None):
                return
            yield (empty if element is None else element,)

    return rows


def _any(workers: Workers, is_there: bool) -> bool:
    """True if any worker has an element."""
    return bool(buckets.allreduce(workers.group, [np.array(is_there, np.int32)], ReduceOp.MAX, names=["dataset"])[0])


def _nothing(spec: TensorSpec) -> Any:
    """A batch without rows."""
    return wrap(np.zeros([0 if n is None or i == 0 else n for i, n in enumerate(spec.shape)], spec.dtype.numpy))
