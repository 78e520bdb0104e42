"""NumPy's methods on tensors, and promotion in Python's operators, once they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.experimental.numpy import _creation as creating, _elementwise as elementwise, _movement as moving, _ordering as ordering, _promotion as promotion, _reductions as reducing

_OURS = (Tensor, Variable)
_OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
]
_MODES = ("legacy", "all", "safe", "off")


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """Give tensors NumPy's methods (`t.T`, `t.reshape(2, 3)`, `t.astype(tf.int32)`, `t.sum()`, …) and operators that promote
    dtypes as NumPy does, for the rest of the program:

        tf.experimental.numpy.experimental_enable_numpy_behavior()
        tf.constant([1, 2]) + tf.constant([0.5, 0.5])  # float64
        tf.constant([[1, 2]]).T.shape  # (2, 1)

    Python's operators promote, and so do the functions of this module; functions of `tf` keep refusing to mix dtypes.

    Args:
      prefer_float32: Python's numbers become float32 and int32 in this module, and results of integers float32.
      dtype_conversion_mode: "legacy", "all" and "safe" promote by NumPy's rules; "off" changes methods only.
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            errors.compose(
                f"experimental_enable_numpy_behavior: dtype_conversion_mode is {dtype_conversion_mode!r}.",
                f"use one of {', '.join(_MODES)}.",
            )
        )
    promotion.prefer_float32(prefer_float32)
    for name, method in _METHODS.items():
        setattr(Tensor, name, method)
    if dtype_conversion_mode != "off":
        for operator in _OPERATORS:
            for name in (f"__{operator}__", f"__r{operator}__"):
                for owner in _OURS:
                    plain = vars(owner).get(name)
                    if plain is not None and not hasattr(plain, "promotes"):
                        setattr(owner, name, _promoting(plain))


def _promoting(plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A binary operator that promotes operands of different dtypes first."""

    def method(a: Any, b: Any) -> Any:
        if b is None or isinstance(b, (str, bytes)) or not (isinstance(b, _OURS) or _converts(b)):
            return plain(a, b)
        dtype = promotion.result_type(a, b)
        x = a if a.dtype is dtype else promotion.asarray(a, dtype)
        return plain(x, b if getattr(b, "dtype", None) is dtype else promotion.asarray(b, dtype))

    method.promotes = True  # type: ignore[attr-defined]
    return method


def _converts(value: Any) -> bool:
    try:
        promotion.asarray(value)
    except (TypeError, ValueError, errors.OpError):
        return False
    return not any(isinstance(value, kind) for kind, _ in convert.CONVERTERS if kind is not Variable)


def _reshape(a: Any, *newshape: Any, **options: Any) -> Any:
    return moving.reshape(a, newshape[0] if len(newshape) == 1 else list(newshape), **options)


def _transpose(a: Any, *axes: Any) -> Any:
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else list(axes) or None
    return moving.transpose(a, given)


def _count(a: Any) -> int:
    return int(reducing.size(a))


def _tolist(a: Any) -> Any:
    return a.numpy().tolist()


_METHODS: dict[str, Any] = {
    "T": property(moving.transpose), "size": property(_count), "data": property(lambda a: a),
    "astype": promotion.asarray, "reshape": _reshape, "transpose": _transpose, "ravel": moving.ravel,
    "flatten": moving.flatten, "squeeze": moving.squeeze, "clip": elementwise.clip, "sum": reducing.sum,
    "mean": reducing.mean, "max": reducing.max, "min": reducing.min, "prod": reducing.prod, "std": reducing.std,
    "var": reducing.var, "any": reducing.any, "all": reducing.all, "argmax": ordering.argmax, "argmin": ordering.argmin,
    "cumsum": ordering.cumsum, "copy": creating.copy, "tolist": _tolist, "round": elementwise.round,
}  # fmt: skip
