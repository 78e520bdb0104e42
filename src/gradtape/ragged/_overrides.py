"""Functions of `tf` that take ragged tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradtape.core import doors, errors
from gradtape.core.tensor import Tensor
from gradtape.ragged import _elementwise as elementwise
from gradtape.ragged import _functions as functions
from gradtape.ragged import _gather as gather
from gradtape.ragged import _map_fn as map_fn
from gradtape.ragged import _products as products
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _reductions as reductions
from gradtape.ragged import _shape_overrides as shape_overrides
from gradtape.ragged._tensor import RaggedTensor

# Functions of the first argument's elements; others are parameters. By the room that defines them.
UNARY = {
    "arrays": "as_string bitcast identity",
    "debugging": "check_numerics",
    "image": "adjust_brightness adjust_gamma convert_image_dtype random_brightness stateless_random_brightness",
    "io": "decode_base64 decode_compressed encode_base64",
    "math": (
        "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 "
        "bessel_y1 dawsn erfc erfcinv erfinv expint fresnel_cos fresnel_sin ndtri nextafter reciprocal_no_nan rint softsign spence "
        "abs acos acosh angle asin asinh atan atanh cast ceil clip_by_value conj cos cosh digamma elu erf exp expm1 floor gelu "
        "imag invert is_finite is_inf is_nan leaky_relu lgamma log log1p log_sigmoid logical_not negative real reciprocal relu "
        "relu6 round rsqrt saturate_cast selu sigmoid sign silu sin sinh softplus sqrt square tan tanh"
    ),
    "nn": "dropout stateless_dropout",
    "toplevel": "guarantee_const",
    "transform": "stop_gradient",
}
# Functions of elements of the first two arguments, which broadcast.
BINARY = {
    "math": (
        "add atan2 bitwise_and bitwise_or bitwise_xor complex divide divide_no_nan equal floordiv floormod greater "
        "greater_equal left_shift less less_equal logical_and logical_or logical_xor maximum minimum mod multiply "
        "multiply_no_nan not_equal pow realdiv right_shift squared_difference subtract truediv truncatediv truncatemod "
        "xdivy xlog1py xlogy zeta"
    ),
    "nn": "sigmoid_cross_entropy_with_logits",
}
# Checks of the elements of two arguments, which broadcast.
CHECKS = {
    "debugging": (
        "assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near assert_none_equal"
    ),
}
_SEGMENTS = (
    "unsorted_segment_sum unsorted_segment_prod unsorted_segment_min unsorted_segment_max unsorted_segment_mean "
    "unsorted_segment_sqrt_n"
)


def _of_values(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(*args: Any, **kwargs: Any) -> Any:
        if args:
            return doors.adapt(elementwise.of_values)(function, args[0], args[1:], kwargs)
        name = next(name for name, x in kwargs.items() if isinstance(x, RaggedTensor))
        rest = {key: value for key, value in kwargs.items() if key != name}
        return doors.adapt(elementwise.of_values)(lambda x: function(**{name: x}, **rest), kwargs[name], (), {})

    of.__name__ = function.__name__
    return of


def _of_pairs(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        pair = (*args[:2], *kwargs.values())
        return doors.adapt(elementwise.over_values)(function.__name__, function, pair, {})

    of.__name__ = function.__name__
    return of


def _check_of_pairs(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(x: Any, y: Any, *args: Any, **kwargs: Any) -> None:
        def check(a: Any, b: Any) -> Any:
            function(a, b, *args, **kwargs)
            return a

        elementwise.over_values(function.__name__, check, (x, y), {})

    of.__name__ = function.__name__
    return of


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(input_tensor: Any, axis: Any = None, keepdims: Any = False, name: str | None = None) -> Any:
        return doors.adapt(reductions.reduce)(function.__name__, input_tensor, axis, keepdims)

    of.__name__ = function.__name__
    return of


def _add_n(inputs: Any, name: str | None = None) -> Any:
    return functools.reduce(lambda total, x: total + x, inputs)


def _accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Any:
    return _add_n(inputs)


def _identity_n(input: Any, name: str | None = None) -> Any:
    from gradtape.arrays.movement import identity

    return [x.with_flat_values(identity(x.flat_values)) if isinstance(x, RaggedTensor) else identity(x) for x in input]


def _reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    return shape_overrides.reshape(tensor, shape)


def _segments(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        return doors.adapt(reductions.of_segments)(function, data, segment_ids, num_segments)

    of.__name__ = function.__name__
    return of


def _matmul(function: Callable[..., Any]) -> Callable[..., Any]:
    def of(a: Any, b: Any, *args: Any, **kwargs: Any) -> Any:
        options = dict(zip(_OF_MATMUL, args, strict=False)) | kwargs
        return doors.adapt(products.product)(function, a, b, options)

    of.__name__ = function.__name__
    return of


_OF_MATMUL = ("transpose_a", "transpose_b", "adjoint_a", "adjoint_b")


def _embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    from gradtape.nn._softmax import embedding_lookup

    if not ids.dtype.is_integer:
        raise ValueError(
            errors.compose(
                f"embedding_lookup: The values contained by the inputs have type {ids.dtype.name}, and ids must be integers.",
                "use tf.cast(ids, tf.int64).",
            )
        )
    return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm))


def _one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    from gradtape.arrays.creation import one_hot

    axis = -1 if axis is None else axis
    place = axis if axis >= 0 else axis + indices.ndim + 1
    if place <= indices.ragged_rank:
        raise ValueError(
            errors.compose(
                f"one_hot: axis ({axis}) must be greater than indices.ragged_rank ({indices.ragged_rank}).",
                "leave axis out, for the last one.",
            )
        )
    made = one_hot(indices.flat_values, depth, on_value, off_value, place - indices.ragged_rank, dtype)
    return indices.with_flat_values(made)


def _scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    return x * scalar


def _resize(images: Any, size: Any, *args: Any, **kwargs: Any) -> Any:
    """Images of different sizes as images of one size."""
    from gradtape.arrays.creation import zeros
    from gradtape.arrays.joining import stack
    from gradtape.arrays.movement import expand_dims, tile
    from gradtape.core.shape import TensorSpec
    from gradtape.image._resize import resize, static_size

    if images.ndim != 4:
        raise ValueError(
            errors.compose(
                "resize: RaggedTensor `images` cannot be resized: rank must be 4.",
                "give [batch, height, width, channels].",
            )
        )

    def resized(row: Any) -> Any:
        image, wanted = row if isinstance(row, tuple) else (row, size)
        return doors.adapt(resize)(
            image.to_tensor() if isinstance(image, RaggedTensor) else image, wanted, *args, **kwargs
        )

    shape = images.get_shape()
    height, width = static_size(size)
    if shape[0] == 0 and None not in (height, width, shape[-1]):
        return zeros([0, height, width, shape[-1]], "float32")  # for every method
    method = kwargs.get("method", args[0] if args else "bilinear")
    if kwargs.get("preserve_aspect_ratio", args[1] if len(args) > 1 else False):
        height = width = None
    dtype = images.dtype if method == "nearest" else "float32"
    rows: Any = images
    if type(size) is not Tensor and isinstance(size, Tensor):  # known when the function runs: each row brings it along
        rows = (images, tile(expand_dims(size, 0), stack([images.nrows(), 1])))
    return doors.adapt(map_fn.map_fn)(resized, rows, fn_output_signature=TensorSpec([height, width, shape[-1]], dtype))


def _size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    from gradtape.arrays.shapes import size

    return size(input.flat_values, out_type)


def _rank(input: Any, name: str | None = None) -> Any:
    from gradtape.core.convert import convert_to_tensor

    return convert_to_tensor(input.ndim)


def _bincount(arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, **options: Any) -> Any:
    from gradtape.math._histograms import bincount, length

    if weights is not None:
        weights = elementwise.weights_of(arr, weights, "bincount")
    if options.get("axis") != -1:
        return bincount(arr.flat_values, weights, minlength, maxlength, **options)
    # Rows are filled up with a number that is too large to be counted.
    size = length(arr.flat_values, minlength, maxlength)
    weights = None if weights is None else arr.with_flat_values(weights).to_tensor()
    return bincount(arr.to_tensor(size), weights, size, size, **options)


_OTHERS: dict[str, dict[str, Callable[..., Any]]] = {
    "arrays": {
        "boolean_mask": functions.boolean_mask, "broadcast_to": shape_overrides.broadcast_to, "concat": rearrange.concat, "dynamic_partition": gather.dynamic_partition,
        "expand_dims": rearrange.expand_dims, "gather": gather.gather, "gather_nd": gather.gather_nd, "identity_n": _identity_n,
        "one_hot": _one_hot, "ones_like": functions.ones_like, "parallel_stack": rearrange.stack, "rank": _rank, "reshape": _reshape, "reverse": rearrange.reverse, "size": _size,
        "shape": shape_overrides.shape, "split": rearrange.split, "squeeze": rearrange.squeeze, "stack": rearrange.stack, "tile": rearrange.tile, "zeros_like": functions.zeros_like,
    },
    "control_flow": {"map_fn": map_fn.map_fn},
    "image": {"resize": _resize},
    "math": {
        "accumulate_n": _accumulate_n, "scalar_mul": _scalar_mul, "add_n": _add_n, "bincount": _bincount, "cumsum": reductions.cumsum,
        "where": rearrange.where,
    },
    "nn": {"embedding_lookup": _embedding_lookup, "softmax": reductions.softmax},
    "transform": {"vectorized_map": map_fn.vectorized_map},
}  # fmt: skip

# By room and name of a function of `tf`, what makes of it the one for ragged tensors.
_MAKERS: dict[tuple[str, str], Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    (room, name): make
    for make, rooms in (
        (_of_values, UNARY),
        (_of_pairs, BINARY),
        (_check_of_pairs, CHECKS),
        (_reduction, {"math": " ".join([*reductions.REDUCTIONS, "reduce_variance", "reduce_std"])}),
        (_segments, {"math": _SEGMENTS}),
        (_matmul, {"linalg": "matmul"}),
    )
    for room, names in rooms.items()
    for name in names.split()
}


def answer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a function of `tf` with ragged tensors among its arguments; NotImplemented if it takes none."""
    room, name = doors.key_of(function)
    ours = _OTHERS.get(room, {}).get(name)
    if ours is not None:
        return doors.adapt(ours)(*args, **kwargs)
    make = _MAKERS.get((room, name))
    return NotImplemented if make is None else make(function)(*args, **kwargs)
