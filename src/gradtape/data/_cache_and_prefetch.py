"""Caching elements in memory or files, and prefetching."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from gradtape.data import _threads as threads
from gradtape.data._element_files import read_elements, write_elements
from gradtape.data._failure import Failure, guarded
from gradtape.data._stage import UNKNOWN, Chosen, Rows, Stage, positive

# The number of elements that AUTOTUNE produces in advance.
_AHEAD = 4


class Cache(Chosen):
    """Elements that are kept in memory after the first complete iteration."""

    def __init__(self, source: Stage) -> None:
        super().__init__(source)
        self._kept: list[Any] | None = None

    def forget(self) -> None:
        """Drop the cached elements."""
        self._kept = None

    def _through(self, items: Any, count: int = UNKNOWN) -> Iterator[Any]:
        if self._kept is not None:
            yield from self._kept
            return
        kept = []
        for item in items():
            if type(item) is not Failure:
                kept.append(item)
            if len(kept) == count:
                self._kept = kept  # the consumer may stop before the end
            yield item
        self._kept = kept

    def elements(self) -> Iterator[Any]:
        if self.table() is not None:
            return super().elements()
        return self._through(self.inputs[0].elements, self.cardinality())

    def rows(self) -> Iterator[Rows]:
        if self._kept is not None:
            yield from self._kept
            return
        kept, missing = [], self.cardinality()
        for portion in self.inputs[0].rows():
            kept.append(portion)
            missing -= len(portion)
            if missing == 0 and len(portion):
                # Nobody may ask for the end: all have been there when somebody asks for the last one.
                yield portion[:-1]
                self._kept = kept
                yield portion[-1:]
            else:
                yield portion
        self._kept = kept


class FileCache(Chosen):
    """Elements that are kept in a file after the first complete iteration."""

    def __init__(self, source: Stage, path: str) -> None:
        super().__init__(source)
        self._path = path

    def table(self) -> None:
        return None

    def elements(self) -> Iterator[Any]:
        if os.path.exists(self._path):
            yield from guarded(read_elements(self._path, self.inputs[0].spec))
            return
        yield from guarded(write_elements(self._path, self.inputs[0].elements(), count=self.cardinality()))


class Prefetch(Chosen):
    """Elements that a thread produces in advance."""

    def __init__(self, source: Stage, size: Any) -> None:
        super().__init__(source)
        self._size = positive("prefetch", "buffer_size", size, -1)

    def elements(self) -> Iterator[Any]:
        size = _AHEAD if self._size < 0 else self._size
        source = self.inputs[0].elements()
        return threads.background(source, size, not self.runs_functions()) if size else source

    def rows(self) -> Iterator[Rows]:
        # A consumer of rows gathers them itself: there is nothing to produce in advance.
        return self.inputs[0].rows()
