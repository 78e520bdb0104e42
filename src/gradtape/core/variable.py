"""Variable: a named cell whose value can be replaced.

A variable's value is a Tensor that carries the variable's identity, so an op that reads it needs no record of the read:
what reached any value of the variable reached the variable. Assigning makes a new Tensor with the same identity; values
that tapes have saved never change. Only where nobody else can see a large array, neither a tensor, a view, a tape nor
another thread, `assign_add` and `assign_sub` compute in place. Updates by several threads exclude each other; a reader takes
the cell's Tensor, which is whole.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gradtape.core import (
    attribute_hints,
    convert,
    dtypes,
    errors,
    hints,
    hot_kernels,
    memory,
    provenance,
    state,
    threads,
)
from gradtape.core.registry import REGISTRY
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Reference, Tensor, wrap
from gradtape.core.tensor_operators import Operators
from gradtape.core.updates import lock_of
from gradtape.core.variable_copies import VariableAggregation, VariableSynchronization
from gradtape.core.variable_creation import names

if TYPE_CHECKING:
    from gradtape.core.annotations import TensorLike
    from gradtape.core.indexed_slices import IndexedSlices

    class Part(Tensor):
        """`v[...]`: a tensor, which can be assigned to."""

        def assign(self, value: TensorLike, name: str | None = None) -> Variable:
            """Replace this part of the variable; the value is broadcast to the part's shape."""


_users, _begun = threads.users, threads.begun
_current = state.current


# Called with every new variable; empty unless a checkpoint waits for variables.
created: list[Callable[[Variable], None]] = []


def _once(initialize: Any) -> Any:
    """The `__init__` of a subclass, which leaves variables alone that are made: Python calls it on what `__new__` returns, and that
    may be what a creator has made."""

    @functools.wraps(initialize)
    def initialize_once(self: Any, *args: Any, **kwargs: Any) -> None:
        if not hasattr(self, "_id") and not getattr(self, "_is_made", False):
            initialize(self, *args, **kwargs)
            if not hasattr(self, "_id"):
                self._is_made = True

    return initialize_once


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


