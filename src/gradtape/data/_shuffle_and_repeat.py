"""Selecting and ordering elements: shuffle, repeat, take, skip, shard, concatenate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from gradtape.core import errors
from gradtape.data._failure import Failure
from gradtape.data._seeds import Seeds, Stream
from gradtape.data._stage import (
    INFINITE,
    PORTION,
    UNKNOWN,
    Chosen,
    Rows,
    Stage,
    check_alike,
    common_spec,
    integer,
    merged,
    positive,
)

_EMPTY_EPOCHS = 1000  # in a row; TensorFlow has no limit
_ALL = 1 << 62  # the size of a buffer that holds everything


class Shuffle(Chosen):
    """Elements in random order: each is drawn from a buffer, in which the next input element replaces it."""

    def __init__(self, source: Stage, size: Any, seed: Any, reshuffle: bool | None) -> None:
        super().__init__(source)
        given = integer("shuffle", "buffer_size", size)
        self._size = _ALL if given == UNKNOWN else positive("shuffle", "buffer_size", given)
        self._seeds = Seeds(seed, reshuffle is not False)

    def elements(self) -> Iterator[Any]:
        if self.table() is not None:
            return super().elements()
        return _shuffled(self.inputs[0].elements(), self._size, self._seeds.stream())

    def rows(self) -> Iterator[Rows]:
        stream, source = self._seeds.stream(), self.inputs[0]
        if 0 <= source.cardinality() <= self._size:
            rows = [np.asarray(portion, np.int64) for portion in source.rows()]
            whole = np.concatenate(rows) if rows else np.zeros(0, np.int64)
            yield whole[_order(stream, len(whole))]
            return
        numbers = chain.from_iterable(_integers(portion) for portion in source.rows())
        mixed = _shuffled(numbers, self._size, stream)
        while (portion := np.fromiter(islice(mixed, PORTION), np.int64)).size:
            yield portion


def _integers(portion: Rows) -> Any:
    return portion if isinstance(portion, range) else portion.tolist()


def _order(stream: Stream, length: int) -> Any:
    return np.argsort(stream.words(length), kind="stable")


def _shuffled(source: Iterator[Any], size: int, stream: Stream) -> Iterator[Any]:
    buffer: list[Any] = []
    while len(buffer) < size and (more := list(islice(source, size - len(buffer)))):
        yield from (e for e in more if type(e) is Failure)
        buffer += [e for e in more if type(e) is not Failure]
    draws: list[int] = []
    for new in source:
        if type(new) is Failure:
            yield new
            continue
        if not draws:
            draws = stream.below(size, PORTION)
        i = draws.pop()
        yield buffer[i]
        buffer[i] = new
    for i in _order(stream, len(buffer)):
        yield buffer[i]


class Repeat(Chosen):
    """The elements several times, or endlessly."""

    def __init__(self, source: Stage, times: Any) -> None:
        super().__init__(source)
        self._times = -1 if times is None else max(-1, integer("repeat", "count", times))

    def _epochs(self, what: Any) -> Iterator[Any]:
        if self._times >= 0:
            yield from chain.from_iterable(what() for _ in range(0 if self.cardinality() == 0 else self._times))
            return
        # As in TensorFlow, an empty input ends the repetition; after a shuffle, only if it is empty at first.
        left, patience = 1, _EMPTY_EPOCHS if isinstance(self.inputs[0], Shuffle) else 1
        while left:
            left -= 1
            for item in what():
                left = patience
                yield item

    def elements(self) -> Iterator[Any]:
        return super().elements() if self.table() is not None else self._epochs(self.inputs[0].elements)

    def rows(self) -> Iterator[Rows]:
        return self._epochs(lambda: (p for p in self.inputs[0].rows() if len(p)))

    def cardinality(self) -> int:
        once = self.inputs[0].cardinality()
        if once == 0 or self._times == 0:
            return 0
        return INFINITE if self._times < 0 else once * self._times if once > 0 else once


class Section(Chosen):
    """Every n-th element between two positions: `take`, `skip` and `shard`."""

    def __init__(self, source: Stage, start: int, stop: int | None, step: int = 1) -> None:
        super().__init__(source)
        self._start, self._stop, self._step = start, stop, step

    def elements(self) -> Iterator[Any]:
        if self.table() is not None:
            return super().elements()
        return self._chosen(self.inputs[0].elements())

    def _chosen(self, source: Iterator[Any]) -> Iterator[Any]:
        left = -1 if self._stop is None else len(range(self._start, self._stop, self._step))
        if not left:
            return
        skip, skipped = self._start, 0
        for value in source:
            if type(value) is Failure:
                skipped = skip if skipped == skip else 0  # as in TensorFlow, where an error begins the skipping again
                yield value
            elif skipped < skip:
                skipped += 1
            else:
                yield value
                skip, skipped = self._step - 1, 0
                left -= 1
                if not left:
                    return

    def rows(self) -> Iterator[Rows]:
        position = 0
        if self._stop is not None and self._start >= self._stop:
            return
        for portion in self.inputs[0].rows():
            first = max(self._start - position, -(position - self._start) % self._step)
            chosen = portion[first : None if self._stop is None else self._stop - position : self._step]
            position += len(portion)
            if len(chosen):
                yield chosen
            if self._stop is not None and position >= self._stop:
                return

    def cardinality(self) -> int:
        there = self.inputs[0].cardinality()
        if there == UNKNOWN:
            return UNKNOWN
        if there == INFINITE:
            return INFINITE if self._stop is None else len(range(self._start, self._stop, self._step))
        return len(range(there)[self._start : self._stop : self._step])


def take(source: Stage, number: Any) -> Stage:
    """The first elements; all for a negative number."""
    most = integer("take", "count", number)
    return Section(source, 0, None if most < 0 else most)


def skip(source: Stage, number: Any) -> Stage:
    """The elements after the first ones; none for a negative number."""
    least = integer("skip", "count", number)
    return Section(source, least, None) if least >= 0 else Section(source, 0, 0)


def shard(source: Stage, shards: Any, index: Any) -> Stage:
    """Every n-th element."""
    number, first = positive("shard", "num_shards", shards), positive("shard", "index", index, 0)
    if first >= number:
        raise errors.build(
            errors.InvalidArgumentError,
            f"shard: index is {first}, but there are {number} shards.",
            f"use an index from 0 to {number - 1}.",
        )
    return Section(source, first, None, number)


class Concatenate(Stage):
    """The elements of one stage, then of the next."""

    def __init__(self, first: Stage, last: Stage) -> None:
        # A chain of many is one stage, so its elements do not pass through as many iterators.
        chain = first if isinstance(first, Concatenate) and first.options is None else None
        self.inputs = (first, last) if chain is None else (*chain.inputs, last)
        self._spec: Any = None
        check_alike("concatenate", [first, last])
        self._before = None if chain is None else chain._spec  # the spec of all but the last, where it is known

    def elements(self) -> Iterator[Any]:
        return chain.from_iterable(source.elements() for source in self.inputs)

    def cardinality(self) -> int:
        sizes = [s.cardinality() for s in self.inputs]
        return INFINITE if INFINITE in sizes else UNKNOWN if UNKNOWN in sizes else sum(sizes)

    def spec(self) -> Any:
        if self._spec is None:
            known = self._before is not None
            self._spec = (
                merged("concatenate", self._before, self.inputs[-1].spec())
                if known
                else common_spec("concatenate", self.inputs)
            )
        return self._spec
