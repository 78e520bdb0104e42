"""Several inputs: zip, enumerate, choosing and sampling among datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, nest
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import wrap
from gradtape.data import _structure as structure
from gradtape.data._seeds import Seeds
from gradtape.data._sources import Range, Slices
from gradtape.data._stage import INFINITE, UNKNOWN, Rows, Stage, Table


class Zip(Stage):
    """One element of each input, in a structure. It ends with the shortest.

    Args:
      pattern: the structure, with stages as leaves.
    """

    def __init__(self, pattern: Any, stages: list[Stage]) -> None:
        self._pattern = pattern
        self.inputs = tuple(stages)

    def elements(self) -> Iterator[Any]:
        if self.table() is not None:
            return super().elements()
        pack = structure.packer(self._pattern)
        return (pack(parts) for parts in zip(*[s.elements() for s in self.inputs], strict=False))

    def table(self) -> Table | None:
        # Of these the rows come in order, from the first.
        tables = [s.table() for s in self.inputs if isinstance(s, (Slices, Range))]
        known = [t for t in tables if t is not None]
        if len(known) < len(self.inputs):
            return None
        pattern = nest.pack_sequence_as(self._pattern, [_Held(t.pattern) for t in known])
        return Table(_released(pattern), [c for t in known for c in t.columns])

    def rows(self) -> Iterator[Rows]:
        yield range(self.cardinality())

    def cardinality(self) -> int:
        sizes = [s.cardinality() for s in self.inputs]
        finite = [size for size in sizes if size >= 0]
        if 0 in finite:
            return 0
        return UNKNOWN if UNKNOWN in sizes else min(finite) if finite else INFINITE

    def spec(self) -> Any:
        held = nest.pack_sequence_as(self._pattern, [_Held(s.spec()) for s in self.inputs])
        return _released(held)


class _Held:
    """A structure as a leaf of another one."""

    def __init__(self, structure: Any) -> None:
        self.structure = structure


def _released(value: Any) -> Any:
    """A structure with those that it holds as leaves in their places."""
    if isinstance(value, _Held):
        return value.structure
    if isinstance(value, tuple):
        items = [_released(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return {key: _released(item) for key, item in value.items()}


class Enumerate(Stage):
    """Pairs of a number and an element."""

    def __init__(self, source: Stage, start: int) -> None:
        self.inputs = (source,)
        self._start = start

    def elements(self) -> Iterator[Any]:
        for i, value in enumerate(self.inputs[0].elements(), self._start):
            yield wrap(np.int64(i)), value

    def spec(self) -> Any:
        return TensorSpec([], dtypes.int64), self.inputs[0].spec()


class Choose(Stage):
    """Elements of several stages, in the order that a stage of indices says."""

    def __init__(self, sources: list[Stage], choice: Stage, stop_on_empty: bool) -> None:
        if not sources:
            raise ValueError(errors.compose("choose_from_datasets: there are no datasets.", "give at least one."))
        self.inputs = (*sources, choice)
        self._stop = stop_on_empty

    def elements(self) -> Iterator[Any]:
        *iterators, choice = [s.elements() for s in self.inputs]
        is_open = [True] * len(iterators)
        for index in choice:
            i = int(index)
            if not 0 <= i < len(iterators):
                raise errors.build(
                    errors.RangeError,
                    f"choose_from_datasets: the choice {i} is not from 0 to {len(iterators) - 1}.",
                    "choose among the datasets that are there.",
                )
            if not is_open[i]:
                continue
            try:
                yield next(iterators[i])
            except StopIteration:
                is_open[i] = False
                if self._stop or not any(is_open):
                    return

    def cardinality(self) -> int:
        return UNKNOWN

    def spec(self) -> Any:
        return _common(self.inputs[:-1])


class Sample(Stage):
    """Elements of several stages, each time of one at random."""

    def __init__(self, sources: list[Stage], weights: Any, seed: Any, stop: bool, rerandomize: bool) -> None:
        if not sources:
            raise ValueError(errors.compose("sample_from_datasets: there are no datasets.", "give at least one."))
        self.inputs = tuple(sources)
        self._weights = np.ones(len(sources)) if weights is None else np.asarray(weights, np.float64)
        if self._weights.shape != (len(sources),) or (self._weights < 0).any() or not self._weights.sum() > 0:
            raise ValueError(
                errors.compose(
                    f"sample_from_datasets: weights is {weights!r} for {len(sources)} datasets.",
                    "give one weight for each, none negative and not all zero.",
                )
            )
        self._stop, self._seeds = stop, Seeds(seed, rerandomize)

    def elements(self) -> Iterator[Any]:
        iterators = [s.elements() for s in self.inputs]
        weights, stream = self._weights.copy(), self._seeds.stream()
        while weights.sum() > 0:
            steps = np.cumsum(weights / weights.sum())
            i = min(int(np.searchsorted(steps, stream.uniform(1)[0], side="right")), len(weights) - 1)
            try:
                yield next(iterators[i])
            except StopIteration:
                weights[i] = 0.0
                if self._stop:
                    return

    def cardinality(self) -> int:
        sizes = [s.cardinality() for s in self.inputs]
        if self._stop:
            return INFINITE if all(size == INFINITE for size in sizes) else UNKNOWN
        return INFINITE if INFINITE in sizes else UNKNOWN if UNKNOWN in sizes else sum(sizes)

    def spec(self) -> Any:
        return _common(self.inputs)


def _common(stages: tuple[Stage, ...]) -> Any:
    found = stages[0].spec()
    for other in stages[1:]:
        found = structure.merged(found, other.spec())
    return found
