"""Errors in units of the last place, inputs that sweep a float format, and kernels called with arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from compiler.elementwise import elementwise_kernel
from gradtape.core import dtypes

# More digits than float64, where the machine has such floats; else the reference itself is off by up to one unit.
WIDER = {"float32": np.float64, "float64": np.longdouble}
LIMIT = {"float32": 2.0, "float64": 2.0 if np.finfo(np.longdouble).nmant > 60 else 3.0}


def run(body: Any, *arrays: Any, out: Any = None, scalars: Any = ()) -> Any:
    """The result of a body over whole arrays, in the dtype of the first unless `out` says another."""
    arrays = tuple(np.ascontiguousarray(x) for x in arrays)
    result = np.empty(arrays[0].shape, out or arrays[0].dtype)
    kinds = [dtypes.from_numpy(x.dtype) for x in arrays]
    kernel = elementwise_kernel("test", kinds, dtypes.from_numpy(result.dtype), body, scalars)
    kernel(*[x.ctypes.data for x in arrays], result.ctypes.data, 0, result.size)
    return result


def units(got: Any, exact: Any) -> Any:
    """The distance of each result from a reference with more digits, in units of the result's last place.

    Equal infinities and NaNs are no distance apart; infinity is as far from the largest number as the next power of two.
    """
    info, one = np.finfo(got.dtype), exact.dtype.type(1)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(exact), exact, one))
        unit = np.ldexp(one, np.maximum(exponent - 1, info.minexp) - info.nmant)
        top = np.ldexp(one, info.maxexp)
        wide = np.where(np.isinf(got), np.copysign(top, got), got.astype(exact.dtype))
        exact = np.where(np.abs(exact) > top, np.copysign(top, exact), exact)
        error = np.abs(wide - exact) / unit
    return np.where(np.isnan(got) & np.isnan(exact), 0, np.where(np.isnan(error), np.inf, error))


def sweep(dtype: Any, mantissas: int, random: Any) -> Any:
    """All exponents, subnormal ones too, with random mantissas and both signs; random bits; the usual sizes; the ends."""
    info = np.finfo(dtype)
    exponents = np.arange(info.minexp - info.nmant, info.maxexp)
    mantissa = 1 + random.random((exponents.size, mantissas))
    regular = np.ldexp(mantissa, exponents[:, None]).astype(dtype).ravel()
    integers = {4: np.uint32, 8: np.uint64}[info.dtype.itemsize]
    bits = random.integers(0, np.iinfo(integers).max, regular.size // 8, integers).view(dtype)
    usual = (random.standard_normal((regular.size // 8, 4)) * [0.3, 1, 5, 50]).astype(dtype).ravel()
    return np.concatenate([regular, -regular, bits, usual, special(dtype)])


def special(dtype: Any) -> Any:
    """Zeros, infinities, NaN, the ends of the format, and numbers where functions turn."""
    info = np.finfo(dtype)
    ends = [0.0, np.inf, info.max, info.tiny, info.smallest_subnormal, info.eps, 1 - info.epsneg, 1 + info.eps]
    turns = [0.5, 1, 2, 3, 0.55, 9, 19, 88.7, 104, 709.7, 745.2, np.pi / 4, np.pi / 2, np.pi, 2.0**17, 2.0**30, 1e22]
    positive = np.array(ends + turns, dtype)
    return np.concatenate([positive, -positive, np.array([np.nan], dtype)])


def error_functions(x: Any) -> tuple[Any, Any]:
    """erf and erfc in the widest float, which SciPy has in float64 only.

    A series of positive terms where |x| is below 1, the continued fraction elsewhere. The exponential is taken of an exact
    square and a small rest, since rounding the square would cost digits.
    """
    with np.errstate(invalid="ignore"):
        x = x.astype(np.longdouble)
    size = np.minimum(np.abs(x), 120)
    short = size.astype(np.float32).astype(np.longdouble)
    bell = np.exp(-short * short) * np.exp(-(size - short) * (size + short))
    near, far = np.minimum(size, 1), np.maximum(size, 1)
    term, total = near, near
    for n in range(1, 40):
        term = term * 2 * near * near / (2 * n + 1)
        total = total + term
    root_pi = np.sqrt(np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16))
    small = 2 / root_pi * bell * total
    fraction = far
    for n in range(260, 0, -1):
        fraction = far + np.longdouble(n) / 2 / fraction
    large = bell / (root_pi * fraction)
    inside = size < 1
    erf = np.copysign(np.where(inside, small, 1 - large), x)
    right = np.where(inside, 1 - small, large)
    return erf, np.where(x < 0, 2 - right, right)
