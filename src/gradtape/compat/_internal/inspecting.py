"""Signatures of functions, also behind the library's decorators."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """The parameters of a function, as Python 2 described them."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """The parameters of a function, without its annotations: they are those of gradtape, and no part of TensorFlow's interface."""
    found = inspect.getfullargspec(_bare(obj))
    return found._replace(annotations={})


def getargspec(obj: Any) -> ArgSpec:
    """The parameters of a function that has none by keyword alone."""
    found = getfullargspec(obj)
    if found.kwonlyargs:
        raise ValueError(f"Function has keyword-only parameters, which getargspec cannot describe: {obj!r}.")
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """The arguments of a call by their names, defaults included. Names that the function does not have stay: callers sort them out."""
    func, *positional = func_and_positional
    if inspect.ismethod(func):
        positional = [func.__self__, *positional]
    found = getfullargspec(func)
    free = [name for name in found.args if name not in named]
    given = {**named, **dict(zip(free, positional, strict=False))}
    last = found.defaults or ()
    defaults = dict(zip(found.args[len(found.args) - len(last) :], last, strict=True)) | (found.kwonlydefaults or {})
    return {**given, **{name: value for name, value in defaults.items() if name not in given}}


def signature(obj: Any, *, follow_wrapped: bool = True) -> inspect.Signature:
    """The signature of a function."""
    return inspect.signature(obj, follow_wrapped=follow_wrapped)


def _bare(obj: Any) -> Any:
    """The function that the user or gradtape has written."""
    if isinstance(obj, type):
        return obj.__init__  # type: ignore[misc]
    target = getattr(obj, "python_function", obj)
    if inspect.ismethod(target):
        return target
    return inspect.unwrap(target) if callable(target) else target


def fn_args(fn: Any) -> tuple[str, ...]:
    """The names of a function's arguments."""
    return tuple(getfullargspec(fn).args)
