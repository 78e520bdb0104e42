"""Python's operators on tensors and variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.core import convert, dispatch, errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops import arithmetic

_HELD = (bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


def coerce(a: Any, b: Any) -> tuple[Any, Any] | None:
    """Both operands as tensors, the other one in the dtype of the tensor; None if Python should try something else."""
    if isinstance(a, (Tensor, Variable)):
        return (a, b) if isinstance(b, (Tensor, Variable)) else _paired(a, b, False)
    return _paired(b, a, True)


def _paired(tensor: Any, other: Any, swap: bool) -> tuple[Any, Any] | None:
    if not isinstance(other, _HELD) and not hasattr(other, "__array__"):
        return None
    try:
        converted = convert.like(other, tensor.dtype)
    except TypeError:
        raise errors.build(
            errors.DTypeError,
            f"{other!r} cannot be converted to {tensor.dtype.name}, the dtype of the other operand.",
            f"cast the tensor first: tf.cast(x, tf.{'complex64' if isinstance(other, complex) else 'float32'}).",
        ) from None
    return (converted, tensor) if swap else (tensor, converted)


def _attach(name: str, op: Any) -> None:
    forward, reflected = dispatch.binary_operator(op, coerce)
    for cls in (Tensor, Variable):
        setattr(cls, f"__{name}__", forward)
        setattr(cls, f"__r{name}__", reflected)


_attach("add", arithmetic.Add)
_attach("sub", arithmetic.Subtract)
_attach("mul", arithmetic.Multiply)


_square = dispatch.unary_function(arithmetic.Square, convert.convert_to_tensor)
def _power(a: Any, b: Any) -> Any:
    if type(b) in (int, float) and b == 2:
        return _square(a)


Tensor.__pow__ = _power
Variable.__pow__ = _power
Tensor.__neg__ = lambda x: arithmetic.Negative(x)
