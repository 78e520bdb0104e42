"""New tensors."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from keras.src.backend import config
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.dtypes import result_type

import gradtape as tf
from gradtape.keras_backend.convert import as_float, cast_tensor, convert_to_tensor, is_tensor, operands


def array(x: Any, dtype: Any = None) -> Any:
    """A tensor of anything."""
    return convert_to_tensor(x, dtype=dtype)


def _dims(shape: Any) -> Any:
    return (shape,) if isinstance(shape, int) else shape


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Zeros of a shape."""
    return tf.zeros(_dims(shape), dtype or config.floatx())


def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones of a shape."""
    return tf.ones(_dims(shape), dtype or config.floatx())


def empty(shape: Any, dtype: Any = None) -> Any:
    """Zeros: there is no memory without a value."""
    return zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor filled with a value, which is broadcast."""
    value = convert_to_tensor(fill_value, dtype or config.floatx())
    return tf.broadcast_to(value, _dims(shape))


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros of the shape of x."""
    x = convert_to_tensor(x)
    return tf.zeros_like(x, dtype=None if dtype is None else standardize_dtype(dtype))


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones of the shape of x."""
    x = convert_to_tensor(x)
    return tf.ones_like(x, dtype=None if dtype is None else standardize_dtype(dtype))


def empty_like(x: Any, dtype: Any = None) -> Any:
    """Zeros of the shape of x."""
    return zeros_like(x, dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor of the shape of x, filled with a value."""
    x = convert_to_tensor(x)
    value = convert_to_tensor(fill_value, dtype or x.dtype)
    return tf.broadcast_to(value, tuple(x.shape)) if None not in tuple(x.shape) else tf.fill(tf.shape(x), value)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Numbers from start to before stop."""
    if dtype is None:
        given = [start, 1 if step is None else step, *([] if stop is None else [stop])]
        dtype = result_type(*[getattr(item, "dtype", type(item)) for item in given])
    dtype = standardize_dtype(dtype)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if any_symbolic(start, stop, step):
        start, stop, step = [convert_to_tensor(v, dtype) for v in (start, stop, step)]
        return tf.range(start, stop, step)
    bounds: Any = [np.asarray(v)[()] for v in (start, stop, step)]
    values = np.arange(*bounds)
    return convert_to_tensor(values, dtype)


def any_symbolic(*values: Any) -> Any:
    """True if one of the values is a tensor without a value."""
    return builtins.any(is_tensor(v) and type(v) is not tf.Tensor for v in values)


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, retstep: Any = False, dtype: Any = None, axis: Any = 0
) -> Any:
    """Numbers at equal distances between start and stop."""
    if dtype is None:
        given = [getattr(item, "dtype", type(item)) for item in (start, stop)]
        dtype = result_type(*given, float)
    dtype, num = standardize_dtype(dtype), int(num)
    start, stop = [convert_to_tensor(v) for v in (start, stop)]
    inner = "float64" if "float64" in (start.dtype.name, stop.dtype.name, dtype) else "float32"
    start, stop = [v if v.dtype.is_complex else tf.cast(v, inner) for v in (start, stop)]
    start, stop = operands(start, stop)
    parts = builtins.max(num - 1 if endpoint else num, 1)
    step = (stop - start) / parts
    fractions = tf.cast(tf.constant(np.arange(num) / parts), start.dtype)
    delta = tf.expand_dims(stop - start, -1)
    values = tf.expand_dims(start, -1) + delta * fractions
    if endpoint and num > 1:
        values = tf.concat([values[..., :-1], tf.broadcast_to(tf.expand_dims(stop, -1), (*values.shape[:-1], 1))], -1)
    if values.ndim > 1 and axis not in (-1, values.ndim - 1):
        order = list(range(values.ndim - 1))
        order.insert(axis if axis >= 0 else axis + values.ndim, values.ndim - 1)
        values = tf.transpose(values, order)
    if "int" in dtype:
        values = tf.floor(values)
    values = cast_tensor(values, dtype)
    return (values, cast_tensor(step, dtype)) if retstep else values


def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: Any = True, base: Any = 10, dtype: Any = None, axis: Any = 0
) -> Any:
    """Powers of a base with exponents at equal distances."""
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    if dtype is None:
        dtype = exponents.dtype
    base = convert_to_tensor(base, exponents.dtype)
    return cast_tensor(tf.pow(base, exponents), dtype)


def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None, axis: Any = 0) -> Any:
    """Numbers in equal ratios between start and stop."""
    start, stop = operands(as_float(start), as_float(stop))
    sign = tf.sign(start)
    exponents = linspace(tf.math.log(tf.abs(start)), tf.math.log(tf.abs(stop)), num, endpoint, axis=axis)
    if sign.ndim:
        sign = tf.expand_dims(sign, axis if axis >= 0 else axis + exponents.ndim)
    values = sign * tf.exp(exponents)
    return values if dtype is None else cast_tensor(values, dtype)


def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:  # noqa: N803 - Keras's names
    """Ones on a diagonal."""
    return _constant(np.eye(int(N), None if M is None else int(M), int(k)), dtype)


def identity(n: Any, dtype: Any = None) -> Any:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:  # noqa: N803 - Keras's names
    """Ones on a diagonal and below."""
    return _constant(np.tri(int(N), None if M is None else int(M), int(k)), dtype)


def _constant(values: Any, dtype: Any) -> Any:
    return convert_to_tensor(values, dtype or config.floatx())


def meshgrid(*x: Any, indexing: Any = "xy") -> Any:
    """Coordinates of a grid."""
    return list(tf.meshgrid(*[tf.reshape(convert_to_tensor(v), [-1]) for v in x], indexing=indexing)) if x else []


def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:  # noqa: N803 - Keras's names
    """Powers of x as columns."""
    x = convert_to_tensor(x)
    count = x.shape[0] if N is None else N
    columns = [tf.ones_like(x)]
    for _ in range(count - 1):
        columns.append(columns[-1] * x)
    columns = columns[:count]
    return tf.stack(columns if increasing else columns[::-1], axis=-1) if count else tf.zeros((x.shape[0], 0), x.dtype)


def _window(numpy_window: Any, *parameters: Any) -> Any:
    def apply(x: Any) -> Any:
        return convert_to_tensor(numpy_window(int(convert_to_tensor(x)), *parameters), config.floatx())

    apply.__name__ = apply.__qualname__ = numpy_window.__name__
    return apply


bartlett = _window(np.bartlett)
blackman = _window(np.blackman)
hamming = _window(np.hamming)
hanning = _window(np.hanning)


def kaiser(x: Any, beta: Any) -> Any:
    """Kaiser's window of a length."""
    return convert_to_tensor(np.kaiser(int(convert_to_tensor(x)), float(convert_to_tensor(beta))), config.floatx())
