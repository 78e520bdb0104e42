"""Older forms of methods of `Dataset`, and a few other functions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from gradtape.core import dtypes, errors, state
from gradtape.core.shape import TensorSpec
from gradtape.data import _vectorized_map as vectorized_map
from gradtape.data._cache_and_prefetch import Cache
from gradtape.data._dataset import Dataset
from gradtape.data._grouping import GroupByReducer
from gradtape.data._optional import Optional
from gradtape.data._seeds import of as seeds_of
from gradtape.data._stage import INFINITE, UNKNOWN, integer, merged
from gradtape.data._threads import AUTOTUNE
from gradtape.data._traced import Steps
from gradtape.data._user_functions import Function
from gradtape.io._tfrecord import TFRecordWriter as _Writer

Transformation = Callable[[Dataset], Dataset]


def _method(name: str) -> Callable[..., Transformation]:
    """A function for `Dataset.apply` that calls a method."""

    def function(*args: Any, **options: Any) -> Transformation:
        return lambda dataset: getattr(dataset, name)(*args, **options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"A function for `Dataset.apply`, as the method `Dataset.{name}`."
    return function


assert_cardinality = _method("assert_cardinality")
bucket_by_sequence_length = _method("bucket_by_sequence_length")
dense_to_ragged_batch = _method("ragged_batch")
dense_to_sparse_batch = _method("sparse_batch")
enumerate_dataset = _method("enumerate")
group_by_window = _method("group_by_window")
rejection_resample = _method("rejection_resample")
scan = _method("scan")
snapshot = _method("snapshot")
take_while = _method("take_while")
ignore_errors = _method("ignore_errors")
unbatch = _method("unbatch")
unique = _method("unique")

choose_from_datasets = Dataset.choose_from_datasets
sample_from_datasets = Dataset.sample_from_datasets
load = Dataset.load


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:  # noqa: N802
    """An infinite dataset of numbers, as `Dataset.counter`."""
    return Dataset.counter(start, step, dtype)


def RandomDataset(seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Dataset:  # noqa: N802
    """An infinite dataset of random numbers, as `Dataset.random`."""
    return Dataset.random(seed, rerandomize_each_iteration)


def cardinality(dataset: Dataset) -> Any:
    """The number of elements, as `Dataset.cardinality`."""
    return dataset.cardinality()


def at(dataset: Dataset, index: Any) -> Any:
    """The element at an index.

    >>> int(tf.data.experimental.at(tf.data.Dataset.range(5, 9), 2))
    7
    """
    place, count = integer("at", "index", index), dataset._stage.cardinality()
    if count < 0 and isinstance(dataset._stage, Cache):
        return _cached_at(dataset, place)
    if count == INFINITE:
        raise errors.build(
            errors.FailedPreconditionError, "at: an infinite dataset has no random access.", "take a part of it."
        )
    if count == UNKNOWN:
        raise errors.build(
            errors.UnimplementedError,
            "at: a dataset of unknown length has no random access.",
            "iterate over it, or use assert_cardinality.",
        )
    if not 0 <= place < count:
        raise errors.build(
            errors.OutOfRangeError, f"at: the index must be from 0 to {count - 1}, got {place}.", "use another index."
        )
    if not seeds_of(dataset._stage):
        return next(iter(dataset.skip(place)))
    # A shuffled dataset keeps the order of the first access.
    if dataset._shuffled is None:
        dataset._shuffled = list(dataset)
    return dataset._shuffled[place]


def _cached_at(dataset: Dataset, place: int) -> Any:
    """The element at an index of a cache that may have no end: the elements up to it are kept."""
    if dataset._reached is None:
        dataset._reached = iter(dataset), []
    source, kept = dataset._reached
    kept.extend(islice(source, max(0, place + 1 - len(kept))))
    if not 0 <= place < len(kept):
        raise errors.build(
            errors.OutOfRangeError,
            f"at: the index must be from 0 to {len(kept) - 1}, got {place}.",
            "use another index.",
        )
    return kept[place]


def from_list(elements: Any, name: str | None = None) -> Dataset:
    """A dataset of the elements of a list.

    >>> [(int(a), b.numpy()) for a, b in tf.data.experimental.from_list([(1, "a"), (2, "b")])]
    [(1, b'a'), (2, b'b')]
    """
    from gradtape.data import _structure as structure
    from gradtape.data._batch import Held

    if not isinstance(elements, list) or not elements:
        raise ValueError(
            errors.compose(f"from_list: elements must be a list that is not empty, got {elements!r}.", "give a list.")
        )
    held = [structure.tensors(e) for e in elements]
    spec = structure.spec(held[0])
    for other in held[1:]:
        spec = merged("from_list", spec, structure.spec(other))
    return Dataset(Held(held, spec))


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator as an `Optional`."""
    found: Optional = iterator.get_next_as_optional()
    return found


