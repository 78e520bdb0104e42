"""Functions computed by NumPy, without gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
from gradtape.core.tensor import Tensor
from gradtape.keras_backend.convert import convert_to_tensor


def computed_by_numpy(name: Any, tensors: Any, dtype: Any = None) -> Any:
    """A function of NumPy, element by element, on tensors: the result has the dtype of the first one if none is said."""
    wanted = tensors[0].dtype if dtype is None else tf.as_dtype(dtype)
    function = getattr(np, name)

    def run(*arrays: Any) -> Any:
        return np.asarray(function(*arrays), wanted.numpy)

    if all(type(t) is Tensor for t in tensors):
        return tf.constant(run(*[t.numpy() for t in tensors]))
    shape = np.broadcast_shapes(*[tuple(t.shape) for t in tensors])
    return tf.ensure_shape(tf.numpy_function(run, list(tensors), wanted), shape)


def values_of(x: Any, what: Any) -> Any:
    """The NumPy array of a tensor, for functions whose result has a shape that depends on it."""
    x = convert_to_tensor(x)
    if type(x) is not Tensor:
        raise NotImplementedError(
            f"{what}: the shape of the result depends on values, which are only known when the function runs. "
            "Use it outside of compiled functions, or compile the model with run_eagerly=True."
        )
    return x.numpy()
