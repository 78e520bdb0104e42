"""Python's operators on tensors and variables.

The other operand of a tensor may be a number, a nested list or a NumPy value, which takes the tensor's dtype. Two tensors
must agree in dtype: nothing is promoted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.core import convert, dispatch, doors, dtypes, errors
from gradtape.core.op import cast_hint
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.tensor_operators import provide
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
        return "numbers written as text: tf.strings.to_number(x); texts are joined by tf.strings.join([a, tf.strings.as_string(b)])."
    if isinstance(other, (str, bytes)):
        return 'text becomes a number with tf.strings.to_number(text); a number goes into text with f"{float(x):.3f}".'
    if dtype == "bool":
        return "cast the tensor first: tf.cast(x, tf.float32); ~x is its negation."
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


def _unable(name: str) -> Callable[[Any, Any], Any]:
    """What an operator answers if the other operand cannot become a tensor: that has its turn first, if it knows the operator."""

    reflected = f"__r{name}__"

    def unable(a: Any, b: Any) -> Any:
        is_first = isinstance(a, _TENSORS)
        other = b if is_first else a
        if hasattr(type(other), "__stands_for_values__") or hasattr(other, "_components"):
            if is_first and doors.operator_hooks and not hasattr(b, reflected):
                return doors.operator_hooks[0](name, a, b)
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


def _binary(name: str, op: Any, coerce: _Coerce = coerce) -> tuple[Any, Any]:
    """The methods `__add__` and `__radd__` of an op."""
    return dispatch.binary_operator(op, coerce, _unable(name))


def _comparison(name: str, op: Any) -> Any:
    """The method of a comparison. Python reflects these by itself: `1.0 < x` asks `x > 1.0`."""
    return dispatch.binary_operator(op, coerce, _unable(name))[0]


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


def _logic(name: str, on_bools: Any, on_integers: Any) -> tuple[Any, Any]:
    """The methods of `&`, `|`, `^`: logical for bools, bitwise for integers."""

    unable = _unable(name)

    def forward(a: Any, b: Any) -> Any:
        return combine(a, b, a.dtype)

    def reflected(b: Any, a: Any) -> Any:
        return combine(a, b, b.dtype)

    def combine(a: Any, b: Any, dtype: dtypes.DType) -> Any:
        pair = coerce(a, b)
        return unable(a, b) if pair is None else (on_bools if dtype.is_bool else on_integers)(*pair)

    return forward, reflected


def _equality(op: Any, unlike: bool) -> Any:
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

    return method


def absolute(x: Any) -> Any:
    """|x|, real for complex x."""
    return (ComplexAbs if x.dtype.is_complex else arithmetic.Abs)(x)


class TensorOperators:
    """The operators of tensors and variables, whose types `Operators` declares."""

    __add__, __radd__ = _binary("add", arithmetic.Add)
    __sub__, __rsub__ = _binary("sub", arithmetic.Subtract)
    __mul__, __rmul__ = _binary("mul", arithmetic.Multiply)
    __truediv__, __rtruediv__ = _binary("truediv", division.Divide, coerce_to_divide)
    __floordiv__, __rfloordiv__ = _binary("floordiv", division.FloorDiv)
    __mod__, __rmod__ = _binary("mod", division.FloorMod)
    __matmul__, __rmatmul__ = _binary("matmul", MatMul)
    __pow__ = dispatch.unary_function(arithmetic.Square, convert.convert_to_tensor, 2, power)
    __rpow__ = _reflected_power

    __and__, __rand__ = _logic("and", logical.LogicalAnd, logical.BitwiseAnd)
    __or__, __ror__ = _logic("or", logical.LogicalOr, logical.BitwiseOr)
    __xor__, __rxor__ = _logic("xor", logical.LogicalXor, logical.BitwiseXor)

    __lt__, __le__ = _comparison("lt", comparison.Less), _comparison("le", comparison.LessEqual)
    __gt__, __ge__ = _comparison("gt", comparison.Greater), _comparison("ge", comparison.GreaterEqual)
    __eq__, __ne__ = _equality(comparison.Equal, unlike=False), _equality(comparison.NotEqual, unlike=True)

    __neg__ = dispatch.unary_function(arithmetic.Negative, convert.convert_to_tensor)
    __abs__ = absolute

    def __pos__(self: Any) -> Any:
        return self.read_value() if isinstance(self, Variable) else self

    def __invert__(self: Any) -> Any:
        """Logical for bools, bitwise for integers."""
        return (logical.LogicalNot if self.dtype.is_bool else logical.Invert)(self)


provide(TensorOperators)

# Python 2's names, by which classes copy the operators of tensors.
Tensor.__div__, Tensor.__rdiv__ = Tensor.__truediv__, Tensor.__rtruediv__  # type: ignore[attr-defined]
Tensor.__nonzero__ = Tensor.__bool__  # type: ignore[attr-defined]
