"""Which functions are rewritten: those of the user that contain, or may lead to, something to rewrite."""

from __future__ import annotations

import builtins
import dis
import os
import sys
import types
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from gradtape.autograph._mangling import class_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_OURS = os.path.dirname(os.path.abspath(str(sys.modules["gradtape"].__file__))) + os.sep
# Libraries whose functions run as they are, wherever they are installed.
LIBRARIES = (
    "gradtape",
    "keras",
    "tf_keras",
    "tensorflow_probability",
    "numpy",
    "scipy",
    "ml_dtypes",
    "llvmlite",
    "pytest",
    "_pytest",
    "pluggy",
    "tqdm",
)
_MARK = "__gradtape_do_not_convert__"


def do_not_convert(function: Any) -> Any:
    """Mark a function to run unchanged."""
    setattr(getattr(function, "__func__", function), _MARK, True)
    return function


def is_marked(function: Any) -> bool:
    """True for functions that run unchanged, and for those that are already rewritten."""
    return bool(getattr(function, _MARK, False))


def _folders() -> tuple[str, ...]:
    """Where the standard library is; that of its modules in machine code differs on some systems."""
    return tuple({os.path.realpath(os.path.dirname(path)) + os.sep for path in (os.__file__, dis.__file__)})


_STANDARD = _folders()
_own_files: dict[str, bool] = {}


def is_users(code: CodeType, module: str | None) -> bool:
    """True if a function belongs to the user: not to gradtape, the standard library or a known library."""
    if (module or "").partition(".")[0] in LIBRARIES:
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
    """True if a function must be rewritten. Looks at the code alone; nothing else is loaded for plain functions.

    The verdict depends on what the names from outside mean at this moment: functions of one code object differ in their
    closures. So only what the code itself says is kept."""
    return _judged(function, function.__code__, ())


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
_ANYTHING = object()  # called, and nobody knows what it is
_NEVER_CALLED = (
    types.ModuleType, Tensor, Variable, int, float, complex, str, bytes, tuple, list, dict, set,
)  # fmt: skip


def _judged(function: FunctionType, code: CodeType, above: tuple[CodeType, ...]) -> bool:
    """Whether some code has control flow, or calls what may have."""
    if code in above:
        return False
    known = _outline(code)
    if known is None:
        return True
    names = _Names(function)
    return any(_leads_on(value, (*above, code)) for value in map(names.meaning, known))


class _Lookup(NamedTuple):
    """A name from outside and the attributes that are read from it. `call` says what is done with the value: nothing is known
    of it, it is called by a name that no tensor has, or a part of it is called."""

    name: str
    attributes: tuple[str, ...]
    calls_unknown: bool = False
    calls_part: bool = False


_outlines: dict[int, tuple[CodeType, tuple[_Lookup, ...] | None]] = {}


def _outline(code: CodeType) -> tuple[_Lookup, ...] | None:
    """The names that some code looks up, with the functions defined in it; None if it takes decisions itself, or calls what
    nobody can know. Kept for each code object."""
    found = _outlines.get(id(code))
    if found is None or found[0] is not code:
        if len(_outlines) > 10_000:
            _outlines.clear()
        parts = list(codes(code))
        lookups: tuple[_Lookup, ...] | None = None
        if not any(_decides(part) for part in parts):
            each = [_lookups(part) for part in parts]
            if None not in each:
                lookups = tuple(dict.fromkeys([x for row in each for x in row or ()]))
        _outlines[id(code)] = found = code, lookups
    return found[1]


def _decides(code: CodeType) -> bool:
    """True if some code takes a decision that may be up to a tensor."""
    instructions = code.co_code[::2]
    if not _OTHER_DECISIONS.isdisjoint(instructions):
        return True
    return sum(map(instructions.count, _JUMPS)) > sum(map(instructions.count, _EXCEPTIONS))


