"""Functions of `tf` that take ragged tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradtape.core import deferral as later
from gradtape.api import dispatching
from gradtape.ragged import _rearrange as arranging, _elementwise as elementwise, _functions as functions, _map_fn as mapping, _reductions as reducing
from gradtape.ragged._tensor import RaggedTensor

# Functions of the first argument's elements; others are parameters.
_UNARY = {
    "": (
        "abs acos acosh asin asinh atan atanh cast ceil clip_by_value cos cosh erf exp expm1 floor identity is_finite is_inf "
        "is_nan lgamma log log1p logical_not negative reciprocal round rsqrt sigmoid sign sin sinh sqrt square stop_gradient "
        "tan tanh saturate_cast one_hot as_string log_sigmoid softplus real imag conj angle digamma"
    ),
    "nn": "relu relu6 elu selu gelu leaky_relu sigmoid tanh softplus silu swish dropout",
    "strings": "as_string",
    "bitwise": "invert",
}
# Functions of elements of the first two arguments, which broadcast.
_BINARY = {
    "": (
        "add subtract multiply divide truediv floordiv floormod mod pow maximum minimum atan2 equal not_equal less less_equal "
        "greater greater_equal logical_and logical_or logical_xor squared_difference divide_no_nan multiply_no_nan "
        "truncatediv truncatemod xlogy xdivy realdiv complex"
    ),
    "bitwise": "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
}


def _of_values(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(x: Any, *args: Any, **kwargs: Any) -> Any:
        return later.adapt(elementwise.of_values)(function, x, args, kwargs)

    of.__name__ = function.__name__
    return of


def _of_pairs(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(x: Any, y: Any, name: str | None = None) -> Any:
        return later.adapt(elementwise.over_values)(function.__name__, function, (x, y), {})

    of.__name__ = function.__name__
    return of


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
        return later.adapt(reducing.reduce)(function.__name__, input_tensor, axis, keepdims)

    of.__name__ = function.__name__
    return of


def _instead_of(ours: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    return ours


def _embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    from gradtape.nn._softmax import embedding_lookup

    return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))


def _size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    from gradtape.arrays.shapes import size

    return size(input.flat_values, out_type)


def _rank(input: Any, name: str | None = None) -> Any:
    from gradtape.core.convert import convert_to_tensor

    return convert_to_tensor(input.ndim)


def _bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, **options: Any) -> Any:
    from gradtape.math._histograms import bincount, length

    if options.get("axis") != -1:
        weights = getattr(weights, "flat_values", weights)
        return bincount(arr.flat_values, weights, minlength, maxlength, **options)
    # Rows are filled up with a number that is too large to be counted.
    size = length(arr.flat_values, minlength, maxlength)
    weights = weights.to_tensor() if isinstance(weights, RaggedTensor) else weights
    return bincount(arr.to_tensor(size), weights, size, size, **options)


_OTHERS: dict[str, dict[str, Callable[..., Any]]] = {
    "": {
        "boolean_mask": functions.boolean_mask, "concat": arranging.concat, "expand_dims": arranging.expand_dims,
        "gather": arranging.gather, "map_fn": mapping.map_fn, "ones_like": functions.ones_like, "rank": _rank,
        "reverse": arranging.reverse, "size": _size, "squeeze": arranging.squeeze, "stack": arranging.stack,
        "tile": arranging.tile, "where": arranging.where, "zeros_like": functions.zeros_like,
    },
    "math": {"bincount": _bincount},
    "nn": {"embedding_lookup": _embedding_lookup, "softmax": reducing.softmax},
}  # fmt: skip

dispatching.replace(RaggedTensor, _UNARY, _of_values)
dispatching.replace(RaggedTensor, _BINARY, _of_pairs)
dispatching.replace(RaggedTensor, {"": " ".join(reducing.REDUCTIONS)}, _reduction)
for _module, _functions in _OTHERS.items():
    for _name, _function in _functions.items():
        dispatching.replace(RaggedTensor, {_module: _name}, functools.partial(_instead_of, _function))
