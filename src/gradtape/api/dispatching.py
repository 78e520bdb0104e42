"""Public functions that also take values of other kinds: sparse and ragged tensors.

When a kind is first used, the functions that know it are replaced by ones that look at their arguments. Programs without such
values pay nothing. Functions that do not know them refuse them, and say what to do instead.

A program may have got hold of a function before: in `tf.concat([tf.ragged.constant(rows), ...], 0)` Python looks up `concat` first.
So the replaced functions themselves are given code that calls what stands in their place; a twin has the code they had.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from gradtape.core import deferral

Make = Callable[[Callable[..., Any]], Callable[..., Any]]


def replace(kind: type, names: dict[str, str], make: Make) -> None:
    """Let functions take a kind of values.

    Args:
      kind: the class.
      names: the functions, by module under `tf`, separated by blanks. Those of the top level are replaced in `tf.math` too.
      make: gives for a function the one that is called if such a value is among the arguments.
    """
    for module, listed in names.items():
        for name in listed.split():
            for place in ("gradtape", "gradtape.math") if not module else (f"gradtape.{module}",):
                _replace(place, name, kind, make)


def _replace(place: str, name: str, kind: type, make: Make) -> None:
    owner = importlib.import_module(place)
    function = getattr(owner, name, None)
    if function is not None:
        public, known, twin = _looking(function)
        if kind not in known:
            ours = make(twin)
            # What waits is saved by its name, which functions that are made here do not have.
            known[kind] = deferral.adapt(ours) if deferral.can_wait(ours) and not ours.__closure__ else ours
        setattr(owner, name, public)


# By function: the one that looks at its arguments, what that one calls for each kind of values, and the twin.
_Looking = tuple[Callable[..., Any], dict[type, Callable[..., Any]], Callable[..., Any]]
_made: dict[Callable[..., Any], _Looking] = {}


def _looking(function: Callable[..., Any]) -> _Looking:
    """See `_made`; the same for a function wherever it is shown."""
    first = inspect.unwrap(function, stop=lambda f: f in _made)
    if first in _made:
        return _made[first]
    known: dict[type, Callable[..., Any]] = {}
    twin = _twin(first)
    plain = deferral.adapt(twin) if deferral.can_wait(twin) else deferral.guarded(twin)

    @functools.wraps(twin)
    def public(*args: Any, **kwargs: Any) -> Any:
        for kind, special in known.items():
            if _holds(kind, args) or (kwargs and _holds(kind, kwargs.values())):
                return special(*args, **kwargs)
        return plain(*args, **kwargs)

    _made[first] = _made[public] = public, known, twin
    if twin is not first:
        _redirect(first, public, twin)
    return _made[first]


def _twin(function: Any) -> Any:
    """A function with the same code; itself, if it is not a function of Python."""
    if type(function) is not FunctionType:
        return function
    twin = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    functools.update_wrapper(twin, function)
    twin.__kwdefaults__ = function.__kwdefaults__
    del twin.__wrapped__  # type: ignore[attr-defined]
    return twin


def _redirect(function: Any, public: Callable[..., Any], twin: Callable[..., Any]) -> None:
    """Give a function code that calls another one. It closes over as many variables as the code in whose place it comes."""
    number = len(_made)
    variables = [f"c{i}" for i in range(len(function.__closure__ or ()))]
    lines = [
        "def make():",
        *[f"    {v} = None" for v in variables],
        f"    def {function.__name__}(*args, **kwargs):",
        f"        if 0: {', '.join(variables) or None}",
        f"        return _public_{number}(*args, **kwargs)",
        f"    return {function.__name__}",
    ]
    space: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<gradtape replaced>", "exec"), space)
    function.__globals__[f"_public_{number}"] = public
    function.__code__ = space["make"]().__code__
    function.__defaults__ = function.__kwdefaults__ = None
    function.__wrapped__ = twin  # its signature


def _holds(kind: type, arguments: Iterable[Any]) -> bool:
    """True if such a value is among arguments, or in a list among them."""
    for x in arguments:
        if isinstance(x, kind):
            return True
        if isinstance(x, (list, tuple)) and any(isinstance(item, kind) for item in x):
            return True
    return False
