"""Elements by key: group_by_window, bucket_by_sequence_length, unique, rejection_resample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import host, wrap
from gradtape.data import _structure as structure
from gradtape.data._batch import Held, padded
from gradtape.data._user_functions import Function
from gradtape.data._map import Mapped, first_spec, inner
from gradtape.data._seeds import Seeds
from gradtape.data._stage import UNKNOWN, Stage, positive


class GroupByWindow(Mapped):
    """What a function makes of each dataset of elements with one key, as soon as there are enough of them."""

    def __init__(
        self,
        source: Stage,
        key: Function,
        reduce: Function,
        size: Callable[[Any], int],
        dataset: Callable[[Stage], Any],
    ) -> None:
        super().__init__(source, key)
        self._reduce, self._size, self._dataset = reduce, size, dataset

    def elements(self) -> Iterator[Any]:
        held: dict[int, list[Any]] = {}
        for value in self.inputs[0].elements():
            key = self.function(value)
            group = held.setdefault(int(key), [])
            group.append(value)
            if len(group) >= self._size(key):
                yield from self._reduced(int(key), held.pop(int(key)))
        for number in sorted(held):
            yield from self._reduced(number, held[number])

    def _reduced(self, key: int, group: list[Any]) -> Iterator[Any]:
        result = self._reduce(wrap(np.int64(key)), self._dataset(Held(group)))
        return inner(self._reduce, result).elements()

    def spec(self) -> Any:
        return first_spec(self)


class GroupByReducer(Mapped):
    """For each key, in their order, what three functions make of the elements with it: begin, go on, finish."""

    def __init__(self, source: Stage, key: Function, begin: Function, step: Function, finish: Function) -> None:
        super().__init__(source, key)
        self._begin, self._step, self._finish = begin, step, finish

    def elements(self) -> Iterator[Any]:
        states: dict[int, Any] = {}
        for value in self.inputs[0].elements():
            key = self.function(value)
            number = int(key)
            before = states[number] if number in states else self._begin(key)
            states[number] = self._step(before, value)
        for number in sorted(states):
            yield self._finish(states[number])

    def spec(self) -> Any:
        return first_spec(self)


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
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                errors.compose(
                    f"bucket_by_sequence_length: there are {len(boundaries)} bucket_boundaries and {len(sizes)} "
                    "bucket_batch_sizes.",
                    "give one batch size more than boundaries.",
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

    def elements(self) -> Iterator[Any]:
        held: dict[int, list[Any]] = {}
        for value in self.inputs[0].elements():
            bucket = int(np.searchsorted(self._boundaries, int(self.function(value)), side="right"))
            group = held.setdefault(bucket, [])
            group.append(value)
            if len(group) == self._sizes[bucket]:
                yield self._batch(bucket, held.pop(bucket))
        if not self._drop:
            for bucket in sorted(held):
                yield self._batch(bucket, held[bucket])

    def _batch(self, bucket: int, group: list[Any]) -> Any:
        if self._plain:
            return structure.stack("bucket_by_sequence_length", group)
        if not self._to_boundary:
            return padded(group, self._shapes, self._values)
        if bucket == len(self._boundaries):
            raise errors.build(
                errors.InvalidArgumentError,
                "bucket_by_sequence_length: an element is longer than the last boundary, so it cannot be padded to one.",
                "add a boundary, or leave pad_to_bucket_boundary away.",
            )
        size = self._boundaries[bucket] - 1
        shapes = structure.spec(group[0]) if self._shapes is None else self._shapes
        return padded(group, _bounded(shapes, size), self._values)

    def spec(self) -> Any:
        return first_spec(self)


def _bounded(shapes: Any, size: int) -> Any:
    """Shapes with unknown sizes, or all of a spec, at a boundary."""
    if isinstance(shapes, TensorSpec):
        return [size] * (shapes.shape.rank or 0)
    if isinstance(shapes, dict):
        return {key: _bounded(value, size) for key, value in shapes.items()}
    if isinstance(shapes, (tuple, list)) and any(isinstance(s, (tuple, list, dict, TensorSpec)) for s in shapes):
        return tuple(_bounded(s, size) for s in shapes)
    return [size if d is None or d == -1 else d for d in shapes]


class Unique(Stage):
    """Elements that did not come before."""

    def __init__(self, source: Stage) -> None:
        self.inputs = (source,)

    def elements(self) -> Iterator[Any]:
        seen: set[Any] = set()
        for value in self.inputs[0].elements():
            array = host(value._array)
            key = tuple(array.ravel().tolist()) if array.dtype.kind == "O" else array.tobytes()
            if key not in seen:
                seen.add(key)
                yield value

    def cardinality(self) -> int:
        return UNKNOWN


class Resampled(Mapped):
    """Pairs of class and element, of which some are left out so that the classes are distributed as wanted."""

    def __init__(self, source: Stage, classes: Function, target: Any, initial: Any, seed: Any) -> None:
        super().__init__(source, classes)
        self._target = np.asarray(target, np.float64)
        self._initial = None if initial is None else np.asarray(initial, np.float64)
        self._seeds = Seeds(seed)

    def elements(self) -> Iterator[Any]:
        stream = self._seeds.stream()
        counts = np.zeros(len(self._target)) + 1e-9
        for value in self.inputs[0].elements():
            label = self.function(value)
            counts[int(label)] += 1
            found = counts / counts.sum() if self._initial is None else self._initial
            ratio = self._target / np.maximum(found, 1e-12)
            # The class that is rarest, compared with what is wanted, is always kept; one that is not wanted, never.
            most = ratio[counts >= 1 if self._initial is None else self._initial > 0].max()
            if stream.uniform(1)[0] * most < ratio[int(label)]:
                yield label, value

    def spec(self) -> Any:
        return TensorSpec([], dtypes.int32), self.inputs[0].spec()
