"""Elements by key: group_by_window, bucket_by_sequence_length, unique, rejection_resample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, nest
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import host, wrap
from gradtape.data import _structure as structure
from gradtape.data._batch import Held
from gradtape.data._failure import Failure, attempt, raised
from gradtape.data._flat_map import check_dataset, inner_spec, opened
from gradtape.data._map import Mapped, check_state
from gradtape.data._padded_batch import PaddedBatch, padded
from gradtape.data._seeds import Seeds
from gradtape.data._specs import DatasetSpec
from gradtape.data._stage import UNKNOWN, Stage, known_spec, positive
from gradtape.data._user_functions import Function


class GroupByWindow(Mapped):
    """The results of a function on datasets of elements with the same key, as soon as there are enough elements."""

    def __init__(
        self,
        source: Stage,
        key: Function,
        reduce: Function,
        size: Callable[[Any], int],
        dataset: Callable[[Stage], Any],
    ) -> None:
        self._reduce, self._size, self._dataset = reduce, size, dataset
        super().__init__(source, key)

    def _check_traced(self, spec: Any) -> None:
        key = self.function.traced_spec(spec)
        if isinstance(key, TensorSpec) and (key.shape.rank not in (0, None) or not key.dtype.is_integer):
            raise _no_key(key)
        check_dataset(self._reduce, self._reduce.traced_spec(TensorSpec([], dtypes.int64), DatasetSpec(spec)))

    def cardinality(self) -> int:
        return self._without_end()

    def elements(self) -> Iterator[Any]:
        held: dict[int, list[Any]] = {}
        for value in self.inputs[0].elements():
            found = attempt(self._key_and_size, value)
            if type(found) is Failure:
                yield found
                continue
            key, size = found
            group = held.setdefault(key, [])
            group.append(value)
            if len(group) >= size:
                yield from self._reduced(key, held.pop(key))
        for number in sorted(held):
            yield from self._reduced(number, held[number])

    def _key_and_size(self, value: Any) -> tuple[int, int]:
        key = raised(self.function.attempt(value))
        if getattr(key, "ndim", None) != 0 or not key.dtype.is_integer:
            raise _no_key(key)
        size = self._size(key)
        if size <= 0:
            raise errors.build(
                errors.InvalidArgumentError,
                f"group_by_window: Window size must be greater than zero, but got {size}.",
                "give a positive window_size.",
            )
        return int(key), size

    def _reduced(self, key: int, group: list[Any]) -> Iterator[Any]:
        found = attempt(opened, self._reduce, wrap(np.int64(key)), self._dataset(Held(group)))
        return iter([found]) if type(found) is Failure else found

    def _traced_spec(self) -> Any:
        return inner_spec(self._reduce.spec(TensorSpec([], dtypes.int64), DatasetSpec(self.inputs[0].spec())))


def window_size(size: Any) -> int:
    """The size of a window returned by a function, checked."""
    if isinstance(size, int):
        return size
    if getattr(size, "ndim", None) != 0 or not size.dtype.is_integer:
        raise errors.build(
            errors.DTypeError,
            "group_by_window: Invalid `window_size_func`. `window_size_func` must return a single `tf.int64` scalar tensor, got "
            f"{errors.brief(size)}.",
            "return an integer.",
        )
    return int(size)


def _no_key(key: Any) -> Exception:
    return errors.build(
        errors.DTypeError,
        f"group_by_window: `key_func` must return a single `tf.int64` scalar tensor, got {key!r}.",
        "cast the key.",
    )


class GroupByReducer(Mapped):
    """The reductions of the elements with each key, in the order of keys, by three functions: init, reduce, finalize."""

    def __init__(self, source: Stage, key: Function, begin: Function, step: Function, finish: Function) -> None:
        self._begin, self._step, self._finish = begin, step, finish
        super().__init__(source, key)

    def elements(self) -> Iterator[Any]:
        states: dict[int, Any] = {}
        for value in self.inputs[0].elements():
            found = attempt(self._next, states, value)
            if type(found) is Failure:
                yield found
        for number in sorted(states):
            yield self._finish.attempt(states[number])

    def _next(self, states: dict[int, Any], value: Any) -> None:
        """Add an element to the state of its key."""
        key = raised(self.function.attempt(value))
        number = int(key)
        before = states[number] if number in states else self._begin(key)
        after = self._step(before, value)
        check_state("group_by_reducer", before, after)
        states[number] = after

    def _check_traced(self, spec: Any) -> None:
        key = self.function.traced_spec(spec)
        is_single = isinstance(key, TensorSpec) and key.shape.rank in (0, None) and key.dtype is dtypes.int64
        if key is not None and not is_single:
            what = f"group_by_reducer: `key_func` must return a single tf.int64 scalar tensor, got {key!r}."
            raise ValueError(errors.compose(what, "cast the key: tf.cast(key, tf.int64)."))
        before = self._begin.traced_spec(TensorSpec([], dtypes.int64))
        after = None if before is None else self._step.traced_spec(before, spec)
        if after is not None:
            check_state("group_by_reducer", before, after)

    def _traced_spec(self) -> Any:
        before, element = self._begin.spec(TensorSpec([], dtypes.int64)), self.inputs[0].spec()
        while True:  # what the state keeps of its shape, the next trace begins with
            kept = structure.merged(before, self._step.spec(before, element))
            if kept == before:
                return self._finish.spec(before)
            before = kept


class Buckets(Mapped):
    """Batches of elements of similar length."""

    def __init__(
        self,
        source: Stage,
        length: Function,
        boundaries: Sequence[int],
        sizes: Sequence[int],
        shapes: Any,
        values: Any,
        to_boundary: bool,
        plain: bool,
        drop: bool,
    ) -> None:
        super().__init__(source, length)
        if not plain:
            PaddedBatch(source, 1, shapes, values, False)  # refuses elements that cannot be padded
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                errors.compose(
                    f"bucket_by_sequence_length: expected {len(boundaries) + 1} bucket_batch_sizes, got {len(sizes)}.",
                    "give one more batch size than boundaries.",
                )
            )
        self._boundaries, self._sizes = (
            list(boundaries),
            [positive("bucket_by_sequence_length", "size", s) for s in sizes],
        )
        self._shapes, self._values, self._to_boundary, self._plain, self._drop = (
            shapes,
            values,
            to_boundary,
            plain,
            drop,
        )

    def cardinality(self) -> int:
        return self._without_end()

    def elements(self) -> Iterator[Any]:
        held: dict[int, list[Any]] = {}
        for value in self.inputs[0].elements():
            bucket = attempt(self._bucket, value)
            if type(bucket) is Failure:
                yield bucket
                continue
            group = held.setdefault(bucket, [])
            group.append(value)
            if len(group) == self._sizes[bucket]:
                yield attempt(self._batch, bucket, held.pop(bucket))
        if not self._drop:
            for bucket in sorted(held):
                yield attempt(self._batch, bucket, held[bucket])

    def _bucket(self, value: Any) -> int:
        return int(np.searchsorted(self._boundaries, int(raised(self.function.attempt(value))), side="right"))

    def _batch(self, bucket: int, group: list[Any]) -> Any:
        if self._plain:
            return structure.stack("bucket_by_sequence_length", group)
        if not self._to_boundary:
            return padded(group, self._shapes, self._values)
        if bucket == len(self._boundaries):
            raise errors.build(
                errors.InvalidArgumentError,
                "bucket_by_sequence_length: When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries), "
                f"which is {self._boundaries[-1]}.",
                "add a boundary, or leave pad_to_bucket_boundary out.",
            )
        size = self._boundaries[bucket] - 1
        shapes = structure.spec(group[0]) if self._shapes is None else self._shapes
        return padded(group, _bounded(shapes, size), self._values)

    def _traced_spec(self) -> Any:
        if self._plain:
            return structure.with_rows(self.inputs[0].spec(), None)
        return PaddedBatch(self.inputs[0], 1, self._shapes, self._values, False).spec()


def _bounded(shapes: Any, size: int) -> Any:
    """The shapes with unknown sizes, or all shapes of a spec, set to a boundary."""
    if isinstance(shapes, TensorSpec):
        return [size] * (shapes.shape.rank or 0)
    if isinstance(shapes, dict):
        return {key: _bounded(value, size) for key, value in shapes.items()}
    if isinstance(shapes, (tuple, list)) and any(isinstance(s, (tuple, list, dict, TensorSpec)) for s in shapes):
        return tuple(_bounded(s, size) for s in shapes)
    return [size if d is None or d == -1 else d for d in shapes]


class Unique(Stage):
    """The distinct elements, at their first occurrence."""

    def __init__(self, source: Stage) -> None:
        self.inputs = (source,)
        spec = known_spec(source)
        parts = [] if spec is None else nest.flatten(spec)
        if len(parts) > 1:
            raise errors.build(
                errors.InvalidArgumentError,
                f"unique: UniqueDataset only supports inputs with a single component, got {spec!r}.",
                "use map to select one part: dataset.map(lambda x, y: x).",
            )
        if parts and parts[0].dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                errors.compose(
                    f"unique: elements must be int32, int64 or string, got {parts[0].dtype.name}.", "cast them."
                )
            )

    def elements(self) -> Iterator[Any]:
        seen: set[Any] = set()
        for value in self.inputs[0].elements():
            if type(value) is Failure:
                yield value
                continue
            array = host(nest.flatten(value)[0]._array)
            key = tuple(array.ravel().tolist()) if array.dtype.kind == "O" else array.tobytes()
            if key not in seen:
                seen.add(key)
                yield value

    def cardinality(self) -> int:
        return UNKNOWN


class Resampled(Mapped):
    """Pairs of class and element, sampled so that the classes have the given distribution."""

    def __init__(self, source: Stage, classes: Function, target: Any, initial: Any, seed: Any) -> None:
        super().__init__(source, classes)
        self._target = np.asarray(target, np.float64)
        self._initial = None if initial is None else np.asarray(initial, np.float64)
        self._seeds = Seeds(seed)

    def cardinality(self) -> int:
        return self._without_end()

    def elements(self) -> Iterator[Any]:
        stream = self._seeds.stream()
        counts = np.zeros(len(self._target)) + 1e-9
        for value in self.inputs[0].elements():
            label = self.function.attempt(value)
            if type(label) is Failure:
                yield label
                continue
            problem = _no_label(label, len(self._target))
            if problem is not None:
                yield problem
                continue
            counts[int(label)] += 1
            found = counts / counts.sum() if self._initial is None else self._initial
            ratio = self._target / np.maximum(found, 1e-12)
            # The class that is rarest relative to its target is always kept; a class with target 0, never.
            most = ratio[counts >= 1 if self._initial is None else self._initial > 0].max()
            if stream.uniform(1)[0] * most < ratio[int(label)]:
                yield label, value

    def spec(self) -> Any:
        return TensorSpec([], dtypes.int32), self.inputs[0].spec()


def _no_label(label: Any, count: int) -> Failure | None:
    """The failure for a class number out of range."""
    is_integer = getattr(label, "ndim", None) == 0 and label.dtype.is_integer
    if is_integer and 0 <= int(label) < count:
        return None
    kind = errors.RangeError if is_integer else errors.DTypeError
    return Failure(
        errors.build(
            kind,
            f"rejection_resample: `class_func` must return an integer from 0 to {count - 1}, got {errors.brief(label)}.",
            "give target_dist a probability for each class.",
        )
    )
