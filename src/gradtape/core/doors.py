"""The doors of public functions: the handlers that are tried when a function fails.

The function that users call is a door around the one that computes, with the same parameters. It looks at nothing while all goes
well. Where the function fails, it asks, in this order:

1. what the program registered for its own classes (`hooks`), and a value among the arguments that answers for functions itself: a
   ragged or sparse tensor, a linear operator (`Dispatched`);
2. the trace, if the function needs a size or a value which only a run will tell (`Unknown`): the call becomes one node of the graph;
3. `refusals`, for an error about the arguments in three lines.

Modules of the library call the functions themselves, so a question passes on to the function that the user called. Functions of
elements, which need no sizes, have the first of these inside, and no door: `answer_for` is what they call.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, Protocol, cast

from gradtape.core import deferral, errors, state, tracebacks
from gradtape.core.deferral import Unknown

_current = state.current


class Dispatched(Protocol):
    """A value that answers for public functions which know no values of its class."""

    def __gradtape_function__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], /
    ) -> Any:
        """What a function returns for arguments among which this value is; NotImplemented if it knows no better."""


# What answers before the arguments do: the functions that a program registered for its own classes (`experimental/_dispatch.py`).
hooks: list[Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]] = []
# The same for a tensor's operator, such as "mul", and its two operands.
operator_hooks: list[Callable[[str, Any, Any], Any]] = []


def key_of(function: Callable[..., Any]) -> tuple[str, str]:
    """The room and the name of a public function, under which tables of `Dispatched` classes list it: `("arrays", "concat")`."""
    return function.__module__.split(".", 2)[1], function.__name__


def answer_for(problem: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the first value among the arguments says that answers for a function which raised; NotImplemented if none does."""
    answers = [value.__gradtape_function__ for value in _dispatched((*args, *kwargs.values()))]
    for answer in (*hooks, *answers):
        try:
            result = answer(function, args, kwargs)
        except Exception as own:
            _detach(own, problem)
            raise
        if result is not NotImplemented:
            return result
    return NotImplemented


def finish(problem: Exception, function: Callable[..., Any], *args: Any) -> Any:
    """The result of a call for which a function of elements raised, from a value among its arguments; otherwise the error."""
    result = answer_for(problem, function, args, {})
    if result is NotImplemented:
        raise tracebacks.cut(problem)
    return result


def _detach(error: BaseException, problem: Exception) -> None:
    """Nobody needs to read that a ragged tensor has no tensor form before an error about its rows."""
    while error.__context__ is not None and error.__context__ is not problem:
        error = error.__context__
    error.__context__ = None


def _dispatched(arguments: tuple[Any, ...]) -> Iterator[Dispatched]:
    """The values that answer for functions, one of each class, among arguments and in lists and dicts among them."""
    seen: set[type] = set()
    for item in _leaves(arguments):
        kind = type(item)
        if kind not in seen and hasattr(kind, "__gradtape_function__"):
            seen.add(kind)
            yield item


def _leaves(x: Any) -> Iterator[Any]:
    """What lists and dicts hold; lists of numbers are not looked through."""
    if hasattr(type(x), "__gradtape_function__") or not isinstance(x, (list, tuple, dict)):
        yield x
        return
    for item in x.values() if isinstance(x, dict) else x:
        if not isinstance(item, (int, float, str)):
            yield from _leaves(item)


