"""Symbol: the tensor of a function that is being traced. It has a shape and a dtype, and no value yet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradtape.compiler.graph import Value
from gradtape.core import deferral, dtypes, errors, provenance, state
from gradtape.core.deferral import Unknown
from gradtape.core.doors import adapt
from gradtape.core.op import REGISTRY, Op
from gradtape.core.shape import ANY, Steps, TensorShape
from gradtape.core.symbolic_arrays import as_numbers, has_symbols
from gradtape.core.tensor import Interpreted, Tensor, known_shape, wrap
from gradtape.tracing.operation import Operation

if TYPE_CHECKING:
    from gradtape.tracing.trace import Trace

_current = state.current
_new = object.__new__


class Symbol(Interpreted):
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
        return self.peek("This operation")

    def peek(self, how: str) -> Any:
        """The value as an array, where it does not depend on arguments; whoever asks is told if there is none yet."""
        found = self.trace.peek(self.value) if self.trace.is_open else None
        if found is None:
            raise needs_value(self, how)
        return found

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known. Functions and rules of ours are written for known shapes: to them it is an
        error if something is not."""
        spec = self.value.spec
        if not spec.is_known and type(spec.shape) is not Steps and _is_ours(sys._getframe(1)):
            raise needs_size(self)
        return self.get_shape()

    def get_shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        shape = self.value.spec.shape
        return known_shape(None if shape is ANY else shape)  # type: ignore[arg-type]

    def set_shape(self, shape: Any) -> None:
        """Say what is known of the shape; when the function runs, it is an error if that is wrong."""
        own, wanted = self.get_shape(), TensorShape(shape)
        if not own.is_compatible_with(wanted):
            raise ValueError(
                errors.compose(
                    f"Tensor's shape {own} is not compatible with supplied shape {wanted}",
                    "give the sizes that the tensor has, None where they may differ.",
                )
            )
        if wanted.rank is not None and own != own.merge_with(wanted):
            checked: Any = REGISTRY["ensure_shape"](self, shape=tuple(wanted))
            self.value, self._id = checked.value, checked._id

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self.value.spec.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        if self.value.spec.shape is ANY:
            raise needs_size(self)
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
        """The graph of the function; in a `tf.Graph`, that one."""
        return getattr(self.trace, "session_graph", None) or self.trace.graph

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value in a session, for a tensor of a `tf.Graph`."""
        graph = getattr(self.trace, "session_graph", None)
        if graph is None:
            return super().eval(feed_dict, session)
        return graph.evaluate(self, feed_dict, session)

    def __hash__(self) -> int:
        if getattr(self.trace, "session_graph", None) is None:
            raise TypeError(
                errors.compose(
                    "Tensor is unhashable: it cannot be a key of a dict or an element of a set.",
                    "use a Python value as the key, or tensor.ref().",
                    depth=1,
                )
            )
        return hash(self.value)

    @property
    def op(self) -> Operation:
        """What computes it."""
        return Operation(self)

    def beside(self, value: Value) -> Symbol:
        """A tensor for another value of the same graph."""
        return symbol(value, self.trace)

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
        """An array of the shape and dtype that shares one element's memory; unknown dimensions count as 1."""
        spec = self.value.spec
        return np.broadcast_to(np.zeros((), spec.dtype.numpy), [1 if d is None else d for d in spec.shape])

    def ones_like(self) -> Tensor:
        """Ones of the same shape and dtype."""
        return _filled(self, 1)

    def zeros_like(self) -> Tensor:
        """Zeros of the same shape and dtype."""
        return _filled(self, 0)

    def __bool__(self) -> bool:
        if _is_ours(sys._getframe(1)):
            return bool(self.peek("This operation"))
        raise errors.OperatorNotAllowedInGraphError(
            errors.compose(
                "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.",
                f"{_advice()}, or use tf.cond or tf.where.",
                depth=1,
            )
        )

    @property
    def numpy(self) -> Any:
        """AttributeError: there is no value yet, and `hasattr(x, "numpy")` is False."""
        raise AttributeError(
            errors.compose(
                "'SymbolicTensor' object has no attribute 'numpy': a tensor has no value while the function is traced.",
                "leave .numpy() for what the function returns; tf.print shows values when it runs.",
                depth=1,
            )
        )

    def __getitem__(self, key: Any) -> Any:
        return _getitem(self, key)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        size = self.value.spec.shape[0]
        if size is None and _is_ours(sys._getframe(1)):
            raise needs_size(self)
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
                "Iterating over a symbolic `tf.Tensor` is not allowed.",
                f"{_advice()}, or use tf.unstack or tf.map_fn.",
                depth=1,
            )
        )

    def __contains__(self, item: Any) -> bool:
        raise errors.OperatorNotAllowedInGraphError(
            errors.compose(
                "Iterating over a symbolic `tf.Tensor` is not allowed.",
                "use tf.reduce_any(x == item) for `item in x`.",
                depth=1,
            )
        )

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.get_shape()} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        return f'Tensor("{self.name}", shape={self.get_shape()}, dtype={self.dtype.name})'

    def __format__(self, spec: str) -> str:
        if spec:
            raise TypeError(
                errors.compose(
                    f"The format {spec!r} needs a value, but a tensor has none while the function is traced.",
                    "tf.print(x) prints values when the function runs; tf.strings.as_string(x, precision=2) makes text of them.",
                )
            )
        return str(self)


