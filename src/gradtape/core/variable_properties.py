"""What a variable tells of itself. None of it counts as a use of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Reference, Tensor, wrap
from gradtape.core.variable_copies import VariableAggregation, VariableSynchronization
from gradtape.core.variable_protocols import ValueProtocols
from gradtape.core.weak import WeakValues

if TYPE_CHECKING:
    from gradtape.core.variable import Variable


class Handle:
    """The identity of a variable, apart from its value."""

    __slots__ = ("__weakref__", "_id", "_variable")

    dtype = dtypes.resource

    def __init__(self, variable: Variable) -> None:
        self._variable, self._id = variable, variable._id

    @property
    def shape(self) -> TensorShape:
        """The shape of a handle: a scalar."""
        return TensorShape([])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Handle) and other._variable is self._variable

    def __hash__(self) -> int:
        return hash(self._id)


_handles: WeakValues[int, Handle] = WeakValues()


def _handle(variable: Variable) -> Handle:
    """The handle of a variable, always the same object."""
    found = _handles.get(variable._id)
    if found is None:
        found = _handles[variable._id] = Handle(variable)
    return found


class VariableProperties(ValueProtocols):
    """Base of Variable, whose slots these are."""

    __slots__ = ()

    _id: int
    _order: int
    _name: str
    _shape: TensorShape | None
    _trainable: bool
    _constraint: Any
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation

    initializer = property(lambda self: None, doc="None: variables are initialised when they are made.")
    create = initializer
    graph = property(lambda self: None, doc="None: there is no graph.")
    op = property(lambda self: self, doc="The variable itself.")
    handle = property(lambda self: _handle(self), doc="The identity that tapes use; valid as a gradient source.")
    # What libraries ask of TensorFlow's own class.
    _unique_id = property(lambda self: f"{self._name}_{self._order}")
    _shared_name = property(lambda self: self._name)
    _in_graph_mode = False

    @property
    def name(self) -> str:
        """The name, with the `:0` of TensorFlow."""
        return f"{self._name}:0"

    @property
    def trainable(self) -> bool:
        """Whether tapes watch this variable automatically."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: Any) -> None:
        raise AttributeError(
            errors.compose(
                "'Variable' object cannot change its attribute 'trainable'.",
                "make the variable with tf.Variable(value, trainable=False), or leave it out of the sources of tape.gradient.",
            )
        )

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._value.dtype

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        return self._value.device

    @property
    def constraint(self) -> Any:
        """The constraint function, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """The synchronisation mode."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The aggregation mode."""
        return self._aggregation

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._value.ndim

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._value.shape if self._shape is None else self._shape

    @property
    def initial_value(self) -> Any:
        """Always RuntimeError, as in TensorFlow's eager mode."""
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    def initialized_value(self) -> Any:
        """Always NotImplementedError, as in TensorFlow's eager mode."""
        raise NotImplementedError("`initialized_value` is not supported when eager execution is enabled.")

    def eval(self, session: Any = None) -> Any:
        """Always RuntimeError: there are no sessions."""
        raise RuntimeError("Trying to eval in EAGER mode; use .numpy().")

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A true tensor."""
        return wrap(np.bool_(True))

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def ref(self) -> Reference:
        """A hashable reference, equal for the same variable: use it as a dictionary key."""
        return Reference(self)

    experimental_ref = ref
