"""Why a function was traced again: how the key of a call differs from those before."""

from __future__ import annotations

import contextlib
import inspect
from collections import deque
from collections.abc import Sequence
from typing import Any

from gradtape.core.shape import Spec
from gradtape.core.variable import Variable
from gradtape.core.weak import WeakKeys


def difference(names: Sequence[str], new: Sequence[Any], earlier: Sequence[Sequence[Any]]) -> str:
    """Why a key is new, against the one of the earlier keys that is most like it."""
    if not earlier:
        return "it was the first call"
    closest = min(earlier, key=lambda old: len(_parts(names, new, old)))
    return "; ".join(_parts(names, new, closest)) or "the earlier trace was no longer kept"


def _parts(names: Sequence[str], new: Sequence[Any], old: Sequence[Any]) -> list[str]:
    """The arguments that differ, each with the place in it and how."""
    return [text for name, a, b in zip(names, new, old, strict=True) for text in _differ(name, a, b)]


def _differ(name: str, new: Any, old: Any) -> list[str]:
    if new == old:
        return []
    if _is_structure(new) and _is_structure(old) and new[:-1] == old[:-1] and len(new[-1]) == len(old[-1]):
        labels = [repr(k) for k in new[1]] if len(new) == 3 else map(str, range(len(new[-1])))
        return [
            text for k, a, b in zip(labels, new[-1], old[-1], strict=True) for text in _differ(f"{name}[{k}]", a, b)
        ]
    return [f"{name} is {_show(new)}, not {_show(old)}"]


def _is_structure(key: Any) -> bool:
    return type(key) is tuple and len(key) in (2, 3) and isinstance(key[0], type) and type(key[-1]) is tuple


def _show(key: Any) -> str:
    """A part of a key, for people."""
    if isinstance(key, Spec):
        return f"a tensor {key}"
    if type(key) is tuple and key and key[0] is Variable:
        return f"a variable {key[2]}" if len(key) > 2 else f"the same variable as number {key[1] + 1}"
    if _is_structure(key):
        labels = [f"{k!r}: " for k in key[1]] if len(key) == 3 else [""] * len(key[-1])
        inside = ", ".join(k + _show(v) for k, v in zip(labels, key[-1], strict=True))
        return f"{key[0].__name__}({inside})"
    target = getattr(key, "target", None)
    if not callable(target):
        return repr(key)
    found = target()
    return "an object that is gone" if found is None else repr(found)


class RecentCalls(deque[bool]):
    """Whether each of the last calls of a function was traced.

    Attributes:
      warnings: how often the user was told that most were.
    """

    def __init__(self) -> None:
        super().__init__(maxlen=10)
        self.warnings = 0


_recent: WeakKeys[Any, RecentCalls] = WeakKeys()


def recent_calls(function: Any) -> RecentCalls:
    """The last calls of a function, of all functions that are made of the same code: in a loop, or for each instance."""
    with contextlib.suppress(ValueError):  # wrappers in a ring
        function = inspect.unwrap(function)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        return RecentCalls()
    found = _recent.get(code)
    if found is None:
        found = _recent[code] = RecentCalls()
    return found
