"""Symbol: the tensor of a function that is being traced. It has a shape and a dtype, and no value yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core import dtypes, errors, state
from gradtape.core.op import REGISTRY, Op
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, known_shape, wrap

if TYPE_CHECKING:
    from gradtape.staging.trace import Trace

_current = state.current
_new = object.__new__


class Symbol(Tensor):
    """A tensor that stands for what a call of the function will compute.

    Attributes:
      value: the value in the graph.
      trace: whose graph that is.
      level: of the trace; ops on tensors of several transformations are for the highest.
    """

    __slots__ = ("level", "trace", "value")

    level: float
    trace: Trace
    value: Value

    @property
    def _array(self) -> Any:
        raise needs_value(self, "This operation")

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return known_shape(self.value.spec.shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self.value.spec.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.value.spec.shape)

    @property
    def device(self) -> str:
        """No device yet."""
        return ""

    @property
    def name(self) -> str:
        """A name in the style of TensorFlow's graphs."""
        return f"{self.value.name or (self.value.node.op.name if self.value.node else 'capture')}:0"

    @property
    def graph(self) -> Any:
        """The graph of the function."""
        return self.trace.graph

    @property
    def op(self) -> Any:
        """The node that computes it; None for arguments."""
        return self.value.node

    def interpret(self, op: Op, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The op as a node of the graph that is being traced."""
        trace = _current.trace
        if trace is None:
            raise out_of_scope(next(x for x in inputs if isinstance(x, Symbol)))
        return trace.add(op, inputs, params)

    def full(self) -> Symbol:
        """The value for the user's code: itself."""
        return self

    def bare(self) -> Symbol:
        """The value for the rules of a backward pass: itself."""
        return self

    def fresh(self) -> Symbol:
        """The same value in a tensor that no tape knows."""
        return symbol(self.value, self.trace)

    def template(self) -> Any:
        """An array of the shape and dtype, without memory of its own; unknown dimensions count as 1."""
        spec = self.value.spec
        return np.broadcast_to(np.zeros((), spec.dtype.numpy), [1 if d is None else d for d in spec.shape])

    def ones_like(self) -> Tensor:
        """Ones of the same shape and dtype."""
        return _filled(self, 1)

    def zeros_like(self) -> Tensor:
        """Zeros of the same shape and dtype."""
        return _filled(self, 0)

    def __bool__(self) -> bool:
        raise errors.OperatorNotAllowedInGraphError(
            errors.compose(
                "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.",
                "use tf.where or tf.cond in place of `if`.",
                depth=1,
            )
        )

    def numpy(self) -> Any:
        """AttributeError: there is no value yet."""
        raise AttributeError(
            errors.compose(
                "'SymbolicTensor' object has no attribute 'numpy': a tensor has no value while the function is traced.",
                "leave .numpy() for what the function returns; tf.print shows values when it runs.",
                depth=1,
            )
        )

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        size = self.value.spec.shape[0]
        if size is None:
            raise TypeError(
                errors.compose(
                    "len is not well defined for a tensor whose first dimension is unknown.", "use tf.shape."
                )
            )
        return size

    def __iter__(self) -> Iterator[Tensor]:
        raise errors.OperatorNotAllowedInGraphError(
            errors.compose(
                "Iterating over a symbolic `tf.Tensor` is not allowed.", "use tf.unstack, or tf.map_fn.", depth=1
            )
        )

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        return f"Tensor({self.name!r}, shape={self.shape}, dtype={self.dtype.name})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def symbol(value: Value, trace: Trace, identity: int = 0) -> Symbol:
    """A tensor for a value of a graph."""
    tensor = _new(Symbol)
    tensor.value, tensor.trace, tensor.level, tensor._id = value, trace, trace.level, identity
    return tensor


def _filled(like: Symbol, number: int) -> Tensor:
    spec = like.value.spec
    if None in spec.shape:
        return REGISTRY["zeros_like"](like) if not number else REGISTRY["ones_like"](like)  # type: ignore[no-any-return]
    array = np.broadcast_to(np.asarray(number, spec.dtype.numpy), spec.shape)[()]
    return wrap(array) if _current.trace is None else _current.trace.constant(array)


def needs_value(tensor: Symbol, how: str) -> Exception:
    """The error for Python or NumPy asking for the value of a tensor that has none yet."""
    return NotImplementedError(
        errors.compose(
            f"{how} needs the value of {tensor!s}, which is only known when {tensor.trace.graph.name} runs.",
            "compute with functions of tf, or do this part outside of the tf.function; tf.py_function runs Python.",
            depth=1,
        )
    )


def out_of_scope(tensor: Symbol) -> Exception:
    """The error for a tensor that is used outside of the function it belongs to."""
    return TypeError(
        errors.compose(
            f"{tensor!r} is out of scope and cannot be used here: it belongs to a call of {tensor.trace.graph.name} that "
            "was being traced.",
            "return it from the function, and use what the call returns.",
            depth=1,
        )
    )


def _refuse(how: str) -> Any:
    def method(self: Symbol, *arguments: Any, **options: Any) -> Any:
        raise needs_value(self, how)

    return method


for _name, _how in {
    "__int__": "int()", "__float__": "float()", "__complex__": "complex()", "__index__": "An index",
    "__round__": "round()", "__array__": "A conversion to a NumPy array", "__dlpack__": "DLPack",
    "__dlpack_device__": "DLPack", "__buffer__": "The buffer protocol", "__reduce__": "Pickling",
}.items():  # fmt: skip
    setattr(Symbol, _name, _refuse(_how))
