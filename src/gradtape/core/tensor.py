"""Tensor: an immutable handle on an array.

The array is a NumPy array, a NumPy scalar (what NumPy returns for rank 0: scalar arithmetic on it is ten times faster
than on a 0-d array), or any array type that follows NumPy's protocols, such as CuPy's. Operators and indexing come
from `Operators`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import attribute_hints, device, dtypes, errors, provenance, state
from gradtape.core.registry import REGISTRY
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor_operators import Operators


class Tensor(Operators):
    """A multi-dimensional array of one dtype. Immutable; made by `tf.constant` and by every op.

    >>> import gradtape as tf
    >>> tf.constant([1.0, 2.0]) * 3.0
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 6.], dtype=float32)>
    """

    # `_origin` is set on `v[...]` alone, for `v[...].assign`; elsewhere it stays empty, which costs nothing.
    __slots__ = ("__weakref__", "_array", "_id", "_origin")

    _array: Any
    _id: int
    _origin: Any

    __array_priority__ = 100

    # What classes that stand for tensors copy: `setattr(cls, name, getattr(tf.Tensor, name))`.
    OVERLOADABLE_OPERATORS = frozenset(
        f"__{name}__"
        for name in [
            "abs",
            "add",
            "and",
            "div",
            "eq",
            "floordiv",
            "ge",
            "getitem",
            "gt",
            "invert",
            "le",
            "lt",
            "matmul",
            "mod",
            "mul",
            "ne",
            "neg",
            "or",
            "pow",
            "radd",
            "rand",
            "rdiv",
            "rfloordiv",
            "rmatmul",
            "rmod",
            "rmul",
            "ror",
            "rpow",
            "rsub",
            "rtruediv",
            "rxor",
            "sub",
            "truediv",
            "xor",
        ]
    )

    def __hash__(self) -> int:
        raise TypeError(
            errors.compose(
                "Tensor is unhashable: it cannot be a key of a dict or an element of a set.",
                "use a number as the key, int(x), or tensor.ref(); ref.deref() gives the tensor back.",
            )
        )

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return known_shape(self._array.shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return dtypes.from_numpy(self._array.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        result: int = self._array.ndim
        return result

    @property
    def device(self) -> str:
        """The full name of the device that holds the array."""
        return device.of_array(self._array)

    @property
    def backing_device(self) -> str:
        """The full name of the device whose memory holds the array: the same one."""
        return self.device

    def get_shape(self) -> TensorShape:
        """The shape, as `.shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """ValueError unless the shape is compatible with this tensor's."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                errors.compose(
                    f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}",
                    "give the sizes that the tensor has; tf.reshape changes them.",
                )
            )

    def numpy(self) -> Any:
        """A writable NumPy copy; a NumPy scalar for rank 0. Under a tape this is where a gradient ends."""
        note_leaving(self, "numpy()")
        return to_numpy(self._array)

    def ref(self) -> Reference:
        """A hashable reference, equal for the same tensor: use it as a dictionary key."""
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """As `ref`."""
        return Reference(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Always NotImplementedError: there are no sessions."""
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        note_leaving(self, "a conversion to a NumPy array")
        array = np.asarray(host(self._array), dtype=dtype)
        if copy:
            return np.array(array)
        if array.flags.writeable:
            array = array.view()
            array.flags.writeable = False
        return array

    def __dlpack__(self, **options: Any) -> Any:
        note_leaving(self, "DLPack")
        # An exporter may hand out memory only if the consumer cannot write through it: tensors are immutable.
        return np.array(host(self._array)).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[Any, Any]:
        return np.asarray(host(self._array)).__dlpack_device__()

    def __buffer__(self, flags: int) -> memoryview:
        note_leaving(self, "the buffer protocol")
        view = np.asarray(host(self._array)).view()
        view.flags.writeable = False
        return memoryview(view)  # type: ignore[arg-type]

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError(
                errors.compose(
                    "Scalar tensor has no `len()`: it holds one number, no rows.",
                    "use tf.size(x), or give it an axis: tf.reshape(x, [1]).",
                )
            )
        result: int = self._array.shape[0]
        return result

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise TypeError(
                errors.compose(
                    "Cannot iterate over a scalar tensor: it has no axis.",
                    "count to it with `for i in tf.range(n)`; use the tensor itself, a list of tensors, or tf.reshape(x, [1])."
                    if self._array.dtype.kind in "iu"
                    else "use the tensor itself, a list of tensors, or tf.reshape(x, [1]).",
                )
            )
        # One op for all rows: indexing row by row would make backward quadratic.
        return iter(REGISTRY["unstack"](self, axis=0) if self._array.shape[0] else ())

    def __bool__(self) -> bool:
        note_leaving(self, "bool()")
        size = self._array.size
        if size > 1:
            raise ValueError(
                errors.compose(
                    f"The truth value of a tensor with {size} elements is ambiguous.",
                    _instead_of_truth(provenance.user_site(2)),
                )
            )
        return bool(self._array.item()) if size else False

    def __int__(self) -> int:
        return int(self._real_item("int()"))

    def __float__(self) -> float:
        return float(self._real_item("float()"))

    def __complex__(self) -> complex:
        return complex(self._item("complex()"))

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iu" or self._array.ndim:
            what = f"{self.dtype.name} of shape {self.shape}"
            raise TypeError(
                errors.compose(
                    f"only integer scalar tensors can be used as an index, this one is {what}.",
                    "pass an int, or tf.cast(x, tf.int32) of a tensor with one element.",
                )
            )
        return int(self._item("an index"))

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._item("round()"), digits)

    def _real_item(self, how: str) -> Any:
        """The only element; of a complex number NumPy drops the imaginary part, with a warning."""
        value = self._item(how)
        if isinstance(value, bytes) and not _is_number(value):
            raise ValueError(
                errors.compose(
                    f"A tensor of text cannot be converted by {how}, got {errors.brief(value)}.",
                    "use tf.strings.to_number(x), or x.numpy().decode().",
                )
            )
        return np.real(np.complex128(value).astype(np.float64)) if type(value) is complex else value

    def _item(self, how: str) -> Any:
        if self._array.size != 1:
            raise TypeError(
                errors.compose(
                    f"only a tensor of one element can be converted by {how}, this one has shape {self.shape}.",
                    _instead_of_number(how, provenance.user_site(2)),
                )
            )
        note_leaving(self, how)
        return self._array.item()

    def __format__(self, spec: str) -> str:
        array = host(self._array)
        if spec and array.ndim:
            raise TypeError(
                errors.compose(
                    f"The format {spec!r} needs a scalar, but the tensor has shape {self.shape}.",
                    f"format each element, [f'{{v:{spec}}}' for v in x.numpy().ravel()], or np.array2string(x.numpy(), precision=2).",
                )
            )
        return format(array if array.ndim else array.item(), spec)

    def __dir__(self) -> list[str]:
        return attribute_hints.shown(type(self), super().__dir__())

    def __delitem__(self, key: Any) -> None:
        raise TypeError(
            errors.compose(
                "'Tensor' object does not support item deletion.",
                "tensors are immutable: keep the others with tf.boolean_mask(x, mask) or tf.concat([x[:i], x[i + 1:]], 0).",
            )
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            errors.compose(
                "'Tensor' object does not support item assignment.",
                "tensors are immutable: use tf.tensor_scatter_nd_update, tf.where, or a Variable with v[...].assign.",
            )
        )

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={_repr(self._array)}>"

    def __str__(self) -> str:
        return f"tf.Tensor({_str(self._array)}, shape={self.shape}, dtype={self.dtype.name})"

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self

    def __reduce__(self) -> Any:
        return _unpickle, (np.asarray(host(self._array)),)


class _GraphOnly(attribute_hints.Absent):
    """The graph: of a constant in a function that is being traced it is the function's."""

    def __get__(self, owner: Any, kind: type) -> Any:
        trace: Any = state.current.trace
        if owner is None or trace is None:
            return super().__get__(owner, kind)
        return getattr(trace, "session_graph", None) or trace.graph


for _name in ("name", "op", "graph", "value_index"):
    _kind = _GraphOnly if _name == "graph" else attribute_hints.Absent
    setattr(Tensor, _name, _kind(_name, f"Tensor.{_name} is undefined when eager execution is enabled."))
attribute_hints.attach(Tensor)


TensorSpec.value_type = Tensor


def _is_number(text: bytes) -> bool:
    """True for text that Python's int or float can read."""
    try:
        float(text)
    except ValueError:
        return False
    return True


class Interpreted(Tensor):
    """Base of the tensors of a transformation, which takes the ops on them: batched and traced ones.

    Attributes:
      level: of the transformation; ops on tensors of several transformations are for the highest.
    """

    __slots__ = ()

    level: float

    def interpret(self, op: Any, inputs: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The op on these inputs, as the transformation interprets it."""
        raise NotImplementedError

    def full(self) -> Tensor:
        """The value for the user's code."""
        raise NotImplementedError

    def bare(self) -> Tensor:
        """The value for the rules of a backward pass that is not recorded."""
        raise NotImplementedError

    def template(self) -> Any:
        """An array of the shape and dtype."""
        raise NotImplementedError

    def ones_like(self) -> Tensor:
        """Ones of the same shape and dtype."""
        raise NotImplementedError

    def zeros_like(self) -> Tensor:
        """Zeros of the same shape and dtype."""
        raise NotImplementedError


class Reference:
    """A hashable stand-in for a tensor or variable; `deref()` returns it."""

    __slots__ = ("__weakref__", "_object")

    def __init__(self, target: Any) -> None:
        self._object = target

    def deref(self) -> Any:
        """The referenced tensor or variable."""
        return self._object

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Reference) and self._object is other._object

    def __lt__(self, other: Any) -> bool:
        # An arbitrary order, for programs that sort what they keep under references.
        return id(self._object) < id(other._object) if isinstance(other, Reference) else NotImplemented

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


_new = object.__new__


def wrap(array: Any, identity: int = 0) -> Tensor:
    """A Tensor around an array, which must not be written to any more."""
    tensor = _new(Tensor)
    tensor._array = array
    tensor._id = identity
    return tensor


def known_shape(dims: tuple[int, ...]) -> TensorShape:
    """A TensorShape of dimensions that need no checking."""
    shape = _new(TensorShape)
    shape._dims = dims
    return shape


def host(array: Any) -> Any:
    """The array in host memory: CuPy arrays are copied, NumPy arrays returned unchanged."""
    return array if isinstance(array, (np.ndarray, np.generic)) else device.to_host(array)


def to_numpy(array: Any) -> Any:
    """A writable NumPy copy, or a scalar for rank 0."""
    array = host(array)
    if not array.ndim:
        return array[()]
    try:
        return np.array(array)
    except MemoryError as problem:
        raise errors.no_room(problem, "numpy") from None


def note_leaving(tensor: Any, how: str) -> None:
    """Notify every recording tape that a tensor it knows became a plain value: `tape.explain` names this line."""
    if tensor._id:
        recorders = state.current.recorders
        code, offset = provenance.search(sys._getframe(1))
        for recorder in recorders:
            recorder.left(tensor, how, None if code is None else (code, offset))
        if not recorders:
            state.unrecorded.append((how, (tensor._id,), (state.new_id(),), code, offset, False))


def note_created(tensor: Tensor) -> Tensor:
    """Notify every recording tape that a constant was created: it may be a value that left the tape before."""
    for recorder in state.current.recorders:
        recorder.created(tensor)
    return tensor


def _repr(array: Any) -> str:
    if not array.ndim and array.dtype.kind != "O":
        return repr(np.asarray(host(array))[()]) if array.dtype.kind == "V" else _scalar_text(array)
    if not array.ndim:
        return repr(array[()])
    return _on_new_line(repr(host(array)))


def _scalar_text(array: Any) -> str:
    # NumPy 2 writes np.float32(3.0) in repr; TensorFlow prints the bare number.
    return str(host(array)[()])


def _str(array: Any) -> str:
    return _on_new_line(str(host(array)[()] if not array.ndim else host(array)))


def _on_new_line(text: str) -> str:
    """Text of several lines begins on a line of its own, so that its columns stay below one another."""
    return f"\n{text}" if "\n" in text else text


def _unpickle(array: Any) -> Tensor:
    return wrap(array[()] if not array.ndim else array)


# Functions of `math` that tf.math has under another name.
_OF_MATH = {"fabs": "abs", "isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite"}


def _instead_of_number(how: str, site: provenance.Site | None) -> str:
    """What to write in place of one number from several elements, by the line in which it was asked for."""
    called = re.search(r"\bmath\.(\w+)\(", "" if site is None else site.source)
    if called is not None:
        name = _OF_MATH.get(called[1], called[1])
        return f"math.{called[1]} takes one number; tf.math.{name}(x) computes that of every element."
    number = how.removesuffix("()") if how in ("int()", "float()") else "float"
    return f"reduce it first, as in {number}(tf.reduce_max(x)), or take one element, {number}(x[0])."


# Functions of Python that compare the elements of what they are given, and those of tf that take a whole tensor.
_COMPARING = {
    "max": "tf.reduce_max(x), or tf.maximum(a, b) for the larger of two",
    "min": "tf.reduce_min(x), or tf.minimum(a, b) for the smaller of two",
    "sorted": "tf.sort(x)",
    "any": "tf.reduce_any(x)",
    "all": "tf.reduce_all(x)",
    "cond": "tf.where(mask, a, b) to choose element by element, tf.reduce_any(x) or tf.reduce_all(x) for one decision",
}


def _instead_of_truth(site: provenance.Site | None) -> str:
    """What to write in place of a truth value of several elements, by the line in which it was asked for."""
    line = "" if site is None else site.source
    if ".losses." in line:
        return "make the loss before it is called: keras.losses.MeanSquaredError()(y_true, y_pred)."
    for name, instead in _COMPARING.items():
        if f"{name}(" in line and f"_{name}(" not in line:
            return f"use {instead}."
    if re.search(r" (and|or) |\bnot ", line):
        return "use tf.reduce_any(x) or tf.reduce_all(x) for one truth value; element by element, write (x > 0) & (x < 2), | and ~."
    if re.search(r"[<>]=? .+ [<>]=? ", line):
        return "write the two comparisons apart: (low < x) & (x < high)."
    if " in " in line and "for " not in line:
        return "use tf.reduce_any(x == value)."
    return "use tf.reduce_any(x) or tf.reduce_all(x)."
