"""Exceptions raised while an element is computed.

An exception that a stage meets at an element takes the element's place as a `Failure`. Stages hand it on and go on with the
next element; the iterator raises it when its turn comes. So an iteration survives errors, as in TensorFlow, on any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gradtape.core import errors, tracebacks


class Failure:
    """An exception in the place of an element.

    Attributes:
      problem: the exception; TensorFlow's, where there was no memory.
    """

    __slots__ = ("problem",)

    def __init__(self, problem: Exception) -> None:
        self.problem = errors.no_room(problem, "dataset") if isinstance(problem, MemoryError) else problem


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """The result of a function, or its exception as a failure."""
    try:
        return function(*args)
    except Exception as problem:
        return Failure(problem)


def raised(element: Any) -> Any:
    """An element; raises the exception of a failure."""
    if type(element) is Failure:
        raise tracebacks.cut(element.problem)
    return element


def guarded(source: Iterator[Any]) -> Iterator[Any]:
    """The elements of a source, followed by a failure if it raises an exception."""
    try:
        yield from source
    except Exception as problem:
        if not _is_of_the_end(problem):
            yield Failure(problem)


def _is_of_the_end(problem: BaseException | None) -> bool:
    """True if an exception was raised while a generator was being closed, when elements are no longer needed."""
    while problem is not None:
        if isinstance(problem, GeneratorExit):
            return True
        problem = problem.__context__
    return False


def first_in(elements: Any) -> Failure | None:
    """The first failure among some elements."""
    return next((e for e in elements if type(e) is Failure), None)
