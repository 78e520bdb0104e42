"""Brightness, contrast, gamma, hue and saturation of images, and their dtype.

Images of integers are computed as float32 from 0 to 1 and converted back; floating ones keep their dtype. All
adjustments are differentiable with respect to the image and to the amount.
"""

from __future__ import annotations

import math
from typing import Any

from gradtape.api.arguments import tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.image._arguments import image_tensor, require
from gradtape.image._arguments import number as plain
from gradtape.math._conversion import cast, saturate_cast
from gradtape.ops.arithmetic import Square
from gradtape.ops.creation import OnesLike
from gradtape.ops.division import DivideNoNan, FloorDiv
from gradtape.ops.exponential import Pow, Sqrt
from gradtape.ops.family import dims
from gradtape.ops.hsv import HsvToRgb, RgbToHsv
from gradtape.ops.joining import Stack, Unstack
from gradtape.ops.movement import BroadcastTo, Identity, Reshape
from gradtape.ops.reduction import ReduceMean
from gradtape.ops.rounding import Floor
from gradtape.ops.selection import ClipByValue, Maximum, Minimum, number


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """The image in another dtype, with its values scaled to match.

    Floats stand for the range from 0 to 1, integers for the range from 0 to their largest value. Between floats, values
    stay as they are. Gradients flow between floating dtypes.

    Args:
      image: a tensor of floats or integers.
      dtype: the wanted dtype, floating or integer.
      saturate: limit what does not fit in the dtype, which would overflow otherwise.

    Returns:
      A tensor of the same shape.

    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)
    """
    x, wanted = tensor(image), dtypes.as_dtype(dtype)
    own = x.dtype
    for which, d in (("dtype", wanted), ("image dtype", own)):
        if not (d.is_floating or d.is_integer):
            raise errors.build(
                errors.AttributeTypeError,
                f"convert_image_dtype: {which} must be either floating point or integer, it is {d.name}.",
                "use tf.cast.",
            )
    if own is wanted:
        return Identity(x)
    change = saturate_cast if saturate else cast
    if wanted.is_floating:
        if own.is_floating:
            return cast(x, wanted)
        return cast(cast(x, _roomy(wanted, own)) * (1.0 / int(own.max)), wanted)
    if own.is_floating:
        return change(cast(x, _roomy(own, wanted)) * (int(wanted.max) + 0.5), wanted)
    before, after = int(own.max) + 1, int(wanted.max) + 1
    if before > after:
        return change(FloorDiv(x, number(before // after, x)), wanted)
    y = change(x, wanted)
    result: Tensor = y * number(after // before, y)
    return result


def _roomy(floating: dtypes.DType, whole: dtypes.DType) -> dtypes.DType:
    """A floating dtype that holds the integers of another one in their size: not float16 from 16 bits on."""
    return dtypes.float32 if floating.size < 4 and whole.size > 1 else floating


def _as_floats(x: Any) -> Any:
    return x if x.dtype.is_floating else convert_image_dtype(x, dtypes.float32)


def _amount(value: Any, x: Any) -> Any:
    """A number or tensor in the dtype of the image."""
    if isinstance(value, (Tensor, Variable)):
        return cast(value, x.dtype)
    return convert.convert_to_tensor(value, x.dtype)


def _check_scalar(value: Any, what: str, name: str) -> None:
    if value.ndim:
        raise errors.build(
            errors.ShapeError,
            f"{what}: {name} must be scalar (rank 0), got {spec_of(value)}.",
            f"give one number; tf.map_fn(lambda xs: tf.image.{what}(*xs), (images, values), ...) for one of each.",
        )


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """The image with a number added to it.

    Args:
      image: a tensor of floats or integers.
      delta: what is added to the image as floats; from -1 to 1, since these go from 0 to 1.

    Returns:
      A tensor of the same shape and dtype; integers are limited to their range.

    >>> tf.image.adjust_brightness(tf.constant([[[100]]], tf.uint8), 0.1).numpy().item()
    125
    """
    original = tensor(image)
    x = _as_floats(original)
    return convert_image_dtype(x + _amount(delta, x), original.dtype, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """The images with adjusted contrast: the distance of each pixel to the mean of its channel is scaled.

    Args:
      images: `[..., height, width, channels]` of floats or integers.
      contrast_factor: the scale.

    Returns:
      A tensor of the same shape and dtype; integers are limited to their range.

    >>> tf.image.adjust_contrast([[[1.0], [2.0]], [[3.0], [4.0]]], 2.0).numpy().ravel()
    array([-0.5,  1.5,  3.5,  5.5], dtype=float32)
    """
    original = image_tensor(images, "adjust_contrast", "images", ranks=())
    x = _as_floats(original)
    factor = _amount(contrast_factor, x)
    _check_scalar(factor, "adjust_contrast", "contrast_factor")
    mean = ReduceMean(x, axis=(x.ndim - 3, x.ndim - 2), keepdims=True)
    # A row at a time: NumPy is slow where only three channels follow one another.
    *lead, height, width, channels = dims(x)
    rest = BroadcastTo(mean - mean * factor, shape=(*lead, 1, width, channels))
    rows = Reshape(x, shape=(*lead, height, width * channels)) * factor
    rows = rows + Reshape(rest, shape=(*lead, 1, width * channels))
    return convert_image_dtype(Reshape(rows, shape=dims(x)), original.dtype, saturate=True)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """The image to a power: `gain * image ** gamma`.

    Args:
      image: a tensor of floats or integers.
      gamma: the exponent, which must not be negative. Above 1 the image gets darker.
      gain: the factor.

    Returns:
      A tensor of the same shape and dtype; integers are limited to their range.

    >>> tf.image.adjust_gamma([[[0.5]]], 2.0).numpy().item()
    0.25
    """
    known = plain(gamma)
    require(
        known is None or known >= 0, "adjust_gamma", "Gamma should be a non-negative real number.", f"it is {known}."
    )
    original = tensor(image)
    x = _as_floats(original)
    return convert_image_dtype(_amount(gain, x) * Pow(x, _amount(gamma, x)), original.dtype, saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """The image with its hue shifted. Brightness and saturation are kept.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      delta: which part of the circle to move by, from -1 to 1.

    Returns:
      A tensor of the same shape and dtype.

    >>> red = tf.constant([[[1.0, 0.0, 0.0]]])
    >>> tf.image.adjust_hue(red, 0.5).numpy().ravel()
    array([0., 1., 1.], dtype=float32)
    """
    known = plain(delta)
    require(
        known is None or -1 <= known <= 1,
        "adjust_hue",
        "delta must be in the interval [-1, 1].",
        "use a number from -1 to 1; 1 is the whole circle.",
    )
    original = image_tensor(image, "adjust_hue", ranks=())
    _check_channels(original, "adjust_hue")
    x = _as_floats(original)
    last = x.ndim - 1
    hue = Unstack(RgbToHsv(x), axis=last)[0] + _amount(delta, x)
    hue = hue - Floor(hue)
    r, g, b = Unstack(x, axis=last)
    low, high = Minimum(Minimum(r, g), b), Maximum(Maximum(r, g), b)
    # The pure colour of the new hue as bright as the channels differ, on top of what they have in common.
    pure = Unstack(HsvToRgb(Stack(hue, OnesLike(hue), high - low, axis=last)), axis=last)
    return convert_image_dtype(Stack(*[channel + low for channel in pure], axis=last), original.dtype)


def _check_channels(x: Any, what: str) -> None:
    if dims(x)[-1] != 3:
        raise errors.build(
            errors.ShapeError,
            f"{what}: image is {spec_of(x)}, and its last dimension must be 3.",
            "use tf.image.grayscale_to_rgb for one channel.",
        )


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """The image with its saturation scaled, and limited to the range from 0 to 1.

    Args:
      image: `[..., 3]`, red, green and blue, of floats or integers.
      saturation_factor: the scale; 0 makes the image grey.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.adjust_saturation([[[1.0, 0.5, 0.5]]], 2.0).numpy().ravel()
    array([1., 0., 0.], dtype=float32)
    """
    original = image_tensor(image, "adjust_saturation", ranks=())
    _check_channels(original, "adjust_saturation")
    x = _as_floats(original)
    last, zero, one = x.ndim - 1, number(0, x), number(1, x)
    r, g, b = Unstack(x, axis=last)
    value, low = Maximum(Maximum(r, g), b), Minimum(Minimum(r, g), b)
    before = DivideNoNan(value - low, Maximum(value, zero))
    factor = _amount(saturation_factor, x)
    _check_scalar(factor, "adjust_saturation", "scale")
    after = ClipByValue(before * factor, zero, one)
    # At one hue and value, the distance of each channel from the value grows with the saturation.
    scale = DivideNoNan(after, before)
    return convert_image_dtype(Stack(*[value + (c - value) * scale for c in (r, g, b)], axis=last), original.dtype)


def per_image_standardization(image: Any) -> Tensor:
    """Images with mean 0 and variance 1 each. A nearly uniform image is not blown up: see `standardized`.

    Args:
      image: `[..., height, width, channels]` of floats or integers.

    Returns:
      A float32 tensor of the same shape.

    >>> tf.image.per_image_standardization([[[1.0], [3.0]]]).numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    return standardized(cast(image_tensor(image, "per_image_standardization", ranks=()), dtypes.float32))


def standardized(x: Any) -> Tensor:
    """Images less their mean, over their standard deviation or over 1 / sqrt(size), whichever is larger."""
    inner = (x.ndim - 3, x.ndim - 2, x.ndim - 1)
    centred = x - ReduceMean(x, axis=inner, keepdims=True)
    variance = ReduceMean(Square(centred), axis=inner, keepdims=True)
    # Limited before the square root, whose slope at 0 is infinite.
    least = 1.0 / math.prod(dims(x)[-3:])
    result: Tensor = centred / Sqrt(Maximum(variance, number(least, x)))
    return result
