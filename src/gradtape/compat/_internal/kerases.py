"""Functions of `tensorflow.python.keras` that Keras 3 does not have."""

from __future__ import annotations

import importlib
from typing import Any

import gradtape as tf
from gradtape.compat import _graphs


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(importlib.import_module("gradtape.keras"), name)


def __dir__() -> list[str]:
    return sorted(set(globals()) - {"importlib", "Any", "tf"})


def get_graph() -> Any:
    """The graph that is being built."""
    return _graphs.default_graph()


def is_sparse(tensor: Any) -> bool:
    """True for a sparse tensor."""
    return isinstance(tensor, tf.SparseTensor)


def is_keras_tensor(x: Any) -> bool:
    """True for a symbolic tensor of Keras."""
    return isinstance(x, tf.keras.KerasTensor)


def batch_get_value(tensors: Any) -> list[Any]:
    """The arrays of tensors."""
    return [tf.convert_to_tensor(t).numpy() for t in tensors]


def expand_1d(data: Any) -> Any:
    """A structure whose vectors are columns."""
    return tf.nest.map_structure(lambda t: tf.expand_dims(t, -1) if tf.is_tensor(t) and t.shape.rank == 1 else t, data)


def unpack_x_y_sample_weight(data: Any) -> Any:
    """Inputs, targets and weights of a batch."""
    if not isinstance(data, (list, tuple)):
        return data, None, None
    return (*data, None, None)[:3]


def conv_output_length(input_length: Any, filter_size: int, padding: str, stride: int, dilation: int = 1) -> Any:
    """The output length of a convolution."""
    if input_length is None:
        return None
    size = filter_size + (filter_size - 1) * (dilation - 1)
    length = {
        "same": input_length,
        "causal": input_length,
        "valid": input_length - size + 1,
        "full": input_length + size - 1,
    }
    return (length[padding] + stride - 1) // stride


def normalize_tuple(value: Any, n: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """`n` integers: one for each dimension, or the same for all."""
    found = (value,) * n if isinstance(value, int) else tuple(value)
    if len(found) != n or any(int(v) != v for v in found):
        raise ValueError(f"The `{name}` argument must be a tuple of {n} integers. Received: {value}")
    return found


def slice_arrays(arrays: Any, start: Any = None, stop: Any = None) -> Any:
    """Parts of one array, or of each of a list."""
    if isinstance(arrays, list):
        return [None if a is None else a[start:stop] for a in arrays]
    return None if arrays is None else arrays[start:stop]


def is_tensor_or_tensor_list(value: Any) -> bool:
    """True for a tensor, and for a list that begins with one."""
    if isinstance(value, (list, tuple)):
        return bool(value) and tf.is_tensor(value[0])
    return bool(tf.is_tensor(value))
