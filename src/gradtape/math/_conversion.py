"""Conversions between dtypes, and between complex numbers and their parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.api.families import pair
from gradtape.core import dtypes, errors
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops import complex as complex_ops
from gradtape.ops.cast import Cast, CastToDiscrete
from gradtape.ops.selection import ClipByValue, Where, number


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The value in another dtype.

    Floats become integers by cutting off toward zero, complex numbers become real by dropping the imaginary part, and
    all but zero is true. Gradients flow between floating point and complex dtypes, and end at integers and bools.

    Args:
      x: a tensor, a variable, IndexedSlices, or a value that becomes a tensor.
      dtype: the wanted dtype. What has it already is returned as it is.

    >>> tf.cast([1.7, -1.7], tf.int32).numpy()
    array([ 1, -1], dtype=int32)
    """
    wanted = dtypes.as_dtype(dtype)
    if isinstance(x, (Tensor, Variable)) and x.dtype is wanted:
        return x  # type: ignore[return-value]
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, wanted), x.indices, x.dense_shape)  # type: ignore[return-value]
    value = tensor(x)
    if value.dtype is wanted:
        return value
    if wanted.name in ("string", "resource") or value.dtype is dtypes.string:
        raise errors.build(
            errors.CastError,
            f"cast: Cast {value.dtype.name} to {wanted.name} is not supported: x is {spec_of(value)}, and must hold "
            f"{'numbers' if value.dtype is dtypes.string else 'text'}.",
            "text becomes numbers with tf.strings.to_number(x)."
            if value.dtype is dtypes.string
            else "numbers become text with tf.strings.as_string(x).",
        )
    return Cast(value, dtype=wanted) if wanted.is_trainable else CastToDiscrete(value, dtype=wanted)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """The value in another dtype, clipped to its range instead of overflowing.

    Args:
      value: numbers.
      dtype: the wanted dtype.

    >>> tf.saturate_cast([300, -7], tf.uint8).numpy()
    array([255,   0], dtype=uint8)
    """
    wanted = dtypes.as_dtype(dtype)
    x = tensor(value)
    if wanted.is_bool:
        raise TypeError(
            errors.compose("saturate_cast: bool has no smallest and largest value.", "use tf.cast(x, tf.bool).")
        )
    if x.dtype.is_complex and wanted.is_complex:
        part = dtypes.float32 if wanted is dtypes.complex64 else dtypes.float64
        return complex(saturate_cast(complex_ops.Real(x), part), saturate_cast(complex_ops.Imag(x), part))
    if x.dtype.is_complex:
        x = complex_ops.Real(x)
    if not x.dtype.is_bool:
        part = wanted if not wanted.is_complex else dtypes.float32 if wanted is dtypes.complex64 else dtypes.float64
        low, high = _common_range(x.dtype, part)
        if low is not None:
            x = ClipByValue(x, low, high)
    return cast(x, wanted)


def _common_range(own: dtypes.DType, wanted: dtypes.DType) -> tuple[Any, Any]:
    """The limits of a dtype as numbers of another, `(None, None)` if they do not limit it."""
    # Python compares ints with floats exactly: 2**63 as a float is above the largest int64.
    limits: list[Any] = [int(v) if d.is_integer else float(v) for d in (own, wanted) for v in (d.min, d.max)]
    # Floats are limited by their own range too: infinities are beyond it.
    if limits[2] <= limits[0] and limits[3] >= limits[1] and not own.is_floating:
        return None, None
    return tuple(_toward_zero(v, own) for v in (max(limits[0], limits[2]), min(limits[1], limits[3])))


def _toward_zero(limit: Any, dtype: dtypes.DType) -> Any:
    """A limit as a number of a dtype, which must not be rounded to the outside."""
    scalar = dtype.numpy.type(float(limit) if dtype.is_floating else limit)
    if not dtype.is_floating or abs(float(scalar)) <= abs(limit):
        return scalar
    # The bits of the next smaller magnitude; NumPy's nextafter knows no bfloat16.
    bits = np.array(scalar).view(f"u{dtype.size}")
    return (bits - bits.dtype.type(1)).view(dtype.numpy)[()]


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Complex numbers from real and imaginary parts.

    Args:
      real: float32 or float64.
      imag: of the same dtype, and a shape that broadcasts with it.

    Returns:
      A tensor of complex64 or complex128.

    >>> tf.complex([1.0, 2.0], 0.5).numpy()
    array([1.+0.5j, 2.+0.5j], dtype=complex64)
    """
    return complex_ops.Complex(*pair(real, imag))


def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate, elementwise; real numbers stay.

    Args:
      x: numbers.

    >>> tf.math.conj([1.0 + 2.0j]).numpy()
    array([1.-2.j])
    """
    x = _numbers(x, "conj")
    return complex_ops.Conj(x) if x.dtype.is_complex else x


def real(input: Any, name: str | None = None) -> Tensor:
    """The real part, elementwise; real numbers stay.

    Args:
      input: numbers.

    >>> tf.math.real([1.0 + 2.0j, 3.0]).numpy()
    array([1., 3.])
    """
    x = _numbers(input, "real")
    return complex_ops.Real(x) if x.dtype.is_complex else x


def imag(input: Any, name: str | None = None) -> Tensor:
    """The imaginary part, elementwise; zeros for real numbers.

    Args:
      input: numbers.

    >>> tf.math.imag([1.0 + 2.0j, 3.0]).numpy()
    array([2., 0.])
    """
    x = _numbers(input, "imag")
    if x.dtype.is_complex:
        return complex_ops.Imag(x)
    return Where(x != x, number(0, x), number(0, x))


def angle(input: Any, name: str | None = None) -> Tensor:
    """The angle of complex numbers, from -pi to pi; for real numbers 0, or pi where they are negative.

    Args:
      input: complex or floating point.

    >>> tf.math.angle([1.0j, -1.0]).numpy()
    array([1.57079633, 3.14159265])
    """
    x = _numbers(input, "angle")
    if x.dtype.is_complex:
        return complex_ops.Angle(x)
    if not x.dtype.is_floating:
        raise errors.build(
            errors.DTypeError,
            f"angle: input must be floating point or complex, got {x.dtype.name}.",
            "use tf.cast(x, tf.float32).",
        )
    return Where(x < 0, number(math.pi, x), number(0, x))


def _numbers(value: Any, what: str) -> Any:
    x = tensor(value)
    if not x.dtype.is_numeric:
        raise errors.build(
            errors.DTypeError,
            f"{what}: input must be a numeric tensor, got {x.dtype.name}.",
            "use tf.strings.to_number(x) for text.",
        )
    return x
