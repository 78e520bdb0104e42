"""Batched: the tensor of one example that stands for all examples of a batch.

An op that meets one is run by its `batch` rule on what it holds. Each transformation has a level; values of a higher level
may hold values of a lower one. A tape that was entered inside a transformation sees the ops on examples, a tape around
it sees the ops on whole batches: `interpret` decides who is shown what.

The levels of nested maps are 1, 2, 3. The rows of a Jacobian have a level between those of the maps around it and those
that ran in what it differentiates: outside all maps 0.5.

What a Batched holds is a Tensor in the user's code. In a backward pass that nobody records it is a plain array, and the
operators below keep it one: a rule's `dy * y` is then one NumPy call on all rows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, state
from gradtape.core.deferral import Unknown
from gradtape.core.op import REGISTRY, Op, Unsupported
from gradtape.core.shape import TensorShape, spec_of
from gradtape.core.tensor import Interpreted, Tensor, known_shape, wrap
from gradtape.core.variable import Variable
from gradtape.ops.family import align, by_loop, dims, no_examples

_current = state.current
_new = object.__new__


class NeedsValueError(errors.OperatorNotAllowedInGraphError):
    """Python asked for the value of a tensor that stands for many examples.

    Wrong: `tf.vectorized_map(lambda x: x if x > 0 else -x, xs, fallback_to_while_loop=False)`
    Right: `tf.vectorized_map(lambda x: tf.where(x > 0, x, -x), xs)`

    Attributes:
      level: the level of the transformation that the tensor belongs to.
    """

    def __init__(self, message: str, level: float = 0) -> None:
        super().__init__(message)
        self.level = level


class UnknownExampleError(ValueError):
    """The shape of one example is known only when the function that is traced runs."""


class Batched(Interpreted):
    """The tensor of one example, standing for all.

    Attributes:
      value: all examples along a leading axis: a Tensor, an array, or a Batched of a lower level.
      level: of the transformation that it belongs to; higher is further inside.
    """

    __slots__ = ("level", "value")

    level: float
    value: Any

    @property
    def _array(self) -> Any:
        raise self.needs_value("This operation")

    @property
    def shape(self) -> TensorShape:
        """The shape of one example."""
        dims = tuple(self.value.shape)[1:]
        if None in dims:
            raise UnknownExampleError(
                errors.compose(
                    f"vectorized_map: the shape of one example is {TensorShape(dims)}, and must be known.",
                    "give it with tf.ensure_shape(x, shape); only the number of examples may be unknown.",
                )
            )
        return known_shape(dims)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        own = self.value.dtype
        return own if isinstance(own, dtypes.DType) else dtypes.from_numpy(own)

    @property
    def ndim(self) -> int:
        """The number of dimensions of one example."""
        result: int = self.value.ndim - 1
        return result

    @property
    def device(self) -> str:
        """The full name of the device that holds the values."""
        result: str = self.full().value.device
        return result

    def interpret(self, op: Op, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The op on all examples, by its `batch` rule; recorders inside this level are shown the op itself."""
        level, trace = self.level, _current.trace
        if trace is not None and trace.level > level:
            return trace.add(
                op, inputs, params
            )  # a branch or body that is traced in the map: it runs with the rest of it
        inputs = tuple([x if hasattr(x, "dtype") else number_beside(x, inputs) for x in inputs])
        flags = tuple([type(x) is Batched and x.level == level for x in inputs])
        values = [x.value if flag else x for x, flag in zip(inputs, flags, strict=True)]
        recorders = _current.recorders
        if not recorders:
            return _wrap_all(_run(op, flags, inputs, values, params), level)
        try:
            _current.recorders = tuple([r for r in recorders if r.depth < level])
            outputs = _wrap_all(_run(op, flags, inputs, values, params), level)
            ids = tuple([x._id if isinstance(x, Tensor) else 0 for x in inputs])
            for i, recorder in enumerate(recorders):
                if recorder.depth >= level:
                    # What a recorder runs itself is seen only by those that were entered before it.
                    _current.recorders = recorders[:i]
                    recorder.see(op, ids, inputs, params, outputs, outputs)
        finally:
            _current.recorders = recorders
        return outputs

    def full(self) -> Batched:
        """This value for the user's code: it holds a Tensor, never a plain array."""
        value = self.value
        if type(value) is Tensor:
            return self
        held = value.full() if isinstance(value, Interpreted) else wrap(value)
        return self if held is value else batched(held, self.level, self._id)

    def bare(self) -> Batched:
        """This value for a backward pass that is not recorded: it holds a plain array."""
        value = self.value
        if not isinstance(value, Tensor):
            return self
        held = value.bare() if isinstance(value, Interpreted) else value._array
        return self if held is value else batched(held, self.level, self._id)

    def ones_like(self) -> Tensor:
        """Ones, the same for every example."""
        return wrap(np.ones_like(innermost(self), shape=dims(self))[()])

    def zeros_like(self) -> Tensor:
        """Zeros, the same for every example."""
        return wrap(np.zeros_like(innermost(self), shape=dims(self))[()])

    def needs_value(self, how: str) -> NeedsValueError:
        """The error for Python asking for the value of one example."""
        what = (
            f"{how} needs the value of a tensor that stands for {self.value.shape[0]} examples, each {spec_of(self)}."
        )
        fix = "compute with ops, such as tf.where(condition, a, b) in place of `if`."
        return NeedsValueError(errors.compose(what, fix, depth=2), self.level)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        result: int = self.shape[0]
        return result

    def __iter__(self) -> Iterator[Tensor]:
        if not self.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, one of {self.value.shape[0]} examples>"

    __str__ = __repr__

    def __matmul__(self, other: Any) -> Any:
        if isinstance(self.value, Tensor) or not _is_bare(other, self.level):
            return super(Batched, self.full()).__matmul__(other)
        return REGISTRY["matmul"](self, other)

    def __rmatmul__(self, other: Any) -> Any:
        if isinstance(self.value, Tensor) or not _is_bare(other, self.level):
            return super(Batched, self.full()).__rmatmul__(other)
        return REGISTRY["matmul"](other, self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        reflected = _REFLECTED.get(ufunc)
        if reflected and method == "__call__" and not options and not isinstance(inputs[0], Tensor):
            # `array * batched`: NumPy asks here rather than at `__rmul__`.
            return getattr(self, reflected)(inputs[0])
        return super().__array_ufunc__(ufunc, method, *inputs, **options)  # type: ignore[misc]


def batched(value: Any, level: float, identity: int = 0) -> Batched:
    """A Batched of a value whose leading axis counts the examples."""
    tensor = _new(Batched)
    tensor.value = value
    tensor.level = level
    tensor._id = identity
    return tensor


def innermost(x: Any) -> Any:
    """The array under all levels; for a tensor that has no value yet, one of its shape and dtype."""
    while isinstance(x, Batched):
        x = x.value
    if type(x) is Tensor:
        return x._array
    return x.template() if isinstance(x, Interpreted) else x


class Shared:
    """What a batch rule returns in place of a result that is the same for all examples.

    Attributes:
      value: the result, without an axis for the examples.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _wrap_all(result: Any, level: float) -> Any:
    if type(result) is tuple:
        return tuple([r.value if type(r) is Shared else batched(r, level) for r in result])
    return batched(result, level)


def _run(op: Op, flags: tuple[bool, ...], inputs: tuple[Any, ...], values: list[Any], params: dict[str, Any]) -> Any:
    """The batch rule's result; errors speak of the shapes of one example."""
    bare = not any(isinstance(v, Tensor) for v in values)
    if op.validate and not bare:
        op.infer(*[spec_of(x) for x in inputs], **params)
    try:
        if isinstance(op.batch, Unsupported):
            return by_loop(op, flags, tuple(values), params)
        if not op.elementwise and 0 in [v.shape[0] for v, flag in zip(values, flags, strict=True) if flag]:
            return no_examples(op, flags, tuple(values), params)
        return op.batch(flags, *values, **params)
    except NeedsValueError:
        raise
    except Unknown as missing:
        return state.tracing().later(partial(_by_rule, op, flags, params), tuple(values), {}, missing, op.name)
    except Exception:
        op.infer(*[spec_of(x) for x in inputs], **params)
        raise


def _by_rule(op: Op, flags: tuple[bool, ...], params: dict[str, Any], *values: Any) -> Any:
    by_itself = isinstance(op.batch, Unsupported)
    result = by_loop(op, flags, values, params) if by_itself else op.batch(flags, *values, **params)
    if type(result) is not tuple:
        return result
    like = next(v for v, flag in zip(values, flags, strict=True) if flag)
    return tuple([repeated(r.value, like) if type(r) is Shared else r for r in result])


def repeated(x: Any, like: Any) -> Any:
    """A value once for each row of another, of which a function that is being traced may not know the number."""
    rows = like.shape[0]
    if rows is None:
        return state.tracing().later(_repeated, (x, like), {}, None, "repeated")
    return REGISTRY["broadcast_to"](x, shape=(rows, *dims(x)))


def _repeated(x: Any, like: Any) -> Any:
    return REGISTRY["broadcast_to"](x, shape=(dims(like)[0], *dims(x)))


def number_beside(x: Any, others: tuple[Any, ...]) -> Any:
    """A Python number beside arrays, as a scalar of the dtype that they have."""
    found = [dtypes.as_dtype(o.dtype) for o in others if hasattr(o, "dtype")]
    wanted = [d for d in found if d.is_numeric and (d.is_floating or d.is_complex or type(x) is int)]
    return (wanted or found)[0].numpy.type(x)


def _is_bare(x: Any, level: float) -> bool:
    """True for a number, an array, or a Batched of this level that holds an array."""
    if isinstance(x, Tensor):
        return type(x) is Batched and x.level == level and not isinstance(x.value, Tensor)
    return isinstance(x, (np.ndarray, np.generic, int, float, complex)) or (
        hasattr(x, "__array_function__") and not isinstance(x, Variable)
    )


def _elementwise(name: str, function: Callable[[Any, Any], Any], reflect: bool) -> Any:
    """An operator that stays with plain arrays where both operands hold them, and is the tensors' operator elsewhere."""

    def method(self: Batched, other: Any) -> Any:
        p = self.value
        if isinstance(p, Tensor) or not _is_bare(other, self.level):
            return getattr(super(Batched, self.full()), name)(other)
        if isinstance(other, Batched):
            q = other.value
            if p.ndim != q.ndim:
                p, q = align((True, True), (p, q))
        else:
            q = other
            if getattr(q, "ndim", 0) >= p.ndim:
                p, q = align((True, False), (p, q))
        return batched(function(q, p) if reflect else function(p, q), self.level)

    method.__name__ = name
    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Batched, f"__{_name}__", _elementwise(f"__{_name}__", getattr(operator, _name), False))
    setattr(Batched, f"__r{_name}__", _elementwise(f"__r{_name}__", getattr(operator, _name), True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Batched, f"__{_name}__", _elementwise(f"__{_name}__", getattr(operator, _name), False))

_REFLECTED: dict[Any, str] = {
    np.add: "__radd__", np.subtract: "__rsub__", np.multiply: "__rmul__", np.true_divide: "__rtruediv__",
    np.floor_divide: "__rfloordiv__", np.remainder: "__rmod__", np.power: "__rpow__", np.less: "__gt__",
    np.less_equal: "__ge__", np.greater: "__lt__", np.greater_equal: "__le__", np.equal: "__eq__",
    np.not_equal: "__ne__", np.matmul: "__rmatmul__",
}  # fmt: skip


def _refuse(how: str) -> Any:
    def method(self: Batched, *arguments: Any, **options: Any) -> Any:
        raise self.needs_value(how)

    return method


for _name, _how in {
    "__bool__": "bool()", "__int__": "int()", "__float__": "float()", "__complex__": "complex()", "__index__": "An index",
    "__round__": "round()", "numpy": "numpy()", "__array__": "A conversion to a NumPy array", "__dlpack__": "DLPack",
    "__dlpack_device__": "DLPack", "__buffer__": "The buffer protocol", "__reduce__": "Pickling",
}.items():  # fmt: skip
    setattr(Batched, _name, _refuse(_how))
