"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

from keras.src.backend.common.dtypes import result_type

import gradtape as tf
from gradtape.keras_backend.convert import cast_tensor, convert_to_tensor, operands
from gradtape.numpy_functions import matrices


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
        return matrices.matmul(cast_tensor(x1, "int32"), cast_tensor(x2, "int32"))
    (x1, x2), back = _products(x1, x2)
    return back(matrices.matmul(x1, x2))


def _sums_of_products(function: Any, text: str) -> Any:
    def apply(x1: Any, x2: Any) -> Any:
        (x1, x2), back = _products(x1, x2)
        return back(function(x1, x2))

    apply.__name__ = apply.__qualname__ = function.__name__
    apply.__doc__ = text
    return apply


dot = _sums_of_products(matrices.dot, "The sum of products over the last axis of x1 and the last but one of x2.")
inner = _sums_of_products(matrices.inner, "Sums of products over the last axes.")
outer = _sums_of_products(matrices.outer, "All products of two elements.")
vdot = _sums_of_products(matrices.vdot, "The scalar product; complex numbers of x1 are conjugated.")
kron = _sums_of_products(matrices.kron, "Blocks of x2, multiplied by the elements of x1.")


def tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    """Sums of products over axes of both."""
    (x1, x2), back = _products(x1, x2)
    return back(tf.tensordot(x1, x2, axes))


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