class Variable(Operators):
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
            made: Self = _by_creators(args, kwargs)
            return made
        return object.__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _once(cls.__init__)  # type: ignore[method-assign]
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
            _say_if_no_switch(trainable)
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
        self._value = wrap(array, self._id)

    # Properties that do not count as a use of the value.
    initializer = property(lambda self: None, doc="None: variables are initialised when they are made.")
    create = initializer
    graph = property(lambda self: None, doc="None: there is no graph.")
    op = property(lambda self: self, doc="The variable itself.")
    handle = property(lambda self: Handle(self), doc="The identity that tapes use; valid as a gradient source.")
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
        """A tensor that is True."""
        return wrap(np.bool_(True))

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Narrow the static shape; ValueError if it does not fit."""
        self._shape = self.shape.merge_with(shape)

    def ref(self) -> Reference:
        """A hashable reference, equal for the same variable: use it as a dictionary key."""
        return Reference(self)

    experimental_ref = ref

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
            _current.trace.assign(self, tensor)
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
            self._check_delta(what, tensor)
            _current.trace.update(self, what, tensor)
            return self if read_value else None  # type: ignore[return-value]
        if len(_users) < 2:
            try:
                _begun.append(None)
                if len(_users) < 2:
                    self._change(what, tensor, True)
                    return self if read_value else None  # type: ignore[return-value]
            finally:
                if _begun:
                    _begun.pop()
        with lock_of(self):
            self._change(what, tensor, False)
        return self if read_value else None  # type: ignore[return-value]

    def _change(self, what: str, tensor: Tensor, is_alone: bool) -> None:
        """Add or subtract; in place if no other thread can have the value."""
        value, array = self._value, tensor._array
        old = value._array
        if old.shape != array.shape:
            self._check_delta(what, tensor)
        ufunc = np.add if what == "assign_add" else np.subtract
        if old.size >= memory.THRESHOLD and type(old) is type(array) is np.ndarray:
            # Three references each: from the cell or the tensor, from the name here, from the argument of the count.
            is_free = is_alone and getrefcount(value) == getrefcount(old) == 3 and memory.owns(old)
            room = old if is_free else memory.allocate(what, memory.empty, old.shape, old.dtype)
            result = _combined(ufunc, old, array, room)
            del room
        else:
            try:
                result = ufunc(old, array)
            except (RuntimeWarning, FloatingPointError):
                # The user has made errors of NumPy's float warnings.
                with np.errstate(all="ignore"):
                    result = ufunc(old, array)
        self._write(result, tensor._id)

    def _check_delta(self, what: str, delta: Tensor) -> None:
        if not self._value.shape.is_compatible_with(delta.shape):
            raise errors.build(
                errors.ShapeError,
                f"{what}: shapes differ: variable {self.name!r} is {self._value.shape}, the delta is {delta.shape}.",
                "give the delta the variable's shape, for instance with tf.broadcast_to(delta, v.shape).",
            )

    def _convert(self, value: Any) -> Tensor:
        if isinstance(value, Variable):
            value = value._read()
        return convert.convert_to_tensor(value, self._value.dtype)

    if TYPE_CHECKING:  # attached by `gradtape.ops.getitem` and `gradtape.toplevel.variable_methods`

        def __getitem__(self, key: Any) -> Part: ...
        def scatter_add(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def scatter_sub(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def scatter_update(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def scatter_mul(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def scatter_div(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def scatter_min(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def scatter_max(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def scatter_nd_add(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Self: ...
        def scatter_nd_sub(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Self: ...
        def scatter_nd_update(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Self: ...
        def scatter_nd_min(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Self: ...
        def scatter_nd_max(self, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Self: ...
        def batch_scatter_update(
            self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
        ) -> Self: ...
        def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor: ...
        def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor: ...
        def count_up_to(self, limit: int) -> Tensor: ...

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.read_value())

    def __bool__(self) -> bool:
        return bool(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __float__(self) -> float:
        return float(self._read())

    def __complex__(self) -> complex:
        return complex(self._read())

    def __index__(self) -> int:
        return self._read().__index__()

    def __format__(self, spec: str) -> str:
        return format(self._read(), spec) if spec else str(self)

    def __hash__(self) -> int:
        raise TypeError(
            errors.compose(
                "Variable is unhashable: it cannot be a key of a dict or an element of a set.",
                "use variable.ref() as the key; ref.deref() gives the variable back.",
            )
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._read().__array__(dtype, copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._read().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[Any, Any]:
        return self._value.__dlpack_device__()

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            errors.compose(
                "'Variable' object does not support item assignment.",
                f"v[{_written(key)}].assign({_written_value(value)}).",
            )
        )

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


_MAKE = Variable.__init__
_DEFAULTS = dict(zip(_MAKE.__code__.co_varnames[1:], _MAKE.__defaults__ or (), strict=False))


def _by_creators(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A variable as the creators around make it; the last one makes an ordinary variable."""
    creators = names.creators

    def make(remaining: tuple[Callable[..., Any], ...], **arguments: Any) -> Any:
        if remaining:
            return remaining[-1](functools.partial(make, remaining[:-1]), **arguments)
        names.creators = ()
        try:
            return Variable(**arguments)
        finally:
            names.creators = creators

    return make(creators, **_DEFAULTS | dict(zip(_DEFAULTS, args, strict=False)) | kwargs)


def _combined(ufunc: np.ufunc, old: Any, delta: Any, out: Any) -> Any:
    """A sum or difference of large arrays, in memory that is given."""
    native = hot_kernels.kernel(REGISTRY["add" if ufunc is np.add else "subtract"], (old, delta), {})
    return memory.combine(ufunc, old, delta, out=out) if native is None else native(old, delta, out=out)


class Handle:
    """The identity of a variable, apart from its value."""

    __slots__ = ("_id", "_variable")

    dtype = dtypes.resource

    def __init__(self, variable: Variable) -> None:
        self._variable, self._id = variable, variable._id

    @property
    def shape(self) -> TensorShape:
        """The shape of a handle: a scalar."""
        return TensorShape([])


def _say_if_no_switch(trainable: Any) -> None:
    """Say that a name or number in the second place is taken for `trainable`. Any truth value is accepted."""
    if not isinstance(trainable, (bool, int, np.bool_, np.integer, Tensor, Variable)):
        hints.say(
            provenance.user_place(3),
            f"Variable: trainable must be True or False, got {errors.brief(trainable)}, which counts as {bool(trainable)}.",
            "tf.Variable(initial_value, name=name): the value comes first, the name by keyword.",
        )


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


def _written_value(value: Any) -> str:
    """A value as a program has it, if it is short enough to be written."""
    return errors.brief(value) if isinstance(value, (int, float, str, list, tuple)) else "value"


def _written(key: Any) -> str:
    """An index as it is written between brackets."""
    if isinstance(key, tuple):
        return ", ".join([_written(k) for k in key])
    if not isinstance(key, slice):
        return "..." if key is Ellipsis else errors.brief(key)
    parts = ["" if part is None else str(part) for part in (key.start, key.stop, key.step)]
    return ":".join(parts if parts[2] else parts[:2])
