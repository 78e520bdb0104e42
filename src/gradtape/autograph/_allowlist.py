"""Which functions are rewritten: those of the user that contain, or may lead to, something to rewrite."""

from __future__ import annotations

import builtins
import dis
import os
import sys
import types
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from gradtape.core import deferral as later
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
# Libraries whose functions run as they are, wherever they are installed.
_LIBRARIES = (
    "gradtape",
    "keras",
    "numpy",
    "scipy",
    "ml_dtypes",
    "malt",
    "llvmlite",
    "pytest",
    "_pytest",
    "pluggy",
    "tqdm",
)
_MARK = "__gradtape_do_not_convert__"


def do_not_convert(function: Any) -> Any:
    """Mark a function to run as it is."""
    setattr(getattr(function, "__func__", function), _MARK, True)
    return function


def is_marked(function: Any) -> bool:
    """True for functions that shall run as they are, and for what has been rewritten already."""
    return bool(getattr(function, _MARK, False))


def _folders() -> tuple[str, ...]:
    """Where the standard library is; that of its modules in machine code differs on some systems."""
    return tuple({os.path.realpath(os.path.dirname(path)) + os.sep for path in (os.__file__, dis.__file__)})


_STANDARD = _folders()
_own_files: dict[str, bool] = {}


def is_users(code: CodeType, module: str | None) -> bool:
    """True if a function is the user's: neither ours, nor of the standard library, nor of a library that is known."""
    if (module or "").partition(".")[0] in _LIBRARIES:
        return False
    known = _own_files.get(code.co_filename)
    if known is None:
        path = os.path.realpath(code.co_filename)
        inside = path.startswith(_STANDARD) and "site-packages" not in path
        known = _own_files[code.co_filename] = not (
            inside or path.startswith(_OURS) or code.co_filename[:1] == "<frozen"
        )
    return known


def wants_conversion(function: FunctionType) -> bool:
    """True if a function must be rewritten. Looks at the code alone; nothing else is loaded for plain functions."""
    code = function.__code__
    found = _verdicts.get(id(code))
    if found is None or found[0] is not code:
        if len(_verdicts) > 10_000:
            _verdicts.clear()
        _verdicts[id(code)] = found = code, _judged(function, code, ())
    return found[1]


_verdicts: dict[int, tuple[CodeType, bool]] = {}


def _numbers(*parts: str) -> frozenset[int]:
    """The instructions whose names have one of some parts."""
    return frozenset(n for name, n in dis.opmap.items() if n < 256 and any(part in name for part in parts))


_JUMPS = _numbers("JUMP_IF", "JUMP_FORWARD_IF", "JUMP_BACKWARD_IF")
_EXCEPTIONS = _numbers("WITH_EXCEPT_START", "CHECK_EXC_MATCH")  # the jump after one is not up to tensors
_OTHER_DECISIONS = _numbers("FOR_ITER", "UNARY_NOT", "MATCH_", "CONTAINS_OP")
# Methods of tensors, tapes and containers: calling them leads to no code of the user.
_METHODS = frozenset(n for kind in (Tensor, Variable, list, dict, str, tuple, set, bytes) for n in dir(kind)) | {
    "gradient", "jacobian", "batch_jacobian", "watch", "stop_recording", "jvp", "reset", "watched_variables",
    "apply_gradients", "write", "read", "stack", "unstack", "concat", "gather", "scatter", "size", "normal", "uniform",
}  # fmt: skip
# Functions of Python that mean something else for tensors. Not `zip`: it stands in every plain training step.
_CONCERNED = frozenset([all, any, bool, enumerate, filter, float, int, len, map, max, min, range, sorted, sum])
_UNKNOWN = object()
_NEVER_CALLED = (
    types.ModuleType, Tensor, Variable, int, float, complex, str, bytes, tuple, list, dict, set,
)  # fmt: skip


def _judged(function: FunctionType, code: CodeType, above: tuple[CodeType, ...]) -> bool:
    """Whether some code has control flow, or calls what may have."""
    if code in above:
        return False
    parts = list(codes(code))
    if any(_decides(part) for part in parts):
        return True
    scan = _Scan(_names(function), (*above, code))
    return any(scan.finds_work(part) for part in parts)


def _decides(code: CodeType) -> bool:
    """True if some code takes a decision that may be up to a tensor."""
    instructions = code.co_code[::2]
    if not _OTHER_DECISIONS.isdisjoint(instructions):
        return True
    return sum(map(instructions.count, _JUMPS)) > sum(map(instructions.count, _EXCEPTIONS))


class _Scan:
    """A walk over the instructions of a code object, which follows names from outside to what they mean."""

    def __init__(self, names: Mapping[str, Any], above: tuple[CodeType, ...]) -> None:
        self._names, self._above = names, above

    def finds_work(self, code: CodeType) -> bool:
        """True if something is called that may take a decision."""
        value, before, calls_next = _UNKNOWN, "", False
        for instruction in dis.get_instructions(code):
            name = instruction.opname
            if name in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "LOAD_CLASSDEREF"):
                value = self._names.get(instruction.argval, _UNKNOWN)
                if self._leads_on(value) or (calls_next and not callable(value)):  # a part of it is called
                    return True
            elif name in ("LOAD_ATTR", "LOAD_METHOD"):
                value = self._attribute(value, instruction.argval)
                is_called = name == "LOAD_METHOD" or (sys.version_info >= (3, 12) and bool((instruction.arg or 0) & 1))
                if self._leads_on(value) or (value is _UNKNOWN and is_called and instruction.argval not in _METHODS):
                    return True
            else:
                if calls_next and name != "PUSH_NULL":  # something else than a name is called: nobody knows what
                    return True
                value = _UNKNOWN
            calls_next = name == "PUSH_NULL" and sys.version_info < (3, 13)
            if name == "PUSH_NULL" and sys.version_info >= (3, 13) and not before.startswith(_NAMED):
                return True
            before = name
        return False

    def _attribute(self, value: Any, attribute: str) -> Any:
        """What an attribute of something means, if that is a module."""
        if isinstance(value, types.ModuleType):
            return getattr(value, attribute, _UNKNOWN)
        return _UNKNOWN

    def _leads_on(self, value: Any) -> bool:
        """True if calling something may run code that must be rewritten."""
        if value is _UNKNOWN or value is None or isinstance(value, _NEVER_CALLED):
            return False
        if isinstance(value, (types.BuiltinFunctionType, type)):
            return value in _CONCERNED
        if isinstance(value, types.MethodType):
            value = value.__func__
        elif not isinstance(value, FunctionType):
            value = getattr(type(value), "__call__", None)  # noqa: B004 - the method itself is wanted
        if later.can_wait(value):  # held since before the first trace: only a rewritten call adapts it
            return True
        if not isinstance(value, FunctionType) or is_marked(value) or not is_users(value.__code__, value.__module__):
            return False
        return _judged(value, value.__code__, self._above)


_NAMED = ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "LOAD_ATTR")


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object, and those of the functions that are defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def _names(function: FunctionType) -> Mapping[str, Any]:
    """What the names from outside mean to a function."""
    found = dict(vars(builtins))
    found.update(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            found[name] = _UNKNOWN
    return found
