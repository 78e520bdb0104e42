"""Functions of elements: map, filter, flat_map, interleave, scan, take_while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from gradtape.core import dtypes, errors, log, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.shape import TensorSpec
from gradtape.data import _structure as structure
from gradtape.data import _threads as threads
from gradtape.data._failure import Failure, attempt, raised
from gradtape.data._stage import INFINITE, UNKNOWN, Chosen, NoSpecError, Stage, aligned, asking, known_spec
from gradtape.data._user_functions import Function
from gradtape.data._vectorized_map import Vectorized


class Mapped(Stage):
    """A stage with a function of the user."""

    def __init__(self, source: Stage, function: Function) -> None:
        self.inputs = (source,)
        self.function = function
        self._spec: Any = None
        spec = known_spec(source, may_trace=False)
        if spec is not None:
            self._check(spec)
            self._check_traced(spec)

    def _check(self, spec: Any) -> None:
        """Refuse a function that does not take elements of a spec."""
        self.function.check_arguments(spec)

    def _check_traced(self, spec: Any) -> None:
        """Refuse a function if a trace shows that its results on elements of a spec are of the wrong kind. Here, any
        result is accepted."""

    def cardinality(self) -> int:
        return UNKNOWN

    def _without_end(self) -> int:
        """The cardinality of a stage of which is only known whether it has an end."""
        return INFINITE if self.inputs[0].cardinality() == INFINITE else UNKNOWN

    def spec(self) -> Any:
        if self._spec is None:
            if not asking.may_trace:
                raise NoSpecError
            try:
                self._spec = self._traced_spec()
            except Exception:
                # The function reads values, so only a run determines its results.
                self._spec = first_spec(self)
        return self._spec

    def _traced_spec(self) -> Any:
        return self.function.spec(self.inputs[0].spec())

    def trace_functions(self) -> None:
        """Ask the functions of the user for the specs of their results."""
        self._check_traced(self.inputs[0].spec())
        self._traced_spec()

    def keeps_rows(self) -> bool:
        return False

    def runs_functions(self) -> bool:
        return True


def first_spec(stage: Stage) -> Any:
    """The spec of the first element; an error if there is none."""
    if not asking.may_run:
        raise NoSpecError
    for value in stage.values():
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
        given = 1 if calls is None else threads.calls(function.name, calls)
        self._calls, self.deterministic = threads.workers(given), deterministic
        self._pace = threads.Pace() if given == threads.AUTOTUNE else None
        self._vectorized: Vectorized | None = None

    def elements(self) -> Iterator[Any]:
        return self._mapped(self.function.attempt, self.inputs[0].elements())

    def _mapped(self, function: Callable[[Any], Any], source: Iterator[Any]) -> Iterator[Any]:
        if self._calls <= 1:
            return map(function, source)
        in_order = self.deterministic is not False
        if self._pace is not None:
            return self._pace.results(function, source, self._calls, in_order)
        return threads.parallel(function, source, self._calls, in_order)

    def groups(self, size: int, drop: bool) -> Iterator[Any]:
        """Stacked elements. A function that only computes is run on many at a time, and so are those of maps before it."""
        if not self.function.is_pure():
            return aligned(self.elements(), size, drop, lambda group: structure.stack("batch", group))
        functions, source = [self.function], self.inputs[0]
        while isinstance(source, Map) and source.function.is_pure():
            functions, source = [source.function, *functions], source.inputs[0]
        if self._vectorized is None:
            self._vectorized = Vectorized(functions, self._mapped)
        # The function also gets the smaller last group, since an element before it may fail.
        given = source.groups(size, False) if source.table() is not None else _lists(source.elements(), size)
        return self._vectorized.batches(given, size, drop)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def runs_functions(self) -> bool:
        return not self.function.is_pure() or self.inputs[0].runs_functions()


def _lists(elements: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while group := list(islice(elements, size)):
        yield group


class Tolerant(Stage):
    """The elements, except those whose computation raises an exception."""

    def __init__(self, source: Stage, warns: bool) -> None:
        self.inputs = (source,)
        self._warns = warns

    def elements(self) -> Iterator[Any]:
        return filter(self._is_sound, self.inputs[0].elements())

    def _is_sound(self, value: Any) -> bool:
        if type(value) is not Failure:
            return True
        if self._warns:
            log.warning("ignore_errors: %s: %s", type(value.problem).__name__, value.problem)
        return False

    def cardinality(self) -> int:
        return UNKNOWN


class Tested(Mapped):
    """A stage with a function that returns a bool."""

    def _check_traced(self, spec: Any) -> None:
        found = self.function.traced_spec(spec)
        is_bool = isinstance(found, TensorSpec) and found.dtype is dtypes.bool_ and found.shape.rank in (0, None)
        if found is not None and not is_bool:  # None: known only after a run
            raise _no_bool(self.function, found)

    def spec(self) -> Any:
        return self.inputs[0].spec()

    def keeps_rows(self) -> bool:
        return self.inputs[0].keeps_rows()


class Filter(Tested):
    """The elements for which a function returns True."""

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            found = attempt(_truth, self.function, value)
            if found is True:
                yield value
            elif found is not False:
                yield found


class TakeWhile(Tested):
    """The elements before the first one for which a function returns False."""

    def elements(self) -> Iterator[Any]:
        for value in self.inputs[0].elements():
            found = attempt(_truth, self.function, value)
            if found is False:
                return
            yield value if found is True else found


def _truth(function: Function, value: Any) -> bool:
    result = raised(function.attempt(value))
    if getattr(result, "ndim", None) != 0 or not result.dtype.is_bool:
        raise _no_bool(function, result)
    return bool(result)


def _no_bool(function: Function, result: Any) -> ValueError:
    return ValueError(
        errors.compose(
            f"{function.name}: `predicate` must return a `tf.bool` scalar tensor, got {errors.brief(result)}.",
            "return a comparison, lambda x: x > 0; tf.reduce_all makes one bool of several.",
        )
    )


class Scan(Mapped):
    """The results of a function that also takes and returns a state."""

    def __init__(self, source: Stage, initial: Any, function: Function) -> None:
        self._initial = structure.tensors(initial)
        super().__init__(source, function)

    def elements(self) -> Iterator[Any]:
        state = self._initial
        for value in self.inputs[0].elements():
            found = attempt(self._step, state, value)
            if type(found) is not Failure:
                state, found = found
            yield found

    def _step(self, state: Any, value: Any) -> Any:
        """The next state and a result."""
        return self._checked(raised(self.function.attempt(state, value)))

    def _checked(self, result: Any) -> Any:
        """A pair of a state like the first one and a result, or the specs of those."""
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(
                errors.compose(
                    "scan: `scan_func` should return a pair consisting of new state and the output value, but its return "
                    f"value is {result!r}.",
                    "return both.",
                )
            )
        check_state("scan", self._initial, result[0])
        return result

    def _check(self, spec: Any) -> None:
        pass  # the function always has two parameters

    def _check_traced(self, spec: Any) -> None:
        found = self.function.traced_spec(structure.spec(self._initial), spec)
        if found is not None:
            self._checked(found)

    def _traced_spec(self) -> Any:
        before, element = structure.spec(self._initial), self.inputs[0].spec()
        while True:  # the next trace begins with the sizes that stayed the same
            state, result = self.function.spec(before, element)
            kept = structure.merged(before, state)
            if kept == before:
                return result
            before = kept

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def check_state(who: str, first: Any, state: Any) -> None:
    """Refuse a state of another structure or other dtypes than the first one."""
    try:
        nest.assert_same_structure(first, state)
    except (TypeError, ValueError) as problem:
        raise errors.build(
            errors.ShapeError,
            f"{who}: The element classes for the new state must match the initial state: {problem}",
            "return a state of that structure.",
        ) from None
    for old, new in zip(nest.flatten(first), nest.flatten(state), strict=True):
        if isinstance(old, Composite) != isinstance(new, (Composite, CompositeSpec)):
            raise errors.build(
                errors.DTypeError,
                f"{who}: The element classes for the new state must match the initial state, got {errors.brief(new)} for "
                f"{errors.brief(old)}.",
                "return a state of the same class.",
            )
        if getattr(old, "dtype", None) != getattr(new, "dtype", None):
            raise errors.build(
                errors.DTypeError,
                f"{who}: The element types for the new state must match the initial state, got {new.dtype.name} for "
                f"{old.dtype.name}.",
                "cast it, or start with another dtype.",
            )


class Asserted(Chosen):
    """A stage with an asserted number of elements, which is checked at its end."""

    def __init__(self, source: Stage, expected: int) -> None:
        super().__init__(source)
        self._expected = expected

    def table(self) -> None:
        return None

    def elements(self) -> Iterator[Any]:
        number = 0
        for value in self.inputs[0].elements():
            if type(value) is Failure:
                yield value
                continue
            number += 1
            if self._expected != INFINITE and number > self._expected:
                break
            yield value
        if number != self._expected:
            few = f"{'at least' if number > self._expected >= 0 else 'only'} {_elements(number)}"
            wanted = "an infinite number of elements" if self._expected == INFINITE else _elements(self._expected)
            raise errors.build(
                errors.FailedPreconditionError,
                f"assert_cardinality: Input dataset was expected to contain {wanted} but contained {few}.",
                "correct the number, or the pipeline.",
            )

    def cardinality(self) -> int:
        return self._expected


def _elements(count: int) -> str:
    return "1 element" if count == 1 else f"{count} elements"