# Python's own messages show the name of the class; users know TensorFlow's.
Symbol.__name__ = Symbol.__qualname__ = "SymbolicTensor"


def symbol(value: Value, trace: Trace, identity: int = 0) -> Symbol:
    """A tensor for a value of a graph."""
    tensor = _new(Symbol)
    tensor.value, tensor.trace, tensor.level, tensor._id = value, trace, trace.level, identity
    if trace.rereads and value in trace.rereads:
        trace.rereads[value].append(tensor)
    return tensor


def _filled(like: Symbol, number: int) -> Tensor:
    spec = like.value.spec
    if not spec.is_known:
        return REGISTRY["zeros_like"](like) if not number else REGISTRY["ones_like"](like)
    array = np.broadcast_to(np.asarray(number, spec.dtype.numpy), spec.shape)[()]
    trace: Trace | None = cast("Trace | None", _current.trace)
    return wrap(array) if trace is None else trace.constant(array)


def needs_value(tensor: Symbol, how: str) -> Exception:
    """The error for Python or NumPy asking for the value of a tensor that has none yet."""
    return Unknown(
        errors.compose(
            f"{how} needs the value of {tensor!s}, which is only known when {tensor.trace.graph.name} runs.",
            "compute with functions of tf, or do this part outside of the tf.function; tf.py_function runs Python.",
            depth=1,
        )
    )


def needs_size(tensor: Symbol) -> Exception:
    """The error for a function that needs a size which is not known yet."""
    return Unknown(
        errors.compose(
            f"the shape of {tensor!s} is needed, which is known only when {tensor.trace.graph.name} runs.",
            "give it with x.set_shape(shape) or tf.ensure_shape(x, shape); tf.shape(x) is the shape as a tensor.",
            depth=2,
        )
    )


def check_size(x: Any) -> None:
    """Raises if a tensor's size is known only when the function runs."""
    if isinstance(x, Symbol) and not x.value.spec.is_known:
        raise needs_size(x)


def _advice() -> str:
    """How AutoGraph gets to convert the function whose line this is."""
    site = provenance.user_site(2)
    if site is not None and not site.source:
        return "put the function in a file or use IPython: AutoGraph cannot convert it without its source"
    return "let AutoGraph convert the function (autograph=True, without do_not_convert)"


def _is_ours(frame: Any) -> bool:
    """True for a public function or a rule of ours, which can wait for what is not known."""
    module = frame.f_globals.get("__name__") or ""
    return module.startswith("gradtape.ops.") or deferral.defines_public_functions(module)


def _way_out(graph: str) -> str:
    if "loop" in graph:
        return (
            "a list cannot collect tensors of a loop: rows = tf.TensorArray(tf.float32, size=n) before it, "
            "rows = rows.write(i, value) in it, rows.stack() after it."
        )
    return "return it from the function, and use what the call returns: afterwards its tensors are out of scope."


def out_of_scope(tensor: Symbol) -> Exception:
    """The error for a tensor that is used outside of the function it belongs to; in another function it is another."""
    kind = TypeError if _current.trace is None else errors.OutOfScopeError
    return kind(
        errors.compose(
            f"{tensor!r} is out of scope and cannot be used here: it belongs to a call of {tensor.trace.graph.name} that "
            "was being traced.",
            _way_out(tensor.trace.graph.name),
            depth=1,
        )
    )


def _asks(how: str, answer: Callable[..., Any]) -> Any:
    def method(self: Symbol, *arguments: Any, **options: Any) -> Any:
        found = self.peek(how)
        if has_symbols(found):
            found = as_numbers(found, self.dtype.numpy)
        return answer(wrap(found), *arguments, **options)

    return method


for _name, _how in {
    "__int__": "int()", "__float__": "float()", "__complex__": "complex()", "__index__": "An index",
    "__round__": "round()", "__array__": "A conversion to a NumPy array", "__dlpack__": "DLPack",
    "__dlpack_device__": "DLPack", "__buffer__": "The buffer protocol", "__reduce__": "Pickling",
}.items():  # fmt: skip
    setattr(Symbol, _name, _asks(_how, getattr(Tensor, _name)))

_getitem = adapt(Tensor.__getitem__)
