"""Quantization that training sees: values are rounded to a few levels, and gradients pass as if they were not.

A range is nudged first, so that 0 is one of the levels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradtape.api.arguments import tensor
from gradtape.api.effects import perform
from gradtape.arrays.movement import reshape
from gradtape.core import errors
from gradtape.core.doors import adapt
from gradtape.core.tensor import Tensor, host
from gradtape.math._elementwise import cast, clip_by_value, equal, floor, logical_and, maximum, minimum, where
from gradtape.math._elementwise import round as rounded
from gradtape.math._reductions import reduce_max, reduce_min, reduce_sum
from gradtape.ops.family import dims
from gradtape.transform.custom_gradient import custom_gradient


def fake_quant_with_min_max_args(
    inputs: Any, min: float = -6, max: float = 6, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """Floats, clamped to a range and rounded to `2**num_bits` levels in it.

    The gradient is 1 inside of the range, and 0 outside.

    Args:
      inputs: floats.
      min, max: the range.
      num_bits: 2 to 16.
      narrow_range: leave out the lowest level.

    >>> tf.quantization.fake_quant_with_min_max_args([0.1, 0.9, 7.0], min=0.0, max=1.0, num_bits=2).numpy()
    array([0., 1., 1.], dtype=float32)
    """
    what = "fake_quant_with_min_max_args"
    _check_range(what, min, max)
    return _quantized(what, inputs, tensor(float(min)), tensor(float(max)), num_bits, narrow_range)


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args` with respect to its inputs, from the gradient of its result.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.0, 7.0]).numpy()
    array([1., 0.], dtype=float32)
    """
    what = "fake_quant_with_min_max_args_gradient"
    _check_range(what, min, max)
    dy, x, low, high = tensor(gradients), tensor(inputs), tensor(float(min)), tensor(float(max))
    _check_gradients(what, dy, x, num_bits)
    result: Tensor = _gradients(dy, x, low, high, num_bits, narrow_range)[0]
    return result


def fake_quant_with_min_max_vars(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """`fake_quant_with_min_max_args` with a range of tensors, which get the gradients of values outside of the range.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.1, 0.9], 0.0, 1.0, num_bits=2).numpy()
    array([0., 1.], dtype=float32)
    """
    what = "fake_quant_with_min_max_vars"
    low, high = tensor(min), tensor(max)
    _check_scalars(what, low, high)
    return _quantized(what, inputs, low, high, num_bits, narrow_range, divides=True)


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: str | None = None
) -> Tensor:
    """`fake_quant_with_min_max_vars` with a range for each channel, along the last axis.

    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel([[0.1, 0.9]], [0.0, 0.0], [1.0, 3.0], num_bits=2).numpy()
    array([[0., 1.]], dtype=float32)
    """
    what = "fake_quant_with_min_max_vars_per_channel"
    x, low, high = tensor(inputs), tensor(min), tensor(max)
    _check_channels(what, x, low, high)
    return _quantized(what, x, low, high, num_bits, narrow_range)


