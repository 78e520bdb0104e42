"""Rewritten functions. Their code is made once for each function of the user's, and kept on disk for the next process, which then
needs no passes over syntax trees."""

from __future__ import annotations

import functools
import linecache
import marshal
import os
import sys
import types
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from gradtape.autograph import _allowlist as allowlist
from gradtape.autograph._source import last_line
from gradtape.autograph._verbosity import verbosity
from gradtape.core import disk_cache

_factories: dict[int, tuple[CodeType, FunctionType]] = {}
_MOST = 4096
_WITHOUT_REFERENCES = 2  # the version of marshal's format whose bytes depend on nothing but the value


def rewritten(function: FunctionType, called: Callable[..., Any]) -> FunctionType:
    """The function with its control flow rewritten; `called` gives what is called in place of what it calls.

    Raises:
      Unavailable: if there is no source, or if it uses what cannot be rewritten.
    """
    code = function.__code__
    known = _factories.get(id(code))
    if known is None or known[0] is not code:
        if len(_factories) >= _MOST:
            _factories.clear()
        known = _factories[id(code)] = code, _factory(function)
    return _instance(function, known[1], called)


def _instance(function: FunctionType, factory: FunctionType, called: Callable[..., Any]) -> FunctionType:
    """A function of the rewritten code with the globals, closure and defaults of the original."""
    from gradtape.autograph._namespace import runtime

    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple([cells.get(name) or types.CellType() for name in factory.__code__.co_freevars])
    bound = FunctionType(factory.__code__, function.__globals__, factory.__name__, None, closure)
    made: FunctionType = bound(runtime(called))
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    made.__name__, made.__qualname__, made.__module__ = function.__name__, function.__qualname__, function.__module__
    made.__dict__.update({k: v for k, v in function.__dict__.items() if k != "__wrapped__"})
    result: FunctionType = allowlist.do_not_convert(made)
    return result


def _factory(function: FunctionType) -> FunctionType:
    """A function that defines the rewritten one."""
    space: dict[str, FunctionType] = {}
    exec(_code(function), space)
    result: FunctionType = space["outer__"]()
    return result


def _code(function: FunctionType) -> CodeType:
    """The rewritten code, from the disk if it is there."""
    text = None if verbosity.level else _text(function)
    kept = None if text is None else disk_cache.read(text)
    if kept is not None:
        result: CodeType = marshal.loads(kept)
        return result
    from gradtape.autograph._compile import rewritten_code

    code = rewritten_code(function)
    if text is not None:
        disk_cache.write(text, marshal.dumps(code))
    return code


def _text(function: FunctionType) -> str | None:
    """What the rewritten code depends on: the function's code and source, its name, and the versions of all that is involved."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first, last = code.co_firstlineno, last_line(code)
    source = "".join(lines[first - 1 : last])
    if not source:
        return None
    return f"{_version()}\n{function.__qualname__}\n{marshal.dumps(code, _WITHOUT_REFERENCES)!r}\n{source}"


@functools.lru_cache(maxsize=1)
def _version() -> str:
    """What all rewritten code depends on."""
    own = disk_cache.fingerprint([os.path.dirname(os.path.abspath(__file__))])
    return (
        f"gradtape rewritten 4\n{own}\n{disk_cache.library_version()}\n{sys.version}\n{__debug__}\n{sys.flags.optimize}"
    )