def get_single_element(dataset: Dataset) -> Any:
    """The only element, as `Dataset.get_single_element`."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The structure of specs of the elements."""
    return dataset_or_iterator.element_spec


def map_and_batch(
    map_func: Any,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """A function for `Dataset.apply`: `map`, then `batch`."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            errors.compose(
                "map_and_batch: only one of `num_parallel_batches` and `num_parallel_calls` may be set, got "
                f"{num_parallel_batches} and {num_parallel_calls}.",
                "give num_parallel_calls alone.",
            )
        )
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """A function for `Dataset.apply`: `shuffle`, then `repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(
    map_func: Any,
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """A function for `Dataset.apply`: `interleave` with threads; in the order in which elements are ready if it is sloppy."""
    in_order = None if sloppy is None else not sloppy
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, num_parallel_calls=cycle_length, deterministic=in_order
    )


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """A function for `Dataset.apply`: `prefetch`; tensors stay in the computer's memory."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """A function for `Dataset.apply` that changes nothing: tensors stay in the computer's memory."""
    return lambda dataset: dataset


def enable_debug_mode() -> None:
    """Make functions in pipelines run eagerly, once for each element."""
    vectorized_map.settings.is_enabled = False


def save(
    dataset: Dataset, path: str, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None
) -> None:
    """Write a dataset to a file, as `Dataset.save`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


class Reducer:
    """The three functions of `group_by_reducer`.

    Args:
      init_func: gives the first state for a key.
      reduce_func: gives the next state for a state and an element.
      finalize_func: gives the result for the last state.
    """

    def __init__(self, init_func: Any, reduce_func: Any, finalize_func: Any) -> None:
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func: Any, reducer: Reducer) -> Transformation:
    """A function for `Dataset.apply`: one result for each key.

    >>> count = tf.data.experimental.Reducer(lambda key: 0, lambda n, x: n + 1, lambda n: n)
    >>> ds = tf.data.Dataset.range(5).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, count))
    >>> [int(n) for n in ds]
    [3, 2]
    """
    parts = (key_func, reducer.init_func, reducer.reduce_func, reducer.finalize_func)
    key, begin, step, finish = (Function("group_by_reducer", part) for part in parts)
    return lambda dataset: Dataset(GroupByReducer(dataset._stage, key, begin, step, finish))


class TFRecordWriter:
    """Writes a dataset of string tensors to a TFRecord file.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._path, self._kind = filename, compression_type

    def write(self, dataset: Dataset) -> None:
        """Write all elements; in a function, at each run of it."""
        if not isinstance(dataset, Dataset):
            raise TypeError(
                errors.compose(
                    f"TFRecordWriter.write: Invalid `dataset`. Expected a `tf.data.Dataset` object but got {errors.brief(dataset)}.",
                    "give a dataset of scalar strings.",
                )
            )
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string or spec.shape.rank not in (0, None):
            raise TypeError(
                errors.compose(
                    f"TFRecordWriter.write: Invalid `dataset`. Expected a dataset of scalar `tf.string` tensors but got {spec!r}.",
                    "use map to serialise the elements: dataset.map(tf.io.serialize_tensor).",
                )
            )
        if state.current.trace is None:
            self._write(dataset)
            return
        steps = Steps(dataset._stage)
        steps.start()
        steps.finish(self._write)

    def _write(self, dataset: Any) -> None:
        with _Writer(self._path, self._kind) as writer:
            for record in dataset:
                writer.write(record)