def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `fake_quant_with_min_max_vars` with respect to its inputs, minimum and maximum.

    >>> [g.numpy() for g in tf.quantization.fake_quant_with_min_max_vars_gradient([1.0, 1.0], [0.0, 7.0], -1.0, 1.0)]
    [array([1., 0.], dtype=float32), np.float32(0.0), np.float32(1.0)]
    """
    what = "fake_quant_with_min_max_vars_gradient"
    dy, x, low, high = tensor(gradients), tensor(inputs), tensor(min), tensor(max)
    _check_gradients(what, dy, x, num_bits)
    _check_scalars(what, low, high)
    return _gradients(dy, x, low, high, num_bits, narrow_range)


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """`fake_quant_with_min_max_vars_gradient` with a range for each channel, along the last axis.

    >>> gradient = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
    >>> [g.numpy() for g in gradient([[1.0, 1.0]], [[0.0, 7.0]], [-1.0, -1.0], [1.0, 1.0])]
    [array([[1., 0.]], dtype=float32), array([0., 0.], dtype=float32), array([0., 1.], dtype=float32)]
    """
    what = "fake_quant_with_min_max_vars_per_channel_gradient"
    dy, x, low, high = tensor(gradients), tensor(inputs), tensor(min), tensor(max)
    _check_gradients(what, dy, x, num_bits)
    _check_channels(what, x, low, high)
    return _gradients(dy, x, low, high, num_bits, narrow_range)


def _check_range(what: str, low: float, high: float) -> None:
    if not low < high:
        raise errors.build(
            errors.InvalidArgumentError, f"{what}: min must be smaller than max, got {low} and {high}.", "swap them."
        )


def _check_bits(what: str, bits: int) -> None:
    if not 2 <= bits <= 16:
        raise errors.build(
            errors.InvalidArgumentError, f"{what}: num_bits must be between 2 and 16, inclusive, got {bits}.", "use 8."
        )


def _check_scalars(what: str, low: Tensor, high: Tensor) -> None:
    for name, limit in (("min", low), ("max", high)):
        if limit.ndim:
            raise errors.build(
                errors.ShapeError,
                f"{what}: `{name}` must be rank 0 but is rank {limit.ndim}.",
                "use fake_quant_with_min_max_vars_per_channel for a range of each channel.",
            )


def _check_channels(what: str, x: Tensor, low: Tensor, high: Tensor) -> None:
    fix = "give a minimum and a maximum for each element of the last axis."
    if not x.ndim:
        raise errors.build(errors.ShapeError, f"{what}: inputs is a scalar, which has no channels.", fix)
    for name, limit in (("min", low), ("max", high)):
        if limit.ndim != 1:
            raise errors.build(errors.ShapeError, f"{what}: `{name}` must be rank 1 but is rank {limit.ndim}.", fix)
        if dims(limit) != dims(x)[-1:]:
            counts = f"expected {dims(x)[-1]} was {dims(limit)[0]}"
            raise errors.build(
                errors.ShapeError,
                f"{what}: {name} must have a value for each channel, but has incorrect size, {counts}.",
                fix,
            )


def _check_gradients(what: str, dy: Tensor, x: Tensor, bits: int) -> None:
    _check_bits(what, bits)
    if dims(dy) != dims(x):
        raise errors.build(
            errors.ShapeError,
            f"{what}: gradient and input must be the same size, got {dy.shape} and {x.shape}.",
            "gradients is the gradient of the result, which has the shape of inputs.",
        )


def _quantized(what: str, inputs: Any, low: Any, high: Any, bits: int, narrow: bool, divides: bool = False) -> Tensor:
    """Values of the levels; `divides` by their distance, where others multiply by the inverse: ties differ in the last bit."""
    _check_bits(what, bits)

    @custom_gradient
    def quantize(x: Any, low: Any, high: Any) -> Any:
        least, most, step, density = _nudged(low, high, bits, narrow)
        inside = maximum(minimum(x, most), least) - least
        level = (inside / step if divides else inside * density) - floor(0.5 - least * density) + 0.5
        value = where(_is_unset(low, high), 0.0, floor(level) * step)
        return value, lambda dy: _gradients(dy, x, low, high, bits, narrow)

    result: Tensor = quantize(tensor(inputs), tensor(low), tensor(high))
    return result


def _is_unset(low: Any, high: Any) -> Any:
    """True for a range from 0 to 0, which nothing has been learnt about: gradients pass."""
    return logical_and(equal(low, 0.0), equal(high, 0.0))


def _nudged(low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, Any, Any, Any]:
    """The range moved so that 0 is a level, the distance of levels, and their number in an interval of length 1."""
    first, last = float(narrow), float(2**bits - 1)
    step, density = (high - low) / (last - first), (last - first) / (high - low)
    zero = first - low / step
    zero = floor(where(zero < first, first, where(zero > last, last, zero)) + 0.5)
    return (first - zero) * step, (last - zero) * step, step, density


def _gradients(dy: Any, x: Any, low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, Any, Any]:
    least, most, _, _ = _nudged(low, high, bits, narrow)
    unset = _is_unset(low, high)
    below, above = where(unset, False, x < least), where(unset, False, x > most)
    between = where(unset, True, logical_and(x >= least, x <= most))
    axes = None if low.get_shape().rank == 0 else list(range(x.ndim - low.ndim))
    total = adapt(reduce_sum)
    inner, lower, upper = [dy * cast(part, dy.dtype) for part in (between, below, above)]
    return inner, total(lower, axes), total(upper, axes)


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Floats, rounded to the values that integers of `num_bits` bits stand for. 0 stays 0.

    The gradient is 1 inside of the range, and 0 outside of one that is given.

    Args:
      input: floats.
      input_min, input_max: the range, if `range_given`; one for each slice if there is an `axis`.
      signed_input: whether the integers are signed.
      num_bits: their size.
      range_given: whether the range is given; it is that of the input otherwise.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      narrow_range: leave out the lowest integer.
      axis: None, or an axis along which each slice has a range of its own.

    >>> tf.quantization.quantize_and_dequantize_v2([0.1, 0.6, 1.0], 0.0, 1.0, num_bits=3, range_given=True).numpy().round(3)
    array([0.   , 0.667, 1.   ], dtype=float32)
    """
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise ValueError(
            f"quantize_and_dequantize_v2: round_mode must be 'HALF_TO_EVEN' or 'HALF_UP', got {round_mode!r}."
        )
    if not 1 <= num_bits <= 63:
        raise errors.build(
            errors.InvalidArgumentError,
            f"quantize_and_dequantize_v2: num_bits must be between 1 and 63, got {num_bits}.",
            "use 8.",
        )
    given = tensor(input)
    low, high = _range(given, input_min, input_max, range_given, axis)
    if range_given:
        perform("quantize_and_dequantize_v2", _check_order, [low, high])
    rounding: Any = rounded if round_mode == "HALF_TO_EVEN" else lambda v: floor(v + 0.5)

    @custom_gradient
    def quantize(x: Any) -> Any:
        scale, least, most = _scaled(low, high, signed_input, num_bits, narrow_range)
        y = rounding((clip_by_value(x, least, most) if range_given else x) * scale) / scale
        inside = cast(x >= low, x.dtype) * cast(x <= high, x.dtype) if range_given else 1.0
        return y, lambda dy: dy * inside

    result: Tensor = quantize(given)
    return result