def _lookups(code: CodeType) -> list[_Lookup] | None:
    """The names from outside that one code object looks up; None if it calls something that is not named."""
    found: list[_Lookup] = []
    path: _Lookup | None = None
    before, calls_next = "", False
    owner = code.co_varnames[0] if code.co_argcount and class_of(code.co_qualname) else None
    harmless = frozenset() if "super" in code.co_names else _METHODS
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "LOAD_CLASSDEREF"):
            # The call may be of the global itself, or of a part of it: `table[name](x)`.
            starts_call = calls_next or (name == "LOAD_GLOBAL" and bool((instruction.arg or 0) & 1))
            path = _Lookup(instruction.argval, (), calls_part=starts_call)
            found.append(path)
        elif name.startswith("LOAD_SUPER"):
            return None
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            is_called = name == "LOAD_METHOD" or (sys.version_info >= (3, 12) and bool((instruction.arg or 0) & 1))
            unknown = is_called and (instruction.argval not in harmless or before == owner)
            if path is None and unknown:
                return None
            if path is not None:
                path = _Lookup(path.name, (*path.attributes, instruction.argval), calls_unknown=unknown)
                found.append(path)
        else:
            if calls_next and name != "PUSH_NULL":  # something else than a name is called: nobody knows what
                return None
            path = None
        calls_next = name == "PUSH_NULL" and sys.version_info < (3, 13)
        if name == "PUSH_NULL" and sys.version_info >= (3, 13) and not before.startswith(_NAMED):
            return None
        before = _last(instruction.argval) if name.startswith("LOAD_FAST") else name
    return found


def _last(names: Any) -> str:
    """The variable that an instruction loads, the last one if it loads two."""
    return names[-1] if isinstance(names, tuple) else str(names)


def _leads_on(value: Any, above: tuple[CodeType, ...]) -> bool:
    """True if calling something may run code that must be rewritten."""
    if value is _ANYTHING:
        return True
    if value is _UNKNOWN or value is None or isinstance(value, _NEVER_CALLED):
        return False
    if isinstance(value, (types.BuiltinFunctionType, type)):
        return value in _CONCERNED
    if isinstance(value, types.MethodType):
        value = value.__func__
    elif not isinstance(value, FunctionType):
        value = getattr(type(value), "__call__", None)  # noqa: B004 - the method itself is wanted
    if not isinstance(value, FunctionType) or is_marked(value) or not is_users(value.__code__, value.__module__):
        return False
    return _judged(value, value.__code__, above)


_NAMED = ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "LOAD_ATTR")


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object, and those of the functions that are defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def _method(owner: Any, name: str) -> Any:
    """A method of an object or class that is written in Python; _UNKNOWN for all other attributes."""
    for kind in owner.__mro__ if isinstance(owner, type) else type(owner).__mro__:
        if name in vars(kind):
            found = vars(kind)[name]
            found = getattr(found, "__func__", found)
            return found if isinstance(found, FunctionType) else _UNKNOWN
    return _UNKNOWN


class _Names:
    """What the names from outside mean to a function now."""

    def __init__(self, function: FunctionType) -> None:
        self._globals = function.__globals__
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def meaning(self, lookup: _Lookup) -> Any:
        """The value of a name or of an attribute of a module, _UNKNOWN if that cannot be said, _ANYTHING if what cannot be
        said is called."""
        value = self._named(lookup.name)
        if lookup.calls_part and not callable(value) and not isinstance(value, types.ModuleType):
            return _ANYTHING
        for attribute in lookup.attributes:
            value = (
                getattr(value, attribute, _UNKNOWN)
                if isinstance(value, types.ModuleType)
                else _method(value, attribute)
            )
        return _ANYTHING if value is _UNKNOWN and lookup.calls_unknown else value

    def _named(self, name: str) -> Any:
        cell = self._cells.get(name)
        if cell is None:
            return self._globals.get(name, vars(builtins).get(name, _UNKNOWN))
        try:
            return cell.cell_contents
        except ValueError:  # not assigned yet
            return _UNKNOWN
