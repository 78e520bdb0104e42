"""NumpyEmitter: the `scalar` rules evaluated with NumPy.

It is as strict as a compiler: operands have one dtype, constants and casts are asked for, nothing is promoted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import dtypes


def _same(name: str, *values: Any) -> Any:
    """The common dtype of operands; TypeError if there is none or one is a plain Python number."""
    for value in values:
        if not hasattr(value, "dtype"):
            raise TypeError(f"emitter: {name} of the Python value {value!r}; use cg.constant(value, like).")
        if value.dtype != values[0].dtype:
            raise TypeError(f"emitter: {name} of {values[0].dtype} and {value.dtype}; use cg.cast.")
    return values[0].dtype


def _arithmetic(name: str, ufunc: Callable[..., Any], kinds: str = "fVciub") -> Any:
    """A method whose result has the dtype of its operands."""

    def method(self: Any, *values: Any) -> Any:
        dtype = _same(name, *values)
        if dtype.kind not in kinds:
            raise TypeError(f"emitter: {name} of {dtype}.")
        with np.errstate(all="ignore"):
            result = ufunc(*values)
        return result if result.dtype == dtype else result.astype(dtype)

    method.__name__ = name
    return method


def _predicate(name: str, ufunc: Callable[..., Any]) -> Any:
    """A method whose result is a mask."""

    def method(self: Any, *values: Any) -> Any:
        _same(name, *values)
        return ufunc(*values)

    method.__name__ = name
    return method


def _rsqrt(x: Any) -> Any:
    return 1.0 / np.sqrt(x)


def _special(name: str) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        from scipy import special

        return getattr(special, name)(x)

    return function


_FLOATS = "fVc"
_REALS = "fViu"


class NumpyEmitter:
    """An `Emitter` whose values are NumPy arrays.

    >>> from gradtape.testing import NumpyEmitter
    >>> cg = NumpyEmitter()
    >>> x = np.array([-1.0, 2.0])
    >>> cg.maximum(x, cg.constant(0, x))
    array([0., 2.])
    """

    def constant(self, value: Any, like: Any) -> Any:
        """A number in the dtype of another value."""
        return np.asarray(value).astype(like.dtype)[()]

    def dtype(self, x: Any) -> dtypes.DType:
        """The DType of a value."""
        return dtypes.from_numpy(x.dtype)

    def cast(self, x: Any, dtype: Any) -> Any:
        """The value in another dtype, truncating toward zero; the real part of complex values if it is real."""
        wanted = dtypes.as_dtype(dtype)
        with np.errstate(all="ignore"):
            return (x if wanted.is_complex else np.real(x)).astype(wanted.numpy)

    def select(self, mask: Any, a: Any, b: Any) -> Any:
        """a where the mask is true, else b."""
        if mask.dtype != np.bool_:
            raise TypeError(f"emitter: select needs a mask, not {mask.dtype}.")
        _same("select", a, b)
        return np.where(mask, a, b)

    add = _arithmetic("add", np.add)
    sub = _arithmetic("sub", np.subtract, "fVciu")
    mul = _arithmetic("mul", np.multiply)
    div = _arithmetic("div", np.true_divide, _FLOATS)
    floordiv = _arithmetic("floordiv", np.floor_divide, _REALS)
    floormod = _arithmetic("floormod", np.mod, _REALS)
    truncmod = _arithmetic("truncmod", np.fmod, _REALS)
    neg = _arithmetic("neg", np.negative, "fVciu")
    abs = _arithmetic("abs", np.abs, _REALS)
    minimum = _arithmetic("minimum", np.minimum, _REALS)
    maximum = _arithmetic("maximum", np.maximum, _REALS)
    bit_and = _arithmetic("bit_and", np.bitwise_and, "iub")
    bit_or = _arithmetic("bit_or", np.bitwise_or, "iub")
    bit_xor = _arithmetic("bit_xor", np.bitwise_xor, "iub")
    bit_not = _arithmetic("bit_not", np.invert, "iub")
    shift_left = _arithmetic("shift_left", np.left_shift, "iu")
    shift_right = _arithmetic("shift_right", np.right_shift, "iu")
    sqrt = _arithmetic("sqrt", np.sqrt, _FLOATS)
    rsqrt = _arithmetic("rsqrt", _rsqrt, _FLOATS)
    exp = _arithmetic("exp", np.exp, _FLOATS)
    expm1 = _arithmetic("expm1", np.expm1, _FLOATS)
    log = _arithmetic("log", np.log, _FLOATS)
    log1p = _arithmetic("log1p", np.log1p, _FLOATS)
    pow = _arithmetic("pow", np.power)
    sin = _arithmetic("sin", np.sin, _FLOATS)
    cos = _arithmetic("cos", np.cos, _FLOATS)
    tan = _arithmetic("tan", np.tan, _FLOATS)
    asin = _arithmetic("asin", np.arcsin, _FLOATS)
    acos = _arithmetic("acos", np.arccos, _FLOATS)
    atan = _arithmetic("atan", np.arctan, _FLOATS)
    atan2 = _arithmetic("atan2", np.arctan2, "fV")
    sinh = _arithmetic("sinh", np.sinh, _FLOATS)
    cosh = _arithmetic("cosh", np.cosh, _FLOATS)
    tanh = _arithmetic("tanh", np.tanh, _FLOATS)
    asinh = _arithmetic("asinh", np.arcsinh, _FLOATS)
    acosh = _arithmetic("acosh", np.arccosh, _FLOATS)
    atanh = _arithmetic("atanh", np.arctanh, _FLOATS)
    floor = _arithmetic("floor", np.floor, "fV")
    ceil = _arithmetic("ceil", np.ceil, "fV")
    round_even = _arithmetic("round_even", np.rint, "fV")

    erf = _arithmetic("erf", _special("erf"), "fV")
    erfc = _arithmetic("erfc", _special("erfc"), "fV")
    normal_cdf = _arithmetic("normal_cdf", _special("ndtr"), "fV")
    normal_density = _arithmetic("normal_density", lambda x: np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi), "fV")

    eq = _predicate("eq", np.equal)
    ne = _predicate("ne", np.not_equal)
    lt = _predicate("lt", np.less)
    le = _predicate("le", np.less_equal)
    gt = _predicate("gt", np.greater)
    ge = _predicate("ge", np.greater_equal)
    isnan = _predicate("isnan", np.isnan)
    isfinite = _predicate("isfinite", np.isfinite)
