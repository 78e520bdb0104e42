"""Rewritten functions. Their code is made once for each function of the user's, and kept on disk for the next process, which then
needs neither malt nor the passes."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import marshal
import os
import sys
import types
from types import CodeType, FunctionType

from gradtape.core import cache
from gradtape.staging.autograph import policy
from gradtape.staging.autograph.tools import verbosity

_factories: dict[int, tuple[CodeType, FunctionType]] = {}
_MOST = 4096
_WITHOUT_REFERENCES = 2  # the version of marshal's format whose bytes depend on nothing but the value


def rewritten(function: FunctionType) -> FunctionType:
    """The function with its control flow rewritten.

    Raises:
      Unavailable: if there is no source, or if it uses what cannot be rewritten.
    """
    code = function.__code__
    known = _factories.get(id(code))
    if known is None or known[0] is not code:
        if len(_factories) >= _MOST:
            _factories.clear()
        known = _factories[id(code)] = code, _factory(function)
    return _instance(function, known[1])


def _instance(function: FunctionType, factory: FunctionType) -> FunctionType:
    """A function of the rewritten code with the globals, closure and defaults of the original."""
    from gradtape.staging.autograph.namespace import ag

    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple([cells.get(name) or types.CellType() for name in factory.__code__.co_freevars])
    bound = FunctionType(factory.__code__, function.__globals__, factory.__name__, None, closure)
    made: FunctionType = bound(ag)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    made.__name__, made.__qualname__, made.__module__ = function.__name__, function.__qualname__, function.__module__
    made.__dict__.update({k: v for k, v in function.__dict__.items() if k != "__wrapped__"})
    return policy.do_not_convert(made)  # type: ignore[no-any-return]


def _factory(function: FunctionType) -> FunctionType:
    """A function that defines the rewritten one."""
    space: dict[str, FunctionType] = {}
    exec(_code(function), space)
    return space["outer__"]()  # type: ignore[no-any-return]


def _code(function: FunctionType) -> CodeType:
    """The rewritten code, from the disk if it is there."""
    text = None if verbosity.level else _text(function)
    kept = None if text is None else cache.read(text)
    if kept is not None:
        return marshal.loads(kept)  # type: ignore[no-any-return]
    from gradtape.staging.autograph.conversion import rewritten_code

    code = rewritten_code(function)
    if text is not None:
        cache.write(text, marshal.dumps(code))
    return code


def _text(function: FunctionType) -> str | None:
    """What the rewritten code depends on: the function's code and source, its name, and the versions of all that is involved."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first, last = code.co_firstlineno, _last_line(code)
    source = "".join(lines[first - 1 : last])
    version = _version()
    if not source or version is None:
        return None
    return f"{version}\n{function.__qualname__}\n{marshal.dumps(code, _WITHOUT_REFERENCES)!r}\n{source}"


def _last_line(code: CodeType) -> int:
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inner = [_last_line(c) for c in code.co_consts if isinstance(c, CodeType)]
    return max([code.co_firstlineno, *lines, *inner])


@functools.lru_cache(maxsize=1)
def _version() -> str | None:
    """What all rewritten code depends on; None if malt is not there."""
    malt = importlib.util.find_spec("malt")
    if malt is None or malt.origin is None:
        return None
    own = cache.newest([os.path.dirname(os.path.abspath(__file__))])
    passes = os.stat(malt.origin).st_mtime_ns
    return f"gradtape rewritten 1\n{own}\n{passes}\n{sys.version}\n{__debug__}\n{sys.flags.optimize}"
