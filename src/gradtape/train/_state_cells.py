"""State that is not in variables, as checkpoints see it: one value of an object is a cell, which is read and assigned as variables are.

Objects give such state in two ways: as a string (`PythonState`), or as tensors by name (`_serialize_to_tensors` of TensorFlow's Trackable).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from gradtape.api.array_op import objects
from gradtape.core import convert
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import wrap
from gradtape.core.variable import Variable
from gradtape.core.weak import WeakKeys
from gradtape.toplevel.trackable import Trackable

ATTRIBUTES = ".ATTRIBUTES/"  # in front of the names of cells, among the parts of an object
_cells: WeakKeys[Any, dict[str, Variable]] = WeakKeys()
# Objects made while a checkpoint has values that nothing took, and who looks for their state when they are first asked for something.
waiting: WeakKeys[PythonState, int] = WeakKeys()
searchers: list[Callable[[PythonState], None]] = []


class PythonState(Trackable):
    """Base of objects with a state beside variables, as a string, which checkpoints save and restore.

    >>> import tempfile
    >>> class Count(tf.train.experimental.PythonState):
    ...     n = 3
    ...     def serialize(self):
    ...         return str(self.n)
    ...     def deserialize(self, string_value):
    ...         self.n = int(string_value)
    >>> count = Count()
    >>> checkpoint = tf.train.Checkpoint(count=count)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> count.n = 10
    >>> status = checkpoint.restore(path)
    >>> count.n
    3
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made = super().__new__(cls)
        if searchers:
            waiting[made] = 0
        return made

    def __getattribute__(self, name: str) -> Any:
        if searchers and self in waiting and not name.startswith("__"):
            for search in list(searchers):
                search(self)
        return super().__getattribute__(name)

    def serialize(self) -> str:
        """The state, as a string or bytes."""
        raise NotImplementedError

    def deserialize(self, string_value: str) -> None:
        """Take a state, which comes as bytes."""
        raise NotImplementedError


class StateCell(Variable):
    """A value of an object's state.

    Args:
      owner: the object.
      get: the value, from the object.
      put: gives the object a tensor.
    """

    __slots__ = ("_get", "_owner", "_put")

    def __init__(self, owner: Any, get: Callable[[Any], Any], put: Callable[[Any, Any], Any], name: str) -> None:
        value = np.asarray(b"", object) if isinstance(owner, PythonState) else get(owner)
        super().__init__(value, trainable=False, name=name, shape=TensorShape(None))
        self._owner, self._get, self._put = weakref.ref(owner), get, put

    def state(self) -> Any:
        """The value as it is now."""
        value = self._get(self._owner())
        return objects([value], ()) if isinstance(value, bytes) else np.asarray(convert.convert_to_tensor(value))

    def assign(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Give the object what a checkpoint has."""
        owner = self._owner()
        if isinstance(owner, PythonState):
            waiting.pop(owner)
        self._put(owner, value)
        return self


def array_of(variable: Variable) -> Any:
    """The value of a variable or a cell that a checkpoint keeps."""
    return np.asarray(variable.state() if isinstance(variable, StateCell) else variable._value._array)


def cells(value: Any) -> dict[str, Variable]:
    """The state of an object that is not in variables, by name."""
    if not isinstance(value, Trackable):
        return {}
    known = _cells.get(value)
    if known is None:
        known = {ATTRIBUTES + name: cell for name, cell in _made(value).items()}
        if known:
            _cells[value] = known
    return known


def _made(value: Any) -> dict[str, Variable]:
    if isinstance(value, PythonState):
        return {"py_state": StateCell(value, _string, lambda owner, text: owner.deserialize(text.numpy()), "py_state")}
    kind = type(value)
    if kind._serialize_to_tensors is not Trackable._serialize_to_tensors:
        names = list(value._serialize_to_tensors())
        given: dict[str, Any] = {}

        def part(name: str) -> StateCell:
            return StateCell(value, lambda owner: _called(owner._serialize_to_tensors()[name]), put(name), name)

        def put(name: str) -> Callable[[Any, Any], Any]:
            def give(owner: Any, tensor: Any) -> None:
                given[name] = tensor
                if len(given) == len(names):  # all of them are there
                    tensors = dict(given)
                    given.clear()
                    owner._restore_from_tensors(tensors)

            return give

        return {name: part(name) for name in names}
    if kind._gather_saveables_for_checkpoint is not Trackable._gather_saveables_for_checkpoint:
        return {name: _saveable(value, name) for name in value._gather_saveables_for_checkpoint()}
    return {}


def _saveable(value: Any, name: str) -> Variable:
    """A cell for one of the objects of TensorFlow's older protocol, which has the tensors to save, and a method `restore`."""
    given = value._gather_saveables_for_checkpoint()[name]
    if isinstance(given, Variable):
        return given

    def made(owner: Any) -> Any:
        return owner._gather_saveables_for_checkpoint()[name]()

    return StateCell(
        value,
        lambda owner: _called(made(owner).specs[0].tensor),
        lambda owner, tensor: made(owner).restore([tensor], None),
        name,
    )


def _called(value: Any) -> Any:
    return value() if callable(value) and not isinstance(value, Variable) else value


def _string(owner: PythonState) -> bytes:
    text = owner.serialize()
    return text.encode() if isinstance(text, str) else bytes(text)


def give(variable: Variable, array: Any) -> bool:
    """True if what was found is a cell, which has the value now."""
    if not isinstance(variable, StateCell):
        return False
    variable.assign(wrap(array))
    return True