quantize_and_dequantize = quantize_and_dequantize_v2


def _check_order(low: Any, high: Any) -> None:
    """Raise InvalidArgumentError if a range ends before it begins."""
    if np.any(np.asarray(host(low._array)) > np.asarray(host(high._array))):
        raise errors.build(
            errors.InvalidArgumentError,
            "quantize_and_dequantize_v2: input_min must not be larger than input_max.",
            "swap them.",
        )


def _range(x: Any, low: Any, high: Any, given: bool, axis: int | None) -> tuple[Any, Any]:
    """The range of all values or of each slice, in a shape that broadcasts."""
    if axis is not None and not -x.ndim <= axis < x.ndim:
        raise errors.build(
            errors.ShapeError,
            f"quantize_and_dequantize_v2: input should be at least rank {axis + 1}, but is rank {x.ndim}: "
            f"Shape must be at least rank {axis + 1} but is rank {x.ndim}.",
            f"use an axis from {-x.ndim} to {x.ndim - 1}; None means all of the input.",
        )
    if not given:
        others = None if axis is None else [a for a in range(x.ndim) if a != axis % x.ndim]
        return reduce_min(x, others, keepdims=axis is not None), reduce_max(x, others, keepdims=axis is not None)
    limits = [cast(tensor(v), x.dtype) for v in (low, high)]
    if axis is not None:
        shape = [-1 if a == axis % x.ndim else 1 for a in range(x.ndim)]
        limits = [reshape(v, shape) for v in limits]
    return limits[0], limits[1]


def _scaled(low: Any, high: Any, signed: bool, bits: int, narrow: bool) -> tuple[Any, Any, Any]:
    """What to multiply by to get integers, and the range that they reach."""
    first = float(-(2 ** (bits - 1)) + narrow) if signed else float(narrow)
    last = float(2 ** (bits - 1) - 1 if signed else 2**bits - 1)
    huge = 3.0e38
    by_low = where(first * low > 0.0, first / where(low == 0.0, 1.0, low), huge)
    by_high = where(last * high > 0.0, last / where(high == 0.0, 1.0, high), huge)
    scale = minimum(by_low, by_high)
    scale = where(scale < huge, scale, 1.0)
    return scale, first / scale, last / scale
