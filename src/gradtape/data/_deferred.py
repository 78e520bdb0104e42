"""Datasets created in a `tf.function` from tensors whose values are known only when it runs."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gradtape.core import errors, nest, state
from gradtape.core.deferral import Unknown
from gradtape.core.tensor import Tensor
from gradtape.data._boxes import received
from gradtape.data._stage import UNKNOWN, Rows, Stage, Table


class Awaited(Stage):
    """A source that is created again each time the function reaches it.

    Args:
      value: a structure in which some tensors have no value yet.
      make: the stage of a structure of tensors.
      spec: the structure of specs of the elements.
      count: how many there are, if that is known.
    """

    def __init__(self, value: Any, make: Callable[[Any], Stage], spec: Any, count: int = UNKNOWN) -> None:
        self._value, self._make, self._spec, self._count = value, make, spec, count
        self.tensors: list[Any] = nest.flatten(value)
        self._own = threading.local()  # functions may run on several threads
        self._latest: Stage | None = None  # for threads of a pipeline started by such a run

    def fill(self, arrays: list[Any]) -> None:
        """Take the values of the tensors, on this thread."""
        self._own.stage = self._latest = self.made(arrays)

    def made(self, arrays: list[Any]) -> Stage:
        """The stage for these values of the tensors."""
        stage = self._make(nest.pack_sequence_as(self._value, [received(a) for a in arrays]))
        if self.options is not None:
            stage = copy.copy(stage)
            stage.options = self.options if stage.options is None else stage.options.merge(self.options)
        return stage

    def _filled(self) -> Stage:
        found: Stage | None = getattr(self._own, "stage", self._latest)
        if found is None:
            raise Unknown(
                errors.compose(
                    "a dataset of tensors that have no value yet can only be iterated.",
                    "write `for x in dataset` in the function, or make the dataset outside.",
                )
            )
        return found

    def elements(self) -> Iterator[Any]:
        return self._filled().elements()

    def table(self) -> Table | None:
        return self._filled().table()

    def rows(self) -> Iterator[Rows]:
        return self._filled().rows()

    def cardinality(self) -> int:
        return self._filled().cardinality() if _counting.is_on else self._count

    def spec(self) -> Any:
        return self._spec


class _Counting(threading.local):
    """True if cardinalities are those of the current stages of the sources."""

    is_on = False


_counting = _Counting()


@contextmanager
def counting() -> Iterator[None]:
    """Run a block with the sizes that the sources have in this run of the function."""
    before, _counting.is_on = _counting.is_on, True
    try:
        yield
    finally:
        _counting.is_on = before


def is_awaited(value: Any) -> bool:
    """True if a structure holds a tensor that has no value yet."""
    if state.current.trace is None:
        return False
    return any(isinstance(leaf, Tensor) and type(leaf) is not Tensor for leaf in nest.flatten(value))


def sources(stage: Stage) -> list[Any]:
    """The parts of a stage and its inputs that wait for tensors of the surrounding function: sources, and functions
    that close over such tensors."""
    own: list[Any] = [stage] if isinstance(stage, Awaited) else []
    for part in vars(stage).values():
        if hasattr(part, "find_tensors"):
            part.find_tensors(stage.trace_functions)
            own += [part] if part.tensors else []
    return [*own, *[found for source in stage.inputs for found in sources(source)]]
