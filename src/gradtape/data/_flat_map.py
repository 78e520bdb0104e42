"""Functions that return datasets: flat_map and interleave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradtape.core import errors
from gradtape.data import _threads as threads
from gradtape.data._composites import holds_rows
from gradtape.data._failure import Failure, attempt, raised
from gradtape.data._map import Mapped
from gradtape.data._specs import DatasetSpec
from gradtape.data._stage import INFINITE, UNKNOWN, Stage, integer, positive
from gradtape.data._user_functions import Function

_END = object()


class Flattened(Mapped):
    """A stage whose elements come from the datasets that a function returns."""

    def _check_traced(self, spec: Any) -> None:
        check_dataset(self.function, self.function.traced_spec(spec))

    def _traced_spec(self) -> Any:
        return inner_spec(self.function.spec(self.inputs[0].spec()))

    def keeps_rows(self) -> bool:
        return holds_rows(self.spec())

    def cardinality(self) -> int:
        return 0 if self.inputs[0].cardinality() == 0 else UNKNOWN


def inner_spec(spec: Any) -> Any:
    """The spec of the elements of the datasets that a function returns."""
    if not isinstance(spec, DatasetSpec):
        raise TypeError("no dataset")
    return spec.element_spec


class FlatMap(Flattened):
    """The elements of the datasets that a function returns, one dataset after another."""

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            found = attempt(opened, self.function, value)
            if type(found) is Failure:
                yield found
            else:
                yield from found


def opened(function: Function, *values: Any) -> Iterator[Any]:
    """The elements of the dataset that a function returns for an element."""
    return inner(function, raised(function.attempt(*values))).elements()


_ARGUMENTS = {"group_by_window": "reduce_func"}  # parameters that take a function which returns a dataset


def inner(function: Function, result: Any) -> Stage:
    """The stage of the dataset that a function returned."""
    if not hasattr(result, "_stage"):
        raise _no_dataset(function, result)
    found: Stage = result._stage
    return found


def check_dataset(function: Function, spec: Any) -> None:
    """Refuse a function whose results have a spec that is not one of a dataset; None is not known."""
    if spec is not None and not isinstance(spec, DatasetSpec):
        raise _no_dataset(function, spec)


def _no_dataset(function: Function, result: Any) -> TypeError:
    argument = _ARGUMENTS.get(function.name, "map_func")
    return TypeError(
        errors.compose(
            f"{function.name}: `{argument}` must return a `tf.data.Dataset` object, got {result!r}.",
            "return a dataset, or use map.",
        )
    )


class Interleave(Flattened):
    """The elements of the datasets that a function returns, from several datasets in turn."""

    def __init__(
        self,
        source: Stage,
        function: Function,
        cycle: Any,
        block: Any,
        calls: Any,
        deterministic: bool | None = None,
    ) -> None:
        super().__init__(source, function)
        self.deterministic = True if calls is None else deterministic
        given = threads.AUTOTUNE if cycle is None else integer("interleave", "cycle_length", cycle)
        if given != threads.AUTOTUNE:
            positive("interleave", "cycle_length", given)
        self._calls = None if calls is None else threads.workers(threads.calls("interleave", calls))
        self._cycle = threads.workers(calls) if given < 1 else given
        self._block = 1 if block is None else positive("interleave", "block_length", block)
        if calls is not None and integer("interleave", "num_parallel_calls", calls) > self._cycle:
            raise errors.build(
                errors.InvalidArgumentError,
                f"interleave: num_parallel_calls must be less than or equal to cycle_length, got {calls} and {self._cycle}.",
                "read more datasets in turn, or use fewer threads.",
            )

    def elements(self) -> Iterator[Any]:
        if self.deterministic is False:
            return threads.merged(self._opened(), self._cycle, 2 * self._block)
        return self._in_turn()

    def _opened(self) -> Iterator[Iterator[Any]]:
        """The elements of each dataset, or a failure if there is no dataset."""
        for value in self.inputs[0].elements():
            found = attempt(opened, self.function, value)
            yield iter([found]) if type(found) is Failure else found

    def _in_turn(self) -> Iterator[Any]:
        source = self._datasets()
        places: list[Iterator[Any] | None] = [None] * self._cycle
        is_over = False
        while True:
            for i in range(self._cycle):
                while places[i] is None and not is_over:
                    found = next(source, None)
                    is_over = found is None
                    if type(found) is Failure and self._calls is not None:
                        places[i] = iter([found])  # in place of the dataset's elements
                    elif type(found) is Failure:
                        yield found
                    else:
                        places[i] = found
                if (place := places[i]) is None:
                    continue
                left = self._block
                while left:
                    item = next(place, _END)
                    if item is _END:
                        # The rest of the turn is lost; the next dataset in this position waits for its own.
                        places[i] = None
                        break
                    yield item
                    # As in TensorFlow, a failure is part of the turn only where datasets are read ahead.
                    left -= type(item) is not Failure or self._calls is not None
            if is_over and all(place is None for place in places):
                return

    def _datasets(self) -> Iterator[Any]:
        """The elements of each dataset, as iterators, perhaps with threads that read ahead."""
        for value in self.inputs[0].elements():
            elements = attempt(opened, self.function, value)
            if type(elements) is Failure or self._calls is None:
                yield elements
            else:
                yield threads.background(elements, 2 * self._block)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if self._calls is not None and count == INFINITE:
            return INFINITE
        return 0 if count == 0 else UNKNOWN
