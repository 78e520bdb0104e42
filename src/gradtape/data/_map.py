"""Functions of elements: map, filter, flat_map, interleave, scan, take_while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradtape.core import errors, log, nest
from gradtape.data import _structure as structure, _threads as threads
from gradtape.data._user_functions import Function
from gradtape.data._stage import INFINITE, UNKNOWN, Chosen, Stage, lists, positive
from gradtape.data._vectorized_map import Vectorized


class Mapped(Stage):
    """A stage with a function of the user."""

    def __init__(self, source: Stage, function: Function) -> None:
        self.inputs = (source,)
        self.function = function

    def cardinality(self) -> int:
        return UNKNOWN

    def spec(self) -> Any:
        try:
            return self._traced_spec()
        except Exception:
            # The function reads values, or makes datasets: only a run tells what it gives.
            return first_spec(self)

    def _traced_spec(self) -> Any:
        return self.function.spec(self.inputs[0].spec())

    def keeps_rows(self) -> bool:
        return False

    def runs_functions(self) -> bool:
        return True


def first_spec(stage: Stage) -> Any:
    """The spec of the first element; an error if there is none."""
    for value in stage.elements():
        return structure.spec(value)
    raise errors.build(
        errors.FailedPreconditionError,
        "element_spec: there is no element, and the function cannot be traced.",
        "let the function use tensors only.",
    )


class Map(Mapped):
    """The results of a function, perhaps on several threads."""

    def __init__(self, source: Stage, function: Function, calls: Any = None, deterministic: bool | None = None) -> None:
        super().__init__(source, function)
        given = 1 if calls is None else positive(function.name, "num_parallel_calls", calls, -1)
        self._calls, self._in_order = threads.workers(given), deterministic is not False
        self._pace = threads.Pace() if given == threads.AUTOTUNE else None
        self._vectorized: Vectorized | None = None

    def elements(self) -> Iterator[Any]:
        return self.results(self.function)

    def results(self, function: Callable[[Any], Any]) -> Iterator[Any]:
        """The results of a function in place of the own one."""
        return self._mapped(function, self.inputs[0].elements())

    def _mapped(self, function: Callable[[Any], Any], source: Iterator[Any]) -> Iterator[Any]:
        if self._calls <= 1:
            return map(function, source)
        if self._pace is not None:
            return self._pace.results(function, source, self._calls, self._in_order)
        return threads.parallel(function, source, self._calls, self._in_order)

    def groups(self, size: int, drop: bool) -> Iterator[Any]:
        """Stacked elements. A function that only computes is run on many at a time, and so are those of maps before it."""
        if not self.function.is_pure():
            return super().groups(size, drop)
        functions, source = [self.function], self.inputs[0]
        while isinstance(source, Map) and source.function.is_pure():
            functions, source = [source.function, *functions], source.inputs[0]
        if self._vectorized is None:
            self._vectorized = Vectorized(functions, self._mapped)
        given = source.groups(size, drop) if source.table() is not None else lists(source.elements(), size, drop)
        return self._vectorized.batches(given, size)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def runs_functions(self) -> bool:
        return not self.function.is_pure() or self.inputs[0].runs_functions()


class Tolerant(Stage):
    """The results of a map, without those elements for which its function raises."""

    _FAILED = object()

    def __init__(self, source: Stage, warns: bool) -> None:
        if not isinstance(source, Map):
            raise errors.build(
                errors.UnimplementedError,
                "ignore_errors: only errors of a map can be passed over.",
                "call ignore_errors directly after the map.",
            )
        self.inputs = (source,)
        self._warns = warns

    def elements(self) -> Iterator[Any]:
        found = self.inputs[0].results(self._tried)  # type: ignore[attr-defined]
        return (value for value in found if value is not self._FAILED)

    def _tried(self, value: Any) -> Any:
        try:
            return self.inputs[0].function(value)  # type: ignore[attr-defined]
        except Exception as problem:
            if self._warns:
                log.warning("ignore_errors: %s: %s", type(problem).__name__, problem)
            return self._FAILED

    def cardinality(self) -> int:
        return INFINITE if self.inputs[0].cardinality() == INFINITE else UNKNOWN


class Filter(Mapped):
    """The elements for which a function gives True."""

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            if _truth(self.function, value):
                yield value

    def spec(self) -> Any:
        return self.inputs[0].spec()

    def keeps_rows(self) -> bool:
        return self.inputs[0].keeps_rows()


class TakeWhile(Mapped):
    """The elements before the first for which a function gives False."""

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            if not _truth(self.function, value):
                return
            yield value

    def spec(self) -> Any:
        return self.inputs[0].spec()

    def keeps_rows(self) -> bool:
        return self.inputs[0].keeps_rows()


def _truth(function: Function, value: Any) -> bool:
    result = function(value)
    if getattr(result, "ndim", None) != 0 or not result.dtype.is_bool:
        raise ValueError(
            errors.compose(
                f"{function.name}: the function must give a bool scalar, it gave {result!r}.",
                "compare, or tf.reduce_all.",
            )
        )
    return bool(result)


class Scan(Mapped):
    """The results of a function that also gets and gives a state."""

    def __init__(self, source: Stage, initial: Any, function: Function) -> None:
        super().__init__(source, function)
        self._initial = structure.tensors(initial)

    def elements(self) -> Iterator[Any]:
        state = self._initial
        for value in self.inputs[0].elements():
            result = self.function(state, value)
            if not isinstance(result, tuple) or len(result) != 2:
                raise TypeError(
                    errors.compose(
                        f"scan: the function must give a pair (state, element), it gave {result!r}.", "return both."
                    )
                )
            nest.assert_same_structure(self._initial, result[0])
            state, made = result
            yield made

    def _traced_spec(self) -> Any:
        return self.function.spec(structure.spec(self._initial), self.inputs[0].spec())[1]

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class FlatMap(Mapped):
    """The elements of the datasets that a function gives, one dataset after the other."""

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            yield from inner(self.function, self.function(value)).elements()

    def spec(self) -> Any:
        return inner_spec(self.function, self)

    def cardinality(self) -> int:
        return 0 if self.inputs[0].cardinality() == 0 else UNKNOWN


def inner(function: Function, result: Any) -> Stage:
    """The stage of the dataset that a function gave."""
    if not hasattr(result, "_stage"):
        raise TypeError(
            errors.compose(
                f"{function.name}: the function must give a tf.data.Dataset, it gave {result!r}.",
                "return a dataset, or use map.",
            )
        )
    found: Stage = result._stage
    return found


def inner_spec(function: Function, stage: Stage) -> Any:
    """The spec of the elements of the dataset that a function gives for the first element."""
    for value in stage.inputs[0].elements():
        return inner(function, function(value)).spec()
    return first_spec(stage)


class Interleave(Mapped):
    """The elements of the datasets that a function gives, of several datasets in turn."""

    def __init__(self, source: Stage, function: Function, cycle: Any, block: Any, calls: Any) -> None:
        super().__init__(source, function)
        given = -1 if cycle is None else positive("interleave", "cycle_length", cycle, -1)
        self._cycle = threads.workers(calls) if given < 1 else given
        self._block = 1 if block is None else positive("interleave", "block_length", block)
        self._calls = None if calls is None else threads.workers(calls)

    def elements(self) -> Iterator[Any]:
        source = self.inputs[0].elements()
        places: list[Iterator[Any] | None] = [None] * self._cycle
        is_over = False
        while True:
            for i in range(self._cycle):
                if places[i] is None and not is_over:
                    value = next(source, None)
                    is_over = value is None
                    places[i] = None if is_over else self._opened(value)
                if (place := places[i]) is None:
                    continue
                for _ in range(self._block):
                    item = next(place, None)
                    if item is None:
                        # What is left of the turn is lost; the next dataset in this place waits for its own.
                        places[i] = None
                        break
                    yield item
            if is_over and all(place is None for place in places):
                return

    def _opened(self, value: Any) -> Iterator[Any]:
        elements = inner(self.function, self.function(value)).elements()
        return elements if self._calls is None else threads.background(elements, 2 * self._block)

    def spec(self) -> Any:
        return inner_spec(self.function, self)

    def cardinality(self) -> int:
        return 0 if self.inputs[0].cardinality() == 0 else UNKNOWN


class Asserted(Chosen):
    """A stage that is said to have so many elements, which is checked at its end."""

    def __init__(self, source: Stage, expected: int) -> None:
        super().__init__(source)
        self._expected = expected

    def table(self) -> None:
        return None

    def elements(self) -> Iterator[Any]:
        number = 0
        for value in self.inputs[0].elements():
            number += 1
            if self._expected != INFINITE and number > self._expected:
                break
            yield value
        if number != self._expected:
            few = "more" if number > self._expected >= 0 else f"only {number}"
            raise errors.build(
                errors.FailedPreconditionError,
                f"assert_cardinality: there should be {self._expected} elements, but there are {few}.",
                "correct the number, or the pipeline.",
            )

    def cardinality(self) -> int:
        return self._expected
