"""Functions of the user: called on elements, eagerly, outside of tapes and traces."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from gradtape.core import errors, provenance, state
from gradtape.data import _structure as structure
from gradtape.data._purity import Reading


class Function:
    """A function of the user as a stage calls it.

    It runs on concrete tensors, once for each element. A plain tuple is spread over the arguments, as in TensorFlow.

    Attributes:
      name: the method that was given the function.
      function: the function itself.
      version: another number when names that the function reads from outside mean something else.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(errors.compose(f"{name}: {function!r} is not callable.", "give a function."))
        self.name, self.function, self.version = name, function, 0
        self._reading: Reading | None = None
        self._site = provenance.user_site(3)

    def is_pure(self) -> bool:
        """Whether the function only computes with functions of tf."""
        if self._reading is None or not self._reading.is_current():
            self._reading = Reading(self.function)
            self.version += 1
        return self._reading.is_pure

    def __call__(self, *values: Any) -> Any:
        """The result on an element, or on a state and an element, with tensors as its leaves."""
        current = state.current
        # As `state.outside`, without its context manager: threads of a pool have nothing to leave.
        before = current.recorders, current.depth, current.trace, current.in_pipeline
        current.recorders, current.depth, current.trace, current.in_pipeline = (), 0, None, True
        try:
            return structure.result(self.function(*spread(values)))
        except Exception as problem:
            self._note(problem)
            raise
        finally:
            current.recorders, current.depth, current.trace, current.in_pipeline = before

    def spec(self, *specs: Any) -> Any:
        """The structure of specs of the results, from a trace. Raises what the trace raises."""
        from gradtape.autograph._calls import converted
        from gradtape.polymorphic_function.function import function

        with state.outside():
            call = converted(self.function)
            traced = function(lambda *values: structure.result(call(*values)))
            return structure.spec(traced.get_concrete_function(*spread(specs)).structured_outputs)

    def _note(self, problem: Exception) -> None:
        """Say in an exception where in the function it arose, and which pipeline called the function."""
        site = _innermost(problem)
        where = "" if site is None or str(site) in str(problem) else f" at {site},"
        made = "" if self._site is None else f" given at {self._site}"
        problem.add_note(f"Raised{where} in the function of {self.name}{made}")


def spread(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments for a function: a plain tuple that is alone is spread."""
    return values[0] if len(values) == 1 and type(values[0]) is tuple else values


def _innermost(problem: Exception) -> provenance.Site | None:
    """The innermost line of the user's code that an exception came through."""
    found = None
    for frame, _ in traceback.walk_tb(problem.__traceback__):
        site = provenance.Site.of((frame.f_code, frame.f_lasti))
        found = site or found
    return found
