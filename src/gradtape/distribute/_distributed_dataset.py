"""Datasets of strategies: a batch for each replica."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

from gradtape.core import errors, nest
from gradtape.core.shape import TensorSpec
from gradtape.distribute._per_replica import regroup


class InputContext:
    """The argument of a function that creates a dataset: one pipeline feeds all replicas.

    >>> tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(64)
    32
    """

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._pipelines, self._id, self._replicas = num_input_pipelines, input_pipeline_id, num_replicas_in_sync

    num_input_pipelines = property(lambda self: self._pipelines, doc="How many datasets there are.")
    input_pipeline_id = property(lambda self: self._id, doc="Which of them this is.")
    num_replicas_in_sync = property(lambda self: self._replicas, doc="How many replicas there are.")

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch that each replica gets; ValueError if the parts are not equal."""
        if global_batch_size % self._replicas:
            raise errors.build(
                ValueError,
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self._replicas!r}.",
                "choose a multiple of the number of replicas.",
            )
        return global_batch_size // self._replicas

    def __repr__(self) -> str:
        return f"tf.distribute.InputContext(input pipeline id {self._id}, total: {self._pipelines})"


class InputReplicationMode(enum.Enum):
    """How input is replicated: one dataset for each worker, or one for each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """Options of distributed datasets, accepted and without effect."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """Options of `strategy.run`, accepted and without effect."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class ValueContext(NamedTuple):
    """The argument of a function that creates a value for a replica."""

    replica_id_in_sync_group: int = 0
    num_replicas_in_sync: int = 1


@runtime_checkable
class DistributedDataset(Protocol):
    """The result of `strategy.experimental_distribute_dataset`. With one replica, the dataset itself is one."""

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""

    def __iter__(self) -> Any: ...


@runtime_checkable
class DistributedIterator(Protocol):
    """The iterator of a distributed dataset."""

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""

    def get_next(self) -> Any:
        """The next element."""

    def __next__(self) -> Any: ...


class Distributed:
    """A dataset of values for several replicas, made from one of tuples: an element for each replica.

    `for` in a `tf.function` runs over it as over any dataset.
    """

    def __init__(self, rows: Any, original: Any) -> None:
        self._rows, self._original = rows, original

    def __iter__(self) -> Elements:
        return Elements(iter(self._rows))

    def __len__(self) -> int:
        return len(self._original)

    def cardinality(self) -> Any:
        """The number of elements."""
        return self._original.cardinality()

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements, with a spec for each replica."""
        return _transposed(self._rows.element_spec)

    def _staged_steps(self) -> Any:
        return _Steps(self._rows._staged_steps())


class Elements:
    """The iterator of a distributed dataset."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __iter__(self) -> Elements:
        return self

    def __next__(self) -> Any:
        return _transposed(next(self._rows))

    def get_next(self) -> Any:
        """The next element; `tf.errors.OutOfRangeError` after the last."""
        return _transposed(self._rows.get_next())

    def get_next_as_optional(self) -> Any:
        """The next element as an Optional, which is empty after the last."""
        found = self._rows.get_next_as_optional()
        return type(found)(self.element_spec, _transposed(found.get_value()), True) if found.has_value() else found

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        return _transposed(self._rows.element_spec)


class _Steps:
    """A `for` statement over a distributed dataset in a graph."""

    def __init__(self, steps: Any) -> None:
        self._steps = steps
        self.start, self.more, self.stop = steps.start, steps.more, steps.stop

    def take(self) -> Any:
        """The next element."""
        return _transposed(self._steps.take())


def _transposed(row: Any) -> Any:
    """A structure of values for each replica, of one structure for each."""
    return regroup(list(row))


def distributed(dataset: Any, count: int) -> Any:
    """A dataset whose batches are divided among replicas."""
    if count == 1:
        return dataset
    spec = nest.map_structure(lambda s: _part_spec(s, count), dataset.element_spec)

    def rows() -> Iterator[Any]:
        size = 0
        for batch in dataset:
            size = size or -(-_rows(batch) // count)
            yield tuple([_rows_of(batch, i * size, (i + 1) * size) for i in range(count)])

    return Distributed(_generated(dataset, rows, spec, count), dataset)


def from_function(dataset_fn: Callable[[InputContext], Any], count: int) -> Any:
    """A dataset that gives each replica the next element of the dataset that a function returns."""
    dataset = dataset_fn(InputContext(num_replicas_in_sync=count))
    if count == 1:
        return dataset
    spec = nest.map_structure(_open_spec, dataset.element_spec)

    def rows() -> Iterator[Any]:
        elements = iter(dataset)
        for first in elements:
            row = [first, *[e for _, e in zip(range(count - 1), elements, strict=False)]]
            missing = count - len(row)
            yield (*row, *[nest.map_structure(lambda t: t[:0] if t.ndim else t, first)] * missing)

    return Distributed(_generated(dataset, rows, spec, count), dataset)


def _generated(dataset: Any, rows: Callable[[], Iterator[Any]], spec: Any, count: int) -> Any:
    kind: Any = type(dataset)
    return kind.from_generator(rows, output_signature=(spec,) * count)


def _rows_of(batch: Any, start: int, stop: int) -> Any:
    return nest.map_structure(lambda tensor: tensor[start:stop], batch)


def _rows(batch: Any) -> int:
    leaves = nest.flatten(batch)
    if not leaves or any(not leaf.ndim for leaf in leaves):
        raise errors.build(
            ValueError,
            "experimental_distribute_dataset: the elements have no batch axis to divide.",
            "call batch(global_batch_size) on the dataset first.",
        )
    return int(leaves[0].shape[0])


def _part_spec(spec: Any, count: int) -> Any:
    """The spec of a replica's part of batches: its size is known if that of all batches is, and they divide evenly."""
    rows = spec.shape[0] if spec.shape.rank else None
    if rows is None or rows % count:
        return _open_spec(spec)
    return TensorSpec([rows // count, *spec.shape[1:]], spec.dtype)


def _open_spec(spec: Any) -> Any:
    """The spec without the size of its batch axis: the last batches may be smaller, or empty."""
    return TensorSpec([None, *spec.shape[1:]] if spec.shape.rank else spec.shape, spec.dtype)
