"""Conversions to tensors and shapes, and conditions that may be known while tracing."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.compat.v1._names import Dimension
from gradtape.core import dtypes
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.toplevel.inspection import known_elements
from gradtape.tracing.symbol import Symbol

uid = _graphs.uid


class _EagerMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and not isinstance(instance, Symbol)

    def __subclasscheck__(cls, kind: type) -> bool:
        return kind is Tensor or type.__subclasscheck__(cls, kind)


class EagerTensor(metaclass=_EagerMeta):
    """The class of tensors that have a value."""


class _SymbolicMeta(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Symbol)


class SymbolicTensor(metaclass=_SymbolicMeta):
    """The class of tensors of functions and graphs."""


@contextlib.contextmanager
def NullContextmanager(*_: Any, **__: Any) -> Iterator[None]:  # noqa: N802
    """A block like any other."""
    yield


def is_dense_tensor_like(value: Any) -> bool:
    """True for tensors and variables."""
    return isinstance(value, (Tensor, Variable))


def convert_n_to_tensor(
    values: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None
) -> list[Any]:
    """A list of tensors."""
    return [tf.convert_to_tensor(v, dtype) for v in values]


def name_from_scope_name(name: str) -> str:
    """A scope's name without the slash at its end."""
    return name.removesuffix("/")


def is_constant(tensor: Any) -> bool:
    """Whether a value is known."""
    return tf.get_static_value(tensor) is not None


def smart_constant_value(pred: Any) -> Any:
    """The value of a condition as a bool; None if it is not known."""
    if isinstance(pred, (bool, np.bool_)):
        return bool(pred)
    if not tf.is_tensor(pred) and pred in (0, 1):
        return bool(pred)
    if not tf.is_tensor(pred):
        raise TypeError(f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred}")
    found = tf.get_static_value(pred)
    return None if found is None else bool(found)


def smart_cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """One of two functions; only that one is called if the condition is known."""
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("Arguments `true_fn` and `false_fn` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return tf.cond(pred, true_fn, false_fn)
    return true_fn() if known else false_fn()


def smart_case(pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, name: str = "smart_case") -> Any:
    """The first function whose condition holds; only that one is called if all conditions are known."""
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    known = [smart_constant_value(pred) for pred, _ in pairs]
    if all(k is not None for k in known):
        chosen = [fn for k, (_, fn) in zip(known, pairs, strict=True) if k]
        return chosen[0]() if chosen else default()
    return tf.case(pairs, default, exclusive)


def as_shape(shape: Any) -> TensorShape:
    """A shape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def as_dimension(value: Any) -> Dimension:
    """A dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def unknown_shape(rank: int | None = None, **_: Any) -> TensorShape:
    """A shape with a known or unknown rank and unknown dimensions."""
    return TensorShape(None if rank is None else [None] * rank)


def scalar() -> TensorShape:
    """The shape of a number."""
    return TensorShape([])


def vector(length: Any) -> TensorShape:
    """The shape of a vector."""
    return TensorShape([length])


def matrix(rows: Any, cols: Any) -> TensorShape:
    """The shape of a matrix."""
    return TensorShape([rows, cols])


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that a tensor of sizes holds, as far as it is known."""
    known = known_elements(tensor)
    if known is not None:
        return TensorShape([None if d is None or d == -1 else int(d) for d in np.asarray(known).ravel()])
    length = tensor.shape[0] if tensor.shape.rank == 1 else None
    return TensorShape(None if length is None else [None] * length)


def try_evaluate_constant(tensor: Any) -> Any:
    """The value of a tensor if it is known, None otherwise."""
    return tf.get_static_value(tensor)


def shape_tensor(shape: Any) -> Any:
    """A shape as a tensor of int32."""
    return tf.convert_to_tensor(shape, tf.int32)


def get_name_scope() -> str:
    """The enclosing scopes."""
    return re.sub(r"/$", "", tf.get_current_name_scope())


TF_VALUE_DTYPES = {*dtypes.ALL, *dtypes.NAMES_ONLY}
