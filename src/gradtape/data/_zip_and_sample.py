"""Several inputs: zip, enumerate, choosing and sampling among datasets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat, zip_longest
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.shape import TensorSpec
from gradtape.core.tensor import host, wrap
from gradtape.data import _structure as structure
from gradtape.data._failure import Failure, attempt, first_in
from gradtape.data._seeds import Seeds
from gradtape.data._shuffle_and_repeat import Repeat
from gradtape.data._sources import Range, Slices
from gradtape.data._stage import INFINITE, UNKNOWN, Rows, Stage, Table, check_alike, common_spec, known_spec

_END = Failure(StopIteration())


class Zip(Stage):
    """One element of each input, in a structure. It ends with the shortest.

    Args:
      pattern: the structure, with any leaves.
    """

    def __init__(self, pattern: Any, stages: list[Stage]) -> None:
        self._pattern = nest.map_structure(lambda _: 0, pattern)
        self.inputs = tuple(stages)

    def elements(self) -> Iterator[Any]:
        if self.table() is not None:
            return super().elements()
        return self._zipped([s.elements() for s in self.inputs])

    def _zipped(self, sources: list[Iterator[Any]]) -> Iterator[Any]:
        pack = structure.packer(self._pattern)
        # As in TensorFlow, when one input ends, the others are still advanced.
        for parts in zip_longest(*sources, fillvalue=_END):
            if Failure not in map(type, parts):
                yield pack(parts)
            elif any(part is _END for part in parts):
                return
            else:
                yield first_in(parts)

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
    """A structure with the structures held as leaves put back in place."""
    if isinstance(value, _Held):
        return value.structure
    if isinstance(value, tuple):
        items = [_released(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if nest.has_parts(value):
        return nest.with_parts(value, [_released(item) for item in nest.parts(value)])
    return {key: _released(item) for key, item in value.items()}


class Enumerate(Stage):
    """Pairs of a number and an element."""

    def __init__(self, source: Stage, start: int) -> None:
        self.inputs = (source,)
        self._start = start

    def elements(self) -> Iterator[Any]:
        number = self._start
        for value in self.inputs[0].elements():
            yield value if type(value) is Failure else (wrap(np.int64(number)), value)
            number += 1

    def spec(self) -> Any:
        return TensorSpec([], dtypes.int64), self.inputs[0].spec()


class Choose(Stage):
    """Elements of several stages, in the order given by a stage of indices."""

    def __init__(self, sources: list[Stage], choice: Stage, stop_on_empty: bool) -> None:
        if not sources:
            raise ValueError(
                errors.compose(
                    "choose_from_datasets: Invalid `datasets`. `datasets` should not be empty.", "give at least one."
                )
            )
        check_alike("choose_from_datasets", sources)
        wanted, given = TensorSpec([], dtypes.int64), known_spec(choice)
        if given is not None and given != wanted:
            raise TypeError(
                errors.compose(
                    f"choose_from_datasets: Elements of `choice_dataset` must be scalar `tf.int64` tensors, got {given!r}.",
                    "cast them with map.",
                )
            )
        self.inputs = (*sources, choice)
        self._stop = stop_on_empty

    def elements(self) -> Iterator[Any]:
        *iterators, choice = [s.elements() for s in self.inputs]
        is_open = [True] * len(iterators)
        for index in choice:
            if type(index) is Failure:
                yield index
                continue
            i = int(index)
            if not 0 <= i < len(iterators):
                yield Failure(
                    errors.build(
                        errors.RangeError,
                        f"choose_from_datasets: Selector index out of range: {i} is not from 0 to {len(iterators) - 1}.",
                        "choose one of the given datasets.",
                    )
                )
                continue
            if not is_open[i]:
                continue
            try:
                yield next(iterators[i])
            except StopIteration:
                is_open[i] = False
                if self._stop or not any(is_open):
                    return

    def cardinality(self) -> int:
        # As in TensorFlow, also where the elements end with those of another dataset.
        return INFINITE if any(s.cardinality() == INFINITE for s in self.inputs[:-1]) else UNKNOWN

    def spec(self) -> Any:
        return common_spec("choose_from_datasets", self.inputs[:-1])


def sample(sources: list[Stage], weights: Any, seed: Any, stop: bool, rerandomize: bool) -> Stage:
    """The stage that samples from others. Those with weight 0 are omitted, and a single one needs no sampling."""
    if sources and not isinstance(weights, Stage):
        chances = np.ones(len(sources)) if weights is None else _weights(weights, len(sources))
        check_alike("sample_from_datasets", sources)
        chosen = [(source, w) for source, w in zip(sources, chances.tolist(), strict=True) if w > 0]
        if len(chosen) < 2:
            return chosen[0][0] if chosen else Repeat(sources[0], 0)
        sources, weights = [source for source, _ in chosen], np.array([w for _, w in chosen])
    return Sample(sources, weights, seed, stop, rerandomize)


class Sample(Stage):
    """Elements of several stages, each from a random one.

    Args:
      weights: one for each stage, or a stage whose elements are the weights of each choice.
    """

    def __init__(self, sources: list[Stage], weights: Any, seed: Any, stop: bool, rerandomize: bool) -> None:
        if not sources:
            raise ValueError(
                errors.compose(
                    "sample_from_datasets: Invalid `datasets`. `datasets` should not be empty.", "give at least one."
                )
            )
        check_alike("sample_from_datasets", sources)
        self._count = len(sources)
        self._weights: Any = None
        self.inputs = tuple(sources)
        if isinstance(weights, Stage):
            self.inputs = (*sources, weights)
        else:
            self._weights = np.ones(len(sources)) if weights is None else _weights(weights, len(sources))
        self._stop, self._seeds = stop, Seeds(seed, rerandomize)

    def elements(self) -> Iterator[Any]:
        iterators = [s.elements() for s in self.inputs[: self._count]]
        stream, open_ = self._seeds.stream(), np.ones(self._count)
        for weights in self._draws():
            if type(weights) is Failure:
                yield weights
                continue
            chances = weights * open_
            if not chances.sum() > 0:
                if self._weights is None and open_.any():
                    continue  # the next weights may choose one that is left
                return
            steps = np.cumsum(chances / chances.sum())
            i = min(int(np.searchsorted(steps, stream.uniform(1)[0], side="right")), self._count - 1)
            try:
                yield next(iterators[i])
            except StopIteration:
                open_[i] = 0.0
                if self._stop:
                    return

    def _draws(self) -> Iterator[Any]:
        """The weights of each choice."""
        if self._weights is not None:
            return repeat(self._weights)
        given = self.inputs[-1].elements()
        return (w if type(w) is Failure else attempt(_weights, w, self._count) for w in given)

    def cardinality(self) -> int:
        return INFINITE if any(s.cardinality() == INFINITE for s in self.inputs[: self._count]) else UNKNOWN

    def spec(self) -> Any:
        return common_spec("sample_from_datasets", self.inputs[: self._count])


def _weights(given: Any, count: int) -> Any:
    """The checked weights of datasets."""
    tensor = convert.convert_to_tensor(given)
    if not tensor.dtype.is_floating:
        raise TypeError(
            errors.compose(
                f"sample_from_datasets: Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64`, got "
                f"{tensor.dtype.name}."
            )
        )
    found = np.asarray(host(tensor._array), np.float64)
    if found.shape != (count,):
        raise errors.build(
            errors.ShapeError,
            f"sample_from_datasets: weights and datasets should have the same length, got {list(found.shape)} and {count}.",
            "give one weight for each.",
        )
    if (found < 0).any():
        raise ValueError(errors.compose(f"sample_from_datasets: weights must not be negative, got {found.tolist()}."))
    return found
