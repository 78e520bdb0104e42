"""Functions of `tf` that take ragged tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradtape.api import dispatching
from gradtape.core import deferral, errors
from gradtape.ragged import _elementwise as elementwise
from gradtape.ragged import _functions as functions
from gradtape.ragged import _gather as gather
from gradtape.ragged import _map_fn as map_fn
from gradtape.ragged import _products as products
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _reductions as reductions
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


_SEGMENTS = (
    "unsorted_segment_sum unsorted_segment_prod unsorted_segment_min unsorted_segment_max unsorted_segment_mean "
    "unsorted_segment_sqrt_n"
)


def _of_values(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(x: Any, *args: Any, **kwargs: Any) -> Any:
        return deferral.adapt(elementwise.of_values)(function, x, args, kwargs)

    of.__name__ = function.__name__
    return of


def _of_pairs(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(x: Any, y: Any, name: str | None = None) -> Any:
        return deferral.adapt(elementwise.over_values)(function.__name__, function, (x, y), {})

    of.__name__ = function.__name__
    return of


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
        return deferral.adapt(reductions.reduce)(function.__name__, input_tensor, axis, keepdims)

    of.__name__ = function.__name__
    return of


def _instead_of(ours: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    return ours


def _add_n(inputs: Any, name: str | None = None) -> Any:
    return functools.reduce(lambda total, x: total + x, inputs)


def _reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    from gradtape.arrays.movement import reshape

    return reshape(tensor.flat_values, shape)


def _segments(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return deferral.adapt(reductions.of_segments)(function, data, segment_ids, num_segments)

    of.__name__ = function.__name__
    return of


def _matmul(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        options = dict(zip(_OF_MATMUL, args, strict=False)) | kwargs
        return deferral.adapt(products.product)(function, a, b, options)

    of.__name__ = function.__name__
    return of


_OF_MATMUL = ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")


def _embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    from gradtape.nn._softmax import embedding_lookup

    if not ids.dtype.is_integer:
        raise ValueError(
            errors.compose(
                f"embedding_lookup: the values of ids must be integers, got {ids.dtype.name}.",
                "use tf.cast(ids, tf.int64).",
            )
        )
    return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))


def _embedding_lookup_sparse(params: Any, sp_ids: Any, sp_weights: Any, *args: Any, **kwargs: Any) -> Any:
    from gradtape.nn._embedding import embedding_lookup_sparse

    weights = sp_weights.to_sparse() if isinstance(sp_weights, RaggedTensor) else sp_weights
    return embedding_lookup_sparse(params, sp_ids.to_sparse(), weights, *args, **kwargs)


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
        "boolean_mask": functions.boolean_mask, "concat": rearrange.concat, "expand_dims": rearrange.expand_dims,
        "gather": gather.gather, "gather_nd": gather.gather_nd, "dynamic_partition": gather.dynamic_partition,
        "add_n": _add_n, "reshape": _reshape, "map_fn": map_fn.map_fn, "ones_like": functions.ones_like, "rank": _rank,
        "reverse": rearrange.reverse, "size": _size, "squeeze": rearrange.squeeze, "stack": rearrange.stack,
        "tile": rearrange.tile, "where": rearrange.where, "zeros_like": functions.zeros_like,
    },
    "math": {"bincount": _bincount},
    "nn": {"embedding_lookup": _embedding_lookup, "embedding_lookup_sparse": _embedding_lookup_sparse, "softmax": reductions.softmax},
}  # fmt: skip

dispatching.replace(RaggedTensor, _UNARY, _of_values)
dispatching.replace(RaggedTensor, _BINARY, _of_pairs)
dispatching.replace(RaggedTensor, {"": " ".join(reductions.REDUCTIONS)}, _reduction)
dispatching.replace(RaggedTensor, {"": "matmul", "linalg": "matmul"}, _matmul)
dispatching.replace(RaggedTensor, {"math": _SEGMENTS}, _segments)
for _module, _functions in _OTHERS.items():
    for _name, _function in _functions.items():
        dispatching.replace(RaggedTensor, {_module: _name}, functools.partial(_instead_of, _function))
