"""Public functions that also take values of other kinds: sparse and ragged tensors.

When a kind is first used, the functions that know it are replaced by ones that look at their arguments. Programs without such
values pay nothing. Functions that do not know them refuse them, and say what to do instead.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from gradtape.core import later

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
    if function is not None and kind not in getattr(function, "known_kinds", ()):
        if (function, kind) not in _MADE:
            _MADE[function, kind] = _looking(function, kind, make(inspect.unwrap(function)))
        setattr(owner, name, _MADE[function, kind])


# What stands for a function: the same wherever it is shown.
_MADE: dict[tuple[Callable[..., Any], type], Callable[..., Any]] = {}


def _looking(function: Callable[..., Any], kind: type, ours: Callable[..., Any]) -> Callable[..., Any]:
    plain = later.adapt(function) if later.can_wait(function) else function
    # What waits is saved by its name, which functions that are made here do not have.
    special = later.adapt(ours) if later.can_wait(ours) and not ours.__closure__ else ours

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        if _holds(kind, args) or (kwargs and _holds(kind, kwargs.values())):
            return special(*args, **kwargs)
        return plain(*args, **kwargs)

    public.known_kinds = (kind, *getattr(function, "known_kinds", ()))  # type: ignore[attr-defined]
    return public


def _holds(kind: type, arguments: Iterable[Any]) -> bool:
    """True if such a value is among arguments, or in a list among them."""
    for x in arguments:
        if isinstance(x, kind):
            return True
        if isinstance(x, (list, tuple)) and any(isinstance(item, kind) for item in x):
            return True
    return False
