"""Values of a checkpoint go to the variables with the same path: at once, or when those are made.

A variable may be made after `restore`: in a layer that is built later, or appended to a list. While a checkpoint has
values that nothing took, new variables are of the class `Waiting`. The first time one is read, the objects that were
restored are searched for it; if it is there, it gets its value and is an ordinary variable from then on.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import weakref
from collections.abc import Iterator
from typing import Any

from gradtape.core import errors, locks, log, state
from gradtape.core import variable as variables
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import wrap
from gradtape.core.variable import Variable
from gradtape.core.weak import WeakKeys
from gradtape.ops.family import boxed
from gradtape.train import _object_graph as object_graph
from gradtape.train import _state_cells as state_cells
from gradtape.train._file_format import Reader

_PATIENCE = 8  # reads after which a variable that belongs to no restored object stops waiting
_pending: list[Restoration] = []
_orders = itertools.count()
_written: WeakKeys[Variable, int] = WeakKeys()  # the order of the checkpoint that a variable has its value of
_lock = locks.rlock("restore")


class Restoration:
    """A checkpoint that is being restored, and what has been found of it."""

    def __init__(self, reader: Reader, source: str) -> None:
        self.source, self.is_partial = source, False
        self._order = next(_orders)
        self._roots: list[Any] = []
        self._reader = reader
        self._nodes: list[Any] = reader.objects()
        self._open = {i for i, node in enumerate(self._nodes) if "value" in node}
        self._owners: dict[int, Any] = {}
        self._parents: list[list[int]] = [[] for _ in self._nodes]
        for i, node in enumerate(self._nodes):
            for part in node["parts"].values():
                self._parents[part].append(i)

    def start(self, root: Any) -> None:
        """Restore the values of the objects below a root; objects created later are restored on creation."""
        with _lock, _Searching():
            self._remember(root, 0)
            inner = getattr(root, "_root", None)  # what a checkpoint was made for may outlive it
            with contextlib.suppress(TypeError):
                self._roots = [] if inner is None else [weakref.ref(inner)]
            found = self._found([(root, 0)])
            arrays = self._read(found)
            for (variable, _), array in zip(found, arrays, strict=True):
                if isinstance(variable, Waiting):
                    _store(variable, array)
                else:
                    variable.assign(wrap(array))
                _written[variable] = self._order
            self._close(found)
            if self._open:
                _pending.append(self)
                if _made not in variables.created:
                    variables.created.append(_made)
                    state_cells.searchers[:] = [_searched]

    def search(self) -> None:
        """Look again at the objects that are known, for parts that they got since."""
        with _lock, _Searching():
            known = [(owner(), node) for node, owner in list(self._owners.items())]
            known += [(owner(), 0) for owner in self._roots]
            found = self._found([(owner, node) for owner, node in known if owner is not None])
            # Into the cells: a variable that is new has no past for tapes and traces.
            for (variable, _), array in zip(found, self._read(found), strict=True):
                if (_written.get(variable) or 0) <= self._order:  # what was restored later stays
                    _store(variable, array)
                    _written[variable] = self._order
            self._close(found)

    def _found(self, start: list[tuple[Any, int]]) -> list[tuple[Variable, int]]:
        """The variables below some objects that have a value waiting, with the number of the saved object."""
        found: dict[int, Variable] = {}
        seen: set[Any] = set()
        todo, useful = start, self._useful()
        while todo:
            value, number = todo.pop()
            if number not in useful or (object_graph.identity(value), number) in seen:
                continue
            seen.add((object_graph.identity(value), number))
            variable = object_graph.variable_of(value)
            if variable is not None:
                if number in self._open:
                    found.setdefault(number, variable)
                continue
            self._remember(value, number)
            saved = self._nodes[number]["parts"]
            todo += [(part, saved[name]) for name, part in object_graph.parts(value).items() if name in saved]
        return [(variable, number) for number, variable in found.items()]

    def _useful(self) -> set[int]:
        """The saved objects from which a value can be reached that nothing took."""
        useful, todo = set(self._open), list(self._open)
        while todo:
            for parent in self._parents[todo.pop()]:
                if parent not in useful:
                    useful.add(parent)
                    todo.append(parent)
        return useful

    def _remember(self, value: Any, number: int) -> None:
        with contextlib.suppress(TypeError):  # lists and dicts are reached through their owners
            self._owners[number] = weakref.ref(value)

    def _read(self, found: list[tuple[Variable, int]]) -> list[Any]:
        """The values of variables, all read and checked before the first one is assigned."""
        keys = [self._nodes[number]["value"] for _, number in found]
        for (variable, _), key in zip(found, keys, strict=True):
            _check(self._reader, key, variable)
        return [_scalar_or_array(self._reader.array(key)) for key in keys]

    def _close(self, found: list[tuple[Variable, int]]) -> None:
        """These values went to their variables."""
        self._open.difference_update([number for _, number in found])
        if not self._open and self in _pending:
            _pending.remove(self)

    def used(self) -> list[str]:
        """The keys of the values that went to a variable."""
        return [n["value"] for i, n in enumerate(self._nodes) if "value" in n and i not in self._open]

    def unused(self) -> list[str]:
        """The keys of the values that nothing took."""
        return sorted([self._nodes[number]["value"] for number in self._open])

    def unmatched(self, root: Any) -> list[Variable]:
        """The variables below a root for which there is no value."""
        missing: dict[int, Variable] = {}
        matched: set[int] = set()
        takers: dict[int, int] = {}
        seen: set[Any] = set()
        todo: list[tuple[Any, int | None]] = [(root, 0)]
        while todo:
            value, number = todo.pop()
            if (object_graph.identity(value), number) in seen:
                continue
            seen.add((object_graph.identity(value), number))
            variable = object_graph.variable_of(value)
            if variable is None:
                saved = {} if number is None else self._nodes[number]["parts"]
                todo += [(part, saved.get(name)) for name, part in object_graph.parts(value).items()]
            elif number is None or takers.setdefault(number, variable._id) != variable._id:
                missing[variable._id] = variable  # there is no value, or another variable took it
            else:
                matched.add(variable._id)
        return [variable for identity, variable in missing.items() if identity not in matched]

    def is_alive(self) -> bool:
        """True while an object exists that may still get parts."""
        return any(owner() is not None for owner in (*self._owners.values(), *self._roots))


def _check(reader: Reader, key: str, variable: Variable) -> None:
    shape, dtype = reader.shape(key), reader.dtype(key)
    if not variable.shape.is_compatible_with(shape):
        raise errors.build(
            errors.ShapeError,
            f"restore: Received incompatible tensor with shape {tuple(shape)} for variable {variable.name!r} with shape "
            f"{variable.shape}, in {key}.",
            "build the objects as they were when the checkpoint was written.",
        )
    if dtype is not variable.dtype:
        raise errors.build(
            errors.DTypeError,
            f"restore: {key} is {dtype.name}, but variable {variable.name!r} is {variable.dtype.name}.",
            "give the variable the saved dtype, or read the value with tf.train.load_variable and assign tf.cast of it.",
        )


def _scalar_or_array(array: Any) -> Any:
    return array if array.ndim else boxed(array[()])


def _store(variable: Variable, array: Any) -> None:
    """Put a value into the cell of a variable, which need not wait any longer."""
    if state_cells.give(variable, array):
        return
    if isinstance(variable, Waiting):
        _become(variable, Variable)
    _waits.pop(variable._id, None)
    _slot.__set__(variable, wrap(array, variable._id))


def _become(variable: Variable, kind: Any) -> None:
    variable.__class__ = kind


class _Searching:
    """A block in which variables that wait may be read as they are."""

    depth = 0

    def __enter__(self) -> None:
        _Searching.depth += 1

    def __exit__(self, *_: Any) -> None:
        _Searching.depth -= 1


class Waiting(Variable):
    """A variable that may get its value from a checkpoint when it is first read."""

    __slots__ = ()

    # Known without the value.
    dtype = property(lambda self: _slot.__get__(self).dtype)
    ndim = property(lambda self: _slot.__get__(self).ndim)

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return _slot.__get__(self).shape if self._shape is None else self._shape

    @property
    def _value(self) -> Any:
        self._resolve()
        return _slot.__get__(self)

    @_value.setter
    def _value(self, value: Any) -> None:
        self._resolve()
        _slot.__set__(self, value)

    def _resolve(self) -> None:
        """Look for this variable in the objects that are being restored, the latest first."""
        with _lock:
            if _Searching.depth:
                return
            waits = _waits.get(self._id, 0)
            _become(self, Variable)  # reads while searching see the present value
            before = _slot.__get__(self)
            for restoration in reversed(list(_pending)):
                restoration.search()
                if _slot.__get__(self) is not before:
                    break
            else:
                if waits < _PATIENCE and _pending and state.current.trace is None:
                    _waits[self._id] = waits + 1
                    _become(self, Waiting)
                    return
            _waits.pop(self._id, None)


_slot: Any = Variable.__dict__["_value"]
_waits: dict[int, int] = {}


def _made(variable: Variable) -> None:
    """Let a new variable wait, if a checkpoint has values that nothing took."""
    with _lock:
        _pending[:] = [r for r in _pending if r.is_alive()]
        if not _pending:
            variables.created.remove(_made)
            state_cells.searchers.clear()
            _waits.clear()
        elif type(variable) is Variable:
            _become(variable, Waiting)


def _searched(value: state_cells.PythonState) -> None:
    """Look for the state of an object that is asked for something, in the objects that are being restored."""
    with _lock:
        if _Searching.depth:
            return
        waits = state_cells.waiting.pop(value) or 0
        for restoration in reversed(list(_pending)):
            before = len(restoration._open)
            restoration.search()
            if len(restoration._open) < before:
                return
        if waits < _PATIENCE and _pending:
            state_cells.waiting[value] = waits + 1


def shown(names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more + "."


def _unused() -> Iterator[tuple[str, list[str]]]:
    for restoration in _pending:
        if not restoration.is_partial:
            yield restoration.source, restoration.unused()


@atexit.register
def _warn_at_exit() -> None:
    for source, keys in _unused():
        log.warning(
            "%d values of checkpoint %s were not used: %s Say status.expect_partial() if that is right.",
            len(keys), source, shown(keys),
        )  # fmt: skip
