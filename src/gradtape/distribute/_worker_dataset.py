"""Datasets of strategies over several workers: each worker gets its part of every batch.

All workers read the whole dataset and keep their rows, so a batch of all workers together is the batch of one process, and every row is
used once. For that the elements must come in the same order everywhere: shuffle with a seed. A dataset that a function makes for each
worker is left as it is; a worker whose dataset ends before the others' goes on with empty batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

_OFF = -1  # tf.data.experimental.AutoShardPolicy.OFF
_INFINITE = -1


class WorkerDataset(Distributed):
    """A dataset with the batches of this worker."""


def part_of(rows: int, count: int, index: int) -> tuple[int, int]:
    """The rows of a batch for a worker; if they do not divide evenly, the first workers get one more."""
    share, rest = divmod(rows, count)
    start = index * share + min(index, rest)
    return start, start + share + (index < rest)


def sharded(dataset: Any, workers: Workers) -> Any:
    """A dataset with this worker's rows of each batch; with AutoShardPolicy.OFF, with all of them, in batches of that size."""
    count = workers.count
    is_off = int(dataset.options().experimental_distribute.auto_shard_policy or 0) == _OFF
    spec = nest.map_structure(lambda s: _part_spec(s, count), dataset.element_spec)

    def rows() -> Iterator[Any]:
        for batch in dataset:
            total = _rows(batch)
            for index in range(count) if is_off else [workers.index]:
                yield (_rows_of(batch, *part_of(total, count, index)),)

    return WorkerDataset(_generated(dataset, rows, spec, 1), dataset)


def from_function(dataset_fn: Callable[[InputContext], Any], workers: Workers) -> Any:
    """The dataset that a function makes for this worker, as long as that of any worker has elements."""
    dataset = dataset_fn(InputContext(workers.count, workers.index, workers.count))
    spec = nest.map_structure(_open_spec, dataset.element_spec)
    is_endless = workers.group.exchange(int(dataset.cardinality()) == _INFINITE, "dataset")

    def rows() -> Iterator[Any]:
        empty, elements = nest.map_structure(_nothing, dataset.element_spec), iter(dataset)
        while True:
            element = next(elements, None)
            if not all(is_endless) and not _any(workers, element is not None):
                return
            yield (empty if element is None else element,)

    return WorkerDataset(_generated(dataset, rows, spec, 1), dataset)


def _any(workers: Workers, is_there: bool) -> bool:
    """True if any worker has an element."""
    return bool(buckets.allreduce(workers.group, [np.array(is_there, np.int32)], ReduceOp.MAX, names=["dataset"])[0])


def _nothing(spec: TensorSpec) -> Any:
    """A batch without rows."""
    return wrap(np.zeros([0 if n is None or i == 0 else n for i, n in enumerate(spec.shape)], spec.dtype.numpy))