class Door:
    """The implementation of a public function: the function that computes, and the handling of its failures.

    Attributes:
      function: that computes.
      waits: True if it becomes a node of the graph where it needs what is not known yet.
    """

    __slots__ = ("function", "waits")

    def __init__(self, function: Callable[..., Any], waits: bool) -> None:
        self.function, self.waits = function, waits

    def given(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call from the values of all parameters, leaving out defaults."""
        function: Any = self.function
        defaults = function.__defaults__ or ()
        required = len(values) - len(defaults)
        names = function.__code__.co_varnames[required : len(values)]
        options = zip(names, values[required:], defaults, strict=True)
        return values[:required], {name: value for name, value, default in options if value is not default}

    def fail(self, problem: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call after the function raised, from the first handler that has one; otherwise the user's error."""
        function = self.function
        result = answer_for(problem, function, args, kwargs)
        if result is not NotImplemented:
            return result
        if not self.waits or not isinstance(problem, Unknown):
            raise tracebacks.cut(clear(problem, function, args, kwargs)) from problem.__cause__
        if _current.trace is None:
            raise problem
        return _current.trace.later(function, args, kwargs, problem)


def shown(value: Any) -> Any:
    """What a module shows to users in place of a value of ours: the door of a function, anything else as it is."""
    is_function = type(value) is FunctionType and not hasattr(value, "__wrapped__")
    if not is_function or not _has_door(value):
        return value
    make = by_position if value.__module__ in _QUICK else adapt
    return make(value, deferral.can_wait(value))


# The modules of functions that programs call millions of times: their doors pass arguments on by position. Others take any arguments, so
# that a wrong call ends in `refusals` too.
_QUICK = {
    "gradtape.arrays.creation",
    "gradtape.arrays.indexing",
    "gradtape.arrays.joining",
    "gradtape.arrays.movement",
    "gradtape.arrays.shapes",
    "gradtape.arrays.slicing",
    "gradtape.arrays.sorting",
    "gradtape.config._devices",
    "gradtape.control_flow.functions",
    "gradtape.core.convert",
    "gradtape.core.nest",
    "gradtape.linalg._products",
    "gradtape.math._activations",
    "gradtape.math._clipping",
    "gradtape.math._conversion",
    "gradtape.math._elementwise",
    "gradtape.math._reductions",
    "gradtape.toplevel.status",
    "gradtape.transform.custom_gradient",
    "gradtape.transform.py_function",
    "gradtape.transform.recompute_grad",
    "gradtape.transform.stop_gradient",
    "gradtape.transform.vectorized_map",
}


def _has_door(function: FunctionType) -> bool:
    module = function.__module__ or ""  # code that was made at run time has none
    is_ours = module.startswith("gradtape.") and not module.startswith(
        "gradtape.keras_backend."
    )  # Keras has its own checks
    return is_ours and not deferral.is_elementwise(function)


def clear(problem: Exception, function: Callable[..., Any], args: Any, kwargs: Any) -> Exception:
    """An error with the three lines, whatever went wrong. What writes them is loaded when something does."""
    if isinstance(problem, errors.CompositeGivenError) or "\n  fix: " in str(problem):
        return problem
    refusals = importlib.import_module("gradtape.core.refusals")
    return cast(Exception, refusals.translated(problem, function, args, kwargs))


@functools.cache
def adapt(function: Callable[..., Any], waits: bool = True) -> Callable[..., Any]:
    """The door of a function with any parameters."""
    door = Door(function, waits)

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as problem:
            return door.fail(problem, args, kwargs)

    return public


@functools.cache
def by_position(function: Callable[..., Any], waits: bool = True) -> Callable[..., Any]:
    """The door of a function that passes arguments on by position, which is quicker, if its parameters allow."""
    code: CodeType = function.__code__
    count = code.co_argcount
    if not count or code.co_kwonlyargcount or code.co_posonlyargcount or code.co_flags & _VARIABLE:
        return adapt(function, waits)
    made = _template(count)(function, Door(function, waits))
    own = made.__code__
    own = own.replace(
        co_name=function.__name__,
        co_qualname=function.__qualname__,
        co_varnames=code.co_varnames[:count] + own.co_varnames[count:],
    )
    door = FunctionType(own, made.__globals__, function.__name__, function.__defaults__, made.__closure__)
    return functools.update_wrapper(door, function)


_VARIABLE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


@functools.cache
def _template(count: int) -> Callable[[Callable[..., Any], Door], FunctionType]:
    """Gives the door of a function with so many parameters, which are named p0, p1 and so on. The doors differ in nothing else, and
    are written by this loop."""
    values = "".join([f"p{i}, " for i in range(count)])
    lines = [
        "def make(function, door):",
        f"    def public({values}):",
        "        try:",
        f"            return function({values})",
        "        except Exception as problem:",
        f"            return door.fail(problem, *door.given(({values})))",
        "    return public",
    ]
    space: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<gradtape door>", "exec"), space)
    return cast("Callable[[Callable[..., Any], Door], FunctionType]", space["make"])
