"""TensorFlow's names on a library that has NumPy's, such as JAX: enough for many programs to run there.

A program that uses another name, or passes something that is not foreseen here, fails there and is left out. This file
imports nothing of gradtape: it runs where the other library is.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

_SAME = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor", "log", "log1p",
    "maximum", "minimum", "round", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "add", "subtract", "multiply", "equal",
    "not_equal", "logical_and", "logical_or", "logical_not", "logical_xor", "reshape", "where", "zeros_like", "ones_like", "conj",
    "real", "imag", "angle",
)  # fmt: skip
_OTHER_NAMES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
                "atan2": "arctan2", "atanh": "arctanh"}  # fmt: skip
_REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "max", "min": "min", "prod": "prod", "any": "any", "all": "all",
               "variance": "var", "std": "std"}  # fmt: skip


def borrowed(xp: Any, special: Any, dtypes: dict[str, Any]) -> Any:
    """A module in the place of TensorFlow.

    Args:
      xp: a library with NumPy's names.
      special: one with the names of `scipy.special`.
      dtypes: dtypes by TensorFlow's names.
    """
    same = {name: getattr(xp, _OTHER_NAMES.get(name, name)) for name in _SAME}
    names = SimpleNamespace(**dtypes, **same, newaxis=None)
    for part in (_elementwise(xp, special), _reductions(xp, special), _shapes(xp), _products(xp)):
        vars(names).update(part)
    names.math = SimpleNamespace(**vars(names))
    names.linalg = SimpleNamespace(**vars(names))
    names.bitwise = SimpleNamespace(
        bitwise_and=xp.bitwise_and, bitwise_or=xp.bitwise_or, bitwise_xor=xp.bitwise_xor, invert=xp.invert,
        left_shift=xp.left_shift, right_shift=xp.right_shift,
    )  # fmt: skip
    names.nn = SimpleNamespace(**_neural(xp, special))
    return names


def _elementwise(xp: Any, special: Any) -> dict[str, Any]:
    def constant(value: Any, dtype: Any = None) -> Any:
        array = np.asarray(value)
        if dtype is None and not isinstance(value, np.ndarray):
            dtype = {"i": np.int32, "f": np.float32}.get(array.dtype.kind)  # of Python's numbers
        return xp.asarray(array, dtype)

    return {
        "constant": constant,
        "cast": lambda x, dtype: x.astype(dtype) if np.dtype(dtype).kind == "c" else xp.real(x).astype(dtype),
        "identity": lambda x: x,
        "sigmoid": special.expit,
        "erf": special.erf,
        "erfc": special.erfc,
        "erfinv": special.erfinv,
        "ndtri": special.ndtri,
        "lgamma": special.gammaln,
        "digamma": special.digamma,
        "rsqrt": lambda x: 1 / xp.sqrt(x),
        "reciprocal": lambda x: 1 / x,
        "rint": xp.round,
        "pow": xp.power,
        "log_sigmoid": lambda x: -xp.logaddexp(-x, xp.zeros_like(x)),
        "truediv": lambda a, b: a / b,
        "squared_difference": lambda a, b: xp.square(a - b),
        "xlogy": special.xlogy,
        "xlog1py": special.xlog1py,
        "divide_no_nan": lambda a, b: a / b,  # programs do not divide by zero
        "multiply_no_nan": lambda a, b: a * b,
        "xdivy": lambda a, b: a / b,
        "complex": lambda a, b: a + 1j * b,
        "add_n": lambda xs: sum(xs[1:], xs[0]),
        "clip_by_value": lambda x, low, high: xp.clip(x, low, high),
        "is_finite": xp.isfinite,
        "is_nan": xp.isnan,
    }


def _reductions(xp: Any, special: Any) -> dict[str, Any]:
    def reduction(name: str) -> Any:
        function = getattr(xp, name)

        def reduce(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
            return function(x, axis=_axes(axis), keepdims=keepdims).astype(x.dtype)

        return reduce

    def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return special.logsumexp(x, axis=_axes(axis), keepdims=keepdims)

    def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
        if exclusive:
            raise NotImplementedError
        y = xp.cumsum(xp.flip(x, axis) if reverse else x, axis=axis).astype(x.dtype)
        return xp.flip(y, axis) if reverse else y

    found = {f"reduce_{theirs}": reduction(ours) for theirs, ours in _REDUCTIONS.items()}
    return found | {"reduce_logsumexp": logsumexp, "cumsum": cumsum}


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _shapes(xp: Any) -> dict[str, Any]:
    def gather(x: Any, indices: Any, axis: int = 0, batch_dims: int = 0) -> Any:
        if batch_dims:
            raise NotImplementedError
        return xp.take(x, indices, axis=axis)

    def split(x: Any, parts: Any, axis: int = 0) -> Any:
        return xp.split(x, parts if isinstance(parts, int) else np.cumsum(parts)[:-1].tolist(), axis=axis)

    def pad(x: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0) -> Any:
        more = {"constant_values": constant_values} if mode == "CONSTANT" else {}
        return xp.pad(x, paddings, mode=mode.lower(), **more)

    def sort(x: Any, axis: int = -1, direction: str = "ASCENDING") -> Any:
        y = xp.sort(x, axis=axis)
        return xp.flip(y, axis) if direction == "DESCENDING" else y

    return {
        "transpose": lambda x, perm=None: xp.transpose(x, perm),
        "matrix_transpose": lambda x: xp.swapaxes(x, -1, -2),
        "expand_dims": xp.expand_dims,
        "squeeze": lambda x: xp.squeeze(x),
        "concat": lambda parts, axis: xp.concatenate(parts, axis=axis),
        "stack": lambda parts, axis=0: xp.stack(parts, axis=axis),
        "unstack": lambda x, axis=0: [xp.take(x, k, axis=axis) for k in range(x.shape[axis])],
        "split": split,
        "pad": pad,
        "tile": lambda x, multiples: xp.tile(x, tuple(multiples)),
        "broadcast_to": lambda x, shape: xp.broadcast_to(x, tuple(shape)),
        "repeat": lambda x, count, axis: xp.repeat(x, count, axis=axis),
        "roll": xp.roll,
        "reverse": lambda x, axis: xp.flip(x, tuple(axis)),
        "gather": gather,
        "sort": sort,
        "diag_part": lambda x: xp.diagonal(x, axis1=-2, axis2=-1),
        "trace": lambda x: xp.trace(x, axis1=-2, axis2=-1).astype(x.dtype),
        "argmax": lambda x, axis, output_type=np.int64: xp.argmax(x, axis=axis).astype(output_type),
        "argmin": lambda x, axis, output_type=np.int64: xp.argmin(x, axis=axis).astype(output_type),
    }


def _products(xp: Any) -> dict[str, Any]:
    def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
        return xp.matmul(xp.swapaxes(a, -1, -2) if transpose_a else a, xp.swapaxes(b, -1, -2) if transpose_b else b)

    return {
        "matmul": matmul,
        "einsum": xp.einsum,
        "tensordot": lambda a, b, axes: xp.tensordot(a, b, axes),
        "matvec": lambda a, x: xp.matmul(a, x[..., None])[..., 0],
    }


def _neural(xp: Any, special: Any) -> dict[str, Any]:
    def gelu(x: Any, approximate: bool = False) -> Any:
        if approximate:
            return 0.5 * x * (1 + xp.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
        return 0.5 * x * special.erfc(-x * 0.5**0.5)

    def log_softmax(x: Any, axis: int = -1) -> Any:
        return x - special.logsumexp(x, axis=axis, keepdims=True)

    def cross_entropy(labels: Any, logits: Any) -> Any:
        return -xp.sum(labels * log_softmax(logits), axis=-1)

    def batch_normalization(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, epsilon: float) -> Any:
        y = (x - mean) / xp.sqrt(variance + epsilon)
        y = y if scale is None else y * scale
        return y if offset is None else y + offset

    return {
        "relu": lambda x: xp.maximum(x, xp.zeros_like(x)),
        "softplus": lambda x: xp.logaddexp(x, xp.zeros_like(x)),
        "silu": lambda x: x * special.expit(x),
        "swish": lambda x: x * special.expit(x),
        "softsign": lambda x: x / (1 + xp.abs(x)),
        "elu": lambda x: xp.where(x > 0, x, xp.expm1(x)),
        "leaky_relu": lambda x: xp.where(x > 0, x, 0.2 * x),
        "gelu": gelu,
        "softmax": lambda x, axis=-1: xp.exp(log_softmax(x, axis)),
        "log_softmax": log_softmax,
        "softmax_cross_entropy_with_logits": cross_entropy,
        "bias_add": lambda x, bias: x + bias,
        "batch_normalization": batch_normalization,
        "embedding_lookup": lambda x, ids: xp.take(x, ids, axis=0),
        "l2_loss": lambda x: xp.sum(x * x) / 2,
    }
