"""Variable: a named cell whose value can be replaced.

A variable's value is a Tensor that carries the variable's identity, so an op that reads it needs no record of the read:
what reached any value of the variable reached the variable. Assigning makes a new Tensor with the same identity; values
that tapes have saved never change. Only where nobody else can see a large array, neither a tensor, a view, a tape nor
another thread, `assign_add` and `assign_sub` compute in place. Updates by several threads exclude each other; a reader takes
the cell's Tensor, which is whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from gradtape.core import (
    attribute_hints,
    convert,
    dtypes,
    errors,
    provenance,
    state,
    threads,
)
from gradtape.core.registry import REGISTRY
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.updates import change, check_delta, lock_of
from gradtape.core.variable_copies import VariableAggregation, VariableSynchronization
from gradtape.core.variable_creation import by_creators, initialize_once, names, say_if_no_switch
from gradtape.core.variable_properties import VariableProperties

_users, _begun = threads.users, threads.begun
_current = state.current


# Called with every new variable; empty unless a checkpoint waits for variables.
created: list[Callable[[Variable], None]] = []


def _read_by_value(self: Any) -> Tensor:
    """The `_read` of a subclass with a `value` of its own: ops on such a variable see what it returns."""
    if any(variable is self for variable in names.read):
        return Variable._read(self)
    before, names.read = names.read, (*names.read, self)
    try:
        found: Tensor = convert.convert_to_tensor(self.value())
        return found
    finally:
        names.read = before


class Variable(VariableProperties):
    """A mutable tensor that tapes watch automatically.

    Args:
      initial_value: a tensor, number, array, nested list, another variable, or a function without arguments.
      trainable: whether tapes watch it when it is used; True by default.
      name: the name, shown as `name:0`.
      dtype: converts the initial value.
      constraint: a function that optimizers apply after an update; stored only.
      synchronization, aggregation: how the replicas of a `tf.distribute` strategy share it.
      shape: a looser static shape, such as `[None]`, so that later values may differ in size.
      validate_shape, caching_device, variable_def, import_scope, experimental_enable_variable_lifting: ignored.

    >>> v = tf.Variable([1.0, 2.0], name="w")
    >>> v.assign_add([1.0, 1.0]).numpy()
    array([2., 3.], dtype=float32)
    """

    __slots__ = (
        "__weakref__", "_aggregation", "_constraint", "_id", "_lock", "_name", "_order", "_shape", "_synchronization",
        "_trainable", "_value",
    )  # fmt: skip

    __array_priority__ = 100
    _lock: Any  # see core/updates.py; not there before it is needed

    # No metaclass with a `__call__`, which would slow down every `isinstance`.
    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is Variable and names.creators and (args or kwargs):
            made: Self = by_creators(Variable, args, kwargs)
            return made
        return object.__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = initialize_once(cls.__init__)  # type: ignore[method-assign]
        if "value" in vars(cls) and "_read" not in vars(cls):
            cls._read = _read_by_value  # type: ignore[method-assign]

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: Any = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if hasattr(self, "_id"):
            return  # a creator has made it
        if initial_value is None:
            raise ValueError(
                errors.compose(
                    "The `initial_value` arg to `tf.Variable` must be specified.",
                    "tf.Variable(0.0), or tf.Variable(lambda: value).",
                )
            )
        if not isinstance(synchronization, VariableSynchronization):
            raise ValueError(f"Invalid variable synchronization mode: {synchronization!r}.")
        if not isinstance(aggregation, VariableAggregation):
            raise ValueError(f"Invalid variable aggregation mode: {aggregation!r}.")
        if constraint is not None and not callable(constraint):
            raise ValueError(f"Argument `constraint` must be None or a callable, got {constraint!r}.")
        if callable(initial_value) and not isinstance(initial_value, (Tensor, Variable)):
            initial_value = initial_value()
        initial = _initial(initial_value, dtype)
        if _current.trace is not None:
            static = initial.get_shape()
            if shape is None and not static.is_fully_defined():
                shape = static  # later calls may bring other sizes
            initial = _current.trace.lift(self, initial)
        array = initial._array
        self._shape = None if shape is None else TensorShape(shape)
        if self._shape is not None and not self._shape.is_compatible_with(array.shape):
            raise ValueError(
                errors.compose(
                    f"The initial value's shape {TensorShape(array.shape)} is not compatible with the explicitly "
                    f"supplied `shape` argument {self._shape}.",
                    "give a looser shape, or another value.",
                )
            )
        self._id = self._order = state.new_id()
        self._value = wrap(array, self._id)
        if trainable is not True and trainable is not False and trainable is not None:
            say_if_no_switch(trainable)
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        self._trainable = bool(trainable)
        self._constraint, self._synchronization, self._aggregation = constraint, synchronization, aggregation
        self._name = "/".join((*names.scopes, name or "Variable"))
        if initial._id:
            for recorder in state.current.recorders:
                recorder.assigned(self, initial._id, provenance.user_place(2))
        for callback in created:
            callback(self)
        if names.witness is not None:
            names.witness(self)

    def _read(self) -> Tensor:
        """The present value; every recording tape is told."""
        current = state.current
        for recorder in current.recorders:
            recorder.access(self)
        return self._value if current.trace is None else current.trace.read(self)

    def _write(self, array: Any, source: int = 0) -> None:
        """Replace the value; every recording tape is told, and which tensor it came from."""
        current = state.current
        if current.trace is not None:
            raise errors.build(
                errors.UnimplementedError,
                f"variable {self.name!r}: only assign, assign_add and assign_sub can be traced in a tf.function.",
                "compute the new value, for instance with tf.tensor_scatter_nd_update(v, ...), and use v.assign.",
            )
        for recorder in current.recorders:
            recorder.access(self)
            recorder.assigned(self, source, provenance.user_place(2))
        if current.undo is not None:
            current.undo.append((None, self, self._value))
        self._value = wrap(array, self._id)

    def set_shape(self, shape: Any) -> None:
        """Narrow the static shape; ValueError if it does not fit."""
        self._shape = self.shape.merge_with(shape)

    def read_value(self) -> Tensor:
        """The value as a new tensor, recorded as a read."""
        return REGISTRY["identity"](self)

    def value(self) -> Tensor:
        """The value as a new tensor, recorded as a read."""
        return self.read_value()

    def numpy(self) -> Any:
        """A writable NumPy copy of the value."""
        return self._read().numpy()

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Self:
        """Replace the value. No gradient flows through an assignment.

        Returns:
          The variable, so that calls can be chained; None if `read_value` is false.
        """
        tensor = self._convert(value)
        if not self.shape.is_compatible_with(tensor.shape):
            raise ValueError(
                errors.compose(
                    f"Cannot assign value to variable {self.name!r}: Shape mismatch. The variable shape {self.shape}, "
                    f"and the assigned value shape {tensor.shape} are incompatible.",
                    f"give a value of shape {self.shape}, tf.fill or tf.broadcast_to of a scalar; a variable that changes its size "
                    "is made with tf.Variable(value, shape=tf.TensorShape(None)).",
                )
            )
        if _current.trace is not None:
            _current.trace.assign(self, self._shaped(tensor))
            return self if read_value else None  # type: ignore[return-value]
        try:
            _begun.append(None)
            if len(_users) < 2:
                self._write(tensor._array, tensor._id)
            else:
                with lock_of(self):
                    self._write(tensor._array, tensor._id)
        finally:
            if _begun:
                _begun.pop()
        return self if read_value else None  # type: ignore[return-value]

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Self:
        """Add to the value. Returns the variable."""
        return self._update("assign_add", delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Self:
        """Subtract from the value. Returns the variable."""
        return self._update("assign_sub", delta, read_value)

    def load(self, value: Any, session: Any = None) -> None:
        """Set the value: an old name of `assign`, which returns nothing; `session` is ignored."""
        self.assign(value)

    def _update(self, what: str, delta: Any, read_value: bool) -> Self:
        tensor = self._convert(delta)
        if _current.trace is not None:
            check_delta(self, self.shape, what, tensor)  # later calls may find a value of another size
            _current.trace.update(self, what, self._shaped(tensor))
            return self if read_value else None  # type: ignore[return-value]
        if len(_users) < 2:
            try:
                _begun.append(None)
                if len(_users) < 2:
                    change(self, what, tensor, True)
                    return self if read_value else None  # type: ignore[return-value]
            finally:
                if _begun:
                    _begun.pop()
        with lock_of(self):
            change(self, what, tensor, False)
        return self if read_value else None  # type: ignore[return-value]

    def _shaped(self, tensor: Tensor) -> Tensor:
        """A tensor of a function, which fails when that runs if it does not have the shape of the variable then."""
        own, static = tensor.get_shape(), self.shape
        if static.rank is None or own.merge_with(static) == own:
            return tensor
        return REGISTRY["ensure_shape"](tensor, shape=tuple(static))

    def _convert(self, value: Any) -> Tensor:
        if isinstance(value, Variable):
            value = value._read()
        return convert.convert_to_tensor(value, self._value.dtype)

    def __dir__(self) -> list[str]:
        return attribute_hints.shown(type(self), super().__dir__())

    def __repr__(self) -> str:
        value = self._read()
        text = repr(value).split("numpy=", 1)[1][:-1]
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}, numpy={text}>"

    def __copy__(self) -> Variable:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copied = Variable.__new__(Variable)
        memo[id(self)] = copied
        copied._id = copied._order = state.new_id()
        copied._value = wrap(self._value._array, copied._id)
        for slot in ("_name", "_shape", "_trainable", "_constraint", "_synchronization", "_aggregation"):
            setattr(copied, slot, getattr(self, slot))
        return copied

    def __reduce__(self) -> Any:
        return _unpickle, (
            np.asarray(self._value._array), self._trainable, self._name, self._shape, self._constraint,
            self._synchronization, self._aggregation,
        )  # fmt: skip


attribute_hints.attach(Variable)


def _initial(value: Any, dtype: Any) -> Tensor:
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, Variable):
        value = value._read()
    return convert.convert_to_tensor(value, wanted)


def _unpickle(
    array: Any, trainable: bool, name: str, shape: Any, constraint: Any, sync: Any, aggregation: Any
) -> Variable:
    variable = Variable(
        array[()] if not array.ndim else array, trainable=trainable, shape=shape, constraint=constraint,
        synchronization=sync, aggregation=aggregation,
    )  # fmt: skip
    variable._name = name
    return variable


def _read_as_tensor(value: Variable, dtype: dtypes.DType | None) -> Tensor:
    if dtype is not None and value.dtype is not dtype:
        raise errors.build(
            errors.ConversionError,
            f"Tensor conversion requested dtype {dtype.name} for Variable with dtype {value.dtype.name}: {value.name}.",
            f"use tf.cast(v, tf.{dtype.name}).",
        )
    return value.read_value()


convert.CONVERTERS.append((Variable, _read_as_tensor))
