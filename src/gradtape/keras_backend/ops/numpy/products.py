"""Products of matrices and tensors."""

from __future__ import annotations

import math
from typing import Any

from keras.src.backend.common.dtypes import result_type

import gradtape as tf
from gradtape.keras_backend.convert import cast_tensor, convert_to_tensor, operands
from gradtape.keras_backend.ops.numpy import elementwise


def _products(*xs: Any) -> Any:
    """Operands for sums of products: booleans are computed as int32, and the way back."""
    xs = operands(*[convert_to_tensor(x) for x in xs])
    if xs[0].dtype.kind == "b":
        return tuple([cast_tensor(x, "int32") for x in xs]), lambda y: cast_tensor(y, "bool")
    return xs, lambda y: y


def matmul(x1: Any, x2: Any) -> Any:
    """The matrix product, over batches; int8 matrices give int32."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if x1.dtype.name == x2.dtype.name == "int8":
        return _matmul(cast_tensor(x1, "int32"), cast_tensor(x2, "int32"))
    (x1, x2), back = _products(x1, x2)
    return back(_matmul(x1, x2))


def _matmul(x1: Any, x2: Any) -> Any:
    if x1.ndim == 1 and x2.ndim == 1:
        return tf.tensordot(x1, x2, 1)
    if x1.ndim == 1:
        return tf.squeeze(tf.matmul(tf.expand_dims(x1, 0), x2), -2)
    if x2.ndim == 1:
        return tf.squeeze(tf.matmul(x1, tf.expand_dims(x2, -1)), -1)
    if x2.ndim == 2 and x1.ndim > 2 and None not in tuple(x1.shape):
        # One product of large matrices in place of many small ones.
        *lead, inner = tuple(x1.shape)
        rows = tf.reshape(x1, (math.prod(lead), inner))
        return tf.reshape(tf.matmul(rows, x2), (*lead, x2.shape[-1]))
    return tf.matmul(x1, x2)


def dot(x1: Any, x2: Any) -> Any:
    """The sum of products over the last axis of x1 and the last but one of x2."""
    (x1, x2), back = _products(x1, x2)
    if not x1.ndim or not x2.ndim:
        return back(x1 * x2)
    return back(tf.tensordot(x1, x2, [[x1.ndim - 1], [max(x2.ndim - 2, 0)]]))


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Sums of products over axes of both."""
    (x1, x2), back = _products(x1, x2)
    return back(tf.tensordot(x1, x2, axes))


def inner(x1: Any, x2: Any) -> Any:
    """Sums of products over the last axes."""
    (x1, x2), back = _products(x1, x2)
    if not x1.ndim or not x2.ndim:
        return back(x1 * x2)
    return back(tf.tensordot(x1, x2, [[x1.ndim - 1], [x2.ndim - 1]]))


def outer(x1: Any, x2: Any) -> Any:
    """All products of two elements."""
    (x1, x2), back = _products(x1, x2)
    return back(tf.reshape(x1, (-1, 1)) * tf.reshape(x2, (1, -1)))


def vdot(x1: Any, x2: Any) -> Any:
    """The scalar product; complex numbers of x1 are conjugated."""
    (x1, x2), back = _products(x1, x2)
    return back(tf.tensordot(elementwise.conj(tf.reshape(x1, (-1,))), tf.reshape(x2, (-1,)), 1))


def kron(x1: Any, x2: Any) -> Any:
    """Blocks of x2, multiplied by the elements of x1."""
    (x1, x2), back = _products(x1, x2)
    rank = max(x1.ndim, x2.ndim)
    a, b = [tf.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape)) for x in (x1, x2)]
    wide_a = tf.reshape(a, [n for d in a.shape for n in (d, 1)])
    wide_b = tf.reshape(b, [n for d in b.shape for n in (1, d)])
    sizes: Any = zip(a.shape, b.shape, strict=True)
    return back(tf.reshape(wide_a * wide_b, [m * n for m, n in sizes]))


def einsum(subscripts: Any, *operands: Any, **kwargs: Any) -> Any:
    """Sums of products as a text describes them; int8 operands give int32."""
    tensors = [convert_to_tensor(x) for x in operands]
    names = {x.dtype.name for x in tensors}
    if names == {"int8"}:
        tensors, dtype = [cast_tensor(x, "int32") for x in tensors], "int32"
    elif len(names) == 1:
        dtype = tensors[0].dtype.name
    else:
        dtype = result_type(*names)
    if dtype == "bool":
        result = tf.einsum(subscripts, *[cast_tensor(x, "int32") for x in tensors])
        return cast_tensor(result, "bool")
    return tf.einsum(subscripts, *[cast_tensor(x, dtype) for x in tensors])
