"""NumPy's methods on tensors, and promotion in Python's operators, once enabled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors
from gradtape.core.tensor import Tensor
from gradtape.core.tensor_operators import Operators
from gradtape.core.variable import Variable
from gradtape.experimental.numpy import _creation as creation
from gradtape.experimental.numpy import _elementwise as elementwise
from gradtape.experimental.numpy import _indexing as indexing
from gradtape.experimental.numpy import _movement as movement
from gradtape.experimental.numpy import _ordering as ordering
from gradtape.experimental.numpy import _promotion as promotion
from gradtape.experimental.numpy import _reductions as reductions
from gradtape.numpy_protocol import protocol
from gradtape.ops import getitem

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
_MATMUL = Tensor.__matmul__
_MODES = ("legacy", "all", "safe", "off")


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = "legacy") -> None:
    """Give tensors NumPy's methods (`t.T`, `t.reshape(2, 3)`, `t.astype(tf.int32)`, `t.sum()`, …), NumPy's indexing and
    operators that promote dtypes as NumPy does, for the rest of the program:

        tf.experimental.numpy.experimental_enable_numpy_behavior()
        tf.constant([1, 2]) + tf.constant([0.5, 0.5])  # float64
        tf.constant([[1, 2]]).T.shape  # (2, 1)
        tf.constant([[1, 2], [3, 4]])[:, (True, False)]  # [[1], [3]]

    Python's operators promote, and so do the functions of this module; functions of `tf` keep refusing to mix dtypes.

    Args:
      prefer_float32: Python's numbers become float32 and int32 in this module, and results of integers float32.
      dtype_conversion_mode: "legacy" promotes by NumPy's rules; "all" by TensorFlow's, in which Python's numbers are weak
        (`float16 + 2.5` is float16) and int32 beside float32 is float32; "safe" does so, but refuses what may lose bits;
        "off" changes methods only.
    """
    if dtype_conversion_mode not in _MODES:
        raise errors.build(
            ValueError,
            f"experimental_enable_numpy_behavior: dtype_conversion_mode must be one of {', '.join(_MODES)}, got {dtype_conversion_mode!r}.",
            f"use one of {', '.join(_MODES)}.",
        )
    promotion.prefer_float32(prefer_float32)
    promotion.convert_by(dtype_conversion_mode)
    for name, method in _METHODS.items():
        setattr(Tensor, name, method)
    getitem.follow(indexing.take)
    if dtype_conversion_mode != "off":
        for operator in _OPERATORS:
            for name in (f"__{operator}__", f"__r{operator}__"):
                plain = vars(Operators).get(name)
                if plain is not None and not hasattr(plain, "promotes"):
                    setattr(Operators, name, _promoting(_PRODUCTS.get(name, plain)))
        protocol.promote_by(lambda operands: promotion.promoted(*operands))


def _promoting(plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A binary operator that promotes operands of different dtypes first."""

    def method(a: Any, b: Any) -> Any:
        if b is None or isinstance(b, (str, bytes)) or not (isinstance(b, _OURS) or _converts(b)):
            return plain(a, b)
        dtype = promotion.result_type(a, b)
        x = a if a.dtype is dtype else promotion.asarray(a, dtype)
        y = b if getattr(b, "dtype", None) is dtype else promotion.asarray(b, dtype)
        return plain(x, y)

    method.promotes = True  # type: ignore[attr-defined]
    return method


def _product(plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A matrix product that takes vectors as rows or columns, as NumPy's does."""

    def product(a: Any, b: Any) -> Any:
        ranks = len(a.shape), len(b.shape)
        if 1 not in ranks or 0 in ranks:
            return plain(a, b)
        x, y = (a[None, :] if ranks[0] == 1 else a), (b[:, None] if ranks[1] == 1 else b)
        return movement.squeeze(
            plain(x, y), tuple(axis for axis, rank in zip((-2, -1), ranks, strict=True) if rank == 1)
        )

    return product


_PRODUCTS = {
    "__matmul__": _product(_MATMUL),
    "__rmatmul__": lambda a, b: _product(_MATMUL)(b, a),
}


def _converts(value: Any) -> bool:
    try:
        promotion.asarray(value)
    except (TypeError, ValueError, errors.OpError):
        return False
    return not any(isinstance(value, kind) for kind, _ in convert.CONVERTERS if kind is not Variable)


def _reshape(a: Any, *newshape: Any, **options: Any) -> Any:
    return movement.reshape(a, newshape[0] if len(newshape) == 1 else list(newshape), **options)


def _transpose(a: Any, *axes: Any) -> Any:
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else list(axes) or None
    return movement.transpose(a, given)


def _tolist(a: Any) -> Any:
    return a.numpy().tolist()


_METHODS: dict[str, Any] = {
    "T": property(movement.transpose), "size": property(reductions.size), "data": property(lambda a: a),
    "astype": promotion.asarray, "reshape": _reshape, "transpose": _transpose, "ravel": movement.ravel,
    "flatten": movement.flatten, "squeeze": movement.squeeze, "clip": elementwise.clip, "sum": reductions.sum,
    "mean": reductions.mean, "max": reductions.max, "min": reductions.min, "prod": reductions.prod, "std": reductions.std,
    "var": reductions.var, "any": reductions.any, "all": reductions.all, "argmax": ordering.argmax, "argmin": ordering.argmin,
    "cumsum": ordering.cumsum, "copy": creation.copy, "tolist": _tolist, "round": elementwise.round,
    "__round__": lambda a, digits=None: elementwise.round(a, digits or 0),
}  # fmt: skip
