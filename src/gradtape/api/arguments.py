"""Arguments of public functions in the form that ops take: tensors, axes, shapes and other small integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import convert, errors
from gradtape.core.shape import TensorShape, normalize_axes
from gradtape.core.state import current as _current
from gradtape.core.symbolic_arrays import symbols_in
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_INTEGERS = {int}
_RANGES = [tuple(range(n)) for n in range(65)]


def tensor(value: Any) -> Tensor:
    """A tensor of a value. Reading a variable needs no separate record."""
    if isinstance(value, Tensor):
        return value
    return value._read() if isinstance(value, Variable) else convert.convert_to_tensor(value)


def beside(value: Any, x: Any) -> Tensor:
    """The second operand of a function as a tensor: tensors and variables unchanged, other values in the dtype of the first operand."""
    return value._read() if isinstance(value, Variable) else convert.like(value, x.dtype)


def items(values: Any, what: str, name: str) -> Any:
    """A list of tensors, or the rows of a tensor, to iterate over."""
    if type(values) in (list, tuple) or (hasattr(type(values), "__iter__") and getattr(values, "ndim", 1) != 0):
        return values
    raise errors.build(
        TypeError, f"{what}: {name} must be a list of tensors, got {errors.brief(values)}.", f"tf.{what}([a, b])."
    )


def function(value: Any, what: str, name: str, kind: type[Exception] = TypeError) -> Any:
    """A function that is given as an argument."""
    if callable(value):
        return value
    raise errors.build(
        kind,
        f"{what}: {name} must be callable, got {errors.brief(value)}.",
        "pass the function itself: f or lambda x: ..., not the result f(x).",
    )


def axes(axis: Any, rank: int, what: str) -> tuple[int, ...]:
    """Axes counted from the front, sorted; None means all."""
    if axis is None:
        return _RANGES[rank]
    if type(axis) is int and -rank <= axis < rank:
        return (axis if axis >= 0 else axis + rank,)
    return normalize_axes(axis, rank, what)


def integers(value: Any, what: str, name: str) -> tuple[int, ...]:
    """A vector of ints, given as a list, an array, a tensor, a TensorShape, or a list that holds scalar tensors."""
    if type(value) in (tuple, list) and set(map(type, value)) <= _INTEGERS:
        return tuple(value)
    if isinstance(value, TensorShape):
        value = _known(value, what, name)
    if _current.path is not None and (symbols := symbols_in(value)) is not None:
        return tuple(symbols.reshape(-1))
    found = _array(value, what, name)
    if found.ndim != 1:
        raise errors.build(
            errors.ShapeError,
            f"{what}: {name} must be a vector of ints (must be rank 1), got {value!r}.",
            f"write it as a list: [{value}]." if np.ndim(value) == 0 else f"use a vector: tf.reshape({name}, [-1]).",
        )
    return tuple([int(n) for n in found])


def integer(value: Any, what: str, name: str) -> int:
    """An int, from an int or from a scalar array or tensor."""
    return value if type(value) is int else _single(value, what, name, 0)


def integer_or_vector(value: Any, what: str, name: str) -> int:
    """An int, also from a vector of one element, where TensorFlow's function takes one."""
    return value if type(value) is int else _single(value, what, name, 1)


def _single(value: Any, what: str, name: str, rank: int) -> int:
    if _current.path is not None and (symbols := symbols_in(value)) is not None and symbols.size == 1:
        result: int = symbols.item()
        return result
    found = _array(value, what, name)
    if found.size != 1 or found.ndim > rank:
        raise errors.build(
            errors.ShapeError,
            f"{what}: {name} must be a scalar (0-D), a single int{', or a tensor with a single value' if rank else ''}, got {value!r}.",
            "give an int or a scalar tensor.",
        )
    return int(found.reshape(())[()])


def shape(value: Any, what: str, name: str = "shape") -> tuple[int, ...]:
    """A complete shape; a single int is the shape of a vector."""
    if type(value) is int or (isinstance(value, (Tensor, Variable, np.ndarray, np.generic)) and not value.ndim):
        value = [value]
    dims = integers(value, what, name)
    if dims and min(dims) < 0:
        raise errors.build(
            errors.ShapeError,
            f"{what}: sizes in {name} must not be negative, got {list(dims)}.",
            "write the sizes, or compute one with tf.shape(x)[axis]; only tf.reshape takes -1.",
        )
    return dims


def _array(value: Any, what: str, name: str) -> Any:
    """A NumPy array of ints."""
    try:
        found = np.asarray(convert.convert_to_tensor(value))
    except errors.OperatorNotAllowedInGraphError:  # of one example of a map, which then goes from example to example
        raise
    except (errors.ConversionError, TypeError):
        raise errors.build(
            errors.ArgumentError,
            f"{what}: {name} must be integers, got {errors.brief(value)}.",
            _NO_NUMBER if _holds_none(value) else "give an int, or a list of ints.",
        ) from None
    if not found.size:
        return found.astype(np.int64)
    if found.dtype.kind == "O" and all(type(v) is int for v in found.ravel()):
        return found.astype(np.int64)  # sizes beside others that are not known, of which none is left
    if found.dtype.kind == "f" and _is_packed(value) and (found == np.rint(found)).all():
        return found.astype(np.int64)
    if found.dtype.kind not in "iu":
        raise errors.build(
            errors.DTypeError,
            f"{what}: {name} must be integers, got {errors.brief(value)}.",
            _meant_as_data(name)
            if found.ndim and isinstance(value, (Tensor, Variable, np.ndarray))
            else "use ints, or tf.cast(value, tf.int32).",
        )
    return found


_NO_NUMBER = "None stands for a size that is not known yet, as in x.shape[0]: use tf.shape(x)[0], or a number."


def _holds_none(value: Any) -> bool:
    return value is None or (isinstance(value, (list, tuple)) and any(_holds_none(v) for v in value))


def _meant_as_data(name: str) -> str:
    """Advice where a tensor of floats stands in the place of sizes or axes: the arguments were probably swapped."""
    return f"if the arguments are swapped, put the tensor first and {name} second; else use tf.cast(value, tf.int32)."


def _is_packed(value: Any) -> bool:
    """Whether a list holds scalar tensors beside ints. Where integers are meant, whole floats among them are taken as such."""
    return isinstance(value, (list, tuple)) and any(isinstance(v, (Tensor, Variable)) for v in value)


def _known(value: TensorShape, what: str, name: str) -> list[Any]:
    if not value.is_fully_defined():
        raise errors.build(
            errors.ConversionError,
            f"{what}: {name} must be complete, got {value}, with unknown dimensions.",
            "use tf.shape(x), which is known when the function runs, in place of x.shape.",
        )
    return value.as_list()
