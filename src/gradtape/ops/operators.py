"""Python's operators on tensors and variables.

The other operand of a tensor may be a number, a nested list or a NumPy value, which takes the tensor's dtype. Two tensors
must agree in dtype: nothing is promoted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from gradtape.core import convert, dispatch, dtypes, errors
from gradtape.core.op import cast_hint
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.tensor_operators import Operators
from gradtape.core.variable import Variable
from gradtape.ops import arithmetic, comparison, division, logical
from gradtape.ops.cast import Cast
from gradtape.ops.complex import ComplexAbs
from gradtape.ops.exponential import IntegerPow, Pow
from gradtape.ops.matmul import MatMul

_TENSORS = (Tensor, Variable)
_HELD = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)
_Coerce = Callable[[Any, Any], "tuple[Any, Any] | None"]


def coerce(a: Any, b: Any) -> tuple[Any, Any] | None:
    """Both operands as tensors, the other one in the dtype of the tensor; None if Python should try something else."""
    if isinstance(a, _TENSORS):
        return (a, b) if isinstance(b, _TENSORS) else _paired(a, b, False)
    return _paired(b, a, True)


def _paired(tensor: Any, other: Any, swap: bool) -> tuple[Any, Any] | None:
    if not _converts(other):
        return None
    try:
        converted = convert.like(other, tensor.dtype)
    except TypeError:
        raise errors.build(
            errors.DTypeError,
            f"{errors.brief(other)} cannot be converted to {tensor.dtype.name}, the dtype of the other operand.",
            _fitting(tensor.dtype.name, other),
        ) from None
    return (converted, tensor) if swap else (tensor, converted)


def _fitting(dtype: str, other: Any) -> str:
    if dtype == "string":
        return "texts are joined by tf.strings.join([a, b]); numbers become text with tf.strings.as_string(x)."
    if isinstance(other, (str, bytes)):
        return 'text becomes a number with tf.strings.to_number(text); a number goes into text with f"{float(x):.3f}".'
    return f"cast the tensor first: tf.cast(x, tf.{'complex64' if isinstance(other, complex) else 'float32'})."


def _converts(other: Any) -> bool:
    if isinstance(other, _HELD):
        return True
    if hasattr(type(other), "__stands_for_values__"):
        return False  # a symbolic tensor of Keras has operators of its own
    if hasattr(other, "__array__"):
        return True
    return any(isinstance(other, kind) for kind, _ in convert.CONVERTERS)


def coerce_to_divide(a: Any, b: Any) -> tuple[Any, Any] | None:
    """Both operands of a true division: integers become float64, or float32 if they have at most 16 bits."""
    pair = coerce(a, b)
    if pair is None:
        return None
    dtype, other = pair[0].dtype, pair[1].dtype
    if dtype is not other:
        raise errors.build(
            errors.DTypeError,
            f"divide: dtypes differ: a is {spec_of(pair[0])}, b is {spec_of(pair[1])}.",
            f"tensors are never promoted silently; use {cast_hint('a', dtype, 'b', other)}.",
        )
    if not dtype.is_integer:
        return pair
    wide = dtypes.float32 if dtype.size <= 2 else dtypes.float64
    return Cast(pair[0], dtype=wide), Cast(pair[1], dtype=wide)


def _attach(name: str, op: Any, coerce: _Coerce = coerce) -> None:
    _set(name, *dispatch.binary_operator(op, coerce, _unable(name)))


def _unable(name: str) -> Callable[[Any, Any], Any]:
    """What an operator answers if the other operand cannot become a tensor: that has its turn first, if it knows the operator."""

    reflected = f"__r{name}__"

    def unable(a: Any, b: Any) -> Any:
        is_first = isinstance(a, _TENSORS)
        other = b if is_first else a
        if hasattr(type(other), "__stands_for_values__") or hasattr(other, "_components"):
            return NotImplemented  # symbolic tensors of Keras, sparse and ragged tensors have operators of their own
        if is_first and hasattr(b, reflected):
            try:
                found = getattr(b, reflected)(a)
            except (TypeError, ValueError):
                found = NotImplemented
            if found is not NotImplemented:
                return found
        raise convert.unconvertible(other, errors.OperandError)

    return unable


def _set(name: str, forward: Any, reflected: Any = None) -> None:
    setattr(Operators, f"__{name}__", forward)
    if reflected is not None:
        setattr(Operators, f"__r{name}__", reflected)


_attach("add", arithmetic.Add)
_attach("sub", arithmetic.Subtract)
_attach("mul", arithmetic.Multiply)
_attach("truediv", division.Divide, coerce_to_divide)
_attach("floordiv", division.FloorDiv)
_attach("mod", division.FloorMod)
_attach("matmul", MatMul)

_set("neg", dispatch.unary_function(arithmetic.Negative, convert.convert_to_tensor))

_square = dispatch.unary_function(arithmetic.Square, convert.convert_to_tensor)
_general_power, _reflected_power = dispatch.binary_operator(Pow, coerce, _unable("pow"))


def power(a: Any, b: Any) -> Any:
    """a ** b. Small whole exponents are multiplications, which are faster than `pow` and have all their derivatives."""
    n = _small_exponent(a, b)
    if n > 2:
        return IntegerPow(a, exponent=n)
    return _square(a) if n else _general_power(a, b)


def _small_exponent(a: Any, b: Any) -> int:
    """A Python number from 2 to 16 that is whole, for which powers are multiplications; else 0."""
    if type(b) is int or (type(b) is float and a.dtype.kind not in "iu"):
        return int(b) if 2 <= b <= 16 and b == int(b) else 0
    return 0


_set("pow", dispatch.unary_function(arithmetic.Square, convert.convert_to_tensor, 2, power), _reflected_power)


def absolute(x: Any) -> Any:
    """|x|, real for complex x."""
    return (ComplexAbs if x.dtype.is_complex else arithmetic.Abs)(x)


def positive(x: Any) -> Any:
    """+x: x itself, the value of a variable."""
    return x.read_value() if isinstance(x, Variable) else x


def invert(x: Any) -> Any:
    """~x: logical for bools, bitwise for integers."""
    return (logical.LogicalNot if x.dtype.is_bool else logical.Invert)(x)


_set("abs", absolute)
_set("pos", positive)
_set("invert", invert)


def _attach_logic(name: str, on_bools: Any, on_integers: Any) -> None:
    """The operators `&`, `|`, `^`: logical for bools, bitwise for integers."""

    unable = _unable(name)

    def forward(a: Any, b: Any) -> Any:
        return combine(a, b, a.dtype)

    def reflected(b: Any, a: Any) -> Any:
        return combine(a, b, b.dtype)

    def combine(a: Any, b: Any, dtype: dtypes.DType) -> Any:
        pair = coerce(a, b)
        return unable(a, b) if pair is None else (on_bools if dtype.is_bool else on_integers)(*pair)

    _set(name, forward, reflected)


_attach_logic("and", logical.LogicalAnd, logical.BitwiseAnd)
_attach_logic("or", logical.LogicalOr, logical.BitwiseOr)
_attach_logic("xor", logical.LogicalXor, logical.BitwiseXor)


# Python reflects comparisons by itself: `1.0 < x` asks `x > 1.0`.
_set("lt", dispatch.binary_operator(comparison.Less, coerce, _unable("lt"))[0])
_set("le", dispatch.binary_operator(comparison.LessEqual, coerce, _unable("le"))[0])
_set("gt", dispatch.binary_operator(comparison.Greater, coerce, _unable("gt"))[0])
_set("ge", dispatch.binary_operator(comparison.GreaterEqual, coerce, _unable("ge"))[0])


def _attach_equality(name: str, op: Any, unlike: bool) -> None:
    """`==` or `!=`, elementwise; operands whose shapes do not fit are unlike as a whole, and None is like no tensor."""
    compare = dispatch.binary_operator(op, coerce)[0]

    def method(a: Any, b: Any) -> Any:
        if b is None:
            if isinstance(a, Variable):
                raise convert.unconvertible(b)
            return unlike
        try:
            return compare(a, b)
        except errors.ShapeError:
            return wrap(np.bool_(unlike))

    _set(name, method)


_attach_equality("eq", comparison.Equal, unlike=False)
_attach_equality("ne", comparison.NotEqual, unlike=True)


def _attach_guard(name: str, sign: str, instead: str) -> None:
    """An in-place operator of a variable, which would silently put a tensor in its place."""

    def method(self: Variable, value: Any) -> NoReturn:
        raise RuntimeError(
            errors.compose(
                f"`variable {sign}= value` with `tf.Variable`s is not supported: it would replace the variable by a tensor.",
                f"use `{instead}` to change the variable, or `y = variable {sign} value` for a new tensor.",
            )
        )

    setattr(Variable, f"__{name}__", method)


_attach_guard("iadd", "+", "variable.assign_add(value)")
_attach_guard("isub", "-", "variable.assign_sub(value)")
_attach_guard("imul", "*", "variable.assign(variable * value)")
_attach_guard("itruediv", "/", "variable.assign(variable / value)")
_attach_guard("ipow", "**", "variable.assign(variable ** value)")

# Python 2's names, by which classes copy the operators of tensors.
Tensor.__div__, Tensor.__rdiv__ = Tensor.__truediv__, Tensor.__rtruediv__  # type: ignore[attr-defined]
Tensor.__nonzero__ = Tensor.__bool__  # type: ignore[attr-defined]
